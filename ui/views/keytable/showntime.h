#pragma once

#include "core/foundation/base/clock.h"

#include <optional>

namespace latchkey::ui::keytable {

/// The time for which a table shows remaining times: now, or the time of the last reply while the server does not
/// reply. A frozen time does not count down, because the current state is unknown. Owned by the KeyTableView; used by
/// its model, delegates and ticker. The clock is not owned.
class ShownTime final
{
public:
    explicit ShownTime(const base::Clock &clock)
        : m_clock(clock)
    {}

    [[nodiscard]] base::MonotonicTime now() const { return m_frozen.value_or(m_clock.now()); }
    [[nodiscard]] bool isFrozen() const { return m_frozen.has_value(); }
    /// Freezes the time at a moment. Absent: the time runs.
    void freeze(std::optional<base::MonotonicTime> at) { m_frozen = at; }
    /// Returns the clock, which always runs.
    [[nodiscard]] const base::Clock &clock() const { return m_clock; }

private:
    const base::Clock &m_clock;
    std::optional<base::MonotonicTime> m_frozen;
};

} // namespace latchkey::ui::keytable
