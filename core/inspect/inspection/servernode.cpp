#include "core/inspect/inspection/servernode.h"

namespace latchkey::inspection {

using net::Session;
using watching::EventSource;
using watching::ServerEvents;
using watching::ServerWatcher;
using namespace std::chrono_literals;

namespace {

constexpr auto requestTimeout = 10s;

} // namespace

ServerNode::ServerNode(const net::Endpoint &endpoint, const keys::KnownKeys &known,
                       events::ObservationDispatcher &dispatcher, const base::Clock &clock, base::RandomSource &random,
                       QObject *parent)
    : Node(parent)
    , m_session(endpoint, clock, random)
    , m_noTouch(m_session)
    , m_cluster(m_session)
    , m_watcher(m_session, known, dispatcher, clock)
    , m_events(m_session, dispatcher, clock, random)
{
    m_session.setCommandFilter([this](const resp::Command &command) { return m_allowlist.refusal(command); });
    connect(&m_session, &Session::stateChanged, this, &ServerNode::requestWritingCommands);
    m_events.setIsReplica([this] { return m_watcher.isReplica(); });
    connect(&m_events, &ServerEvents::keysChanged, &m_watcher, &ServerWatcher::keysChanged);
    connect(&m_watcher, &watching::Watcher::ticked, &m_events, &ServerEvents::recordLoopTurn);
    // The flush may concern another database, so the watcher requests the size of the watched one.
    connect(&m_events, &ServerEvents::flushed, &m_watcher, &ServerWatcher::rescan);
    connect(&m_events, &EventSource::mechanismChanged, this, &ServerNode::mechanismChanged);
    connect(&m_events, &EventSource::denialChanged, this, [this] { m_watcher.setChangesDenied(m_events.denial()); });
}

ServerNode::~ServerNode() = default;

void ServerNode::mechanismChanged()
{
    m_watcher.setHasChangeEvents(m_events.mechanism() != EventSource::Mechanism::None, m_events.reportedUntil());
    m_watcher.rescan(); // Changes in the meantime were not reported.
    Q_EMIT eventsChanged();
}

/// Requests the commands that write. After a reconnect, the server may be another one with other commands.
void ServerNode::requestWritingCommands()
{
    if (m_session.state() != Session::State::Ready)
        return;
    m_allowlist = CommandAllowlist();
    m_session.connection()->send({CommandAllowlist::writeCommandsRequest(m_session.server().version)}, requestTimeout,
                                 this, [this](const base::Result<net::Connection::Delivery> &outcome) {
                                     if (outcome)
                                         m_allowlist.removeWriting(outcome->replies.front());
                                 });
}

quint64 ServerNode::commandsSent() const
{
    return m_session.commandsSent() + m_events.pushCommandsSent();
}

} // namespace latchkey::inspection
