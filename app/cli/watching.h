#pragma once

#include "app/cli/lockmetrics.h"
#include "app/cli/metricsserver.h"
#include "app/cli/watchalerts.h"
#include "app/cli/watchedservers.h"
#include "app/cli/watchedvotes.h"
#include "app/cli/watchprinter.h"
#include "core/foundation/base/unixsignals.h"
#include "core/inspect/recording/recordedclock.h"
#include "core/inspect/recording/recorder.h"

#include <QSet>
#include <QTimer>

namespace latchkey::cli {

/// The observation of `watch`: of one server, of the primaries of a cluster, or of several independent servers, until a
/// signal. Several servers are observed in parallel, and a server that is lost does not end it. Owned by the command.
class Watching final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Watching)

public:
    /// A server, or a cluster with its primaries.
    struct Server
    {
        std::vector<WatchedNode::Primary> primaries;
        Limits limits;
        bool isCluster = false; ///< Whether the primaries are those of a cluster.
        int unserved = 0;       ///< Number of its slots that no node serves.
    };
    struct Options
    {
        base::Globs globs;
        QStringList events;
        bool isOnce = false;
        bool json = false;
        WatchAlerts::Options alerts {}; ///< None with several servers.
    };

    Watching(const std::vector<Server> &servers, const Options &options);
    ~Watching() override;

    /// Prepares the command of --exec; see WatchAlerts::prepareCommand().
    [[nodiscard]] base::Result<void> prepareCommand(const WatchAlerts::Options &options);
    /// Records into a file from the start. For one server only.
    [[nodiscard]] base::Result<void> record(const QString &path, recording::Recorder::Options options);
    /// Serves the metrics. For one server or cluster only.
    [[nodiscard]] base::Result<void> serveMetrics(const MetricsAddress &metricsAddress);
    void start(std::optional<std::chrono::milliseconds> time);
    /// Finishes the recording and returns the exit code. Must be called once, at the end.
    [[nodiscard]] ExitCode exitCode();

private:
    /// A watched server.
    struct Member
    {
        std::unique_ptr<WatchedServers> servers;
        EventOrigin origin;
        bool hasFailed = false; ///< Whether an attempt to connect has failed.
    };

    void add(const Server &server, const EventOrigin &origin, const Options &options);
    void connectPrinter();
    [[nodiscard]] bool isOfSeveral() const { return m_members.size() > 1; }
    [[nodiscard]] WatchedServers &first() const { return *m_members.front().servers; }
    void sessionChanged(Member &member, net::Session::State state);
    void refuseDependent();
    void reportSilence();
    void recordingFailed(const base::Error &error);
    void reportGrowth();
    void finishRecording();
    void finishSeen(bool isStopped);
    [[nodiscard]] ExitCode coverageCode() const;
    void printed(bool counts);
    void stopWithoutReaders();
    void finish(ExitCode exitCode);

    recording::RecordedClock m_clock;
    WatchPrinter m_printer;
    std::vector<Member> m_members;
    std::unique_ptr<WatchedVotes> m_votes; ///< Null with a single server.
    const bool m_hasAlerts;
    const bool m_isOnce;
    const bool m_countsSeen; ///< Whether `seen` is an event that ends a watch with m_isOnce.
    const CoverageForm m_coverageForm;
    std::unique_ptr<LockMetrics> m_metrics; ///< Null without --metrics.
    MetricsServer m_metricsServer;
    base::UnixSignals m_signals;
    std::unique_ptr<WatchAlerts> m_alerts;           ///< Null without --alert.
    std::unique_ptr<recording::Recorder> m_recorder; ///< Receives observations before the locks do.
    std::optional<ExitCode> m_recordingFailed;
    QTimer m_growth;
    qint64 m_nextReportedSize = 1LL << 20;
    bool m_isSilenceReported = false;
    bool m_wasReady = false;
    bool m_isDependent = false;  ///< Whether two of the servers are not independent.
    QSet<QString> m_undescribed; ///< Servers that refuse INFO, so that each may be another one of them.
    bool m_hasPrinted = false;   ///< Whether the event was printed, with m_isOnce.
    bool m_isEnding = false;
    std::optional<ExitCode> m_seen; ///< Exit code of a watch that is ending.
    ExitCode m_exitCode = ExitCode::Error;
};

} // namespace latchkey::cli
