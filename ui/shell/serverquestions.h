#pragma once

#include "ui/shell/workspace.h"
#include "ui/theme/appearance.h"

#include <QObject>

namespace latchkey::ui::shell {

/// The questions about the server that is inspected: its password, whether it may be written to, and which is to be
/// inspected instead. Each is a dialog over the window; what is answered is done, or asked for by a signal.
/// Owned by the window that they are asked over, and before it; workspace and appearance are not owned.
class ServerQuestions final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ServerQuestions)

public:
    ServerQuestions(Workspace &workspace, theme::Appearance &appearance, QWidget *window);

    void askForPassword();
    /// Nothing is asked of a server that may be written to.
    void askToArm();
    /// Those that are kept by name, and those visited lately.
    void offerServers();

Q_SIGNALS:
    /// The user wants to look at this one.
    void serverChosen(const latchkey::resp::Endpoint &endpoint);
    void armingRefused();

private:
    Workspace &m_workspace;          // Not owned.
    theme::Appearance &m_appearance; // Not owned.
    QWidget *m_window;               // The parent.
};

} // namespace latchkey::ui::shell
