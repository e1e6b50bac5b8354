#include "tests/support/await.h"
#include "tests/support/foreignlibraries.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QProcess>
#include <QTest>

namespace tst_libraries {

using namespace latchkey;
using test::Outcome;

/// Tests of recognising locks that other libraries hold, by `latchkey-cli ls`.
class TestLibraries final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void lockThatIsHeld_isRecognisedWithItsHolder_data()
    {
        QTest::addColumn<QString>("language");
        QTest::addColumn<QString>("library");
        QTest::addColumn<QString>("kind");
        QTest::addColumn<bool>("isCertain");
        QTest::addRow("redis-py") << QStringLiteral("python") << QString() << QStringLiteral("redis-py.Lock") << true;
        QTest::addRow("BullMQ") << QStringLiteral("node") << QStringLiteral("bullmq")
                                << QStringLiteral("bullmq.job-lock") << true;
        QTest::addRow("redlock") << QStringLiteral("node") << QStringLiteral("redlock")
                                 << QStringLiteral("node-redlock.v4") << true;
        // A plain SET, as in many programs: a lock of an unknown library.
        QTest::addRow("ioredis") << QStringLiteral("node") << QStringLiteral("ioredis") << QString() << false;
    }
    void lockThatIsHeld_isRecognisedWithItsHolder()
    {
        QFETCH(QString, language);
        QFETCH(QString, library);
        QFETCH(QString, kind);
        QFETCH(bool, isCertain);
        const bool isPython = language == u"python";
        const test::ForeignLibraries there = isPython ? test::redisPy() : test::npmPackages();
        if (!there.absence.isEmpty())
            QSKIP(qPrintable(there.absence));

        const test::TestServer server;
        const QString peers = QStringLiteral(LATCHKEY_SOURCE_DIR "/tests/integration/peers/");
        QProcess holder;
        if (isPython)
            holder.start(there.program, {peers + QStringLiteral("redispyholder.py"), server.endpoint().path});
        else
            holder.start(there.program, {peers + QStringLiteral("npm/holder.js"), library, server.endpoint().path});
        LATCHKEY_AWAIT(holder.canReadLine() || holder.state() == QProcess::NotRunning);
        const QByteArrayList told = holder.readLine().trimmed().split(' ');
        QVERIFY2(told.size() == 2, holder.readAllStandardError().constData());
        const QString key = QString::fromUtf8(told[0]);

        const Outcome listed =
            test::outcomeOf(QStringLiteral(LATCHKEY_CLI), {QStringLiteral("--url"), server.url(), QStringLiteral("ls"),
                                                           QStringLiteral("--locks"), QStringLiteral("--json")});
        QCOMPARE(listed.exitCode, 0);
        QJsonObject found;
        for (const QJsonValue &row : QJsonDocument::fromJson(listed.output).array()) {
            // BullMQ has a dozen other keys for its queue.
            QCOMPARE(row[QStringLiteral("key")].toString(), key);
            found = row.toObject();
        }
        const QJsonValue best = found[QStringLiteral("kind")];
        QStringList kinds {best[QStringLiteral("id")].toString()};
        for (const QJsonValue &candidate : found[QStringLiteral("candidates")].toArray())
            kinds += candidate[QStringLiteral("id")].toString();
        QVERIFY2(kind.isEmpty() || kinds.contains(kind), listed.output.constData());
        QVERIFY2(isCertain ? kinds.size() == 1 : kinds.size() > 1, listed.output.constData());
        QCOMPARE(found[QStringLiteral("holder")].toString(), QString::fromUtf8(told[1]));

        holder.closeWriteChannel();
        LATCHKEY_AWAIT(holder.state() == QProcess::NotRunning);
    }
};

LATCHKEY_TEST(TestLibraries)

} // namespace tst_libraries

#include "tst_libraries.moc"
