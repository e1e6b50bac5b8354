#include "core/inspect/detection/lockmemory.h"

#include "core/inspect/recognition/text.h"

#include <algorithm>

namespace latchkey::detection {

using base::MonotonicTime;
using events::Ending;
using events::KeyEvent;
using findings::TracedAction;
using findings::ValueChange;
using std::chrono::milliseconds;
using watching::KeyTrace;
using watching::TracedCommand;
using Type = KeyEvent::Type;

namespace {

/// Minimum time for which a job has no lock. A job's lock and its queue entry belong together, but are read one after
/// the other.
constexpr milliseconds minUnlockedTime = std::chrono::seconds(1);

/// Returns the jobs in the list of active jobs that have no lock, for Bull and BullMQ.
QByteArrayList unlockedJobsIn(const recognition::KeySample &sample, const keys::KnownKeys &known)
{
    constexpr QByteArrayView suffix(":active");
    QByteArrayList unlocked;
    for (auto list = sample.companions.cbegin(); list != sample.companions.cend(); ++list) {
        if (!list.key().endsWith(suffix) || list->value.type != keys::KeyType::List || list->value.isLeftOut)
            continue;
        const QByteArray queue = list.key().chopped(suffix.size());
        for (const QByteArray &job : list->value.parts) {
            const QByteArray lock = queue + ':' + job + ":lock";
            const auto id = known.table.find(lock);
            if (lock != sample.key && (!id || !known.isLive(*id)))
                unlocked += job;
        }
    }
    return unlocked;
}

bool isOfAnotherHold(Type type)
{
    return type == Type::Appeared || type == Type::HandedOver || type == Type::Replaced || type == Type::Ended;
}

} // namespace

LockMemory::LockMemory(LockFinder &locks, const HoldRecorder &holds, HolderClients &clients,
                       const keys::KnownKeys &known, events::KeyEventTracker &tracker,
                       const watching::WatchStatus &watcher, const base::Clock &clock, QObject *parent)
    : QObject(parent)
    , m_locks(locks)
    , m_holds(holds)
    , m_clients(clients)
    , m_known(known)
    , m_watcher(watcher)
    , m_clock(clock)
{
    connect(&tracker, &events::KeyEventTracker::happened, this, &LockMemory::happened);
}

LockMemory::~LockMemory() = default;

LockMemory::Memory &LockMemory::remember(const QByteArray &key)
{
    if (!m_remembered.contains(key)) {
        if (m_remembered.size() >= maxLocks) {
            m_remembered.remove(m_order.front());
            m_order.pop_front();
        }
        m_order.push_back(key);
    }
    return m_remembered[key];
}

void LockMemory::noteFencing(const QByteArray &key, qint64 number)
{
    std::optional<qint64> &largest = remember(key).fencing;
    largest = std::max(largest.value_or(number), number);
}

void LockMemory::noteJobs(const LockFinder::RecognisedKey &recognised)
{
    const QByteArray &key = recognised.sample.key;
    QByteArrayList jobs;
    // Absence can be concluded only if all keys of the server are known.
    if (recognised.recognition.isLock() && m_watcher.phase() == watching::Watcher::Phase::Watching
        && !m_watcher.isIncomplete())
        jobs = unlockedJobsIn(recognised.sample, m_known);
    if (jobs.isEmpty() && m_remembered.value(key).unlocked.isEmpty())
        return;
    Memory &remembered = remember(key);
    const MonotonicTime now = m_clock.now();
    QHash<QByteArray, MonotonicTime> unlocked;
    for (const QByteArray &job : jobs)
        unlocked.insert(job, remembered.unlocked.value(job, now));
    if (unlocked.size() > remembered.unlocked.size())
        QTimer::singleShot(minUnlockedTime, this, [this, key] { m_locks.reexamine({key}); });
    remembered.unlocked = unlocked;
}

QByteArrayList LockMemory::unlockedJobs(const QByteArray &key) const
{
    QByteArrayList jobs;
    const auto unlocked = m_remembered.value(key).unlocked;
    for (auto job = unlocked.cbegin(); job != unlocked.cend(); ++job) {
        if (m_clock.now() - *job >= minUnlockedTime)
            jobs += job.key();
    }
    std::ranges::sort(jobs);
    return jobs;
}

void LockMemory::happened(const KeyEvent &keyEvent)
{
    const QByteArray &key = keyEvent.key;
    if (!isOfAnotherHold(keyEvent.type))
        return;
    if (keyEvent.type == Type::HandedOver || keyEvent.type == Type::Replaced)
        noteChange(keyEvent);
    const auto underWay = m_underWay.find(key);
    if (underWay == m_underWay.end()) {
        m_clients.acquiredBy(key, {}); // The new holder was not observed.
    } else if (keyEvent.ending == Ending::Evicted || keyEvent.ending == Ending::Flushed
               || keyEvent.ending == Ending::Lost) {
        // No traced command caused this end. A client that seemed to fail may therefore have acquired the lock.
        underWay->lose();
        std::erase_if(remember(key).traced, [&](const TracedChange &change) {
            return change.action.kind == TracedAction::Kind::ForeignExpire && change.received >= keyEvent.notBefore;
        });
    }
    if (keyEvent.type != Type::Ended)
        m_locks.reexamine({key}); // The lock's history has changed.
}

void LockMemory::noteChange(const KeyEvent &keyEvent)
{
    if (!keyEvent.before || !keyEvent.after || !m_locks.isLock(keyEvent.key))
        return;
    // A holder may write another value when it renews the lock.
    const auto holder = m_holds.holderOf(keyEvent.key, *keyEvent.after);
    if (holder && holder == m_holds.holderOf(keyEvent.key, *keyEvent.before))
        return;
    const auto timeIn = [](const keys::RawValue &value) {
        return value.isWholeString() ? recognition::unixTime(value.bytes()) : std::nullopt;
    };
    ValueChange change;
    change.before = timeIn(*keyEvent.before);
    change.after = timeIn(*keyEvent.after);
    change.at = m_clock.wallNow() - std::chrono::floor<milliseconds>(m_clock.now() - keyEvent.notAfter);
    change.hadEvents = keyEvent.type == Type::HandedOver; // The tracker reports a handover only if it has received all
                                                          // events.
    std::deque<ValueChange> &changes = remember(keyEvent.key).changes;
    changes.push_back(change);
    if (changes.size() > maxChanges)
        changes.pop_front();
}

void LockMemory::listenTo(KeyTrace &trace)
{
    connect(&trace, &KeyTrace::began, this, [this, &trace] { traceBegan(trace); });
    connect(&trace, &KeyTrace::traced, this, &LockMemory::traced);
    const auto end = [this, &trace] { traceEnded(&trace); };
    connect(&trace, &KeyTrace::ended, this, end);
    connect(&trace, &QObject::destroyed, this, end);
}

void LockMemory::traceEnded(const QObject *trace)
{
    for (const QByteArray &key : m_traces.take(trace))
        m_underWay.remove(key);
}

void LockMemory::traceBegan(const KeyTrace &trace)
{
    traceEnded(&trace); // The trace may have been restarted without a signal.
    m_traces.insert(&trace, trace.keys());
    for (const QByteArray &key : trace.keys()) {
        std::optional<TracedLock::Beginning> beginning;
        if (const auto known = trace.beginningOf(key)) {
            const auto *exists = std::get_if<events::Exists>(&*known);
            beginning = exists != nullptr ? TracedLock::Beginning {true, exists->deadline} : TracedLock::Beginning {};
        }
        m_underWay.insert(key, TracedLock(base::Key(key), beginning));
    }
}

void LockMemory::traced(const TracedCommand &command)
{
    if (command.isOwnRead)
        return;
    const MonotonicTime now = m_clock.now();
    const auto &words = command.words.words();
    for (auto lock = m_underWay.begin(); lock != m_underWay.end(); ++lock) {
        if (std::ranges::find(words, lock.key()) == words.end())
            continue;
        const auto action = lock->take(command, now);
        m_clients.traced(lock.key(), command);
        m_clients.acquiredBy(lock.key(), lock->acquirer());
        if (action) {
            std::vector<TracedChange> &known = remember(lock.key()).traced;
            const bool isKnown = std::ranges::find(known, *action, &TracedChange::action) != known.end();
            if (!isKnown && known.size() < maxTracedActions)
                known.push_back({*action, now});
        }
        m_locks.reexamine({lock.key()});
    }
}

} // namespace latchkey::detection
