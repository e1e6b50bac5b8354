#include "ui/pages/playground/serverstrip.h"

#include "ui/kit/widgets/elidedlabel.h"
#include "ui/kit/widgets/languagechangenotifier.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/kit/widgets/restyle.h"
#include "ui/kit/widgets/sentence.h"
#include "ui/pages/playground/majority.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace latchkey::ui::playground {

using latchkey::playground::ServerPool;
using ServerState = ServerPool::State;

namespace {

QPushButton *makeButton(const char *name, QWidget *parent)
{
    auto *button = new QPushButton(parent);
    button->setObjectName(QLatin1String(name));
    button->setProperty("kind", QStringLiteral("quiet"));
    return button;
}

void label(QPushButton &button, const QString &name, const QString &explanation)
{
    button.setAccessibleName(name);
    button.setToolTip(explanation);
}

} // namespace

ServerChip::ServerChip(int server, ServerPool &serverPool, theme::Appearance &appearance, QWidget *parent)
    : QFrame(parent)
    , m_server(server)
    , m_serverPool(serverPool)
    , m_appearance(appearance)
    , m_name(widgets::makePlainLabel(QStringLiteral("serverName"), QString(), this))
    , m_seen(new widgets::ElidedLabel(this))
    , m_kill(makeButton("killServer", this))
    , m_freeze(makeButton("freezeServer", this))
{
    setObjectName(QStringLiteral("serverChip"));
    m_seen->setObjectName(QStringLiteral("serverSeen"));
    auto *title = new QHBoxLayout;
    title->setSpacing(2);
    title->addWidget(m_name, 1);
    title->addWidget(m_freeze);
    title->addWidget(m_kill);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 2, 4, 5);
    layout->setSpacing(0);
    layout->addLayout(title);
    layout->addWidget(m_seen);
    connect(m_kill, &QPushButton::clicked, this, &ServerChip::killOrStart);
    connect(m_freeze, &QPushButton::clicked, this, &ServerChip::suspendOrResume);
    connect(&m_appearance, &theme::Appearance::changed, this, &ServerChip::applyAppearance);
    showState();
}

void ServerChip::killOrStart()
{
    if (m_serverPool.state(m_server) == ServerState::Gone)
        m_serverPool.restart(m_server);
    else
        m_serverPool.crash(m_server);
}

void ServerChip::suspendOrResume()
{
    if (m_serverPool.state(m_server) == ServerState::Suspended)
        m_serverPool.resume(m_server);
    else
        m_serverPool.suspend(m_server);
}

void ServerChip::showState()
{
    const ServerState state = m_serverPool.state(m_server);
    const int number = m_server + 1;
    setAccessibleName(tr("Server %1").arg(number));
    m_name->setText(accessibleName());
    if (state == ServerState::Gone)
        label(*m_kill, tr("Restart server %1").arg(number),
              tr("Restarts the server at the same address, without data"));
    else
        label(*m_kill, tr("Kill server %1").arg(number), tr("SIGKILL: the server ends at once and loses its data"));
    if (state == ServerState::Suspended)
        label(*m_freeze, tr("Resume server %1").arg(number), tr("SIGCONT: the server resumes with its data"));
    else
        label(*m_freeze, tr("Freeze server %1").arg(number),
              tr("SIGSTOP: the server does not respond and keeps its data"));
    m_kill->setEnabled(state != ServerState::Starting);
    m_freeze->setEnabled(state == ServerState::Up || state == ServerState::Suspended);
    widgets::restyle(*this, "tone",
                     state == ServerState::Gone        ? QStringLiteral("critical")
                     : state == ServerState::Suspended ? QStringLiteral("warning")
                                                       : QString());
    applyAppearance();
}

void ServerChip::showKeyState(const QString &text, const QString &toolTip)
{
    m_seen->setToolTip(toolTip);
    if (m_seen->text() == text)
        return;
    m_seen->setText(text);
    setAccessibleDescription(text);
}

void ServerChip::applyAppearance()
{
    const ServerState state = m_serverPool.state(m_server);
    m_kill->setIcon(state == ServerState::Gone
                        ? m_appearance.icon(QStringLiteral("refresh"))
                        : m_appearance.icon(QStringLiteral("crash"), m_appearance.theme().critical));
    m_freeze->setIcon(
        m_appearance.icon(state == ServerState::Suspended ? QStringLiteral("play") : QStringLiteral("pause")));
}

ServerStrip::ServerStrip(ServerPool &serverPool, const latchkey::playground::ClientPool &clientPool,
                         theme::Appearance &appearance, QWidget *parent)
    : QWidget(parent)
    , m_serverPool(serverPool)
    , m_clientPool(clientPool)
    , m_appearance(appearance)
    , m_title(new widgets::ElidedLabel(this))
    , m_chipLayout(new QHBoxLayout)
{
    setObjectName(QStringLiteral("serverStrip"));
    setAccessibleName(tr("Servers"));
    m_title->setObjectName(QStringLiteral("caption"));
    m_chipLayout->setSpacing(8);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addWidget(m_title);
    layout->addLayout(m_chipLayout);
    connect(&m_serverPool, &ServerPool::sizeChanged, this, &ServerStrip::refresh);
    connect(&m_serverPool, &ServerPool::changed, this, &ServerStrip::refresh);
    connect(new widgets::LanguageChangeNotifier(this), &widgets::LanguageChangeNotifier::changed, this,
            &ServerStrip::refresh);
    refresh();
}

void ServerStrip::refresh()
{
    while (m_chips.size() > m_serverPool.size())
        delete m_chips.takeLast();
    while (m_chips.size() < m_serverPool.size()) {
        m_chips += new ServerChip(static_cast<int>(m_chips.size()), m_serverPool, m_appearance, this);
        m_chipLayout->addWidget(m_chips.back(), 1);
    }
    for (ServerChip *chip : std::as_const(m_chips))
        chip->showState();
}

void ServerStrip::showKeyState(const base::Key &key, base::MonotonicTime now)
{
    const QString name = base::printable(key.bytes(), 60);
    m_title->setText(tr("Value of %1 on each server").arg(name));
    for (int server = 0; server < m_chips.size(); ++server) {
        const auto refusal = m_serverPool.refusal(server);
        m_chips[server]->showKeyState(keyStateText(m_serverPool, server, key, m_clientPool, now),
                                      refusal ? widgets::toolTipText(widgets::sentence(refusal->message()))
                                              : QString());
    }
}

} // namespace latchkey::ui::playground
