#include "core/explore/programs/observationtree.h"
#include "core/explore/programs/timesofday.h"

#include <algorithm>
#include <ranges>

// The part of ObservationTree that infers the behaviour at one time from that at another.

namespace latchkey::programs {

using base::failure;
using base::Result;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// Time between the starts of two clients. Their clocks show the same second.
constexpr auto startDelay = 7ms;

} // namespace

/// Checks whether a process that starts a moment later has other tokens. If not, they depend only on the time of the
/// start, such as numbers of a generator that is seeded with the current second, and two clients can have the same.
/// `process`: has just received the event after the node `from`; null: it has just started. `offers`: its commands.
Result<void> ObservationTree::checkNewTokens(const Process &process, TreeNodeId from, const ProcessEvent *event,
                                             const std::vector<races::Offer> &offers)
{
    const qsizetype known = m_nodes.empty() ? 0 : m_nodes[from].tokens.size();
    if (!isClockControlled() || !m_processes.clock()->differs || process.tokens.size() == known)
        return {};
    const auto later = freshProcessAt(from, false, startDelay);
    // A failure shows another difference, which the search finds too.
    if (!later || (event != nullptr && !deliver(**later, *event))
        || !learnValues(m_substitution.named((*later)->offers()), offers, (*later)->tokens))
        return {};
    const QList<QByteArray> tokens = process.tokens.mid(known);
    const QList<QByteArray> laterTokens = (*later)->tokens.mid(known);
    const auto isShared = [&](qsizetype n) { return n < laterTokens.size() && tokens[n] == laterTokens[n]; };
    if (std::ranges::none_of(std::views::iota(qsizetype(0), tokens.size()), isShared))
        return {};
    m_maySendTimes = true;
    return failure(differs(offers, offers, true, false));
}

/// Finds the node after the event. No process is asked if the answer follows from the known history without the
/// elapsed time.
Result<TreeNodeId> ObservationTree::find(TreeNodeId from, const ProcessEvent &event)
{
    if (m_program.observesEachTime)
        return learn(from, event);
    const TreeNode node = m_nodes[from]; // A copy: the next call may add nodes.
    if (event.kind == ProcessEvent::Kind::Begin) {
        const bool mayReadClock = !m_processes.clock()->differs; // The process may read its clock at start.
        return mayReadClock ? learn(from, event) : shifted(start, event.time, 0ms, m_nodes[start].waited);
    }
    if (node.begin > 0ms && m_nodes[node.base].begin == 0ms && m_processes.clock()->differs) {
        const auto found = findFromEarliestStart(node, event);
        if (!found || *found)
            return found.map([](std::optional<TreeNodeId> to) { return *to; });
    }
    if (event.kind == ProcessEvent::Kind::TimeAdvance) {
        if (node.timer && *node.timer <= event.time)
            return findTimeAdvance(from, event);
        return shifted(node.base, node.begin, node.time + event.time, waitedAfter(node, event, node.offers));
    }
    if (node.base == from)
        return learn(from, event);
    const TreeNodeId to = after(node.base, event);
    if (m_error)
        return failure(*std::exchange(m_error, std::nullopt));
    const TreeNode &there = m_nodes[to];
    return there.base == to && !there.dependsOnTime
             ? shifted(to, node.begin, node.time, waitedAfter(node, event, there.offers))
             : learn(from, event);
}

/// Finds the node after a pass of time that ends a wait. A process does not notice the number of steps until then, so
/// all of the time since the base passes in one step.
Result<TreeNodeId> ObservationTree::findTimeAdvance(TreeNodeId from, const ProcessEvent &event)
{
    const TreeNode node = m_nodes[from]; // A copy: the next call may add nodes.
    const TreeNode base = m_nodes[node.base];
    if (node.base == from)
        return findLongTimeAdvance(from, event);
    if (node.begin != base.begin || node.time < base.time)
        return learn(from, event);
    ProcessEvent whole = event;
    whole.time += node.time - base.time;
    const TreeNodeId to = after(node.base, whole);
    if (m_error)
        return failure(*std::exchange(m_error, std::nullopt));
    const TreeNode reached = m_nodes[to];
    return shifted(reached.base, reached.begin, reached.time, waitedAfter(node, event, reached.offers));
}

/// Finds the node after a pass of time that is longer than the wait of the base `from`. A process that has not used its
/// clock at the end of its wait does not notice how much later than that it continues.
Result<TreeNodeId> ObservationTree::findLongTimeAdvance(TreeNodeId from, const ProcessEvent &event)
{
    const TreeNode node = m_nodes[from]; // A copy: the next call may add nodes.
    ProcessEvent untilEnd = event;
    untilEnd.time = *node.timer + 1ms;
    if (event.time <= untilEnd.time)
        return learn(from, event);
    const TreeNodeId end = after(from, untilEnd);
    if (m_error)
        return failure(*std::exchange(m_error, std::nullopt));
    const TreeNode ended = m_nodes[end];
    // If two waits end at once, their commands arrive together and are numbered otherwise. A node of an earlier round
    // does not tell what the process did now.
    const bool endsAnotherWait = ended.timer && *ended.timer <= event.time - untilEnd.time;
    if (endsAnotherWait || ended.base != end || ended.parent != from || ended.dependsOnTime)
        return learn(from, event);
    return shifted(end, node.begin, node.time + event.time, waitedAfter(node, event, ended.offers));
}

/// Finds the node after the event from the node of a process that has begun without delay.
///
/// Each node is observed with two processes that begin at different times of day. If both behaved the same and wait for
/// the same time, the node is valid for every start time. Absent: the node is not valid, or the process has received a
/// time of day, which it may compare with its own clock.
Result<std::optional<TreeNodeId>> ObservationTree::findFromEarliestStart(const TreeNode &node,
                                                                         const ProcessEvent &event)
{
    if (node.dependsOnStartTime || node.knowsTimeOfDay || containsTimeOfDay(event.reply))
        return std::nullopt;
    const TreeNodeId to = after(shifted(node.base, 0ms, node.time, node.waited), event);
    if (m_error)
        return failure(*std::exchange(m_error, std::nullopt));
    const TreeNode reached = m_nodes[to]; // A copy: the next call may add nodes.
    if (reached.dependsOnStartTime)
        return std::nullopt;
    return shifted(reached.base, node.begin, reached.time, reached.waited);
}

TreeNodeId ObservationTree::withoutTime(TreeNodeId id)
{
    const TreeNode node = m_nodes[id]; // A copy: the next call may add a node.
    const TreeNode base = m_nodes[node.base];
    const auto elapsed = node.timer && base.timer ? *base.timer - *node.timer : 0ms;
    return shifted(node.base, base.begin, base.time + elapsed, node.waited);
}

/// Returns the node of the base with other times. `begin`: its start time. `time`: the time elapsed since then.
TreeNodeId ObservationTree::shifted(TreeNodeId base, milliseconds begin, milliseconds time, const Waited &waited)
{
    if (m_nodes[base].begin == begin && m_nodes[base].time == time && m_nodes[base].waited == waited)
        return base;
    const auto [known, isNew] =
        m_shifted.try_emplace({base, begin.count(), time.count(), waited}, TreeNodeId(m_nodes.size()));
    if (!isNew)
        return known->second;
    TreeNode node = m_nodes[base];
    node.parent = base;
    node.base = base;
    node.event = {};
    node.event.kind = ProcessEvent::Kind::TimeAdvance;
    node.event.time = time - m_nodes[base].time;
    node.begin = begin;
    node.time = time;
    node.waited = waited;
    if (node.timer)
        *node.timer -= node.event.time;
    m_nodes.push_back(std::move(node));
    return known->second;
}

} // namespace latchkey::programs
