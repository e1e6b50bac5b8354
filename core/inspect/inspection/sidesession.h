#pragma once

#include "core/redis/exchange/loopdriver.h"
#include "core/redis/net/session.h"

#include <functional>
#include <optional>

namespace latchkey::inspection {

/// A second session to a watched server, with a driver. It is used for work that is large or needs its own connection,
/// so that watching is not delayed. It connects at once. Owned by its user; clock and random source must outlive it and
/// are not owned.
class SideSession final
{
    Q_DISABLE_COPY_MOVE(SideSession)

public:
    SideSession(const net::Endpoint &endpoint, const base::Clock &clock, base::RandomSource &random);
    ~SideSession();

    /// See net::Connection::setCommandFilter().
    void setCommandFilter(net::Connection::CommandFilter filter) { m_session.setCommandFilter(std::move(filter)); }

    /// Calls `then` without an error once connected, or with the error if the connection failed. Does not call `then`
    /// after its own destruction.
    void whenReady(std::function<void(std::optional<base::Error>)> then);

    [[nodiscard]] exchange::LoopDriver &driver() { return m_driver; }
    /// See net::Connection::setTrafficObserver().
    void setTrafficObserver(net::Connection::TrafficObserver observer)
    {
        m_session.setTrafficObserver(std::move(observer));
    }
    [[nodiscard]] quint64 commandsSent() const { return m_session.commandsSent(); }

private:
    net::Session m_session;
    exchange::LoopDriver m_driver;
};

} // namespace latchkey::inspection
