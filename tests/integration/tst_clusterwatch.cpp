#include "tests/support/await.h"
#include "tests/support/clustersetup.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/metricspage.h"
#include "tests/support/runningcommand.h"
#include "tests/support/testprogram.h"

#include <QDateTime>
#include <QTemporaryDir>
#include <QTest>

namespace tst_clusterwatch {

using namespace latchkey;
using test::ClusterSetup;
using test::Outcome;

/// Tests of `latchkey-cli watch` on a real cluster.
class TestClusterWatch final : public test::CommandLineTest
{
    Q_OBJECT

    std::unique_ptr<ClusterSetup> fixture;
    std::unique_ptr<test::RunningCommand> process;

    enum class Mechanism : quint8 { Notifications, Tracking, Polling };
    bool hasEvents = true; ///< Whether the servers report changes.

    void makeFixture(Mechanism mechanism = Mechanism::Notifications,
                     ClusterSetup::Replicas replicas = ClusterSetup::Replicas::None, const QStringList &settings = {})
    {
        fixture = std::make_unique<ClusterSetup>(replicas, settings);
        hasEvents = mechanism != Mechanism::Polling;
        environment.insert(QStringLiteral("LATCHKEY_URL"), fixture->url(0));
        const int nodes = ClusterSetup::primaryCount * (replicas == ClusterSetup::Replicas::None ? 1 : 2);
        for (int node = 0; node < nodes; ++node) {
            if (mechanism == Mechanism::Notifications)
                QVERIFY(fixture->ask(node, {"CONFIG", "SET", "notify-keyspace-events", "KEA"}).isOk());
            else if (mechanism == Mechanism::Polling)
                QVERIFY(fixture->ask(node, {"ACL", "SETUSER", "default", "-client|tracking"}).isOk());
        }
    }
    /// Starts `watch`, and waits until it watches all primaries: a lock of each is seen, and their changes are
    /// reported.
    void start(const QStringList &arguments = {})
    {
        for (int node = 0; node < ClusterSetup::primaryCount; ++node)
            take(node, ClusterSetup::keyOf(node, "lock:early-"), node);
        process = std::make_unique<test::RunningCommand>(environment);
        process->start(QStringList {QStringLiteral("watch"), QStringLiteral("--json")} + arguments);
        await(QStringLiteral("seen"), ClusterSetup::primaryCount);
        // Redirected tracking, which reports flushes, is the last request before all changes count as reported. A lock
        // that is acquired before may have had another holder first, and is printed as `acquired` and then `changed`.
        const auto isTracked = [this](int node) {
            return !fixture->ask(node, {"INFO", "clients"}).bytes().contains("tracking_clients:0");
        };
        for (int node = 0; hasEvents && node < ClusterSetup::primaryCount; ++node)
            LATCHKEY_AWAIT(isTracked(node));
    }
    void take(int node, const QByteArray &key, int number)
    {
        QVERIFY(fixture->ask(node, {"SET", key, token(number), "NX", "PX", "60000"}).isOk());
    }
    /// Acquires a lock at each primary and waits for all events, so that all earlier events have been reported too.
    void awaitAll(const QByteArray &prefix)
    {
        for (int node = 0; node < ClusterSetup::primaryCount; ++node)
            take(node, ClusterSetup::keyOf(node, prefix), node);
        const auto areAllTold = [&] {
            return std::ranges::all_of(std::array {0, 1, 2}, [&](int node) {
                return process->eventsOf(ClusterSetup::keyOf(node, prefix)) == QStringList {QStringLiteral("acquired")};
            });
        };
        QVERIFY2(test::waitFor(areAllTold), process->output().constData());
    }
    /// Waits until this number of events of this kind is printed.
    void await(const QString &event, qsizetype count)
    {
        QVERIFY2(test::waitFor([&] { return process->keysOf(event).size() == count; }),
                 (event.toUtf8() + '\n' + process->output() + process->errors()).constData());
    }
    /// Returns the sum of the samples of a metric.
    static int sumOf(const QByteArray &page, const QByteArray &metric)
    {
        double sum = 0;
        for (const QByteArray &line : page.split('\n')) {
            if (line.startsWith(metric + '{') || line.startsWith(metric + ' '))
                sum += line.mid(line.lastIndexOf(' ') + 1).toDouble();
        }
        return qRound(sum);
    }
    [[nodiscard]] QString told(const QByteArray &key) const { return process->eventsOf(key).join(u' '); }
    /// Returns the options for events, which alerts would hide, and for alerts.
    static QStringList alertOptions(const QStringList &alerts)
    {
        return QStringList {QStringLiteral("--event"), QStringLiteral("seen"), QStringLiteral("--event"),
                            QStringLiteral("acquired")}
             + alerts;
    }
    /// Returns the alerts of the key and their ends: `alert`, `over released`; `over` alone if the lock is still held.
    [[nodiscard]] QStringList alertsOf(const QByteArray &key) const
    {
        QStringList events;
        const QList<QJsonObject> lines = process->lines();
        for (const QJsonObject &line : lines) {
            const QString event = line[QStringLiteral("event")].toString();
            if ((event == u"alert" || event == u"over") && line[QStringLiteral("key")].toString().toUtf8() == key)
                events += (event + u' ' + line[QStringLiteral("end")].toString()).trimmed();
        }
        return events;
    }
    static void addMeans()
    {
        QTest::addColumn<int>("means");
        QTest::addRow("notifications") << int(Mechanism::Notifications);
        QTest::addRow("tracking") << int(Mechanism::Tracking);
        QTest::addRow("polling alone") << int(Mechanism::Polling);
    }

private Q_SLOTS:
    void cleanup()
    {
        if (process && QTest::currentTestFailed())
            qInfo("%s%s", process->output().constData(), process->errors().constData());
        process.reset();
        fixture.reset();
        CommandLineTest::cleanup();
    }

    void locksOfAllPrimaries_areWatched_data() { addMeans(); }
    void locksOfAllPrimaries_areWatched()
    {
        QFETCH(int, means);
        makeFixture(Mechanism(means));
        start();
        awaitAll("lock:a-");
        for (int node = 0; node < ClusterSetup::primaryCount; ++node)
            QVERIFY(fixture->ask(node, {"DEL", ClusterSetup::keyOf(node, "lock:a-")}).isInteger(1));
        await(QStringLiteral("released"), ClusterSetup::primaryCount);
        QCOMPARE(process->stop(), 0);
        if (means != int(Mechanism::Polling))
            QCOMPARE(process->errors(), QByteArray());
        QCOMPARE(process->lines().size(), 9);
    }

    void lockThatMoves_isNeitherReleasedNorAcquired_data() { addMeans(); }
    void lockThatMoves_isNeitherReleasedNorAcquired()
    {
        QFETCH(int, means);
        makeFixture(Mechanism(means));
        constexpr int count = 20;
        QByteArrayList keys;
        for (int i = 0; i < count; ++i)
            keys += "lock:{" + ClusterSetup::keyOf(1) + "}:" + QByteArray::number(i);
        start();
        for (int i = 0; i < count; ++i)
            take(1, keys[i], i);
        await(QStringLiteral("acquired"), count);
        int moves = 0;
        for (const auto &[from, to] : {std::pair {1, 2}, {2, 0}, {0, 1}, {1, 2}}) {
            fixture->moveSlot(keys, from, to);
            awaitAll("lock:" + QByteArray::number(++moves) + '-');
        }
        for (const QByteArray &key : keys)
            QCOMPARE(told(key), QStringLiteral("acquired"));
        for (const QByteArray &key : keys)
            QVERIFY(fixture->ask(2, {"DEL", key}).isInteger(1));
        // Without event names, several changes since the last read may have been an end and a new hold: "ended".
        const auto areAllEnded = [&] {
            return process->keysOf(QStringLiteral("released")).size() + process->keysOf(QStringLiteral("ended")).size()
                == count;
        };
        QVERIFY2(test::waitFor(areAllEnded), process->output().constData());
        for (const QByteArray &key : keys) {
            QVERIFY2(told(key) == QLatin1String("acquired released")
                         || (means == int(Mechanism::Tracking) && told(key) == QLatin1String("acquired ended")),
                     qPrintable(told(key)));
        }
        QCOMPARE(process->stop(), 0);
    }

    /// The key has moved, the slot has not yet: the old primary refers to the new one (ASK).
    void lockThatIsReleasedWhileItsSlotMoves_isReleased_data() { addMeans(); }
    void lockThatIsReleasedWhileItsSlotMoves_isReleased()
    {
        QFETCH(int, means);
        makeFixture(Mechanism(means));
        start();
        const QByteArray key = ClusterSetup::keyOf(1);
        const QByteArray unmoved = "lock:{" + key + "}:unmoved";
        take(1, key, 7);
        take(1, unmoved, 8);
        await(QStringLiteral("acquired"), 2);
        fixture->beginMove(key, 1, 2);
        fixture->migrate(key, 1, 2);
        QVERIFY(fixture->ask(1, {"DEL", unmoved}).isInteger(1));
        await(QStringLiteral("released"), 1);
        fixture->endMove(key, 2);
        QVERIFY(fixture->ask(2, {"SET", key, token(9), "PX", "60000"}).isOk()); // Another client takes it over.
        const auto isTakeOverTold = [&] {
            const QList<QJsonObject> lines = process->lines();
            return std::ranges::any_of(lines, [](const QJsonObject &line) {
                return line[QStringLiteral("holder")].toString().toLatin1() == token(9);
            });
        };
        QVERIFY2(test::waitFor(isTakeOverTold), process->output().constData());
        QVERIFY(fixture->ask(2, {"DEL", key}).isInteger(1));
        await(QStringLiteral("released"), 2);
        QCOMPARE(told(unmoved), QStringLiteral("acquired released"));
        QVERIFY2(told(key).startsWith(QLatin1String("acquired ")) && told(key).endsWith(QLatin1String(" released")),
                 qPrintable(told(key)));
        QCOMPARE(told(key).count(QLatin1String("released")), 1);
        QVERIFY(!told(key).contains(QLatin1String("extended")));
        QCOMPARE(process->stop(), 0);
    }

    /// The former primary notices late that the key has gone, and even after the slot has returned.
    void lockThatEndsAfterItsMigration_endsOnce_data() { addMeans(); }
    void lockThatEndsAfterItsMigration_endsOnce()
    {
        QFETCH(int, means);
        makeFixture(Mechanism(means));
        start();
        const QByteArray key = ClusterSetup::keyOf(1);
        take(1, key, 7);
        await(QStringLiteral("acquired"), 1);
        fixture->moveSlot({key}, 1, 2);
        awaitAll("lock:a-");
        QVERIFY(fixture->ask(2, {"DEL", key}).isInteger(1));
        LATCHKEY_AWAIT(told(key).endsWith(QLatin1String("released")) || told(key).endsWith(QLatin1String("ended")));
        fixture->beginMove(key, 2, 1);
        fixture->endMove(key, 1);
        awaitAll("lock:b-");
        QCOMPARE(process->stop(), 0);
        QCOMPARE(process->eventsOf(key).size(), 2);
    }

    /// The new primary does not answer for the keys of a slot that it imports.
    void lockThatIsExtendedWhileItMigrates_isExtended_data() { addMeans(); }
    void lockThatIsExtendedWhileItMigrates_isExtended()
    {
        QFETCH(int, means);
        makeFixture(Mechanism(means));
        start();
        const QByteArray key = ClusterSetup::keyOf(1);
        take(1, key, 7);
        await(QStringLiteral("acquired"), 1);
        fixture->beginMove(key, 1, 2);
        fixture->migrate(key, 1, 2);
        QVERIFY(fixture->askImporting(2, {"PEXPIRE", key, "600000"}).isInteger(1));
        fixture->endMove(key, 2);
        await(QStringLiteral("extended"), 1);
        awaitAll("lock:a-");
        QCOMPARE(told(key), QStringLiteral("acquired extended"));
        QCOMPARE(process->stop(), 0);
    }

    /// Whether the lock was released before its lease ended is not known, because nothing was read.
    void lockThatExpiresUnreadAfterItsMigration_isNotReleased()
    {
        makeFixture();
        start();
        const QByteArray key = ClusterSetup::keyOf(1);
        QVERIFY(fixture->ask(1, {"SET", key, token(7), "NX", "PX", "1000"}).isOk());
        await(QStringLiteral("acquired"), 1);
        fixture->beginMove(key, 1, 2);
        fixture->migrate(key, 1, 2);
        const auto isGone = [&] { return fixture->askImporting(2, {"EXISTS", key}).isInteger(0); };
        LATCHKEY_AWAIT(isGone());
        const qint64 gone = QDateTime::currentMSecsSinceEpoch();
        fixture->endMove(key, 2);
        await(QStringLiteral("ended"), 1);
        QCOMPARE(told(key), QStringLiteral("acquired ended"));
        const QJsonObject line = process->lines().last();
        QVERIFY(line[QStringLiteral("at_ms")].toInteger() - line[QStringLiteral("uncertain_ms")].toInteger() <= gone);
        QCOMPARE(process->stop(), 0);
    }

    /// The new primary announces a lock and its end, but no value can be read.
    void lockThatComesAndGoesInAnImportedSlot_isCounted()
    {
        makeFixture();
        start();
        const QByteArray key = ClusterSetup::keyOf(1);
        fixture->beginMove(key, 1, 2);
        QVERIFY(fixture->askImporting(2, {"SET", key, token(7), "NX", "PX", "60000"}).isOk());
        QVERIFY(fixture->askImporting(2, {"DEL", key}).isInteger(1));
        fixture->endMove(key, 2);
        awaitAll("lock:a-");
        QCOMPARE(told(key), QString());
        QCOMPARE(process->stop(), 3);
        QVERIFY2(process->errors().contains("\"unread\":1"), process->errors().constData());
    }

    /// While its slot is on its way, the primaries are asked for a lock. It does not end because the watch does.
    void filteredLock_hasNotEnded()
    {
        makeFixture(Mechanism::Polling);
        start();
        const QByteArray key = ClusterSetup::keyOf(1);
        take(1, key, 7);
        await(QStringLiteral("acquired"), 1);
        fixture->beginMove(key, 1, 2);
        fixture->migrate(key, 1, 2);
        const auto isLookedFor = [&] {
            return fixture->ask(2, {"INFO", "commandstats"}).bytes().count("cmdstat_asking") > 0;
        };
        LATCHKEY_AWAIT(isLookedFor());
        (void)process->stop();
        QCOMPARE(told(key), QStringLiteral("acquired"));
    }

    void primaryThatDoesNotAnswer_isNamed()
    {
        makeFixture(Mechanism::Notifications, ClusterSetup::Replicas::None,
                    {QStringLiteral("--cluster-require-full-coverage"), QStringLiteral("no")});
        start();
        fixture->suspend(2);
        const auto isReported = [&](const char *event) {
            const QList<QJsonObject> lines = process->lines();
            return std::ranges::any_of(lines, [&](const QJsonObject &line) {
                return line[QStringLiteral("event")].toString() == QLatin1String(event)
                    && line[QStringLiteral("node")].toString() == fixture->address(2);
            });
        };
        LATCHKEY_AWAIT(isReported("blind"));
        for (int node = 0; node < 2; ++node) {
            const QByteArray key = ClusterSetup::keyOf(node, "lock:meanwhile-");
            take(node, key, node);
            LATCHKEY_AWAIT(told(key) == QLatin1String("acquired"));
        }
        fixture->resume(2);
        LATCHKEY_AWAIT(isReported("sees"));
        QCOMPARE(told(ClusterSetup::keyOf(2, "lock:early-")), QStringLiteral("seen"));
        QCOMPARE(process->stop(), 3);
        QVERIFY2(process->errors().contains("\"complete\":false"), process->errors().constData());
    }

    void primaryThatIsDeadFromTheStart_isNamedAtOnce()
    {
        makeFixture(Mechanism::Notifications, ClusterSetup::Replicas::None,
                    {QStringLiteral("--cluster-require-full-coverage"), QStringLiteral("no")});
        fixture->kill(2);
        take(0, ClusterSetup::keyOf(0), 7);
        process = std::make_unique<test::RunningCommand>(environment);
        process->start({QStringLiteral("watch")});
        const auto isNamed = [&] {
            return process->output().contains("  blind ") && process->output().contains(fixture->address(2).toUtf8());
        };
        QVERIFY2(test::waitFor(isNamed), process->output().constData());
        LATCHKEY_AWAIT(process->output().contains(ClusterSetup::keyOf(0)));
        QCOMPARE(process->stop(), 3);
        QVERIFY2(process->errors().contains("not all nodes of the cluster have been seen"),
                 process->errors().constData());
        QVERIFY2(!process->errors().contains("nothing has been seen"), process->errors().constData());
    }

    /// The replica has not all that its primary had. Every lock that it lacks is named, and no other.
    void locksThatAFailoverLoses_areNamed()
    {
        makeFixture(Mechanism::Notifications, ClusterSetup::Replicas::OneEach);
        start();
        const int replica = ClusterSetup::primaryCount + 1;
        const QByteArray tag = "lock:{" + ClusterSetup::keyOf(1) + "}:";
        take(1, tag + "kept", 1);
        QVERIFY(fixture->ask(1, {"WAIT", "1", "10000"}).isInteger(1));
        fixture->suspend(replica);
        QVERIFY(fixture->ask(1, {"CLIENT", "KILL", "TYPE", "replica"}).isInteger());
        for (int i = 0; i < 5; ++i)
            take(1, tag + QByteArray::number(i), i);
        await(QStringLiteral("acquired"), 6);
        fixture->kill(1);
        fixture->resume(replica);
        const auto isFailedOver = [&] {
            const QList<QJsonObject> lines = process->lines();
            return std::ranges::any_of(lines, [&](const QJsonObject &line) {
                return line[QStringLiteral("event")] == QLatin1String("failed-over")
                    && line[QStringLiteral("from")].toString() == fixture->address(1)
                    && line[QStringLiteral("to")].toString() == fixture->address(replica);
            });
        };
        QVERIFY2(test::waitFor(isFailedOver), process->output().constData());
        await(QStringLiteral("lost"), 5);
        take(replica, tag + "next", 9);
        await(QStringLiteral("acquired"), 7);
        QVERIFY(fixture->ask(replica, {"DEL", tag + "kept"}).isInteger(1));
        await(QStringLiteral("released"), 1);
        QCOMPARE(told(tag + "kept"), QStringLiteral("acquired released"));
        for (int i = 0; i < 5; ++i)
            QCOMPARE(told(tag + QByteArray::number(i)), QStringLiteral("acquired lost"));
        QCOMPARE(process->keysOf(QStringLiteral("seen")).size(), ClusterSetup::primaryCount);
        QCOMPARE(process->stop(), 3); // Nothing was seen of these slots for a while.
    }

    /// Each lock counts once, also while it moves. A primary that does not answer is down with its name.
    void metrics_areOfAllPrimaries()
    {
        makeFixture();
        start({QStringLiteral("--metrics"), QStringLiteral("0")});
        const QByteArrayList keys {"lock:{" + ClusterSetup::keyOf(1) + "}:a",
                                   "lock:{" + ClusterSetup::keyOf(1) + "}:b"};
        for (int i = 0; i < 2; ++i)
            take(1, keys[i], i);
        await(QStringLiteral("acquired"), 2);
        fixture->moveSlot(keys, 1, 2);
        awaitAll("lock:a-");
        QVERIFY(fixture->ask(2, {"DEL", keys[0]}).isInteger(1));
        QVERIFY(fixture->ask(0, {"DEL", ClusterSetup::keyOf(0, "lock:a-")}).isInteger(1));
        await(QStringLiteral("released"), 2);
        const auto page = [&] { return test::httpResponse(test::metricsPort(process->errors())); };
        // Eight locks: three early ones, two that moved and three later ones. Two of them are released.
        QByteArray served;
        QVERIFY2(test::waitFor([&] { return sumOf(served = page(), "latchkey_locks_held") == 6; }), served.constData());
        QCOMPARE(sumOf(served, "latchkey_holds_started_total"), 5);
        QCOMPARE(sumOf(served, "latchkey_holds_ended_total"), 2);
        for (int node = 0; node < ClusterSetup::primaryCount; ++node)
            QVERIFY2(served.contains("latchkey_up{node=\"" + fixture->address(node).toLatin1() + "\"} 1\n"),
                     served.constData());
        QVERIFY2(served.contains("latchkey_coverage_complete 1\n"), served.constData());
        const auto goOn = qScopeGuard([&] { fixture->resume(0); });
        fixture->suspend(0);
        const QByteArray down = "latchkey_up{node=\"" + fixture->address(0).toLatin1() + "\"} 0\n";
        QVERIFY2(test::waitFor([&] { return (served = page()).contains(down); }), served.constData());
        QCOMPARE(served.count("latchkey_up{"), ClusterSetup::primaryCount);
        QVERIFY2(served.contains("latchkey_coverage_complete 0\n"), served.constData());
    }

    /// The alert of a lock continues while its slot moves, and ends once.
    void alerts_areOfAllPrimaries_data() { addMeans(); }
    void alerts_areOfAllPrimaries()
    {
        QFETCH(int, means);
        makeFixture(Mechanism(means));
        start(alertOptions({QStringLiteral("--alert"), QStringLiteral("no-expiry")}));
        const QByteArray moved = "lock:{" + ClusterSetup::keyOf(1) + "}:moved";
        const QByteArray other = ClusterSetup::keyOf(2, "lock:other-");
        QVERIFY(fixture->ask(1, {"SET", moved, token(1), "NX"}).isOk());
        QVERIFY(fixture->ask(2, {"SET", other, token(2), "NX"}).isOk());
        await(QStringLiteral("alert"), 2);
        fixture->moveSlot({moved}, 1, 0);
        awaitAll("lock:a-");
        // The new primary is watched for as long as an alert takes there.
        const QByteArray next = ClusterSetup::keyOf(0, "lock:next-");
        QVERIFY(fixture->ask(0, {"SET", next, token(3), "NX"}).isOk());
        LATCHKEY_AWAIT(alertsOf(next) == QStringList {QStringLiteral("alert")});
        QCOMPARE(alertsOf(moved), QStringList {QStringLiteral("alert")});
        QVERIFY(fixture->ask(0, {"DEL", moved}).isInteger(1));
        LATCHKEY_AWAIT(alertsOf(moved).size() == 2);
        QCOMPARE(alertsOf(moved).last().section(u' ', 0, 0), QStringLiteral("over"));
        QVERIFY(fixture->ask(2, {"PEXPIRE", other, "60000"}).isInteger(1));
        LATCHKEY_AWAIT(alertsOf(other).size() == 2);
        QCOMPARE(alertsOf(other).last(), QStringLiteral("over")); // The lock is still held.
        QCOMPARE(alertsOf(next), QStringList {QStringLiteral("alert")});
        QCOMPARE(process->stop(), 0);
    }
    void alertOfAPrimaryThatDoesNotAnswer_namesIt()
    {
        makeFixture(Mechanism::Notifications, ClusterSetup::Replicas::None,
                    {QStringLiteral("--cluster-require-full-coverage"), QStringLiteral("no")});
        start(alertOptions({QStringLiteral("--alert"), QStringLiteral("blind")}));
        fixture->suspend(2);
        const auto goOn = qScopeGuard([&] { fixture->resume(2); });
        await(QStringLiteral("alert"), 1);
        fixture->resume(2);
        await(QStringLiteral("over"), 1);
        const QList<QJsonObject> lines = process->lines();
        for (const QJsonObject &line : lines) {
            const QString event = line[QStringLiteral("event")].toString();
            if (event == u"alert" || event == u"over")
                QCOMPARE(line[QStringLiteral("node")].toString(), fixture->address(2));
        }
        QCOMPARE(process->stop(), 3);
    }
    void alertsOfAFailover_endWithTheirLocks()
    {
        makeFixture(Mechanism::Notifications, ClusterSetup::Replicas::OneEach);
        start(alertOptions({QStringLiteral("--alert"), QStringLiteral("no-expiry")}));
        const int replica = ClusterSetup::primaryCount + 1;
        const QByteArray tag = "lock:{" + ClusterSetup::keyOf(1) + "}:";
        QVERIFY(fixture->ask(1, {"SET", tag + "kept", token(1), "NX"}).isOk());
        QVERIFY(fixture->ask(1, {"WAIT", "1", "10000"}).isInteger(1));
        fixture->suspend(replica);
        QVERIFY(fixture->ask(1, {"CLIENT", "KILL", "TYPE", "replica"}).isInteger());
        QVERIFY(fixture->ask(1, {"SET", tag + "lost", token(2), "NX"}).isOk());
        await(QStringLiteral("alert"), 2);
        fixture->kill(1);
        fixture->resume(replica);
        LATCHKEY_AWAIT(alertsOf(tag + "lost").size() == 2);
        QCOMPARE(alertsOf(tag + "lost").last(), QStringLiteral("over lost"));
        const QByteArray next = tag + "next";
        QVERIFY(fixture->ask(replica, {"SET", next, token(3), "NX"}).isOk());
        LATCHKEY_AWAIT(alertsOf(next) == QStringList {QStringLiteral("alert")});
        QCOMPARE(alertsOf(tag + "kept"), QStringList {QStringLiteral("alert")});
        QVERIFY(fixture->ask(replica, {"DEL", tag + "kept"}).isInteger(1));
        LATCHKEY_AWAIT(alertsOf(tag + "kept").size() == 2);
        QCOMPARE(alertsOf(tag + "kept").last(), QStringLiteral("over released"));
        (void)process->stop();
    }

    /// A recording is that of one server.
    void recordings_areOfOneNode()
    {
        makeFixture();
        const QTemporaryDir folder;
        const Outcome recording = run({QStringLiteral("watch"), QStringLiteral("--record"),
                                       folder.filePath(QStringLiteral("a.latchkey-recording")), QStringLiteral("--for"),
                                       QStringLiteral("100ms")});
        QCOMPARE(recording.exitCode, 3);
        QVERIFY2(recording.errors.contains("one node is watched, because --record"), recording.errors.constData());
        for (int node = 0; node < ClusterSetup::primaryCount; ++node)
            QVERIFY(fixture->ask(node, {"ACL", "SETUSER", "default", "-cluster|slots"}).isOk());
        const Outcome refused = run({QStringLiteral("watch"), QStringLiteral("--for"), QStringLiteral("100ms")});
        QCOMPARE(refused.exitCode, 3);
        QVERIFY2(refused.errors.contains("does not name the others (CLUSTER SLOTS)"), refused.errors.constData());
    }
};

LATCHKEY_TEST(TestClusterWatch)

} // namespace tst_clusterwatch

#include "tst_clusterwatch.moc"
