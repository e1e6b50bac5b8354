#pragma once

#include <QObject>

class QWidget;

namespace latchkey::ui::recording {

/// Tells of a file that is dropped on a window. What else is dragged there goes its usual way.
/// Owned by the window. It does not look into the file.
class FileDrop final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(FileDrop)

public:
    explicit FileDrop(QWidget &window);

Q_SIGNALS:
    void dropped(const QString &path);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
};

} // namespace latchkey::ui::recording
