#pragma once

#include "core/redis/net/sentinelanswer.h"
#include "core/redis/net/subscription.h"

#include <QObject>
#include <QTimer>

#include <memory>
#include <optional>
#include <vector>

namespace latchkey::net {

/// A poller of the sentinels of a server, which tracks the address of the current primary.
///
/// Each sentinel is asked twice a second, because its +switch-master message can arrive seconds after its answer has
/// changed. All sentinels are also asked at once after such a message from any of them. If the sentinels disagree, the
/// answer with the latest failover counts; a disagreement without a failover is logged once. Shared by all sessions of
/// this process to the same server; see of(). It does not connect to the server.
class SentinelWatch final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(SentinelWatch)

public:
    /// Returns the watch of these sentinels: an existing one, or a new one. `endpoint`: with sentinels.
    [[nodiscard]] static std::shared_ptr<SentinelWatch> of(const Endpoint &endpoint);

    explicit SentinelWatch(const Endpoint &endpoint);
    ~SentinelWatch() override;

    /// Returns the address of the primary. Absent if no sentinel replies now.
    [[nodiscard]] const std::optional<HostPort> &primary() const { return m_primary; }

Q_SIGNALS:
    /// Emitted when the sentinels name another primary than before, or the first one.
    void primaryChanged();

private:
    class Sentinel;

    void requestFromAll();
    void decide();
    void warnOfDisagreement(const PrimaryAddress &latest);

    const Endpoint m_endpoint;
    std::vector<std::unique_ptr<Sentinel>> m_sentinels;
    std::optional<HostPort> m_primary;
    bool m_hasWarned = false;
    QTimer m_retryTimer;
};

} // namespace latchkey::net
