#pragma once

#include "core/foundation/base/error.h"

#include <QObject>

#include <optional>

namespace latchkey::watching {

/// The source of a server's change events: its ServerEvents, or a recording of them. Owned by a node.
class EventSource : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(EventSource)

public:
    enum class Means : quint8 {
        None,          ///< No events: not started yet, or not permitted by the server.
        Notifications, ///< notify-keyspace-events
        Tracking,      ///< CLIENT TRACKING … BCAST
    };
    Q_ENUM(Means)

    explicit EventSource(QObject *parent = nullptr);
    ~EventSource() override;

    [[nodiscard]] virtual Means means() const = 0;
    /// Returns why no events arrive; absent while they arrive, or while that is not known yet.
    [[nodiscard]] virtual const std::optional<base::Error> &denial() const = 0;

    /// Confirms up to which time all events have arrived, and tells the fan-out. Listeners that draw conclusions from
    /// missing events need it. Calls are combined: at most some hundreds of confirmations are sent per second.
    virtual void confirm() = 0;

Q_SIGNALS:
    void meansChanged();
    void denialChanged();
};

} // namespace latchkey::watching
