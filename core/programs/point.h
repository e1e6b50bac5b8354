#pragma once

#include "core/programs/processes.h"
#include "core/races/run.h"

#include <vector>

namespace latchkey::programs {

/// What happens to a process.
struct Event
{
    enum class Kind : quint8 {
        Reply, ///< It is told what a server answers, in one of its conversations.
        Loss,  ///< The conversation ends instead of the reply.
        Told,  ///< It is told a message, in a conversation in which it has subscribed to that.
        Pass,  ///< So much time goes by.
        Begin, ///< Before all else: it begins so much later than the others.
    };

    Kind kind = Kind::Reply;
    quint8 conversation = 0;
    std::chrono::milliseconds time {};
    resp::Reply reply {};

    friend bool operator==(const Event &, const Event &) = default;
};

/// Whether nobody tells it anything but how late it is.
[[nodiscard]] bool isOfTime(const Event &event);
/// By which it is known.
[[nodiscard]] QByteArray keyOf(const Event &event);

/// For how long each of its offers has waited in the server, in their order; zero where it does not wait, or for ever.
using Waited = std::vector<std::chrono::milliseconds>;

/// Where a process stands after all that has happened to it, and what it does there.
///
/// Most of what a program does has nothing to do with its clock, and then it makes no difference whether time goes by
/// before that or after. So a point is a history without the time that has gone by since it last made a difference,
/// its base; and that time.
struct Point
{
    PointId parent = 0;
    PointId base = 0;                   ///< Itself, where a process has been seen to stand there.
    Event event;                        ///< That has brought it here.
    std::chrono::milliseconds begin {}; ///< When it has begun, since the beginning.
    std::chrono::milliseconds time {};  ///< How late it is, since then.
    std::vector<races::Offer> offers;   ///< Its own values stand as ownValue(), others' as tokenName().
    Waited waited;
    std::optional<std::chrono::milliseconds> timer; ///< In how long it goes on by itself.
    quint64 listening = 0;                          ///< Which of its conversations are open for messages, a bit each.
    quint32 rooms = 0; ///< Which of the places that it has told of it is inside of: a bit each.
    int tokens = 0;    ///< How many values of its own it has sent by now.
    int commands = 0;  ///< How many commands it has sent by now.
    int exitCode = 0;
    bool hangsOnTime = false; ///< What it did on its way from its parent.
    bool isOver = false;
    bool isCut = false; ///< It has sent as many commands as it may.

    [[nodiscard]] bool hasSpoken() const { return commands > 0 || !offers.empty(); }
};

/// How long these have waited to which the event has led from the point: those that were there before, so much longer.
[[nodiscard]] Waited waitedAfter(const Point &from, const Event &event, const std::vector<races::Offer> &offers);

} // namespace latchkey::programs
