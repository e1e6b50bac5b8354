#pragma once

#include "core/inspect/inspection/inspectedserver.h"
#include "core/keyspace/watching/keytrace.h"
#include "ui/pages/inspector/keychangeflow.h"
#include "ui/views/keytable/keytableview.h"

#include <QPointer>
#include <QWidget>

class QAction;
class QLabel;
class QPushButton;

namespace latchkey::ui::inspector {

/// The actions on the selected keys: the line below the table with the names of the keys, its buttons, the menu and
/// the shortcuts.
///
/// Copying is always possible. Changes need a connection and an armed server, and affect only keys that are still as
/// shown (see KeyChangeFlow). Keys of a recording can only be copied. After a question is closed, the table has the
/// keyboard focus. Owned by the page. Appearance, clock, table and server are not owned.
class KeyActionBar final : public QWidget
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(KeyActionBar)

public:
    KeyActionBar(theme::Appearance &appearance, const base::Clock &clock, keytable::KeyTableView &table,
                 QWidget *parent = nullptr);

    void setServer(inspection::InspectedServer *server);
    void setServerName(const QString &name) { m_flow->setServerName(name); }
    /// Sets further menu entries for the selected key.
    void setMoreActions(const QList<QAction *> &actions) { m_more = actions; }
    /// Returns the actions on the selected keys. The status tip of a disabled action is the reason.
    [[nodiscard]] QList<QAction *> keyActions() const;
    /// Updates the widgets after a change of the selection, of the selected keys, or of the server.
    void refresh();
    [[nodiscard]] qint64 filteredCount(const QList<QByteArray> &keys) const;
    /// Drops the question that waits for arming, because the user refused to arm the server.
    void forgetQuestion() { m_flow->forget(); }

Q_SIGNALS:
    /// Emitted when the user wants to change keys on a server that is not armed.
    void armingRequested();
    /// Emitted with the progress or the result of a change, and after a copy with escaped bytes.
    void reported(const latchkey::ui::inspector::KeyChangeReport &report);
    /// Emitted when the last report can no longer be undone or cancelled.
    void undoEnded();
    /// Emitted when a running trace of `key` has seen a command.
    void traced(const QByteArray &key, const latchkey::watching::TracedCommand &command);
    /// Emitted when a trace of `key` has begun or ended.
    void traceChanged(const QByteArray &key, bool isRunning);

private:
    void setUp(QAction *action, QPushButton *button, const char *name, const QString &kind);
    void setUpActions();
    void setUpLayout();
    void applyAppearance();
    void showMenu(const QPoint &at);
    void showTrace();

    void copyKeys();
    void copyCommands();
    void ask(KeyChangeKind kind);
    /// Returns why the selected keys cannot be changed. Empty if they can.
    [[nodiscard]] QString obstacle(qint64 chosen) const;
    [[nodiscard]] bool isLockChosen() const;
    [[nodiscard]] std::vector<base::Key> chosenKeys(std::size_t maximum) const;

    theme::Appearance &m_appearance;
    keytable::KeyTableView &m_table;
    KeyChangeFlow *m_flow;
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
