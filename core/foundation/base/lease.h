#pragma once

#include "core/foundation/base/clock.h"
#include "core/foundation/base/error.h"

#include <chrono>

namespace latchkey::base {

/// The duration of a lock: at least a millisecond, at most a hundred years. A value type that only Lease::of() creates,
/// so a lease of zero or below cannot exist.
class Lease final
{
public:
    /// Creates a lease. Error (Usage): the duration is zero, negative or longer than a hundred years.
    [[nodiscard]] static Result<Lease> of(std::chrono::milliseconds duration);

    [[nodiscard]] std::chrono::milliseconds duration() const { return m_duration; }

    /// Returns the part of the lease on which the holder cannot rely, because the clocks of server and client may run
    /// at different speeds: a hundredth of the lease plus two milliseconds, as in the description of Redlock.
    [[nodiscard]] std::chrono::milliseconds drift() const;

    /// Returns the time until which the holder may rely on the lease: its duration less drift(), from `sent` on.
    /// `sent`: time at which the granting command was sent; the server cannot have started the lease earlier.
    [[nodiscard]] MonotonicTime validUntil(MonotonicTime sent) const;

    friend bool operator==(const Lease &, const Lease &) = default;

private:
    explicit Lease(std::chrono::milliseconds duration)
        : m_duration(duration)
    {}

    std::chrono::milliseconds m_duration;
};

} // namespace latchkey::base
