// Runs the benchmarks: several rounds for each figure, alternately of Latchkey and of the reference, and compares the
// medians. The output is for people; the last line is one JSON object.
//   latchkey-bench [--quick] [PART...]
//   --quick   fewer keys and rounds, to check that everything runs; no figure is checked against its limit
//   PART      first-paint, cycles, redis-py, recipes, run, explore, programs, replay, idle, live, playground, lab,
//             million, ways, bursts, listing, scrape; default: all of them; and playground-memory, which takes twelve
//             minutes

#include "core/recipes/locks/catalogue.h"
#include "tests/bench/runner.h"
#include "tests/support/freeport.h"
#include "tests/support/testserver.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMap>
#include <QProcess>
#include <QProcessEnvironment>
#include <QRegularExpression>
#include <QTemporaryDir>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <sched.h>
#include <vector>

using namespace bench;
using namespace latchkey;

namespace {

/// Measures Latchkey and the reference alternately. Returns the ratio of their times; above 1 Latchkey is faster.
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
    const quint16 port = test::freePort();
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
    const QString python = QStringLiteral("/usr/bin/python3"); // Debian's package works with Debian's own interpreter.
    const QString script = QStringLiteral(LATCHKEY_SOURCE_DIR "/tests/integration/peers/redispylock.py");
    if (!QFile::exists(python)
        || QProcess::execute(python, {QStringLiteral("-c"), QStringLiteral("import redis")}) != 0) {
        std::printf("Lock cycle beside redis-py: python3 has no redis here\n");
        return;
    }
    test::TestServer server;
    pin(static_cast<pid_t>(server.process().processId()), 0);
    // redis-py runs fewer cycles, so that both take about the same time.
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

/// Returns how often the server has executed each command since the last call.
QMap<QByteArray, qint64> takeCommandCounts(test::TestServer &server)
{
    QMap<QByteArray, qint64> counts;
    for (const QByteArray &line : server({"INFO", "commandstats"}).bytes().split('\n')) {
        // Format: cmdstat_set:calls=20000,usec=…
        const qsizetype colon = line.indexOf(":calls=");
        if (colon > 0)
            counts.insert(line.first(colon), line.mid(colon + 7).split(',').front().toLongLong());
    }
    server({"CONFIG", "RESETSTAT"});
    return counts;
}

/// Checks that the reference sends the same commands as the recipe; otherwise the comparison is meaningless. A few more
/// are allowed for connecting and loading scripts.
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
    constexpr int serverCount = 3; ///< Number of servers of a recipe that uses several.
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
        if (recipe.needsReplica) // The time of the replica would be measured.
            continue;
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

/// Measures the time that holding a lock adds to a program that does nothing: one more process, the connection, acquire
/// and release.
void benchRun(QJsonObject & /*result*/)
{
    const test::TestServer server;
    const QString nothing = QStringLiteral("/bin/true");
    std::vector<double> alone;
    std::vector<double> locked;
    for (int round = 0; round < (isQuick ? 20 : 200); ++round) {
        QElapsedTimer timer;
        timer.start();
        (void)run(nothing, {}, -1);
        alone.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
        timer.start();
        (void)run(QStringLiteral(LATCHKEY_CLI),
                  {QStringLiteral("--url"), server.url(), QStringLiteral("run"), QStringLiteral("token"),
                   QStringLiteral("bench:run"), QStringLiteral("--"), nothing},
                  -1);
        locked.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    std::printf("A program that does nothing: %.2f ms alone, %.2f ms in run token\n", median(alone), median(locked));
    report("  run adds", median(locked) - median(alone), "ms");
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

/// Measures the race finder on an external program. Starting processes takes most of the time, not the search.
void benchPrograms(QJsonObject &result)
{
    std::printf("The race finder on a Python program, SETNX and EXPIRE, with three clients\n");
    std::vector<double> rate;
    std::vector<double> share;
    for (int round = 0; round < (isQuick ? 1 : 3); ++round) {
        const QList<QByteArray> told =
            run(QStringLiteral("bench-programs"), {isQuick ? QStringLiteral("2000") : QStringLiteral("300000")}, -1)
                .trimmed()
                .split(' ');
        rate.push_back(told.value(0).toDouble());
        share.push_back(told.value(1).toDouble());
    }
    report("  all of the time", median(rate), "states a second");
    report("  started processes in", median(share), "of it");
    result[QStringLiteral("any_program_states_per_second")] = median(rate);
    result[QStringLiteral("any_program_start_share")] = median(share);
}

/// Measures the replay of an hour of a busy server from a file.
void benchReplay(QJsonObject &result)
{
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("hour.latchkey-recording"));
    (void)run(QStringLiteral("bench-replay"),
              {QStringLiteral("write"), path, isQuick ? QStringLiteral("300") : QStringLiteral("3600")}, -1);
    std::vector<double> open;
    std::vector<double> whole;
    std::vector<double> seek;
    std::vector<double> ratio;
    for (int round = 0; round < (isQuick ? 1 : 3); ++round) {
        const QJsonObject told = runForJson(QStringLiteral("bench-replay"), {QStringLiteral("measure"), path}, -1);
        open.push_back(told[QStringLiteral("open")].toDouble());
        whole.push_back(told[QStringLiteral("whole")].toDouble());
        seek.push_back(told[QStringLiteral("seek")].toDouble());
        ratio.push_back(whole.back() / told[QStringLiteral("json")].toDouble());
    }
    std::printf("A recording of an hour, %.1f MB: 1,000 locks, 30 changes a second\n",
                static_cast<double>(QFileInfo(path).size()) / 1e6);
    report("  opened and shown", median(open), "ms");
    report("  the longest way to a moment of it", median(seek), "ms");
    report("  replayed at full speed", median(whole), "ms");
    report("  which is of what parsing its JSON takes, times", median(ratio), "");
    result[QStringLiteral("replay_open_ms")] = median(open);
    result[QStringLiteral("replay_seek_ms")] = median(seek);
    result[QStringLiteral("replay_vs_json")] = median(ratio);
}

/// The limit of a figure, on an otherwise idle machine.
struct Limit
{
    const char *figure;
    double limit;
    bool isLeast = false; ///< Whether the limit is a minimum; otherwise it is a maximum.
};

constexpr Limit limits[] = {
    {"scan_vs_hiredis", 1.0, true},
    {"fan_out_cost", 0.05},
    {"countdown_core_share", 0.04},
    {"playground_idle_core_share", 0.05},
    {"flush_to_empty_ms", 500},
    {"change_to_row_p99_ms", 20},
    {"lapse_shown_late_ms", 100},
    {"watch_10k_server_core_share", 0.01},
    {"scroll_frame_p99_ms", 16.7},
    {"diagram_frame_p99_ms", 16.7},
    {"playground_core_share", 0.25},
    {"playground_growth", 0.05},
    {"crash_gone_ms", 50},
    {"lab_stall_ms", 50},
    {"fault_stall_ms", 100},
    {"any_program_states_per_second", 10'000, true},
    {"any_program_start_share", 0.5},
    {"replay_open_ms", 1000},
    {"replay_vs_json", 20},
    {"tls_scan_vs_hiredis", 0.9, true},
    {"ssh_scan_vs_direct", 0.6, true},
    {"burst_3000_told_ms", 1000},
    {"renewals_wrong", 0},
    {"ls_locks_5m_vs_scan", 2},
    {"ls_locks_5m_mib", 150},
    {"ls_5m_mib", 300},
    {"scrape_10k_cpu_ms", 10},
    {"cluster_scan_vs_single", 0.9, true},
};

/// Prints the figures that miss their limits. Returns whether all figures are within their limits.
bool keepsLimits(const QJsonObject &result)
{
    bool isKept = true;
    for (const Limit &limit : limits) {
        const auto figure = result.constFind(QLatin1String(limit.figure));
        if (figure == result.constEnd())
            continue;
        const double value = figure->toDouble();
        if (limit.isLeast ? value >= limit.limit : value <= limit.limit)
            continue;
        isKept = false;
        std::fprintf(stderr, "%s is %g, and may be %g at the %s\n", limit.figure, value, limit.limit,
                     limit.isLeast ? "least" : "most");
    }
    return isKept;
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
          std::pair("explore", &benchExplore), std::pair("programs", &benchPrograms), std::pair("replay", &benchReplay),
          std::pair("idle", &benchIdle), std::pair("live", &benchLive), std::pair("playground", &benchPlayground),
          std::pair("lab", &benchLab), std::pair("faults", &benchFaults), std::pair("million", &benchMillion),
          std::pair("ways", &benchWays), std::pair("bursts", &benchBursts), std::pair("listing", &benchListing),
          std::pair("scrape", &benchScrape), std::pair("cluster", &benchCluster)}) {
        if (wanted.isEmpty() || wanted.contains(QLatin1String(name)))
            part(result);
    }
    if (wanted.contains(QStringLiteral("playground-memory")))
        benchPlaygroundMemory(result);
    std::printf("%s\n", QJsonDocument(result).toJson(QJsonDocument::Compact).constData());
    std::fflush(stdout);
    return isQuick || keepsLimits(result) ? 0 : 1;
}
