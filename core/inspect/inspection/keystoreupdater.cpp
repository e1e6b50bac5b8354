#include "core/inspect/inspection/keystoreupdater.h"

#include <algorithm>

namespace latchkey::inspection {

using events::AccessDenied;
using events::Exists;
using events::FieldExpiries;
using events::Gone;
using events::IdleTime;
using events::Observation;
using events::Observations;
using events::Source;
using events::TypeReply;
using events::ValueReply;

namespace {

/// Distance, in observations, at which the store prefetches a key.
constexpr std::size_t prefetchDistance = 8;
/// Number of staged changes that causes an early commit.
constexpr std::size_t manyChanges = 5000;
/// Largest number of keys for which each gets its own end when all keys disappear at once.
constexpr qsizetype fewKeys = 100;
/// Maximum delay of the database size after a flush event. A later answer does not belong to that event.
constexpr auto maxFlushConfirmation = std::chrono::seconds(2);
/// Longest duration of a read. Older ends are removed.
constexpr auto maxReadTime = std::chrono::seconds(30);
constexpr qsizetype fewEnds = 1000;

/// Returns how this observation shows the end of the key.
keys::EndSource endSourceOf(const Observation &gone)
{
    if (gone.isInferred)
        return keys::EndSource::Inferred;
    switch (gone.source) {
    case Source::Notification:
    case Source::NotifiedRead:
        return keys::EndSource::Reported;
    case Source::OwnCommand:
        return keys::EndSource::OwnCommand;
    case Source::Scan:
    case Source::Poll:
    case Source::Read:
        return keys::EndSource::Queried;
    }
    Q_UNREACHABLE();
}

} // namespace

KeyStoreUpdater::KeyStoreUpdater(keys::KeyStore &store, std::function<void()> requestCommit)
    : m_store(store)
    , m_requestCommit(std::move(requestCommit))
    , m_tidyAt(fewEnds)
{}

void KeyStoreUpdater::observed(const Observations &observations)
{
    bool isUrgent = false;
    if (m_flushReceived && !observations.empty()
        && observations.front().answered - *m_flushReceived > maxFlushConfirmation)
        m_flushReceived.reset(); // The flush concerned another database.
    for (std::size_t i = 0; i < observations.size(); ++i) {
        if (i + prefetchDistance < observations.size())
            m_store.expect(observations[i + prefetchDistance].key);
        apply(observations[i]);
        // A key that was polled at its deadline is shown as ended at once, not with the next tick.
        isUrgent = isUrgent || observations[i].source == Source::NotifiedRead
                || (observations[i].source == Source::Poll && std::holds_alternative<Gone>(observations[i].content));
    }
    if (m_requestCommit && (isUrgent || m_store.stagedCount() > manyChanges))
        m_requestCommit();
}

void KeyStoreUpdater::rememberEnd(const Observation &gone)
{
    m_lastEnd = std::max(m_lastEnd, gone.answered);
    m_ends[gone.key] = gone.answered;
    if (m_ends.size() < m_tidyAt)
        return;
    m_ends.removeIf([this](const auto &end) { return m_lastEnd - end.value() > maxReadTime; });
    m_tidyAt = std::max(fewEnds, 2 * m_ends.size());
}

bool KeyStoreUpdater::isOutdated(const Observation &exists) const
{
    if (exists.asked >= m_lastEnd)
        return false;
    const auto end = m_ends.constFind(exists.key);
    return end != m_ends.cend() && exists.asked < *end;
}

void KeyStoreUpdater::apply(const Observation &observation)
{
    // The watcher may have already read the end. The key would seem to return, and would be counted as ended twice.
    if (events::isFromConditionalChange(observation) && !m_store.exists(observation.key))
        return;
    if (const auto *exists = std::get_if<Exists>(&observation.content)) {
        if (!isOutdated(observation))
            (void)m_store.observe(observation.key, exists->deadline, observation.answered, exists->isNew);
    } else if (std::holds_alternative<Gone>(observation.content)) {
        if (observation.source == Source::OwnCommand || observation.source == Source::Notification)
            rememberEnd(observation);
        m_store.observeAbsent(observation.key, observation.answered, endSourceOf(observation));
    } else if (std::holds_alternative<AccessDenied>(observation.content))
        m_store.observeHidden(observation.key, observation.answered);
    else if (const auto *typed = std::get_if<TypeReply>(&observation.content))
        m_store.observeType(observation.key, typed->type);
    else if (const auto *valued = std::get_if<ValueReply>(&observation.content))
        m_store.observeValue(observation.key, valued->value);
    else if (const auto *fields = std::get_if<FieldExpiries>(&observation.content))
        m_store.observeFieldEnds(observation.key, fields->ends);
    else if (const auto *idle = std::get_if<IdleTime>(&observation.content))
        m_store.observeExistedAt(observation.key, observation.answered - idle->existedFor());
}

void KeyStoreUpdater::noteFlush(base::MonotonicTime from, base::MonotonicTime to)
{
    m_store.noteFlush(from, to);
    if (m_flushed)
        m_flushed(from, to);
}

void KeyStoreUpdater::emptied(events::NodeIndex, base::MonotonicTime asked, base::MonotonicTime answered)
{
    const auto received = std::exchange(m_flushReceived, std::nullopt);
    if (received)
        noteFlush(*received, answered);
    else
        m_foundEmpty = {asked, answered};
    const auto source = received ? keys::EndSource::Flushed : keys::EndSource::Queried;
    const qint64 live = m_store.liveCount();
    // Releasing the last lock also empties a database, so with few keys each key gets its own end.
    const keys::KnownKeys &known = m_store.known();
    if (known.table.size() <= fewKeys) {
        for (quint32 id = 0; id < known.table.idLimit(); ++id) {
            if (known.isLive(keys::KeyId {id}))
                m_store.observeAbsent(known.table.key(keys::KeyId {id}), answered, source);
        }
        m_store.clearUnreadable();
    } else {
        m_store.clear(answered, source);
    }
    if (m_emptied && live > 0 && (received || live > fewKeys))
        m_emptied(live);
    if (m_requestCommit)
        m_requestCommit();
}

void KeyStoreUpdater::flushAnnounced(events::NodeIndex, base::MonotonicTime received, events::FlushKind)
{
    // The database may have been found empty over another connection before the report arrived.
    if (const auto empty = std::exchange(m_foundEmpty, std::nullopt);
        empty && received - empty->second <= maxFlushConfirmation)
        noteFlush(empty->first, received);
    m_flushReceived = received;
}

} // namespace latchkey::inspection
