#pragma once

#include "core/base/lease.h"
#include "core/resp/command.h"
#include "core/resp/reply.h"

#include <QString>

#include <chrono>
#include <map>
#include <optional>
#include <vector>

namespace latchkey::stories {

/// What a client does with a recipe, in as many commands as that takes.
enum class Operation : quint8 { Acquire, Release, Extend, Put, Get };

/// What happens next: a client does something, or something happens to it or to a server.
struct Step
{
    enum class Kind : quint8 {
        Command,      ///< The client sends a command and has its reply.
        Clock,        ///< It reads its clock.
        Wait,         ///< It waits before it tries again.
        Message,      ///< It is told a message of what it has subscribed to.
        HangUp,       ///< It closes the connection over which it was told messages.
        Write,        ///< It writes to the resource that the lock protects.
        Crash,        ///< It dies; its connections end.
        Lapse,        ///< The lifetime of a key ends on a server.
        PassDeadline, ///< All clocks pass the deadline that is written in a key.
    };

    Kind kind = Kind::Command;
    QString client;                ///< By its name; empty where it is nobody's doing.
    int server = 0;                ///< From 0; of a command, a lapse and a deadline.
    resp::Command command;         ///< EVALSHA and EVAL name one of the story's scripts in its place.
    resp::Reply reply;             ///< To the command; of a message, that.
    QByteArray key;                ///< Of a lapse, a key with a lifetime; of a deadline, the one that holds it.
    std::optional<qint64> clock;   ///< What the clock said: Unix time, in seconds.
    std::optional<qint64> fencing; ///< The number that goes with a write; absent: it goes without.
    /// Where the step brings its client inside, true; where it ends that, false. Inside is who holds what the recipe
    /// guards, by its own lights: from the end of acquire until release starts, or it crashes.
    std::optional<bool> inside;
    /// Of a command: the server carries it out, and the client's connection ends before it has the reply.
    bool isLost = false;
    /// Of a lapse and a wait: how much time goes by with it, for everybody; 0: it is not told.
    std::chrono::milliseconds passed {};
    QString note; ///< What else has come of it, `A: released`; may be empty.
    /// The operation of the recipe that the client begins with this step; absent: it is in the middle of one, or it is
    /// not told.
    std::optional<Operation> begins {};
    std::chrono::milliseconds lease {}; ///< Of an Extend: the new one.

    /// What is done, without who does it: `SET k v NX`, `reads its clock: 1767225601`, `lapse`. Where there are several
    /// servers it says on which: `#2 SET k v NX`, `lapse on #2`.
    [[nodiscard]] QString deed(int servers = 1) const;
    /// As one line: `A  SET k v NX → OK    — A is inside`.
    [[nodiscard]] QString toText(int servers = 1) const;

    friend bool operator==(const Step &, const Step &) = default;
};

/// One of a story's clients.
struct Actor
{
    QString name;
    std::chrono::milliseconds lease {};         ///< That it asks for.
    std::chrono::seconds clockAhead {};         ///< By how much its clock is ahead of the first client's.
    std::optional<QByteArray> value {};         ///< That it puts, where the recipe holds one.
    std::map<QByteArray, QByteArray> fields {}; ///< Likewise, where it holds a hash.

    friend bool operator==(const Actor &, const Actor &) = default;
};

/// Who does what in which order, with what the servers answer: complete enough that somebody else, with nothing but
/// Redis servers and the story, sees the same happen.
///
/// A value, made by the race finder or read from a file; it does nothing by itself, see Player.
struct Story
{
    QString title;
    QString recipe;
    QByteArray key;  ///< That the recipe is used on; empty where that is not told.
    QString promise; ///< That the story breaks; empty where it breaks none.
    QString verdict; ///< What it has shown, as one sentence.
    int servers = 1;
    std::vector<Actor> actors;
    std::map<QByteArray, QByteArray> scripts; ///< The Lua sources by the names that the steps use.
    resp::Commands beforehand;                ///< Sent to every server before the first step.
    std::vector<Step> steps;

    friend bool operator==(const Story &, const Story &) = default;
};

} // namespace latchkey::stories
