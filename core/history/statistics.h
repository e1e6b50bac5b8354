#pragma once

#include "core/history/hold.h"

#include <array>

namespace latchkey::history {

/// What the holds of one lock come to, those included that the history has forgotten. A value.
struct Statistics
{
    static constexpr std::size_t endingCount = static_cast<std::size_t>(keyspace::Ending::Unknown) + 1;

    qsizetype holds = 0; ///< All that were seen, those that go on included.
    qsizetype ended = 0;
    qsizetype timed = 0;              ///< Of the ended, those whose start was seen: the times are theirs.
    std::chrono::nanoseconds held {}; ///< Of the timed, together.
    std::chrono::nanoseconds longest {};
    qsizetype handedOver = 0; ///< Taken over from a holder, or found in another's place.
    qsizetype contended = 0;  ///< Taken by another within contendedWithin of the end of the hold before.
    qsizetype extensions = 0;
    qsizetype leased = 0; ///< Of the timed, those whose lease is known.
    double leaseUsed = 0; ///< Of the leased: held / lease, summed up; above one where it was extended.
    std::array<qsizetype, endingCount> endings {}; ///< By keyspace::Ending.
    std::chrono::nanoseconds longestLate {};

    /// Who gets a lock so soon after its release has been waiting for it.
    static constexpr std::chrono::milliseconds contendedWithin {100};

    [[nodiscard]] qsizetype count(keyspace::Ending ending) const { return endings[static_cast<std::size_t>(ending)]; }
    [[nodiscard]] std::optional<std::chrono::nanoseconds> meanHeld() const
    {
        return timed == 0 ? std::nullopt : std::optional(held / timed);
    }
    /// Which share of its lease a hold has used, on the average.
    [[nodiscard]] std::optional<double> meanLeaseUsed() const
    {
        return leased == 0 ? std::nullopt : std::optional(leaseUsed / static_cast<double>(leased));
    }

    void countStart(const Hold &hold, const Hold *before);
    void countEnd(const Hold &hold);
    /// That was no start, or no end, as it has turned out: the hold is as it was when it was counted.
    void uncountStart(const Hold &hold, const Hold *before);
    void uncountEnd(const Hold &hold);

    friend bool operator==(const Statistics &, const Statistics &) = default;

private:
    void addStart(const Hold &hold, const Hold *before, int sign);
    void addEnd(const Hold &hold, int sign);
};

} // namespace latchkey::history
