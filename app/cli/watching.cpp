#include "app/cli/watching.h"

#include "app/cli/missingparts.h"
#include "app/help/commandline.h"
#include "core/foundation/base/bytesize.h"
#include "core/foundation/base/version.h"
#include "core/inspect/voting/independence.h"

#include <QCoreApplication>

#include <algorithm>
#include <csignal>

namespace latchkey::cli {

using help::CommandLine;
using net::Session;

Watching::Watching(const std::vector<Server> &servers, const Options &options)
    : m_printer(m_clock, options.json, options.events)
    , m_votes(servers.size() > 1 ? std::make_unique<WatchedVotes>(m_clock) : nullptr)
    , m_hasAlerts(!options.alerts.rules.empty())
    , m_isOnce(options.isOnce)
    , m_countsSeen(options.events.contains(QLatin1String("seen")))
    , m_coverageForm(options.json ? CoverageForm::Json : CoverageForm::Sentences)
    , m_metricsServer([this] { return m_metrics->page(); })
    , m_signals({SIGINT, SIGTERM, SIGHUP})
{
    connect(&m_signals, &base::UnixSignals::received, this, [this] { finishSeen(true); });
    qsizetype width = 0;
    for (const Server &server : servers)
        width = std::max(width, server.primaries.front().endpoint.display().size());
    m_members.reserve(servers.size());
    for (const Server &server : servers)
        add(server,
            servers.size() > 1 ? EventOrigin {{}, server.primaries.front().endpoint.display(), width} : EventOrigin(),
            options);
    if (!m_hasAlerts || !options.events.isEmpty())
        connectPrinter();
    if (m_hasAlerts)
        m_alerts = std::make_unique<WatchAlerts>(first(), m_clock, options.alerts, options.globs, options.json,
                                                 [this](bool isRaised) { printed(isRaised); });
}

Watching::~Watching() = default;

void Watching::add(const Server &server, const EventOrigin &origin, const Options &options)
{
    m_members.push_back(
        {std::make_unique<WatchedServers>(server.primaries,
                                          WatchedServers::Options {options.globs, server.limits, options.json, origin,
                                                                   server.isCluster, server.unserved},
                                          m_clock, [this] { stopWithoutReaders(); }),
         origin});
    Member &member = m_members.back();
    connect(&member.servers->first().session(), &Session::stateChanged, this,
            [this, &member](Session::State state) { sessionChanged(member, state); });
    connect(member.servers.get(), &WatchedServers::committed, this, &Watching::reportSilence);
}

/// Connects the printer to the locks, and then to the votes, so that a vote is printed after its event.
void Watching::connectPrinter()
{
    const WatchPrinter::Printed notePrinted = [this](QLatin1String event) {
        printed(event != QLatin1String("seen") || m_countsSeen);
    };
    QStringList addresses;
    for (const Member &member : m_members) {
        m_printer.connectTo(
            member.servers->locks(),
            [&servers = *member.servers](const events::KeyEvent &keyEvent) { return servers.eventDelay(keyEvent); },
            notePrinted, member.origin);
        addresses += member.origin.server;
    }
    if (!m_votes)
        return;
    m_printer.connectTo(*m_votes, addresses, notePrinted);
    for (const Member &member : m_members) {
        const WatchedServers::Node node = member.servers->nodes().front();
        m_votes->add(node.server, node.locks);
    }
}

base::Result<void> Watching::prepareCommand(const WatchAlerts::Options &options)
{
    return m_alerts ? m_alerts->prepareCommand(options) : base::Result<void>();
}

base::Result<void> Watching::record(const QString &path, recording::Recorder::Options options)
{
    auto writer = recording::RecordingWriter::create(path, false);
    if (!writer)
        return base::failure(writer.error());
    options.program = base::programVersion();
    options.began = m_clock.began();
    m_recorder = std::make_unique<recording::Recorder>(first().first(), std::move(*writer), options,
                                                       base::SystemRandom::instance());
    connect(m_recorder.get(), &recording::Recorder::failed, this, &Watching::recordingFailed);
    return {};
}

base::Result<void> Watching::serveMetrics(const MetricsAddress &metricsAddress)
{
    m_metrics = std::make_unique<LockMetrics>(first());
    auto listening = m_metricsServer.listen(metricsAddress);
    if (listening)
        note(CommandLine::tr("metrics are at %1").arg(m_metricsServer.url()));
    return listening;
}

void Watching::start(std::optional<std::chrono::milliseconds> time)
{
    if (m_recorder) {
        connect(&m_growth, &QTimer::timeout, this, &Watching::reportGrowth);
        m_growth.start(std::chrono::seconds(1));
    }
    for (const Member &member : m_members)
        member.servers->start();
    if (time)
        QTimer::singleShot(*time, Qt::PreciseTimer, this, [this] { finishSeen(false); });
}

ExitCode Watching::exitCode()
{
    finishRecording();
    return m_exitCode == ExitCode::Yes ? m_recordingFailed.value_or(m_exitCode) : m_exitCode;
}

/// Ends the watch if no server could be reached at first. One of several servers that cannot be reached is blind.
void Watching::sessionChanged(Member &member, Session::State state)
{
    const auto &error = member.servers->first().session().lastError();
    if (state == Session::State::Ready) {
        m_wasReady = true;
        refuseDependent();
    }
    if (state != Session::State::Waiting || !error)
        return;
    member.hasFailed = true;
    if (!m_wasReady && std::ranges::all_of(m_members, &Member::hasFailed))
        return finish(printError(error->during(QStringLiteral("watch"))));
    if (isOfSeveral())
        member.servers->printGap();
}

/// Ends the watch if two of the servers are one, as soon as they describe themselves. Prints a line about each server
/// that does not describe itself.
void Watching::refuseDependent()
{
    if (!isOfSeveral() || m_isDependent)
        return;
    std::vector<voting::DescribedServer> described;
    for (const Member &member : m_members) {
        const Session &session = member.servers->first().session();
        described.push_back({session.endpoint(), session.server()});
        if (session.state() == Session::State::Ready && session.server().runId.isEmpty()
            && !m_undescribed.contains(member.origin.server)) {
            m_undescribed.insert(member.origin.server);
            printError(CommandLine::tr("watch: whether %1 is another server than the others could not be told, because "
                                       "INFO is refused; its vote may be counted twice; allow INFO")
                           .arg(member.origin.server));
        }
    }
    const auto dependent = voting::whyDependent(described);
    m_isDependent = dependent.has_value(); // Reported once, although the other servers connect before the end.
    if (dependent)
        finish(printError(dependent->during(QStringLiteral("watch"))));
}

/// Prints once that no lines will appear, because no matching key is recognised as a lock.
void Watching::reportSilence()
{
    if (m_isSilenceReported)
        return;
    qsizetype matches = 0;
    for (const Member &member : m_members) {
        const qsizetype ofServer = member.servers->matchesWithoutLock();
        if (ofServer == 0)
            return;
        matches += ofServer;
    }
    m_isSilenceReported = true;
    note(matches == 1 ? CommandLine::tr("watch: one key matches, and is not recognised as a lock")
                      : CommandLine::tr("watch: %1 keys match, and none is recognised as a lock").arg(matches));
}

void Watching::recordingFailed(const base::Error &error)
{
    if (!m_recordingFailed)
        m_recordingFailed = printError(error.during(QStringLiteral("watch")));
}

/// Prints the size of the recording each time it doubles.
void Watching::reportGrowth()
{
    if (m_recorder->error() || m_recorder->size() < m_nextReportedSize)
        return;
    while (m_nextReportedSize <= m_recorder->size())
        m_nextReportedSize *= 2;
    note(CommandLine::tr("watch: the recording has %1, of %2 at most")
             .arg(base::formatByteSize(m_recorder->size()), base::formatByteSize(m_recorder->maxBytes())));
}

void Watching::finishRecording()
{
    if (!m_recorder)
        return;
    if (const auto finished = m_recorder->finish(); !finished)
        recordingFailed(finished.error());
    if (m_wasReady && !m_recordingFailed)
        note(CommandLine::tr("watch: recorded %1").arg(base::formatByteSize(m_recorder->size())));
}

/// Prints the missing parts of the observation, and returns the exit code. Without complete coverage, an event may have
/// been missed.
ExitCode Watching::coverageCode() const
{
    const QString command = QStringLiteral("watch");
    if (!isOfSeveral())
        return exitCodeFor(command, first().coverage(), m_coverageForm);
    ExitCode worst = m_undescribed.isEmpty() ? ExitCode::Yes : ExitCode::Error;
    for (const Member &member : m_members) {
        const Session &session = member.servers->first().session();
        const auto failure = session.lastAnswer() ? std::nullopt : session.lastError();
        const MissingParts missing {command + u' ' + member.origin.server, member.servers->coverage(), failure,
                                    std::nullopt, member.origin.server};
        if (printMissing(missing, m_coverageForm) != ExitCode::Yes)
            worst = ExitCode::Error;
    }
    return worst;
}

/// Ends the watch. The answer is based on the events seen so far. A signal also ends the commands of --exec; without a
/// signal, the function waits for them. `isStopped`: whether a signal caused the end.
void Watching::finishSeen(bool isStopped)
{
    if (!m_seen) {
        if (std::exchange(m_isEnding, true))
            return; // The end itself has printed a line.
        m_clock.stop();
        for (const Member &member : m_members)
            member.servers->printLast();
        // Output and recording end together, although the event loop delivers replies until the process ends.
        m_printer.close();
        if (m_recorder)
            (void)m_recorder->finish(); // finishRecording() reports an error.
        m_seen = coverageCode();
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
void Watching::printed(bool counts)
{
    stopWithoutReaders();
    if (!m_isOnce || !counts)
        return;
    m_hasPrinted = true;
    m_printer.close();
    finishSeen(false);
}

void Watching::stopWithoutReaders()
{
    if (isOutputLost())
        finish(ExitCode::Yes);
}

void Watching::finish(ExitCode exitCode)
{
    m_exitCode = exitCode;
    // Queued, because the dialer may fail before the event loop runs.
    QMetaObject::invokeMethod(QCoreApplication::instance(), &QCoreApplication::quit, Qt::QueuedConnection);
}

} // namespace latchkey::cli
