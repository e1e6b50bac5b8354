#include "tests/support/await.h"
#include "tests/support/childprocesses.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/freeport.h"
#include "tests/support/pseudoterminal.h"
#include "tests/support/sshsetup.h"
#include "tests/support/testprogram.h"
#include "tests/support/testproxy.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

namespace tst_sshcommands {

using namespace latchkey;
using test::Outcome;
using test::SshSetup;

/// Tests of latchkey-cli with ssh and proxies, as given by the user.
class TestSshCommands final : public test::CommandLineTest
{
    Q_OBJECT

    std::unique_ptr<SshSetup> fixture;

    static constexpr auto far = "--ssh=bed";

    static QStringList words(const char *text) { return QString::fromLatin1(text).split(u' '); }
    /// Returns the ssh children of a process.
    static QList<pid_t> tunnelsOf(qint64 process) { return test::childrenOf(process, "latchkey-ssh"); }

private Q_SLOTS:
    void initTestCase()
    {
        fixture = std::make_unique<SshSetup>();
        if (!fixture->obstacle().isEmpty())
            QSKIP(qPrintable(fixture->obstacle()));
    }
    void init()
    {
        CommandLineTest::init();
        fixture->know(SshSetup::Known::Right);
        environment.insert(QStringLiteral("PATH"), QString::fromUtf8(fixture->searchPath()));
    }

    void lock_isHeldAndReleasedOnTheFarSide()
    {
        const Outcome acquired = run(QStringList {QLatin1String(far)} + words("acquire token lock:k"));
        QVERIFY2(acquired.exitCode == 0, acquired.errors.constData());
        QCOMPARE((*server)({"GET", "lock:k"}).bytes(), acquired.output.trimmed());
        environment.insert(QStringLiteral("LATCHKEY_TOKEN"), QString::fromLatin1(acquired.output.trimmed()));
        QCOMPARE(run(QStringList {QLatin1String(far)} + words("release token lock:k")).exitCode, 0);
        QVERIFY((*server)({"EXISTS", "lock:k"}).isInteger(0));
    }

    void url_namesTheWayAsWell()
    {
        environment.insert(QStringLiteral("LATCHKEY_URL"), server->url() + QStringLiteral("?ssh=bed"));
        const Outcome put = run("put set-ex k v --ttl 30s");
        QVERIFY2(put.exitCode == 0, put.errors.constData());
        QCOMPARE((*server)({"GET", "k"}).bytes(), QByteArray("v"));
    }

    /// A latchkey-cli in the program uses the same way.
    void programUnderALock_goesTheSameWay()
    {
        const Outcome outcome = run(QStringList {QLatin1String(far)} + words("run renewing k --lease 60s --")
                                    + QStringList {QStringLiteral(LATCHKEY_CLI)} + words("ls k"));
        QVERIFY2(outcome.exitCode == 0 && outcome.output.contains(" k\n"), outcome.errors.constData());
    }

    void unknownHost_isAnErrorAndNothingIsSent()
    {
        fixture->know(SshSetup::Known::Nothing);
        const Outcome outcome = run(QStringList {QLatin1String(far)} + words("acquire token k"));
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(outcome.errors.contains("the SSH host key of bed is unknown and not confirmed"),
                 outcome.errors.constData());
        QCOMPARE(outcome.errors.count('\n'), 1);
        QVERIFY((*server)({"EXISTS", "k"}).isInteger(0));
    }

    void questions_areAskedAtTheTerminal()
    {
        LATCHKEY_NEEDS_TERMINAL();
        fixture->know(SshSetup::Known::Nothing, false);
        test::PseudoTerminal terminal;
        terminal.start(environment, QStringLiteral("/"), QStringLiteral(LATCHKEY_CLI),
                       QStringList {QLatin1String(far)} + words("put set-ex k v --ttl 30s"));
        LATCHKEY_AWAIT(terminal.output().contains("(yes/no"));
        QVERIFY((*server)({"EXISTS", "k"}).isInteger(0));
        terminal.type("yes\n");
        LATCHKEY_AWAIT(terminal.process().state() == QProcess::NotRunning);
        QVERIFY2(terminal.process().exitCode() == 0, terminal.output().constData());
        QCOMPARE((*server)({"GET", "k"}).bytes(), QByteArray("v"));
    }

    /// Ctrl+C ends the program under the lock, but not the tunnel that is needed to release the lock.
    void interruptedRun_releasesItsLock()
    {
        LATCHKEY_NEEDS_TERMINAL();
        test::PseudoTerminal terminal;
        terminal.start(environment, QStringLiteral("/"), QStringLiteral(LATCHKEY_CLI),
                       QStringList {QLatin1String(far)} + words("run renewing k --lease 1m -- sleep 600"));
        LATCHKEY_AWAIT((*server)({"EXISTS", "k"}).isInteger(1));
        LATCHKEY_AWAIT(!test::childrenOf(terminal.process().processId(), "sleep").isEmpty());
        terminal.type("\x03");
        LATCHKEY_AWAIT(terminal.process().state() == QProcess::NotRunning);
        QVERIFY2((*server)({"EXISTS", "k"}).isInteger(0), terminal.output().constData());
    }

    /// For every end of the program.
    void ssh_diesWithTheProgram()
    {
        QProcess watch;
        watch.setProcessEnvironment(environment);
        watch.start(QStringLiteral(LATCHKEY_CLI), QStringList {QLatin1String(far), QStringLiteral("watch")});
        QList<pid_t> tunnels; // Stored, because a process during exec has no command line, so a second search might
                              // miss it.
        LATCHKEY_AWAIT(!(tunnels = tunnelsOf(watch.processId())).isEmpty());
        const pid_t tunnel = tunnels.front();
        watch.kill();
        LATCHKEY_AWAIT(!test::isAlive(tunnel));
        watch.waitForFinished();
    }

    /// The next program removes the folder of a killed program, but not that of a live one.
    void folderOfAKilledProgram_goesWithTheNext()
    {
        const QTemporaryDir place;
        const auto folders = [&place] { return QDir(place.path()).entryList({QStringLiteral("latchkey-ssh-*")}); };
        environment.insert(QStringLiteral("XDG_RUNTIME_DIR"), place.path());
        const QStringList watching {QLatin1String(far), QStringLiteral("watch")};
        QProcess killed;
        killed.setProcessEnvironment(environment);
        killed.start(QStringLiteral(LATCHKEY_CLI), watching);
        LATCHKEY_AWAIT(!tunnelsOf(killed.processId()).isEmpty());
        killed.kill();
        LATCHKEY_AWAIT(killed.state() == QProcess::NotRunning);
        LATCHKEY_AWAIT((*server)({"CLIENT", "LIST", "TYPE", "pubsub"}).bytes().isEmpty());
        const QStringList left = folders();
        QCOMPARE(left.size(), 1);

        QProcess living;
        living.setProcessEnvironment(environment);
        living.start(QStringLiteral(LATCHKEY_CLI), watching);
        LATCHKEY_AWAIT(!tunnelsOf(living.processId()).isEmpty());
        QCOMPARE(folders().size(), 1);
        QVERIFY(folders() != left);
        QCOMPARE(run(QStringList {QLatin1String(far), QStringLiteral("ls")}).exitCode, 0);
        QCOMPARE(folders().size(), 1);
        // A signal is handled from the end of the start on, when the events are requested.
        LATCHKEY_AWAIT(!(*server)({"CLIENT", "LIST", "TYPE", "pubsub"}).bytes().isEmpty());
        living.terminate();
        LATCHKEY_AWAIT(living.state() == QProcess::NotRunning);
        QVERIFY(folders().isEmpty());
    }

    void wrongWays_areWrongUsage()
    {
        const auto isUsage = [this](const QStringList &arguments, const char *why) {
            const Outcome outcome = run(arguments + words("ls"));
            return outcome.exitCode == 2 && outcome.errors.contains(why);
        };
        QVERIFY(isUsage({QStringLiteral("--ssh=-oProxyCommand=x")}, "--ssh: \"-oProxyCommand=x\" is no host for ssh"));
        QVERIFY(isUsage({QStringLiteral("--proxy=ftp://me:hunter2@h:1")}, "--proxy: the proxy \"ftp://(hidden)@h:1\""));
        QVERIFY(isUsage({QStringLiteral("--proxy=socks5://h:1")}, "--proxy leads to hosts"));
        environment.remove(QStringLiteral("LATCHKEY_URL"));
        QVERIFY(isUsage({QStringLiteral("--ssh=bed"), QStringLiteral("--proxy=socks5://h:1")}, "exclude each other"));
    }

    void proxy_isGoneThroughWithItsPasswordFromTheEnvironment()
    {
        const test::TestProxy proxy(net::Proxy::Kind::Socks5, QStringLiteral("hunter2"));
        const QByteArray port = QByteArray::number(test::freePort());
        QVERIFY((*server)({"CONFIG", "SET", "port", port}).isOk());
        environment.insert(QStringLiteral("LATCHKEY_PROXY_PASSWORD"), QStringLiteral("hunter2"));
        const QStringList way {QStringLiteral("--url=redis://127.0.0.1:") + QString::fromLatin1(port),
                               QStringLiteral("--proxy=") + proxy.proxy().display()};
        const Outcome outcome = run(way + words("run renewing k --lease 60s --")
                                    + QStringList {QStringLiteral(LATCHKEY_CLI)} + words("ls k"));
        QVERIFY2(outcome.exitCode == 0 && outcome.output.contains(" k\n"), outcome.errors.constData());
        QVERIFY(proxy.relayed() >= 2);
        environment.remove(QStringLiteral("LATCHKEY_PROXY_PASSWORD"));
        const Outcome refused = run(way + words("ls"));
        QCOMPARE(refused.exitCode, 3);
        QVERIFY2(refused.errors.contains("requires a user and a password"), refused.errors.constData());
    }
};

LATCHKEY_TEST(TestSshCommands)

} // namespace tst_sshcommands

#include "tst_sshcommands.moc"
