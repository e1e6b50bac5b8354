#pragma once

#include "ui/kit/widgets/messages.h"
#include "ui/shell/shell/workspace.h"

class QDialog;

namespace latchkey::ui::shell {

/// The dialogs about trust and credentials for a connection: an untrusted or changed certificate, the key of an SSH
/// host, a passphrase.
///
/// They show the received data, and nothing is trusted automatically: the default answer to a question about trust is
/// no. An untrusted certificate first appears as a message, so that no dialog interrupts the user. The questions of ssh
/// open at once, because ssh waits for the answer. Owned by the window. Workspace, messages and appearance are not
/// owned.
class TrustQuestions final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(TrustQuestions)

public:
    TrustQuestions(Workspace &workspace, widgets::Messages &messages, theme::Appearance &appearance, QWidget &window);

private:
    void watch();
    void checkCertificate();
    void showCertificate();
    void ask(const ssh::AskpassServer::Question &question);
    void withdraw(ssh::AskpassServer::Id id);

    Workspace &m_workspace;
    widgets::Messages &m_messages;
    theme::Appearance &m_appearance;
    QWidget &m_window;
    QByteArray m_shownFingerprint; ///< Fingerprint of the last certificate reported for this server.
    std::map<ssh::AskpassServer::Id, QPointer<QDialog>> m_asked; ///< Open dialogs with questions of ssh. Owned by the
                                                                 ///< window.
};

} // namespace latchkey::ui::shell
