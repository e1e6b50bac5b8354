#include "core/inspect/voting/votingserver.h"

#include <algorithm>
#include <utility>

namespace latchkey::voting {

using base::Text;
using events::KeyRequest;
using net::Session;
using watching::Watcher;
using namespace std::chrono_literals;

VotingServer::VotingServer(inspection::InspectedServer &server, const base::Clock &clock, Reread reread,
                           LockNames lockNames)
    : m_server(server)
    , m_clock(clock)
    , m_reread(reread)
    , m_lockNames(std::move(lockNames))
{
    constexpr auto readInterval = 100ms;
    m_readTimer.setInterval(readInterval);
    m_readTimer.callOnTimeout(this, &VotingServer::requestOutdated);
    connect(&server.session(), &Session::stateChanged, this, [this](Session::State state) {
        if (state == Session::State::Ready)
            markOutdated();
    });
    connect(&server.watcher(), &Watcher::gapChanged, this, &VotingServer::noteGap);
    connect(&server.watcher(), &Watcher::phaseChanged, this, [this](Watcher::Phase phase) {
        if (phase == Watcher::Phase::Watching)
            Q_EMIT allChanged();
    });
    connect(&server, &inspection::InspectedServer::committed, this, &VotingServer::recheckOutdated);
    if (m_reread == Reread::Value)
        server.dispatcher().add(*this);
    noteGap();
}

VotingServer::~VotingServer()
{
    if (m_reread == Reread::Value)
        m_server.dispatcher().remove(*this);
}

std::optional<MissingVote> VotingServer::silence() const
{
    return m_gap ? std::optional(MissingVote {m_gap->why.message(), m_gap->from}) : std::nullopt;
}

MissingVote VotingServer::outdatedVote()
{
    return {Text(QT_TRANSLATE_NOOP("core", "the key was not read again yet")).toString()};
}

MissingVote VotingServer::missingVoteForAbsentKey() const
{
    if (m_server.watcher().phase() == Watcher::Phase::Watching)
        return {};
    return {Text(QT_TRANSLATE_NOOP("core", "not all keys were read yet")).toString()};
}

MissingVote VotingServer::missingVoteForUnreadKey() const
{
    const events::Coverage coverage = m_server.watcher().coverage();
    const auto &denied = coverage.denied();
    const auto found = std::ranges::find_if(denied, [](const events::Coverage::Denial &denial) {
        return denial.request == KeyRequest::Value || denial.request == KeyRequest::Type;
    });
    return found == denied.end() ? MissingVote {} : MissingVote {found->why.message()};
}

/// Counts no vote for the known locks until their keys were read again.
void VotingServer::markOutdated()
{
    m_observedSince = m_clock.now();
    const QList<QByteArray> names = m_lockNames();
    m_outdated = QSet<QByteArray>(names.begin(), names.end());
    m_valuesArrived.clear();
    m_valuesRead.clear();
    m_readTimer.start();
}

void VotingServer::noteGap()
{
    const events::Coverage coverage = m_server.watcher().coverage();
    const events::Coverage::Gap *gap = coverage.gap();
    const bool wasObserved = !m_gap;
    m_gap = gap != nullptr ? std::optional(*gap) : std::nullopt;
    if (wasObserved == (gap == nullptr))
        return;
    // The first reply after the gap may come before the notifications of changes in the gap.
    if (gap == nullptr)
        markOutdated();
    Q_EMIT allChanged();
}

/// Requests the keys again that were not read since a gap. A request is dropped while the server is not watched.
void VotingServer::requestOutdated()
{
    if (m_gap || m_outdated.isEmpty())
        return m_readTimer.stop();
    m_server.watcher().keysChanged(m_outdated.values());
    if (m_reread == Reread::Value && m_server.watcher().requests() == 0)
        m_server.watcher().requestValues((m_outdated - m_valuesRead).values());
}

void VotingServer::observed(const events::Observations &observations)
{
    if (m_outdated.isEmpty())
        return;
    for (const events::Observation &observation : observations) {
        if (std::holds_alternative<events::ValueReply>(observation.content) && observation.asked >= m_observedSince
            && m_outdated.contains(observation.key))
            m_valuesArrived.insert(observation.key);
    }
}

/// Counts the votes for locks that were read again.
void VotingServer::recheckOutdated()
{
    m_valuesRead += std::exchange(m_valuesArrived, {}); // They are in the store now.
    QList<QByteArray> known;
    for (const QByteArray &key : std::as_const(m_outdated)) {
        if (wasRead(key))
            known += key;
    }
    for (const QByteArray &key : std::as_const(known)) {
        m_outdated.remove(key);
        m_valuesRead.remove(key);
        Q_EMIT readAgain(key);
    }
}

/// Returns whether the key is known not to exist, or was read since the last gap.
bool VotingServer::wasRead(const QByteArray &key) const
{
    const keys::KnownKeys &known = m_server.store().known();
    const auto id = known.table.find(key);
    if (!id || !known.isLive(*id))
        return true;
    return known.table.sampled(*id) + keys::KeyTable::sampledResolution > m_observedSince
        && (m_reread == Reread::Expiry || m_valuesRead.contains(key));
}

bool VotingServer::isOutdated(const QByteArray &key) const
{
    return m_outdated.contains(key) && !wasRead(key);
}

} // namespace latchkey::voting
