#pragma once

#include "core/explore/programs/processpool.h"
#include "core/explore/races/run.h"

#include <vector>

namespace latchkey::programs {

/// An event that a process receives.
struct ProcessEvent
{
    enum class Kind : quint8 {
        Reply,       ///< A reply of the server in one conversation.
        Loss,        ///< The end of the conversation in place of the reply.
        Message,     ///< A message to a subscribed conversation.
        TimeAdvance, ///< Time that passes.
        Begin,       ///< A start later than that of the other processes; only as the first event.
    };

    Kind kind = Kind::Reply;
    quint8 conversation = 0;
    std::chrono::milliseconds time {};
    resp::Reply reply {};

    friend bool operator==(const ProcessEvent &, const ProcessEvent &) = default;
};

/// Returns whether the event only changes the time of the process.
[[nodiscard]] bool isTimeEvent(const ProcessEvent &event);
/// Returns a unique key for the event.
[[nodiscard]] QByteArray keyOf(const ProcessEvent &event);

/// Time for which each offer has waited in the server, in the order of the offers. Zero for commands that do not block
/// or have no timeout.
using Waited = std::vector<std::chrono::milliseconds>;

/// The state of a process after a history of events, with its next commands.
///
/// Most actions of a program do not depend on its clock, so time may pass before or after them with the same result. A
/// node therefore consists of a base and a time. The base is the node of the same history without the time advances
/// that had no effect.
struct TreeNode
{
    TreeNodeId parent = 0;
    TreeNodeId base = 0;                ///< The node itself, if its behaviour was observed.
    ProcessEvent event;                 ///< Last event, which led here from the parent.
    std::chrono::milliseconds begin {}; ///< Start of the process, since the start of the exploration.
    std::chrono::milliseconds time {};  ///< Time since the start of the process.
    std::vector<races::Offer> offers;   ///< Next commands, with tokenPlaceholder() and tokenName() in place of values.
    Waited waited;
    std::optional<std::chrono::milliseconds> timer; ///< Time until the process continues; absent: never.
    quint64 listening = 0;                          ///< Conversations that are open for messages, one bit each.
    /// Names of the critical sections that the process has reported to be inside, sorted, with tokenPlaceholder() and
    /// tokenName() in place of values.
    QList<QByteArray> criticalSections;
    QList<QByteArray> tokens; ///< Prefix of the name of each own value sent so far.
    int commands = 0;         ///< Number of commands sent so far.
    int exitCode = 0;
    bool dependsOnTime = false; ///< Whether the step from the parent depends on time: see Process::dependsOnTime().
    /// Whether two processes that began at different times of day have waited for different times, here or before.
    bool dependsOnStartTime = false;
    bool knowsTimeOfDay = false; ///< Whether the process has received a time of day.
    bool isOver = false;
    bool endsInsideSection = false; ///< Whether the process has entered a critical section with its last command.
    bool isAtCommandLimit = false;  ///< Whether the process has reached its command limit.

    [[nodiscard]] bool hasSentCommand() const { return commands > 0 || !offers.empty(); }
};

/// Returns the waiting times of the offers after the event. Offers that were already there have waited longer by the
/// elapsed time.
[[nodiscard]] Waited waitedAfter(const TreeNode &from, const ProcessEvent &event,
                                 const std::vector<races::Offer> &offers);

} // namespace latchkey::programs
