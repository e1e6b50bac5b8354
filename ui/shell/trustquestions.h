#pragma once

#include "ui/shell/workspace.h"
#include "ui/widgets/messages.h"

class QDialog;

namespace latchkey::ui::shell {

/// Asks the user whom to trust on the way to a server, and with what to log in there: a certificate that nobody vouches
/// for or that is not the pinned one, the key of an SSH host, a passphrase.
///
/// It shows what was seen, and nothing is trusted by itself: the answer that changes nothing is the one that Return
/// gives. A certificate that was not trusted is first said in a message, since it may come while the user is at
/// something else; ssh waits for its answer, so that its questions open at once.
/// Owned by the window; workspace, messages and appearance are not owned.
class TrustQuestions final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(TrustQuestions)

public:
    TrustQuestions(Workspace &workspace, widgets::Messages &messages, theme::Appearance &appearance, QWidget &window);

private:
    void watch();
    void look();
    void showCertificate();
    void ask(const ssh::Questions::Question &question);
    void withdraw(ssh::Questions::Id id);

    Workspace &m_workspace;
    widgets::Messages &m_messages;
    theme::Appearance &m_appearance;
    QWidget &m_window;
    QByteArray m_said; ///< The fingerprint of the certificate that was last said of this server.
    std::map<ssh::Questions::Id, QPointer<QDialog>> m_asked; ///< Of ssh's questions. Owned by the window.
};

} // namespace latchkey::ui::shell
