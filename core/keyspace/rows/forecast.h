#pragma once

#include "core/keyspace/keys/knownkeys.h"

#include <QDeadlineTimer>
#include <QHash>

#include <array>
#include <vector>

namespace latchkey::rows {

/// The number of keys that end within each time span, by group: see groupOf() with Grouping::FirstColon. A value type.
struct Forecast
{
    /// Time until the end: at most a second, a minute, an hour; later than an hour; never.
    enum Span : std::size_t { Second, Minute, Hour, Later, Never };
    static constexpr std::size_t spanCount = 5;
    using Counts = std::array<int, spanCount>;

    struct Group
    {
        QByteArray prefix; ///< Empty: keys without a group.
        Counts counts {};

        friend bool operator==(const Group &, const Group &) = default;
    };

    Counts all {};
    /// The groups with a key that ends within the hour, the most such keys first. At most as many as requested.
    std::vector<Group> groups;
    int otherGroups = 0; ///< Number of further such groups.

    friend bool operator==(const Forecast &, const Forecast &) = default;
};

/// A counter of a table's keys by time span. It works in slices, because a million keys take too long for one turn of
/// the event loop.
///
/// Changes during the count may or may not be included, so the forecast is approximate. Created for one count; the keys
/// are not owned.
class ForecastCounter final
{
public:
    /// Maximum number of groups. Keys of further groups count as keys without a group.
    static constexpr qsizetype maxGroups = 20'000;

    ForecastCounter(const keys::KnownKeys &known, base::MonotonicTime now)
        : m_known(known)
        , m_now(now)
    {}

    /// Continues until the deadline. Returns true when all keys have been counted.
    [[nodiscard]] bool advance(QDeadlineTimer deadline);
    /// Returns the result with at most this many groups.
    [[nodiscard]] Forecast forecast(std::size_t groups) const;

private:
    const keys::KnownKeys &m_known; // Not owned.
    const base::MonotonicTime m_now;
    quint32 m_next = 0;
    Forecast::Counts m_all {};
    QHash<QByteArray, Forecast::Counts> m_groups;
};

} // namespace latchkey::rows
