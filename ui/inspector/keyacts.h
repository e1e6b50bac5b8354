#pragma once

#include "core/inspection/inspectedserver.h"
#include "core/keyspace/keytrace.h"
#include "ui/inspector/actflow.h"
#include "ui/keytable/keytableview.h"

#include <QPointer>
#include <QWidget>

class QAction;
class QLabel;
class QPushButton;

namespace latchkey::ui::inspector {

/// What can be done with the chosen keys: the line below the table that names them, its buttons, the menu, and the
/// shortcuts.
///
/// Copying is always possible; changing needs a connection and an armed server, and takes effect only on keys that
/// still are what was shown, see ActFlow; of a recording keys can be copied, and that is all. However a question ends,
/// the keyboard is in the table afterwards. Owned by the page; appearance, clock, table and server are not owned.
class KeyActs final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(KeyActs)

public:
    KeyActs(theme::Appearance &appearance, const base::Clock &clock, keytable::KeyTableView &table,
            QWidget *parent = nullptr);

    void setServer(inspection::InspectedServer *server);
    /// What else the menu offers, of the chosen key.
    void setMoreActions(const QList<QAction *> &actions) { m_more = actions; }
    /// What is chosen has changed, or what is known of it, or of the server.
    void refresh();
    [[nodiscard]] qint64 filteredCount(const QList<QByteArray> &keys) const;
    /// The server is not to be armed: what waits for that is not asked.
    void forgetQuestion() { m_flow->forget(); }

Q_SIGNALS:
    /// The user wants to change something on a server that is not armed.
    void armingWanted();
    /// Something has been done, or has failed.
    void reported(const latchkey::ui::inspector::ActReport &report);
    /// What was reported last cannot be undone any more.
    void undoEnded();
    /// A trace of this key, which goes on, has heard something.
    void traced(const QByteArray &key, const latchkey::keyspace::TracedCommand &command);

private:
    void setUp(QAction *action, QPushButton *button, const char *name, const QString &kind);
    void setUpActions();
    void arrange();
    void applyAppearance();
    void showMenu(const QPoint &at);
    void showTrace();

    void copyKeys();
    void copyCommands();
    void ask(ActKind kind);
    /// Why the chosen keys cannot be changed; empty where they can.
    [[nodiscard]] QString obstacle(qint64 chosen) const;
    [[nodiscard]] bool isLockChosen() const;
    [[nodiscard]] std::vector<base::Key> chosenKeys(std::size_t most) const;

    theme::Appearance &m_appearance;
    keytable::KeyTableView &m_table;
    ActFlow *m_flow;
    QPointer<inspection::InspectedServer> m_server;
    QLabel *m_choice;
    QAction *m_copyKey;
    QAction *m_copyCommand;
    QAction *m_setEnd;
    QAction *m_release;
    QAction *m_delete;
    QAction *m_trace;
    QList<QAction *> m_more; // Not owned.
    QPushButton *m_copyKeyButton;
    QPushButton *m_copyCommandButton;
    QPushButton *m_setEndButton;
    QPushButton *m_releaseButton;
    QPushButton *m_deleteButton;
};

} // namespace latchkey::ui::inspector
