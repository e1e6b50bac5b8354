#include "core/explore/programs/loopdetection.h"
#include "core/explore/programs/observationtree.h"

#include <QDeadlineTimer>

#include <algorithm>
#include <array>

// The part of ObservationTree that detects clients that repeat themselves.

namespace latchkey::programs {

using base::failure;
using base::Result;
using races::Offer;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// Limits of the check whether a client repeats itself forever: number of further rounds, and time; see RoundLimit. A
/// client that would give up later is also treated as retrying forever, and the result reports that.
constexpr int maxExtraRounds = 100;
constexpr auto maxRepetitionTime = 1s;
/// The same number after another history, if a client was found to repeat the same commands forever.
constexpr int extraRoundsIfKnown = 25;
/// Limits of the check whether such a client does something else later: number of all rounds, and time as above.
constexpr int maxRounds = 600;
constexpr auto maxTimeOfMoreRounds = 2s;
/// Usual times for which programs repeat commands without sleeping, in ascending order. The last one is the longest
/// busy wait that is found.
constexpr std::array<milliseconds, 19> usualWaits {50ms, 100ms, 200ms, 250ms, 300ms, 500ms, 1s,  1500ms, 2s,   3s,
                                                   4s,   5s,    10s,   15s,   20s,   30s,   60s, 300s,   3600s};

/// A limit of the effort to observe further rounds of a process.
///
/// With a virtual clock, the limit is a number of processes that the process starts, so that the verdict does not
/// depend on the load of the machine. On the machine's clock, a wait takes its time, and the limit is a time.
class RoundLimit final
{
public:
    RoundLimit(const Process &process, bool hasOnlyVirtualClock, milliseconds time)
        : m_process(process)
        , m_idsBefore(process.idsShown())
        , m_deadline(hasOnlyVirtualClock ? QDeadlineTimer(QDeadlineTimer::Forever) : QDeadlineTimer(time))
    {}

    [[nodiscard]] bool isReached() const
    {
        return m_deadline.hasExpired() || m_process.idsShown() - m_idsBefore >= maxIds;
    }

private:
    /// Such as 40 rounds of a shell script that starts two commands in each.
    static constexpr quint32 maxIds = 120;

    const Process &m_process; // Not owned.
    const quint32 m_idsBefore;
    const QDeadlineTimer m_deadline;
};

/// Returns whether a command of another conversation is pending during the whole round. Then the client can do more
/// than repeat the round, such as a watchdog thread while the main thread waits for its reply.
bool hasOtherCommand(const std::vector<TreeNode> &nodes, const std::vector<TreeNodeId> &round)
{
    const auto isServed = [&](int conversation) {
        return std::ranges::any_of(round, [&](TreeNodeId id) {
            return !isTimeEvent(nodes[id].event) && nodes[id].event.conversation == conversation;
        });
    };
    return std::ranges::any_of(nodes[round.front()].offers,
                               [&](const Offer &offer) { return !isServed(offer.conversation); });
}

/// Returns the words of all commands of the round.
std::vector<QByteArray> commandsOf(const std::vector<TreeNode> &nodes, const std::vector<TreeNodeId> &round)
{
    std::vector<QByteArray> commands;
    for (const TreeNodeId id : round) {
        for (const Offer &offer : nodes[id].offers) {
            for (const resp::Command &command : offer.commands)
                commands.insert(commands.end(), command.words().begin(), command.words().end());
        }
    }
    return commands;
}

} // namespace

/// Returns how long the process, which has just completed a round, continues to repeat it.
Result<ObservationTree::Repetition> ObservationTree::repetitionOf(Process &process,
                                                                  const std::vector<TreeNodeId> &round)
{
    const bool isKnown = !m_endOfRetries && m_followedLonger.contains(commandsOf(m_nodes, round));
    const int extraRounds = isKnown ? extraRoundsIfKnown : maxExtraRounds;
    const RoundLimit limit(process, isClockControlled() && !m_hasOtherClocks, maxRepetitionTime);
    int rounds = minRepetitions;
    for (; rounds < minRepetitions + extraRounds && !limit.isReached(); ++rounds) {
        for (const TreeNodeId id : round) {
            if (auto settled = deliver(process, m_nodes[id].event); !settled)
                return failure(std::move(settled.error()));
            if (!match(process, m_nodes[id]))
                return Repetition::None;
        }
    }
    if (!hasOtherCommand(m_nodes, round))
        m_livelockRepetitions = std::min(m_livelockRepetitions.value_or(rounds), rounds);
    const bool hasTimer = std::ranges::any_of(
        round, [this](TreeNodeId id) { return isTimeEvent(m_nodes[id].event) || m_nodes[id].timer; });
    if (!hasTimer && isClockControlled()) {
        const auto changes = changesAfter(process, round, usualWaits.back());
        if (!changes)
            return failure(changes.error());
        if (*changes)
            return Repetition::UntilATime;
    }
    if (auto followed = followLonger(process, round, rounds); !followed)
        return failure(std::move(followed.error()));
    return Repetition::Endless;
}

/// Follows the commands of the round for longer, once for all clients that repeat them. A client that ends then is like
/// one that retries forever. `rounds`: number of rounds so far.
Result<void> ObservationTree::followLonger(Process &process, const std::vector<TreeNodeId> &round, int rounds)
{
    if (!m_followedLonger.insert(commandsOf(m_nodes, round)).second)
        return {};
    const RoundLimit limit(process, isClockControlled() && !m_hasOtherClocks, maxTimeOfMoreRounds);
    for (; rounds < maxRounds && !limit.isReached(); ++rounds) {
        for (const TreeNodeId id : round) {
            if (auto settled = deliver(process, m_nodes[id].event); !settled)
                return settled;
            if (isAt(process, m_nodes[id]))
                continue;
            m_endOfRetries = rounds;
            if (!process.isOver())
                m_lateRetries = rounds;
            return {};
        }
    }
    return {};
}

/// Returns whether the process, which repeats the round, does something else after a further time.
Result<bool> ObservationTree::changesAfter(Process &process, const std::vector<TreeNodeId> &round, milliseconds time)
{
    process.beginEvent();
    process.advanceClock(time);
    if (auto settled = process.settle(); !settled)
        return failure(std::move(settled.error()));
    for (int rounds = 0; rounds < minRepetitions; ++rounds) {
        for (const TreeNodeId id : round) {
            if (process.isOver())
                return true;
            if (auto settled = deliver(process, m_nodes[id].event); !settled)
                return failure(std::move(settled.error()));
            if (!isAt(process, m_nodes[id]))
                return true;
        }
    }
    return false;
}

/// Returns the time after which a process that repeats a round without sleeping does something else. `event`: the last
/// one after the node `from`.
Result<milliseconds> ObservationTree::busyWaitTime(TreeNodeId from, const ProcessEvent &event,
                                                   const std::vector<TreeNodeId> &round)
{
    const auto processThere = [&]() -> Result<std::unique_ptr<Process>> {
        auto process = freshProcessAt(from, false);
        if (!process)
            return process;
        if (auto settled = deliver(**process, event); !settled)
            return failure(std::move(settled.error()));
        return process;
    };
    auto process = processThere();
    if (!process)
        return failure(std::move(process.error()));
    // Most programs wait for a usual time. One process can try all of them, and the moments before them.
    milliseconds notYet = 0ms;
    milliseconds end = usualWaits.back();
    const auto tries = [&](milliseconds time) { return changesAfter(**process, round, time - notYet); };
    for (const milliseconds usual : usualWaits) {
        for (const milliseconds time : {usual - 1ms, usual}) {
            const auto changes = tries(time);
            if (!changes)
                return failure(changes.error());
            (*changes ? end : notYet) = time;
            if (*changes)
                break;
        }
        if (end <= usual)
            break;
    }
    while (end - notYet > 1ms) {
        if (process = processThere(); !process)
            return failure(std::move(process.error()));
        const milliseconds middle = notYet + (end - notYet) / 2;
        const auto changes = changesAfter(**process, round, middle);
        if (!changes)
            return failure(changes.error());
        (*changes ? end : notYet) = middle;
    }
    return end;
}

/// Adds the nodes of a round that the process repeats until the time, and returns the first. `node`: the end of the
/// last round that was observed.
TreeNodeId ObservationTree::addBusyWait(TreeNode node, const std::vector<TreeNodeId> &round, milliseconds time)
{
    const auto first = static_cast<TreeNodeId>(m_nodes.size());
    const auto add = [&](TreeNode added) {
        added.base = static_cast<TreeNodeId>(m_nodes.size());
        added.timer = time;
        added.dependsOnTime = false; // Until that time, the round is the same.
        m_nodes.push_back(std::move(added));
        return m_nodes.back().base;
    };
    TreeNodeId last = add(std::move(node));
    for (const TreeNodeId id : round) {
        const std::pair key {last, keyOf(m_nodes[id].event)};
        if (id == round.back()) {
            m_children.insert(key, first);
            break;
        }
        TreeNode next = m_nodes[id];
        next.parent = last;
        next.begin = m_nodes[first].begin;
        next.time = m_nodes[first].time;
        last = add(std::move(next));
        m_children.insert(key, last);
    }
    return first;
}

} // namespace latchkey::programs
