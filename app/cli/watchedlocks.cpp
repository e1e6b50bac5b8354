#include "app/cli/watchedlocks.h"

#include "core/inspect/inspection/firstseen.h"

#include <algorithm>

namespace latchkey::cli {

using base::MonotonicTime;
using events::Exists;
using events::Gone;
using events::KeyEvent;
using events::Observation;
using events::Observations;
using inspection::InspectedServer;
using watching::EventSource;
using watching::Watcher;
using Type = KeyEvent::Type;

namespace {

/// Largest number of keys that are read regularly, and not only after an event.
constexpr qsizetype maxReadInTurn = 200;
/// Largest number of free locks that are remembered as locks.
constexpr qsizetype maxFreeLocks = 1000;

} // namespace

WatchedLocks::WatchedLocks(InspectedServer &server, base::Globs globs)
    : m_server(server)
    , m_globs(std::move(globs))
    , m_held(server)
    , m_holderCheck(server, m_held)
{
    m_server.dispatcher().addFirst(*this);
    connect(&m_server.keyEventTracker(), &events::KeyEventTracker::happened, this, &WatchedLocks::take);
    connect(&m_server.watcher(), &Watcher::gapChanged, this, &WatchedLocks::noteGap);
    connect(&m_server.locks(), &detection::LockFinder::recognised, this, &WatchedLocks::adopt);
    // Queued, because the watcher must receive the new connection first.
    connect(&m_server, &InspectedServer::incidentHappened, this, &WatchedLocks::requestMissed, Qt::QueuedConnection);
    connect(&m_server.events(), &watching::EventSource::mechanismChanged, this, &WatchedLocks::recheck);
    m_readTimer.setSingleShot(true);
    connect(&m_readTimer, &QTimer::timeout, this, &WatchedLocks::attend);
    connect(&m_held, &HeldLocks::happened, this, [this](const KeyEvent &keyEvent) { countWrites(keyEvent.key); });
    connect(&m_held, &HeldLocks::happened, this, &WatchedLocks::happened);
    connect(&m_held, &HeldLocks::ended, this,
            [this](const QByteArray &key, const LockDescription &description) { keepAbsent(key, description, false); });
    connect(&m_held, &HeldLocks::overwritten, this,
            [this](const QByteArray &key, const LockDescription &description) { keepAbsent(key, description, true); });
    connect(&m_server, &InspectedServer::committed, this, [this] {
        if (!m_candidates.isEmpty())
            m_readTimer.start(0);
    });
}

WatchedLocks::~WatchedLocks()
{
    m_server.dispatcher().remove(*this);
}

/// Counts the writes since the last read or event: all values but the last were overwritten before they were read.
void WatchedLocks::countWrites(const QByteArray &key)
{
    const qint64 writes = m_writes.take(key);
    m_overwrittenUnreadCount += std::max<qint64>(0, writes - 1);
}

void WatchedLocks::noteGap()
{
    const events::Coverage coverage = m_server.watcher().coverage();
    const events::Coverage::Gap *gap = coverage.gap();
    m_held.history().setObserving(gap == nullptr, gap == nullptr ? m_server.watcher().gapChangedAt() : gap->from);
    if (gap == nullptr && std::exchange(m_isStale, false))
        recheck(); // A replica does not announce the keys that it loads from its primary.
    m_isStale = m_isStale || (gap != nullptr && gap->why.kind == base::ErrorKind::StaleReplica);
}

qsizetype WatchedLocks::matchesWithoutLock() const
{
    if (m_hasLock || !m_candidates.isEmpty() || m_server.watcher().phase() != Watcher::Phase::Watching
        || m_server.locks().isCatchingUp() || !m_server.locks().isIdle())
        return 0;
    const keys::KnownKeys &known = m_server.store().known();
    qsizetype matches = 0;
    for (quint32 id = 0; id < known.table.idLimit(); ++id) {
        if (known.isLive(keys::KeyId {id}) && m_globs.matches(known.table.key(keys::KeyId {id}).toByteArray()))
            ++matches;
    }
    return matches;
}

qsizetype WatchedLocks::unreadCount() const
{
    constexpr std::chrono::seconds soon {1}; // The value of a new key is normally read within this time.
    const base::MonotonicTime now = m_server.clock().now();
    qsizetype waiting = 0;
    for (auto candidate = m_candidates.cbegin(); candidate != m_candidates.cend(); ++candidate) {
        const bool isDue = !candidate->was && !candidate->isAbsent && now - candidate->since > soon;
        waiting += isDue && isNamedLikeLock(candidate.key()) ? 1 : 0;
    }
    return waiting;
}

void WatchedLocks::observed(const Observations &observations)
{
    m_held.reportOverdue(); // A replay has its own clock, so a timer does not suffice.
    for (const Observation &observation : observations) {
        if (!m_rejected.isEmpty() && std::holds_alternative<Gone>(observation.content))
            m_rejected.remove(observation.key);
        const auto *notification = std::get_if<events::ChangeNotification>(&observation.content);
        const bool isHeld = m_held.contains(observation.key);
        if (isHeld || m_candidates.contains(observation.key))
            m_holderCheck.observe(observation);
        if (notification != nullptr && notification->event == "set"
            && (isHeld || m_candidates.contains(observation.key)))
            ++m_writes[observation.key];
        else if (isHeld && std::holds_alternative<events::ValueReply>(observation.content))
            countWrites(observation.key);
        if (!isHeld && m_globs.matches(observation.key) && mayBeLock(observation))
            consider(observation);
    }
}

/// Returns whether a key may be a lock, by the rules of the LockFinder. Its name indicates a lock, its expiry resembles
/// a lease, or there are few keys. A newly announced key is followed until its expiry is known.
bool WatchedLocks::mayBeLock(const Observation &observation) const
{
    using recognition::LockLikelihood;
    const LockLikelihood likelihood = m_server.locks().recogniser().lockLikelihood(observation.key);
    if (likelihood != LockLikelihood::Some || m_candidates.contains(observation.key)
        || m_server.locks().isLikely(observation.key))
        return likelihood != LockLikelihood::None;
    const bool areFewKeys = m_server.watcher().phase() == Watcher::Phase::Watching
                         && m_server.store().liveCount() <= detection::LockFinder::fewKeys;
    if (areFewKeys || std::holds_alternative<events::ChangeNotification>(observation.content))
        return true;
    const auto *exists = std::get_if<Exists>(&observation.content);
    return exists != nullptr
        && detection::LockCandidateQueue::isLockCandidate(likelihood, exists->deadline, m_server.clock().now());
}

/// Returns whether a followed key without a lock-like name should be read, now that its expiry is known.
bool WatchedLocks::isWorthReading(const QByteArray &key, const base::Deadline &deadline) const
{
    using recognition::LockLikelihood;
    const LockLikelihood likelihood = m_server.locks().recogniser().lockLikelihood(key);
    return m_server.locks().isLikely(key) || m_candidates[key].was
        || m_server.store().liveCount() <= detection::LockFinder::fewKeys
        || detection::LockCandidateQueue::isLockCandidate(likelihood, deadline, m_server.clock().now());
}

void WatchedLocks::consider(const Observation &observation)
{
    const QByteArray &key = observation.key;
    const auto *exists = std::get_if<Exists>(&observation.content);
    const bool isAnnounced = std::holds_alternative<events::ChangeNotification>(observation.content);
    if (isAnnounced)
        m_rejected.remove(key);
    if (m_rejected.contains(key))
        return;
    if (!m_candidates.contains(key)) {
        if (exists == nullptr && !isAnnounced)
            return;
        const auto absentAt = inspection::absentBefore(m_server, observation);
        m_server.keyEventTracker().follow(key, observation.node, absentAt);
        m_candidates.insert(key, {.since = m_server.clock().now(), .isNew = absentAt.has_value()});
    }
    if (exists != nullptr) {
        if (!isWorthReading(key, exists->deadline))
            return settle(key);
        m_candidates[key].deadline = exists->deadline;
        m_candidates[key].isMissed = false;
        if (!m_readTimer.isActive())
            m_readTimer.start(0);
    } else if (const auto *valued = std::get_if<events::ValueReply>(&observation.content)) {
        valueRead(observation, valued->value);
    } else if (std::holds_alternative<Gone>(observation.content)) {
        if (m_candidates[key].was || m_candidates[key].isAbsent) {
            m_candidates[key].isAskedAgain = false;
        } else if (m_candidates[key].isMissed) {
            reportMissed(observation);
        } else { // It has ended before its value was read.
            countUnread(key);
            settle(key);
        }
    }
}

/// Requests all locks once more after change events have begun. Only after this request are the events known to be
/// complete, so that a release can be distinguished from a lock that was acquired and lost in between.
void WatchedLocks::recheck()
{
    if (m_server.events().mechanism() != watching::EventSource::Mechanism::None)
        m_server.watcher().keysChanged(m_held.all().keys());
}

/// Adopts a lock that the finder has recognised by its value, without a lock-like name.
void WatchedLocks::adopt(const QByteArray &key)
{
    if (m_held.contains(key) || m_candidates.contains(key) || !m_server.locks().isLock(key) || !m_globs.matches(key))
        return;
    const keys::KnownKeys &known = m_server.store().known();
    const auto id = known.table.find(key);
    const keys::RawValue *value = id && known.isLive(*id) ? known.value(*id) : nullptr;
    const auto description = value != nullptr ? LockDescription::of(m_server.locks().recognise(key)) : std::nullopt;
    if (!description)
        return;
    const base::Deadline deadline = known.table.deadline(*id);
    m_rejected.remove(key);
    m_hasLock = true;
    inspection::followFound(m_server, key, *id);
    m_held.insert(key, *description, deadline);
    m_held.history().seen({key, 0}, deadline, *value, known.table.sampled(*id));
    m_holderCheck.add(key, known.table.sampled(*id));
    Q_EMIT seen(key, *description, deadline, known.table.sampled(*id));
}

/// Requests the values of the candidates that are in the store.
void WatchedLocks::attend()
{
    std::vector<keys::KeyId> ids;
    QList<QByteArray> again;
    using events::KeyRequest;
    const bool isReadable = m_server.watcher()
                                .coverage()
                                .narrowedTo(events::KeyRequests(KeyRequest::Type) | KeyRequest::Value)
                                .isObserving();
    const qsizetype maximum = isReadable ? maxReadInTurn : 1; // A single key shows when reading is possible again.
    const keys::KeyTable &table = m_server.store().known().table;
    const bool hasChangeEvents = m_server.events().mechanism() != EventSource::Mechanism::None;
    const auto isFull = [&ids](qsizetype limit) { return static_cast<qsizetype>(ids.size()) >= limit; };
    for (auto candidate = m_candidates.begin(); candidate != m_candidates.end() && !isFull(maximum); ++candidate) {
        const auto id = table.find(candidate.key());
        if (!id || (candidate->isOverwritten && candidate->isAskedAgain && hasChangeEvents))
            continue;
        ids.push_back(*id);
        if (!candidate->isAskedAgain)
            again += candidate.key();
        candidate->isAskedAgain = true;
    }
    for (auto held = m_held.all().cbegin(); !hasChangeEvents && held != m_held.all().cend() && !isFull(maxReadInTurn);
         ++held) {
        if (const auto id = table.find(held.key()))
            ids.push_back(*id);
    }
    m_server.setVisibleKeys(*this, ids);
    m_server.watcher().keysChanged(again); // Requested at once, because the key may be deleted before the next turn.
}

void WatchedLocks::valueRead(const Observation &observation, const keys::RawValue &value)
{
    const QByteArray key = observation.key;
    const auto description = LockDescription::of(m_server, key, value);
    const Candidate candidate = m_candidates.take(key);
    if (description) // The writes of a key that is no lock do not count.
        countWrites(key);
    m_writes.remove(key);
    if (!description && candidate.isOverwritten)
        return (void)m_candidates.insert(key, candidate);
    if (!description) {
        m_rejected.insert(key);
        return settle(key);
    }
    m_hasLock = true;
    m_held.insert(key, *description, candidate.deadline);
    if (candidate.isOverwritten)
        m_held.markUnreported(key);
    if (candidate.appeared && candidate.appeared->after) {
        m_held.report(*candidate.appeared);
    } else if (candidate.appeared) {
        m_held.wait(*candidate.appeared, candidate.isDoubtful);
    } else if (!candidate.isNew) {
        m_held.history().seen({key, observation.node}, candidate.deadline, value, observation.answered);
        m_holderCheck.add(key, observation.asked);
        Q_EMIT seen(key, *description, candidate.deadline, observation.answered);
    } // Otherwise the tracker will report its appearance.
}

void WatchedLocks::take(const KeyEvent &keyEvent)
{
    if (m_held.contains(keyEvent.key))
        m_held.take(keyEvent);
    else if (m_candidates.contains(keyEvent.key))
        takeOfCandidate(keyEvent);
}

/// Handles an event of an unread key, which may or may not be a lock.
void WatchedLocks::takeOfCandidate(const KeyEvent &keyEvent)
{
    Candidate &candidate = m_candidates[keyEvent.key];
    if (keyEvent.type == Type::Appeared) {
        candidate.appeared = keyEvent;
        candidate.isDoubtful = false;
        candidate.isAbsent = false;
        candidate.since = m_server.clock().now();
    } else if (keyEvent.type != Type::FirstRead && (keyEvent.isInferred || keyEvent.type != Type::Renewed)) {
        candidate.isDoubtful = true;
    }
    if (keyEvent.type != Type::Ended)
        return;
    if (!candidate.was || !candidate.appeared) {
        countUnread(keyEvent.key);
        keepAbsent(keyEvent.key, candidate.was, false);
        return Q_EMIT settled(keyEvent.key);
    }
    reportUnread(keyEvent.key);
    m_held.report(keyEvent);
}

/// Reports the appearance of a known lock whose value was not read.
void WatchedLocks::reportUnread(const QByteArray &key)
{
    const Candidate candidate = m_candidates.take(key);
    m_held.insert(key, {candidate.was->kind, std::nullopt}, std::nullopt);
    m_held.report(*candidate.appeared);
}

void WatchedLocks::reportLast()
{
    m_server.keyEventTracker().applyWaiting();
    QList<QByteArray> unread;
    for (auto candidate = m_candidates.cbegin(); candidate != m_candidates.cend(); ++candidate) {
        if (candidate->was && candidate->appeared)
            unread += candidate.key();
    }
    for (const QByteArray &key : std::as_const(unread))
        reportUnread(key);
    m_held.reportLast();
}

/// Requests from the new primary the keys that were announced and not read before the failover.
void WatchedLocks::requestMissed(const inspection::Incident &incident)
{
    if (incident.kind != inspection::Incident::Kind::FailedOver)
        return;
    QList<QByteArray> unread;
    for (auto candidate = m_candidates.begin(); candidate != m_candidates.end(); ++candidate) {
        candidate->isMissed = !candidate->was && isNamedLikeLock(candidate.key());
        if (candidate->isMissed)
            unread += candidate.key();
    }
    m_server.watcher().keysChanged(unread);
}

/// Reports a key that the new primary lacks and that was never read. Its holder and its lease are unknown.
void WatchedLocks::reportMissed(const Observation &observation)
{
    KeyEvent ended;
    ended.key = observation.key;
    ended.node = observation.node;
    ended.type = Type::Ended;
    ended.ending = events::Ending::Unknown;
    ended.notBefore = observation.asked;
    ended.notAfter = observation.answered;
    ended.isInferred = true;
    ended.isAtFailover = true;
    drop(observation.key);
    Q_EMIT happened(ended, LockDescription(), {});
}

void WatchedLocks::drop(const QByteArray &key)
{
    m_candidates.remove(key);
    m_holderCheck.remove(key);
    m_held.remove(key);
    m_writes.remove(key);
    m_server.keyEventTracker().unfollow(key);
}

/// Continues to follow an ended lock, so that its next hold is reported as acquired.
void WatchedLocks::keepAbsent(const QByteArray &key, std::optional<LockDescription> was, bool isOverwritten)
{
    m_candidates.remove(key);
    if (m_candidates.size() >= maxFreeLocks || (!was && !isNamedLikeLock(key)))
        return drop(key);
    m_candidates.insert(key, {.was = std::move(was), .isAbsent = true, .isOverwritten = isOverwritten, .isNew = true});
}

/// Counts a candidate that has ended before its value was read. It may have been a lock, unless the end of a reported
/// lock is announced late.
void WatchedLocks::countUnread(const QByteArray &key)
{
    constexpr qsizetype maxRemembered = 100'000; // Several announcements of one end arrive close together.
    const bool mayBeNewLock =
        !m_candidates[key].was && isNamedLikeLock(key) && m_held.history().holds({key, 0}).empty();
    if (mayBeNewLock && !m_endedUnread.contains(key)) {
        if (m_endedUnread.size() == maxRemembered)
            m_endedUnread.clear();
        m_endedUnread.insert(key);
        ++m_endedUnreadCount;
        Q_EMIT endedUnread(key);
    }
}

bool WatchedLocks::isNamedLikeLock(const QByteArray &key) const
{
    return m_server.locks().recogniser().lockLikelihood(key) == recognition::LockLikelihood::High;
}

} // namespace latchkey::cli
