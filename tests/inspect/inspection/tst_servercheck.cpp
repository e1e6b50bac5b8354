#include "core/inspect/inspection/servercheck.h"
#include "core/redis/net/session.h"
#include "tests/support/await.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTest>

namespace tst_servercheck {

using namespace latchkey;
using inspection::ServerCheck;
using Right = ServerCheck::Right;
using Events = ServerCheck::Events;
using namespace std::chrono_literals;

/// The check of a server's role, rights and events, on a real server.
class TestServerCheck final : public QObject
{
    Q_OBJECT

    test::ScriptedRandom random {0.0};
    std::unique_ptr<test::TestServer> server;

    ServerCheck checkAs(const QString &user)
    {
        net::Endpoint endpoint = server->endpoint();
        endpoint.user = user;
        endpoint.password = user.isEmpty() ? QString() : QStringLiteral("any");
        net::Session session(endpoint, base::SystemClock::instance(), random);
        session.start();
        [&] { LATCHKEY_AWAIT(session.connection() != nullptr); }();
        std::optional<ServerCheck> result;
        if (session.connection() != nullptr)
            inspection::checkServer(*session.connection(), 30s, *this, [&](const base::Result<ServerCheck> &checked) {
                result = checked.value_or(ServerCheck());
            });
        [&] { LATCHKEY_AWAIT(result.has_value()); }();
        return result.value_or(ServerCheck());
    }

private Q_SLOTS:
    void init() { server = std::make_unique<test::TestServer>(); }
    void cleanup() { server.reset(); }

    void usualUser_mayDoEverything()
    {
        QVERIFY((*server)({"SET", "a", "1"}).isOk());
        const ServerCheck check = checkAs({});
        QCOMPARE(check.role, QByteArray("master"));
        QCOMPARE(check.replicas, 0);
        QCOMPARE(check.keys, std::optional<qint64>(1));
        QVERIFY(check.denied.empty());
        QCOMPARE(check.events, Events::Tracking);
        QCOMPARE(check.writing, Right::Permitted);
        QCOMPARE((*server)({"DBSIZE"}).toInteger(), 1);
    }

    void notifications_areSeen()
    {
        QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", "KEA"}).isOk());
        QCOMPARE(checkAs({}).events, Events::Notifications);
    }

    /// Without ACL DRYRUN the right to write is unknown, not refused.
    void unknownRight_isNotTakenForARefusedOne()
    {
        QVERIFY((*server)({"ACL", "SETUSER", "eye", "on", "nopass", "~*", "+@all", "-acl", "-role", "-pttl"}).isOk());
        const ServerCheck check = checkAs(QStringLiteral("eye"));
        QCOMPARE(check.writing, Right::Unknown);
        QVERIFY(check.role.isEmpty());
        QCOMPARE(check.denied.size(), std::size_t(1));
        QCOMPARE(check.denied.front().request, events::KeyRequest::Expiry);
    }

    void refusedRights_areNamed()
    {
        QVERIFY((*server)({"ACL", "SETUSER", "eye", "on", "nopass", "~*", "+@all", "-del", "-client|tracking"}).isOk());
        const ServerCheck check = checkAs(QStringLiteral("eye"));
        QCOMPARE(check.writing, Right::Refused);
        QCOMPARE(check.events, Events::Refused);
        QCOMPARE(check.user, QByteArray("eye"));
    }
};

LATCHKEY_TEST(TestServerCheck)

} // namespace tst_servercheck

#include "tst_servercheck.moc"
