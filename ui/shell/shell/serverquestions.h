#pragma once

#include "ui/kit/theme/appearance.h"
#include "ui/shell/shell/workspace.h"

#include <QObject>

namespace latchkey::ui::shell {

/// The dialogs about the inspected server: its password, arming, and the choice of another server. The object acts on
/// the answers, or emits a signal. Owned by the parent window of the dialogs, and destroyed before it. Workspace and
/// appearance are not owned.
class ServerQuestions final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ServerQuestions)

public:
    ServerQuestions(Workspace &workspace, theme::Appearance &appearance, QWidget *window);

    void askForPassword();
    /// Asks whether to arm the server. Does nothing if the server is armed.
    void askToArm();
    /// Offers the saved connections and groups, and the recent servers.
    void offerServers();

Q_SIGNALS:
    /// Emitted when the user has chosen a server.
    void serverChosen(const latchkey::net::Endpoint &endpoint);
    /// Emitted when the user has chosen a redlock group.
    void groupChosen(const QString &name);
    void armingRefused();

private:
    Workspace &m_workspace;          // Not owned.
    theme::Appearance &m_appearance; // Not owned.
    QWidget *m_window;               // Parent window of the dialogs.
};

} // namespace latchkey::ui::shell
