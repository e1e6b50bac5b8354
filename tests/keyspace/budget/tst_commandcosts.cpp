#include "core/keyspace/budget/commandbudget.h"
#include "core/redis/net/endpoint.h"
#include "tests/support/manualclock.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_commandcosts {

using namespace latchkey;
using budget::CommandBudget;
using budget::CommandCosts;
using budget::CommandLimit;
using namespace std::chrono_literals;

/// Tests of what is learned from INFO commandstats, and of a budget by these costs.
class TestCommandCosts final : public QObject
{
    Q_OBJECT

    static bool isNear(double value, double wanted) { return std::abs(value - wanted) < 0.05 * wanted; }

private Q_SLOTS:
    void forms_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("subcommand");
        const auto row = [](const char *title, const QByteArray &line, const char *name, const char *subcommand = "") {
            QTest::newRow(title) << line << QByteArray(name) << QByteArray(subcommand);
        };
        row("Redis 6.0", "cmdstat_pttl:calls=%1,usec=%2,usec_per_call=3.00", "PTTL");
        row("Redis 6.0, subcommands", "cmdstat_memory:calls=%1,usec=%2,usec_per_call=3.00", "MEMORY", "USAGE");
        row("Redis 7.0", "cmdstat_pttl:calls=%1,usec=%2,usec_per_call=3.00,rejected_calls=0,failed_calls=0", "PTTL");
        row("Redis 7.0, subcommands",
            "cmdstat_memory|usage:calls=%1,usec=%2,usec_per_call=3.00,rejected_calls=0,failed_calls=0", "MEMORY",
            "USAGE");
        row("Redis 8.8",
            "cmdstat_pttl:calls=%1,usec=%2,usec_per_call=3.00,rejected_calls=0,failed_calls=0,slowlog_count=0,"
            "slowlog_time_ms_sum=0",
            "PTTL");
    }
    void forms()
    {
        QFETCH(QByteArray, line);
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, subcommand);
        const auto stats = [&](const QByteArray &calls, const QByteArray &usec) {
            return "# Commandstats\r\n" + QByteArray(line).replace("%1", calls).replace("%2", usec) + "\r\n";
        };
        CommandCosts costs;
        QVERIFY(!costs.areKnown());
        costs.learn(stats("1000", "1000"));
        QVERIFY(costs.areKnown());
        costs.learn(stats("11000", "701000")); // 10,000 calls of 70 µs.
        QVERIFY2(isNear(costs.estimate(name, subcommand), 70),
                 qPrintable(QString::number(costs.estimate(name, subcommand))));
        const double learned = costs.estimate(name, subcommand);
        costs.learn(stats("10", "1000000")); // CONFIG RESETSTAT: what was counted before is unknown.
        QCOMPARE(costs.estimate(name, subcommand), learned);
        costs.forget();
        QVERIFY(!costs.areKnown() && costs.estimate(name, subcommand) < 60);
    }

    void replyWithoutStatistics_isARefusal()
    {
        CommandCosts costs;
        costs.learn("cmdstat_pttl:calls=1,usec=1,usec_per_call=1.00\r\n");
        QVERIFY(costs.areKnown());
        costs.learn("# Commandstats\r\n");
        QVERIFY(!costs.areKnown());
        // Other sections have other beginnings of lines, and each line has a name.
        for (const char *line :
             {"cmdstat_pttl:calls=,usec=x\r\n", "latency_pttl:calls=1,usec=1\r\n", "cmdstat_pttl calls=1,usec=1\r\n"}) {
            costs.learn(line);
            QVERIFY2(!costs.areKnown(), line);
        }
    }

    /// Other clients scan with a small COUNT. Our own scans must not be taken as so cheap.
    /// A server that needs twice the constant is known after two answers with a few calls each.
    void slowServer_isKnownAfterAFewCalls()
    {
        CommandCosts costs;
        costs.learn("cmdstat_scan:calls=0,usec=0,usec_per_call=0.00\r\n");
        costs.learn("cmdstat_scan:calls=5,usec=12500,usec_per_call=2500.00\r\n");
        costs.learn("cmdstat_scan:calls=10,usec=25000,usec_per_call=2500.00\r\n");
        const double estimate = costs.estimate(QByteArrayLiteral("SCAN"));
        QVERIFY2(estimate > 2000 && estimate < 2500, qPrintable(QString::number(estimate)));
    }

    void cheapCallsOfOthers_lowerAnEstimateOnlySoFar()
    {
        CommandCosts costs;
        costs.learn("cmdstat_scan:calls=0,usec=0,usec_per_call=0.00\r\n");
        costs.learn("cmdstat_scan:calls=1000000,usec=1000000,usec_per_call=1.00\r\n");
        QVERIFY(costs.estimate("SCAN") > 100);
    }

    /// A command without arguments has no subcommand.
    void requests_costTheirCommands()
    {
        const CommandCosts costs;
        const auto size = costs.estimate(resp::Commands {{"DBSIZE"}});
        QCOMPARE(size.commands, 1.0);
        QVERIFY2(size.microseconds > 4 && size.microseconds < 10, qPrintable(QString::number(size.microseconds)));
        const auto scan = costs.estimate(resp::Commands {{"SCAN", "0"}});
        QVERIFY(scan.microseconds > 10 * size.microseconds);
        const auto both = costs.estimate(resp::Commands {{"SCAN", "0"}, {"DBSIZE"}});
        QVERIFY(both.microseconds > scan.microseconds && both.microseconds < scan.microseconds + size.microseconds);
        QCOMPARE(costs.estimate(resp::Commands {}).microseconds, 0.0);
    }

    /// Calls that took less than a microsecond together count; an answer without calls changes nothing.
    void callsOfNoTime_lowerAnEstimate()
    {
        CommandCosts costs;
        costs.learn("cmdstat_get:calls=0,usec=0,usec_per_call=0.00\r\n");
        costs.learn("cmdstat_get:calls=10,usec=1000,usec_per_call=100.00\r\n");
        const double dear = costs.estimate("GET");
        costs.learn("cmdstat_get:calls=1000,usec=1000,usec_per_call=1.00\r\n");
        QVERIFY2(costs.estimate("GET") < dear / 2, qPrintable(QString::number(costs.estimate("GET"))));
        const QByteArray cheap("cmdstat_get:calls=1000,usec=1000\r\ncmdstat_ping:calls=1000,usec=10\r\n");
        costs.learn(cheap);
        const double ping = costs.estimate("PING");
        QVERIFY2(ping < 0.5, qPrintable(QString::number(ping)));
        costs.learn(cheap);
        QCOMPARE(costs.estimate("PING"), ping);
    }

    void budget_countsTheTimeOfCommands()
    {
        test::ManualClock clock;
        CommandCosts costs;
        CommandBudget budget(CommandLimit::ofShare(0.01), clock.now(), &costs);
        QVERIFY(!budget.isByCost());
        QCOMPARE(budget.perSecond(), 1000); // As long as the costs are unknown.
        clock.advance(100ms);
        QCOMPARE(budget.available(clock.now()), 100);
        costs.learn("cmdstat_pttl:calls=0,usec=0,usec_per_call=0.00\r\n");
        costs.learn("cmdstat_pttl:calls=1000000,usec=100000000,usec_per_call=100.00\r\n");
        QVERIFY(budget.isByCost());
        const int slow = budget.available(clock.now()); // A hundredth of 100 ms, at 100 µs for each.
        QVERIFY2(slow >= 9 && slow <= 10, qPrintable(QString::number(slow)));
        QVERIFY2(budget.perSecond() >= 98 && budget.perSecond() <= 100, "the plan is that of a slow server");
        costs.learn("cmdstat_pttl:calls=101000000,usec=150000000,usec_per_call=1.50\r\n");
        QVERIFY(budget.available(clock.now()) > 1000);
        QCOMPARE(budget.perSecond(), 1000); // The plan asks for no more than before.
    }

    void budget_keepsItsShareOverTime()
    {
        test::ManualClock clock;
        CommandCosts costs;
        costs.learn("cmdstat_pttl:calls=0,usec=0,usec_per_call=0.00\r\n");
        CommandBudget budget(CommandLimit::ofShare(0.05), clock.now(), &costs);
        double spent = 0;
        for (int tick = 0; tick < 300; ++tick) { // Ten seconds of ticks.
            clock.advance(33'333us);
            while (budget.available(clock.now()) > 0) {
                const auto scan = budget.costOf({{"SCAN", "0", "COUNT", "1000"}, {"PTTL", "a"}, {"PTTL", "b"}});
                budget.spend(scan);
                spent += scan.microseconds;
            }
        }
        const double share = spent / 10e6;
        QVERIFY2(share > 0.048 && share < 0.0505, qPrintable(QString::number(share)));
    }

    void limit_isRead_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<double>("share");
        QTest::addColumn<int>("perSecond"); // 0: refused.
        QTest::newRow("percent") << "1%" << 0.01 << 1000;
        QTest::newRow("part of a percent") << "0.5%" << 0.005 << 500;
        QTest::newRow("all") << "100%" << 1.0 << 100'000;
        QTest::newRow("the least share") << "0.01%" << 0.0001 << 10;
        QTest::newRow("rate") << "500/s" << 0.0 << 500;
        QTest::newRow("the lowest rate") << "1/s" << 0.0 << 1;
        QTest::newRow("the highest rate") << "1000000/s" << 0.0 << 1'000'000;
        for (const char *refused : {"", "1", "%", "/s", "0%", "101%", "-1%", "nan%", "inf%", "0/s", "-5/s", "1.5/s",
                                    "500/m", "1 % of all", "1000001/s", "0.009%"})
            QTest::addRow("\"%s\"", refused) << QString::fromLatin1(refused) << 0.0 << 0;
    }
    void limit_isRead()
    {
        QFETCH(QString, text);
        QFETCH(double, share);
        QFETCH(int, perSecond);
        const auto limit = CommandLimit::parse(text);
        QCOMPARE(limit.has_value(), perSecond > 0);
        if (limit) {
            QCOMPARE(limit->share().value_or(0), share);
            QCOMPARE(limit->perSecond(), perSecond);
        } else {
            QCOMPARE(limit.error().kind, base::ErrorKind::Usage);
            QVERIFY(limit.error().message().startsWith(u'"' + text + u'"'));
        }
    }

    void firstScan_isLimitedWhereOthersNeedTheServer_data()
    {
        QTest::addColumn<QString>("url");
        QTest::addColumn<bool>("isProduction");
        QTest::addColumn<bool>("isLimited");
        QTest::newRow("socket") << "unix:///run/redis.sock" << false << false;
        QTest::newRow("loopback") << "redis://127.0.0.1:6379" << false << false;
        QTest::newRow("another loopback") << "redis://127.1.2.3:6379" << false << false;
        QTest::newRow("IPv6") << "redis://[::1]:6379" << false << false;
        QTest::newRow("localhost") << "redis://localhost" << false << false;
        QTest::newRow("production here") << "redis://127.0.0.1:6379" << true << true;
        QTest::newRow("another machine") << "redis://redis.example.com" << false << true;
        QTest::newRow("address") << "redis://10.0.0.7" << false << true;
        QTest::newRow("behind ssh") << "redis://127.0.0.1?ssh=bastion" << false << true;
        QTest::newRow("behind a proxy") << "redis://127.0.0.1?proxy=socks5://10.0.0.1:1080" << false << true;
    }
    void firstScan_isLimitedWhereOthersNeedTheServer()
    {
        QFETCH(QString, url);
        QFETCH(bool, isProduction);
        QFETCH(bool, isLimited);
        const auto endpoint = net::Endpoint::fromUrl(url);
        QVERIFY(endpoint);
        const auto limit = budget::defaultFirstScanLimit(*endpoint, isProduction);
        QCOMPARE(limit.has_value(), isLimited);
        QVERIFY(!limit || *limit == CommandLimit::ofShare(0.05));
    }
};

LATCHKEY_TEST(TestCommandCosts)

} // namespace tst_commandcosts

#include "tst_commandcosts.moc"
