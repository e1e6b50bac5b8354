#pragma once

#include "core/inspect/inspection/inspectedserver.h"
#include "core/inspect/recognition/userdialects.h"
#include "ui/kit/theme/appearance.h"
#include "ui/kit/widgets/messages.h"

#include <QFileSystemWatcher>
#include <QObject>
#include <QPointer>
#include <QTimer>

class QAction;
class QWidget;

namespace latchkey::ui::inspector {

/// The actions with which the user defines lock patterns, starting from a key of the table, and their dialogs. Owned by
/// the page. Appearance, messages, dialects and server are not owned.
class LockPatternActions final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LockPatternActions)

public:
    LockPatternActions(theme::Appearance &appearance, widgets::Messages &messages, QWidget &page);

    /// Sets the dialects. Reports errors of their file, and reads the file again after a change by another program.
    void setDialects(recognition::UserDialects &own);
    void setServer(inspection::InspectedServer *server);
    /// Sets the selected key. Absent if no key or several keys are selected.
    void setKey(const std::optional<QByteArray> &key);

    /// Returns the action "This is a lock…", which defines a pattern for the selected key.
    [[nodiscard]] QAction *patternAction() const { return m_patternAction; }
    /// Returns the action "Lock patterns of your own…", which lists the patterns.
    [[nodiscard]] QAction *listAction() const { return m_list; }

private:
    void refresh();
    void showErrors();
    void watchFile();
    void say();
    [[nodiscard]] QByteArray proposedNames(const QByteArray &key, keys::KeyType type) const;
    void list();
    void open(const recognition::LockPattern &pattern, const std::optional<QByteArray> &key, QWidget *parent);

    theme::Appearance &m_appearance; // Not owned.
    widgets::Messages &m_messages;   // Not owned.
    QWidget &m_page;                 // Not owned.
    recognition::UserDialects *m_own = nullptr;
    QPointer<inspection::InspectedServer> m_server;
    std::optional<QByteArray> m_key;
    QFileSystemWatcher m_files; ///< The file and its folder: editors replace a file instead of writing to it.
    QTimer m_reloadTimer;       ///< Runs until the file has not been written for a while.
    QAction *m_patternAction;
    QAction *m_list;
};

} // namespace latchkey::ui::inspector
