// The handling of several servers on the Playground page. The rest is in playgroundpage.cpp.

#include "ui/pages/playground/majority.h"
#include "ui/pages/playground/playgroundpage.h"
#include "ui/pages/playground/serverstrip.h"

#include <QMenu>
#include <QPushButton>

#include <algorithm>

namespace latchkey::ui::playground {

using latchkey::playground::ServerPool;
using sequence::ServerEvent;

void PlaygroundPage::setUpServers()
{
    m_serverCount->setObjectName(QStringLiteral("serverCount"));
    m_serverCount->setProperty("kind", QStringLiteral("menu"));
    m_serverCount->setToolTip(tr("Number of private servers. redlock uses all of them, every other recipe the first. A "
                                 "change restarts all clients."));
    auto *menu = new QMenu(m_serverCount);
    for (int size = 1; size <= ServerPool::most; ++size) {
        QAction *action = menu->addAction(QString());
        action->setCheckable(true);
        connect(action, &QAction::triggered, this, [this, size] { m_serverPool.setSize(size); });
    }
    addActsOnOne(*menu);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        const auto actions = menu->actions();
        for (int i = 0; i < ServerPool::most; ++i)
            actions[i]->setChecked(i + 1 == m_serverPool.wanted());
    });
    m_serverCount->setMenu(menu);
    connect(&m_serverPool, &ServerPool::sizeChanged, this, &PlaygroundPage::showServers);
    connect(&m_serverPool, &ServerPool::changed, this, &PlaygroundPage::serverChanged);
    connect(&m_serverPool, &ServerPool::keysRead, this, &PlaygroundPage::readServers);
    showServers();
}

/// Adds the actions on a single server to the menu, because a single running server has no chip.
void PlaygroundPage::addActsOnOne(QMenu &menu)
{
    QAction *line = menu.addSeparator();
    QAction *suspend = menu.addAction(tr("Freeze the server (SIGSTOP)"), this, [this] { m_serverPool.suspend(0); });
    QAction *kill = menu.addAction(tr("Kill the server (SIGKILL)"), this, [this] { m_serverPool.crash(0); });
    suspend->setObjectName(QStringLiteral("freezeOnlyServer"));
    kill->setObjectName(QStringLiteral("killOnlyServer"));
    connect(&menu, &QMenu::aboutToShow, this, [this, line, suspend, kill] {
        for (QAction *each : {line, suspend, kill})
            each->setVisible(m_serverPool.size() == 1 && m_serverPool.state(0) == ServerPool::State::Up);
    });
}

QStringList PlaygroundPage::serverNames() const
{
    const int size = m_serverPool.size();
    QStringList names;
    for (int server = 1; server <= size; ++server)
        names += size == 1 ? tr("server") : tr("server %1").arg(server);
    return names;
}

void PlaygroundPage::showServers()
{
    const int size = m_serverPool.size();
    m_serverCount->setText(tr("Servers: %1").arg(size));
    const auto actions = m_serverCount->menu()->actions();
    for (int i = 0; i < ServerPool::most; ++i)
        actions[i]->setText(i == 0 ? tr("1 private server") : tr("%n private servers", nullptr, i + 1));
    m_recorder.nameServers(serverNames());
    // The lane of a removed server stays.
    for (int server = 0; server < m_serverStates.size(); ++server)
        serverChanged(server);
    while (m_serverStates.size() < size)
        m_serverStates += ServerPool::State::Up;
    for (int server = 0; server < size; ++server)
        serverChanged(server);
    fitServers();
}

void PlaygroundPage::serverChanged(int server)
{
    fitServers();
    if (server >= m_serverStates.size())
        return;
    const ServerPool::State before = m_serverStates[server];
    const ServerPool::State now = server < m_serverPool.size() ? m_serverPool.state(server) : ServerPool::State::Gone;
    if (before == now || now == ServerPool::State::Starting)
        return;
    m_serverStates[server] = now;
    if (now == ServerPool::State::Gone)
        m_recorder.addServerEvent(server, ServerEvent::Killed);
    else if (before == ServerPool::State::Gone)
        m_recorder.addServerEvent(server, ServerEvent::StartedEmpty);
    else if (before == ServerPool::State::Suspended)
        m_recorder.addServerEvent(server, ServerEvent::Continued);
    if (now == ServerPool::State::Suspended)
        m_recorder.addServerEvent(server, ServerEvent::Suspended);
}

void PlaygroundPage::fitServers()
{
    m_servers->setVisible(m_servers->isWanted());
}

bool PlaygroundPage::areServersPolled() const
{
    return m_servers->isWanted();
}

void PlaygroundPage::requestServerContents()
{
    std::vector<base::Key> keys = m_recorder.keys();
    for (const ClientCard *card : m_cards) {
        if (std::ranges::find(keys, card->key()) == keys.end())
            keys.push_back(card->key());
    }
    m_serverPool.readKeys(keys);
    if (!keys.empty())
        m_servers->showSeen(m_recorder.keys().empty() ? keys.front() : m_recorder.keys().back(), m_clock.now());
}

void PlaygroundPage::recordServerContents()
{
    for (const base::Key &key : m_recorder.keys()) {
        for (int server = 0; server < m_serverPool.size(); ++server) {
            const auto seen = m_serverPool.seen(server, key);
            if (!seen)
                continue; // The diagram keeps the last state of a server that does not reply.
            const auto owner = m_clientPool.holderOf(key, base::OwnerToken(seen->value));
            m_recorder.see(server, key, seen->exists, owner && !seen->value.isEmpty() ? owner->name : QString(),
                           seen->deadline.at());
        }
    }
}

KeyServerState PlaygroundPage::truthFor(const ClientCard &card) const
{
    if (areServersPolled() && card.recipe().hasManyServers)
        return truthOfMajority(m_serverPool, card.key(), card.client().hold(), m_clientPool);
    KeyServerState truth = truthOf(m_server->store(), card.key(), m_clientPool);
    truth.isUnobserved = inspection::unseenInterval(m_server->watcher()).has_value();
    return truth;
}

} // namespace latchkey::ui::playground
