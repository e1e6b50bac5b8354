#include "core/keyspace/watching/fieldqueue.h"

#include "core/foundation/base/random.h"

#include <algorithm>

namespace latchkey::watching {

using base::MonotonicTime;
using keys::KeyId;
using keys::KeyType;
using namespace std::chrono_literals;

namespace {

constexpr auto fieldTimeout = 30s;
/// Interval for a hash with ending fields; most hashes have none and are asked less often.
constexpr std::chrono::milliseconds intervalEnding = 2s;
constexpr std::chrono::milliseconds intervalOthers = 10s;
constexpr std::chrono::milliseconds intervalOffScreen = 1min;
/// Minimum interval for a hash that changes all the time.
constexpr std::chrono::milliseconds minInterval = 500ms;
/// Minimum interval after the end of a field, which may still exist for a moment.
constexpr std::chrono::milliseconds minIntervalAfterEnd = 100ms;
/// Interval of the walk through the hashes off screen.
constexpr std::chrono::milliseconds offScreenTurn = 1s;
/// Number of hashes per batch; a screen takes a few batches.
constexpr std::size_t maxFieldBatch = 16;
/// Approximate cost of a hash in commands: its size (two), the names and the lifetimes of its fields.
constexpr int commandsPerHash = 4;
/// Maximum number of suspects.
constexpr qsizetype maxSuspectHashes = 10'000;

} // namespace

FieldQueue::FieldQueue(net::Session &session, const keys::KnownKeys &known,
                       const events::ObservationDispatcher &dispatcher, budget::CommandBudget &budget,
                       const base::Clock &clock, QObject *parent)
    : QObject(parent)
    , m_known(known)
    , m_dispatcher(dispatcher)
    , m_budget(budget)
    , m_clock(clock)
    , m_driver({&session}, clock, base::SystemRandom::instance())
{
    m_driver.setTimeout(fieldTimeout);
}

FieldQueue::~FieldQueue() = default;

void FieldQueue::restart()
{
    if (const auto run = std::exchange(m_run, std::nullopt))
        m_driver.cancel(*run);
    m_support = {};
    m_reads.clear();
}

void FieldQueue::keysChanged(const QList<QByteArray> &names)
{
    for (const QByteArray &name : names) {
        if (const auto lastRead = m_reads.find(name); lastRead != m_reads.end())
            lastRead->isTouched = true;
    }
}

bool FieldQueue::isDue(KeyId id, const QByteArray &name, Visibility visibility, MonotonicTime now) const
{
    const auto lastRead = m_reads.constFind(name);
    if (lastRead == m_reads.cend() || (lastRead->isTouched && lastRead->asked + minInterval <= now))
        return true;
    const keys::FieldDeadlines *ends = m_known.fieldEndsOf(id);
    const base::Deadline first = ends == nullptr ? base::Deadline::never() : ends->firstEnd();
    const bool hasEnded = !first.isNever() && first.at() + first.uncertainty() <= now;
    const auto interval = hasEnded                            ? minIntervalAfterEnd
                        : visibility == Visibility::OffScreen ? intervalOffScreen
                        : ends == nullptr                     ? intervalOthers
                                                              : intervalEnding;
    return lastRead->asked + interval <= now;
}

/// Returns whether the hash is off screen and has no known lifetimes that could become outdated.
bool FieldQueue::isNotWorthReading(const QByteArray &name) const
{
    const auto id = m_known.table.find(name);
    return !id || (m_known.fieldEndsOf(*id) == nullptr && std::ranges::find(m_visibleKeys, *id) == m_visibleKeys.end());
}

std::vector<base::Key> FieldQueue::due(MonotonicTime now)
{
    std::vector<base::Key> keys;
    std::optional<base::Key> suspect;
    const auto consider = [&](KeyId id, Visibility visibility) {
        if (keys.size() >= maxFieldBatch || !m_known.isLive(id) || m_known.table.type(id) != KeyType::Hash)
            return;
        const QByteArray name = m_known.table.key(id).toByteArray();
        if (m_refused.contains(name) || !isDue(id, name, visibility, now))
            return;
        if (m_suspects.contains(name)) {
            suspect = suspect.value_or(base::Key(name));
            return;
        }
        m_reads[name] = {now, false};
        keys.emplace_back(name);
    };
    for (const KeyId id : m_visibleKeys)
        consider(id, Visibility::OnScreen);
    if (m_nextOffScreen <= now) {
        m_nextOffScreen = now + offScreenTurn;
        m_reads.removeIf([this](const auto &lastRead) { return isNotWorthReading(lastRead.key()); });
        for (auto ends = m_known.fieldEnds.keyBegin(); ends != m_known.fieldEnds.keyEnd(); ++ends)
            consider(*ends, Visibility::OffScreen);
    }
    if (keys.empty() && suspect) {
        m_reads[suspect->bytes()] = {now, false};
        keys.push_back(*std::move(suspect));
    }
    return keys;
}

void FieldQueue::tick(MonotonicTime now)
{
    if (m_run || m_support.isRefused() || m_budget.available(now) < commandsPerHash)
        return;
    m_underWay = due(now);
    if (m_underWay.empty())
        return;
    m_run = m_driver.run<FieldLifetimesRead>(readFieldLifetimes(m_underWay, FieldRequest(), m_support),
                                             [this](const base::Result<FieldLifetimesRead> &read) {
                                                 m_run.reset();
                                                 if (read)
                                                     take(*read);
                                                 else
                                                     suspect(read.error());
                                             });
}

/// Handles an answer too large to accept, which has ended the connection. In a batch of several hashes, the cause is
/// unknown.
void FieldQueue::suspect(const base::Error &error)
{
    if (error.kind != base::ErrorKind::Local)
        return;
    if (m_underWay.size() > 1) {
        for (const base::Key &key : m_underWay) {
            m_reads.remove(key.bytes());
            if (m_suspects.size() < maxSuspectHashes)
                m_suspects.insert(key.bytes());
        }
        return;
    }
    const QByteArray name = m_underWay.front().bytes();
    m_suspects.remove(name);
    if (m_refused.size() < maxSuspectHashes)
        m_refused.insert(name);
    // The known lifetimes will soon be outdated.
    if (const auto id = m_known.table.find(name); id && m_known.fieldEndsOf(*id) != nullptr) {
        const MonotonicTime now = m_clock.now();
        m_dispatcher.deliver({{name, events::FieldExpiries {}, now, now, events::Source::Read}});
    }
}

void FieldQueue::take(const FieldLifetimesRead &read)
{
    const double commands = read.commands;
    m_budget.spend({commands, m_budget.costs() == nullptr ? 0 : commands * m_budget.costs()->estimate("HPTTL")});
    m_support = read.support;
    events::Observations observations;
    for (const FieldLifetimes &hash : read.hashes) {
        m_suspects.remove(hash.key.bytes());
        const auto id = m_known.table.find(hash.key.bytes());
        // Only changes are delivered; otherwise every recording would be full of repetitions.
        if (hash.isKnown && hash.ends.differsFrom(id ? m_known.fieldEndsOf(*id) : nullptr))
            observations.push_back(
                {hash.key.bytes(), events::FieldExpiries {hash.ends}, hash.asked, hash.answered, events::Source::Read});
    }
    m_dispatcher.deliver(observations);
}

} // namespace latchkey::watching
