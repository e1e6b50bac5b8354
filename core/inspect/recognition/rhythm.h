#pragma once

#include "core/foundation/base/clock.h"

#include <optional>

namespace latchkey::recognition {

/// The course of a key's time left: the saw-tooth of a renewed lease.
///
/// It keeps a few figures, not the samples. The observer of a key feeds it every answer to PTTL, and starts a new
/// Rhythm when the value changes, because that is another hold. A value type.
class Rhythm final
{
public:
    /// Adds a sample. left: absent for a key without expiry.
    void look(base::MonotonicTime at, std::optional<std::chrono::milliseconds> left);
    /// Sets the time left after our own change of the expiry, which is neither a renewal nor the holder's lease.
    void skip(base::MonotonicTime at, std::optional<std::chrono::milliseconds> left);

    [[nodiscard]] int renewals() const { return m_renewals; }
    /// Returns the longest time left: the lease, if its start or a renewal was observed.
    [[nodiscard]] std::chrono::milliseconds ceiling() const { return m_ceiling; }
    /// Returns the shortest and the longest time between two renewals; zero below two renewals.
    [[nodiscard]] std::chrono::milliseconds shortestPeriod() const { return m_shortest; }
    [[nodiscard]] std::chrono::milliseconds longestPeriod() const { return m_longest; }
    /// Returns the smallest time left just after a renewal.
    [[nodiscard]] std::chrono::milliseconds lowestPeak() const { return m_lowestPeak; }
    /// Returns the duration of the observation.
    [[nodiscard]] std::chrono::milliseconds watched() const;
    /// Returns how long the key had no expiry before it got one; absent if that was not observed.
    [[nodiscard]] std::optional<std::chrono::milliseconds> hadNoneFor() const { return m_hadNoneFor; }
    /// Whether the key lost its expiry.
    [[nodiscard]] bool hasLostItsExpiry() const { return m_hasLostItsExpiry; }

    /// Whether there were at least two renewals to about the same lease, as by a watchdog, and unlike a session that a
    /// user's requests prolong.
    [[nodiscard]] bool isSteady() const;
    /// Whether, of at least three renewals, one comes much sooner than another or sets another lease, unlike a timer.
    [[nodiscard]] bool isErratic() const;

    friend bool operator==(const Rhythm &, const Rhythm &) = default;

private:
    void renewed(base::MonotonicTime at, std::chrono::milliseconds left);

    std::optional<base::MonotonicTime> m_first;
    base::MonotonicTime m_last;
    std::optional<std::chrono::milliseconds> m_left; // At m_last.
    std::optional<base::MonotonicTime> m_lastRenewal;
    int m_renewals = 0;
    std::chrono::milliseconds m_ceiling {};
    std::chrono::milliseconds m_lowestPeak {};
    std::chrono::milliseconds m_shortest {};
    std::chrono::milliseconds m_longest {};
    std::optional<std::chrono::milliseconds> m_hadNoneFor;
    bool m_hasLostItsExpiry = false;
};

} // namespace latchkey::recognition
