#pragma once

#include <QObject>

class QWidget;

namespace latchkey::ui::widgets {

/// A notifier for changes of the language, for a widget that composes texts. Unchanged results of tr() have been
/// translated again before the signal. Child of the watched widget.
class LanguageChangeNotifier final : public QObject
{
    Q_OBJECT

public:
    explicit LanguageChangeNotifier(QWidget *widget);

Q_SIGNALS:
    void changed();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
};

} // namespace latchkey::ui::widgets
