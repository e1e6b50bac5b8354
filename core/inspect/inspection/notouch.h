#pragma once

#include "core/redis/net/session.h"

#include <QObject>

namespace latchkey::inspection {

/// A session's CLIENT NO-TOUCH: the server does not count what this connection reads as use.
///
/// The request is sent as soon as the session is ready. An object that reads over the session is constructed later, so
/// that its first request follows this one and its first reply follows this answer. Owned beside the session, which is
/// not owned.
class NoTouch final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(NoTouch)

public:
    explicit NoTouch(net::Session &session, QObject *parent = nullptr);

    /// Returns whether the server has confirmed it for the current connection. False if the server denies it, or is
    /// older than Redis 7.2.
    [[nodiscard]] bool isOn() const { return m_isOn; }

private:
    void ask();

    net::Session &m_session; // Not owned.
    bool m_isOn = false;
};

} // namespace latchkey::inspection
