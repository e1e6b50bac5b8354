// expect: checks keys of a server against expectations of the user.

#include "app/cli/command.h"
#include "app/cli/limits.h"
#include "app/cli/output.h"
#include "app/cli/watchednode.h"
#include "app/help/commandline.h"
#include "app/help/helptext.h"
#include "core/foundation/base/unixsignals.h"
#include "core/foundation/files/inputfile.h"
#include "core/foundation/files/savedfile.h"
#include "core/foundation/language/catalogue.h"
#include "core/inspect/expectations/expectationtexts.h"
#include "core/inspect/expectations/report.h"
#include "core/inspect/inspection/serverregistry.h"

#include <QCoreApplication>

#include <csignal>

namespace latchkey::cli {

using base::ErrorKind;
using expectations::Expectation;
using expectations::ExpectationRun;
using expectations::Report;
using help::CommandLine;
using net::Session;
using std::chrono::milliseconds;
using Outcome = expectations::Verdict::Outcome;
using namespace std::chrono_literals;

namespace {

/// Size limit in bytes of a file with expectations. A useful one is smaller.
constexpr qint64 maxExpectationFileSize = 1 << 20;
/// Extra time for keys to appear, if no duration is given.
constexpr auto timeToAppear = 5s;
/// Time for the last read after Ctrl+C.
constexpr auto signalTimeout = 100ms;

/// Returns the patterns of the evaluated keys.
std::vector<base::Glob> keysOf(const std::vector<Expectation> &all)
{
    std::vector<base::Glob> keys;
    for (const Expectation &expectation : all)
        keys.push_back(expectation.isPattern ? expectation.pattern : base::Glob::exactly(expectation.key));
    return keys;
}

/// A run that ends when its time is over, or when no verdict can change.
class Expecting final : public QObject
{
public:
    Expecting(const net::Endpoint &endpoint, const Limits &limits, std::vector<Expectation> expectations,
              std::optional<milliseconds> time)
        : m_registry(base::SystemClock::instance(), base::SystemRandom::instance())
        , m_server(m_registry.open(endpoint, false))
        , m_run(*m_server, std::move(expectations))
        , m_time(time)
        , m_signals({SIGINT, SIGTERM, SIGHUP})
    {
        limits.applyTo(m_server->watcher());
        limits.applyTo(m_server->session());
        m_server->watcher().setKeyFilter(keysOf(m_run.expectations()));
        connect(&m_signals, &base::UnixSignals::received, this, [this] { m_run.finish(signalTimeout); });
        connect(&m_server->session(), &Session::stateChanged, this, &Expecting::sessionChanged);
        connect(&m_run, &ExpectationRun::began, this, &Expecting::startTime);
        m_timeUp.setSingleShot(true);
        m_timeUp.setTimerType(Qt::PreciseTimer);
        connect(&m_timeUp, &QTimer::timeout, this, [this] { m_run.finish(); });
        connect(&m_run, &ExpectationRun::changed, this, [this] {
            if (!m_time && m_run.isSettled())
                m_run.finish();
        });
        connect(&m_run, &ExpectationRun::finished, this, &Expecting::quit);
        m_server->start();
    }

    [[nodiscard]] Report report() { return Report::of(m_run, *m_server); }
    /// Returns why the connection failed. Absent if it succeeded once.
    [[nodiscard]] const std::optional<base::Error> &failure() const { return m_failure; }

private:
    void sessionChanged(Session::State state)
    {
        // If a server refuses all reads, the run never begins; its time then starts with the connection.
        if (state == Session::State::Ready && !std::exchange(m_wasReady, true))
            startTime();
        const auto error = m_server->session().lastError();
        if (state != Session::State::Waiting || m_wasReady || !error)
            return;
        m_failure = error->during(QStringLiteral("expect"));
        quit();
    }
    void startTime()
    {
        m_timeUp.start(m_time.value_or(ExpectationRun::neededTime(m_run.expectations()) + timeToAppear));
    }
    static void quit()
    {
        // Queued, because the dialer may fail before the event loop runs.
        QMetaObject::invokeMethod(QCoreApplication::instance(), &QCoreApplication::quit, Qt::QueuedConnection);
    }

    inspection::ServerRegistry m_registry;
    std::shared_ptr<inspection::InspectedServer> m_server;
    ExpectationRun m_run;
    const std::optional<milliseconds> m_time;
    base::UnixSignals m_signals;
    QTimer m_timeUp;
    bool m_wasReady = false;
    std::optional<base::Error> m_failure;
};

base::Result<std::vector<Expectation>> expectationsFrom(const Arguments &arguments)
{
    std::vector<Expectation> all;
    for (int i = 0; i < arguments.positionalCount(); ++i) {
        const QString text = expectations::textOf(arguments.positionalBytes(i));
        auto expectation = expectations::parseExpectation(text);
        if (!expectation)
            return base::failure(expectation.error().during(u'"' + text + u'"'));
        all.push_back(std::move(*expectation));
    }
    for (const QString &encoded : arguments.texts("file")) {
        const auto contents = files::contentsOf(encoded, maxExpectationFileSize);
        if (!contents) {
            const base::Error &error = contents.error();
            return base::failure(error.kind, CommandLine::tr("cannot read %1: %2").arg(encoded, error.message()));
        }
        auto read = expectations::parseExpectations(encoded, *contents);
        if (!read)
            return read;
        std::ranges::move(*read, std::back_inserter(all));
    }
    if (all.empty())
        return base::failure(ErrorKind::Usage, CommandLine::tr("an expectation is missing, or --file with some"));
    if (all.size() > expectations::maxExpectations)
        return base::failure(ErrorKind::Usage,
                             CommandLine::tr("%1 expectations are more than can be watched together (%2)")
                                 .arg(all.size())
                                 .arg(expectations::maxExpectations));
    return all;
}

/// Returns --for, after checking that it is long enough for all expectations.
base::Result<std::optional<milliseconds>> timeFrom(const Arguments &arguments, const std::vector<Expectation> &all)
{
    auto time = arguments.duration("for");
    if (!time || !*time)
        return time;
    if ((*time)->count() <= 0)
        return base::failure(ErrorKind::Usage, CommandLine::tr("--for: it must be longer than zero"));
    for (const Expectation &expectation : all) {
        if (expectation.until > **time)
            return base::failure(ErrorKind::Usage,
                                 CommandLine::tr("--for: in %1 it cannot be told whether \"%2\" holds")
                                     .arg(arguments.text("for"), expectation.text));
    }
    return time;
}

/// A file for the report. It is opened before watching starts, so that errors appear early.
struct Target
{
    files::SavedFile file;
    QByteArray (*make)(const Report &report) = nullptr;
};

base::Result<std::vector<Target>> targetsFrom(const Arguments &arguments)
{
    std::vector<Target> targets;
    for (const auto &[option, make] :
         {std::pair("junit", &expectations::toJUnit), std::pair("csv", &expectations::toCsv)}) {
        if (!arguments.isSet(option))
            continue;
        auto file = files::SavedFile::open(arguments.text(option));
        if (!file)
            return base::failure(file.error().during(QStringLiteral("--") + QLatin1String(option)));
        targets.push_back({std::move(*file), make});
    }
    return targets;
}

QByteArray contentsFor(const Target &target, const Report &report)
{
    const language::EnglishScope forPrograms;
    return target.make(report);
}

base::Result<void> write(std::vector<Target> &targets, const Report &report)
{
    for (Target &target : targets) {
        if (auto saved = target.file.save(contentsFor(target, report)); !saved)
            return saved;
    }
    return {};
}

void printText(const Report &report)
{
    for (const expectations::KeyResult &result : report.results) {
        const Expectation &expectation = report.expectations[result.expectation];
        const QString key =
            expectation.isPattern ? QStringLiteral(" (%1)").arg(base::printable(result.key)) : QString();
        printBytes(QStringLiteral("%1  %2%3: %4\n")
                       .arg(help::padded(expectations::outcomeText(result.verdict.outcome), 9))
                       .arg(expectation.text, key, expectations::groundsText(result.verdict))
                       .toUtf8());
    }
}

void printRemarks(const Report &report)
{
    if (report.leftOut > 0)
        printError(CommandLine::tr("expect: %1 keys more match than are judged").arg(report.leftOut));
}

ExitCode exitCodeOf(const Report &report)
{
    switch (report.outcome()) {
    case Outcome::Holds:
        return ExitCode::Yes;
    case Outcome::Fails:
        return ExitCode::No;
    case Outcome::Open:
    case Outcome::Unknown:
        return ExitCode::Error;
    }
    Q_UNREACHABLE();
}

ExitCode runExpect(const Arguments &arguments)
{
    const auto endpoint = arguments.endpoint();
    if (!endpoint)
        return printError(endpoint.error());
    const auto limits = Limits::from(arguments, *endpoint);
    if (!limits)
        return printError(limits.error());
    auto all = expectationsFrom(arguments);
    if (!all)
        return printError(all.error().during(QStringLiteral("expect")));
    const auto time = timeFrom(arguments, *all);
    if (!time)
        return printError(time.error().during(QStringLiteral("expect")));
    auto targets = targetsFrom(arguments);
    if (!targets)
        return printError(targets.error().during(QStringLiteral("expect")));
    const auto node = findWatchedNode(*endpoint, keysOf(*all), arguments.timeout());
    if (!node)
        return printError(node.error().during(QStringLiteral("expect")));
    if (node->isPart)
        return printError(base::Error {
            ErrorKind::CrossSlot,
            CommandLine::tr("expect: the server is a cluster, and one node is watched: it has not all of these keys; "
                            "give each expectation of one key to a run of its own, or name keys with the same hash "
                            "tag, such as {name}")});
    Expecting expecting(node->endpoint, *limits, std::move(*all), *time);
    QCoreApplication::exec();
    if (expecting.failure())
        return printError(*expecting.failure());
    const Report report = expecting.report();
    if (arguments.wantsJson())
        printJson(expectations::toJson(report));
    else
        printText(report);
    printRemarks(report);
    if (const auto written = write(*targets, report); !written)
        return printError(written.error().during(QStringLiteral("expect")));
    return exitCodeFor(QStringLiteral("expect"), report.coverage, CoverageForm::Sentences, exitCodeOf(report));
}

} // namespace

Command expectCommand()
{
    return {
        "expect",
        {"EXPECTATION...", 0, -1},
        QT_TRANSLATE_NOOP("CommandLine", "checks expectations about the expiry of keys"),
        QT_TRANSLATE_NOOP(
            "CommandLine",
            R"help(Watches keys of the server, and checks expectations about their expiry. Nothing is written to the server.

  KEY gone between 1s and 2s     the key ends between these times
  KEY exists until 5s            the key exists at least for this time
  KEY renewed at least every 10s
                                 at most this time passes between two renewals
  KEY never without expiry       the key has an expiry whenever it is read

KEY is a key or, with * or ?, a pattern; each matching key is judged. \* \? \[ \] are these characters themselves, as in ls: 'lock:\*' is one key. Times start when the key appears, or at the first read of an existing key. With `after writing` at their end, the first two forms judge only keys with an observed write, from their last write on. A write of the same value with a new expiry looks like a renewal: only keyspace notifications tell them apart, and without them the verdict is not known if it depends on that.

{options}

A verdict is `holds`, `fails` or `not known`. The end of a key is known only to the interval between two reads (25 ms for a dozen keys, 2 s for a thousand; a few ms around its expiry). If the observations fit both verdicts, the verdict is not known, and the expectation does not pass.
With --json: {outcome, watched_ms, unseen_ms, round_trip_ms, means, left_out, coverage, expectations:
[{expectation, outcome, keys: [{key, outcome, why, text, least_ms, most_ms, since, ending, count}]}]}.
outcome is holds, fails or unknown; since is `writing` or `first-look`. coverage is {complete, looked_at, of, denied, unread, blind_ms, unreported_ms, lag_ms, missing}: which keys were read, what the server refused, and how long nothing was seen.
Exit code: 0 all hold; 1 one fails; 2 wrong usage; 3 a verdict is not known, the coverage is incomplete, or the server cannot be reached.

Examples:
  latchkey-cli expect 'session:7 gone between 4.9s and 5.2s after writing'
  latchkey-cli expect 'lock:* renewed at least every 10s' 'cache:* never without expiry' --for 1m
  latchkey-cli expect --file expiry.txt --junit expiry.xml
)help"),
        {
            makeOption("file", "FILE",
                       CommandLine::tr("a file with one expectation per line; lines that begin with # are ignored")),
            makeOption("for", "DURATION",
                       CommandLine::tr("watch for this time. Default: until the verdict on every named key "
                                       "is known, and at most 5s longer than the expectations need")),
            limitOption(CommandLine::tr("limit of the server's time: a share of its core like 1%, the "
                                        "default, or commands per second like 500/s")),
            makeOption("junit", "FILE", CommandLine::tr("write the verdicts as JUnit XML")),
            makeOption(
                "csv", "FILE",
                CommandLine::tr("write them as CSV (RFC 4180); bytes of a key that are not text are written as \\xNN")),
        },
        runExpect,
    };
}

} // namespace latchkey::cli
