#include "core/keyspace/watching/serverevents.h"

#include "core/keyspace/events/observation.h"
#include "core/redis/net/session.h"
#include "tests/support/await.h"
#include "tests/support/freeport.h"
#include "tests/support/load.h"
#include "tests/support/otherclient.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QSet>
#include <QTest>

namespace tst_serverevents {

using namespace latchkey;
using base::SystemClock;
using watching::EventSource;
using watching::ServerEvents;

/// Tests of the receiver of change events, on a real server that is reached over TCP.
class TestServerEvents final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// The server dies while a part of its announcements is still in its send buffer, because the receiver was busy.
    void announcementsOfADeadServer_areAllReceived_data()
    {
        QTest::addColumn<QString>("notifications");
        QTest::newRow("notifications") << QStringLiteral("KEA");
        QTest::newRow("tracking") << QString();
    }
    void announcementsOfADeadServer_areAllReceived()
    {
        QFETCH(const QString, notifications);
        // More than the receiver's socket has room for: a part is in the server's.
        const int count = test::hasFullLoad() ? 20'000 : 8000;
        const quint16 port = test::freePort();
        test::TestServer server(test::listeningAt(port)
                                + QStringList {QStringLiteral("--notify-keyspace-events"), notifications});
        test::ScriptedRandom random {0.0};
        net::Session session(test::localEndpoint(port), SystemClock::instance(), random);
        const events::ObservationDispatcher dispatcher;
        ServerEvents serverEvents(session, dispatcher, SystemClock::instance(), random);
        session.start();
        LATCHKEY_AWAIT(serverEvents.mechanism() != EventSource::Mechanism::None);
        QCOMPARE(serverEvents.mechanism(),
                 notifications.isEmpty() ? EventSource::Mechanism::Tracking : EventSource::Mechanism::Notifications);
        QSet<QByteArray> touched;
        connect(&serverEvents, &ServerEvents::keysChanged, this, [&](const QList<QByteArray> &keys) {
            for (const QByteArray &key : keys)
                touched += key;
            serverEvents.confirm();
        });
        for (int i = 0; i < count; ++i) // The event loop does not run here.
            QVERIFY(server({"SET", "lock:" + QByteArray::number(i), "x", "PX", "60000"}).isOk());
        QVERIFY(server({"CLIENT", "LIST", "TYPE", "pubsub"}).bytes().contains(" oll=0 ")); // The process has sent all.
        server.kill();
        LATCHKEY_AWAIT(serverEvents.mechanism() == EventSource::Mechanism::None);
        QCOMPARE(touched.size(), count);
    }

    /// The permission may be taken for a moment only.
    void temporaryDenial_isRetried_data()
    {
        QTest::addColumn<QByteArrayList>("denied");
        QTest::newRow("subscriptions") << QByteArrayList {"-subscribe", "-psubscribe"};
        QTest::newRow("and the configuration") << QByteArrayList {"-subscribe", "-psubscribe", "-config"};
        QTest::newRow("CLIENT ID") << QByteArrayList {"-client|id", "-config"};
    }
    void temporaryDenial_isRetried()
    {
        QFETCH(const QByteArrayList, denied);
        test::TestServer server({QStringLiteral("--notify-keyspace-events"), QStringLiteral("KEA")});
        const auto setUser = [&server](const QByteArrayList &rules) {
            resp::Command command {"ACL", "SETUSER", "reader", "on", ">secret", "~*", "&*", "+@all"};
            for (const QByteArray &rule : rules)
                command << rule;
            QVERIFY(server(command).isOk());
        };
        setUser(denied);
        net::Endpoint endpoint = server.endpoint();
        endpoint.user = QStringLiteral("reader");
        endpoint.password = QStringLiteral("secret");
        test::ScriptedRandom random {0.0};
        net::Session session(endpoint, SystemClock::instance(), random);
        const events::ObservationDispatcher dispatcher;
        ServerEvents serverEvents(session, dispatcher, SystemClock::instance(), random);
        session.start();
        LATCHKEY_AWAIT(serverEvents.denial());
        QCOMPARE(serverEvents.denial()->kind, base::ErrorKind::PermissionDenied);
        QCOMPARE(serverEvents.mechanism(), EventSource::Mechanism::None);
        setUser({});
        LATCHKEY_AWAIT(serverEvents.mechanism() == EventSource::Mechanism::Notifications);
        QVERIFY(!serverEvents.denial());
        // The configuration is checked again from then on.
        QVERIFY(server({"CONFIG", "SET", "notify-keyspace-events", ""}).isOk());
        LATCHKEY_AWAIT(serverEvents.mechanism() == EventSource::Mechanism::Tracking);
    }

    /// After a stop of the process, the timer of the turn may come before the events that arrived meanwhile.
    void turnBeforeTheEventsAreRead_doesNotHideTheirDelay()
    {
        const quint16 port = test::freePort();
        test::TestServer server(test::listeningAt(port));
        test::ScriptedRandom random {0.0};
        net::Session session(test::localEndpoint(port), SystemClock::instance(), random);
        const events::ObservationDispatcher dispatcher;
        ServerEvents serverEvents(session, dispatcher, SystemClock::instance(), random);
        session.start();
        LATCHKEY_AWAIT(serverEvents.mechanism() != EventSource::Mechanism::None);
        LATCHKEY_AWAIT(serverEvents.delay().has_value());
        serverEvents.recordLoopTurn();
        bool hasChanged = false;
        connect(&serverEvents, &ServerEvents::keysChanged, this, [&hasChanged] { hasChanged = true; });
        constexpr std::chrono::milliseconds stop {300};
        QVERIFY(server({"SET", "lock:a", "x"}).isOk());
        const base::MonotonicTime from = SystemClock::instance().now();
        while (SystemClock::instance().now() - from < stop) // The event loop does not run here.
            ;
        serverEvents.recordLoopTurn();
        LATCHKEY_AWAIT(hasChanged);
        QVERIFY(*serverEvents.delay() >= stop);
    }
};

LATCHKEY_TEST(TestServerEvents)

} // namespace tst_serverevents

#include "tst_serverevents.moc"
