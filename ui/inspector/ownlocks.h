#pragma once

#include "core/inspection/inspectedserver.h"
#include "core/recognition/owndialects.h"
#include "ui/theme/appearance.h"
#include "ui/widgets/messages.h"

#include <QFileSystemWatcher>
#include <QObject>
#include <QPointer>
#include <QTimer>

class QAction;
class QWidget;

namespace latchkey::ui::inspector {

/// What the user can say of locks of their own, beginning with a key of the table: the two actions, and the dialogs
/// that they open.
/// Owned by the page; appearance, messages, dialects and server are not owned.
class OwnLocks final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(OwnLocks)

public:
    OwnLocks(theme::Appearance &appearance, widgets::Messages &messages, QWidget &page);

    /// Says from then on what is wrong with their file, and reads it again when somebody has changed it.
    void setDialects(recognition::OwnDialects &own);
    void setServer(inspection::InspectedServer *server);
    /// The one key that is chosen; absent: none, or several.
    void setKey(const std::optional<QByteArray> &key);

    /// "This is a lock…", of the chosen key.
    [[nodiscard]] QAction *sayAction() const { return m_say; }
    /// "Lock patterns of your own…"
    [[nodiscard]] QAction *listAction() const { return m_list; }

private:
    void refresh();
    void sayWhatIsWrong();
    void watchFile();
    void say();
    void list();
    void open(const recognition::LockPattern &pattern, const std::optional<QByteArray> &key, QWidget *parent);

    theme::Appearance &m_appearance; // Not owned.
    widgets::Messages &m_messages;   // Not owned.
    QWidget &m_page;                 // Not owned.
    recognition::OwnDialects *m_own = nullptr;
    QPointer<inspection::InspectedServer> m_server;
    std::optional<QByteArray> m_key;
    QFileSystemWatcher m_files; ///< The file, and its folder: editors put another file in its place.
    QTimer m_reload;            ///< Until nothing has been written for a while.
    QAction *m_say;
    QAction *m_list;
};

} // namespace latchkey::ui::inspector
