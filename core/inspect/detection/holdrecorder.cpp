#include "core/inspect/detection/holdrecorder.h"

namespace latchkey::detection {

using base::MonotonicTime;
using events::KeyEvent;
using watching::Watcher;
using Type = KeyEvent::Type;

namespace {

/// Maximum number of new keys, not known to be locks yet, for which the time of their absence is kept.
constexpr qsizetype maxNoted = 20'000;
/// Longest time between a notification and the read that it causes.
constexpr auto maxQueueTime = std::chrono::seconds(30);

} // namespace

HoldRecorder::HoldRecorder(LockFinder &locks, keys::KeyStore &store, events::KeyEventTracker &tracker, Watcher &watcher,
                           const watching::EventSource &events, const base::Clock &clock, QObject *parent)
    : QObject(parent)
    , m_locks(locks)
    , m_store(store)
    , m_keyEventTracker(tracker)
    , m_watcher(watcher)
    , m_events(events)
    , m_clock(clock)
    , m_history([this](const QByteArray &key, const keys::RawValue &value) { return holderOf(key, value); })
{
    connect(&m_locks, &LockFinder::candidateFound, this, &HoldRecorder::noteFound);
    connect(&m_locks, &LockFinder::recognised, this, &HoldRecorder::recognised);
    connect(&m_keyEventTracker, &events::KeyEventTracker::happened, this, &HoldRecorder::happened);
    connect(&m_watcher, &Watcher::gapChanged, this, &HoldRecorder::noteGap);
}

HoldRecorder::~HoldRecorder()
{
    if (m_dispatcher != nullptr)
        m_dispatcher->remove(*this);
}

void HoldRecorder::listenTo(events::ObservationDispatcher &dispatcher)
{
    m_dispatcher = &dispatcher;
    dispatcher.addFirst(*this);
}

void HoldRecorder::receivedUpTo(events::NodeIndex, MonotonicTime time)
{
    m_receivedUpTo = std::max(m_receivedUpTo, time);
}

/// Notes when new keys were absent. It is not known yet whether they are locks.
void HoldRecorder::observed(const events::Observations &observations)
{
    if (m_watcher.phase() != Watcher::Phase::Watching || m_watcher.isIncomplete())
        return;
    for (const events::Observation &observation : observations) {
        const bool isNews = std::holds_alternative<events::ChangeNotification>(observation.content)
                         || std::holds_alternative<events::Exists>(observation.content);
        if (std::holds_alternative<events::Gone>(observation.content))
            m_absentAt.remove(observation.key); // The time before its next appearance is recorded again.
        if (!isNews || m_absentAt.contains(observation.key) || m_store.known().table.find(observation.key)
            || m_followed.contains(observation.key))
            continue;
        if (m_absentAt.size() >= maxNoted)
            makeRoom();
        if (const auto absentAt = absentBefore(observation))
            m_absentAt.insert(observation.key, *absentAt);
    }
}

/// Drops the times of keys that are in the store, most of which are known not to be locks. Drops all times if at least
/// half of the maximum is left.
void HoldRecorder::makeRoom()
{
    m_absentAt.removeIf([this](auto noted) { return m_store.known().table.find(noted.key()).has_value(); });
    if (m_absentAt.size() < maxNoted / 2)
        return;
    m_absentAt.clear();
    m_clearedAt = m_clock.now();
}

/// Returns the last time at which a newly observed key was certainly absent. Absent if unknown. The notification of a
/// change arrives within the delay of the events, and the last scan would have found the key.
std::optional<MonotonicTime> HoldRecorder::absentBefore(const events::Observation &observation) const
{
    constexpr auto minDelay = std::chrono::milliseconds(100);
    const auto delay = std::max<std::chrono::nanoseconds>(m_events.delay().value_or(minDelay), minDelay);
    const bool areAllReported =
        m_keyEventTracker.eventCoverage(observation.node).depth != events::EventCoverage::Depth::None;
    if (areAllReported && std::holds_alternative<events::ChangeNotification>(observation.content))
        return std::max(m_receivedUpTo, observation.answered - delay);
    if (observation.source
        == events::Source::NotifiedRead) { // Read because of a notification, whose time may have been dropped.
        const bool mayBeDropped = m_clearedAt && observation.asked - *m_clearedAt < maxQueueTime;
        return mayBeDropped ? std::nullopt : std::optional(observation.asked - delay);
    }
    if (const auto scanned = m_watcher.lastScanBegan())
        return scanned;
    // A recording of an older version does not contain the start of the scan.
    const auto within = m_watcher.newKeyDelay();
    return within ? std::optional(observation.asked - *within) : std::nullopt;
}

std::optional<QByteArray> HoldRecorder::holderOf(const QByteArray &key, const keys::RawValue &value) const
{
    const recognition::Recognition found = m_locks.recogniseWithValue(key, value);
    if (found.decoded.holders.empty())
        return std::nullopt;
    return found.decoded.holders.front().bytes;
}

bool HoldRecorder::makeRoomToFollow()
{
    while (m_followed.size() >= maxFollowed && !m_ended.isEmpty()) {
        const QByteArray oldest = m_ended.take();
        if (!m_store.known().table.find(oldest))
            unfollow(oldest);
    }
    m_isIncomplete = m_isIncomplete || m_followed.size() >= maxFollowed;
    return m_followed.size() < maxFollowed;
}

bool HoldRecorder::follow(const QByteArray &key, std::optional<MonotonicTime> absentAt)
{
    if (m_followed.contains(key))
        return true;
    if (!makeRoomToFollow())
        return false;
    m_followed.insert(key, {});
    const keys::KeyTable &table = m_store.known().table;
    const auto id = table.find(key);
    if (!id) {
        m_keyEventTracker.follow(key, 0, absentAt);
        return true;
    }
    // The key is known to exist since it was found, however long the read of its value takes. The request may have been
    // pending when the key appeared, so the key certainly existed only when the reply arrived. This observation gets
    // the same source as the one that found the key, because the tracker reports the first of the two that it receives.
    m_keyEventTracker.followFound(key, absentAt, table.deadline(*id), {table.sampled(*id), m_clock.now()},
                                  m_watcher.discoverySource());
    return true;
}

void HoldRecorder::unfollow(const QByteArray &key)
{
    if (m_followed.remove(key) > 0)
        m_keyEventTracker.unfollow(key);
}

void HoldRecorder::noteFound(const QByteArray &key)
{
    if (m_followed.contains(key))
        return;
    const auto noted = m_absentAt.constFind(key);
    std::optional<MonotonicTime> absentAt;
    if (noted != m_absentAt.cend() && !m_locks.isCatchingUp() && m_watcher.coverage().isScanComplete())
        absentAt = *noted;
    // The key may have appeared during a gap in the observation.
    if (absentAt && !m_history.gaps().empty() && *absentAt < m_history.gaps().back().to.value_or(MonotonicTime::max()))
        absentAt = std::min(*absentAt, m_history.gaps().back().from);
    m_absentAt.remove(key);
    (void)follow(key, absentAt);
}

void HoldRecorder::noteGap()
{
    const events::Coverage coverage = m_watcher.coverage();
    const events::Coverage::Gap *gap = coverage.gap();
    m_history.setObserving(gap == nullptr, gap == nullptr ? m_watcher.gapChangedAt() : gap->from);
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
        return; // The tracker reports its changes.
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

void HoldRecorder::addOwnChange(const QByteArray &key, const history::OwnChange &change)
{
    if (const auto found = m_followed.constFind(key); found != m_followed.cend() && found->isLock)
        m_history.addOwnChange({key, 0}, change);
}

void HoldRecorder::happened(const KeyEvent &keyEvent)
{
    const auto found = m_followed.find(keyEvent.key);
    if (found == m_followed.end())
        return; // Another object follows the key.
    if (found->isLock) {
        if (keyEvent.type == Type::Ended)
            m_ended.push(keyEvent.key);
        m_history.take(keyEvent);
    } else if (keyEvent.type == Type::Appeared) {
        found->appeared = keyEvent;
    } else if (keyEvent.type == Type::Ended) {
        unfollow(keyEvent.key); // The key ended before it was recognised.
    } else if (found->appeared && keyEvent.after) {
        found->appeared->after = keyEvent.after;
    }
}

} // namespace latchkey::detection
