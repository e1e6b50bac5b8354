#include "tests/explore/programs/programfixture.h"
#include "tests/support/testprogram.h"

#include <QNetworkInterface>
#include <QTcpServer>
#include <QTest>

#include <unistd.h>

namespace tst_programendpoints {

using namespace latchkey;
using races::Verdict;

/// Tests the ways in which programs connect to their server.
class TestProgramEndpoints final : public QObject
{
    Q_OBJECT

    static bool hasLongAddresses()
    {
        return QNetworkInterface::allAddresses().contains(QHostAddress(QHostAddress::LocalHostIPv6));
    }

private Q_SLOTS:
    /// The same number as over a port, see TestProgramCounts.
    void schedules_areTheSameEverywhere_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("fixedPort");
        QTest::addColumn<int>("crashes");
        QTest::addColumn<double>("schedules");
        for (const int crashes : {0, 1}) {
            const double schedules = crashes == 0 ? 40 : 218;
            QTest::addRow("a Unix socket, %d crashes", crashes)
                << QStringLiteral("unixsocket") << 0 << crashes << schedules;
            QTest::addRow("a network of its own, %d crashes", crashes)
                << QStringLiteral("redispylock") << 6379 << crashes << schedules;
            QTest::addRow("a Unix socket beside a network of its own, %d crashes", crashes)
                << QStringLiteral("unixsocket") << 6379 << crashes << schedules;
        }
    }
    void schedules_areTheSameEverywhere()
    {
        QFETCH(const QString, name);
        QFETCH(const int, fixedPort);
        QFETCH(const int, crashes);
        QFETCH(const double, schedules);
        if (!test::redisPy().absence.isEmpty())
            QSKIP(qPrintable(test::redisPy().absence));
        if (const QString why = test::whyNoNetworkOfItsOwn(); fixedPort != 0 && !why.isEmpty())
            QSKIP(qPrintable(why));
        programs::Program program = test::worker(name.toLatin1().constData());
        program.fixedPort = static_cast<quint16>(fixedPort);
        program.limits.crashes = crashes;
        const auto explored = test::explore(program, {QStringLiteral("mutual-exclusion")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Holds);
        QVERIFY(explored.results.front().complete);
        QCOMPARE(explored.results.front().schedules, schedules);
    }

    void fixedPortProgram_connectsToItsOwnServer_data()
    {
        QTest::addColumn<QByteArray>("host");
        QTest::addColumn<int>("port");
        QTest::addColumn<int>("clients");
        QTest::addRow("two") << QByteArray("127.0.0.1") << 6379 << 2;
        QTest::addRow("three") << QByteArray("127.0.0.1") << 6379 << 3;
        QTest::addRow("by name") << QByteArray("localhost") << 6379 << 2;
        QTest::addRow("IPv6") << QByteArray("::1") << 6379 << 2;
        QTest::addRow("a port of the system's") << QByteArray("127.0.0.1") << 80 << 2;
    }
    void fixedPortProgram_connectsToItsOwnServer()
    {
        QFETCH(const QByteArray, host);
        QFETCH(const int, port);
        QFETCH(const int, clients);
        if (const QString why = test::whyNoNetworkOfItsOwn(); !why.isEmpty())
            QSKIP(qPrintable(why));
        if (host == "::1" && !hasLongAddresses())
            QSKIP("this system has no IPv6");
        QTcpServer ours; // A port that the process must not reach.
        QVERIFY(ours.listen(QHostAddress(QHostAddress::LocalHost)));
        programs::Program program = test::worker(
            "atport", "order:1",
            {host, QByteArray::number(port), QByteArray::number(::getuid()), QByteArray::number(ours.serverPort())});
        program.fixedPort = static_cast<quint16>(port);
        const auto explored = test::explore(program, {QStringLiteral("lost-update")}, clients);
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Broken);
        QCOMPARE(explored.results.front().counterexample->steps.size(), 4U);
    }

    /// The server closes a connection after QUIT, and some clients wait for that.
    void quit_closesTheConnection()
    {
        programs::Program program = test::worker("quitting");
        program.data = {"visits", "goodbyes"};
        program.timeout = std::chrono::seconds(5);
        const auto explored = test::explore(program, {QStringLiteral("no-immortal-key")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Holds);
        QCOMPARE(explored.results.front().schedules, 6.0); // Two commands of each client, in any order.
    }

    /// Without an address, a library uses its own default.
    void programWithoutPort_usesTheDefaultPort()
    {
        if (!test::redisPy().absence.isEmpty())
            QSKIP(qPrintable(test::redisPy().absence));
        if (const QString why = test::whyNoNetworkOfItsOwn(); !why.isEmpty())
            QSKIP(qPrintable(why));
        programs::Program program = test::worker("insisting", "order:1");
        program.fixedPort = 6379;
        const auto explored = test::explore(program, {QStringLiteral("lost-update")});
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
        QCOMPARE(explored.results.front().verdict, Verdict::Broken);
        QCOMPARE(explored.results.front().counterexample->steps.size(), 4U);
    }

    void programOnAnotherPort_getsAHintAboutFixedPort_data()
    {
        QTest::addColumn<int>("fixedPort");
        QTest::addColumn<QString>("sentence");
        QTest::addRow("it is not given") << 0 << QStringLiteral("give --fixed-port the port that it uses");
        QTest::addRow("it is given") << 6379 << QStringLiteral("the port of --fixed-port");
    }
    void programOnAnotherPort_getsAHintAboutFixedPort()
    {
        QFETCH(const int, fixedPort);
        QFETCH(const QString, sentence);
        if (const QString why = test::whyNoNetworkOfItsOwn(); fixedPort != 0 && !why.isEmpty())
            QSKIP(qPrintable(why));
        programs::Program program;
        program.words = {"sleep", "600"};
        program.timeout = std::chrono::milliseconds(300);
        program.fixedPort = static_cast<quint16>(fixedPort);
        const auto explored = test::explore(program, {QStringLiteral("no-immortal-key")});
        QVERIFY2(explored.errorText().contains(sentence), qPrintable(explored.errorText()));
    }

    /// Such as a Node.js program that does not close its client.
    void connectionThatStaysOpen_isNamed()
    {
        programs::Program program;
        program.words = {
            "bash", "-c",
            "exec 3<>/dev/tcp/$REDIS_HOST/$REDIS_PORT; printf '*2\\r\\n$4\\r\\nINCR\\r\\n$1\\r\\nn\\r\\n' >&3; "
            "exec cat <&3 >/dev/null"};
        program.timeout = std::chrono::milliseconds(500);
        const auto explored = test::explore(program, {QStringLiteral("no-immortal-key")}, 1);
        QVERIFY2(explored.errorText().contains(QStringLiteral("let it close its connections at its end")),
                 qPrintable(explored.errorText()));
    }

    /// A process that gets little of the processor needs long, which is no fault of the program.
    void busyMachine_isNoReasonToGiveUp()
    {
        const QString onFirstProcessor = QStandardPaths::findExecutable(QStringLiteral("taskset"));
        if (onFirstProcessor.isEmpty())
            QSKIP("there is no taskset (util-linux) to keep a processor busy");
        QProcess busy;
        busy.start(onFirstProcessor, {QStringLiteral("-c"), QStringLiteral("0"), QStringLiteral("sh"),
                                      QStringLiteral("-c"), QStringLiteral("while :; do :; done")});
        QVERIFY(busy.waitForStarted());
        programs::Program program = test::worker("incr");
        // A seventh of one processor: the start takes several times the timeout. With less, other tests would decide.
        program.words = QList<QByteArray> {"taskset", "-c", "0", "nice", "-n", "8"} + program.words;
        program.timeout = std::chrono::seconds(1);
        const auto explored = test::explore(program, {QStringLiteral("no-immortal-key")}, 1);
        busy.kill();
        busy.waitForFinished();
        QVERIFY2(!explored.error, qPrintable(explored.errorText()));
    }
};

LATCHKEY_TEST(TestProgramEndpoints)

} // namespace tst_programendpoints

#include "tst_programendpoints.moc"
