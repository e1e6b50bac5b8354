#pragma once

#include "core/base/error.h"

#include <QObject>

#include <optional>

namespace latchkey::keyspace {

/// How a server tells which keys have changed: by its ServerEvents, or as a recording says that it did.
/// Owned by a node.
class EventSource : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(EventSource)

public:
    enum class Means : quint8 {
        None,          ///< Nothing is heard: not yet, or the server does not allow it.
        Notifications, ///< notify-keyspace-events
        Tracking,      ///< CLIENT TRACKING … BCAST
    };
    Q_ENUM(Means)

    explicit EventSource(QObject *parent = nullptr);
    ~EventSource() override;

    [[nodiscard]] virtual Means means() const = 0;
    /// Why nothing is heard; absent while something is, or while it is not known yet.
    [[nodiscard]] virtual const std::optional<base::Error> &denial() const = 0;

    /// Finds out up to when everything has been heard, and has the fan-out told: for those who conclude something from
    /// what was not said. However often this is called, it is done at most some hundreds of times a second.
    virtual void confirm() = 0;

Q_SIGNALS:
    void meansChanged();
    void denialChanged();
};

} // namespace latchkey::keyspace
