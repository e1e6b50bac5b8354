#pragma once

#include "core/races/snapshot.h"

#include <vector>

namespace latchkey::races {

constexpr int mostClients = 5; ///< With the next client, who comes when all others are done.
constexpr int mostServers = 5;

/// One step of a schedule: a client's, or a fault.
struct Move
{
    enum class Kind : quint8 {
        Command,      ///< The client sends a command and has its reply.
        LostCommand,  ///< The same, but its connection ends before it has the reply.
        Message,      ///< It is told the next message of what it has subscribed to.
        Clock,        ///< It reads its clock.
        Rest,         ///< Its pause is over.
        Write,        ///< It writes to the resource that the lock protects.
        Crash,        ///< It dies.
        Lapse,        ///< A key's lifetime ends; where the clients are programs, time goes on to that.
        PassDeadline, ///< All clocks pass the deadline that is written in the lock.
        Begin,        ///< Where the clients are programs: the next client begins, later than all others.
        Timer,        ///< Where the clients are programs: time goes on to the next moment for which one of them waits.
    };

    static constexpr quint8 noWay = 0xFF;

    Kind kind = Kind::Command;
    qint8 client = nobody;
    quint8 way = noWay; ///< Which way the client takes first, where it stands at a fork.
    /// Of the command in its batch; of the server of a lapse; of a message its conversation. Of time that goes on for
    /// programs: those that have sent nothing and have begun all the same before that, a bit each; the others begin
    /// after it.
    quint8 index = 0;
    quint8 key = 0; ///< Which of the server's keys lapses.

    friend bool operator==(const Move &, const Move &) = default;
};

/// Who does what in which order. Together with what is explored it determines everything that happens.
using Schedule = std::vector<Move>;

} // namespace latchkey::races
