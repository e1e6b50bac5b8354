#include "core/redis/net/requestscope.h"
#include "tests/support/await.h"
#include "tests/support/devicepair.h"
#include "tests/support/scriptedserver.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_requestscope {

using namespace latchkey;
using namespace latchkey::net;
using test::PairDevice;
using test::ScriptedServer;
using namespace std::chrono_literals;

namespace {

/// A connection to a server that replies to every command with its second word.
struct Fixture
{
    Fixture()
    {
        auto [near, far] = PairDevice::makePair();
        server = std::make_unique<ScriptedServer>(
            std::move(far), [](const QList<QByteArray> &command) { return "+" + command.value(1) + "\r\n"; });
        connection = std::make_unique<Connection>(std::move(near), QStringLiteral("redis://test"),
                                                  base::SystemClock::instance());
    }

    std::unique_ptr<ScriptedServer> server;
    std::unique_ptr<Connection> connection;
};

} // namespace

class TestRequestScope final : public QObject
{
    Q_OBJECT

private:
    RequestScope::Answered note()
    {
        return [this](const Connection::Delivery &delivery) { m_received += delivery.replies.front().bytes(); };
    }

    QByteArrayList m_received;

private Q_SLOTS:
    void init() { m_received.clear(); }

    void replyToAnOutdatedRequest_isDropped_data()
    {
        QTest::addColumn<bool>("isOtherConnection");
        QTest::addRow("reset") << false;
        QTest::addRow("another connection") << true;
    }
    void replyToAnOutdatedRequest_isDropped()
    {
        QFETCH(const bool, isOtherConnection);
        Fixture first;
        Fixture second;
        RequestScope scope;
        scope.use(first.connection.get());
        scope.sendIgnoringErrors({{"ECHO", "outdated"}}, 30s, note());
        if (isOtherConnection)
            scope.use(second.connection.get());
        else
            scope.reset();
        bool isAnswered = false;
        first.connection->send({{"ECHO", "later"}}, 30s, this, [&](const auto &) { isAnswered = true; });
        scope.sendIgnoringErrors({{"ECHO", "current"}}, 30s, note());
        LATCHKEY_AWAIT(isAnswered && !m_received.isEmpty());
        QCOMPARE(m_received, QByteArrayList {"current"});
    }

    void replyToADestroyedScope_isDropped()
    {
        Fixture fixture;
        auto scope = std::make_unique<RequestScope>();
        scope->use(fixture.connection.get());
        scope->sendIgnoringErrors({{"ECHO", "a"}}, 30s, note());
        scope.reset();
        bool isAnswered = false;
        fixture.connection->send({{"ECHO", "b"}}, 30s, this, [&](const auto &) { isAnswered = true; });
        LATCHKEY_AWAIT(isAnswered);
        QVERIFY(m_received.isEmpty());
    }

    void resetWithinACallback_dropsTheOtherRequests()
    {
        Fixture fixture;
        RequestScope scope;
        scope.use(fixture.connection.get());
        scope.sendIgnoringErrors({{"ECHO", "a"}}, 30s, [&](const Connection::Delivery &delivery) {
            scope.reset();
            note()(delivery);
        });
        scope.sendIgnoringErrors({{"ECHO", "b"}}, 30s, note());
        bool isAnswered = false;
        fixture.connection->send({{"ECHO", "c"}}, 30s, this, [&](const auto &) { isAnswered = true; });
        LATCHKEY_AWAIT(isAnswered);
        QCOMPARE(m_received, QByteArrayList {"a"});
    }

    void lostConnection_failsSendAndIsIgnoredByAsk()
    {
        Fixture fixture;
        RequestScope scope;
        scope.use(fixture.connection.get());
        int failures = 0;
        scope.sendIgnoringErrors({{"ECHO", "a"}}, 30s, note());
        scope.send({{"ECHO", "b"}}, 30s, [&](const auto &outcome) { failures += outcome ? 0 : 1; });
        fixture.connection->close();
        QCOMPARE(failures, 1);
        QVERIFY(m_received.isEmpty());
        fixture.connection.reset();
        QVERIFY(scope.connection() == nullptr);
    }
};

LATCHKEY_TEST(TestRequestScope)

} // namespace tst_requestscope

#include "tst_requestscope.moc"
