#pragma once

#include "core/history/history.h"

#include <QString>

namespace latchkey::history {

/// How a hold ended, in a few words: "expired", "released or deleted".
[[nodiscard]] QString endingText(keyspace::Ending ending);

/// How a hold began, likewise: "acquired", "taken over".
[[nodiscard]] QString startText(Hold::Start start);

/// Everything about the end of a hold as a sentence without a full stop: how, how late, and what is not certain about
/// it; empty while it goes on.
[[nodiscard]] QString endSentence(const Hold &hold);

/// Whether the end was seen or worked out, and what may have caused it; empty where there is nothing to add.
[[nodiscard]] QString reservation(const Hold &hold);

/// How far off a time may be that is known to lie within a span, to milliseconds: "± 0.005 s"; empty where that is less
/// than half of one.
[[nodiscard]] QString uncertaintyText(std::chrono::nanoseconds uncertainty);

/// A moment by the clock on the wall, and how far off it may be: "12:30:05.120 ± 0.005 s".
[[nodiscard]] QString momentText(const Span &span, base::MonotonicTime now, base::WallTime wallNow);

/// When a hold began: as momentText() has it; "before 12:30:05.120" where it was there already.
[[nodiscard]] QString beginText(const Hold &hold, base::MonotonicTime now, base::WallTime wallNow);

/// For how long a hold has lasted, until now where it goes on: "2.041 s ± 0.008 s", "at least 2.041 s".
[[nodiscard]] QString heldText(const Hold &hold, base::MonotonicTime now);

/// One of the figures that the holds of a lock come to.
struct Figure
{
    QString name;
    QString value;

    friend bool operator==(const Figure &, const Figure &) = default;
};

/// All of them in words, the most telling first; those about which nothing is known are left out.
[[nodiscard]] QList<Figure> figures(const Statistics &statistics);

/// A time that was measured, to milliseconds below ten seconds: "2.041 s".
[[nodiscard]] QString timeText(std::chrono::nanoseconds time);

/// What was done to a lock from here, and when, by the clock on the wall: "12:30:05: end set here to 12:40:05".
[[nodiscard]] QString ownActText(const OwnAct &act, base::MonotonicTime now, base::WallTime wallNow);

/// "not seen for 3.200 s"; now: for one that goes on.
[[nodiscard]] QString gapText(const History::Gap &gap, base::MonotonicTime now);

} // namespace latchkey::history
