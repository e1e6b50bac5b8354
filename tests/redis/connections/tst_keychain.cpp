#include "core/redis/connections/keychain.h"
#include "core/redis/connections/savedservers.h"
#include "tests/support/await.h"
#include "tests/support/keychainsetup.h"
#include "tests/support/outcome.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QFile>
#include <QLocalServer>
#include <QLocalSocket>
#include <QProcessEnvironment>
#include <QTest>

#include <utility>

#include <sys/socket.h>

namespace tst_keychain {

using namespace latchkey;
using base::Result;
using connections::SavedConnection;
using connections::SavedConnections;
using connections::Secrets;
using test::KeychainSetup;
using test::Outcome;
using test::TestServer;

namespace {

/// A relay to the message bus that can be cut, for the one program that uses it.
class BusRelay final
{
public:
    explicit BusRelay(const QString &path)
    {
        const QString bus = qEnvironmentVariable("DBUS_SESSION_BUS_ADDRESS").section(u'=', -1);
        QObject::connect(&m_server, &QLocalServer::newConnection, &m_server, [this, bus] {
            QLocalSocket *near = m_server.nextPendingConnection();
            auto *far = new QLocalSocket(near);
            const auto pass = [](QLocalSocket *from, QLocalSocket *to) { to->write(from->readAll()); };
            QObject::connect(near, &QLocalSocket::readyRead, far, [=] { pass(near, far); });
            QObject::connect(far, &QLocalSocket::readyRead, near, [=] { pass(far, near); });
            far->connectToServer(bus);
            m_near += near;
        });
        if (!m_server.listen(path))
            qFatal("cannot listen on %s", qPrintable(path));
    }
    /// Disconnects as if the bus had ended.
    void cut() const
    {
        for (const QLocalSocket *near : m_near)
            ::shutdown(static_cast<int>(near->socketDescriptor()), SHUT_WR);
    }
    [[nodiscard]] qsizetype connections() const { return m_near.size(); }

private:
    QLocalServer m_server;
    QList<QLocalSocket *> m_near;
};

} // namespace

/// Servers with passwords in a real keychain: consistent with the book, and read by latchkey-cli.
class TestKeychain final : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder;
    std::unique_ptr<SavedConnections> saved;
    std::unique_ptr<TestServer> server;

    [[nodiscard]] QString file() const { return folder->filePath(QStringLiteral("servers.ini")); }
    [[nodiscard]] static QByteArray contentsOf(const QString &path)
    {
        QFile opened(path);
        return opened.open(QIODevice::ReadOnly) ? opened.readAll() : QByteArray();
    }
    [[nodiscard]] SavedConnection kept(const char *name, bool hasSecrets = true) const
    {
        SavedConnection made {QString::fromUtf8(name), server->endpoint()};
        made.hasSecrets = hasSecrets;
        return made;
    }
    [[nodiscard]] static Secrets password(const char *text) { return {QString::fromUtf8(text), {}}; }

    /// Waits for an answer of the keychain and returns it.
    template<typename Answer, typename Ask>
    [[nodiscard]] static Answer answerOf(Ask &&ask)
    {
        std::optional<Answer> answer;
        QObject context;
        ask(context, [&answer](const Answer &come) { answer = come; });
        if (!test::waitFor([&answer] { return answer.has_value(); }))
            qFatal("the keychain has not answered");
        return *answer;
    }
    [[nodiscard]] Result<void> keep(const SavedConnection &wanted, const Secrets &secrets = {},
                                    const char *replaced = "")
    {
        return answerOf<Result<void>>([&](QObject &context, auto done) {
            connections::saveServer(*saved, wanted, QString::fromUtf8(replaced), secrets, context, done);
        });
    }
    [[nodiscard]] Result<void> removeKept(const char *name)
    {
        return answerOf<Result<void>>([&](QObject &context, auto done) {
            connections::removeServer(*saved, QString::fromUtf8(name), context, done);
        });
    }
    [[nodiscard]] static Result<Secrets> read(const char *name)
    {
        return answerOf<Result<Secrets>>(
            [&](QObject &context, auto done) { connections::readKeychain(QString::fromUtf8(name), context, done); });
    }
    [[nodiscard]] static QString noneOf(const char *name)
    {
        return QStringLiteral("reading the password of \"%1\" from the keychain: the keychain has none; enter it anew "
                              "where the server is kept, or give the password by hand")
            .arg(QString::fromUtf8(name));
    }

    /// Runs latchkey-cli in the environment of this keychain, with these variables added.
    [[nodiscard]] Outcome run(const QStringList &arguments, const QList<process::Launch::Variable> &others = {}) const
    {
        QProcess process;
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("LATCHKEY_SERVERS"), file());
        for (const process::Launch::Variable &variable : others) {
            if (variable.value)
                environment.insert(QString::fromUtf8(variable.name), QString::fromUtf8(*variable.value));
            else
                environment.remove(QString::fromUtf8(variable.name));
        }
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(LATCHKEY_CLI), arguments);
        process.closeWriteChannel();
        return test::outcomeOf(process);
    }
    [[nodiscard]] Outcome list(const QList<process::Launch::Variable> &others = {}) const
    {
        return run({QStringLiteral("--server"), QStringLiteral("mine"), QStringLiteral("ls")}, others);
    }
    void lockServer(const char *password)
    {
        QVERIFY((*server)({"SET", "k", "v"}).isOk());
        QVERIFY((*server)({"CONFIG", "SET", "requirepass", password}).isOk());
    }

public:
    static void initMain() { test::rerunInKeychainSetup(); }

private Q_SLOTS:
    void initTestCase()
    {
        if (!connections::isKeychainBuiltIn())
            QSKIP("built without QtKeychain");
        if (!KeychainSetup::obstacleHere().isEmpty())
            QSKIP(qPrintable(KeychainSetup::obstacleHere()));
    }
    void init()
    {
        folder = std::make_unique<QTemporaryDir>();
        saved = std::make_unique<SavedConnections>(file());
        server = std::make_unique<TestServer>();
    }
    void cleanup()
    {
        server.reset();
        saved.reset();
        folder.reset();
    }

    void anotherProcess_readsWhatIsKept()
    {
        lockServer("s3cret");
        LATCHKEY_VERIFY_RESULT(keep(kept("mine"), password("s3cret")));
        const Outcome listed = list();
        QVERIFY2(listed.exitCode == 0, listed.errors.constData());
        QVERIFY(listed.output.contains("k"));
        // A given password takes precedence, right or wrong.
        const Outcome wrong = list({{"LATCHKEY_PASSWORD", "wrong"}});
        QCOMPARE(wrong.exitCode, 3);
        QVERIFY2(wrong.errors.contains("password"), wrong.errors.constData());
        // A program started by it connects there too.
        const Outcome inside =
            run({QStringLiteral("run"), QStringLiteral("--server"), QStringLiteral("mine"), QStringLiteral("token"),
                 QStringLiteral("lock:k"), QStringLiteral("--"), QStringLiteral(LATCHKEY_CLI), QStringLiteral("ls")});
        QVERIFY2(inside.exitCode == 0 && inside.output.contains("lock:k"), inside.errors.constData());
    }

    void proxysPassword_isKeptBesideTheOther()
    {
        SavedConnection behind = kept("behind");
        behind.endpoint = net::Endpoint::fromUrl(QStringLiteral("redis://db?proxy=socks5://me@127.0.0.1:1")).value();
        LATCHKEY_VERIFY_RESULT(keep(behind, {QStringLiteral("s3cret"), QStringLiteral("pr0xy")}));
        QVERIFY(read("behind") == Secrets({QStringLiteral("s3cret"), QStringLiteral("pr0xy")}));
        // A new password does not remove the other one.
        LATCHKEY_VERIFY_RESULT(keep(behind, password("n3w"), "behind"));
        QVERIFY(read("behind") == Secrets({QStringLiteral("n3w"), QStringLiteral("pr0xy")}));
    }

    /// Not in a file, not in the log, and not in the public data of a process.
    void secret_isNowhereElse()
    {
        lockServer("s3cret-of-mine");
        SavedConnection mine = kept("mine");
        mine.endpoint.password = QStringLiteral("s3cret-of-mine");
        LATCHKEY_VERIFY_RESULT(keep(mine, Secrets::of(mine.endpoint)));
        QVERIFY(contentsOf(file()).contains("keychain=true"));
        QVERIFY(!contentsOf(file()).contains("s3cret"));
        const QString exported = folder->filePath(QStringLiteral("out.ini"));
        LATCHKEY_VERIFY_RESULT(saved->exportTo(exported));
        QVERIFY(contentsOf(exported).contains("[mine]"));
        QVERIFY(!contentsOf(exported).contains("s3cret") && !contentsOf(exported).contains("keychain"));
        const Outcome seen =
            run({QStringLiteral("run"), QStringLiteral("--server"), QStringLiteral("mine"), QStringLiteral("token"),
                 QStringLiteral("lock:k"), QStringLiteral("--"), QStringLiteral("sh"), QStringLiteral("-c"),
                 QStringLiteral("for p in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < $p; echo; done")},
                {{"QT_LOGGING_RULES", "*=true"}});
        QCOMPARE(seen.exitCode, 0);
        QVERIFY(seen.output.contains("--server mine"));
        QVERIFY(!seen.output.contains("s3cret-of-mine") && !seen.errors.contains("s3cret-of-mine"));
    }

    void removedServer_isForgottenByTheKeychain()
    {
        LATCHKEY_VERIFY_RESULT(keep(kept("mine"), password("s3cret")));
        LATCHKEY_VERIFY_RESULT(removeKept("mine"));
        QVERIFY(saved->servers().empty());
        const auto found = read("mine");
        QVERIFY(!found);
        QCOMPARE(found.error().message(), noneOf("mine"));
        LATCHKEY_VERIFY_RESULT(removeKept("never there"));
    }

    void renamedServer_takesItsPasswordAlong()
    {
        LATCHKEY_VERIFY_RESULT(keep(kept("mine"), password("s3cret")));
        LATCHKEY_VERIFY_RESULT(keep(kept("yours"), {}, "mine"));
        QVERIFY(read("yours") == password("s3cret"));
        QVERIFY(!read("mine"));
        QVERIFY(saved->find(QStringLiteral("yours"))->hasSecrets);
        // Other capitals make another entry.
        LATCHKEY_VERIFY_RESULT(keep(kept("Yours"), {}, "yours"));
        QVERIFY(read("Yours") == password("s3cret"));
        QVERIFY(!read("yours"));
    }

    void passwordThatIsNotWantedAnyMore_isForgotten()
    {
        LATCHKEY_VERIFY_RESULT(keep(kept("mine"), password("s3cret")));
        LATCHKEY_VERIFY_RESULT(keep(kept("mine", false), password("s3cret"), "mine"));
        QVERIFY(!read("mine"));
        QVERIFY(!saved->find(QStringLiteral("mine"))->hasSecrets);
        // A server without a password is not marked as having one.
        LATCHKEY_VERIFY_RESULT(keep(kept("mine"), {}, "mine"));
        QVERIFY(!saved->find(QStringLiteral("mine"))->hasSecrets);
    }

    void nameOfAnother_leavesItsPasswordAlone()
    {
        LATCHKEY_VERIFY_RESULT(keep(kept("one"), password("first")));
        LATCHKEY_VERIFY_RESULT(keep(kept("two"), password("second")));
        QVERIFY(!keep(kept("one"), {}, "two"));
        QVERIFY(!keep(kept("ONE"), password("third"), "two"));
        QVERIFY(!keep(kept("one"), password("fourth")));
        QVERIFY(read("one") == password("first"));
        QVERIFY(read("two") == password("second"));
        // Also if another window has used the name.
        SavedConnections other(file());
        QVERIFY(other.put(kept("three", false)));
        QVERIFY(!keep(kept("three"), password("fifth")));
        QVERIFY(!read("three"));
    }

    void unwritableConnectionsFile_leavesNoPassword()
    {
        QVERIFY(QFile::copy(QStringLiteral("/dev/null"), folder->filePath(QStringLiteral("file"))));
        saved = std::make_unique<SavedConnections>(folder->filePath(QStringLiteral("file/servers.ini")));
        QVERIFY(!keep(kept("lost"), password("s3cret")));
        QVERIFY(!read("lost"));
    }

    /// A file of another user says nothing about this desktop's keychain.
    void importedServer_hasNoPassword()
    {
        LATCHKEY_VERIFY_RESULT(keep(kept("mine"), password("s3cret")));
        const QString other = folder->filePath(QStringLiteral("other.ini"));
        QVERIFY(QFile::copy(file(), other));
        QFile theirs(other);
        QVERIFY(theirs.open(QIODevice::Append));
        theirs.write("\n[theirs]\nurl=redis://theirs\nkeychain=true\n");
        theirs.close();
        QCOMPARE(saved->importFrom(other).value(), 2);
        QVERIFY(saved->find(QStringLiteral("mine"))->hasSecrets); // The same server: it still has its password.
        QVERIFY(!saved->find(QStringLiteral("theirs"))->hasSecrets);
    }

    void lostEntry_isReportedByTheCommandLine()
    {
        QVERIFY(saved->put(kept("lost")));
        const Outcome lost = run({QStringLiteral("--server"), QStringLiteral("lost"), QStringLiteral("ls")});
        QCOMPARE(lost.exitCode, 3);
        QCOMPARE(lost.errors, "latchkey-cli: " + noneOf("lost").toUtf8() + '\n');
    }

    void absentKeychain_isReportedByTheCommandLine_data()
    {
        QTest::addColumn<bool>("hasBus");
        QTest::addRow("no bus") << false;
        QTest::addRow("a bus without a keychain") << true;
    }
    void absentKeychain_isReportedByTheCommandLine()
    {
        QFETCH(bool, hasBus);
        lockServer("s3cret");
        QVERIFY(saved->put(kept("mine")));
        const KeychainSetup setup(KeychainSetup::Kind::NoService);
        auto environment = setup.environment();
        if (!hasBus)
            environment += process::Launch::Variable {"DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent"};
        const Outcome absent = list(environment);
        QCOMPARE(absent.exitCode, 3);
        QVERIFY2(absent.errors.startsWith("latchkey-cli: reading the password of \"mine\" from the keychain: no "
                                          "keychain answers (")
                     && absent.errors.endsWith("); start the desktop's and try again, or give the password by hand\n"),
                 absent.errors.constData());
        QCOMPARE(absent.errors.count('\n'), 1);
        // With a given password it works without a keychain.
        environment += process::Launch::Variable {"LATCHKEY_PASSWORD", "s3cret"};
        QCOMPARE(list(environment).exitCode, 0);
    }

    void keychainThatWasNeverUnlocked_hasNothing()
    {
        QVERIFY(saved->put(kept("mine")));
        const KeychainSetup setup(KeychainSetup::Kind::NeverUnlocked);
        const Outcome nothing = list(setup.environment());
        QCOMPARE(nothing.exitCode, 3);
        QVERIFY2(nothing.errors.contains("the keychain"), nothing.errors.constData());
    }

    /// A program with the password does not need the desktop any more: the lock is held until the work is done.
    void endOfTheDesktop_endsNoWork()
    {
        lockServer("s3cret");
        LATCHKEY_VERIFY_RESULT(keep(kept("mine"), password("s3cret")));
        const BusRelay relay(folder->filePath(QStringLiteral("bus")));
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("LATCHKEY_SERVERS"), file());
        environment.insert(QStringLiteral("DBUS_SESSION_BUS_ADDRESS"),
                           QStringLiteral("unix:path=") + folder->filePath(QStringLiteral("bus")));
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(LATCHKEY_CLI),
                      {QStringLiteral("run"), QStringLiteral("--server"), QStringLiteral("mine"),
                       QStringLiteral("renewing"), QStringLiteral("lock:k"), QStringLiteral("--lease"),
                       QStringLiteral("1s"), QStringLiteral("--"), QStringLiteral("sh"), QStringLiteral("-c"),
                       QStringLiteral("echo begun; read word; echo done")});
        QByteArray output;
        LATCHKEY_AWAIT((output += process.readAllStandardOutput()).contains("begun"));
        QVERIFY(relay.connections() > 0);
        relay.cut();
        // The event loop renews it, and also gets the news of the bus.
        int renewals = 0;
        qint64 left = 0;
        LATCHKEY_AWAIT([&] {
            const qint64 before = std::exchange(left, (*server)({"PTTL", "lock:k"}).toInteger());
            renewals += left > before ? 1 : 0;
            return renewals > 3 || process.state() == QProcess::NotRunning;
        }());
        QCOMPARE(process.state(), QProcess::Running);
        process.write("go\n");
        LATCHKEY_AWAIT(process.state() == QProcess::NotRunning);
        QVERIFY2(process.exitCode() == 0, process.readAllStandardError().constData());
        output += process.readAllStandardOutput();
        QVERIFY2(output.contains("done"), output.constData());
    }

    // From here on the keychain is locked.

    void lockedKeychain_isReportedAndLosesNothing()
    {
        lockServer("s3cret");
        LATCHKEY_VERIFY_RESULT(keep(kept("mine"), password("s3cret")));
        QVERIFY(KeychainSetup::lockHere());
        const QString locked = QStringLiteral("the keychain is locked; unlock it and try again");
        const auto found = read("mine");
        QVERIFY(!found);
        QCOMPARE(found.error().message(), QStringLiteral("reading the password of \"mine\" from the keychain: ")
                                              + locked + QStringLiteral(", or give the password by hand"));
        const Outcome listed = list();
        QCOMPARE(listed.exitCode, 3);
        QCOMPARE(listed.errors, "latchkey-cli: " + found.error().message().toUtf8() + '\n');
        QCOMPARE(list({{"LATCHKEY_PASSWORD", "s3cret"}}).exitCode, 0);

        const QByteArray before = contentsOf(file());
        const auto another = keep(kept("another"), password("n3w"));
        QVERIFY(!another);
        QCOMPARE(another.error().message(), QStringLiteral("keeping the password of \"another\" in the keychain: ")
                                                + locked + QStringLiteral(", or keep the server without its password"));
        QVERIFY(!keep(kept("yours"), {}, "mine"));
        QCOMPARE(contentsOf(file()), before);
        // Without a password the keychain is not used.
        LATCHKEY_VERIFY_RESULT(keep(kept("another", false), password("n3w")));
        LATCHKEY_VERIFY_RESULT(removeKept("another"));

        const auto removed = removeKept("mine");
        QVERIFY(!removed);
        QCOMPARE(removed.error().message(),
                 QStringLiteral("removing the password of \"mine\" from the keychain: ") + locked);
        QVERIFY(saved->servers().empty());
    }
};

LATCHKEY_TEST(TestKeychain)

} // namespace tst_keychain

#include "tst_keychain.moc"
