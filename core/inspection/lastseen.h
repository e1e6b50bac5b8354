#pragma once

#include "core/resp/session.h"

#include <QObject>

namespace latchkey::inspection {

/// When a server was last heard of, and whether that is too long ago for what was heard to be still so.
///
/// While the session is connected the server answers a PING every second: one that is silent for longer than
/// `patience` is frozen, or its network is. Without a connection it is out of sight at once.
/// Owned by a page, for one session, which is not owned; nor is the clock.
class LastSeen final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LastSeen)

public:
    static constexpr std::chrono::milliseconds patience {2500};

    LastSeen(resp::Session &session, const base::Clock &clock);

    /// Since when the server is out of sight; nothing while it is not, or has never been in sight.
    [[nodiscard]] std::optional<base::MonotonicTime> outOfSightSince() const;

private:
    void heard();

    resp::Session &m_session;   // Not owned.
    const base::Clock &m_clock; // Not owned.
    std::optional<base::MonotonicTime> m_heard;
};

} // namespace latchkey::inspection
