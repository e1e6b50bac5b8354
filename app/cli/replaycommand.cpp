// replay: lock events of a recording.

#include "app/cli/command.h"
#include "app/cli/coverageprinter.h"
#include "app/cli/incidentprinter.h"
#include "app/cli/notificationdelays.h"
#include "app/cli/output.h"
#include "app/cli/recognitionoutput.h"
#include "app/cli/replayalerts.h"
#include "app/cli/watchprinter.h"
#include "app/help/commandline.h"
#include "core/foundation/base/random.h"
#include "core/foundation/base/unixsignals.h"
#include "core/inspect/recording/replay.h"

#include <QCoreApplication>

#include <csignal>

namespace latchkey::cli {

using base::SystemClock;
using help::CommandLine;
using recording::Replay;
using std::chrono::nanoseconds;
using namespace std::chrono_literals;

namespace {

/// Time between two checks for other events, such as a signal.
constexpr auto sliceLength = 20ms;

/// A replay of one recording, until its end or until a signal.
class Replaying final : public QObject
{
public:
    struct Options
    {
        base::Globs globs;
        QStringList events;
        std::vector<alerts::AlertRule> rules;
        bool json = false;
        std::optional<double> speed; ///< Factor to real time; absent for maximum speed.
    };

    Replaying(Replay &replay, const base::Clock &clock, const Options &options)
        : m_replay(replay)
        , m_speed(options.speed)
        , m_printer(clock, options.json, options.events)
        , m_coveragePrinter(QStringLiteral("replay"), replay.server().watcher(), clock, options.json,
                            [this] { stopIfUnread(); })
        , m_incidentPrinter(replay.server(), clock, options.json, [this] { stopIfUnread(); })
        , m_locks(replay.server(), options.globs)
        , m_notificationDelays(replay.server())
        , m_signals({SIGINT, SIGTERM, SIGHUP})
        , m_began(SystemClock::instance().now())
    {
        m_replay.server().locks().setDialects(userDialects());
        if (options.rules.empty() || !options.events.isEmpty())
            m_printer.connectTo(
                m_locks, [this](const events::KeyEvent &keyEvent) { return m_notificationDelays.delayOf(keyEvent); },
                [this](QLatin1String) { stopIfUnread(); });
        if (!options.rules.empty())
            m_alerts = std::make_unique<ReplayAlerts>(replay, clock, options.rules, options.globs, options.json,
                                                      [this] { stopIfUnread(); });
        connect(&m_signals, &base::UnixSignals::received, this, &Replaying::finish);
        connect(&m_advance, &QTimer::timeout, this, &Replaying::advance);
        m_advance.setSingleShot(true);
        m_advance.start(0);
    }

    /// Returns the exit code, which also reports missing locks. `seen`: exit code of the events.
    [[nodiscard]] ExitCode exitCode(ExitCode seen) const { return m_alerts ? m_alerts->exitCode(seen) : seen; }

private:
    void advance()
    {
        const QDeadlineTimer deadline(sliceLength);
        const bool hasArrived = m_alerts ? m_alerts->advance(due(), deadline) : m_replay.advance(due(), deadline, false);
        if (m_replay.isAtEnd()) {
            m_locks.reportLast();
            m_coveragePrinter.printLast();
            finish();
        } else {
            m_advance.start(hasArrived ? wait() : 0ms);
        }
    }
    /// Returns the time of the recording up to which events are due.
    [[nodiscard]] nanoseconds due() const
    {
        const nanoseconds passed = SystemClock::instance().now() - m_began;
        return m_speed ? nanoseconds(static_cast<qint64>(static_cast<double>(passed.count()) * *m_speed))
                       : nanoseconds::max() / 4;
    }
    /// Returns the time until the next event is due.
    [[nodiscard]] std::chrono::milliseconds wait() const
    {
        const nanoseconds next = m_replay.next().value_or(0ns);
        const nanoseconds left = (m_alerts ? std::min(next, m_alerts->nextDue()) : next) - due();
        const auto real = static_cast<double>(left.count()) / m_speed.value_or(1) / 1e6;
        return std::chrono::milliseconds(static_cast<qint64>(std::clamp(real, 1.0, 1000.0)));
    }
    void stopIfUnread()
    {
        if (isOutputLost())
            finish();
    }
    void finish() { QCoreApplication::quit(); }

    Replay &m_replay; // Not owned.
    const std::optional<double> m_speed;
    WatchPrinter m_printer;
    CoveragePrinter m_coveragePrinter;
    IncidentPrinter m_incidentPrinter;
    WatchedLocks m_locks;
    NotificationDelays m_notificationDelays;
    std::unique_ptr<ReplayAlerts> m_alerts; ///< Null without --alert.
    base::UnixSignals m_signals;
    const base::MonotonicTime m_began;
    QTimer m_advance;
};

/// Returns --speed. Absent for maximum speed.
base::Result<std::optional<double>> replaySpeedFrom(const Arguments &arguments)
{
    const QString text = arguments.text("speed");
    if (!arguments.isSet("speed") || text == u"max")
        return std::nullopt;
    bool isNumber = false;
    const double speed = text.toDouble(&isNumber);
    if (!isNumber || !(speed > 0.001 && speed < 1e6))
        return base::failure(
            base::Error {base::ErrorKind::Usage,
                         CommandLine::tr("--speed: %1 is neither a number, such as 1 or 10, nor max").arg(text)});
    return speed;
}

/// Prints errors of the recording and gaps of its coverage. Returns the exit code.
ExitCode replayExitCode(Replay &replay, const Arguments &arguments)
{
    const QString file = QStringLiteral("replay: %1").arg(arguments.positionalText(0));
    if (const auto &problem = replay.problem()) {
        printError(problem->during(file).message());
        return ExitCode::Error;
    }
    if (!replay.heading().hasCoverage) {
        printError(
            CommandLine::tr("%1: this recording of an older version (%2) holds no coverage: what was not seen is "
                            "not known")
                .arg(file, replay.heading().program));
        return ExitCode::Error;
    }
    return exitCodeFor(QStringLiteral("replay"), replay.server().watcher().coverage(),
                       arguments.wantsJson() ? CoverageForm::Json : CoverageForm::Sentences);
}

ExitCode runReplay(const Arguments &arguments)
{
    if (const auto dialects = checkUserDialects(); !dialects)
        return printError(dialects.error());
    const auto events = WatchPrinter::eventsFrom(arguments, WatchPrinter::lockEvents());
    if (!events)
        return printError(events.error());
    const auto rules = AlertPrinter::rulesFrom(arguments);
    if (!rules)
        return printError(rules.error());
    const auto speed = replaySpeedFrom(arguments);
    if (!speed)
        return printError(speed.error());
    recording::ReplayClock clock;
    const auto replay = Replay::open(arguments.positionalText(0), clock, base::SystemRandom::instance());
    if (!replay)
        return printError(replay.error().during(QStringLiteral("replay")));
    const Replaying replaying(**replay, clock, {arguments.globs(1), *events, *rules, arguments.wantsJson(), *speed});
    QCoreApplication::exec();
    return replaying.exitCode(replayExitCode(**replay, arguments));
}

} // namespace

Command replayCommand()
{
    return {
        "replay",
        {"FILE [GLOB...]", 1, -1},
        QT_TRANSLATE_NOOP("CommandLine", "prints the events of a recording"),
        QT_TRANSLATE_NOOP(
            "CommandLine",
            R"help(Replays a recording of watch --record or of the window, and prints a line for each event of the locks with keys that match a GLOB (default: all), as watch does. No server is needed: the observations are read from the file, and the events are computed again.

{options}

The times are those of the recording. With --json a JSON object per line, see latchkey-cli watch --help. In a recording without values, a holder is a digest; equal holders have equal digests.
The events blind and sees have no key and show when nothing was seen; failed-over and restarted have none either. If the answer is incomplete, standard error reports what is missing, as with watch.
With --alert, the rules are those of latchkey-cli watch --alert. They are evaluated at the recorded times, so the same alerts are printed. No command is run: only watch has --exec.
A recording of an older version has no coverage; standard error reports that.
A cut-off recording is replayed up to its last complete line.
Exit code: 0 everything was replayed and seen; 2 wrong usage, or no recording; 3 the file cannot be read, is cut off, or does not show everything.

Examples:
  latchkey-cli replay bug.latchkey-recording
  latchkey-cli replay bug.latchkey-recording 'lock:*' --json
  latchkey-cli replay --speed 10 bug.latchkey-recording
  latchkey-cli replay bug.latchkey-recording --alert 'older-than=20m job:*'
)help"),
        {
            WatchPrinter::eventOption(WatchPrinter::lockEvents(),
                                      CommandLine::tr("print only events of this kind, as in watch; can be repeated")),
            makeOption("alert", "RULE",
                       CommandLine::tr("print a line when a lock meets RULE, and when that is over, as in watch; can "
                                       "be repeated. Events of locks are then printed only with --event")),
            makeOption("speed", "SPEED",
                       CommandLine::tr("replay speed, such as 1 or 10; max, the default, does not wait")),
        },
        runReplay,
    };
}

} // namespace latchkey::cli
