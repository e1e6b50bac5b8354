#include "core/keyspace/budget/costmeter.h"
#include "tests/support/await.h"
#include "tests/support/devicepair.h"
#include "tests/support/manualclock.h"
#include "tests/support/scriptedserver.h"
#include "tests/support/testprogram.h"

#include <QSignalSpy>
#include <QTest>

namespace tst_costmeter {

using namespace latchkey;
using budget::CommandCosts;
using budget::CostMeter;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

/// Tests of when a server is asked for its costs. The server is scripted, because a real one is busy only by chance.
class TestCostMeter final : public QObject
{
    Q_OBJECT

    test::ManualClock clock;
    QByteArray reply;
    std::unique_ptr<test::ScriptedServer> server;
    std::unique_ptr<net::Connection> connection;
    CommandCosts costs;
    std::unique_ptr<CostMeter> meter;

    static QByteArray bulk(const QByteArray &text)
    {
        return '$' + QByteArray::number(text.size()) + "\r\n" + text + "\r\n";
    }
    [[nodiscard]] bool isAsked() { return !meter->poll(clock.now()).empty(); }
    /// Advances the clock, asks, and returns after the answer. Returns whether a request was sent.
    [[nodiscard]] bool isAnsweredAfter(milliseconds time)
    {
        clock.advance(time);
        if (!isAsked())
            return false;
        bool isAnswered = false; // The replies come in the order of the requests.
        connection->send({{"PING"}}, 30s, this, [&](const auto &) { isAnswered = true; });
        return test::waitFor([&] { return isAnswered; });
    }
    /// Gets the answers that follow each other quickly over a new connection.
    void getFirstAnswers()
    {
        for (int i = 0; i < 10; ++i)
            QVERIFY2(isAnsweredAfter(500ms), qPrintable(QString::number(i)));
    }

private Q_SLOTS:
    void init()
    {
        reply = bulk("cmdstat_get:calls=1,usec=100\r\n");
        auto [near, far] = test::PairDevice::makePair();
        server =
            std::make_unique<test::ScriptedServer>(std::move(far), [this](const QList<QByteArray> &) { return reply; });
        connection = std::make_unique<net::Connection>(std::move(near), QStringLiteral("redis://test"), clock);
        meter = std::make_unique<CostMeter>(costs);
        meter->setConnection(connection.get());
    }
    void cleanup()
    {
        meter.reset();
        connection.reset();
        server.reset();
    }

    void meterWithoutAConnection_asksNothing()
    {
        meter->setConnection(nullptr);
        QVERIFY(!isAsked());
        meter->setConnection(connection.get());
        QVERIFY(isAsked());
    }

    void pendingAnswer_isAwaited()
    {
        reply.clear();
        QVERIFY(isAsked());
        clock.advance(9s);
        QVERIFY(!isAsked());
    }

    /// The first ten answers over a connection are asked for every half second, the others every five seconds.
    void costs_areAskedForLessOftenLater()
    {
        getFirstAnswers();
        QVERIFY(costs.areKnown());
        clock.advance(499ms);
        QVERIFY(!isAsked());
        QVERIFY(isAnsweredAfter(1ms));
        clock.advance(4999ms);
        QVERIFY(!isAsked());
        QVERIFY(isAnsweredAfter(1ms));
        clock.advance(4999ms);
        QVERIFY(!isAsked());
    }

    /// While many commands are sent, the costs are asked for at once and then every half second.
    void hurriedMeter_asksMoreOften()
    {
        getFirstAnswers();
        QVERIFY(isAnsweredAfter(500ms));
        meter->setFrequent(false); // As it was.
        QVERIFY(!isAsked());
        meter->setFrequent(true);
        QVERIFY(isAnsweredAfter(0ms));
        meter->setFrequent(true); // As it is.
        QVERIFY(!isAsked());
        QVERIFY(isAnsweredAfter(500ms));
        meter->setFrequent(false);
        QVERIFY(isAnsweredAfter(500ms));
        QVERIFY(!isAnsweredAfter(4999ms));
    }

    /// A refusal may end. Trouble of the server is none: what was learned stays true.
    void errors_areDistinguished_data()
    {
        QTest::addColumn<QByteArray>("error");
        QTest::addColumn<bool>("isRefusal");
        QTest::addRow("denied") << QByteArray("-NOPERM this user has no permissions to run the 'info' command\r\n")
                                << true;
        QTest::addRow("unknown") << QByteArray("-ERR unknown command 'INFO'\r\n") << true;
        QTest::addRow("no statistics") << bulk("# Commandstats\r\n") << true;
        QTest::addRow("busy") << QByteArray("-BUSY Redis is busy running a script\r\n") << false;
        QTest::addRow("loading") << QByteArray("-LOADING Redis is loading the dataset in memory\r\n") << false;
        QTest::addRow("without master") << QByteArray("-MASTERDOWN Link with MASTER is down\r\n") << false;
    }
    void errors_areDistinguished()
    {
        QFETCH(QByteArray, error);
        QFETCH(bool, isRefusal);
        QVERIFY(isAnsweredAfter(0ms));
        QVERIFY(costs.areKnown());
        QSignalSpy measured(meter.get(), &CostMeter::measured);
        reply = error;
        QVERIFY(isAnsweredAfter(500ms));
        QCOMPARE(costs.areKnown(), !isRefusal);
        QCOMPARE(measured.size(), isRefusal ? 1 : 0);
        clock.advance(29'999ms);
        QCOMPARE(isAsked(), !isRefusal);
        clock.advance(1ms);
        QCOMPARE(isAsked(), isRefusal);
    }

    void traffic_isAddedUp()
    {
        const resp::Commands scan {{"SCAN", "0"}};
        (void)meter->trafficObserver()(scan);
        (void)meter->trafficObserver()(scan);
        QCOMPARE(meter->microseconds(), 2 * costs.estimate(scan).microseconds);
    }
};

LATCHKEY_TEST(TestCostMeter)

} // namespace tst_costmeter

#include "tst_costmeter.moc"
