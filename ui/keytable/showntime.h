#pragma once

#include "core/base/clock.h"

#include <optional>

namespace latchkey::ui::keytable {

/// The moment for which a table shows how long keys have left: now, or, while the server is out of sight, the moment
/// when it was last seen. What is frozen does not count down: nobody knows whether it still is so.
/// Owned by the KeyTableView; its model and delegates look at it, and so does the ticker. The clock is not owned.
class ShownTime final
{
public:
    explicit ShownTime(const base::Clock &clock)
        : m_clock(clock)
    {}

    [[nodiscard]] base::MonotonicTime now() const { return m_frozen.value_or(m_clock.now()); }
    [[nodiscard]] bool isFrozen() const { return m_frozen.has_value(); }
    /// Absent: it goes on.
    void freeze(std::optional<base::MonotonicTime> at) { m_frozen = at; }
    /// The clock itself, which goes on all the while.
    [[nodiscard]] const base::Clock &clock() const { return m_clock; }

private:
    const base::Clock &m_clock;
    std::optional<base::MonotonicTime> m_frozen;
};

} // namespace latchkey::ui::keytable
