// Runs the benchmarks: each figure in several rounds, ours and the reference's in turn, the medians compared. What is
// printed is for people; the last line is one JSON object.
//   latchkey-bench [--quick]   fewer keys and rounds, to see that everything runs

#include "tests/support/testserver.h"

#include <QCoreApplication>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTcpServer>

#include <algorithm>
#include <cstdio>
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

/// Runs one of the programs beside this one on a core; its standard output.
QByteArray run(const QString &program, const QStringList &arguments, int core)
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::SeparateChannels);
    process.setChildProcessModifier([core] { pin(0, core); });
    process.start(QCoreApplication::applicationDirPath() + u'/' + program, arguments);
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
        std::printf("    hiredis %.3f s, ours %.3f s, delay p99 %.2f ms, longest %.2f ms, countdown %.3f of a core at "
                    "%.0f frames/s\n",
                    reference.back(), seconds.back(), p99.back(), longest.back(), share.back(), frames.back());
        std::fflush(stdout);
    }
    const double ratio = median(reference) / median(seconds);
    report("  scan into the sorted store while painting, to hiredis", ratio, "");
    report("  event loop delay, 99th percentile", median(p99), "ms");
    report("  event loop delay, longest", median(longest), "ms");
    report("  countdown at 60 frames a second", median(share), "of a core");
    result[QStringLiteral("scan_vs_hiredis")] = ratio;
    result[QStringLiteral("loop_delay_p99_ms")] = median(p99);
    result[QStringLiteral("loop_delay_max_ms")] = median(longest);
    result[QStringLiteral("countdown_core_share")] = median(share);
    const double bytes = run(QStringLiteral("bench-leases"), {QString::number(count)}, -1).toDouble();
    report("  memory beyond the key's own", bytes, "bytes per key");
    result[QStringLiteral("bytes_per_key")] = bytes;
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

} // namespace

int main(int argc, char *argv[])
{
    const QCoreApplication application(argc, argv);
    isQuick = QCoreApplication::arguments().contains(QStringLiteral("--quick"));
    QJsonObject result;
    benchFirstPaint(result);
    benchLockCycles(result);
    benchMillion(result);
    std::printf("%s\n", QJsonDocument(result).toJson(QJsonDocument::Compact).constData());
    return 0;
}
