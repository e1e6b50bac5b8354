#include "core/foundation/base/bytes.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"
#include "ui/pages/inspector/rediscli.h"

#include <QProcess>
#include <QStandardPaths>
#include <QTest>

namespace tst_rediscli {

using namespace latchkey;
using ui::inspector::redisCliCommand;

class TestRedisCli final : public QObject
{
    Q_OBJECT

    static net::Endpoint endpoint(const char *url) { return net::Endpoint::fromUrl(QString::fromLatin1(url)).value(); }

private Q_SLOTS:
    void command_namesServerUserAndDatabaseButNoPassword()
    {
        QCOMPARE(redisCliCommand(endpoint("redis://ann:hunter2@db.example.org:6380/3"), base::Key("lock:a")),
                 QStringLiteral("redis-cli -h db.example.org -p 6380 --user ann -n 3 PTTL lock:a"));
        QCOMPARE(redisCliCommand(endpoint("unix:///run/redis.sock"), base::Key("it's")),
                 QStringLiteral("redis-cli -s /run/redis.sock PTTL 'it'\\''s'"));
    }

    /// Runs the command in a shell on a real server, for keys of all kinds.
    void commandForAServerBehindSsh_runsThere()
    {
        const auto server = net::Endpoint::fromUrl(QStringLiteral("redis://db:6379?ssh=me@jump:2222")).value();
        QCOMPARE(redisCliCommand(server, base::Key("a b")),
                 QStringLiteral("ssh -p 2222 -l me jump 'redis-cli -h db -p 6379 PTTL '\\''a b'\\'''"));
    }

    void command_worksInAShell_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addRow("plain") << QByteArray("lock:orders:1");
        QTest::addRow("space") << QByteArray("two words");
        QTest::addRow("quotes") << QByteArray("a'b\"c");
        QTest::addRow("dollar") << QByteArray("$HOME `id` \\ !");
        QTest::addRow("NUL") << QByteArray("a\0b", 3);
        QTest::addRow("invalid UTF-8") << QByteArray("\xff\xfe");
        QTest::addRow("line end") << QByteArray("a\nb");
        QTest::addRow("percent") << QByteArray("100%s \xc3\xa9");
        QTest::addRow("dash") << QByteArray("--help");
        QTest::addRow("empty") << QByteArray();
    }
    void command_worksInAShell()
    {
        if (QStandardPaths::findExecutable(QStringLiteral("redis-cli")).isEmpty())
            QSKIP("there is no redis-cli on this machine");
        QFETCH(QByteArray, key);
        test::TestServer server;
        QVERIFY(server({"SET", key, "v", "PX", "600000"}).isOk());
        QProcess shell;
        shell.start(QStringLiteral("sh"), {QStringLiteral("-c"), redisCliCommand(server.endpoint(), base::Key(key))});
        QVERIFY(shell.waitForFinished());
        const qint64 left = shell.readAllStandardOutput().trimmed().toLongLong();
        QVERIFY2(left > 500'000 && left <= 600'000, qPrintable(redisCliCommand(server.endpoint(), base::Key(key))));
    }
};

LATCHKEY_TEST(TestRedisCli)

} // namespace tst_rediscli

#include "tst_rediscli.moc"
