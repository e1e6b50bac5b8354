#pragma once

#include "core/foundation/base/clock.h"

#include <QtGlobal>

#include <chrono>
#include <optional>

namespace latchkey::base {

/// The expiry of a key on the local monotonic clock, with its uncertainty.
///
/// PTTL returns a key's remaining time at some moment between the sending of the request and the receipt of the reply.
/// The deadline assumes the middle of the round trip. Its uncertainty is therefore half of the round trip, plus the
/// millisecond to which the server rounds. The remaining time is computed on demand. A value type. A key without expiry
/// has the deadline never().
class Deadline final
{
public:
    /// Returns the deadline of a key without expiry.
    [[nodiscard]] static constexpr Deadline never() { return {}; }

    /// Computes the deadline from a PTTL of `left`, with the times of the request and the reply. An end beyond the
    /// clock's 292 years is clamped to the last moment before never().
    [[nodiscard]] static Deadline measured(std::chrono::milliseconds left, MonotonicTime sent, MonotonicTime received);

    /// Creates never().
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

    /// Returns the remaining time. Negative after the deadline, absent for never().
    [[nodiscard]] std::optional<std::chrono::nanoseconds> remaining(MonotonicTime now) const;

    /// Returns the remaining time as PTTL replies: in whole milliseconds, rounded to the nearest, and at least 0. -1
    /// for never().
    [[nodiscard]] qint64 pttl(MonotonicTime now) const;

    /// Returns whether the deadline has certainly passed: even the latest end within the uncertainty is before `now`.
    /// Always false for never().
    [[nodiscard]] bool hasPassed(MonotonicTime now) const;

    /// Returns whether two measurements can show the same end: their uncertainties overlap.
    [[nodiscard]] bool agreesWith(const Deadline &other) const;

    friend bool operator==(const Deadline &, const Deadline &) = default;

private:
    MonotonicTime m_at;
    std::chrono::nanoseconds m_uncertainty;
};

} // namespace latchkey::base
