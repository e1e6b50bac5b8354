#pragma once

#include "core/foundation/base/clock.h"

#include <QObject>
#include <QTimer>

#include <optional>

namespace latchkey::inspection {

/// Default time after which writing to a server is disarmed.
inline constexpr std::chrono::minutes defaultArmedTime {15};

/// The time limit of an armed server.
///
/// The limit is compared with the clock and not counted by a timer, so that time during suspend counts too. Owned by
/// the InspectedServer, which disarms; the clock is not owned.
class ArmingTimer final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ArmingTimer)

public:
    explicit ArmingTimer(const base::Clock &clock, QObject *parent = nullptr);

    void start(std::chrono::minutes limit);
    void stop();

    /// Returns the limit of the last start.
    [[nodiscard]] std::chrono::minutes limit() const { return m_limit; }
    /// Returns the remaining time, at least zero. Absent while the timer is stopped.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> left() const;
    [[nodiscard]] bool isOver() const { return left() == std::chrono::nanoseconds(0); }

Q_SIGNALS:
    /// Emitted once, within a second after the end of the time. The timer is then stopped.
    void ended();

private:
    void check();

    const base::Clock &m_clock; // Not owned.
    QTimer m_check;
    std::chrono::minutes m_limit = defaultArmedTime;
    std::optional<base::MonotonicTime> m_end; ///< Absent while stopped.
};

} // namespace latchkey::inspection
