#include "tests/support/commandlinetest.h"
#include "tests/support/otherclient.h"
#include "tests/support/testprogram.h"
#include "tests/support/workers.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

namespace tst_ciexamples {

using namespace latchkey;
using test::Outcome;

/// Tests of the examples in resources/ci that check expiry in other people's test suites.
class TestCiExamples final : public test::CommandLineTest
{
    Q_OBJECT

    /// Copies an example into a folder, with `from` replaced by `to`.
    static void copy(const QTemporaryDir &folder, const QString &name, const QByteArray &from = {},
                     const QByteArray &to = {})
    {
        QFile example(QStringLiteral(LATCHKEY_SOURCE_DIR "/resources/ci/") + name);
        QVERIFY(example.open(QIODevice::ReadOnly));
        QByteArray text = example.readAll();
        QVERIFY(from.isEmpty() || text.contains(from));
        if (!from.isEmpty())
            text.replace(from, to);
        QFile copy(folder.filePath(name));
        QVERIFY(copy.open(QIODevice::WriteOnly) && copy.write(text) == text.size());
    }
    /// Runs a program in the folder, on the server at this URL.
    static Outcome runIn(const QTemporaryDir &folder, const QString &url, const QString &program,
                         const QStringList &arguments)
    {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("LATCHKEY_URL"), url);
        environment.insert(QStringLiteral("LATCHKEY_CLI"), QStringLiteral(LATCHKEY_CLI));
        environment.insert(QStringLiteral("PYTHONDONTWRITEBYTECODE"), QStringLiteral("1"));
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(folder.path());
        process.start(program, arguments);
        return test::outcomeOf(process);
    }
    static QString python() { return test::workerCommand(QString()).constFirst(); }

private Q_SLOTS:
    void pytest_judgesTheExpiry_data()
    {
        QTest::addColumn<QString>("tests"); // Those with this in their names.
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<QByteArray>("failure"); // Empty: all tests pass.
        QTest::addRow("as it is") << QStringLiteral("test") << QByteArray() << QByteArray() << QByteArray();
        QTest::addRow("a session that stays longer")
            << QStringLiteral("session_ends") << QByteArray("\"ann\", px=3000") << QByteArray("\"ann\", px=60000")
            << QByteArray("\"session:7 gone between 1s and 4s\": session:7: fails, still there ");
        QTest::addRow("a session without expiry")
            << QStringLiteral("for_ever") << QByteArray("\"ann\", px=3000") << QByteArray("\"ann\"")
            << QByteArray("\"session:* never without expiry\": session:7: fails, without an expiry ");
        QTest::addRow("a holder that does not renew")
            << QStringLiteral("renewed") << QByteArray("px=1000)\n    while")
            << QByteArray("px=60000)\n    while False and")
            << QByteArray("\"lock:report renewed at least every 900ms\": lock:report: fails, ");
        QTest::addRow("a key that does not exist")
            << QStringLiteral("session_ends") << QByteArray("\"session:7 gone") << QByteArray("\"session:8 gone")
            << QByteArray("\"session:8 gone between 1s and 4s\": ");
        QTest::addRow("wrong usage") << QStringLiteral("session_ends") << QByteArray("gone between 1s and 4s")
                                     << QByteArray("gone soon")
                                     << QByteArray("latchkey-cli: expect: \"session:7 gone soon\": ");
    }
    void pytest_judgesTheExpiry()
    {
        QFETCH(const QString, tests);
        QFETCH(const QByteArray, from);
        QFETCH(const QByteArray, to);
        QFETCH(const QByteArray, failure);
        if (QProcess::execute(python(), {QStringLiteral("-c"), QStringLiteral("import pytest, redis")}) != 0)
            QSKIP("Debian's python3-pytest or python3-redis is not installed");
        const QTemporaryDir folder;
        copy(folder, QStringLiteral("test_expiry.py"), from, to);
        const Outcome outcome =
            runIn(folder, server->url(), python(),
                  {QStringLiteral("-m"), QStringLiteral("pytest"), QStringLiteral("-p"),
                   QStringLiteral("no:cacheprovider"), QStringLiteral("-k"), tests, QStringLiteral("test_expiry.py")});
        QVERIFY2(outcome.exitCode == (failure.isEmpty() ? 0 : 1), outcome.output.constData());
        QVERIFY2(outcome.output.contains(failure.isEmpty() ? QByteArray("3 passed") : failure),
                 outcome.output.constData());
    }

    void jest_judgesTheExpiry_data()
    {
        QTest::addColumn<QByteArray>("lease");
        QTest::addColumn<QByteArray>("failure");
        QTest::addRow("as it is") << QByteArray("3000") << QByteArray();
        QTest::addRow("a session that stays longer")
            << QByteArray("60000")
            << QByteArray("\"session:7 gone between 1s and 4s\": session:7: fails, still there ");
    }
    void jest_judgesTheExpiry()
    {
        QFETCH(const QByteArray, lease);
        QFETCH(const QByteArray, failure);
        const QString modules = qEnvironmentVariable("LATCHKEY_JEST");
        if (modules.isEmpty())
            QSKIP("LATCHKEY_JEST names no folder with the node_modules of jest and ioredis, which Debian lacks");
        const QTemporaryDir folder;
        QVERIFY(
            QFile::link(modules + QStringLiteral("/node_modules"), folder.filePath(QStringLiteral("node_modules"))));
        copy(folder, QStringLiteral("expiry.test.js"), "\"PX\", 3000", "\"PX\", " + lease);
        const Outcome outcome =
            runIn(folder, server->url(), QStringLiteral("node_modules/.bin/jest"), {QStringLiteral("--config={}")});
        QVERIFY2(outcome.exitCode == (failure.isEmpty() ? 0 : 1), outcome.errors.constData());
        QVERIFY2(outcome.errors.contains(failure.isEmpty() ? QByteArray("2 passed") : failure),
                 outcome.errors.constData());
    }
};

LATCHKEY_TEST(TestCiExamples)

} // namespace tst_ciexamples

#include "tst_ciexamples.moc"
