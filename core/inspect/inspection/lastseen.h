#pragma once

#include "core/redis/net/session.h"

#include <QObject>

namespace latchkey::inspection {

/// The time of the last reply of a server, and whether the server is silent, so that the displayed data may be
/// outdated.
///
/// While the session is connected, the server replies to a PING every second. A server without a reply for `timeout`
/// is silent. A server without a connection is silent at once. Owned by a page; session and clock are not owned.
class LastSeen final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LastSeen)

public:
    static constexpr std::chrono::milliseconds timeout {2500};

    LastSeen(net::Session &session, const base::Clock &clock);

    /// Returns the time of the last reply while the server is silent. Absent while the server replies, or if it has
    /// never replied.
    [[nodiscard]] std::optional<base::MonotonicTime> silentSince() const;

private:
    void received();

    net::Session &m_session;    // Not owned.
    const base::Clock &m_clock; // Not owned.
    std::optional<base::MonotonicTime> m_received;
};

} // namespace latchkey::inspection
