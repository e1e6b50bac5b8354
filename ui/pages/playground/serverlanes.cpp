#include "ui/pages/playground/serverlanes.h"

#include "core/playground/playground/sequencerecorder.h"

namespace latchkey::ui::playground {

using latchkey::playground::ServerPool;
using sequence::ServerEvent;

ServerLanes::ServerLanes(latchkey::playground::SequenceRecorder &recorder, ServerPool &serverPool, QObject *parent)
    : QObject(parent)
    , m_recorder(recorder)
    , m_serverPool(serverPool)
{
    connect(&m_serverPool, &ServerPool::sizeChanged, this, &ServerLanes::refresh);
    connect(&m_serverPool, &ServerPool::changed, this, &ServerLanes::recordState);
    refresh();
}

QStringList ServerLanes::names() const
{
    const int size = m_serverPool.size();
    QStringList names;
    for (int server = 1; server <= size; ++server)
        names += size == 1 ? tr("server") : tr("server %1").arg(server);
    return names;
}

void ServerLanes::restart()
{
    m_recorder.restart(names());
    m_states.clear();
    refresh();
}

void ServerLanes::refresh()
{
    const int size = m_serverPool.size();
    m_recorder.nameServers(names());
    for (int server = 0; server < m_states.size(); ++server)
        recordState(server);
    while (m_states.size() < size)
        m_states += ServerPool::State::Up;
    for (int server = 0; server < size; ++server)
        recordState(server);
}

void ServerLanes::recordState(int server)
{
    if (server >= m_states.size())
        return;
    const ServerPool::State before = m_states[server];
    const ServerPool::State now = server < m_serverPool.size() ? m_serverPool.state(server) : ServerPool::State::Gone;
    if (before == now || now == ServerPool::State::Starting)
        return;
    m_states[server] = now;
    if (now == ServerPool::State::Gone)
        m_recorder.addServerEvent(server, ServerEvent::Killed);
    else if (before == ServerPool::State::Gone)
        m_recorder.addServerEvent(server, ServerEvent::StartedEmpty);
    else if (before == ServerPool::State::Suspended)
        m_recorder.addServerEvent(server, ServerEvent::Continued);
    if (now == ServerPool::State::Suspended)
        m_recorder.addServerEvent(server, ServerEvent::Suspended);
}

} // namespace latchkey::ui::playground
