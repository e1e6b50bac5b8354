#include "core/keyspace/pollplan.h"

#include <algorithm>

namespace latchkey::keyspace {

using base::MonotonicTime;
using keys::KeyId;
using keys::KeyState;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using namespace std::chrono_literals;

namespace {

/// Keys that end within this time are looked at in every call.
constexpr auto horizon = 15s;
/// Of those, at most so many: a million that end together are left to the sweep.
constexpr qsizetype mostNear = 20'000;

/// The whole table is looked at in this many calls.
constexpr quint32 callsPerSweep = 150;

} // namespace

PollPlan::PollPlan(const keys::KeyTable &table)
    : m_table(table)
{}

void PollPlan::clear()
{
    m_attention.clear();
    m_doubted.clear();
    m_near.clear();
    m_sweep = 0;
}

milliseconds PollPlan::interval(std::optional<nanoseconds> left, bool hasAttention) const
{
    constexpr milliseconds shortest = 100ms;
    constexpr milliseconds whileWatched = 250ms;
    constexpr milliseconds longest = 60s;

    // Half of the budget goes into asking everybody in turn.
    const milliseconds turn(m_table.size() * 2000 / std::max(1, m_perSecond));
    const milliseconds ceiling = hasAttention ? whileWatched : std::clamp(turn, milliseconds(1s), longest);
    if (!left)
        return ceiling;
    return std::clamp(std::chrono::duration_cast<milliseconds>(*left / 8), shortest, ceiling);
}

bool PollPlan::isWatchable(KeyId id) const
{
    return id.value < m_table.idLimit() && m_table.isUsed(id) && m_table.state(id) == KeyState::Live;
}

void PollPlan::noticed(KeyId id, const base::Deadline &deadline, MonotonicTime now)
{
    const auto left = deadline.remaining(now);
    if (left && *left < horizon && m_near.size() < mostNear)
        m_near.insert(id);
}

void PollPlan::consider(KeyId id, MonotonicTime now, bool hasAttention)
{
    const auto deadline = m_table.deadline(id);
    const auto left = deadline.remaining(now);
    const auto since = now - m_table.sampled(id);
    auto wait = interval(left, hasAttention);
    // One that was alive when last asked and must have ended since: that is worth knowing at once.
    if (deadline.hasPassed(now) && m_table.sampled(id) <= deadline.at())
        wait = 1ms;
    if (since < wait || m_considered.contains(id))
        return;
    m_considered.insert(id);
    m_candidates.push_back({id, static_cast<double>(since.count()) / static_cast<double>(nanoseconds(wait).count())});
}

std::vector<KeyId> PollPlan::due(MonotonicTime now, std::size_t most)
{
    m_candidates.clear();
    m_considered.clear();

    for (const KeyId id : m_attention) {
        if (isWatchable(id))
            consider(id, now, true);
    }
    for (auto near = m_near.begin(); near != m_near.end();) {
        const auto left = isWatchable(*near) ? m_table.deadline(*near).remaining(now) : std::nullopt;
        if (left && *left < horizon) {
            consider(*near, now, false);
            ++near;
        } else {
            near = m_near.erase(near);
        }
    }
    const quint32 limit = m_table.idLimit();
    for (quint32 count = std::min(limit, std::max(limit / callsPerSweep, 64U)); count > 0; --count) {
        if (m_sweep >= limit)
            m_sweep = 0;
        const KeyId id {m_sweep++};
        if (!isWatchable(id))
            continue;
        consider(id, now, false);
        noticed(id, m_table.deadline(id), now);
    }

    const std::size_t sorted = std::min(most, m_candidates.size());
    std::partial_sort(m_candidates.begin(), m_candidates.begin() + static_cast<std::ptrdiff_t>(sorted),
                      m_candidates.end(), [](const Candidate &a, const Candidate &b) { return a.overdue > b.overdue; });
    std::vector<KeyId> ids;
    ids.reserve(sorted);
    for (std::size_t i = 0; i < sorted; ++i)
        ids.push_back(m_candidates[i].id);
    // Doubts wait their turn behind what is due, but they are never forgotten.
    while (!m_doubted.empty() && ids.size() < most) {
        if (const KeyId id = m_doubted.back(); isWatchable(id) && !m_considered.contains(id))
            ids.push_back(id);
        m_doubted.pop_back();
    }
    return ids;
}

} // namespace latchkey::keyspace
