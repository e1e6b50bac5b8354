#pragma once

#include "core/inspection/inspectedserver.h"
#include "ui/keytable/keytableview.h"
#include "ui/widgets/banner.h"

#include <QPointer>
#include <QWidget>

class QAction;
class QLabel;
class QPushButton;

namespace latchkey::ui::inspector {

/// What can be done with the chosen keys: the line below the table that names them, its buttons, the menu, and the
/// shortcuts.
///
/// Copying is always possible; deleting needs a connection and an armed server, and takes effect only if the key still
/// is what was shown. However a question ends, the keyboard is in the table afterwards.
/// Owned by the page; appearance, clock, table and server are not owned.
class KeyActs final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(KeyActs)

public:
    KeyActs(theme::Appearance &appearance, const base::Clock &clock, keytable::KeyTableView &table,
            QWidget *parent = nullptr);

    void setServer(inspection::InspectedServer *server);
    /// What is chosen has changed, or what is known of it, or of the server.
    void refresh();

Q_SIGNALS:
    /// The user wants to change something on a server that is not armed.
    void armingWanted();
    /// Something has been done, or has failed.
    void reported(widgets::Banner::Tone tone, const QString &text);

private:
    void setUp(QAction *action, QPushButton *button, const char *name, const QString &kind);
    void applyAppearance();
    void showMenu(const QPoint &at);
    void showTrace();

    void copyKeys();
    void copyCommands();
    void askToDelete();
    void showQuestion(const keyspace::KeySnapshot &snapshot);
    void deleteKey(const keyspace::KeySnapshot &snapshot);
    void report(const base::Key &key, const base::Result<keyspace::DeleteOutcome> &outcome);
    [[nodiscard]] std::vector<base::Key> chosenKeys(std::size_t most) const;

    theme::Appearance &m_appearance;
    const base::Clock &m_clock;
    keytable::KeyTableView &m_table;
    QPointer<inspection::InspectedServer> m_server;
    QLabel *m_choice;
    QAction *m_copyKey;
    QAction *m_copyCommand;
    QAction *m_delete;
    QAction *m_trace;
    QPushButton *m_copyKeyButton;
    QPushButton *m_copyCommandButton;
    QPushButton *m_deleteButton;
};

} // namespace latchkey::ui::inspector
