#pragma once

#include "core/foundation/base/clock.h"

#include <optional>

namespace latchkey::recognition {

/// The history of a key's TTL, such as the saw-tooth curve of a renewed lease.
///
/// Stores summary values instead of the samples. The observer of a key passes in every reply to PTTL, and creates a
/// new TtlHistory when the value changes, because that is another hold. A value type.
class TtlHistory final
{
public:
    /// Adds a sample. `left`: absent for a key without expiry.
    void addSample(base::MonotonicTime at, std::optional<std::chrono::milliseconds> left);
    /// Sets the TTL after this program has changed the expiry, which is neither a renewal nor the holder's lease.
    void setBaseline(base::MonotonicTime at, std::optional<std::chrono::milliseconds> left);

    [[nodiscard]] int renewals() const { return m_renewals; }
    /// Returns the longest TTL: the lease, if its start or a renewal was observed.
    [[nodiscard]] std::chrono::milliseconds longestTtl() const { return m_longestTtl; }
    /// Returns the shortest and the longest time between two renewals; zero below two renewals.
    [[nodiscard]] std::chrono::milliseconds shortestPeriod() const { return m_shortest; }
    [[nodiscard]] std::chrono::milliseconds longestPeriod() const { return m_longest; }
    /// Returns the smallest TTL just after a renewal.
    [[nodiscard]] std::chrono::milliseconds lowestPeak() const { return m_lowestPeak; }
    /// Returns the duration of the observation.
    [[nodiscard]] std::chrono::milliseconds watched() const;
    /// Returns how long the key had no expiry before it got one. Absent if that was not observed.
    [[nodiscard]] std::optional<std::chrono::milliseconds> hadNoneFor() const { return m_hadNoneFor; }
    /// Returns whether the key lost its expiry.
    [[nodiscard]] bool hasLostItsExpiry() const { return m_hasLostItsExpiry; }

    /// Returns whether there were at least two renewals to about the same lease, as by a watchdog. A session that a
    /// user's requests extend is not steady.
    [[nodiscard]] bool isSteady() const;
    /// Returns whether one of at least three renewals comes much sooner than another or sets another lease, unlike
    /// those of a timer.
    [[nodiscard]] bool isErratic() const;

    friend bool operator==(const TtlHistory &, const TtlHistory &) = default;

private:
    void renewed(base::MonotonicTime at, std::chrono::milliseconds left);

    std::optional<base::MonotonicTime> m_first;
    base::MonotonicTime m_last;
    std::optional<std::chrono::milliseconds> m_left; // TTL at m_last.
    std::optional<base::MonotonicTime> m_lastRenewal;
    int m_renewals = 0;
    std::chrono::milliseconds m_longestTtl {};
    std::chrono::milliseconds m_lowestPeak {};
    std::chrono::milliseconds m_shortest {};
    std::chrono::milliseconds m_longest {};
    std::optional<std::chrono::milliseconds> m_hadNoneFor;
    bool m_hasLostItsExpiry = false;
};

} // namespace latchkey::recognition
