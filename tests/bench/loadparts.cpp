// Benchmarks of the command line and of the inspection under load: bursts of changes, millions of keys, and scrapes.

#include "tests/bench/runner.h"
#include "tests/support/testserver.h"

#include <QCoreApplication>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTcpSocket>

#include <cstdio>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace latchkey;

namespace bench {

namespace {

/// The processor time and memory of a process that has ended.
struct Usage
{
    double seconds = 0;   ///< Processor time.
    double mebibytes = 0; ///< The most memory at a time.
};

/// Runs a program without its output and returns what it used. Aborts if the program fails.
Usage measure(const QString &program, const QStringList &arguments)
{
    std::vector<QByteArray> words {program.toLocal8Bit()};
    for (const QString &argument : arguments)
        words.push_back(argument.toLocal8Bit());
    std::vector<char *> pointers;
    for (QByteArray &word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t process = 0;
    const int spawned = ::posix_spawn(&process, pointers.front(), &actions, nullptr, pointers.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    int status = 0;
    rusage used {};
    if (spawned != 0 || ::wait4(process, &status, 0, &used) != process || !WIFEXITED(status)
        || WEXITSTATUS(status) != 0)
        qFatal("%s failed", qPrintable(program));
    const auto seconds = [](const timeval &time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return {seconds(used.ru_utime) + seconds(used.ru_stime), static_cast<double>(used.ru_maxrss) / 1024};
}

/// Writes keys of many kinds and a few locks among them.
void fillMixed(test::TestServer &server, int keys, int locks)
{
    constexpr int portion = 50'000;
    for (int first = 0; first < keys; first += portion) {
        const auto reply =
            server({"EVAL",
                    "for i = ARGV[1], ARGV[1] + ARGV[2] - 1 do "
                    "redis.call('SET', 'session:' .. (100000000 + i), 'v') end return 1",
                    "0", QByteArray::number(first), QByteArray::number(std::min(portion, keys - first))});
        if (!reply.isInteger(1))
            qFatal("%s", qPrintable(reply.toText()));
    }
    fill(server, locks);
}

/// Returns the processor time of a process so far, in seconds.
double processorTime(qint64 process)
{
    QFile file(QStringLiteral("/proc/%1/stat").arg(process));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("no process %lld", static_cast<long long>(process));
    const QByteArray text = file.readAll();
    const QList<QByteArray> fields = text.mid(text.lastIndexOf(')') + 2).split(' ');
    constexpr int userTime = 11; // Counted from the state, which is field 3 of proc(5).
    return static_cast<double>(fields.value(userTime).toLongLong() + fields.value(userTime + 1).toLongLong())
         / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

/// Returns the metrics page of this port.
QByteArray scrape(quint16 port)
{
    QTcpSocket socket;
    socket.connectToHost(QStringLiteral("127.0.0.1"), port);
    socket.write("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    QByteArray page;
    while (socket.state() != QAbstractSocket::UnconnectedState && socket.waitForReadyRead(10'000))
        page += socket.readAll();
    return page;
}

} // namespace

void benchBursts(QJsonObject &result)
{
    std::printf("Three bursts of 3,000 renewals among 10,000 locks\n");
    double told = 0;
    double wrong = 0;
    for (const bool areNotified : {false, true}) {
        test::TestServer server;
        if (areNotified)
            (void)server({"CONFIG", "SET", "notify-keyspace-events", "KEA"});
        const QStringList load = isQuick ? QStringList {QStringLiteral("1000"), QStringLiteral("300")}
                                         : QStringList {QStringLiteral("10000"), QStringLiteral("3000")};
        const QJsonObject burst =
            runForJson(QStringLiteral("bench-bursts"), QStringList {server.url()} + load + QStringList(u"3"_qs), -1);
        const char *means =
            areNotified ? "  by notifications, the last is told after" : "  by tracking, the last is told after";
        report(means, burst[QStringLiteral("told_ms")].toDouble(), "ms");
        told = std::max(told, burst[QStringLiteral("told_ms")].toDouble());
        wrong += burst[QStringLiteral("wrong")].toDouble();
    }
    report("  renewals told wrongly", wrong, "");
    result[QStringLiteral("burst_3000_told_ms")] = told;
    result[QStringLiteral("renewals_wrong")] = wrong;
}

void benchListing(QJsonObject &result)
{
    const int keys = isQuick ? 100'000 : 5'000'000;
    const int locks = keys / 1000;
    test::TestServer server;
    fillMixed(server, keys, locks);
    std::printf("ls on %d keys, %d of which are locks\n", keys + locks, locks);
    const QString cli = QStringLiteral(LATCHKEY_CLI);
    const QString reference = QCoreApplication::applicationDirPath() + QStringLiteral("/bench-reference");
    std::vector<double> scans;
    std::vector<Usage> listings;
    for (int round = 0; round < (isQuick ? 1 : 3); ++round) {
        scans.push_back(
            measure(reference, {QStringLiteral("names"), QStringLiteral("unix:") + server.endpoint().path}).seconds);
        listings.push_back(measure(cli, {QStringLiteral("--url"), server.url(), QStringLiteral("ls"),
                                         QStringLiteral("--locks"), QStringLiteral("--json")}));
    }
    std::vector<double> seconds;
    for (const Usage &listing : listings)
        seconds.push_back(listing.seconds);
    const Usage all =
        measure(cli, {QStringLiteral("--url"), server.url(), QStringLiteral("ls"), QStringLiteral("--json")});
    std::printf("    hiredis, which only filters names, %.2f s, ls --locks %.2f s of processor time\n", median(scans),
                median(seconds));
    report("  ls --locks, times hiredis", median(seconds) / median(scans), "");
    report("  ls --locks, memory", listings.front().mebibytes, "MiB");
    report("  ls of all keys, memory", all.mebibytes, "MiB");
    result[QStringLiteral("ls_locks_5m_vs_scan")] = median(seconds) / median(scans);
    result[QStringLiteral("ls_locks_5m_mib")] = listings.front().mebibytes;
    result[QStringLiteral("ls_5m_mib")] = all.mebibytes;
}

void benchScrape(QJsonObject &result)
{
    const int locks = isQuick ? 1000 : 10'000;
    test::TestServer server;
    fill(server, locks);
    QProcess watch;
    watch.setStandardOutputFile(QProcess::nullDevice());
    watch.start(QStringLiteral(LATCHKEY_CLI), {QStringLiteral("--url"), server.url(), QStringLiteral("watch"),
                                               QStringLiteral("--metrics"), QStringLiteral("0")});
    static const QRegularExpression place(QStringLiteral("127\\.0\\.0\\.1:(\\d+)/metrics"));
    QByteArray errors;
    while (!place.match(QString::fromUtf8(errors)).hasMatch()) {
        if (!watch.waitForReadyRead(30'000) && watch.state() != QProcess::Running)
            qFatal("watch has ended: %s", errors.constData());
        errors += watch.readAllStandardError();
    }
    const quint16 port = place.match(QString::fromUtf8(errors)).captured(1).toUShort();
    const QByteArray all = QByteArrayLiteral("latchkey_locks_held{kind=\"lock.token\"} ") + QByteArray::number(locks);
    while (!scrape(port).contains(all)) {
        if (watch.state() != QProcess::Running)
            qFatal("watch has ended");
        ::usleep(100'000);
    }
    constexpr int scrapes = 100; // Far more than the server's own work in that time.
    const double before = processorTime(watch.processId());
    for (int i = 0; i < scrapes; ++i)
        (void)scrape(port);
    const double each = (processorTime(watch.processId()) - before) * 1000 / scrapes;
    watch.terminate();
    watch.waitForFinished(30'000);
    std::printf("watch --metrics with %d locks\n", locks);
    report("  a scrape, processor time", each, "ms");
    result[QStringLiteral("scrape_10k_cpu_ms")] = each;
}

} // namespace bench
