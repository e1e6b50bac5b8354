#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"

#include <chrono>

namespace latchkey::base {

/// How long a lock is granted for: always at least a millisecond, and no more than a hundred years.
/// A value type that only Lease::of() makes, so a lease of zero or below does not exist past that point.
class Lease final
{
public:
    /// Error Usage where the duration is zero, negative or beyond a hundred years.
    [[nodiscard]] static Result<Lease> of(std::chrono::milliseconds duration);

    [[nodiscard]] std::chrono::milliseconds duration() const { return m_duration; }

    /// How much of the lease is not to be relied on because the two clocks may run at different speeds:
    /// a hundredth of it and two milliseconds, as the Redlock description has it.
    [[nodiscard]] std::chrono::milliseconds drift() const;

    /// Until when the holder may believe in it if the command that granted it was sent at sent: the server cannot have
    /// started the lease before that.
    [[nodiscard]] MonotonicTime validUntil(MonotonicTime sent) const;

    friend bool operator==(const Lease &, const Lease &) = default;

private:
    explicit Lease(std::chrono::milliseconds duration)
        : m_duration(duration)
    {}

    std::chrono::milliseconds m_duration;
};

} // namespace latchkey::base
