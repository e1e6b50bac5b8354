#include "tests/support/commandlinetest.h"
#include "tests/support/testprogram.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace tst_ownpatterns {

using namespace latchkey;
using test::Outcome;

/// Tests that latchkey-cli uses the user's own dialects, like the window.
class TestOwnPatterns final : public test::CommandLineTest
{
    Q_OBJECT

    QTemporaryDir folder;

    void use(const QByteArray &contents)
    {
        const QString path = folder.filePath(QStringLiteral("mine.json"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(contents) == contents.size());
        environment.insert(QStringLiteral("LATCHKEY_DIALECTS"), path);
    }

private Q_SLOTS:
    void locksOfOnesOwn_areListedAndExplained()
    {
        use("{\"format\": \"latchkey-dialects\", \"version\": 1, \"dialects\": [\n"
            " {\"id\": \"own.task\", \"title\": \"task lock\", \"family\": \"lock\",\n"
            "  \"forms\": [{\"type\": \"string\", \"name\": \"^task:.*$\", \"hints\": [\"task:\"], \"value\": "
            "\"any\",\n"
            "             \"alone\": \"certain\"}]}]}");
        QVERIFY((*server)({"SET", "task:7", "Ann", "PX", "600000"}).isOk());
        const Outcome listed = run("ls --locks");
        QCOMPARE(listed.exitCode, 0);
        QVERIFY2(listed.output.contains("own.task") && listed.output.contains("Ann"), listed.output.constData());
        const Outcome why = run("why task:7");
        QVERIFY2(why.output.contains("task lock"), why.output.constData());
    }

    void brokenFile_isOneSentenceAndNoReasonToStop()
    {
        use("{\"format\": \"latchkey-dialects\", \"version\": 1,\n \"dialect\": []}");
        QVERIFY((*server)({"SET", "lock:7", "7f0c1d2e-3b4a-4c5d-8e6f-a1b2c3d4e5f6", "PX", "600000"}).isOk());
        const Outcome listed = run("ls");
        QCOMPARE(listed.exitCode, 0);
        QVERIFY(listed.output.contains("lock:7"));
        QCOMPARE(listed.errors.count('\n'), 1);
        QVERIFY2(listed.errors.contains("mine.json:2: dialect: there is no such member here"),
                 listed.errors.constData());
    }

    /// An ignored file would leave locks unrecognised without a word.
    void missingFile_isRefused_data()
    {
        QTest::addColumn<QByteArray>("words");
        for (const char *words : {"ls", "ls --json", "why lock:7", "watch --for 1s", "replay bug.latchkey-recording"})
            QTest::newRow(words) << QByteArray(words);
    }
    void missingFile_isRefused()
    {
        QFETCH(QByteArray, words);
        environment.insert(QStringLiteral("LATCHKEY_DIALECTS"), QStringLiteral("/nonexistent/mine.json"));
        const Outcome outcome = run(words.constData());
        QCOMPARE(outcome.errors, QByteArray("latchkey-cli: LATCHKEY_DIALECTS names \"/nonexistent/mine.json\", which "
                                            "does not exist\n"));
        QCOMPARE(outcome.exitCode, 2);
        QCOMPARE(outcome.output, QByteArray());
    }
};

LATCHKEY_TEST(TestOwnPatterns)

} // namespace tst_ownpatterns

#include "tst_ownpatterns.moc"
