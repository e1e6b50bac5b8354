#pragma once

#include "core/exchange/loopdriver.h"
#include "core/resp/session.h"

#include <functional>
#include <optional>

namespace latchkey::inspection {

/// A session beside the watching one, and what is carried out over it: so that what is large, or needs a connection for
/// itself, holds nobody up. It connects at once.
/// Owned by its user, for as long as it does; clock and random source are not owned.
class Line final
{
    Q_DISABLE_COPY_MOVE(Line)

public:
    Line(const resp::Endpoint &endpoint, const base::Clock &clock, base::RandomSource &random);
    ~Line();

    /// See resp::Connection::setGate().
    void setGate(resp::Connection::Gate gate) { m_session.setGate(std::move(gate)); }

    /// Calls then(nothing) once it is connected, or then(why it is not); never if it is destroyed before.
    void whenReady(std::function<void(std::optional<base::Error>)> then);

    [[nodiscard]] exchange::LoopDriver &driver() { return m_driver; }
    /// See resp::Connection::setTap().
    void setTap(resp::Connection::Tap tap) { m_session.setTap(std::move(tap)); }
    [[nodiscard]] quint64 commandsSent() const { return m_session.commandsSent(); }

private:
    resp::Session m_session;
    exchange::LoopDriver m_driver;
};

} // namespace latchkey::inspection
