#include "core/explore/races/finder.h"
#include "core/explore/races/timeshare.h"

#include <algorithm>

// The passes of a finder with a time limit. In each pass, every promise without a result gets a share of the time that
// is left, and continues where its last share ended.

namespace latchkey::races {

/// Sets the share of the current promise, unless the promise has one.
void Finder::beginShare()
{
    if (!m_share)
        m_share = shareOf(m_options.deadline,
                          std::ranges::count_if(m_waiting, [this](const Rule *waiting) { return applies(*waiting); }));
}

/// Suspends the search for the current promise until the next pass. At the end of the time limit, its result covers a
/// part of the states.
void Finder::endShare()
{
    if (m_options.deadline.hasExpired()) {
        m_isOutOfTime = true;
        answerInPart();
        return;
    }
    const Rule *const rule = m_waiting.back();
    m_suspended[rule] = {m_current, std::move(m_model),  std::move(m_transitions),
                         m_sampled, std::move(m_search), std::exchange(m_standing, std::nullopt)};
    m_nextPass.insert(m_nextPass.begin(), rule);
    leaveCurrent();
}

/// Continues the search for the current promise if it was suspended.
void Finder::resume()
{
    const auto suspended = m_suspended.find(m_waiting.back());
    if (suspended == m_suspended.end())
        return;
    SuspendedSearch &search = suspended->second;
    m_current = search.subject;
    m_model = std::move(search.model);
    m_transitions = std::move(search.transitions);
    m_sampled = search.sampled;
    m_search = std::move(search.strategy);
    m_standing = std::move(search.standing);
    m_suspended.erase(suspended);
}

/// Goes on to the next promise of this pass, or to the next pass.
void Finder::leaveCurrent()
{
    m_share.reset();
    endSearch();
    m_waiting.pop_back();
    m_current = 0;
    if (m_waiting.empty())
        m_waiting.swap(m_nextPass);
}

void Finder::cancel()
{
    m_isCancelled = !m_waiting.empty();
    m_isOutOfTime = m_isOutOfTime || (m_isCancelled && m_options.deadline.hasExpired());
    if (m_standing || (m_search && !m_search->counterexample())) // A counterexample counts only after its replay.
        answerInPart();
    endSearch();
    while (!m_suspended.empty()) {
        m_waiting.push_back(m_suspended.begin()->first);
        resume();
        answerInPart();
    }
    m_waiting.clear();
    m_nextPass.clear();
}

/// Ends the search for the current promise early. Its result is that for fewer clients, or covers a part of the states.
void Finder::answerInPart()
{
    if (m_standing) {
        answer(*std::exchange(m_standing, std::nullopt));
        return;
    }
    PromiseResult result = resultFor(*m_waiting.back());
    result.verdict = Verdict::Holds;
    result.complete = false;
    answer(std::move(result));
}

/// Stores the result of the current promise, in the order in which the promises were asked.
void Finder::answer(PromiseResult result)
{
    const QStringList order = promises();
    const auto isLater = [&](const PromiseResult &other) {
        return order.indexOf(other.promise) > order.indexOf(result.promise);
    };
    m_results.insert(std::ranges::find_if(m_results, isLater), std::move(result));
    m_standing.reset();
    leaveCurrent();
}

} // namespace latchkey::races
