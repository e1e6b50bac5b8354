#include "core/keyspace/watching/pollplan.h"

#include <algorithm>

namespace latchkey::watching {

using base::MonotonicTime;
using keys::KeyId;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using namespace std::chrono_literals;

namespace {

/// Keys that end within this time are examined in every call.
constexpr auto horizon = 15s;
/// Maximum number of such keys; further keys are left to the sweep.
constexpr qsizetype maxNear = 20'000;

/// Time after the deadline in which a key is asked often. A key that still exists then has another expiry, or is kept
/// for a reason.
constexpr auto soonAfter = 200ms;

/// Number of calls in which the whole table is examined.
constexpr quint32 callsPerSweep = 150;

} // namespace

PollPlan::PollPlan(const keys::KnownKeys &known)
    : m_known(known)
{}

bool PollPlan::isVisible(KeyId id) const
{
    return std::ranges::find(m_visibleKeys, id) != m_visibleKeys.end();
}

milliseconds PollPlan::interval(std::optional<nanoseconds> left, bool isVisible) const
{
    constexpr milliseconds shortest = 100ms;
    constexpr milliseconds whileWatched = 250ms;
    constexpr milliseconds longest = 60s;

    // Half of the budget is for requests about all keys in turn.
    const milliseconds turn(m_known.table.size() * 2000 / std::max(1, m_perSecond));
    const milliseconds ceiling = isVisible ? whileWatched : std::clamp(turn, milliseconds(1s), longest);
    if (!left)
        return ceiling;
    return std::clamp(std::chrono::duration_cast<milliseconds>(*left / 8), shortest, ceiling);
}

bool PollPlan::isNear(const base::Deadline &deadline, MonotonicTime now)
{
    const auto left = deadline.remaining(now);
    return left && *left < horizon;
}

void PollPlan::recordExpiry(KeyId id, const base::Deadline &deadline, MonotonicTime now)
{
    if (isNear(deadline, now) && m_near.size() < maxNear)
        m_near.insert(id);
}

void PollPlan::began(const std::vector<KeyId> &ids)
{
    for (const KeyId id : ids)
        m_asked.insert(id);
}

void PollPlan::ended(const std::vector<KeyId> &ids)
{
    for (const KeyId id : ids)
        m_asked.remove(id);
}

void PollPlan::forgetRequested()
{
    m_asked.clear();
}

void PollPlan::consider(KeyId id, MonotonicTime now, bool isVisible, Candidates &candidates)
{
    const auto deadline = m_known.table.deadline(id);
    const auto left = deadline.remaining(now);
    const auto since = now - m_known.table.sampled(id);
    auto wait = interval(left, isVisible);
    // The key existed at the last sample and must have ended since. Ask at once, and again soon if the request came too
    // early.
    if (deadline.hasPassed(now) && m_known.table.sampled(id) <= deadline.at())
        wait = 1ms;
    else if (deadline.hasPassed(now) && now - deadline.at() < soonAfter)
        wait = 10ms;
    if (since < wait || m_considered.contains(id) || m_asked.contains(id))
        return;
    m_considered.insert(id);
    candidates.push_back({id, static_cast<double>(since.count()) / static_cast<double>(nanoseconds(wait).count())});
}

void PollPlan::considerNear(MonotonicTime now)
{
    for (auto near = m_near.begin(); near != m_near.end();) {
        if (m_known.isLive(*near) && isNear(m_known.table.deadline(*near), now)) {
            consider(*near, now, false, m_others);
            ++near;
        } else {
            near = m_near.erase(near);
        }
    }
}

void PollPlan::considerSome(MonotonicTime now)
{
    const quint32 limit = m_known.table.idLimit();
    for (quint32 count = std::min(limit, std::max(limit / callsPerSweep, 64U)); count > 0; --count) {
        if (m_sweep >= limit)
            m_sweep = 0;
        const KeyId id {m_sweep++};
        if (!m_known.isLive(id))
            continue;
        consider(id, now, false, m_others);
        recordExpiry(id, m_known.table.deadline(id), now);
    }
}

/// Takes the most overdue candidates first.
void PollPlan::take(Candidates &from, std::size_t maximum, std::vector<KeyId> &to)
{
    const std::size_t count = std::min(maximum, from.size());
    std::partial_sort(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count), from.end(),
                      [](const Candidate &a, const Candidate &b) { return a.overdue > b.overdue; });
    for (std::size_t i = 0; i < count; ++i)
        to.push_back(from[i].id);
}

std::vector<KeyId> PollPlan::due(MonotonicTime now, std::size_t maximum)
{
    m_onScreen.clear();
    m_others.clear();
    m_considered.clear();
    for (const KeyId id : m_visibleKeys) {
        if (m_known.isLive(id))
            consider(id, now, true, m_onScreen);
    }
    considerNear(now);
    considerSome(now);

    // Keys on screen get half of the commands, missed keys half of the rest. Unused shares pass on, and a single
    // command goes to the first group.
    std::vector<KeyId> ids;
    ids.reserve(std::min(maximum, m_onScreen.size() + m_missed.size() + m_others.size()));
    const bool isContested = !m_missed.empty() || !m_others.empty();
    take(m_onScreen, isContested ? (maximum + 1) / 2 : maximum, ids);
    const std::size_t rest = maximum - ids.size();
    const std::size_t forMissed =
        m_others.empty() ? rest : std::max((rest + 1) / 2, rest - std::min(rest, m_others.size()));
    for (std::size_t taken = 0; taken < forMissed && !m_missed.empty(); m_missed.pop_front()) {
        if (const KeyId id = m_missed.front(); m_known.isLive(id) && !m_asked.contains(id)) {
            ids.push_back(id);
            ++taken;
        }
    }
    take(m_others, maximum - ids.size(), ids);
    return ids;
}

} // namespace latchkey::watching
