#pragma once

#include "app/cli/watchedservers.h"

#include <QMap>

#include <array>

namespace latchkey::cli {

/// Counters of lock events in the format of Prometheus.
///
/// In a cluster, the locks of all primaries are counted together; metrics that can differ between the primaries have
/// the label `node`. Owned by the command. The servers are not owned.
class LockMetrics final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LockMetrics)

public:
    explicit LockMetrics(const WatchedServers &servers);

    /// Returns the metrics in the text format 0.0.4.
    [[nodiscard]] QByteArray page() const;

private:
    void count(const events::KeyEvent &keyEvent, const LockDescription &description);
    [[nodiscard]] QByteArray gauges() const;
    [[nodiscard]] QByteArray nodeGauges() const;
    [[nodiscard]] QByteArray lockGauges() const;
    [[nodiscard]] static QByteArray coverageGauges(const events::Coverage &coverage);
    [[nodiscard]] QByteArray lateness() const;
    [[nodiscard]] QByteArray cost() const;

    static constexpr std::array lateBounds {0.001, 0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 60.0};

    const WatchedServers &m_servers;                   // Not owned.
    QMap<QString, qint64> m_started;                   ///< By kind.
    QMap<std::pair<QString, QString>, qint64> m_ended; ///< By kind and cause.
    qint64 m_extended = 0;
    std::array<qint64, lateBounds.size() + 1> m_late {}; ///< Number of locks per upper bound of lateness, and above the
                                                         ///< last bound.
    double m_lateSum = 0;
};

} // namespace latchkey::cli
