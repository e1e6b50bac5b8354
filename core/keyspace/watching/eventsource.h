#pragma once

#include "core/foundation/base/error.h"
#include "core/keyspace/events/observation.h"

#include <QObject>

#include <optional>

namespace latchkey::watching {

/// The source of a server's change events: its ServerEvents, or a recording of them. Owned by a node.
class EventSource : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(EventSource)

public:
    enum class Mechanism : quint8 {
        None,          ///< No events: not started yet, or not permitted by the server.
        Notifications, ///< Keyspace notifications (notify-keyspace-events).
        Tracking,      ///< Client tracking (CLIENT TRACKING … BCAST).
    };
    Q_ENUM(Mechanism)

    explicit EventSource(QObject *parent = nullptr);
    ~EventSource() override;

    [[nodiscard]] virtual Mechanism mechanism() const = 0;
    /// Returns why no events arrive; absent while events arrive, and before the server has answered.
    [[nodiscard]] virtual const std::optional<base::Error> &denial() const = 0;

    /// Returns the longest time between a change and the arrival of its event. It is estimated from the round trips of
    /// the last seconds. Absent: nothing was measured.
    [[nodiscard]] virtual std::optional<std::chrono::nanoseconds> delay() const = 0;

    /// Requests a confirmation that all events up to now have arrived. The dispatcher passes it on as receivedUpTo(),
    /// for listeners that draw conclusions from missing events. Without events, it confirms that all flushes are
    /// counted, if the server reports their number. Calls are combined: at most some hundreds of confirmations are sent
    /// per second.
    virtual void confirm() = 0;

Q_SIGNALS:
    void mechanismChanged();
    void denialChanged();
};

/// Returns the depth of the reports of this mechanism.
[[nodiscard]] events::EventCoverage::Depth depthOf(EventSource::Mechanism mechanism);

} // namespace latchkey::watching
