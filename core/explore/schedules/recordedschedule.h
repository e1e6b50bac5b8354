#pragma once

#include "core/foundation/base/lease.h"
#include "core/foundation/base/text.h"
#include "core/redis/resp/command.h"
#include "core/redis/resp/reply.h"

#include <QString>

#include <chrono>
#include <map>
#include <optional>
#include <vector>

namespace latchkey::schedules {

/// An operation of a recipe, which may need several commands.
enum class Operation : quint8 { Acquire, Release, Extend, Put, Get };

/// One step of a story: an action of a client, or an event of a client or a server.
struct ScheduleStep
{
    enum class Kind : quint8 {
        Command,         ///< The client sends a command and receives the reply.
        Clock,           ///< The client reads its clock.
        Wait,            ///< The client waits before it retries.
        Message,         ///< The client receives a message of its subscriptions.
        CloseSubscriber, ///< The client closes its subscriber connection.
        Write,           ///< The client writes to the resource that the lock protects.
        Crash,           ///< The client crashes and its connections end.
        Lapse,           ///< The lifetime of a key ends on a server.
        PassDeadline,    ///< All clocks pass the deadline stored in a key.
        Failover,        ///< A replica takes over for a server, and the connections to the server end.
        Restart,         ///< A server restarts, and the connections to it end.
        Outage,          ///< A server restarts, and cannot be reached until all its lifetimes are over.
        Return,          ///< A server can be reached again after an outage.
        ClockJump,       ///< The clock of a server jumps, so that every lifetime on it ends.
    };

    Kind kind = Kind::Command;
    QString client;        ///< Name of the client; empty for faults.
    int server = 0;        ///< Server of a command or a fault, from 0.
    resp::Command command; ///< Command; the script argument of EVALSHA and EVAL is the name of a script of the story.
    resp::Reply reply;     ///< Reply to the command, or the received message.
    QByteArray key;        ///< Key that lapses, or key with the deadline.
    std::optional<qint64> clock;   ///< Clock reading as Unix time, in seconds.
    std::optional<qint64> fencing; ///< Fencing token of a write; absent: none.
    /// Whether the client enters (true) or leaves (false) its critical section with this step; absent: neither. A
    /// client is inside while it believes that it holds the lock: from the end of acquire until release starts or the
    /// client crashes.
    std::optional<bool> inside;
    /// Whether the server executes the command but the client's connection ends before the reply.
    bool isLost = false;
    /// Time that passes for all servers and clients with a lapse or a wait; 0: unspecified.
    std::chrono::milliseconds passed {};
    /// Steps whose writes the server lacks after a fault, ascending. These steps are all writes on the server since the
    /// first one.
    std::vector<std::size_t> lostSteps {};
    bool losesAll = false; ///< Whether the server is empty after a restart or an outage.
    /// Whether the command does not reach the server. The client receives no reply.
    bool isUnreached = false;
    base::Text note; ///< Further outcome, such as `A: released`; may be empty.
    /// Operation that begins with this step; absent: unspecified, or the step continues an operation.
    std::optional<Operation> begins {};
    std::chrono::milliseconds lease {}; ///< New lease of an Extend.

    /// Returns the action without its client: `SET k v NX`, `reads its clock: 1767225601`, `lapse`. With several
    /// servers, the server is included: `#2 SET k v NX`, `lapse on #2`.
    [[nodiscard]] base::Text action(int servers = 1) const;
    /// Returns the step in one line: `A SET k v NX → OK — A is inside`.
    [[nodiscard]] base::Text toText(int servers = 1) const;

    friend bool operator==(const ScheduleStep &, const ScheduleStep &) = default;
};

/// Returns whether a step of this kind is a server fault.
[[nodiscard]] constexpr bool isServerFault(ScheduleStep::Kind kind)
{
    return kind == ScheduleStep::Kind::Failover || kind == ScheduleStep::Kind::Restart
        || kind == ScheduleStep::Kind::Outage || kind == ScheduleStep::Kind::Return
        || kind == ScheduleStep::Kind::ClockJump;
}

/// A client of a story.
struct ScheduleClient
{
    QString name;
    std::chrono::milliseconds lease {};         ///< Requested lease.
    std::chrono::seconds clockAhead {};         ///< Lead of the client's clock over the first client's clock.
    std::optional<QByteArray> value {};         ///< Value that the client puts, if the recipe stores a value.
    std::map<QByteArray, QByteArray> fields {}; ///< Fields that the client puts, if the recipe stores a hash.

    friend bool operator==(const ScheduleClient &, const ScheduleClient &) = default;
};

/// A recorded schedule: steps with the expected server replies. It can be replayed on Redis servers without the program
/// that it was recorded from.
///
/// A value, created by the race finder or read from a file. The SchedulePlayer plays it.
struct RecordedSchedule
{
    QString title;
    QString recipe;
    QByteArray key;  ///< Key of the recipe; empty: unspecified.
    QString promise; ///< Promise that the story breaks; empty: none.
    QString verdict; ///< Result of the story, as one sentence.
    int servers = 1;
    std::vector<ScheduleClient> clients;
    std::map<QByteArray, QByteArray> scripts; ///< Lua sources by the names used in the steps.
    resp::Commands setupCommands;             ///< Commands sent to every server before the first step.
    std::vector<ScheduleStep> steps;

    friend bool operator==(const RecordedSchedule &, const RecordedSchedule &) = default;
};

} // namespace latchkey::schedules
