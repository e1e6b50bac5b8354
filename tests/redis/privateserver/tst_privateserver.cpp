#include "core/redis/privateserver/privateserver.h"
#include "tests/support/await.h"
#include "tests/support/childprocesses.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QDir>
#include <QElapsedTimer>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

namespace tst_privateserver {

using namespace latchkey;
using privateserver::PrivateServer;

class TestPrivateServer final : public QObject
{
    Q_OBJECT

    QTemporaryDir m_place;

private Q_SLOTS:
    void initTestCase()
    {
        // A separate temporary folder, because every private server removes old folders, and tests run in parallel.
        QVERIFY(m_place.isValid());
        QVERIFY(qputenv("TMPDIR", QFile::encodeName(m_place.path())));
    }

    void start_servesOnItsSocketAndOnNoPort()
    {
        PrivateServer server;
        QSignalSpy ready(&server, &PrivateServer::ready);
        server.start();
        LATCHKEY_AWAIT(ready.size() == 1);
        QVERIFY(server.isReady());

        test::TestServer other;
        QVERIFY(other({"CONFIG", "GET", "port"}).elements().at(1).isBulk("0"));
        QVERIFY(other({"CONFIG", "GET", "save"}).elements().at(1).isBulk(""));
        QVERIFY(other({"CONFIG", "GET", "appendonly"}).elements().at(1).isBulk("no"));
        QVERIFY(other.endpoint().path != server.endpoint().path);
    }

    void destroying_endsTheProcessAndRemovesTheFolder()
    {
        auto server = std::make_unique<PrivateServer>();
        LATCHKEY_VERIFY_RESULT(server->startAndWait());
        const auto process = static_cast<pid_t>(server->processId());
        const QString folder = server->folder();
        QVERIFY(test::isAlive(process));
        server.reset();
        QVERIFY(!test::isAlive(process));
        QVERIFY(!QFileInfo::exists(folder));
    }

    void killedOwner_takesItsServerAlongAndItsFolderIsSwept()
    {
        QProcess owner;
        owner.start(QStringLiteral(SERVER_OWNER), QStringList());
        LATCHKEY_AWAIT(owner.canReadLine() || owner.state() == QProcess::NotRunning);
        const QList<QByteArray> words = owner.readLine().trimmed().split(' ');
        QCOMPARE(words.size(), 2);
        const pid_t process = words[0].toInt();
        const QString folder = QString::fromLocal8Bit(words[1]);
        QVERIFY(test::isAlive(process));

        owner.kill();
        QVERIFY(owner.waitForFinished());
        LATCHKEY_AWAIT(!test::isAlive(process));
        QVERIFY2(QFileInfo::exists(folder), "its owner was killed and could not remove it");

        PrivateServer next;
        LATCHKEY_VERIFY_RESULT(next.startAndWait());
        QVERIFY(!QFileInfo::exists(folder));
    }

    void endedServer_isNoticed()
    {
        PrivateServer server;
        QSignalSpy ready(&server, &PrivateServer::ready);
        QSignalSpy ended(&server, &PrivateServer::ended);
        server.start();
        LATCHKEY_AWAIT(ready.size() == 1);
        ::kill(static_cast<pid_t>(server.processId()), SIGKILL);
        LATCHKEY_AWAIT(ended.size() == 1);
        QVERIFY(!server.isReady());
    }

    void badArgument_isReportedInTheServersOwnWords()
    {
        PrivateServer server;
        QSignalSpy failed(&server, &PrivateServer::failed);
        server.start({QStringLiteral("--no-such-option"), QStringLiteral("1")});
        LATCHKEY_AWAIT(failed.size() == 1);
        const auto error = failed[0][0].value<base::Error>();
        QVERIFY2(error.message().startsWith(QStringLiteral("cannot start a private server: it ended at once (")),
                 qPrintable(error.message()));
        QVERIFY(!error.message().contains(u'\n'));
    }

    void programThatCannotBeExecuted_isReportedAtOnce_data()
    {
        QTest::addColumn<bool>("hasLoop");
        QTest::addRow("by the event loop") << true;
        QTest::addRow("without one") << false;
    }
    void programThatCannotBeExecuted_isReportedAtOnce()
    {
        QFETCH(bool, hasLoop);
        const QString program = m_place.filePath(QStringLiteral("no-program"));
        QFile file(program);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("#!/nonexistent/interpreter\n");
        file.close();
        QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::ExeOwner));
        qputenv("LATCHKEY_REDIS_SERVER", QFile::encodeName(program));
        PrivateServer server;
        QSignalSpy failed(&server, &PrivateServer::failed);
        QElapsedTimer timer;
        timer.start();
        base::Error error;
        if (hasLoop) {
            server.start();
            LATCHKEY_AWAIT(failed.size() == 1);
            error = failed[0][0].value<base::Error>();
        } else {
            const auto started = server.startAndWait();
            QVERIFY(!started);
            error = started.error();
        }
        qunsetenv("LATCHKEY_REDIS_SERVER");
        QCOMPARE(
            error.message(),
            QStringLiteral("cannot start a private server: cannot run %1 (No such file or directory)").arg(program));
        QVERIFY2(timer.elapsed() < 5000, "half of what it takes to give up a server that does not answer");
    }

    void missingProgram_isReported()
    {
        qputenv("LATCHKEY_REDIS_SERVER", "/nonexistent");
        const auto program = PrivateServer::findProgram();
        qunsetenv("LATCHKEY_REDIS_SERVER");
        QVERIFY(!program);
        QCOMPARE(program.error().message(),
                 QStringLiteral("LATCHKEY_REDIS_SERVER names \"/nonexistent\", which is not a program"));
    }
};

LATCHKEY_TEST(TestPrivateServer)

} // namespace tst_privateserver

#include "tst_privateserver.moc"
