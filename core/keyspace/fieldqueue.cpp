#include "core/keyspace/fieldqueue.h"

#include "core/base/random.h"

#include <algorithm>

namespace latchkey::keyspace {

using base::MonotonicTime;
using keys::KeyId;
using keys::KeyType;
using namespace std::chrono_literals;

namespace {

constexpr auto timeout = 30s;
/// A hash whose fields end is asked this often; one of which none does, less often: it is what most hashes are.
constexpr auto intervalEnding = 2s;
constexpr auto intervalOthers = 10s;
/// So many hashes are asked together: a screenful takes a few steps.
constexpr std::size_t mostAtOnce = 16;
/// What a hash costs, about: its size (two commands), the names and the lifetimes of its fields.
constexpr int commandsPerHash = 4;
/// No more hashes are suspected.
constexpr qsizetype mostSuspects = 10'000;

} // namespace

FieldQueue::FieldQueue(resp::Session &session, const keys::KnownKeys &known, const FanOut &fanOut,
                       CommandBudget &budget, const base::Clock &clock, QObject *parent)
    : QObject(parent)
    , m_known(known)
    , m_fanOut(fanOut)
    , m_budget(budget)
    , m_driver({&session}, clock, base::SystemRandom::instance())
{
    m_driver.setTimeout(timeout);
}

FieldQueue::~FieldQueue() = default;

void FieldQueue::restart()
{
    if (const auto run = std::exchange(m_run, std::nullopt))
        m_driver.cancel(*run);
    m_support = {};
    m_asked.clear();
}

void FieldQueue::touched(const QList<QByteArray> &names)
{
    for (const QByteArray &name : names)
        m_asked.remove(name);
}

/// When it is to be asked again that was asked then.
MonotonicTime FieldQueue::dueAt(KeyId id, MonotonicTime asked) const
{
    const keys::FieldEnds *ends = m_known.fieldEndsOf(id);
    if (ends == nullptr)
        return asked + intervalOthers;
    const base::Deadline first = ends->firstEnd();
    const MonotonicTime ended = first.isNever() ? MonotonicTime::max() : first.at() + first.uncertainty();
    return std::min(MonotonicTime(asked + intervalEnding), std::max(ended, MonotonicTime(asked + 100ms)));
}

std::vector<base::Key> FieldQueue::due(MonotonicTime now)
{
    std::vector<base::Key> keys;
    QHash<QByteArray, MonotonicTime> stillSeen;
    for (const KeyId id : m_attention) {
        if (!m_known.isLive(id) || m_known.table.type(id) != KeyType::Hash)
            continue;
        const QByteArray name = m_known.table.key(id).toByteArray();
        if (m_suspects.contains(name))
            continue;
        const auto asked = m_asked.constFind(name);
        const bool isDue = asked == m_asked.cend() || dueAt(id, *asked) <= now;
        if (isDue && keys.size() < mostAtOnce) {
            keys.emplace_back(name);
            stillSeen.insert(name, now);
        } else if (asked != m_asked.cend()) {
            stillSeen.insert(name, *asked);
        }
    }
    m_asked = std::move(stillSeen); // What has left the screen is asked anew when it comes back.
    return keys;
}

void FieldQueue::tick(MonotonicTime now)
{
    if (m_run || m_attention.empty() || m_support.isRefused() || m_budget.available(now) < commandsPerHash)
        return;
    m_underWay = due(now);
    if (m_underWay.empty())
        return;
    m_run = m_driver.run<FieldLifetimesRead>(readFieldLifetimes(m_underWay, FieldWish(), m_support),
                                             [this](const base::Result<FieldLifetimesRead> &read) {
                                                 m_run.reset();
                                                 if (read)
                                                     take(*read);
                                                 else
                                                     suspect(read.error());
                                             });
}

/// More than we take: what was being asked is why the connection is given up, all of it, for nobody knows which.
void FieldQueue::suspect(const base::Error &error)
{
    if (error.kind != base::ErrorKind::Local)
        return;
    for (const base::Key &key : m_underWay) {
        if (m_suspects.size() < mostSuspects)
            m_suspects.insert(key.bytes());
    }
}

void FieldQueue::take(const FieldLifetimesRead &read)
{
    m_budget.spend(read.commands);
    m_support = read.support;
    Observations observations;
    for (const FieldLifetimes &hash : read.hashes) {
        if (hash.isKnown)
            observations.push_back({hash.key.bytes(), FieldsEnd {hash.ends}, hash.asked, hash.answered, Source::Read});
    }
    m_fanOut.hand(observations);
}

} // namespace latchkey::keyspace
