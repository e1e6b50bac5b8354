#include "ui/pages/recording/filedrop.h"

#include <QDropEvent>
#include <QMimeData>
#include <QUrl>
#include <QWidget>

namespace latchkey::ui::recording {

namespace {

/// Returns the path of the only dragged file. Empty for several files or other data.
QString fileIn(const QMimeData &data)
{
    return data.urls().size() == 1 ? data.urls().constFirst().toLocalFile() : QString();
}

} // namespace

FileDrop::FileDrop(QWidget &window)
    : QObject(&window)
{
    window.setAcceptDrops(true);
    window.installEventFilter(this);
}

bool FileDrop::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() != QEvent::DragEnter && event->type() != QEvent::Drop)
        return QObject::eventFilter(watched, event);
    auto *drop = static_cast<QDropEvent *>(event); // A QDragEnterEvent is a QDropEvent too.
    const QString path = fileIn(*drop->mimeData());
    if (path.isEmpty())
        return QObject::eventFilter(watched, event);
    drop->setDropAction(Qt::CopyAction); // A file manager deletes a file after a move action.
    drop->accept();
    if (event->type() == QEvent::Drop)
        Q_EMIT dropped(path);
    return true;
}

} // namespace latchkey::ui::recording
