#pragma once

#include "core/explore/races/snapshot.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace latchkey::races {

constexpr int maxClients = 5; ///< Including the next client, which begins after all others are done.
constexpr int maxServers = 7;

/// One step of a schedule: a step of a client, or a fault.
struct Move
{
    enum class Kind : quint8 {
        Command,          ///< The client sends a command and receives the reply.
        LostCommand,      ///< The client sends a command, and its connection ends before the reply arrives.
        UnreachedCommand, ///< The client sends a command that does not reach the server.
        Message,          ///< The client receives the next message of its subscriptions.
        Clock,            ///< The client reads its clock.
        Rest,             ///< The client's pause is over, or a program ends that has entered with its last command.
        Write,            ///< The client writes to the resource that the lock protects.
        Crash,            ///< The client crashes.
        Lapse,            ///< A key's lifetime ends; if the clients are programs, time advances to that moment.
        PassDeadline,     ///< All clocks pass the deadline stored in the lock.
        Begin,            ///< The next client begins, after all others; only if the clients are programs.
        Timer,            ///< Time advances to the next timer of a client; only if the clients are programs.
        Failover,         ///< A replica takes over for a server; it lacks the server's last writes.
        Restart,          ///< A server restarts.
        Return,           ///< A server can be reached again after its restart.
        ClockJump,        ///< A server's clock jumps past the end of all its lifetimes.
    };

    static constexpr quint8 noBranch = 0xFF;
    static constexpr quint8 everything = 0xFF;

    Kind kind = Kind::Command;
    qint8 client = noClient;
    quint8 branch = noBranch; ///< Branch that the client takes first at a fork; noBranch elsewhere.
    /// Index of the command among the client's requests, of the server of a fault, or of the conversation of a message.
    /// In a move that advances time for programs: a set of clients, one bit each, that have begun before the move
    /// without sending a command. All other clients without a command begin after the move.
    quint8 index = 0;
    /// Index of the lapsing key among the server's keys. In a failover or a restart: the number of the server's last
    /// writes that are lost; `everything` if the server is empty after it.
    quint8 key = 0;

    friend bool operator==(const Move &, const Move &) = default;
};

/// The moves of an exploration in order. Together with the subject, a schedule determines everything that happens.
using Schedule = std::vector<Move>;

/// Returns the number of clients that crash.
[[nodiscard]] inline std::ptrdiff_t crashes(const Schedule &schedule)
{
    return std::ranges::count(schedule, Move::Kind::Crash, &Move::kind);
}

/// Returns whether the first deadlock is the better example: fewer clients crash or, if equally many crash, it has
/// fewer moves.
[[nodiscard]] inline bool isBetterDeadlock(const Schedule &first, const Schedule &second)
{
    return std::pair(crashes(first), first.size()) < std::pair(crashes(second), second.size());
}

} // namespace latchkey::races
