// Runs the benchmarks: each figure in several rounds, ours and the reference's in turn, the medians compared. What is
// printed is for people; the last line is one JSON object.
//   latchkey-bench [--quick] [PART...]
//   --quick   fewer keys and rounds, to see that everything runs
//   PART      first-paint, cycles, redis-py, recipes, run, explore, million; all of them unless given

#include "core/locks/catalogue.h"
#include "tests/support/testserver.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMap>
#include <QProcess>
#include <QProcessEnvironment>
#include <QRegularExpression>
#include <QTcpServer>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <sched.h>
#include <vector>

using namespace latchkey;

namespace {

bool isQuick = false;

/// -1: wherever the scheduler puts it.
void pin(pid_t process, int core)
{
    if (core < 0)
        return;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(core), &set);
    if (::sched_setaffinity(process, sizeof set, &set) != 0)
        qFatal("cannot pin a process to core %d", core);
}

/// Runs a program, one of those beside this one unless it is a path, on a core; its standard output.
QByteArray run(const QString &program, const QStringList &arguments, int core)
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::SeparateChannels);
    process.setChildProcessModifier([core] { pin(0, core); });
    process.start(program.startsWith(u'/') ? program : QCoreApplication::applicationDirPath() + u'/' + program,
                  arguments);
    if (!process.waitForFinished(300'000) || process.exitCode() != 0)
        qFatal("%s failed: %s", qPrintable(program), process.readAllStandardError().constData());
    return process.readAllStandardOutput().trimmed();
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void report(const char *what, double value, const char *unit)
{
    std::printf("%-58s %9.3f %s\n", what, value, unit);
    std::fflush(stdout);
}

quint16 freePort()
{
    QTcpServer place;
    place.listen(QHostAddress::LocalHost);
    return place.serverPort();
}

/// Ours against the reference's, in turn; above 1 ours is faster.
double cycleRatio(test::TestServer &server, const QString &driver, const QString &url, const QString &referencePlace,
                  int serverCore, int clientCore)
{
    const QString count = QString::number(isQuick ? 2000 : 20'000);
    const int rounds = isQuick ? 3 : 9;
    pin(static_cast<pid_t>(server.process().processId()), serverCore);
    std::vector<double> ours;
    std::vector<double> reference;
    for (int round = 0; round < rounds; ++round) {
        ours.push_back(run(QStringLiteral("bench-locks"), {driver, url, count}, clientCore).toDouble());
        reference.push_back(
            run(QStringLiteral("bench-reference"), {QStringLiteral("cycle"), referencePlace, count}, clientCore)
                .toDouble());
    }
    std::printf("    hiredis %.1f µs a cycle, ours %.1f µs\n", median(reference) * 1e6 / count.toDouble(),
                median(ours) * 1e6 / count.toDouble());
    return median(reference) / median(ours);
}

void benchLockCycles(QJsonObject &result)
{
    const quint16 port = freePort();
    test::TestServer server(
        {QStringLiteral("--port"), QString::number(port), QStringLiteral("--bind"), QStringLiteral("127.0.0.1")});
    const QString unixUrl = server.url();
    const QString unixPlace = QStringLiteral("unix:") + server.endpoint().path;
    const QString tcpUrl = QStringLiteral("redis://127.0.0.1:%1").arg(port);
    const QString tcpPlace = QStringLiteral("tcp:%1").arg(port);

    std::printf("Lock cycle (acquire and release with token), ratio to plain hiredis, above 1 is faster\n");
    const double main = cycleRatio(server, QStringLiteral("blocking"), unixUrl, unixPlace, 0, 0);
    report("  blocking, Unix socket, one core", main, "");
    report("  blocking, Unix socket, two cores",
           cycleRatio(server, QStringLiteral("blocking"), unixUrl, unixPlace, 0, 1), "");
    report("  blocking, TCP, one core", cycleRatio(server, QStringLiteral("blocking"), tcpUrl, tcpPlace, 0, 0), "");
    report("  event loop, Unix socket, one core", cycleRatio(server, QStringLiteral("loop"), unixUrl, unixPlace, 0, 0),
           "");
    report("  event loop, TCP, one core", cycleRatio(server, QStringLiteral("loop"), tcpUrl, tcpPlace, 0, 0), "");
    result[QStringLiteral("lock_cycle_vs_hiredis")] = main;
}

void benchRedisPy(QJsonObject &result)
{
    const QString python = QStringLiteral("/usr/bin/python3"); // Debian's package is for Debian's own interpreter.
    const QString script = QStringLiteral(LATCHKEY_SOURCE_DIR "/tests/integration/peers/redispylock.py");
    if (!QFile::exists(python)
        || QProcess::execute(python, {QStringLiteral("-c"), QStringLiteral("import redis")}) != 0) {
        std::printf("Lock cycle beside redis-py: python3 has no redis here\n");
        return;
    }
    test::TestServer server;
    pin(static_cast<pid_t>(server.process().processId()), 0);
    // Of both as many as take about as long.
    const int ourCount = isQuick ? 2000 : 20'000;
    const int theirCount = ourCount / 5;
    std::vector<double> ours;
    std::vector<double> theirs;
    for (int round = 0; round < (isQuick ? 3 : 9); ++round) {
        ours.push_back(
            run(QStringLiteral("bench-locks"), {QStringLiteral("blocking"), server.url(), QString::number(ourCount)}, 0)
                .toDouble()
            / ourCount);
        theirs.push_back(run(python,
                             {script, QStringLiteral("bench"), QStringLiteral("bench:lock"),
                              QString::number(theirCount), server.endpoint().path},
                             0)
                             .toDouble()
                         / theirCount);
    }
    std::printf("Lock cycle beside redis-py's Lock: %.0f a second, ours %.0f\n", 1 / median(theirs), 1 / median(ours));
    const double ratio = median(theirs) / median(ours);
    report("  blocking, Unix socket, one core, times as many", ratio, "");
    result[QStringLiteral("lock_cycle_vs_redis_py")] = ratio;
}

/// How often the server has carried each command out since it was last asked.
QMap<QByteArray, qint64> takeCommandCounts(test::TestServer &server)
{
    QMap<QByteArray, qint64> counts;
    for (const QByteArray &line : server({"INFO", "commandstats"}).bytes().split('\n')) {
        // cmdstat_set:calls=20000,usec=…
        const qsizetype colon = line.indexOf(":calls=");
        if (colon > 0)
            counts.insert(line.first(colon), line.mid(colon + 7).split(',').front().toLongLong());
    }
    server({"CONFIG", "RESETSTAT"});
    return counts;
}

/// The reference must send what the recipe sends, or the comparison is none. A few belong to connecting and to learning
/// scripts.
void checkSameCommands(const QString &recipe, const QMap<QByteArray, qint64> &ours,
                       const QMap<QByteArray, qint64> &reference)
{
    constexpr qint64 few = 4;
    for (const QByteArray &command : (ours.keys() + reference.keys())) {
        if (std::abs(ours.value(command) - reference.value(command)) > few)
            qFatal("%s: ours sent %s %lld times, the reference %lld times", qPrintable(recipe), command.constData(),
                   ours.value(command), reference.value(command));
    }
}

void benchRecipes(QJsonObject &result)
{
    constexpr int serverCount = 3; ///< For recipes that use several.
    std::vector<std::unique_ptr<test::TestServer>> servers;
    QStringList urls;
    QStringList places;
    for (int i = 0; i < serverCount; ++i) {
        servers.push_back(std::make_unique<test::TestServer>());
        pin(static_cast<pid_t>(servers.back()->process().processId()), 0);
        urls += servers.back()->url();
        places += QStringLiteral("unix:") + servers.back()->endpoint().path;
    }
    std::printf("Every recipe, acquire and release, blocking, Unix socket, one core, ratio to plain hiredis\n");
    const QString count = QString::number(isQuick ? 500 : 5000);
    double slowest = std::numeric_limits<double>::max();
    for (const locks::Recipe &recipe : locks::recipes()) {
        const int used = recipe.hasManyServers ? serverCount : 1;
        const QStringList what {QStringLiteral("recipe"), recipe.id, count};
        std::vector<double> ours;
        std::vector<double> reference;
        for (int round = 0; round < (isQuick ? 3 : 7); ++round) {
            (void)takeCommandCounts(*servers.front());
            ours.push_back(run(QStringLiteral("bench-locks"), what + urls.first(used), 0).toDouble());
            const auto sent = takeCommandCounts(*servers.front());
            reference.push_back(run(QStringLiteral("bench-reference"), what + places.first(used), 0).toDouble());
            checkSameCommands(recipe.id, sent, takeCommandCounts(*servers.front()));
        }
        const double ratio = median(reference) / median(ours);
        report(qPrintable(QStringLiteral("  ") + recipe.id), ratio, "");
        slowest = std::min(slowest, ratio);
    }
    result[QStringLiteral("recipes_vs_hiredis")] = slowest;
}

/// What holding a lock adds to a program that does nothing: a process more, the connection, acquire and release.
void benchRun(QJsonObject & /*result*/)
{
    const test::TestServer server;
    const QString nothing = QStringLiteral("/bin/true");
    std::vector<double> alone;
    std::vector<double> locked;
    for (int round = 0; round < (isQuick ? 20 : 200); ++round) {
        QElapsedTimer timer;
        timer.start();
        run(nothing, {}, -1);
        alone.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
        timer.start();
        run(QStringLiteral(LATCHKEY_CLI),
            {QStringLiteral("--url"), server.url(), QStringLiteral("run"), QStringLiteral("token"),
             QStringLiteral("bench:run"), QStringLiteral("--"), nothing},
            -1);
        locked.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    std::printf("A program that does nothing: %.2f ms alone, %.2f ms in run token\n", median(alone), median(locked));
    report("  run adds", median(locked) - median(alone), "ms");
}

void fill(test::TestServer &server, int count)
{
    // The server writes them itself: what is measured is reading.
    constexpr int portion = 20'000;
    for (int first = 0; first < count; first += portion) {
        const auto reply =
            server({"EVAL",
                    "for i = ARGV[1], ARGV[1] + ARGV[2] - 1 do redis.call('SET', 'lock:session:' .. (100000000 + i), "
                    "'0123456789abcdef0123456789abcdef', 'PX', 36000000 + (i * 7919) % 80000000) end return 1",
                    "0", QByteArray::number(first), QByteArray::number(std::min(portion, count - first))});
        if (!reply.isInteger(1))
            qFatal("%s", qPrintable(reply.toText()));
    }
}

void benchMillion(QJsonObject &result)
{
    const int count = isQuick ? 50'000 : 1'000'000;
    const int rounds = isQuick ? 1 : 5;
    test::TestServer server;
    fill(server, count);
    pin(static_cast<pid_t>(server.process().processId()), 0);
    std::vector<double> reference;
    std::vector<double> seconds;
    std::vector<double> p99;
    std::vector<double> longest;
    std::vector<double> share;
    std::vector<double> frames;
    std::vector<double> recognised;
    std::printf("The window with %d expiring keys, server and window on a core each\n", count);
    for (int round = 0; round < rounds; ++round) {
        reference.push_back(run(QStringLiteral("bench-reference"),
                                {QStringLiteral("scan"), QStringLiteral("unix:") + server.endpoint().path}, 1)
                                .toDouble());
        const QJsonObject ours =
            QJsonDocument::fromJson(run(QStringLiteral("bench-window"), {QStringLiteral("million"), server.url()}, 1))
                .object();
        if (ours[QStringLiteral("keys")].toInteger() < count)
            qFatal("the window found only %lld keys", ours[QStringLiteral("keys")].toInteger());
        seconds.push_back(ours[QStringLiteral("scan_seconds")].toDouble());
        p99.push_back(ours[QStringLiteral("loop_delay_p99_ms")].toDouble());
        longest.push_back(ours[QStringLiteral("loop_delay_max_ms")].toDouble());
        share.push_back(ours[QStringLiteral("countdown_core_share")].toDouble());
        frames.push_back(ours[QStringLiteral("countdown_frames_per_second")].toDouble());
        recognised.push_back(ours[QStringLiteral("recognised_seconds")].toDouble());
        std::printf("    hiredis %.3f s, ours %.3f s, delay p99 %.2f ms, longest %.2f ms, countdown %.3f of a core at "
                    "%.0f frames/s; %lld locks after %.1f s\n",
                    reference.back(), seconds.back(), p99.back(), longest.back(), share.back(), frames.back(),
                    ours[QStringLiteral("locks")].toInteger(), recognised.back());
        std::fflush(stdout);
    }
    const double ratio = median(reference) / median(seconds);
    report("  scan into the sorted store while painting, to hiredis", ratio, "");
    report("  event loop delay, 99th percentile", median(p99), "ms");
    report("  event loop delay, longest", median(longest), "ms");
    report("  countdown at 60 frames a second", median(share), "of a core");
    report("  all locks recognised, from the scan's start", median(recognised), "s");
    result[QStringLiteral("scan_vs_hiredis")] = ratio;
    result[QStringLiteral("recognise_1m_s")] = median(recognised);
    result[QStringLiteral("loop_delay_p99_ms")] = median(p99);
    result[QStringLiteral("loop_delay_max_ms")] = median(longest);
    result[QStringLiteral("countdown_core_share")] = median(share);
    const double bytes = run(QStringLiteral("bench-keys"), {QString::number(count)}, -1).toDouble();
    report("  memory beyond the key's own", bytes, "bytes per key");
    result[QStringLiteral("bytes_per_key")] = bytes;
    const double listener =
        run(QStringLiteral("bench-keys"), {QStringLiteral("fan-out"), QString::number(count)}, 1).toDouble();
    report("  one more listener on everything, part of the scan", listener / median(seconds), "");
    result[QStringLiteral("fan_out_cost")] = listener / median(seconds);
    const double hold =
        run(QStringLiteral("bench-keys"), {QStringLiteral("history"), QStringLiteral("50000")}, -1).toDouble();
    report("  a hold in the history, with its holder", hold, "bytes");
    result[QStringLiteral("history_bytes_per_hold")] = hold;
    const double flush = run(QStringLiteral("bench-window"), {QStringLiteral("flush"), server.url()}, 1).toDouble();
    report("  from FLUSHALL to an empty table", flush, "ms");
    result[QStringLiteral("flush_to_empty_ms")] = flush;
}

void benchIdle(QJsonObject &result)
{
    test::TestServer server;
    fill(server, 200);
    const QJsonObject shares =
        QJsonDocument::fromJson(run(QStringLiteral("bench-window"), {QStringLiteral("idle"), server.url()}, -1))
            .object();
    std::printf("The window while nothing happens\n");
    report("  before the Playground was opened", shares[QStringLiteral("without_playground")].toDouble(), "of a core");
    const double with = shares[QStringLiteral("with_playground")].toDouble();
    report("  after it was opened and left", with, "of a core");
    result[QStringLiteral("playground_idle_core_share")] = with;
}

void benchFirstPaint(QJsonObject &result)
{
    const int rounds = isQuick ? 3 : 21;
    const test::TestServer server;
    std::vector<double> milliseconds;
    for (int round = 0; round <= rounds; ++round) {
        const qint64 started = base::SystemClock::instance().now().time_since_epoch().count();
        const double passed = run(QStringLiteral("bench-window"),
                                  {QStringLiteral("first-paint"), server.url(), QString::number(started)}, -1)
                                  .toDouble();
        if (round > 0) // The first one warms up.
            milliseconds.push_back(passed);
    }
    report("First paint after the start of the process, offscreen", median(milliseconds), "ms");
    result[QStringLiteral("first_paint_ms")] = median(milliseconds);
}

void benchExplore(QJsonObject &result)
{
    std::printf("The race finder, every recipe with three clients\n");
    const QByteArray output =
        run(QStringLiteral("bench-races"), {isQuick ? QStringLiteral("100000") : QStringLiteral("2000000")}, -1);
    const qsizetype last = output.lastIndexOf('\n');
    std::printf("%s\n", output.first(last).constData());
    const double stepsPerSecond = output.sliced(last + 1).toDouble();
    report("  all of them together", stepsPerSecond, "steps a second");
    result[QStringLiteral("explore_steps_per_second")] = stepsPerSecond;
}

} // namespace

int main(int argc, char *argv[])
{
    const QCoreApplication application(argc, argv);
    isQuick = QCoreApplication::arguments().contains(QStringLiteral("--quick"));
    const QStringList wanted = QCoreApplication::arguments().mid(1).filter(QRegularExpression(QStringLiteral("^[^-]")));
    QJsonObject result;
    for (const auto &[name, part] :
         {std::pair("first-paint", &benchFirstPaint), std::pair("cycles", &benchLockCycles),
          std::pair("redis-py", &benchRedisPy), std::pair("recipes", &benchRecipes), std::pair("run", &benchRun),
          std::pair("explore", &benchExplore), std::pair("idle", &benchIdle), std::pair("million", &benchMillion)}) {
        if (wanted.isEmpty() || wanted.contains(QLatin1String(name)))
            part(result);
    }
    std::printf("%s\n", QJsonDocument(result).toJson(QJsonDocument::Compact).constData());
    return 0;
}
