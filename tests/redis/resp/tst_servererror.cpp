#include "core/redis/resp/servererror.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_servererror {

using namespace latchkey;
using namespace latchkey::resp;
using base::ErrorKind;

class TestServerError final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void prefix_decidesTheKind_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<ErrorKind>("kind");
        // Texts of Redis 7.0.15 and 8.0.2.
        QTest::addRow("NOAUTH") << QByteArray("NOAUTH Authentication required.") << ErrorKind::AuthenticationRequired;
        QTest::addRow("WRONGPASS") << QByteArray("WRONGPASS invalid username-password pair or user is disabled.")
                                   << ErrorKind::WrongPassword;
        QTest::addRow("AUTH without password")
            << QByteArray("ERR AUTH <password> called without any password configured for the default user. Are you "
                          "sure your configuration is correct?")
            << ErrorKind::WrongPassword;
        QTest::addRow("NOPERM") << QByteArray("NOPERM this user has no permissions to run the 'set' command")
                                << ErrorKind::PermissionDenied;
        QTest::addRow("WRONGTYPE") << QByteArray("WRONGTYPE Operation against a key holding the wrong kind of value")
                                   << ErrorKind::WrongType;
        QTest::addRow("READONLY") << QByteArray("READONLY You can't write against a read only replica.")
                                  << ErrorKind::ReadOnly;
        QTest::addRow("OOM") << QByteArray("OOM command not allowed when used memory > 'maxmemory'.")
                             << ErrorKind::OutOfMemory;
        QTest::addRow("LOADING") << QByteArray("LOADING Redis is loading the dataset in memory") << ErrorKind::Loading;
        QTest::addRow("BUSY") << QByteArray(
            "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.")
                              << ErrorKind::Busy;
        QTest::addRow("BUSYGROUP is not BUSY")
            << QByteArray("BUSYGROUP Consumer Group name already exists") << ErrorKind::OtherServerError;
        QTest::addRow("MISCONF") << QByteArray(
            "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk.")
                                 << ErrorKind::Misconfigured;
        QTest::addRow("MASTERDOWN") << QByteArray(
            "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.")
                                    << ErrorKind::MasterDown;
        QTest::addRow("NOREPLICAS") << QByteArray("NOREPLICAS Not enough good replicas to write.")
                                    << ErrorKind::NoReplicas;
        QTest::addRow("EXECABORT") << QByteArray("EXECABORT Transaction discarded because of previous errors.")
                                   << ErrorKind::TransactionAborted;
        QTest::addRow("NOSCRIPT") << QByteArray("NOSCRIPT No matching script. Please use EVAL.") << ErrorKind::NoScript;
        QTest::addRow("MOVED") << QByteArray("MOVED 3999 127.0.0.1:6381") << ErrorKind::ClusterRedirect;
        QTest::addRow("ASK") << QByteArray("ASK 3999 127.0.0.1:6381") << ErrorKind::ClusterRedirect;
        QTest::addRow("CLUSTERDOWN") << QByteArray("CLUSTERDOWN The cluster is down") << ErrorKind::ClusterDown;
        QTest::addRow("CROSSSLOT") << QByteArray("CROSSSLOT Keys in request don't hash to the same slot")
                                   << ErrorKind::CrossSlot;
        QTest::addRow("protected mode") << QByteArray(
            "DENIED Redis is running in protected mode because protected mode is enabled")
                                        << ErrorKind::ProtectedMode;
        QTest::addRow("full") << QByteArray("ERR max number of clients reached") << ErrorKind::TooManyClients;
        QTest::addRow("unknown command") << QByteArray("ERR unknown command 'FOO', with args beginning with: ")
                                         << ErrorKind::UnknownCommand;
        QTest::addRow("syntax") << QByteArray("ERR syntax error") << ErrorKind::OtherServerError;
        QTest::addRow("nothing at all") << QByteArray() << ErrorKind::OtherServerError;
        // Scripts return the errors of their commands.
        QTest::addRow("script, Redis 7") << QByteArray(
            "READONLY You can't write against a read only replica. script: 28b3, on @user_script:1.")
                                         << ErrorKind::ReadOnly;
        QTest::addRow("script, Redis 6") << QByteArray(
            "ERR Error running script (call to f_28b3): @user_script:1: @user_script: 1: -READONLY You can't write "
            "against a read only replica.")
                                         << ErrorKind::ReadOnly;
        QTest::addRow("script, unknown command")
            << QByteArray("ERR Unknown Redis command called from script script: 12c61a02, on @user_script:1.")
            << ErrorKind::UnknownCommand;
        QTest::addRow("script, not permitted, Redis 8")
            << QByteArray("ERR ACL failure in script: User default has no permissions to run the 'set' command script: "
                          "0a9f75e9, on @user_script:1.")
            << ErrorKind::PermissionDenied;
        QTest::addRow("script, not permitted")
            << QByteArray("ERR The user executing the script can't run this command or subcommand script: 12c61a02, on "
                          "@user_script:1.")
            << ErrorKind::PermissionDenied;
        QTest::addRow("script, OOM in Redis 6")
            << QByteArray("ERR Error running script (call to f_28b3): @user_script:1: @user_script: 1: -OOM command "
                          "not allowed when used memory > 'maxmemory'.")
            << ErrorKind::OutOfMemory;
    }
    void prefix_decidesTheKind()
    {
        QFETCH(QByteArray, text);
        const base::Error error = serverError(Reply::error(text));
        QTEST(error.kind, "kind");
        QVERIFY2(error.message().contains(QString::fromLatin1(text)), "the server's own words belong in the sentence");
    }

    void clusterThatIsDown_comesWithWhatToDo()
    {
        QCOMPARE(serverError(Reply::error("CLUSTERDOWN Hash slot not served")).message(),
                 QStringLiteral("the server's cluster is down (\"CLUSTERDOWN Hash slot not served\"); redis-cli "
                                "--cluster check HOST:PORT shows the slots that no node serves"));
    }

    void message_isOneLineForEveryReply()
    {
        const base::Error error = serverError(Reply::error("ERR a\r\nb" + QByteArray(10'000, 'x')));
        QVERIFY(!error.message().contains(u'\n'));
        QVERIFY(error.message().size() < 400);
    }
};

LATCHKEY_TEST(TestServerError)

} // namespace tst_servererror

#include "tst_servererror.moc"
