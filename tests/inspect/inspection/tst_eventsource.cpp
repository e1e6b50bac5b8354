#include "core/inspect/inspection/inspectedserver.h"
#include "core/keyspace/rows/endedrows.h"
#include "core/keyspace/watching/serverevents.h"
#include "tests/support/await.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTest>

namespace tst_eventsource {

using namespace latchkey;
using namespace latchkey::inspection;
using base::SystemClock;
using watching::EventSource;
using watching::Watcher;
using Mechanism = EventSource::Mechanism;
using namespace std::chrono_literals;

/// Change events on a real server that is inspected as in the window.
class TestEventSource final : public QObject
{
    Q_OBJECT

    test::ScriptedRandom random {0.0};
    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<InspectedServer> inspected;
    std::unique_ptr<rows::RowList> list;

    void inspect(Mechanism mechanism)
    {
        inspected = std::make_unique<InspectedServer>(server->endpoint(), false, SystemClock::instance(), random);
        list = std::make_unique<rows::RowList>(inspected->store());
        inspected->start();
        LATCHKEY_AWAIT(inspected->watcher().phase() == Watcher::Phase::Watching);
        LATCHKEY_AWAIT(inspected->events().mechanism() == mechanism);
    }
    bool isKnown(const QByteArray &key) const { return inspected->store().known().table.find(key).has_value(); }
    const keys::RawValue *value(const QByteArray &key) const
    {
        const auto id = inspected->store().known().table.find(key);
        return id ? inspected->store().known().value(*id) : nullptr;
    }

    /// Creates keys that live for a few milliseconds, which polling cannot see.
    void seeShortLives()
    {
        QSet<QByteArray> seen;
        connect(list.get(), &rows::RowList::rowsInserted, this, [&] {
            for (int row = 0; row < list->rowCount(); ++row) {
                if (const QByteArray key = list->recordAt(row).key.bytes(); key.startsWith("short:"))
                    seen += key;
            }
        });
        constexpr int lives = 40;
        for (int i = 0; i < lives; ++i) {
            const QByteArray key = "short:" + QByteArray::number(i);
            QVERIFY((*server)({"SET", key, "v", "PX", "600000"}).isOk());
            LATCHKEY_AWAIT(seen.contains(key));
            QVERIFY((*server)({"DEL", key}).isInteger(1));
            LATCHKEY_AWAIT(!isKnown(key));
        }
        QCOMPARE(seen.size(), lives);
    }

private Q_SLOTS:
    void init() { server = std::make_unique<test::TestServer>(); }
    void cleanup()
    {
        list.reset();
        inspected.reset();
        server.reset();
    }

    void keyspaceNotifications_areUsedWhereTheyAreOn()
    {
        QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", "KEA"}).isOk());
        inspect(Mechanism::Notifications);
        seeShortLives();
    }

    void tracking_isUsedWhereTheyAreOff()
    {
        inspect(Mechanism::Tracking);
        seeShortLives();
        const auto config = (*server)({"CONFIG", "GET", "notify-keyspace-events"}).elements();
        QCOMPARE(config.back().bytes(), QByteArray(""));
    }

    void anotherOwnerUnderTheSameEnd_isSeen()
    {
        QVERIFY((*server)({"SET", "lock", "ann", "PXAT", "4102444800000"}).isOk());
        inspect(Mechanism::Tracking);
        inspected->setVisibleKeys(*this, {*inspected->store().known().table.find("lock")});
        LATCHKEY_AWAIT(value("lock") && value("lock")->bytes() == "ann");
        inspected->setVisibleKeys(*this, {}); // Out of sight: the key is not polled any more.
        QVERIFY((*server)({"SET", "lock", "bob", "KEEPTTL"}).isOk());
        LATCHKEY_AWAIT(value("lock")->bytes() == "bob");
    }

    void newKey_isKnownFromTheStart()
    {
        inspect(Mechanism::Tracking);
        QVERIFY((*server)({"SET", "lock", "ann", "PX", "60000"}).isOk());
        LATCHKEY_AWAIT(isKnown("lock"));
        QVERIFY(inspected->store().known().table.isStartSeen(*inspected->store().known().table.find("lock")));
        QVERIFY2(!inspected->watcher().newKeyDelay(), "no reader waits for a scan");
    }

    /// The server stops answering a confirmation request until the connection is given up.
    void confirmationThatWasLost_isAskedForAgain()
    {
        QVERIFY((*server)({"SET", "lock:a", "f442172cd0841b68177e827d1a6528b1", "PX", "600000"}).isOk());
        inspect(Mechanism::Tracking);
        LATCHKEY_AWAIT(inspected->holds().history().holds({"lock:a", 0}).size() == 1);
        server->process().suspend();
        Q_EMIT inspected->keyEventTracker().confirmationRequested();
        LATCHKEY_AWAIT(inspected->session().state() != net::Session::State::Ready);
        server->process().resume();
        LATCHKEY_AWAIT(inspected->watcher().phase() == Watcher::Phase::Watching);
        LATCHKEY_AWAIT(inspected->events().mechanism() == Mechanism::Tracking);
        QVERIFY((*server)({"DEL", "lock:a"}).isInteger(1));
        LATCHKEY_AWAIT(inspected->holds().history().holds({"lock:a", 0}).back().isOver());
    }

    void lostSubscription_isFollowedByAnotherRead()
    {
        inspect(Mechanism::Tracking);
        QVERIFY((*server)({"CLIENT", "KILL", "TYPE", "pubsub"}).isInteger(1));
        QVERIFY((*server)({"SET", "meanwhile", "v"}).isOk());
        LATCHKEY_AWAIT(isKnown("meanwhile"));
        LATCHKEY_AWAIT(inspected->events().mechanism() == Mechanism::Tracking);
        seeShortLives();
    }

    void lostTrackedConnection_isTrackedAgain()
    {
        inspect(Mechanism::Tracking);
        QVERIFY((*server)({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"}).isInteger());
        LATCHKEY_AWAIT(inspected->events().mechanism() == Mechanism::None);
        LATCHKEY_AWAIT(inspected->events().mechanism() == Mechanism::Tracking);
        seeShortLives();
    }

    void deniedTracking_leavesPolling()
    {
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-client|tracking"}).isOk());
        inspected = std::make_unique<InspectedServer>(server->endpoint(), false, SystemClock::instance(), random);
        list = std::make_unique<rows::RowList>(inspected->store());
        inspected->start();
        LATCHKEY_AWAIT(inspected->events().denial());
        QCOMPARE(inspected->events().denial()->kind, base::ErrorKind::PermissionDenied);
        QVERIFY((*server)({"SET", "k", "v"}).isOk());
        LATCHKEY_AWAIT(list->rowCount() == 1);
    }

    /// A user with exactly the rights that the window suggests, and with each right left out in turn.
    void rulesForTracking_areEnough_andNoneIsTooMany_data()
    {
        QTest::addColumn<qsizetype>("without");
        QTest::addRow("all of them") << qsizetype(-1);
        for (qsizetype i = 0; i < watching::trackingRules().size(); ++i)
            QTest::addRow("without %s", watching::trackingRules()[i].constData()) << i;
    }
    void rulesForTracking_areEnough_andNoneIsTooMany()
    {
        QFETCH(qsizetype, without);
        resp::Command user {"ACL",           "SETUSER", "watcher", "on",    ">secret",
                            "resetchannels", "~*",      "+@read",  "+ping", "+info"};
        for (qsizetype i = 0; i < watching::trackingRules().size(); ++i) {
            if (i != without)
                user << watching::trackingRules()[i];
        }
        QVERIFY((*server)(user).isOk());
        net::Endpoint endpoint = server->endpoint();
        endpoint.user = QStringLiteral("watcher");
        endpoint.password = QStringLiteral("secret");
        inspected = std::make_unique<InspectedServer>(endpoint, false, SystemClock::instance(), random);
        list = std::make_unique<rows::RowList>(inspected->store());
        inspected->start();
        if (without < 0) {
            LATCHKEY_AWAIT(inspected->events().mechanism() == Mechanism::Tracking);
            seeShortLives();
            return;
        }
        LATCHKEY_AWAIT(inspected->events().denial());
        QCOMPARE(inspected->events().denial()->kind, base::ErrorKind::PermissionDenied);
    }

    void flush_isSeenAtOnce()
    {
        for (int i = 0; i < 300; ++i)
            QVERIFY((*server)({"SET", "k" + QByteArray::number(i), "v"}).isOk());
        inspect(Mechanism::Tracking);
        LATCHKEY_AWAIT(list->rowCount() == 300);
        QVERIFY((*server)({"FLUSHALL"}).isOk());
        LATCHKEY_AWAIT(list->rowCount() == 0);
    }

    /// Tracking reports all databases; a flush of another database must have no effect.
    void flushOfAnotherDatabase_takesNothingAway()
    {
        QVERIFY((*server)({"SET", "ours", "v"}).isOk());
        inspect(Mechanism::Tracking);
        LATCHKEY_AWAIT(list->rowCount() == 1);
        connect(list.get(), &rows::RowList::rowsRemoved, this, [] { QFAIL("ours is still there"); });
        QVERIFY((*server)({"SELECT", "3"}).isOk());
        QVERIFY((*server)({"SET", "theirs", "v"}).isOk());
        QVERIFY((*server)({"FLUSHDB"}).isOk());
        QVERIFY((*server)({"SELECT", "0"}).isOk());
        QVERIFY((*server)({"SET", "next", "v"}).isOk());
        LATCHKEY_AWAIT(isKnown("next"));
        QVERIFY(isKnown("ours"));
        QVERIFY(!isKnown("theirs"));
        list.reset();
    }

    void configuredClasses_areDistinguished_data()
    {
        QTest::addColumn<QByteArray>("setting");
        QTest::addColumn<bool>("isEnough");
        QTest::addRow("off") << QByteArray("") << false;
        QTest::addRow("all by key") << QByteArray("KA") << false;
        QTest::addRow("all by event") << QByteArray("AE") << true;
        QTest::addRow("both") << QByteArray("AKE") << true;
        QTest::addRow("expired only") << QByteArray("xE") << false;
        QTest::addRow("each class") << QByteArray("g$lshzxetE") << true;
    }
    void configuredClasses_areDistinguished()
    {
        QFETCH(QByteArray, setting);
        QFETCH(bool, isEnough);
        QCOMPARE(watching::reportsAllKeys(setting), isEnough);
    }
};

LATCHKEY_TEST(TestEventSource)

} // namespace tst_eventsource

#include "tst_eventsource.moc"
