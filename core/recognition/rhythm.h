#pragma once

#include "core/base/clock.h"

#include <optional>

namespace latchkey::recognition {

/// How a key's time left has moved while somebody looked: the saw-tooth of a lease that is renewed.
///
/// It keeps a handful of figures, not the samples. Who follows a key feeds it every answer to PTTL; start a new one
/// when the value has changed, for that is another hold. A value type.
class Rhythm final
{
public:
    /// left: absent for a key that does not expire.
    void look(base::MonotonicTime at, std::optional<std::chrono::milliseconds> left);
    /// It has so much left since we have moved its end ourselves: that is no renewal, and no lease of its holder's.
    void skip(base::MonotonicTime at, std::optional<std::chrono::milliseconds> left);

    [[nodiscard]] int renewals() const { return m_renewals; }
    /// The most that was ever left: the lease, if its start or a renewal was seen.
    [[nodiscard]] std::chrono::milliseconds ceiling() const { return m_ceiling; }
    /// Between two renewals, the least and the most; zero below two renewals.
    [[nodiscard]] std::chrono::milliseconds shortestPeriod() const { return m_shortest; }
    [[nodiscard]] std::chrono::milliseconds longestPeriod() const { return m_longest; }
    /// The least that a renewal brought the time left to.
    [[nodiscard]] std::chrono::milliseconds lowestPeak() const { return m_lowestPeak; }
    /// How long it has been watched.
    [[nodiscard]] std::chrono::milliseconds watched() const;
    /// It got an expiry that it did not have at first, and was there for so long without.
    [[nodiscard]] std::optional<std::chrono::milliseconds> hadNoneFor() const { return m_hadNoneFor; }
    /// It had an expiry, and then none.
    [[nodiscard]] bool hasLostItsExpiry() const { return m_hasLostItsExpiry; }

    /// At least two renewals, all back to about the same lease: what a watchdog does, and no mere user's visits.
    [[nodiscard]] bool isSteady() const;
    /// At least three renewals of which one comes much sooner than another, or to another lease: no timer's work.
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
