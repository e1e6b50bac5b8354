#pragma once

#include "core/keys/knownkeys.h"

#include <QDeadlineTimer>
#include <QHash>

#include <array>
#include <vector>

namespace latchkey::rows {

/// How many keys end when, by the group that they are in: see groupOf(). A value.
struct Forecast
{
    enum Span : std::size_t { Second, Minute, Hour, Later, Never };
    static constexpr std::size_t spanCount = 5;
    using Counts = std::array<int, spanCount>;

    struct Group
    {
        QByteArray prefix; ///< Empty: of keys that are in no group.
        Counts counts {};

        friend bool operator==(const Group &, const Group &) = default;
    };

    Counts all {};
    /// Those of which something ends within the hour, the most first; as many as were asked for.
    std::vector<Group> groups;
    int otherGroups = 0; ///< So many more there are.

    friend bool operator==(const Forecast &, const Forecast &) = default;
};

/// Counts the keys of a table, a part at a time: a million take too long for one turn of the event loop.
///
/// What changes meanwhile may be counted or not: a forecast is of about now. Made for one count; the keys are not
/// owned.
class ForecastWalk final
{
public:
    /// Of more groups than these, what comes is counted as in none.
    static constexpr qsizetype mostGroups = 20'000;

    ForecastWalk(const keys::KnownKeys &known, base::MonotonicTime now)
        : m_known(known)
        , m_now(now)
    {}

    /// Goes on until the deadline; true when all have been counted.
    [[nodiscard]] bool goOn(QDeadlineTimer deadline);
    /// With at most so many groups.
    [[nodiscard]] Forecast forecast(std::size_t groups) const;

private:
    const keys::KnownKeys &m_known; // Not owned.
    const base::MonotonicTime m_now;
    quint32 m_next = 0;
    Forecast::Counts m_all {};
    QHash<QByteArray, Forecast::Counts> m_groups;
};

} // namespace latchkey::rows
