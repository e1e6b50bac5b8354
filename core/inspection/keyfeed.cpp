#include "core/inspection/keyfeed.h"

namespace latchkey::inspection {

using keyspace::Exists;
using keyspace::FieldsEnd;
using keyspace::Gone;
using keyspace::Hidden;
using keyspace::Observation;
using keyspace::Observations;
using keyspace::Source;
using keyspace::Typed;
using keyspace::Valued;

namespace {

/// This many observations ahead, the store is told which key comes next.
constexpr std::size_t lookAhead = 8;
/// So many changes at once are not left to pile up.
constexpr std::size_t manyChanges = 5000;
/// Of so many, each is told how it went when they go all at once.
constexpr qsizetype fewKeys = 100;
/// After a flush was heard of, the size of the database is asked at once.
constexpr auto flushIsSeenWithin = std::chrono::seconds(2);

} // namespace

KeyFeed::KeyFeed(keys::KeyStore &store, std::function<void()> eager)
    : m_store(store)
    , m_eager(std::move(eager))
{}

void KeyFeed::observed(const Observations &observations)
{
    bool isUrgent = false;
    if (m_flushHeard && !observations.empty() && observations.front().answered - *m_flushHeard > flushIsSeenWithin)
        m_flushHeard.reset(); // It was another database's.
    for (std::size_t i = 0; i < observations.size(); ++i) {
        if (i + lookAhead < observations.size())
            m_store.expect(observations[i + lookAhead].key);
        tell(observations[i]);
        // A key that was asked about at its end is shown as ended when it has, not a tick later.
        isUrgent = isUrgent || observations[i].source == Source::Event
                || (observations[i].source == Source::Poll && std::holds_alternative<Gone>(observations[i].what));
    }
    if (m_eager && (isUrgent || m_store.stagedCount() > manyChanges))
        m_eager();
}

void KeyFeed::tell(const Observation &observation)
{
    if (const auto *exists = std::get_if<Exists>(&observation.what))
        (void)m_store.observe(observation.key, exists->deadline, observation.answered, exists->isNew);
    else if (std::holds_alternative<Gone>(observation.what))
        m_store.observeGone(observation.key, observation.answered, observation.isInferred);
    else if (std::holds_alternative<Hidden>(observation.what))
        m_store.observeHidden(observation.key);
    else if (const auto *typed = std::get_if<Typed>(&observation.what))
        m_store.observeType(observation.key, typed->type);
    else if (const auto *valued = std::get_if<Valued>(&observation.what))
        m_store.observeValue(observation.key, valued->value);
    else if (const auto *fields = std::get_if<FieldsEnd>(&observation.what))
        m_store.observeFieldEnds(observation.key, fields->ends);
}

void KeyFeed::emptied(keyspace::NodeIndex, base::MonotonicTime, base::MonotonicTime answered)
{
    const auto heard = std::exchange(m_flushHeard, std::nullopt);
    if (heard && m_flushed)
        m_flushed(*heard, answered);
    const qint64 live = m_store.liveCount();
    // The last lock's release empties a database too: of few keys it is told how each of them went.
    const keys::KnownKeys &known = m_store.known();
    if (known.table.size() <= fewKeys) {
        for (quint32 id = 0; id < known.table.idLimit(); ++id) {
            if (known.isLive(keys::KeyId {id}))
                m_store.observeGone(known.table.key(keys::KeyId {id}), answered);
        }
    } else {
        m_store.clear(answered);
    }
    if (m_emptied && live > 0 && (heard || live > fewKeys))
        m_emptied(live);
    if (m_eager)
        m_eager();
}

void KeyFeed::flushAnnounced(keyspace::NodeIndex, base::MonotonicTime heard)
{
    m_flushHeard = heard;
}

} // namespace latchkey::inspection
