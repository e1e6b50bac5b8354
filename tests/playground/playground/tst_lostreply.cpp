#include "core/playground/playground/sequencerecorder.h"
#include "tests/support/clientpoolfixture.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_lostreply {

using namespace latchkey;
using playground::ClientProcess;
using playground::ClientReport;
using Event = ClientReport::Event;
using State = ClientProcess::State;
using namespace std::chrono_literals;

/// Tests of a lost reply: the server executes the command, and the client receives no reply.
class TestLostReply final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::ClientPoolFixture> fixture;

    [[nodiscard]] bool exists(const char *key) { return fixture->server({"EXISTS", key}).toInteger() == 1; }
    [[nodiscard]] static Event answerTo(ClientProcess &client, const resp::Command &command)
    {
        client.sendOrder(playground::SendOrder {command, 0});
        [&] { LATCHKEY_AWAIT(client.state() == State::Idle); }();
        return client.lastReport()->event;
    }

private Q_SLOTS:
    void init() { fixture = std::make_unique<test::ClientPoolFixture>(); }
    void cleanup() { fixture.reset(); }

    void commandIsExecutedAndItsReplyIsLost()
    {
        ClientProcess &client = fixture->client();
        playground::SequenceRecorder recorder({QStringLiteral("server")}, base::SystemClock::instance());
        recorder.record(client);
        client.loseNextReply(true);
        QVERIFY(client.isLosingReply());
        QCOMPARE(answerTo(client, {"SET", "k", "1"}), Event::Unknown);
        QVERIFY(!client.isLosingReply());
        QVERIFY(exists("k"));
        const auto &message = std::get<sequence::Message>(recorder.sequence().rows().front());
        QVERIFY(message.isReplyLost && message.isError);
        // At the correct time, not at the beginning of the clock.
        QVERIFY(message.sent > base::SystemClock::instance().now() - 60s);
        // Only one reply is lost. After that the client works on a new connection.
        LATCHKEY_AWAIT(answerTo(client, {"GET", "k"}) == Event::Done);
    }

    void cancelledReplyLoss_losesNothing()
    {
        ClientProcess &client = fixture->client();
        client.loseNextReply(true);
        client.loseNextReply(false);
        QVERIFY(!client.isLosingReply());
        QCOMPARE(answerTo(client, {"SET", "k", "1"}), Event::Done);
    }

    void belief_isWhatTheRecipeMakesOfIt_data()
    {
        QTest::addColumn<QByteArray>("recipe");
        QTest::addColumn<bool>("staysBehind");
        QTest::addRow("a constant proves nothing, and stays") << QByteArray("auto-release") << true;
        QTest::addRow("what has the own token is taken back") << QByteArray("token") << false;
    }
    void belief_isWhatTheRecipeMakesOfIt()
    {
        QFETCH(QByteArray, recipe);
        QFETCH(bool, staysBehind);
        ClientProcess &client = fixture->client();
        client.loseNextReply(true);
        test::ClientPoolFixture::acquire(client, recipe.constData(), "k", 60s);
        QCOMPARE(exists("k"), staysBehind);
        QCOMPARE(client.state(), State::Idle);
    }

    void redlock_needsNoReplyOfAMinority()
    {
        test::TestServer second;
        test::TestServer third;
        ClientProcess &client = fixture->clientPool.add();
        client.start({fixture->server.endpoint(), second.endpoint(), third.endpoint()});
        LATCHKEY_AWAIT(client.state() == State::Idle);
        client.loseNextReply(true);
        test::ClientPoolFixture::acquire(client, "redlock", "k", 60s);
        QCOMPARE(client.state(), State::Holding);
        QVERIFY(exists("k"));
    }
};

LATCHKEY_TEST(TestLostReply)

} // namespace tst_lostreply

#include "tst_lostreply.moc"
