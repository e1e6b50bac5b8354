#include "core/inspect/inspection/release.h"

#include "core/inspect/detection/keyexamination.h"
#include "core/inspect/recognition/templates.h"

#include <algorithm>
#include <array>

namespace latchkey::inspection {

using base::Key;
using exchange::Exchange;
using keys::KeyType;
using recognition::Candidate;
using recognition::Confidence;
using recognition::Dialect;
using recognition::Dialects;
using recognition::Family;
using recognition::Hazard;
using recognition::KeySample;
using recognition::Recogniser;
using recognition::Recognition;
using resp::Command;
using Obstacle = ReleaseMethod::Obstacle;

namespace {

/// String locks whose release is more than a deletion: the library notifies a client, keeps the key for a while, or its
/// release is unknown.
constexpr std::array notOnlyDeleted {
    "redisson.RLock", // The string of version 2.1.
    "sidekiq.leader", "sidekiq-unique-jobs.v7v8", "sidekiq-unique-jobs.v9", "spring.RedisLockRegistry", "shedlock",
    "walrus.Lock",
};

/// Hashes with one holder. Their release deletes the hash and notifies waiting clients.
constexpr std::array redissonHolds {"redisson.RLock", "redisson.RSpinLock", "redisson.RFencedLock"};

template<std::size_t n>
bool isAmong(const std::array<const char *, n> &ids, const Dialect &dialect)
{
    return std::ranges::any_of(ids, [&](const char *id) { return dialect.id == QLatin1String(id); });
}

ReleaseMethod onlyDeleted()
{
    ReleaseMethod method;
    method.obstacle = Obstacle::None;
    return method;
}

ReleaseMethod blockedBy(Obstacle obstacle)
{
    ReleaseMethod method;
    method.obstacle = obstacle;
    return method;
}

/// Returns the release of Redisson, like its `forceUnlock`. Waiting clients subscribe to the first channel; in versions
/// before 3, to the second.
ReleaseMethod redissonHold(const KeySample &sample, bool isCluster)
{
    ReleaseMethod method = onlyDeleted();
    const QByteArray released = QByteArrayLiteral("0");
    const QByteArray channel = "redisson_lock__channel:" + recognition::taggedName(sample.key);
    method.wakeCommands.push_back({QByteArrayLiteral("PUBLISH"), channel, released});
    method.wakeCommands.push_back(
        {QByteArrayLiteral("PUBLISH"), "redisson_lock__channel__{" + sample.key + '}', released});
    if (isCluster)
        method.wakeCommands.push_back({QByteArrayLiteral("SPUBLISH"), channel, released});
    return method;
}

/// Returns the release of python-redis-lock. Waiting clients block on a list; a release pushes one element to it.
ReleaseMethod pythonRedisLock(const QByteArray &key)
{
    constexpr QByteArrayView prefix("lock:");
    if (!key.startsWith(prefix)) // The prefix is user-defined, and its position in the name of the list is unknown.
        return blockedBy(Obstacle::Unknown);
    const QByteArray signal = "lock-signal:" + key.sliced(prefix.size());
    ReleaseMethod method = onlyDeleted();
    method.wakeCommands.push_back({QByteArrayLiteral("DEL"), signal});
    method.wakeCommands.push_back({QByteArrayLiteral("LPUSH"), signal, QByteArrayLiteral("1")});
    method.wakeCommands.push_back({QByteArrayLiteral("PEXPIRE"), signal, QByteArrayLiteral("1000")});
    return method;
}

/// Returns whether the lock has no queue. A client in the queue of a fair lock is notified under its own name.
bool hasNoQueue(const KeySample &sample)
{
    const auto queue = sample.companions.constFind("redisson_lock_queue:" + recognition::taggedName(sample.key));
    return queue != sample.companions.cend() && !queue->exists;
}

/// Returns whether the lock has exactly one holder, so that the holder's part is the whole lock.
bool hasOneHolder(const Recognition &recognition)
{
    return recognition.decoded.holders.size() == 1 && !recognition.decoded.isPartial;
}

ReleaseMethod methodOf(const Dialect &dialect, const KeySample &sample, const Recognition &recognition, bool isCluster)
{
    const bool isString = sample.type == KeyType::String;
    switch (dialect.family) {
    case Family::ReadWriteLock:
        return dialect.id == u"symfony.lock" && hasOneHolder(recognition) ? onlyDeleted() : blockedBy(Obstacle::Shared);
    case Family::Limiter:
        if (dialect.id == u"laravel.funnel" && isString)
            return onlyDeleted(); // One key per permit.
        [[fallthrough]];
    case Family::Semaphore:
    case Family::Latch:
        return blockedBy(Obstacle::Permits);
    case Family::Job:
        return blockedBy(Obstacle::Job);
    case Family::Presence:
        return blockedBy(Obstacle::Unknown);
    case Family::Lock:
    case Family::Leader:
    case Family::Uniqueness:
        break;
    }
    if (dialect.id == u"redisson.RFairLock")
        return hasNoQueue(sample) ? redissonHold(sample, isCluster) : blockedBy(Obstacle::Queue);
    if (!isString && isAmong(redissonHolds, dialect))
        return redissonHold(sample, isCluster);
    if (!isString || isAmong(notOnlyDeleted, dialect))
        return blockedBy(dialect.id == u"medallion.Lock" ? Obstacle::Shared : Obstacle::Unknown);
    if (dialect.id == u"medallion.Lock" && sample.value && sample.value->bytes().endsWith("_WRITERWAITING"))
        return blockedBy(Obstacle::Shared); // This is not a lock, but the mark of a writer that waits for the readers.
    return dialect.id == u"python-redis-lock" ? pythonRedisLock(sample.key) : onlyDeleted();
}

} // namespace

ReleaseMethod releaseMethodOf(const KeySample &sample, const Recognition &recognition, const Dialects &dialects,
                              bool isCluster)
{
    if (!recognition.isLock())
        return {};
    const Candidate &best = recognition.best();
    const Dialect *dialect = dialects.find(best.dialect);
    if (dialect == nullptr)
        return blockedBy(Obstacle::Uncertain);
    ReleaseMethod method = methodOf(*dialect, sample, recognition, isCluster);
    // Every other possible kind must be released in the same way.
    for (const Candidate &other : recognition.candidates) {
        const Dialect *alternative = dialects.find(other.dialect);
        if (method.isKnown() && other.confidence >= best.confidence && alternative != nullptr
            && methodOf(*alternative, sample, recognition, isCluster) != method)
            method = blockedBy(Obstacle::Uncertain);
    }
    if (method.isKnown() && best.confidence == Confidence::Low)
        method = blockedBy(Obstacle::Uncertain);
    if (!dialect->isGeneric || !method.isKnown())
        method.kind = dialect->title;
    method.holdCount = std::max<qint64>(1, recognition.decoded.holdCount());
    method.isQuorum = dialect->has(Hazard::Quorum);
    return method;
}

Exchange<ReleasePlan> readForRelease(Key key, Recogniser recogniser, bool isCluster)
{
    detection::KeyExamination examination = co_await detection::examine(key, recogniser);
    ReleasePlan found;
    found.snapshot = co_await watching::takeSnapshot(key);
    // The holder and the library of the key may have changed between the two reads.
    KeySample &sample = examination.sample;
    sample.key = key.bytes();
    sample.type = found.snapshot.type;
    sample.value = found.snapshot.value;
    const Recognition recognition = recogniser.recognise(sample, examination.serverContext);
    if (found.snapshot.exists())
        found.method = releaseMethodOf(sample, recognition, recogniser.dialects(), isCluster);
    co_return found;
}

} // namespace latchkey::inspection
