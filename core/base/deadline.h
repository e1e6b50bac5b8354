#pragma once

#include "core/base/clock.h"

#include <chrono>
#include <optional>

namespace latchkey::base {

/// When a key ends, on the local monotonic clock, with how far off that may be.
///
/// PTTL says how long a key has left at some moment between sending the question and receiving the answer. The
/// deadline assumes the middle of the round trip, so half of it, and the millisecond to which the server rounds, is the
/// uncertainty. What is left is derived from it whenever somebody looks; nothing counts down.
/// A value type. A key without expiry has the deadline never().
class Deadline final
{
public:
    /// The end of a key that does not expire.
    [[nodiscard]] static constexpr Deadline never() { return {}; }

    /// From a PTTL of left, asked at sent and answered at received. An end beyond the clock's 292 years is its last
    /// moment.
    [[nodiscard]] static Deadline measured(std::chrono::milliseconds left, MonotonicTime sent, MonotonicTime received);

    /// never()
    constexpr Deadline()
        : Deadline(MonotonicTime::max(), {})
    {}
    constexpr Deadline(MonotonicTime at, std::chrono::nanoseconds uncertainty)
        : m_at(at)
        , m_uncertainty(uncertainty)
    {}

    [[nodiscard]] constexpr bool isNever() const { return m_at == MonotonicTime::max(); }
    [[nodiscard]] constexpr MonotonicTime at() const { return m_at; }
    [[nodiscard]] constexpr std::chrono::nanoseconds uncertainty() const { return m_uncertainty; }

    /// What is left at now; negative once the deadline has passed, nothing for never().
    [[nodiscard]] std::optional<std::chrono::nanoseconds> remaining(MonotonicTime now) const;

    /// Passed for certain: even the latest end that the measurement allows lies before now.
    [[nodiscard]] bool hasPassed(MonotonicTime now) const;

    /// Whether two measurements can be of one and the same end: their uncertainties overlap.
    [[nodiscard]] bool agreesWith(const Deadline &other) const;

    friend bool operator==(const Deadline &, const Deadline &) = default;

private:
    MonotonicTime m_at;
    std::chrono::nanoseconds m_uncertainty;
};

} // namespace latchkey::base
