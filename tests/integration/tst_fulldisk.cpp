#include "tests/support/await.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/filesizelimit.h"
#include "tests/support/testprogram.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>

#include <csignal>

namespace tst_fulldisk {

using namespace latchkey;
using test::FileSizeLimit;
using test::Outcome;

/// Tests of the command line on a full disk: files, recordings, and tokens on standard output.
class TestFullDisk final : public test::CommandLineTest
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder;

    [[nodiscard]] QString path(const char *name) const { return folder->filePath(QLatin1String(name)); }
    static void write(const QString &path, const QByteArray &contents)
    {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(contents), contents.size());
    }
    static QByteArray contentsOf(const QString &path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("cannot be read");
    }
    /// Runs the program with a redirection of the shell, such as ">&-".
    Outcome runRedirected(const QString &words, const QString &redirection) const
    {
        return runProgram(QStringLiteral("/bin/sh"),
                          {QStringLiteral("-c"),
                           QStringLiteral("exec '%1' %2 %3").arg(QStringLiteral(LATCHKEY_CLI), words, redirection)});
    }
    void start(QProcess &process, const QStringList &arguments) const
    {
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(LATCHKEY_CLI), arguments);
        QVERIFY(process.waitForStarted());
    }

private Q_SLOTS:
    void init()
    {
        CommandLineTest::init();
        folder = std::make_unique<QTemporaryDir>();
    }
    void cleanup() { CommandLineTest::cleanup(); }

    void report_isNotReplacedByAnEmptyOne_data()
    {
        QTest::addColumn<QString>("option");
        QTest::addRow("JUnit") << QStringLiteral("--junit");
        QTest::addRow("CSV") << QStringLiteral("--csv");
    }
    void report_isNotReplacedByAnEmptyOne()
    {
        QFETCH(QString, option);
        QVERIFY((*server)({"SET", "k", "v"}).isOk());
        write(path("report"), "old");
        const Outcome outcome = [&] {
            const FileSizeLimit full(16);
            return run({QStringLiteral("expect"), QStringLiteral("k exists until 100ms"), option, path("report")});
        }();
        QCOMPARE(outcome.exitCode, 3);
        QCOMPARE(outcome.errors,
                 QByteArray("latchkey-cli: expect: cannot write " + path("report").toUtf8() + ": File too large\n"));
        QVERIFY2(outcome.output.contains("holds"), outcome.output.constData());
        QCOMPARE(contentsOf(path("report")), QByteArray("old"));
    }

    void story_isNotReplacedByAnEmptyOne()
    {
        const QStringList explore {QStringLiteral("explore"),   QStringLiteral("timestamp-naive"),
                                   QStringLiteral("--promise"), QStringLiteral("owner-only-release"),
                                   QStringLiteral("--save"),    folder->path()};
        QCOMPARE(run(explore).exitCode, 0); // The broken promise is not claimed.
        const QStringList stories = QDir(folder->path()).entryList(QDir::Files);
        QCOMPARE(stories.size(), 1);
        write(folder->filePath(stories.front()), "old");
        const Outcome outcome = [&] {
            const FileSizeLimit full(200);
            return run(explore);
        }();
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(outcome.errors.contains("cannot write ") && outcome.errors.contains("File too large"),
                 outcome.errors.constData());
        QCOMPARE(contentsOf(folder->filePath(stories.front())), QByteArray("old"));
    }

    /// The error appears during the recording, not at its end.
    void recording_reportsImmediatelyWhyItEnded()
    {
        QProcess process;
        {
            const FileSizeLimit full(300);
            start(process, {QStringLiteral("watch"), QStringLiteral("--record"), path("recording")});
        }
        QByteArray errors;
        LATCHKEY_AWAIT((errors += process.readAllStandardError()).endsWith('\n'));
        QCOMPARE(errors, QByteArray("latchkey-cli: watch: the recording cannot be written: File too large\n"));
        QCOMPARE(process.state(), QProcess::Running);
        process.terminate();
        QCOMPARE(test::outcomeOf(process).exitCode, 3);
    }

    /// Applies to errors at the very end too.
    void recordingWhoseEndIsLost_exitsWith3()
    {
        const QStringList watch {QStringLiteral("watch"), QStringLiteral("--record"), path("recording"),
                                 QStringLiteral("--for"), QStringLiteral("300ms")};
        const Outcome whole = run(watch);
        QCOMPARE(whole.exitCode, 0);
        QVERIFY2(whole.errors.startsWith("latchkey-cli: watch: recorded "), whole.errors.constData());
        QVERIFY(QFile::remove(path("recording")));
        const FileSizeLimit full(100);
        const Outcome cut = run(watch);
        QCOMPARE(cut.exitCode, 3);
        QVERIFY2(cut.errors.contains("the recording cannot be written: File too large"), cut.errors.constData());
    }

    void recording_endsAtItsLimitAndCanBeReplayed()
    {
        QVERIFY((*server)({"SET", "lock:0", QByteArray(32, 'a'), "PX", "60000"}).isOk());
        QProcess process;
        start(process, {QStringLiteral("watch"), QStringLiteral("--record"), path("recording"),
                        QStringLiteral("--record-limit"), QStringLiteral("4KB")});
        // A recording that ends before the first read of the keys would not be complete, and its replay would say so.
        LATCHKEY_AWAIT(process.readAllStandardOutput().contains("lock:0"));
        QByteArray errors;
        int number = 0;
        const auto isOver = [&] {
            (void)(*server)({"SET", "lock:" + QByteArray::number(++number), QByteArray(32, 'a'), "PX", "60000"});
            return (errors += process.readAllStandardError()).contains("\n");
        };
        LATCHKEY_AWAIT(isOver());
        QVERIFY2(errors.contains("the recording has ended: it has reached its limit of 4 KB"), errors.constData());
        QCOMPARE(process.state(), QProcess::Running);
        process.terminate();
        QCOMPARE(test::outcomeOf(process).exitCode, 3);
        const Outcome replayed = run({QStringLiteral("replay"), path("recording")});
        QVERIFY2(replayed.errors.contains("the recording ends here at its size limit; later events were not recorded"),
                 replayed.errors.constData());
        QVERIFY(replayed.output.contains("lock:0"));
        QCOMPARE(replayed.exitCode, 3);
    }

    void recordingsLimit_isASize()
    {
        for (const char *limit : {"10", "0MB", "much"}) {
            const Outcome outcome = run({QStringLiteral("watch"), QStringLiteral("--record"), path("recording"),
                                         QStringLiteral("--record-limit"), QLatin1String(limit)});
            QCOMPARE(outcome.exitCode, 2);
            QVERIFY2(outcome.errors.startsWith("latchkey-cli: --record-limit: "), outcome.errors.constData());
            QVERIFY(!QFile::exists(path("recording")));
        }
        QCOMPARE(run("watch --record-limit 1MB").exitCode, 2);
    }

    void tokenWithoutOutput_isOnStandardError_data()
    {
        QTest::addColumn<QString>("redirection");
        QTest::addColumn<QString>("option");
        QTest::addRow("full") << QStringLiteral("> /dev/full") << QString();
        QTest::addRow("closed") << QStringLiteral(">&-") << QString();
        QTest::addRow("full, JSON") << QStringLiteral("> /dev/full") << QStringLiteral("--json");
    }
    void tokenWithoutOutput_isOnStandardError()
    {
        QFETCH(QString, redirection);
        QFETCH(QString, option);
        const Outcome outcome = runRedirected(QStringLiteral("acquire fenced k ") + option, redirection);
        QCOMPARE(outcome.exitCode, 3);
        static const QRegularExpression said(
            QStringLiteral("^latchkey-cli: acquire fenced \"k\": acquired, but standard output cannot be written; the "
                           "lock stays held, with the token ([0-9a-f]{32}), with the fencing number 1\n$"));
        const auto match = said.match(QString::fromUtf8(outcome.errors));
        QVERIFY2(match.hasMatch(), outcome.errors.constData());
        QCOMPARE(run({QStringLiteral("release"), QStringLiteral("fenced"), QStringLiteral("k"),
                      QStringLiteral("--token"), match.captured(1)})
                     .exitCode,
                 0);
    }

    void tokenWithoutAnyOutput_isGivenBack()
    {
        const Outcome closed = runRedirected(QStringLiteral("acquire token k"), QStringLiteral(">&- 2>&-"));
        QCOMPARE(closed.exitCode, 3);
        QVERIFY((*server)({"EXISTS", "k"}).isInteger(0));
        const Outcome full = runRedirected(QStringLiteral("acquire token k"), QStringLiteral("> /dev/full 2>&1"));
        QCOMPARE(full.exitCode, 3);
        QVERIFY((*server)({"EXISTS", "k"}).isInteger(0));
    }

    /// A token given by the user is known and secret, so it is not printed.
    void ownToken_isNotShown()
    {
        const Outcome outcome = runRedirected(QStringLiteral("acquire token k --token s3cret"), QStringLiteral(">&-"));
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(outcome.errors.endsWith("the lock stays held, with your token\n"), outcome.errors.constData());
        QVERIFY((*server)({"GET", "k"}).isBulk("s3cret"));
    }
};

LATCHKEY_TEST(TestFullDisk)

} // namespace tst_fulldisk

#include "tst_fulldisk.moc"
