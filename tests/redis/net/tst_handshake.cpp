#include "core/redis/net/handshake.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_handshake {

using namespace latchkey;
using namespace latchkey::net;
using namespace latchkey::resp;
using base::ErrorKind;

namespace {

Endpoint endpointFor(const char *url)
{
    return Endpoint::fromUrl(QString::fromLatin1(url)).value();
}

QStringList spoken(const char *url)
{
    QStringList texts;
    for (const Command &command : Handshake(endpointFor(url), "me").commands()) {
        QByteArrayList words(command.words().begin(), command.words().end());
        texts += QString::fromUtf8(words.join(' '));
    }
    return texts;
}

} // namespace

class TestHandshake final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void commands_sayWhatTheEndpointNeeds_data()
    {
        QTest::addColumn<QByteArray>("url");
        QTest::addColumn<QStringList>("commands");
        const QString name = QStringLiteral("CLIENT SETNAME me");
        const QString info = QStringLiteral("INFO server");
        QTest::addRow("nothing special") << QByteArray("redis://h") << QStringList {name, info};
        QTest::addRow("password") << QByteArray("redis://:p@h") << QStringList {QStringLiteral("AUTH p"), name, info};
        QTest::addRow("user and password")
            << QByteArray("redis://u:p@h") << QStringList {QStringLiteral("AUTH u p"), name, info};
        QTest::addRow("user without a password")
            << QByteArray("redis://u@h") << QStringList {QStringLiteral("AUTH u "), name, info};
        QTest::addRow("database") << QByteArray("redis://h/3") << QStringList {QStringLiteral("SELECT 3"), name, info};
    }
    void commands_sayWhatTheEndpointNeeds()
    {
        QFETCH(QByteArray, url);
        QTEST(spoken(url.constData()), "commands");
    }

    void judge_readsTheServersOwnWords()
    {
        const auto info =
            Handshake(endpointFor("redis://h"), "me")
                .evaluate({Reply::status("OK"),
                           Reply::bulk("# Server\r\nredis_version:7.0.15\r\nredis_mode:standalone\r\nrun_id:abc\r\n")});
        QVERIFY(info);
        QCOMPARE(info->display(), QStringLiteral("Redis 7.0.15"));
        QCOMPARE(info->mode, QStringLiteral("standalone"));
        QCOMPARE(info->runId, QStringLiteral("abc"));
    }

    void judge_recognisesValkey()
    {
        const auto info = Handshake(endpointFor("redis://h"), "me")
                              .evaluate({Reply::status("OK"),
                                         Reply::bulk("redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:"
                                                     "8.1.1\r\nserver_mode:standalone\r\n")});
        QVERIFY(info);
        QCOMPARE(info->display(), QStringLiteral("Valkey 8.1.1"));
    }

    void judge_toleratesWhatAnAclDenies()
    {
        const auto noPermission = Reply::error("NOPERM this user has no permissions to run the 'info' command");
        const auto info = Handshake(endpointFor("redis://h"), "me").evaluate({noPermission, noPermission});
        QVERIFY(info);
        QVERIFY(info->display().isEmpty());
    }

    void judge_refusesAndNamesThePlace_data()
    {
        QTest::addColumn<QByteArray>("url");
        QTest::addColumn<int>("place");
        QTest::addColumn<QByteArray>("reply");
        QTest::addColumn<ErrorKind>("kind");
        QTest::addRow("wrong password") << QByteArray("redis://:hunter2@h/3") << 0
                                        << QByteArray("WRONGPASS invalid username-password pair")
                                        << ErrorKind::WrongPassword;
        QTest::addRow("no such database") << QByteArray("redis://:hunter2@h/3") << 1
                                          << QByteArray("ERR DB index is out of range") << ErrorKind::OtherServerError;
        QTest::addRow("password needed") << QByteArray("redis://h") << 1
                                         << QByteArray("NOAUTH Authentication required.")
                                         << ErrorKind::AuthenticationRequired;
        QTest::addRow("loading") << QByteArray("redis://h") << 1
                                 << QByteArray("LOADING Redis is loading the dataset in memory") << ErrorKind::Loading;
    }
    void judge_refusesAndNamesThePlace()
    {
        QFETCH(QByteArray, url);
        QFETCH(int, place);
        QFETCH(QByteArray, reply);
        const Handshake handshake(endpointFor(url.constData()), "me");
        Replies replies(handshake.commands().size(), Reply::status("OK"));
        replies[static_cast<std::size_t>(place)] = Reply::error(reply);
        const auto info = handshake.evaluate(replies);
        QVERIFY(!info);
        QTEST(info.error().kind, "kind");
        QVERIFY(info.error().message().startsWith(QStringLiteral("redis://h:6379")));
        QVERIFY(!info.error().message().contains(QStringLiteral("hunter2")));
    }
};

LATCHKEY_TEST(TestHandshake)

} // namespace tst_handshake

#include "tst_handshake.moc"
