#include "ui/pages/playground/servercontents.h"

#include "core/inspect/inspection/readstate.h"
#include "core/playground/playground/sequencerecorder.h"
#include "ui/pages/playground/clientcard.h"
#include "ui/pages/playground/majority.h"

namespace latchkey::ui::playground {

using latchkey::playground::ClientPool;
using latchkey::playground::SequenceRecorder;
using latchkey::playground::ServerPool;

namespace {

/// Returns the present interval in which the server does not answer, or refuses to read keys. Absent if keys are read.
std::optional<events::Coverage::Gap> unreadInterval(inspection::InspectedServer &server)
{
    if (const auto unseen = inspection::unreadInterval(server.watcher()))
        return unseen;
    const events::Coverage coverage = server.watcher().coverage().narrowedTo({events::KeyRequest::Expiry});
    const auto *gap = coverage.gap();
    return gap != nullptr && gap->request ? std::optional(*gap) : std::nullopt;
}

/// Removes the value and the holder if the server refuses at present to read values: the lock may belong to another
/// client meanwhile. If the values of some keys are read, only a value that was never read counts as refused.
void noteUnreadValue(inspection::InspectedServer &server, KeyServerState &serverState)
{
    using events::KeyRequest;
    const events::Coverage coverage = server.watcher().coverage().narrowedTo({KeyRequest::Type, KeyRequest::Value});
    const auto *gap = coverage.gap();
    if (!serverState.exists || gap == nullptr || !gap->request || (gap->isOfSomeKeys && !serverState.value.isEmpty()))
        return;
    serverState.valueRefusal = gap->why;
    serverState.value.clear();
    serverState.holder.clear();
}

void noteUnread(inspection::InspectedServer &server, KeyServerState &serverState)
{
    noteUnreadValue(server, serverState);
    const auto interval = unreadInterval(server);
    serverState.isUnobserved = interval.has_value();
    if (interval && interval->why.kind != base::ErrorKind::TimedOut
        && interval->why.kind != base::ErrorKind::ConnectionLost)
        serverState.refusal = interval->why;
}

} // namespace

ServerContents::ServerContents(const ServerPool &serverPool, const ClientPool &clientPool)
    : m_serverPool(serverPool)
    , m_clientPool(clientPool)
{}

bool ServerContents::isPolled() const
{
    const ServerPool::State first = m_serverPool.state(0);
    return m_serverPool.size() > 1 || first == ServerPool::State::Suspended || first == ServerPool::State::Gone;
}

KeyServerState ServerContents::stateFor(const ClientCard &card) const
{
    if (isPolled() && card.recipe().hasManyServers)
        return majorityStateOf(m_serverPool, card.key(), card.client().hold(), m_clientPool);
    KeyServerState serverState = serverStateOf(m_server->store(), card.key(), m_clientPool);
    noteUnread(*m_server, serverState);
    return serverState;
}

void ServerContents::recordInto(SequenceRecorder &recorder) const
{
    if (!m_server)
        return;
    if (isPolled())
        return recordPolled(recorder);
    for (const base::Key &key : recorder.keys()) {
        const KeyServerState serverState = serverStateOf(m_server->store(), key, m_clientPool);
        recorder.recordKey(0, key, serverState.exists, serverState.holder, serverState.deadline.at());
    }
}

void ServerContents::recordPolled(SequenceRecorder &recorder) const
{
    for (const base::Key &key : recorder.keys()) {
        for (int server = 0; server < m_serverPool.size(); ++server) {
            const auto seen = m_serverPool.contentOf(server, key);
            if (!seen)
                continue; // The diagram keeps the last state of a server that does not reply.
            const auto owner = m_clientPool.holderOf(key, base::OwnerToken(seen->value));
            recorder.recordKey(server, key, seen->exists, owner && !seen->value.isEmpty() ? owner->name : QString(),
                               seen->deadline.at());
        }
    }
}

BelievedHolders ServerContents::believedHolders(const sequence::Sequence &sequence, base::MonotonicTime now) const
{
    BelievedHolders holders;
    for (const sequence::Belief &belief : sequence.beliefs()) {
        if (!belief.until)
            holders[belief.key].push_back({belief.who, mistakeOf(belief, now)});
    }
    return holders;
}

/// Returns whether a belief is wrong: the lease is over, or the only server does not have the key. The latter counts
/// only if the last read is newer than the belief.
BelievedHolder::Mistake ServerContents::mistakeOf(const sequence::Belief &belief, base::MonotonicTime now) const
{
    if (belief.end() <= now)
        return BelievedHolder::Mistake::LeaseOver;
    if (!m_server || isPolled() || now - belief.from < maxReadAge || unreadInterval(*m_server))
        return BelievedHolder::Mistake::None;
    return m_server->store().known().table.find(belief.key.bytes()) ? BelievedHolder::Mistake::None
                                                                    : BelievedHolder::Mistake::KeyGone;
}

} // namespace latchkey::ui::playground
