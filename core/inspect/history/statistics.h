#pragma once

#include "core/inspect/history/hold.h"

#include <array>

namespace latchkey::history {

/// The statistics of the holds of one lock, including holds that the history has dropped. A value.
struct Statistics
{
    static constexpr std::size_t endingCount = static_cast<std::size_t>(events::Ending::Unknown) + 1;

    qsizetype holds = 0; ///< All observed holds, current ones included.
    qsizetype ended = 0;
    qsizetype timed = 0;                         ///< Ended holds with an observed start; the times cover only these.
    std::chrono::nanoseconds held {};            ///< Total time of the timed holds.
    std::chrono::nanoseconds heldUncertainty {}; ///< Largest error of `held`.
    std::chrono::nanoseconds longest {};
    std::chrono::nanoseconds longestUncertainty {}; ///< Largest error of `longest`.
    qsizetype handedOver = 0;                       ///< Holds taken over from a holder, or found in place of another.
    qsizetype contended = 0; ///< Holds by another or unknown holder that began within contendedWithin of an end.
    qsizetype contentionUnknown = 0; ///< Holds by another or unknown holder for which it is unknown whether they began
                                     ///< within contendedWithin of an end.
    qsizetype extensions = 0;
    qsizetype leased = 0; ///< Timed holds with a known lease.
    double leaseUsed = 0; ///< Sum of held / lease over the leased holds; above one per hold if extended.
    std::array<qsizetype, endingCount> endings {}; ///< Number of ended holds, by events::Ending.
    qsizetype endedByHandover = 0;                 ///< Ended holds of Hold::isHandedOver; not in `endings`.
    std::chrono::nanoseconds longestLate {};

    /// Maximum gap after which the next holder is assumed to have waited for the lock.
    static constexpr std::chrono::milliseconds contendedWithin {100};

    [[nodiscard]] qsizetype count(events::Ending ending) const { return endings[static_cast<std::size_t>(ending)]; }
    [[nodiscard]] std::optional<std::chrono::nanoseconds> meanHeld() const
    {
        return timed == 0 ? std::nullopt : std::optional(held / timed);
    }
    /// Returns the largest error of meanHeld().
    [[nodiscard]] std::chrono::nanoseconds meanHeldUncertainty() const
    {
        return timed == 0 ? std::chrono::nanoseconds(0) : std::chrono::nanoseconds(heldUncertainty / timed);
    }
    /// Returns the mean used share of the lease.
    [[nodiscard]] std::optional<double> meanLeaseUsed() const
    {
        return leased == 0 ? std::nullopt : std::optional(leaseUsed / static_cast<double>(leased));
    }

    void countStart(const Hold &hold, const Hold *before);
    void countEnd(const Hold &hold);
    /// Reverts countStart() or countEnd(), if the start or end proved wrong. The hold must be as it was when counted.
    void uncountStart(const Hold &hold, const Hold *before);
    void uncountEnd(const Hold &hold);

    friend bool operator==(const Statistics &, const Statistics &) = default;

private:
    void addStart(const Hold &hold, const Hold *before, int sign);
    void addEnd(const Hold &hold, int sign);
};

} // namespace latchkey::history
