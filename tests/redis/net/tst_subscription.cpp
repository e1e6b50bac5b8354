#include "core/redis/net/subscription.h"
#include "tests/support/await.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QSignalSpy>
#include <QTest>

namespace tst_subscription {

using namespace latchkey;
using namespace latchkey::net;
using namespace latchkey::resp;
using base::SystemClock;
using namespace std::chrono_literals;

class TestSubscription final : public QObject
{
    Q_OBJECT

    test::ScriptedRandom random {0.0};
    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<Session> session;
    std::unique_ptr<Subscription> subscription;
    QList<std::pair<QByteArray, QByteArray>> received;

private Q_SLOTS:
    void init()
    {
        received.clear();
        server = std::make_unique<test::TestServer>();
        session = std::make_unique<Session>(server->endpoint(), SystemClock::instance(), random);
        session->setTiming({5s, 50ms, 5s}); // Pings are sent between the messages.
        subscription = std::make_unique<Subscription>(*session);
        connect(subscription.get(), &Subscription::message, this,
                [this](const QByteArray &channel, const Reply &reply) {
                    received += {channel, reply.isNil() ? QByteArray("(nil)") : reply.bytes()};
                });
        subscription->subscribe({"news"}, {"n?ws:*"});
        session->start();
        LATCHKEY_AWAIT(subscription->isActive());
    }
    void cleanup()
    {
        subscription.reset();
        session.reset();
        server.reset();
    }

    void publishedMessages_arriveInOrderBetweenPings()
    {
        QSignalSpy pings(session.get(), &Session::roundTripMeasured);
        QVERIFY(subscription->clientId());
        for (int i = 0; i < 500; ++i)
            QVERIFY((*server)({"PUBLISH", "news", QByteArray::number(i)}).isInteger(1));
        QVERIFY((*server)({"PUBLISH", "news:sport", "x"}).isInteger(1));
        QVERIFY((*server)({"PUBLISH", "other", "y"}).isInteger(0));
        LATCHKEY_AWAIT(received.size() == 501);
        for (int i = 0; i < 500; ++i)
            QCOMPARE(received[i], (std::pair<QByteArray, QByteArray>("news", QByteArray::number(i))));
        QCOMPARE(received.back(), (std::pair<QByteArray, QByteArray>("news:sport", "x")));
        LATCHKEY_AWAIT(pings.size() >= 3);
        QCOMPARE(session->state(), Session::State::Ready);
    }

    void lostConnection_isReportedAndSubscribedAgain()
    {
        QSignalSpy ended(subscription.get(), &Subscription::ended);
        QVERIFY((*server)({"CLIENT", "KILL", "TYPE", "pubsub"}).isInteger(1));
        LATCHKEY_AWAIT(ended.size() == 1);
        LATCHKEY_AWAIT(subscription->isActive());
        QVERIFY((*server)({"PUBLISH", "news", "again"}).isInteger(1));
        LATCHKEY_AWAIT(received.size() == 1);
    }

    void deniedChannel_isATypedError()
    {
        QVERIFY((*server)({"ACL", "SETUSER", "default", "resetchannels"}).isOk());
        QSignalSpy refused(subscription.get(), &Subscription::refused);
        session->stop();
        session->start();
        LATCHKEY_AWAIT(refused.size() == 1);
        QCOMPARE(refused[0][0].value<base::Error>().kind, base::ErrorKind::PermissionDenied);
        QVERIFY(!subscription->isActive());
    }

    /// A connection that receives messages still counts its replies correctly.
    void answersBesideMessages_areNotMistakenForThem()
    {
        bool answered = false;
        session->connection()->send(
            {{"PING", "message"}}, 5s, this, [&](const base::Result<Connection::Delivery> &outcome) {
                QVERIFY(outcome.has_value());
                QCOMPARE(outcome->replies.front().elements().front().bytes(), QByteArray("pong"));
                answered = true;
            });
        QVERIFY((*server)({"PUBLISH", "news", "pong"}).isInteger(1));
        LATCHKEY_AWAIT(answered && received.size() == 1);
    }
};

LATCHKEY_TEST(TestSubscription)

} // namespace tst_subscription

#include "tst_subscription.moc"
