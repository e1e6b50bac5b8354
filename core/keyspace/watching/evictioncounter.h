#pragma once

#include "core/redis/net/session.h"

#include <functional>
#include <optional>

namespace latchkey::watching {

/// A counter of the evictions of a server that does not report which keys it evicts. It compares the numbers in the
/// replies to INFO stats.
///
/// Client tracking names an evicted key like a deleted one, and polling finds only that it is gone. So an end is no
/// release for certain while the server evicts keys. The requests use the connection of the reads, so a reply is newer
/// than all earlier reads. Owned by the FlushCounter; session and clock are not owned.
class EvictionCounter final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(EvictionCounter)

public:
    EvictionCounter(net::Session &session, const base::Clock &clock);
    ~EvictionCounter() override;

    /// Requests the number. Calls `counted` after the reply, also if there is none.
    void count(std::function<void()> counted = {});
    /// Returns whether the number has increased recently. False if the server does not report it.
    [[nodiscard]] bool isEvicting() const { return m_isEvicting; }

Q_SIGNALS:
    void evictingChanged();

private:
    void take(const resp::Reply &reply);

    net::Session &m_session;    // Not owned.
    const base::Clock &m_clock; // Not owned.
    QString m_runId;            ///< Process that reported m_count.
    std::optional<qint64> m_count;
    std::optional<base::MonotonicTime> m_increasedAt;
    bool m_isEvicting = false;
};

} // namespace latchkey::watching
