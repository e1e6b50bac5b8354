#include "core/inspect/detection/holdrecorder.h"

namespace latchkey::detection {

using base::MonotonicTime;
using events::KeyEvent;
using watching::Watcher;
using What = KeyEvent::What;

HoldRecorder::HoldRecorder(LockFinder &locks, keys::KeyStore &store, events::Ledger &ledger, Watcher &watcher,
                           const base::Clock &clock, QObject *parent)
    : QObject(parent)
    , m_locks(locks)
    , m_store(store)
    , m_ledger(ledger)
    , m_watcher(watcher)
    , m_clock(clock)
    , m_history([this](const QByteArray &key, const keys::RawValue &value) { return holderOf(key, value); })
{
    connect(&m_locks, &LockFinder::candidateMet, this, &HoldRecorder::met);
    connect(&m_locks, &LockFinder::recognised, this, &HoldRecorder::recognised);
    connect(&m_ledger, &events::Ledger::happened, this, &HoldRecorder::happened);
    connect(&m_watcher, &Watcher::sightChanged, this, &HoldRecorder::noteSight);
}

HoldRecorder::~HoldRecorder() = default;

std::optional<QByteArray> HoldRecorder::holderOf(const QByteArray &key, const keys::RawValue &value) const
{
    const recognition::Recognition found = m_locks.recogniseHolding(key, value);
    if (found.decoded.holders.empty())
        return std::nullopt;
    return found.decoded.holders.front().bytes;
}

bool HoldRecorder::follow(const QByteArray &key, std::optional<MonotonicTime> absentAt)
{
    if (m_followed.contains(key))
        return true;
    while (m_followed.size() >= mostFollowed && !m_ended.isEmpty()) {
        const QByteArray oldest = m_ended.take();
        if (!m_store.known().table.find(oldest))
            unfollow(oldest);
    }
    if (m_followed.size() >= mostFollowed) {
        m_isIncomplete = true;
        return false;
    }
    m_followed.insert(key, {});
    m_ledger.follow(key, 0, absentAt);
    return true;
}

void HoldRecorder::unfollow(const QByteArray &key)
{
    if (m_followed.remove(key) > 0)
        m_ledger.unfollow(key);
}

void HoldRecorder::met(const QByteArray &key)
{
    const keys::KeyTable &table = m_store.known().table;
    const auto id = table.find(key);
    if (m_followed.contains(key))
        return;
    // A ledger that already follows the key has this observation: adding another one would be out of order.
    const bool isLookedAt = m_ledger.isFollowed(key);
    if (!follow(key, absentBefore(key)) || !id || isLookedAt)
        return;
    // The key is known to exist since it was found, however long the read of its value takes. The request may have been
    // pending when the key appeared, so only the arrival of the reply by now is certain. This observation gets the same
    // source as the one that found the key, because the ledger reports whichever it receives first.
    const auto source = m_watcher.hasChangeEvents() ? events::Source::Event : events::Source::Poll;
    m_ledger.observed({{key, events::Exists {table.deadline(*id)}, table.sampled(*id), m_clock.now(), source}});
}

/// Returns the last time at which a newly found key was certainly absent. Absent if unknown. The last scan would have
/// found the key. If changes are reported, the key has just appeared.
std::optional<MonotonicTime> HoldRecorder::absentBefore(const QByteArray &key) const
{
    constexpr auto justNow = std::chrono::milliseconds(100);
    const keys::KeyTable &table = m_store.known().table;
    const auto id = table.find(key);
    if (!id || m_locks.isCatchingUp() || !m_watcher.coverage().isAllLookedAt())
        return std::nullopt;
    const auto within = m_watcher.newKeysMetWithin().value_or(justNow);
    MonotonicTime at = table.sampled(*id) - within;
    // The key may have appeared during a gap in the observation.
    if (!m_history.gaps().empty() && at < m_history.gaps().back().to.value_or(MonotonicTime::max()))
        at = std::min(at, m_history.gaps().back().from - within);
    return at;
}

void HoldRecorder::noteSight()
{
    const events::Coverage coverage = m_watcher.coverage();
    const events::Coverage::BlindInterval *blindness = coverage.blindness();
    m_history.setSeeing(blindness == nullptr, blindness == nullptr ? m_watcher.sightChangedAt() : blindness->from);
}

void HoldRecorder::recognised(const QByteArray &key)
{
    if (!m_locks.isLock(key)) {
        if (const auto found = m_followed.constFind(key); found != m_followed.cend() && !found->isLock)
            unfollow(key);
        return;
    }
    if (!follow(key, std::nullopt))
        return;
    FollowedLock &followed = m_followed[key];
    if (followed.isLock)
        return; // The ledger reports its changes.
    followed.isLock = true;
    if (followed.appeared) {
        m_history.take(*std::exchange(followed.appeared, std::nullopt));
        return;
    }
    const keys::KnownKeys &known = m_store.known();
    if (const auto id = known.table.find(key)) {
        const keys::RawValue *value = known.value(*id);
        m_history.seen({key, 0}, known.table.deadline(*id), value == nullptr ? std::nullopt : std::optional(*value),
                       known.table.sampled(*id));
    }
}

void HoldRecorder::acted(const QByteArray &key, const history::OwnAct &act)
{
    if (const auto found = m_followed.constFind(key); found != m_followed.cend() && found->isLock)
        m_history.acted({key, 0}, act);
}

void HoldRecorder::happened(const KeyEvent &keyEvent)
{
    const auto found = m_followed.find(keyEvent.key);
    if (found == m_followed.end())
        return; // Another object follows the key.
    if (found->isLock) {
        if (keyEvent.what == What::Ended)
            m_ended.push(keyEvent.key);
        m_history.take(keyEvent);
    } else if (keyEvent.what == What::Appeared) {
        found->appeared = keyEvent;
    } else if (keyEvent.what == What::Ended) {
        unfollow(keyEvent.key); // The key ended before it was recognised.
    } else if (found->appeared && keyEvent.after) {
        found->appeared->after = keyEvent.after;
    }
}

} // namespace latchkey::detection
