#include "tests/support/await.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/testprogram.h"

#include <QTest>

#include <csignal>

namespace tst_lab {

using namespace latchkey;
using test::Outcome;

/// Tests of latchkey-cli lab, as a process.
class TestLab final : public test::CommandLineTest
{
    Q_OBJECT

private Q_SLOTS:
    void answer_isJson()
    {
        const Outcome outcome =
            run("lab set-then-expire setex --keys 20 --crash-after 1 --crashed 25 --lifetime 500ms --up-to 1s --json");
        QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
        const QJsonObject answer = outcome.object();
        QCOMPARE(answer[QStringLiteral("keys")].toInt(), 40);
        QCOMPARE(answer[QStringLiteral("killed_writes")].toInt(), 5);
        const QJsonValue flawed = answer[QStringLiteral("recipes")][0];
        QCOMPARE(flawed[QStringLiteral("without_lifetime")].toInt(), 5);
        QCOMPARE(flawed[QStringLiteral("promises")][0][QStringLiteral("verdict")].toString(), QStringLiteral("broken"));
        QCOMPARE(flawed[QStringLiteral("promises")][0][QStringLiteral("claimed")].toBool(), false);
        const QJsonValue reader = answer[QStringLiteral("late_to_reader")];
        QVERIFY(reader[QStringLiteral("count")].toInt() > 0);
        QVERIFY(reader[QStringLiteral("p50_ms")].toDouble() <= reader[QStringLiteral("max_ms")].toDouble());
        // The server in the environment was not changed.
        QVERIFY((*server)({"DBSIZE"}).isInteger(0));
    }

    void textOutput_isReadable()
    {
        const Outcome outcome = run("lab hash-placeholder --keys 10 --crash-after 1 --lifetime 1s");
        QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
        QVERIFY2(outcome.output.startsWith("hash-placeholder\n"
                                           "  no-immortal-data     not claimed  holds for all of 10 keys\n"
                                           "  no-immortal-key      not claimed  BROKEN: of 10 keys 5 are left"),
                 outcome.output.constData());
        QVERIFY2(outcome.output.contains("expired event received"), outcome.output.constData());
    }

    void namedServer_isCleanAfterwards()
    {
        const Outcome outcome =
            run({QStringLiteral("lab"), QStringLiteral("setex"), QStringLiteral("--url"), server->url(),
                 QStringLiteral("--keys"), QStringLiteral("5"), QStringLiteral("--lifetime"), QStringLiteral("300ms")});
        QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
        QVERIFY2(outcome.output.contains("the server sends no expired events"), outcome.output.constData());
        QVERIFY((*server)({"DBSIZE"}).isInteger(0));
    }

    void interrupted_cleansUp()
    {
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(LATCHKEY_CLI),
                      {QStringLiteral("lab"), QStringLiteral("setex"), QStringLiteral("--url"), server->url(),
                       QStringLiteral("--lifetime"), QStringLiteral("1h")});
        LATCHKEY_AWAIT((*server)({"DBSIZE"}).toInteger() > 0);
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        const Outcome outcome = test::outcomeOf(process);
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(outcome.errors.contains("it was stopped"), outcome.errors.constData());
        QVERIFY((*server)({"DBSIZE"}).isInteger(0));
    }

    void wrongUsage_isReported_data()
    {
        QTest::addColumn<QByteArray>("words");
        QTest::addColumn<QByteArray>("said");
        QTest::addRow("no such recipe") << QByteArray("lab nonsense") << QByteArray("nonsense");
        QTest::addRow("no number") << QByteArray("lab --keys many") << QByteArray("\"many\" is not a whole number");
        QTest::addRow("no keys") << QByteArray("lab --keys 0") << QByteArray("0 keys");
        QTest::addRow("no lifetime") << QByteArray("lab --lifetime 0s")
                                     << QByteArray("a lifetime must be longer than zero, not 0ms");
        QTest::addRow("backwards") << QByteArray("lab --lifetime 5s --up-to 1s") << QByteArray("the second is shorter");
        QTest::addRow("no plan") << QByteArray("lab --write") << QByteArray("a recipe is missing");
    }
    void wrongUsage_isReported()
    {
        QFETCH(QByteArray, words);
        QFETCH(QByteArray, said);
        const Outcome outcome = run(words.constData());
        QCOMPARE(outcome.exitCode, 2);
        QVERIFY2(outcome.errors.contains(said), outcome.errors.constData());
    }
};

LATCHKEY_TEST(TestLab)

} // namespace tst_lab

#include "tst_lab.moc"
