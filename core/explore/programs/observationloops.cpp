#include "core/explore/programs/loopdetection.h"
#include "core/explore/programs/observationtree.h"

#include <QDeadlineTimer>

#include <algorithm>

// The part of ObservationTree that detects clients that repeat themselves.

namespace latchkey::programs {

using base::failure;
using base::Result;
using races::Offer;
using namespace std::chrono_literals;

namespace {

/// Limits of the check whether a client repeats itself forever: number of further rounds, and time. A client that would
/// give up later is also treated as retrying forever, and the result reports that.
constexpr int maxExtraRounds = 100;
constexpr auto maxRepetitionTime = 1s;
/// Limits of the check whether such a client does something else later: number of all rounds, and time.
constexpr int maxRounds = 600;
constexpr auto maxTimeOfMoreRounds = 2s;
/// Time after which a client that repeats itself is checked for a busy wait.
constexpr auto busyWaitCheck = 1h;

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

} // namespace

/// Returns whether the process, which has just completed a round, continues to repeat it.
Result<bool> ObservationTree::isRepeating(Process &process, const std::vector<TreeNodeId> &round)
{
    const QDeadlineTimer deadline(maxRepetitionTime);
    int rounds = minRepetitions;
    for (; rounds < minRepetitions + maxExtraRounds && !deadline.hasExpired(); ++rounds) {
        for (const TreeNodeId id : round) {
            if (auto settled = deliver(process, m_nodes[id].event); !settled)
                return failure(std::move(settled.error()));
            if (!match(process, m_nodes[id]))
                return false;
        }
    }
    if (!hasOtherCommand(m_nodes, round))
        m_livelockRepetitions = std::min(m_livelockRepetitions.value_or(rounds), rounds);
    const auto ends = endsWithTime(process, round);
    if (!ends)
        return failure(ends.error());
    m_hasBusyWait = m_hasBusyWait || *ends;
    if (*ends)
        return true;
    if (auto followed = followLonger(process, round, rounds); !followed)
        return failure(std::move(followed.error()));
    return true;
}

/// Follows the commands of the round for longer, once for all clients that repeat them. A client that ends then is like
/// one that retries forever. `rounds`: number of rounds so far.
Result<void> ObservationTree::followLonger(Process &process, const std::vector<TreeNodeId> &round, int rounds)
{
    std::vector<QByteArray> commands;
    for (const TreeNodeId id : round) {
        for (const Offer &offer : m_nodes[id].offers) {
            for (const resp::Command &command : offer.commands)
                commands.insert(commands.end(), command.words().begin(), command.words().end());
        }
    }
    if (!m_followedLonger.insert(std::move(commands)).second)
        return {};
    const QDeadlineTimer deadline(maxTimeOfMoreRounds);
    for (; rounds < maxRounds && !deadline.hasExpired(); ++rounds) {
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

/// Returns whether a process that repeats a round without sleeping does something else later: it waits for a time.
Result<bool> ObservationTree::endsWithTime(Process &process, const std::vector<TreeNodeId> &round)
{
    const bool hasTimer = std::ranges::any_of(
        round, [this](TreeNodeId id) { return isTimeEvent(m_nodes[id].event) || m_nodes[id].timer; });
    if (hasTimer || !isClockControlled())
        return false;
    process.beginEvent();
    process.advanceClock(busyWaitCheck);
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

} // namespace latchkey::programs
