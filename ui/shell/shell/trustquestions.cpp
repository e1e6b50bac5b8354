#include "ui/shell/shell/trustquestions.h"

#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/shell/shell/certificatedialog.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

namespace latchkey::ui::shell {

using inspection::InspectedServer;
using net::Session;
using widgets::Banner;

namespace {

const QString trustTopic = QStringLiteral("trust");
constexpr int questionWidth = 460;

} // namespace

TrustQuestions::TrustQuestions(Workspace &workspace, widgets::Messages &messages, theme::Appearance &appearance,
                               QWidget &window)
    : QObject(&window)
    , m_workspace(workspace)
    , m_messages(messages)
    , m_appearance(appearance)
    , m_window(window)
{
    connect(&workspace, &Workspace::inspectedChanged, this, &TrustQuestions::watch);
    connect(&workspace.questions(), &ssh::AskpassServer::asked, this, &TrustQuestions::ask);
    connect(&workspace.questions(), &ssh::AskpassServer::withdrawn, this, &TrustQuestions::withdraw);
}

void TrustQuestions::watch()
{
    m_messages.remove(trustTopic);
    m_shownFingerprint.clear();
    if (InspectedServer *server = m_workspace.inspected())
        connect(&server->session(), &Session::stateChanged, this, &TrustQuestions::checkCertificate);
}

void TrustQuestions::checkCertificate()
{
    InspectedServer *server = m_workspace.inspected();
    if (server == nullptr || sender() != &server->session() || server->session().state() == Session::State::Connecting)
        return;
    const Session &session = server->session();
    const auto &certificate = session.refusedCertificate();
    if (session.state() != Session::State::Waiting || (!certificate && !session.needsUserAction())) {
        m_messages.remove(trustTopic);
        m_shownFingerprint.clear();
        return;
    }
    if (certificate && std::exchange(m_shownFingerprint, certificate->fingerprint) == certificate->fingerprint)
        return; // Retries show the same certificate; the message appears only once.
    const QString message = widgets::sentence(session.lastError()->message());
    if (certificate)
        m_messages.show({trustTopic,
                         certificate->isOther ? Banner::Tone::Critical : Banner::Tone::Warning,
                         message,
                         tr("Show certificate…"),
                         [this] { showCertificate(); },
                         {}});
    else
        m_messages.show({trustTopic,
                         Banner::Tone::Critical,
                         message,
                         tr("Try again"),
                         [this] {
                             if (InspectedServer *shown = m_workspace.inspected())
                                 shown->session().retryNow();
                         },
                         {}});
}

void TrustQuestions::showCertificate()
{
    InspectedServer *server = m_workspace.inspected();
    if (server == nullptr || !server->session().refusedCertificate())
        return;
    const net::UntrustedCertificate certificate = *server->session().refusedCertificate();
    net::Endpoint endpoint = server->endpoint();
    auto *dialog = new CertificateDialog(endpoint.display(), certificate, m_appearance, &m_window);
    connect(dialog, &QDialog::accepted, this, [this, endpoint, certificate]() mutable {
        endpoint.tls->pin = certificate.fingerprint;
        m_workspace.open(endpoint);
    });
    dialog->open();
}

/// Shows a question of ssh. The text is ssh's own, with the host, its fingerprint or the key.
void TrustQuestions::ask(const ssh::AskpassServer::Question &question)
{
    auto *dialog = new QDialog(&m_window);
    dialog->setObjectName(QStringLiteral("sshDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("SSH asks"));
    QLabel *title = widgets::makePlainLabel(
        QStringLiteral("pageTitle"), question.isSecret ? tr("SSH needs a secret") : tr("Trust this host?"), dialog);
    QLabel *text = widgets::makePlainLabel(QStringLiteral("sshQuestion"), {}, dialog);
    text->setFont(m_appearance.monospaced());
    text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    widgets::wrapAt(questionWidth, *text, question.text);
    auto *secret = new QLineEdit(dialog);
    secret->setObjectName(QStringLiteral("sshSecret"));
    secret->setAccessibleName(tr("Answer"));
    secret->setEchoMode(QLineEdit::Password);
    secret->setVisible(question.isSecret);
    QLabel *hint = widgets::makeWrappedLabel(
        QStringLiteral("secondary"),
        question.isSecret ? tr("The answer is passed to ssh and not stored.")
                          : tr("Compare the fingerprint with the value from the host's administrator. If you trust "
                               "it, ssh adds it to your known hosts."),
        questionWidth, dialog);
    auto *no = new QPushButton(question.isSecret ? tr("Cancel") : tr("Do not connect"), dialog);
    no->setObjectName(QStringLiteral("sshCancel"));
    auto *yes = new QPushButton(question.isSecret ? tr("Continue") : tr("Trust this host"), dialog);
    yes->setObjectName(QStringLiteral("sshConfirm"));
    no->setAutoDefault(!question.isSecret);
    yes->setAutoDefault(question.isSecret);
    (question.isSecret ? yes : no)->setDefault(true);
    if (question.isSecret)
        yes->setProperty("kind", QStringLiteral("primary"));
    connect(no, &QPushButton::clicked, dialog, &QDialog::reject);
    connect(yes, &QPushButton::clicked, dialog, &QDialog::accept);
    connect(dialog, &QDialog::accepted, this, [this, secret, question] {
        m_workspace.questions().answer(question.id, question.isSecret ? secret->text() : QStringLiteral("yes"));
    });
    connect(dialog, &QDialog::rejected, this, [this, id = question.id] { m_workspace.questions().decline(id); });
    connect(dialog, &QDialog::finished, this, [this, id = question.id] { m_asked.erase(id); });

    auto *buttons = new QHBoxLayout;
    buttons->addStretch(1);
    buttons->addWidget(no);
    buttons->addWidget(yes);
    auto *layout = new QVBoxLayout(dialog);
    layout->setContentsMargins(28, 24, 28, 20);
    layout->setSpacing(14);
    layout->addWidget(title);
    layout->addWidget(text);
    layout->addWidget(secret);
    layout->addWidget(hint);
    layout->addSpacing(6);
    layout->addLayout(buttons);
    m_asked.emplace(question.id, dialog);
    if (question.isSecret)
        secret->setFocus();
    else
        no->setFocus();
    dialog->open();
}

void TrustQuestions::withdraw(ssh::AskpassServer::Id id)
{
    const auto asked = m_asked.find(id);
    if (asked == m_asked.end())
        return;
    const QPointer<QDialog> dialog = asked->second;
    m_asked.erase(asked);
    if (dialog)
        dialog->close();
}

} // namespace latchkey::ui::shell
