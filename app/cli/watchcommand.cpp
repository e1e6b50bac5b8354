// watch: lock events in real time.

#include "app/cli/command.h"
#include "app/cli/lockmetrics.h"
#include "app/cli/metricsserver.h"
#include "app/cli/output.h"
#include "app/cli/recognitionoutput.h"
#include "app/cli/watchalerts.h"
#include "app/cli/watchednode.h"
#include "app/cli/watchedservers.h"
#include "app/cli/watchprinter.h"
#include "app/help/commandline.h"
#include "core/foundation/base/bytesize.h"
#include "core/foundation/base/unixsignals.h"
#include "core/foundation/base/version.h"
#include "core/inspect/inspection/commandallowlist.h"
#include "core/inspect/recording/recordedclock.h"
#include "core/inspect/recording/recorder.h"
#include "core/redis/net/dialer.h"

#include <QCoreApplication>
#include <QTimer>

#include <csignal>
#include <cstdio>

namespace latchkey::cli {

using help::CommandLine;
using net::Session;

namespace {

constexpr auto watchHelp = QT_TRANSLATE_NOOP(
    "CommandLine",
    R"help(Watches the locks with keys that match a GLOB (as in SCAN: * ? [a-z]; default: all) and prints a line for each event, until it is stopped (Ctrl+C). Locks that exist at the start are printed first, as `seen`. A lock is recognised by the name and the value of its key. Nothing is written to the server, and no setting is changed.

{options}

Events: seen; acquired; extended; handed-over (value of another holder, without an end in between); changed; released (ended before its expiry: the server does not report whether its holder released it or another client deleted it); deleted (by this program); expired; evicted; flushed; lost (at a failover: the new primary does not know the lock, and its lease had not ended); ended (the observations fit more than one of these, or another holder was seen and not how the former hold ended).

With --json a JSON object per line: {at_ms, key, event, holder, source, late_ms, uncertain_ms}. at_ms is the time of the observation, in Unix milliseconds; the event may have happened up to uncertain_ms earlier. late_ms of an expired lock is the delay of its end after the deadline, plus or minus uncertain_ms. source is event (reported by the server), poll (seen by a read) or inferred. holder is null if the value does not name the holder.
Four events have no key: blind (nothing is seen since since_ms, with the reason), sees (the server answers again, after blind_ms), restarted (another process answers at the address: the server was restarted or replaced), and failed-over (the sentinels of the URL name another primary, to, instead of from). After a failover, a lock that was released while nothing was seen is shown as lost too.
With the URL of a cluster node, all primaries are watched. A lock that moves with its slot is neither released nor acquired. A replica that takes over gives the line failed-over, and blind, sees and restarted have the address of their primary, node. An alert continues when its lock moves, and blind is raised for each primary. With --record, the node of the URL is watched. In the metrics, latchkey_up, latchkey_source and what the watch costs have the label node, and all others are of the cluster.
If the answer is incomplete at the end, standard error reports what is missing, with --json as an object: {complete, looked_at, of, denied, unread, blind_ms, unreported_ms, lag_ms, missing}. missing contains these sentences; unreported_ms is the time in which the server did not report changes, although it had before and answered requests: its subscriber was killed, or notifications were switched off. Polls find most changes then, but a lock that came and went is missing.

Alerts: a RULE is a condition and, if it is not for all keys, a pattern of keys, such as 'older-than=20m job:*'. The conditions are:
  no-expiry        the lock has no expiry, and did not get one within a second
  older-than=TIME  the present hold lasts longer, renewed or not; a lock that exists at the start counts from then on
  two-holders      more clients hold the lock than it admits, or another client has taken it over from its holder
  finding=ID       the lock has this finding of ls and why, such as finding=holder-gone
  blind[=TIME]     nothing has been seen for TIME; without a pattern of keys
A line `alert` is printed once per lock and rule, and a line `over` at the end of the condition or of the hold. Nothing is raised or over while nothing is seen; the lines blind and sees show that. With --json: {at_ms, event, rule, key, holder, reason}, and held_ms for an alert, raised_ms and end for over; node for blind in a cluster. end is the event that ended the hold, or null.
COMMAND finds the data in LATCHKEY_ALERT_EVENT (alert or over), _RULE, _KEY, _HOLDER, _REASON, _AT_MS, _SERVER and, for a primary that is not seen, _NODE, and the JSON line in its standard input. The data are never a part of the command line. Its output goes to standard error. At most 4 run at once, and 100 may wait. Its processes end with watch; at the end by --for or --once watch waits for them.

In the metrics, latchkey_findings counts the locks with each finding; id and severity are those of ls and why.
Exit code: 0 stopped, or with --once an event; 1 with --once no event; 2 wrong usage; 3 error, something was not seen, or COMMAND failed.

Examples:
  latchkey-cli watch 'lock:*'
  latchkey-cli watch --json --for 10m
  latchkey-cli watch lock:orders --event released --event expired --once --for 1m && echo free
  latchkey-cli watch --metrics 9121
  latchkey-cli watch --alert no-expiry --alert 'older-than=20m job:*' --exec 'notify-send "$LATCHKEY_ALERT_KEY" "$LATCHKEY_ALERT_REASON"'
  latchkey-cli watch 'lock:*' --record bug.latchkey-recording --without-values --for 5m
  redis-cli ACL SETUSER … # what latchkey-cli watch --acl has printed, with a password and the keys
)help");

/// An observation of one server or of the primaries of a cluster, until a signal.
class Watching final : public QObject
{
public:
    struct Options
    {
        base::Globs globs;
        QStringList events;
        bool isOnce = false;
        bool json = false;
        WatchAlerts::Options alerts;
    };

    Watching(const std::vector<WatchedNode::Primary> &primaries, const Limits &limits, const Options &options)
        : m_servers(primaries, {options.globs, limits, options.json}, m_clock, [this] { stopWithoutReaders(); })
        , m_printer(m_clock, options.json, options.events)
        , m_hasAlerts(!options.alerts.rules.empty())
        , m_isOnce(options.isOnce)
        , m_countsSeen(options.events.contains(QLatin1String("seen")))
        , m_coverageForm(options.json ? CoverageForm::Json : CoverageForm::Sentences)
        , m_metricsServer([this] { return m_metrics->page(); })
        , m_signals({SIGINT, SIGTERM, SIGHUP})
    {
        connect(&m_signals, &base::UnixSignals::received, this, [this] { finishSeen(true); });
        connect(&m_servers.first().session(), &Session::stateChanged, this, &Watching::sessionChanged);
        if (!m_hasAlerts || !options.events.isEmpty())
            m_printer.connectTo(
                m_servers.locks(), [this](const events::KeyEvent &keyEvent) { return m_servers.eventDelay(keyEvent); },
                [this](QLatin1String event) { printed(event != QLatin1String("seen") || m_countsSeen); });
        if (m_hasAlerts)
            m_alerts = std::make_unique<WatchAlerts>(m_servers, m_clock, options.alerts, options.globs, options.json,
                                                     [this](bool isRaised) { printed(isRaised); });
        connect(&m_servers, &WatchedServers::committed, this, &Watching::reportSilence);
    }

    /// Prepares the command of --exec; see WatchAlerts::prepareCommand().
    [[nodiscard]] base::Result<void> prepareCommand(const WatchAlerts::Options &options)
    {
        return m_alerts ? m_alerts->prepareCommand(options) : base::Result<void>();
    }

    /// Records into a file from the start.
    [[nodiscard]] base::Result<void> record(const QString &path, recording::Recorder::Options options)
    {
        auto writer = recording::RecordingWriter::create(path, false);
        if (!writer)
            return base::failure(writer.error());
        options.program = base::programVersion();
        options.began = m_clock.began();
        m_recorder = std::make_unique<recording::Recorder>(m_servers.first(), std::move(*writer), options,
                                                           base::SystemRandom::instance());
        connect(m_recorder.get(), &recording::Recorder::failed, this, &Watching::recordingFailed);
        return {};
    }
    [[nodiscard]] base::Result<void> serveMetrics(const MetricsAddress &metricsAddress)
    {
        m_metrics = std::make_unique<LockMetrics>(m_servers);
        auto listening = m_metricsServer.listen(metricsAddress);
        if (listening)
            note(CommandLine::tr("metrics are at %1").arg(m_metricsServer.url()));
        return listening;
    }
    void start(std::optional<std::chrono::milliseconds> time)
    {
        if (m_recorder) {
            connect(&m_growth, &QTimer::timeout, this, &Watching::reportGrowth);
            m_growth.start(std::chrono::seconds(1));
        }
        m_servers.start();
        if (time)
            QTimer::singleShot(*time, Qt::PreciseTimer, this, [this] { finishSeen(false); });
    }
    /// Finishes the recording and returns the exit code. Must be called once, at the end.
    [[nodiscard]] ExitCode exitCode()
    {
        finishRecording();
        return m_exitCode == ExitCode::Yes ? m_recordingFailed.value_or(m_exitCode) : m_exitCode;
    }

private:
    void sessionChanged(Session::State state)
    {
        const auto &error = m_servers.first().session().lastError();
        if (state == Session::State::Ready)
            m_wasReady = true;
        else if (state == Session::State::Waiting && !m_wasReady && error)
            finish(printError(error->during(QStringLiteral("watch"))));
    }
    /// Prints once that no lines will appear, because no matching key is recognised as a lock.
    void reportSilence()
    {
        if (m_isSilenceReported)
            return;
        if (const qsizetype matches = m_servers.matchesWithoutLock(); matches > 0) {
            m_isSilenceReported = true;
            note(matches == 1 ? CommandLine::tr("watch: one key matches, and is not recognised as a lock")
                              : CommandLine::tr("watch: %1 keys match, and none is recognised as a lock").arg(matches));
        }
    }
    void recordingFailed(const base::Error &error)
    {
        if (!m_recordingFailed)
            m_recordingFailed = printError(error.during(QStringLiteral("watch")));
    }
    /// Prints the size of the recording each time it doubles.
    void reportGrowth()
    {
        if (m_recorder->error() || m_recorder->size() < m_nextReportedSize)
            return;
        while (m_nextReportedSize <= m_recorder->size())
            m_nextReportedSize *= 2;
        note(CommandLine::tr("watch: the recording has %1, of %2 at most")
                 .arg(base::formatByteSize(m_recorder->size()), base::formatByteSize(m_recorder->maxBytes())));
    }
    void finishRecording()
    {
        if (!m_recorder)
            return;
        if (const auto finished = m_recorder->finish(); !finished)
            recordingFailed(finished.error());
        if (m_wasReady && !m_recordingFailed)
            note(CommandLine::tr("watch: recorded %1").arg(base::formatByteSize(m_recorder->size())));
    }
    /// Ends the watch; the answer is based on the events seen so far. A signal ends the commands of --exec; otherwise
    /// the function waits for them. `isStopped`: whether a signal caused the end.
    void finishSeen(bool isStopped)
    {
        if (!m_seen) {
            if (std::exchange(m_isEnding, true))
                return; // The end itself has printed a line.
            m_clock.stop();
            m_servers.printLast();
            // Output and recording end together. The event loop still delivers replies until the process ends.
            m_printer.close();
            if (m_recorder)
                (void)m_recorder->finish(); // finishRecording() reports an error.
            // Without complete coverage, an event may have been missed.
            m_seen = exitCodeFor(QStringLiteral("watch"), m_servers.coverage(), m_coverageForm);
            if (const int hidden = m_printer.hiddenEnds(); hidden > 0 && !(m_isOnce && m_hasPrinted)) {
                printError(CommandLine::tr("watch: locks that ended in a way that is not known, and that may be "
                                           "one of --event: %1; --event ended prints them")
                               .arg(hidden));
                m_seen = ExitCode::Error;
            } else if (m_isOnce && !m_hasPrinted && m_seen == ExitCode::Yes) {
                note(CommandLine::tr("watch: there was no event to stop after"));
                m_seen = ExitCode::No;
            }
        } else if (!isStopped) {
            return; // The watch is already ending.
        }
        if (m_alerts)
            m_alerts->finish(isStopped, [this] { finish(m_alerts->exitCode(*m_seen)); });
        else
            finish(*m_seen);
    }
    /// Notes a printed line. `counts`: whether --once stops after this line.
    void printed(bool counts)
    {
        stopWithoutReaders();
        if (!m_isOnce || !counts)
            return;
        m_hasPrinted = true;
        m_printer.close();
        finishSeen(false);
    }
    void stopWithoutReaders()
    {
        if (isOutputLost())
            finish(ExitCode::Yes);
    }
    void finish(ExitCode exitCode)
    {
        m_exitCode = exitCode;
        // Queued, because the dialer may fail before the event loop runs.
        QMetaObject::invokeMethod(QCoreApplication::instance(), &QCoreApplication::quit, Qt::QueuedConnection);
    }

    recording::RecordedClock m_clock;
    WatchedServers m_servers;
    WatchPrinter m_printer;
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
    bool m_hasPrinted = false; ///< Whether the event was printed, with m_isOnce.
    bool m_isEnding = false;
    std::optional<ExitCode> m_seen; ///< Exit code of a watch that is ending.
    ExitCode m_exitCode = ExitCode::Error;
};

/// Handles --record and the options for recordings.
base::Result<void> record(Watching &watching, const Arguments &arguments)
{
    if (!arguments.isSet("record")) {
        for (const char *option : {"without-values", "record-limit"}) {
            if (arguments.isSet(option))
                return base::failure(
                    base::ErrorKind::Usage,
                    CommandLine::tr("--%1: of a recording, so with --record").arg(QLatin1String(option)));
        }
        return {};
    }
    recording::Recorder::Options options;
    options.hasValues = !arguments.isSet("without-values");
    options.globs = arguments.globs();
    if (arguments.isSet("record-limit")) {
        const auto limit = base::parseByteSize(arguments.text("record-limit"));
        if (!limit)
            return base::failure(limit.error().during(QStringLiteral("--record-limit")));
        if (*limit == 0)
            return base::failure(base::ErrorKind::Usage,
                                 CommandLine::tr("--record-limit: it must be larger than zero"));
        options.maxBytes = *limit;
    }
    if (auto recording = watching.record(arguments.text("record"), options); !recording)
        return base::failure(recording.error().during(QStringLiteral("--record")));
    return {};
}

ExitCode runWatch(const Arguments &arguments)
{
    if (const auto dialects = checkUserDialects(); !dialects)
        return printError(dialects.error());
    const auto endpoint = arguments.endpoint();
    if (!endpoint)
        return printError(endpoint.error());
    if (arguments.isSet("acl")) {
        const auto dialled = net::dialBlocking(*endpoint, arguments.timeout());
        if (!dialled)
            return printError(dialled.error().during(QStringLiteral("watch")));
        const QString line =
            inspection::CommandAllowlist::aclLine(QStringLiteral("latchkey"), endpoint->database, dialled->server);
        printBytes(shellQuoted(line).toUtf8() + '\n');
        return ExitCode::Yes;
    }
    const auto time = arguments.duration("for");
    if (!time)
        return printError(time.error());
    if (*time && (*time)->count() <= 0)
        return printError(base::Error {base::ErrorKind::Usage, CommandLine::tr("--for: it must be longer than zero")});
    const auto limits = Limits::from(arguments, *endpoint);
    if (!limits)
        return printError(limits.error());
    const auto events = WatchPrinter::eventsFrom(arguments);
    if (!events)
        return printError(events.error());
    const auto alerts = WatchAlerts::optionsFrom(arguments);
    if (!alerts)
        return printError(alerts.error());
    const auto node = findWatchedNode(*endpoint, arguments.globs().all(), arguments.timeout());
    if (!node)
        return printError(node.error().during(QStringLiteral("watch")));
    const bool isOfOne = arguments.isSet("record"); // A recording supports one server only.
    const bool isPart = node->isPart && (isOfOne || node->primaries.empty());
    if (isPart)
        printError(CommandLine::tr("watch: the server is a cluster, and one node is watched, because %1: keys of the "
                                   "other nodes are not seen, and a lock that moves to another node ends here")
                       .arg(isOfOne ? CommandLine::tr("--record is of one node")
                                    : CommandLine::tr("the server does not name the others (CLUSTER SLOTS)")));
    Watching watching(isPart || !node->isPart ? std::vector {WatchedNode::Primary {node->endpoint, {}}}
                                              : node->primaries,
                      *limits, {arguments.globs(), *events, arguments.isSet("once"), arguments.wantsJson(), *alerts});
    if (const auto prepared = watching.prepareCommand(*alerts); !prepared)
        return printError(prepared.error());
    if (arguments.isSet("metrics")) {
        const auto address = MetricsAddress::parse(arguments.text("metrics"));
        if (!address)
            return printError(address.error().during(QStringLiteral("--metrics")));
        if (const auto listening = watching.serveMetrics(*address); !listening)
            return printError(listening.error().during(QStringLiteral("watch")));
    }
    if (const auto recording = record(watching, arguments); !recording)
        return printError(recording.error());
    watching.start(*time);
    QCoreApplication::exec();
    const ExitCode exitCode = watching.exitCode();
    const ExitCode ofPart = arguments.isSet("once") ? ExitCode::No : ExitCode::Yes; // The absence of events is known
                                                                                    // only with complete coverage.
    return isPart && exitCode == ofPart ? ExitCode::Error : exitCode;
}

} // namespace

Command watchCommand()
{
    return {
        "watch",
        {"[GLOB...]", 0, -1},
        QT_TRANSLATE_NOOP("CommandLine", "prints events of locks"),
        watchHelp,
        QList {
            makeOption("acl", "",
                       CommandLine::tr("print the ACL SETUSER line for a user who may watch but change "
                                       "nothing, for the version of that server; nothing is watched")),
            WatchPrinter::eventOption(CommandLine::tr("print only events of this kind; can be repeated. blind, sees, "
                                                      "restarted and failed-over are always printed")),
            makeOption("once", "",
                       CommandLine::tr("stop after the first printed event; seen counts only with --event seen")),
            makeOption("for", "DURATION", CommandLine::tr("stop after this time")),
            limitOption(CommandLine::tr("limit of the server's time: a share of its core like 1%, the "
                                        "default, or commands per second like 500/s")),
            makeOption(
                "metrics", "[ADDRESS:]PORT",
                CommandLine::tr("serve metrics for Prometheus at /metrics; without an address only to this machine")),
            makeOption("record", "FILE",
                       CommandLine::tr(
                           "also record the observations, into a new file for latchkey-cli replay and the window")),
            makeOption("record-limit", "SIZE",
                       CommandLine::tr("end the recording at this size, default 1GB; watch continues, and exits 3")),
            makeOption("without-values", "",
                       CommandLine::tr("record no values: keys, types and times remain, and a digest of each value")),
        } + WatchAlerts::options(),
        runWatch,
    };
}

} // namespace latchkey::cli
