#include "core/redis/net/dialer.h"
#include "core/redis/net/session.h"
#include "core/redis/ssh/askpassclient.h"
#include "core/redis/ssh/tunnels.h"
#include "tests/support/await.h"
#include "tests/support/childprocesses.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/sshsetup.h"
#include "tests/support/testprogram.h"
#include "tests/support/tlssetup.h"

#include <QSignalSpy>
#include <QTest>

#include <csignal>

namespace tst_ssh {

using namespace latchkey;
using base::SystemClock;
using net::Connection;
using net::Dialer;
using net::Endpoint;
using ssh::Tunnels;
using test::SshSetup;
using namespace std::chrono_literals;

/// A tunnel with a real ssh through a real sshd, on the event loop and blocking.
class TestSsh final : public QObject
{
    Q_OBJECT

    std::unique_ptr<SshSetup> fixture;
    std::unique_ptr<test::TestServer> server;
    QByteArray searchPath;

    static constexpr auto dialTimeout = 30s;

    /// Connects on the event loop.
    static base::Result<resp::ServerInfo> dial(const Endpoint &endpoint, bool *needsUserAction = nullptr)
    {
        Dialer dialer(SystemClock::instance());
        std::optional<base::Result<resp::ServerInfo>> outcome;
        dialer.dial(endpoint, dialTimeout, [&outcome](base::Result<net::DialResult<Connection>> dialled) {
            outcome = dialled.map([](const net::DialResult<Connection> &let) { return let.server; });
        });
        if (!test::waitFor([&outcome] { return outcome.has_value(); }))
            qFatal("the dialer did not finish");
        if (needsUserAction != nullptr)
            *needsUserAction = dialer.needsUserAction();
        return *outcome;
    }
    /// Returns the error, which is the same for both ways of dialling; empty: both succeed.
    static QString problem(const Endpoint &endpoint)
    {
        const auto here = dial(endpoint);
        Tunnels::instance().clear();
        const auto waiting = net::dialBlocking(endpoint, dialTimeout);
        Tunnels::instance().clear();
        const QString said = here ? QString() : here.error().message();
        const QString saidWaiting = waiting ? QString() : waiting.error().message();
        if (said != saidWaiting)
            return QStringLiteral("differs: \"%1\", and waiting \"%2\"").arg(said, saidWaiting);
        return said;
    }
    static QString cannot(const Endpoint &endpoint, const QString &why)
    {
        return QStringLiteral("cannot connect to %1: %2").arg(endpoint.display(), why);
    }
    /// Returns the test server by its Unix socket on the remote side.
    [[nodiscard]] Endpoint farSocket() const
    {
        Endpoint endpoint = server->endpoint();
        endpoint.ssh = fixture->sshHost();
        return endpoint;
    }
    /// Port 1 has no listener.
    [[nodiscard]] Endpoint farPort(quint16 port = 1) const
    {
        Endpoint endpoint;
        endpoint.port = port;
        endpoint.ssh = fixture->sshHost();
        return endpoint;
    }

private Q_SLOTS:
    void initTestCase()
    {
        fixture = std::make_unique<SshSetup>();
        if (!fixture->obstacle().isEmpty())
            QSKIP(qPrintable(fixture->obstacle()));
        searchPath = fixture->searchPath();
    }
    void init()
    {
        qputenv("PATH", searchPath);
        fixture->know(SshSetup::Known::Right);
        fixture->useKey(false);
        server = std::make_unique<test::TestServer>();
    }
    void cleanup()
    {
        Tunnels::instance().clear();
        server.reset();
    }

    void socketOnTheFarSide_isReached() { QCOMPARE(problem(farSocket()), QString()); }

    void portOnTheFarSide_isReachedByTls()
    {
        const test::TlsSetup certificates;
        if (!certificates.obstacle().isEmpty())
            QSKIP(qPrintable(certificates.obstacle()));
        Endpoint endpoint = certificates.endpoint(certificates.encrypt(*server, QStringLiteral("server")));
        endpoint.ssh = fixture->sshHost();
        QCOMPARE(problem(endpoint), QString());
        Endpoint stranger = endpoint;
        stranger.tls->caFile = certificates.certificate(QStringLiteral("foreign-ca"));
        QVERIFY2(problem(stranger).contains(QLatin1String("untrusted CA")), qPrintable(problem(stranger)));
    }

    void bytes_arriveAsTheyWereSent()
    {
        auto dialled = net::dialBlocking(farSocket(), dialTimeout);
        LATCHKEY_VERIFY_RESULT(dialled);
        QByteArray value;
        for (int i = 0; i < 1'000'000; ++i)
            value += static_cast<char>(i * 7);
        auto &connection = *dialled->connection;
        QVERIFY(connection.execute(resp::Command {"SET", "k", value}, 30s).value().isOk());
        QCOMPARE(connection.execute(resp::Command {"GET", "k"}, 30s).value().bytes(), value);
    }

    /// Only one login, for blocking callers and for the event loop.
    void connections_shareOneTunnel()
    {
        const auto first = net::dialBlocking(farSocket(), dialTimeout);
        const auto second = net::dialBlocking(farSocket(), dialTimeout);
        const auto third = dial(farSocket());
        QVERIFY(first && second && third);
        QCOMPARE(Tunnels::instance().count(), 1);
        QCOMPARE(test::childrenOf(::getpid(), "latchkey-ssh").size(), 1);
    }

    void tunnel_goesWithItsLastConnection()
    {
        auto dialled = net::dialBlocking(farSocket(), dialTimeout);
        LATCHKEY_VERIFY_RESULT(dialled);
        const pid_t process = test::childrenOf(::getpid(), "latchkey-ssh").value(0);
        Tunnels::instance().clear();
        QVERIFY(dialled->connection->execute(resp::Command {"PING"}, dialTimeout));
        dialled->connection.reset();
        QVERIFY(!test::isAlive(process));
    }

    /// The connection ends, and the next one uses a new tunnel.
    void lostTunnel_isReopened()
    {
        test::ScriptedRandom random;
        net::Session session(farSocket(), SystemClock::instance(), random);
        session.start();
        LATCHKEY_AWAIT(session.state() == net::Session::State::Ready);
        const pid_t process = test::childrenOf(::getpid(), "latchkey-ssh").value(0);
        ::kill(process, SIGKILL);
        LATCHKEY_AWAIT(session.state() == net::Session::State::Waiting);
        LATCHKEY_AWAIT(session.state() == net::Session::State::Ready);
        QVERIFY(test::childrenOf(::getpid(), "latchkey-ssh").value(0) != process);
    }

    void unknownHost_isRefused()
    {
        fixture->know(SshSetup::Known::Nothing);
        QCOMPARE(
            problem(farSocket()),
            cannot(farSocket(), QStringLiteral("the SSH host key of bed is unknown and not confirmed; compare it with "
                                               "the value from its administrator, and log in once with ssh")));
        QVERIFY(fixture->knownHosts().isEmpty());
    }

    void changedHost_isRefusedLoudly()
    {
        fixture->know(SshSetup::Known::Other, false);
        QVERIFY2(problem(farSocket()).contains(QLatin1String("the SSH host key of bed has CHANGED")),
                 qPrintable(problem(farSocket())));
        bool needsUserAction = false;
        QVERIFY(!dial(farSocket(), &needsUserAction));
        QVERIFY(needsUserAction);
    }

    /// A retry would ask the user again and again.
    void refusedLogin_isNotRetriedAutomatically()
    {
        fixture->know(SshSetup::Known::Nothing);
        test::ScriptedRandom random;
        net::Session session(farSocket(), SystemClock::instance(), random);
        session.start();
        LATCHKEY_AWAIT(session.state() == net::Session::State::Waiting);
        QCOMPARE(session.nextAttempt(), base::MonotonicTime::max());
        QVERIFY(session.needsUserAction());
        fixture->know(SshSetup::Known::Right);
        session.retryNow();
        LATCHKEY_AWAIT(session.state() == net::Session::State::Ready);
    }

    void deadServerBehindTheHost_isReported()
    {
        QCOMPARE(problem(farPort()),
                 cannot(farPort(), QStringLiteral("ssh is logged in at bed, and from there: Connection refused")));
    }

    void hostThatForbidsForwarding_isReported()
    {
        const SshSetup closed("AllowTcpForwarding no");
        QVERIFY2(closed.obstacle().isEmpty(), qPrintable(closed.obstacle()));
        qputenv("PATH", closed.programs().toUtf8() + ':' + searchPath);
        QCOMPARE(problem(farPort()), cannot(farPort(), QStringLiteral("ssh is logged in at bed, which permits no "
                                                                      "forwarding there (AllowTcpForwarding, "
                                                                      "PermitOpen)")));
    }

    /// A host as configured for pure jump hosts.
    void hostWithoutAShell_isStillUsedAsAJumpHost()
    {
        const SshSetup bare("ForceCommand /bin/false");
        QVERIFY2(bare.obstacle().isEmpty(), qPrintable(bare.obstacle()));
        qputenv("PATH", bare.programs().toUtf8() + ':' + searchPath);
        QCOMPARE(problem(farSocket()), QString());
    }

    void hostThatIsNotThere_isReported()
    {
        Endpoint endpoint = farPort();
        endpoint.ssh = ssh::SshHost {{}, QStringLiteral("127.0.0.1"), 1};
        QCOMPARE(problem(endpoint), cannot(endpoint, QStringLiteral("ssh cannot connect to 127.0.0.1:1: Connection "
                                                                    "refused; is that its SSH port?")));
    }

    void machineWithoutSsh_isReported()
    {
        qputenv("PATH", "/nowhere");
        QCOMPARE(problem(farPort()), QStringLiteral("there is no ssh on this machine to reach bed with; on Debian the "
                                                    "package openssh-client has it"));
    }

    void unknownKey_isAskedForAndKept()
    {
        fixture->know(SshSetup::Known::Nothing, false);
        ssh::AskpassServer questions(QCoreApplication::applicationFilePath());
        Tunnels::instance().setAskpassServer(&questions);
        QString text;
        connect(&questions, &ssh::AskpassServer::asked, &questions, [&](const ssh::AskpassServer::Question &question) {
            text = question.text;
            QVERIFY(!question.isSecret);
            questions.answer(question.id, QStringLiteral("yes"));
        });
        LATCHKEY_VERIFY_RESULT(dial(farSocket()));
        QVERIFY2(text.contains(QLatin1String("ED25519 key fingerprint is SHA256:")), qPrintable(text));
        QVERIFY(fixture->knownHosts().contains("ssh-ed25519"));
    }

    void unknownKeyThatIsDeclined_isNotKept()
    {
        fixture->know(SshSetup::Known::Nothing, false);
        ssh::AskpassServer questions(QCoreApplication::applicationFilePath());
        Tunnels::instance().setAskpassServer(&questions);
        connect(&questions, &ssh::AskpassServer::asked, &questions,
                [&](const ssh::AskpassServer::Question &question) { questions.decline(question.id); });
        const auto refused = dial(farSocket());
        QVERIFY(!refused && refused.error().message().contains(QLatin1String("is unknown and not confirmed")));
        QVERIFY(fixture->knownHosts().isEmpty());
    }

    void passphrase_isAskedFor()
    {
        fixture->useKey(true);
        ssh::AskpassServer questions(QCoreApplication::applicationFilePath());
        Tunnels::instance().setAskpassServer(&questions);
        QString answer = QStringLiteral("wrong");
        bool areAllSecret = true;
        connect(&questions, &ssh::AskpassServer::asked, &questions, [&](const ssh::AskpassServer::Question &question) {
            areAllSecret = areAllSecret && question.isSecret;
            questions.answer(question.id, answer);
        });
        const auto refused = dial(farSocket());
        QVERIFY(!refused && refused.error().message().contains(QLatin1String("does not let ssh in")));
        answer = SshSetup::passphrase();
        LATCHKEY_VERIFY_RESULT(dial(farSocket()));
        QVERIFY(areAllSecret);
    }

    /// A cancelled attempt does not leave its question on screen.
    void question_isWithdrawnWithItsTunnel()
    {
        fixture->useKey(true);
        ssh::AskpassServer questions(QCoreApplication::applicationFilePath());
        Tunnels::instance().setAskpassServer(&questions);
        const QSignalSpy asked(&questions, &ssh::AskpassServer::asked);
        const QSignalSpy withdrawn(&questions, &ssh::AskpassServer::withdrawn);
        {
            Dialer dialer(SystemClock::instance());
            dialer.dial(farSocket(), dialTimeout, [](const auto &) {});
            LATCHKEY_AWAIT(!asked.isEmpty());
        }
        LATCHKEY_AWAIT(!withdrawn.isEmpty());
    }
};

/// When ssh calls this program, it is the answerer, as latchkey-cli is.
const test::ProgramRole answerer([](int, char **) { return ssh::isAskpassProcess(); }, &ssh::runAskpass);

LATCHKEY_TEST(TestSsh)

} // namespace tst_ssh

#include "tst_ssh.moc"
