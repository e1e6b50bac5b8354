// replay: lock events of a recording.

#include "app/cli/command.h"
#include "app/cli/coverageprinter.h"
#include "app/cli/incidentprinter.h"
#include "app/cli/notificationdelays.h"
#include "app/cli/output.h"
#include "app/cli/recognitionoutput.h"
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
    /// `speed`: factor to real time; absent for maximum speed.
    Replaying(Replay &replay, const base::Clock &clock, const base::Globs &globs, const QStringList &events, bool json,
              std::optional<double> speed)
        : m_replay(replay)
        , m_speed(speed)
        , m_printer(clock, json, events)
        , m_coveragePrinter(QStringLiteral("replay"), replay.server().watcher(), clock, json,
                            [this] { stopIfUnread(); })
        , m_incidentPrinter(replay.server(), clock, json, [this] { stopIfUnread(); })
        , m_locks(replay.server(), globs)
        , m_notificationDelays(replay.server())
        , m_signals({SIGINT, SIGTERM, SIGHUP})
        , m_began(SystemClock::instance().now())
    {
        m_replay.server().locks().setDialects(userDialects());
        m_printer.connectTo(
            m_locks, [this](const events::KeyEvent &keyEvent) { return m_notificationDelays.delayOf(keyEvent); },
            [this](QLatin1String) { stopIfUnread(); });
        connect(&m_signals, &base::UnixSignals::received, this, &Replaying::finish);
        connect(&m_advance, &QTimer::timeout, this, &Replaying::advance);
        m_advance.setSingleShot(true);
        m_advance.start(0);
    }

private:
    void advance()
    {
        const bool isThere = m_replay.advance(due(), QDeadlineTimer(sliceLength), false);
        if (m_replay.isAtEnd()) {
            m_locks.reportLast();
            m_coveragePrinter.printLast();
            finish();
        } else {
            m_advance.start(isThere ? wait() : 0ms);
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
        const nanoseconds left = m_replay.next().value_or(0ns) - due();
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
    const auto speed = replaySpeedFrom(arguments);
    if (!speed)
        return printError(speed.error());
    recording::ReplayClock clock;
    const auto replay = Replay::open(arguments.positionalText(0), clock, base::SystemRandom::instance());
    if (!replay)
        return printError(replay.error().during(QStringLiteral("replay")));
    const Replaying replaying(**replay, clock, arguments.globs(1), *events, arguments.wantsJson(), *speed);
    QCoreApplication::exec();
    return replayExitCode(**replay, arguments);
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
A recording of an older version has no coverage; standard error reports that.
A cut-off recording is replayed up to its last complete line.
Exit code: 0 everything was replayed and seen; 2 wrong usage, or no recording; 3 the file cannot be read, is cut off, or does not show everything.

Examples:
  latchkey-cli replay bug.latchkey-recording
  latchkey-cli replay bug.latchkey-recording 'lock:*' --json
  latchkey-cli replay --speed 10 bug.latchkey-recording
)help"),
        {
            WatchPrinter::eventOption(WatchPrinter::lockEvents(),
                                      CommandLine::tr("print only events of this kind, as in watch; can be repeated")),
            makeOption("speed", "SPEED",
                       CommandLine::tr("replay speed, such as 1 or 10; max, the default, does not wait")),
        },
        runReplay,
    };
}

} // namespace latchkey::cli
