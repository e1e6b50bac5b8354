#pragma once

#include <QObject>

class QWidget;

namespace latchkey::ui::widgets {

/// Tells when the language of the window has changed, to a widget that words something itself: what it has from tr() as
/// it is has been reworded by then. A child of the widget that it watches.
class LanguageWatch final : public QObject
{
    Q_OBJECT

public:
    explicit LanguageWatch(QWidget *widget);

Q_SIGNALS:
    void changed();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
};

} // namespace latchkey::ui::widgets
