#pragma once

#include <QObject>

class QWidget;

namespace latchkey::ui::recording {

/// An event filter that emits a signal when a file is dropped on a window. Other drags are not affected. Owned by the
/// window. The filter does not read the file.
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
