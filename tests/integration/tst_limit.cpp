#include "tests/support/await.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/pseudoterminal.h"
#include "tests/support/runningcommand.h"
#include "tests/support/testprogram.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <chrono>

namespace tst_limit {

using namespace latchkey;
using test::Outcome;

/// Tests of --limit, and of the limit without it, by the server's own statistics.
class TestLimit final : public test::CommandLineTest
{
    Q_OBJECT

    void fill(int count)
    {
        QVERIFY((*server)({"EVAL", "for i = 1, ARGV[1] do redis.call('SET', 'key:' .. i, 'v') end return 1", "0",
                           QByteArray::number(count)})
                    .isInteger(1));
    }
    void fillLocks(int count)
    {
        const QByteArray script =
            "for i = 1, ARGV[1] do "
            "redis.call('SET', 'lock:' .. i, string.format('%032d', i), 'PX', 600000) end return 1";
        QVERIFY((*server)({"EVAL", script, "0", QByteArray::number(count)}).isInteger(1));
    }
    /// Returns the server's time for all commands, in seconds.
    [[nodiscard]] double secondsSpent()
    {
        constexpr QByteArrayView mark(",usec=");
        double microseconds = 0;
        for (const QByteArray &line : (*server)({"INFO", "commandstats"}).bytes().split('\n')) {
            if (const qsizetype at = line.indexOf(mark); at > 0)
                microseconds += line.mid(at + mark.size()).split(',').front().toDouble();
        }
        return microseconds / 1e6;
    }
    /// Runs `ls` and returns the share of the server's core that it has taken.
    double shareOf(const QString &arguments)
    {
        const double before = secondsSpent();
        const auto began = std::chrono::steady_clock::now();
        const Outcome outcome = run(qPrintable(QStringLiteral("ls --json") + arguments));
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;
        if (outcome.exitCode != 0 || outcome.output.count("\"key\"") != keys)
            qFatal("ls has not listed all: %s", outcome.errors.constData());
        const double share = (secondsSpent() - before) / passed.count();
        qInfo("ls%s: %.4f of the core in %.1f s", qPrintable(arguments), share, passed.count());
        return share;
    }
    static constexpr int keys = 30'000;

private Q_SLOTS:
    void ls_keepsTheShare()
    {
        fill(keys);
        const double share = shareOf(QStringLiteral(" --limit 3%"));
        QVERIFY2(share <= 0.03 * 1.2, qPrintable(QString::number(share)));
        QVERIFY2(share >= 0.03 * 0.2, "it must use its share, else nothing is tested");
    }

    /// A server that is saved as production is scanned within 5 % also on this machine.
    void lsOfAProductionServer_keepsTheUsualShare()
    {
        fill(keys);
        const QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("servers.ini")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("[1]\nname=orders\nurl=" + server->url().toUtf8() + "\nenvironment=production\n");
        file.close();
        environment.insert(QStringLiteral("LATCHKEY_SERVERS"), file.fileName());
        const double limited = shareOf(QString());
        QVERIFY2(limited <= 0.05 * 1.2, qPrintable(QString::number(limited)));
        environment.remove(QStringLiteral("LATCHKEY_SERVERS"));
    }

    /// The reads that recognition asks for are part of the limit: each of these locks needs several.
    void lsOfLocks_keepsTheLimit()
    {
        fillLocks(120);
        constexpr double limit = 400;
        const auto processed = [this] {
            const QByteArray stats = (*server)({"INFO", "stats"}).bytes();
            constexpr QByteArrayView mark("total_commands_processed:");
            return stats.mid(stats.indexOf(mark) + mark.size()).split('\r').front().toDouble();
        };
        const double before = processed();
        const auto began = std::chrono::steady_clock::now();
        const Outcome outcome = run("ls --locks --json --limit 400/s");
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began;
        const double sent = processed() - before;
        QCOMPARE(outcome.exitCode, 0);
        QCOMPARE(outcome.output.count("\"key\""), 120);
        QVERIFY2(sent > 2 * limit, "too few commands for a test of the limit");
        QVERIFY2(sent / passed.count() <= limit * 1.2, qPrintable(QString::number(sent / passed.count())));
    }

    /// Until the values are read, it is unknown which keys are locks: watch must not look as if it had seen all.
    void watchThatHasNotReadAllValues_isMarkedAsIncomplete()
    {
        fillLocks(5000);
        const Outcome outcome = run("watch --limit 1000/s --for 4s");
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(outcome.output.count("seen") < 5000, "the limit must be too low for all");
        static const QRegularExpression sentence(
            QStringLiteral("^latchkey-cli: watch: (possible locks with values that have not been read: \\d+|"
                           "of 5000 keys only \\d+ were looked at)$"),
            QRegularExpression::MultilineOption);
        QVERIFY2(sentence.match(QString::fromUtf8(outcome.errors)).hasMatch(), outcome.errors.constData());
        const Outcome json = run("watch --limit 1000/s --for 4s --json");
        QCOMPARE(json.exitCode, 3);
        const QJsonObject coverage = QJsonDocument::fromJson(json.errors.trimmed()).object();
        QVERIFY2(!coverage[QStringLiteral("complete")].toBool(true), json.errors.constData());
        QVERIFY2(coverage[QStringLiteral("unread")].toInteger() <= 5000, "a key counts once");
        QVERIFY2(coverage[QStringLiteral("looked_at")].toInteger() < 5000, "only SCAN has returned some of the keys");
        // So few that a busy machine reads them all.
        QVERIFY((*server)({"FLUSHALL"}).isOk());
        fillLocks(200);
        const Outcome whole = run("watch --for 5s");
        QVERIFY2(whole.exitCode == 0, whole.errors.constData());
        QCOMPARE(whole.output.count("seen"), 200);
    }

    /// Without change events, the locks that are found are read again and again; the scan must get its share.
    void watchWithALimit_findsAllLocks()
    {
        constexpr int count = 300;
        fillLocks(count);
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-client|tracking", "-subscribe", "-psubscribe"}).isOk());
        test::RunningCommand watch(environment);
        watch.start(
            {QStringLiteral("watch"), QStringLiteral("--json"), QStringLiteral("--limit"), QStringLiteral("300/s")});
        LATCHKEY_AWAIT(watch.output().count("\"seen\"") == count);
    }

    void limit_isRefusedInOneSentence_data()
    {
        QTest::addColumn<QString>("words");
        for (const char *words : {"ls --limit 1", "watch --limit 0%", "expect --limit 5x a", "why a --limit /s"})
            QTest::newRow(words) << QString::fromLatin1(words);
    }
    void limit_isRefusedInOneSentence()
    {
        QFETCH(QString, words);
        const Outcome outcome = run(qPrintable(words));
        QCOMPARE(outcome.exitCode, 2);
        QVERIFY2(outcome.errors.contains("is not a limit; write a share of the server's core like 1%"),
                 outcome.errors.constData());
        QCOMPARE(outcome.errors.count('\n'), 1);
    }

    void progress_isShownOnATerminal()
    {
        LATCHKEY_NEEDS_TERMINAL();
        fill(20'000);
        test::PseudoTerminal terminal;
        terminal.start(
            environment, QStringLiteral("/"), QStringLiteral(LATCHKEY_CLI),
            {QStringLiteral("ls"), QStringLiteral("--limit"), QStringLiteral("5/s"), QStringLiteral("key:1234?")});
        LATCHKEY_AWAIT(terminal.output().contains(" of 20,000 keys, "));
        LATCHKEY_AWAIT(terminal.process().state() == QProcess::NotRunning);
        QVERIFY(terminal.output().contains("\r\x1b[K"));
        QVERIFY(!run("ls --limit 20/s key:1234?").errors.contains("keys"));
    }
};

LATCHKEY_TEST(TestLimit)

} // namespace tst_limit

#include "tst_limit.moc"
