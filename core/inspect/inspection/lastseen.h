#pragma once

#include "core/redis/net/session.h"

#include <QObject>

namespace latchkey::inspection {

/// The time of the last reply of a server, and whether it is too long ago to trust the displayed data.
///
/// While the session is connected, the server replies to a PING every second. If no reply arrives for longer than
/// `patience`, the server or its network is frozen. Without a connection, the server is out of sight at once. Owned by
/// a page; session and clock are not owned.
class LastSeen final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LastSeen)

public:
    static constexpr std::chrono::milliseconds patience {2500};

    LastSeen(net::Session &session, const base::Clock &clock);

    /// Returns the time since which the server is out of sight. Absent if the server is in sight or was never in sight.
    [[nodiscard]] std::optional<base::MonotonicTime> silentSince() const;

private:
    void received();

    net::Session &m_session;    // Not owned.
    const base::Clock &m_clock; // Not owned.
    std::optional<base::MonotonicTime> m_received;
};

} // namespace latchkey::inspection
