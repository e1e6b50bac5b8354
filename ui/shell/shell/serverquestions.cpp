#include "ui/shell/shell/serverquestions.h"

#include "core/redis/net/connectionsetup.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/shell/connections/serverswitcher.h"
#include "ui/shell/shell/armdialog.h"

#include <QDialog>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace latchkey::ui::shell {

using inspection::InspectedServer;

namespace {

/// The input fields for user name and password of the server, of its sentinels, or of its proxy.
struct Login
{
    Login(QFormLayout &form, const char *name, const QString &userTitle, const QString &passwordTitle, QWidget *dialog)
        : user(new QLineEdit(dialog))
        , password(new QLineEdit(dialog))
    {
        user->setObjectName(QLatin1String(name) + QStringLiteral("User"));
        password->setObjectName(QLatin1String(name));
        password->setEchoMode(QLineEdit::Password);
        form.addRow(userTitle, user);
        form.addRow(passwordTitle, password);
    }

    QLineEdit *user;
    QLineEdit *password;
};

net::Endpoint withLogins(net::Endpoint there, const Login &server, const std::optional<Login> &proxy,
                         const std::optional<Login> &sentinels)
{
    there.user = server.user->text();
    // An empty password keeps the current one, if only the proxy or the sentinels may require a password.
    if (!(proxy || sentinels) || !server.password->text().isEmpty())
        there.password = server.password->text();
    if (proxy) {
        there.proxy->user = proxy->user->text();
        there.proxy->password = proxy->password->text();
    }
    if (sentinels) {
        there.sentinels->user = sentinels->user->text();
        there.sentinels->password = sentinels->password->text();
    }
    return there;
}

} // namespace

ServerQuestions::ServerQuestions(Workspace &workspace, theme::Appearance &appearance, QWidget *window)
    : QObject(window)
    , m_workspace(workspace)
    , m_appearance(appearance)
    , m_window(window)
{}

/// Opens a single dialog for the passwords of server, sentinels and proxy. A text names the side that requires a
/// password, and its field has the focus.
void ServerQuestions::askForPassword()
{
    InspectedServer *server = m_workspace.inspected();
    if (server == nullptr)
        return;
    const net::Endpoint endpoint = server->endpoint();
    auto *dialog = new QDialog(m_window);
    dialog->setObjectName(QStringLiteral("passwordDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Password for %1").arg(endpoint.display()));
    auto *connectButton = new QPushButton(tr("Connect"), dialog);
    connectButton->setProperty("kind", QStringLiteral("primary"));
    connectButton->setDefault(true);
    connect(connectButton, &QPushButton::clicked, dialog, &QDialog::accept);
    auto *form = new QFormLayout;
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    std::optional<Login> ofProxy;
    if (endpoint.proxy) {
        ofProxy.emplace(*form, "proxyPassword", tr("Proxy user"), tr("Proxy password"), dialog);
        ofProxy->user->setText(endpoint.proxy->user);
        ofProxy->password->setText(endpoint.proxy->password);
    }
    std::optional<Login> ofSentinels;
    if (endpoint.sentinels) {
        ofSentinels.emplace(*form, "sentinelPassword", tr("User at the sentinels"), tr("Password at the sentinels"),
                            dialog);
        ofSentinels->user->setText(endpoint.sentinels->user);
        ofSentinels->password->setText(endpoint.sentinels->password);
    }
    const Login ofServer(*form, "password", tr("User"), tr("Password"), dialog);
    ofServer.user->setText(endpoint.user);
    ofServer.user->setPlaceholderText(tr("the default user"));
    QLabel *hint = widgets::makePlainLabel(
        QStringLiteral("secondary"), tr("The password is kept in memory only, while the window is connected."), dialog);
    auto *layout = new QVBoxLayout(dialog);
    layout->setContentsMargins(24, 20, 24, 16);
    layout->setSpacing(12);
    const auto &error = server->session().lastError();
    if (error && (endpoint.proxy || endpoint.sentinels)) {
        QLabel *who =
            widgets::makePlainLabel(QStringLiteral("passwordReason"), widgets::sentence(error->message()), dialog);
        who->setWordWrap(true);
        layout->addWidget(who);
    }
    layout->addLayout(form);
    layout->addWidget(hint);
    layout->addWidget(connectButton, 0, Qt::AlignRight);
    connect(dialog, &QDialog::accepted, this, [this, ofServer, ofProxy, ofSentinels, endpoint] {
        m_workspace.open(withLogins(endpoint, ofServer, ofProxy, ofSentinels));
    });
    const bool isOfTheProxy = ofProxy && error && error->kind == base::ErrorKind::ProxyAuthentication;
    const bool isOfSentinels = ofSentinels && error && error->kind == base::ErrorKind::SentinelAuthentication;
    (isOfTheProxy ? ofProxy->password : isOfSentinels ? ofSentinels->password : ofServer.password)->setFocus();
    dialog->open();
}

void ServerQuestions::askToArm()
{
    InspectedServer *server = m_workspace.inspected();
    if (server == nullptr || server->isArmed())
        return;
    const latchkey::connections::SavedConnection *saved = m_workspace.servers().findEndpoint(server->endpoint());
    auto *question =
        new ArmDialog(m_appearance, server->endpoint(), saved == nullptr ? std::nullopt : std::optional(*saved),
                      m_workspace.settings().armedTime(), m_window);
    question->setAttribute(Qt::WA_DeleteOnClose);
    connect(question, &QDialog::accepted, server, [this, server, question] {
        m_workspace.settings().setArmedTime(question->time());
        server->setArmedTime(question->time());
        server->setArmed(true);
    });
    connect(question, &QDialog::rejected, this, &ServerQuestions::armingRefused);
    question->open();
}

void ServerQuestions::offerServers()
{
    std::optional<net::Endpoint> current;
    if (const InspectedServer *server = m_workspace.inspected(); server != nullptr && !server->isPrivate())
        current = server->endpoint();
    auto *switcher = new connections::ServerSwitcher(
        m_appearance, m_workspace.servers(),
        {m_workspace.clock(), m_workspace.random(), m_workspace.settings().recentServers(), current,
         [this](const net::Endpoint &endpoint) { return m_workspace.watched(endpoint); }},
        m_window);
    switcher->setAttribute(Qt::WA_DeleteOnClose);
    connect(switcher, &connections::ServerSwitcher::chosen, this, &ServerQuestions::serverChosen);
    connect(switcher, &connections::ServerSwitcher::groupChosen, this, &ServerQuestions::groupChosen);
    switcher->open();
}

} // namespace latchkey::ui::shell
