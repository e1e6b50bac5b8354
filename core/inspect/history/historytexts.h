#pragma once

#include "core/inspect/history/history.h"

#include <QString>

namespace latchkey::history {

/// Returns how a hold ended, in a few words: "expired", "released or deleted".
[[nodiscard]] QString endingText(events::Ending ending);
/// Returns the text of the end of the hold, a handover included.
[[nodiscard]] QString endingText(const Hold &hold);

/// Returns how a hold began, in a few words: "acquired", "taken over".
[[nodiscard]] QString startText(Hold::Start start);

/// Returns a sentence without a full stop about the end of a hold: how, how late, and how certain; empty for a current
/// hold.
[[nodiscard]] QString endSentence(const Hold &hold);

/// Returns a remark on whether the end was observed or derived, and on its possible cause. Empty if there is nothing to
/// add.
[[nodiscard]] QString reservation(const Hold &hold);

/// Returns the uncertainty of a time within a span, to milliseconds: "± 0.005 s". Empty below half a millisecond.
[[nodiscard]] QString uncertaintyText(std::chrono::nanoseconds uncertainty);
/// Returns the text of a time, followed by its uncertainty unless that is negligible.
[[nodiscard]] QString withUncertainty(const QString &text, std::chrono::nanoseconds uncertainty);

/// Returns a wall-clock time with its uncertainty: "12:30:05.120 ± 0.005 s".
[[nodiscard]] QString momentText(const base::TimeInterval &span, base::MonotonicTime now, base::WallTime wallNow);

/// Returns the start of a hold as momentText() does; "before 12:30:05.120" if it existed at the first read.
[[nodiscard]] QString beginText(const Hold &hold, base::MonotonicTime now, base::WallTime wallNow);

/// Returns the duration of a hold, until now for a current one: "2.041 s ± 0.008 s", "at least 2.041 s".
[[nodiscard]] QString heldText(const Hold &hold, base::MonotonicTime now);

/// The name and value of one statistic of a lock.
struct StatisticText
{
    QString name;
    QString value;

    friend bool operator==(const StatisticText &, const StatisticText &) = default;
};

/// Returns all known statistics of a lock as text, the most important first.
[[nodiscard]] QList<StatisticText> statisticTexts(const Statistics &statistics);

/// Returns a change by this program with its wall-clock time: "12:30:05: expiry set here to 12:40:05".
[[nodiscard]] QString ownChangeText(const OwnChange &change, base::MonotonicTime now, base::WallTime wallNow);

/// Returns the text of a gap, "not seen for 3.200 s". `now`: end of a gap that still lasts.
[[nodiscard]] QString gapText(const History::Gap &gap, base::MonotonicTime now);

} // namespace latchkey::history
