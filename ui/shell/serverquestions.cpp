#include "ui/shell/serverquestions.h"

#include "ui/servers/serverswitcher.h"
#include "ui/shell/armdialog.h"
#include "ui/widgets/plaintext.h"

#include <QDialog>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace latchkey::ui::shell {

using inspection::InspectedServer;

ServerQuestions::ServerQuestions(Workspace &workspace, theme::Appearance &appearance, QWidget *window)
    : QObject(window)
    , m_workspace(workspace)
    , m_appearance(appearance)
    , m_window(window)
{}

void ServerQuestions::askForPassword()
{
    const InspectedServer *server = m_workspace.inspected();
    if (server == nullptr)
        return;
    auto *dialog = new QDialog(m_window);
    dialog->setObjectName(QStringLiteral("passwordDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Password for %1").arg(server->endpoint().display()));
    auto *user = new QLineEdit(server->endpoint().user, dialog);
    user->setObjectName(QStringLiteral("passwordUser"));
    user->setPlaceholderText(tr("the default user"));
    auto *password = new QLineEdit(dialog);
    password->setObjectName(QStringLiteral("password"));
    password->setEchoMode(QLineEdit::Password);
    auto *connectButton = new QPushButton(tr("Connect"), dialog);
    connectButton->setProperty("kind", QStringLiteral("primary"));
    connectButton->setDefault(true);
    connect(connectButton, &QPushButton::clicked, dialog, &QDialog::accept);
    auto *form = new QFormLayout;
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    form->addRow(tr("User"), user);
    form->addRow(tr("Password"), password);
    QLabel *hint = widgets::makePlainLabel(
        QStringLiteral("secondary"), tr("It is kept in memory only, for as long as the window is connected."), dialog);
    auto *layout = new QVBoxLayout(dialog);
    layout->setContentsMargins(24, 20, 24, 16);
    layout->setSpacing(12);
    layout->addLayout(form);
    layout->addWidget(hint);
    layout->addWidget(connectButton, 0, Qt::AlignRight);
    connect(dialog, &QDialog::accepted, this, [this, user, password, endpoint = server->endpoint()]() mutable {
        endpoint.user = user->text();
        endpoint.password = password->text();
        m_workspace.open(endpoint);
    });
    password->setFocus();
    dialog->open();
}

void ServerQuestions::askToArm()
{
    InspectedServer *server = m_workspace.inspected();
    if (server == nullptr || server->isArmed())
        return;
    const latchkey::servers::KeptServer *kept = m_workspace.servers().findEndpoint(server->endpoint());
    auto *question = new ArmDialog(m_appearance, server->endpoint(),
                                   kept == nullptr ? std::nullopt : std::optional(*kept), m_window);
    question->setAttribute(Qt::WA_DeleteOnClose);
    connect(question, &QDialog::accepted, server, [server] { server->setArmed(true); });
    connect(question, &QDialog::rejected, this, &ServerQuestions::armingRefused);
    question->open();
}

void ServerQuestions::offerServers()
{
    std::optional<resp::Endpoint> current;
    if (const InspectedServer *server = m_workspace.inspected(); server != nullptr && !server->isPrivate())
        current = server->endpoint();
    auto *switcher = new servers::ServerSwitcher(
        m_appearance, m_workspace.servers(),
        {m_workspace.clock(), m_workspace.random(), m_workspace.settings().recentServers(), current,
         [this](const resp::Endpoint &endpoint) { return m_workspace.watched(endpoint); }},
        m_window);
    switcher->setAttribute(Qt::WA_DeleteOnClose);
    connect(switcher, &servers::ServerSwitcher::chosen, this, &ServerQuestions::serverChosen);
    switcher->open();
}

} // namespace latchkey::ui::shell
