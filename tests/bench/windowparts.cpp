// Benchmarks of the window: they run bench-window and bench-live, and plain hiredis for comparison.

#include "core/foundation/base/clock.h"
#include "tests/bench/runner.h"
#include "tests/support/testserver.h"

#include <algorithm>
#include <cstdio>

using namespace latchkey;

namespace bench {

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
            runForJson(QStringLiteral("bench-window"), {QStringLiteral("million"), server.url()}, 1);
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

namespace {

/// Writes keys that expire hours later and cannot be locks.
void fillPlain(test::TestServer &server, int count)
{
    const auto reply =
        server({"EVAL",
                "for i = 1, ARGV[1] do redis.call('SET', 'thing:' .. i, 'x', 'PX', 36000000 + i * 7) end "
                "return 1",
                "0", QByteArray::number(count)});
    if (!reply.isInteger(1))
        qFatal("%s", qPrintable(reply.toText()));
}

/// Reports the delays of a measurement. Aborts if the process has seen less than 95% of the samples that it expected.
void reportDelays(const char *what, const QJsonObject &delays)
{
    if (delays.contains(QStringLiteral("expected"))
        && delays[QStringLiteral("samples")].toInteger() * 100 < delays[QStringLiteral("expected")].toInteger() * 95)
        qFatal("%s: only %lld of %lld were seen", what, delays[QStringLiteral("samples")].toInteger(),
               delays[QStringLiteral("expected")].toInteger());
    std::printf("  %-56s %9.3f ms (median %.2f, longest %.2f, %lld of them)\n", what,
                delays[QStringLiteral("p99")].toDouble(), delays[QStringLiteral("median")].toDouble(),
                delays[QStringLiteral("longest")].toDouble(), delays[QStringLiteral("samples")].toInteger());
    std::fflush(stdout);
}

QJsonObject liveDelays(const char *mode, test::TestServer &server)
{
    return runForJson(QStringLiteral("bench-live"), {QLatin1String(mode), server.url()}, 1);
}

} // namespace

void benchIdle(QJsonObject &result)
{
    test::TestServer server;
    fill(server, 200);
    const QJsonObject shares = runForJson(QStringLiteral("bench-window"), {QStringLiteral("idle"), server.url()}, -1);
    std::printf("The window while nothing happens\n");
    report("  before the Playground was opened", shares[QStringLiteral("without_playground")].toDouble(), "of a core");
    const double with = shares[QStringLiteral("with_playground")].toDouble();
    report("  with four clients at work in the Playground, which is not shown", with, "of a core");
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
        if (round > 0) // The first round is a warm-up.
            milliseconds.push_back(passed);
    }
    report("First paint after the start of the process, offscreen", median(milliseconds), "ms");
    result[QStringLiteral("first_paint_ms")] = median(milliseconds);
}

void benchLive(QJsonObject &result)
{
    std::printf("The window while the server changes, server and window on a core each\n");
    double slowest = 0;
    for (const bool isNotified : {true, false}) {
        test::TestServer server;
        pin(static_cast<pid_t>(server.process().processId()), 0);
        if (isNotified)
            (void)server({"CONFIG", "SET", "notify-keyspace-events", "KEA"});
        const QJsonObject delays = liveDelays("changes", server);
        reportDelays(isNotified ? "a change to its row, p99, notifications" : "the same, tracking", delays);
        slowest = std::max(slowest, delays[QStringLiteral("p99")].toDouble());
    }
    result[QStringLiteral("change_to_row_p99_ms")] = slowest;

    test::TestServer volatileServer;
    pin(static_cast<pid_t>(volatileServer.process().processId()), 0);
    fillPlain(volatileServer, isQuick ? 10'000 : 100'000);
    const QJsonObject lapses = liveDelays("lapses", volatileServer);
    reportDelays("a lease that has ended to its row, p99", lapses);
    result[QStringLiteral("lapse_shown_late_ms")] = lapses[QStringLiteral("longest")];

    test::TestServer watched;
    pin(static_cast<pid_t>(watched.process().processId()), 0);
    fillPlain(watched, 10'000);
    const double share = liveDelays("watch", watched)[QStringLiteral("share")].toDouble();
    report("  the server, for 10,000 keys that are watched", share, "of a core");
    result[QStringLiteral("watch_10k_server_core_share")] = share;

    test::TestServer scrolled;
    pin(static_cast<pid_t>(scrolled.process().processId()), 0);
    fillPlain(scrolled, isQuick ? 50'000 : 1'000'000);
    const QJsonObject frames = liveDelays("scroll", scrolled);
    reportDelays("scrolling, from a frame's time until it is painted, p99", frames);
    result[QStringLiteral("scroll_frame_p99_ms")] = frames[QStringLiteral("p99")];
}

void benchPlayground(QJsonObject &result)
{
    std::printf("Twenty clients at work in the Playground\n");
    const test::TestServer server;
    const auto measure = [&server](const QStringList &what) {
        return runForJson(QStringLiteral("bench-playground"), QStringList {server.url()} + what, -1);
    };
    const double share =
        measure({QStringLiteral("work"), isQuick ? QStringLiteral("3") : QStringLiteral("20")})[QStringLiteral("share")]
            .toDouble();
    report("  the window", share, "of a core");
    result[QStringLiteral("playground_core_share")] = share;
    const QJsonObject frames = measure({QStringLiteral("scroll")});
    reportDelays("scrolling the diagram, from a frame's time until it is painted", frames);
    result[QStringLiteral("diagram_frame_p99_ms")] = frames[QStringLiteral("p99")];
    const QJsonObject crashes = measure({QStringLiteral("crash")});
    reportDelays("a click on Crash until the process is gone", crashes);
    result[QStringLiteral("crash_gone_ms")] = crashes[QStringLiteral("longest")];
}

void benchLab(QJsonObject &result)
{
    const QString each = isQuick ? QStringLiteral("500") : QStringLiteral("12500");
    const QJsonObject run = runForJson(QStringLiteral("bench-lab"), {each}, -1);
    std::printf("The Expiry lab with %s keys of each recipe: %s\n", qPrintable(each),
                qPrintable(run[QStringLiteral("status")].toString()));
    report("  event loop delay, 99th percentile", run[QStringLiteral("p99_ms")].toDouble(), "ms");
    const double longest = run[QStringLiteral("longest_ms")].toDouble();
    report("  event loop delay, longest", longest, "ms");
    result[QStringLiteral("lab_stall_ms")] = longest;
}

void benchFaults(QJsonObject &result)
{
    const QString each = isQuick ? QStringLiteral("0.2") : QStringLiteral("2");
    const QJsonObject run = runForJson(QStringLiteral("bench-faults"), {each}, -1);
    std::printf("The window on servers with %lld faults, %s s each\n",
                static_cast<long long>(run[QStringLiteral("samples")].toInteger()), qPrintable(each));
    report("  longest event loop delay of a fault, median", run[QStringLiteral("median")].toDouble(), "ms");
    const double longest = run[QStringLiteral("longest")].toDouble();
    report(qPrintable(QStringLiteral("  longest of all: %1").arg(run[QStringLiteral("fault")].toString())), longest,
           "ms");
    result[QStringLiteral("fault_stall_ms")] = longest;
}

void benchPlaygroundMemory(QJsonObject &result)
{
    const test::TestServer server;
    const QJsonObject memory =
        runForJson(QStringLiteral("bench-playground"),
                   {server.url(), QStringLiteral("memory"), isQuick ? QStringLiteral("10") : QStringLiteral("600")}, -1,
                   std::chrono::minutes(15));
    const double before = memory[QStringLiteral("before_kib")].toDouble();
    report("Twenty clients at work, the window after a minute", before / 1024, "MiB");
    report("  by how much it has grown ten minutes later", memory[QStringLiteral("grown_kib")].toDouble() / 1024,
           "MiB");
    result[QStringLiteral("playground_growth")] = memory[QStringLiteral("grown_kib")].toDouble() / before;
}

} // namespace bench
