#include "tests/support/await.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/freeport.h"
#include "tests/support/otherclient.h"
#include "tests/support/runningcommand.h"
#include "tests/support/sentinelsetup.h"
#include "tests/support/testprogram.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace tst_sentinelcommands {

using namespace latchkey;
using test::Outcome;
using test::SentinelSetup;

/// Tests of latchkey-cli with a URL of sentinels, across failovers of real servers.
class TestSentinelCommands final : public test::CommandLineTest
{
    Q_OBJECT

    std::unique_ptr<SentinelSetup> fixture;
    std::unique_ptr<test::RunningCommand> process;

    void start(const QStringList &arguments)
    {
        process = std::make_unique<test::RunningCommand>(environment);
        process->start(arguments);
    }
    QStringList keysOf(const QString &event) const { return process->keysOf(event); }
    /// Takes locks at the primary, for a minute.
    void takeLocks(int first, int count)
    {
        for (int i = first; i < first + count; ++i)
            QVERIFY(fixture->ask(0, {"SET", "lock:" + QByteArray::number(i), token(i), "PX", "60000"}).isOk());
    }
    /// Cuts the replicas off from the primary. What it writes from now on will be lost.
    void cutReplicas()
    {
        fixture->suspend(1);
        fixture->suspend(2);
        QVERIFY(fixture->ask(0, {"CLIENT", "KILL", "TYPE", "replica"}).isInteger());
    }
    void killPrimary()
    {
        fixture->kill(0);
        fixture->resume(1);
        fixture->resume(2);
    }
    /// Waits for the first renewal of the lock of `run`, which has a lease of 6 s.
    void awaitRenewal() const
    {
        LATCHKEY_AWAIT(fixture->ask(0, {"PTTL", "lock:r"}).toInteger() < 5000);
        LATCHKEY_AWAIT(fixture->ask(0, {"PTTL", "lock:r"}).toInteger() > 5500);
    }

private Q_SLOTS:
    void init()
    {
        CommandLineTest::init();
        fixture = std::make_unique<SentinelSetup>();
        environment.insert(QStringLiteral("LATCHKEY_URL"), fixture->url());
    }
    void cleanup()
    {
        process.reset();
        fixture.reset();
        CommandLineTest::cleanup();
    }

    void everyCommand_asksTheSentinels()
    {
        const Outcome acquired = run("acquire token lock:a --lease 1m");
        QVERIFY2(acquired.exitCode == 0, acquired.errors.constData());
        QCOMPARE(fixture->ask(0, {"GET", "lock:a"}).bytes(), acquired.output.trimmed());
        const Outcome listed = run("ls --json");
        QVERIFY2(listed.exitCode == 0, listed.errors.constData());
        QVERIFY2(listed.output.contains("lock:a"), listed.output.constData());
        QCOMPARE(run("why lock:a").exitCode, 0);
        const Outcome expected = run({QStringLiteral("expect"), QStringLiteral("lock:a never without expiry"),
                                      QStringLiteral("--for"), QStringLiteral("1s")});
        QVERIFY2(expected.exitCode == 0, expected.errors.constData());
        const Outcome pinged = run("status --json");
        QCOMPARE(pinged.object()[QStringLiteral("server")].toString(), fixture->endpoint().display());
        QCOMPARE(pinged.object()[QStringLiteral("primary")].toString(), fixture->address(0));
        QCOMPARE(pinged.object()[QStringLiteral("min_replicas_to_write")].toInt(-1), 0);
        QStringList replicas;
        for (const QJsonValue &replica : pinged.object()[QStringLiteral("replicas")].toArray())
            replicas += replica[QStringLiteral("address")].toString();
        replicas.sort();
        QStringList others {fixture->address(1), fixture->address(2)};
        others.sort();
        QCOMPARE(replicas, others);
        QVERIFY(run("status").output.contains("replica " + fixture->address(1).toLatin1() + "  online, "));
        const Outcome ran = run("run token lock:b -- sh -c true");
        QVERIFY2(ran.exitCode == 0, ran.errors.constData());
        QVERIFY(fixture->ask(0, {"EXISTS", "lock:b"}).isInteger(0));
        environment.insert(QStringLiteral("LATCHKEY_TOKEN"), QString::fromLatin1(acquired.output.trimmed()));
        QCOMPARE(run("release token lock:a").exitCode, 0);

        environment.insert(QStringLiteral("LATCHKEY_URL"),
                           fixture->url().replace(QStringLiteral("/orders"), QStringLiteral("/unknown")));
        const Outcome unknown = run("ls");
        QCOMPARE(unknown.exitCode, 3);
        QVERIFY2(unknown.errors.contains("does not know a primary named \"unknown\"; it knows \"orders\""),
                 unknown.errors.constData());
    }

    void disagreeingSentinels_areNamed()
    {
        const Outcome agreed = run("status --full");
        QCOMPARE(agreed.exitCode, 0);
        const QByteArray first = "redis://127.0.0.1:" + QByteArray::number(fixture->sentinelPort(0)) + " names "
                               + fixture->address(0).toUtf8();
        QVERIFY2(agreed.output.contains("sentinel   " + first + '\n'), agreed.output.constData());

        const quint16 port = test::freePort();
        const test::TestServer other(test::listeningAt(port));
        QVERIFY(fixture->askSentinel(1, {"SENTINEL", "REMOVE", "orders"}).isOk());
        QVERIFY(fixture->askSentinel(1, {"SENTINEL", "MONITOR", "orders", "127.0.0.1", QByteArray::number(port), "2"})
                    .isOk());
        const Outcome divided = run("status --full");
        QCOMPARE(divided.exitCode, 1);
        QVERIFY2(divided.output.contains("sentinel   " + first + '\n'), divided.output.constData());
        QVERIFY2(divided.output.contains(" names 127.0.0.1:" + QByteArray::number(port)
                                         + ", not used: the sentinels disagree: the primary in use is "
                                         + fixture->address(0).toUtf8()),
                 divided.output.constData());
        const Outcome watched = run("watch --for 3s");
        QCOMPARE(watched.errors.count("the sentinels disagree about the primary \"orders\" ("), 1);
        QVERIFY2(watched.errors.contains(fixture->address(0).toUtf8() + " is used"), watched.errors.constData());
    }

    /// Every lock that the new primary lacks is named, and no other. The servers' own answers decide.
    void watch_namesTheLostLocks()
    {
        constexpr int all = 40;
        takeLocks(0, all / 2);
        fixture->awaitReplicas();
        start({QStringLiteral("watch"), QStringLiteral("lock:*"), QStringLiteral("--json")});
        LATCHKEY_AWAIT(keysOf(QStringLiteral("seen")).size() == all / 2);
        cutReplicas();
        takeLocks(all / 2, all / 2);
        LATCHKEY_AWAIT(keysOf(QStringLiteral("seen")).size() + keysOf(QStringLiteral("acquired")).size() == all);
        killPrimary();
        LATCHKEY_AWAIT(process->output().contains("failed-over"));
        LATCHKEY_AWAIT(fixture->namedPrimary() > 0);
        const int primary = fixture->namedPrimary();
        QStringList absent;
        for (int i = 0; i < all; ++i) {
            const QByteArray key = "lock:" + QByteArray::number(i);
            if (fixture->ask(primary, {"EXISTS", key}).isInteger(0))
                absent += QString::fromLatin1(key);
        }
        absent.sort();
        QCOMPARE(absent.size(), all / 2);
        LATCHKEY_AWAIT(keysOf(QStringLiteral("lost")).size() >= absent.size());
        // The lock that is taken next is reported last.
        QVERIFY(fixture->ask(primary, {"SET", "lock:last", token(99), "PX", "60000"}).isOk());
        LATCHKEY_AWAIT(keysOf(QStringLiteral("acquired")).contains(QStringLiteral("lock:last")));
        QCOMPARE(keysOf(QStringLiteral("lost")), absent);
        QVERIFY(keysOf(QStringLiteral("ended")).isEmpty());
        QVERIFY(process->output().contains("\"from\":\"" + fixture->address(0).toLatin1() + '"'));
        const QList<QJsonObject> lines = process->lines();
        const QJsonObject lost = *std::ranges::find_if(
            lines, [](const QJsonObject &line) { return line[QStringLiteral("event")] == QLatin1String("lost"); });
        QVERIFY(lost[QStringLiteral("holder")].toString().startsWith(u'a'));
        process->stop();
    }

    /// The primary dies while locks are taken, before the watch can read them all.
    void watch_namesTheLocksThatWereTakenLast()
    {
        constexpr int count = 1000;
        fixture->awaitReplicas();
        QVERIFY(fixture->ask(0, {"SET", "lock:first", token(0), "PX", "60000"}).isOk());
        fixture->awaitReplicas();
        start({QStringLiteral("watch"), QStringLiteral("lock:*"), QStringLiteral("--json")});
        LATCHKEY_AWAIT(!keysOf(QStringLiteral("seen")).isEmpty());
        cutReplicas();
        QStringList taken;
        {
            const test::OtherClient client(test::localEndpoint(fixture->port(0)));
            for (int i = 0; i < count; ++i) {
                const QByteArray key = "lock:" + QByteArray::number(i);
                QVERIFY(client({"SET", key, token(i), "PX", "60000"}).isOk());
                taken += QString::fromLatin1(key);
            }
            (void)client({"PING"}); // The announcement of the last lock has been sent before the answer.
        }
        killPrimary();
        taken.sort();
        const auto named = [this] {
            QStringList keys = keysOf(QStringLiteral("lost")) + keysOf(QStringLiteral("ended"));
            keys.sort();
            return keys;
        };
        LATCHKEY_AWAIT(process->output().contains("failed-over"));
        const bool areAllNamed = test::waitFor([&] { return named().size() >= count; });
        const QStringList isNamed = named();
        QStringList missing;
        std::ranges::set_difference(taken, isNamed, std::back_inserter(missing));
        QVERIFY2(areAllNamed, qPrintable(QStringLiteral("not named: ") + missing.join(u' ')));
        QCOMPARE(isNamed, taken);
        QVERIFY(keysOf(QStringLiteral("released")).isEmpty());
        process->stop();
    }

    void recording_repeatsTheFailover()
    {
        takeLocks(0, 2);
        fixture->awaitReplicas();
        QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("f.latchkey-recording"));
        start({QStringLiteral("watch"), QStringLiteral("--json"), QStringLiteral("--record"), file});
        LATCHKEY_AWAIT(keysOf(QStringLiteral("seen")).size() == 2);
        cutReplicas();
        takeLocks(2, 1);
        LATCHKEY_AWAIT(process->output().contains("lock:2"));
        killPrimary();
        LATCHKEY_AWAIT(keysOf(QStringLiteral("lost")) == QStringList {QStringLiteral("lock:2")});
        process->stop();
        const Outcome replayed = run({QStringLiteral("replay"), file, QStringLiteral("--json")});
        QCOMPARE(replayed.output.count("\"lost\""), 1);
        QVERIFY2(replayed.output.contains("failed-over"), replayed.output.constData());
    }

    /// The connections of the renewal exist from half the time before the first renewal on. A failover before that is
    /// noticed by comparison with the primary at which the lock was acquired.
    void run_keepsItsLockAcrossAFailover_data()
    {
        QTest::addColumn<QString>("lease");
        QTest::addColumn<bool>("isRenewedBefore");
        QTest::newRow("before the connections of the renewal exist") << QStringLiteral("30s") << false;
        QTest::newRow("after a renewal") << QStringLiteral("6s") << true;
    }
    void run_keepsItsLockAcrossAFailover()
    {
        QFETCH(const QString, lease);
        QFETCH(const bool, isRenewedBefore);
        QTemporaryDir folder;
        const QString go = folder.filePath(QStringLiteral("go"));
        QVERIFY(::system(qPrintable(QStringLiteral("mkfifo ") + go)) == 0);
        start({QStringLiteral("run"), QStringLiteral("token"), QStringLiteral("lock:r"), QStringLiteral("--lease"),
               lease, QStringLiteral("--"), QStringLiteral("sh"), QStringLiteral("-c"),
               QStringLiteral("echo in; cat '%1'").arg(go)});
        LATCHKEY_AWAIT(process->output().contains("in"));
        if (isRenewedBefore)
            awaitRenewal();
        fixture->awaitReplicas();
        const QByteArray held = fixture->ask(0, {"GET", "lock:r"}).bytes();
        fixture->failOver();
        LATCHKEY_AWAIT(fixture->namedPrimary() > 0);
        const int primary = fixture->namedPrimary();
        LATCHKEY_AWAIT(process->errors().contains("the lock was kept"));
        QVERIFY2(process->errors().contains(fixture->address(primary).toLatin1() + " is the primary now"),
                 process->errors().constData());
        QCOMPARE(fixture->ask(primary, {"GET", "lock:r"}).bytes(), held);
        QFile pipe(go);
        QVERIFY(pipe.open(QIODevice::WriteOnly));
        pipe.close();
        LATCHKEY_AWAIT(process->hasEnded());
        QVERIFY2(process->exitCode() == 0, process->errors().constData());
        QVERIFY(fixture->ask(primary, {"EXISTS", "lock:r"}).isInteger(0)); // Released at the new primary.
    }

    void run_endsItsProgramWhenTheLockIsLost()
    {
        fixture->awaitReplicas();
        cutReplicas();
        start({QStringLiteral("run"), QStringLiteral("token"), QStringLiteral("lock:r"), QStringLiteral("--lease"),
               QStringLiteral("6s"), QStringLiteral("--"), QStringLiteral("sh"), QStringLiteral("-c"),
               QStringLiteral("echo in; exec sleep 100")});
        LATCHKEY_AWAIT(process->output().contains("in"));
        awaitRenewal();
        killPrimary();
        LATCHKEY_AWAIT(process->hasEnded());
        QVERIFY2(process->errors().contains("the lock was lost: it no longer exists; a failover took place"),
                 process->errors().constData());
    }
};

LATCHKEY_TEST(TestSentinelCommands)

} // namespace tst_sentinelcommands

#include "tst_sentinelcommands.moc"
