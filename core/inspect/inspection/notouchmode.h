#pragma once

#include "core/redis/net/session.h"

#include <QObject>

namespace latchkey::inspection {

/// The CLIENT NO-TOUCH mode of a session: the server does not count reads over its connection as a use of the keys.
///
/// The mode is not requested from a cluster node. With NO-TOUCH, Redis 8.0.2 crashes when it receives a command about a
/// key of a migrating slot. The request is sent as soon as the session is ready. This object must be constructed before
/// any object that reads over the session, so that its request is the first one. Owned by the owner of the session; the
/// session is not owned.
class NoTouchMode final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(NoTouchMode)

public:
    explicit NoTouchMode(net::Session &session, QObject *parent = nullptr);

    /// Returns whether the server has confirmed the request for the current connection. False if the server denies it,
    /// is older than Redis 7.2, or is a cluster node.
    [[nodiscard]] bool isOn() const { return m_isOn; }

private:
    void request();

    net::Session &m_session; // Not owned.
    bool m_isOn = false;
};

} // namespace latchkey::inspection
