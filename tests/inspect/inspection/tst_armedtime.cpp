#include "core/inspect/inspection/serverregistry.h"
#include "tests/support/adjustableclock.h"
#include "tests/support/await.h"
#include "tests/support/otherclient.h"
#include "tests/support/scriptedrandom.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QSignalSpy>
#include <QTest>

namespace tst_armedtime {

using namespace latchkey;
using namespace latchkey::inspection;
using namespace std::chrono_literals;
using watching::ChangeOutcome;
using watching::ChangeResult;
using watching::KeySnapshot;
using watching::Watcher;

/// Writing is disarmed after a time, without cutting off the write that is under way.
class TestArmedTime final : public QObject
{
    Q_OBJECT

    test::ScriptedRandom random {0.0};
    std::unique_ptr<test::AdjustableClock> clock;
    std::unique_ptr<ServerRegistry> registry;

    std::shared_ptr<InspectedServer> open(const net::Endpoint &endpoint, bool isPrivate = false)
    {
        auto inspected = registry->open(endpoint, isPrivate);
        inspected->start();
        [&] { LATCHKEY_AWAIT(inspected->watcher().phase() == Watcher::Phase::Watching); }();
        inspected->setArmed(true);
        return inspected;
    }
    static KeySnapshot snapshot(InspectedServer &inspected, const QByteArray &key)
    {
        std::optional<base::Result<KeySnapshot>> taken;
        inspected.takeSnapshot(base::Key(key), [&taken](const auto &found) { taken = found; });
        [&] { LATCHKEY_AWAIT(taken.has_value()); }();
        return taken->value();
    }

private Q_SLOTS:
    void init()
    {
        clock = std::make_unique<test::AdjustableClock>();
        registry = std::make_unique<ServerRegistry>(*clock, random);
    }

    void armedServer_isDisarmedAfterItsTime()
    {
        const test::TestServer server;
        const auto inspected = open(server.endpoint());
        QSignalSpy ended(inspected.get(), &InspectedServer::armedTimeEnded);
        QVERIFY(inspected->armedLeft() > 14min && inspected->armedLeft() <= 15min);
        clock->putForward(14min);
        QVERIFY(inspected->armedLeft() > 0s && inspected->armedLeft() <= 1min);
        QVERIFY(inspected->isArmed());
        clock->putForward(1min);
        LATCHKEY_AWAIT(ended.count() == 1);
        QVERIFY(!inspected->isArmed());
        QVERIFY(!inspected->armedLeft());
        QCOMPARE(ended.front().front().value<std::chrono::minutes>(), 15min);

        inspected->setArmedTime(60min);
        inspected->setArmed(true);
        QVERIFY(inspected->armedLeft() > 59min);
        inspected->setArmed(false);
        QVERIFY(!inspected->armedLeft());
    }

    /// A write after the time is refused, even if the timer has not run yet, as after a suspend.
    void writeAfterTheTime_isRefused()
    {
        test::TestServer server;
        QVERIFY(server({"SET", "k", "v"}).isOk());
        const auto inspected = open(server.endpoint());
        const KeySnapshot key = snapshot(*inspected, "k");
        clock->putForward(15min);
        std::optional<base::Result<ChangeResult>> reported;
        inspected->deleteIfUnchanged(key, [&reported](const auto &result) { reported = result; });
        QVERIFY(reported && !*reported);
        QCOMPARE(reported->error().kind, base::ErrorKind::Usage);
        QVERIFY(!inspected->isArmed());
        QVERIFY(server({"EXISTS", "k"}).isInteger(1));
    }

    void writeUnderWay_isFinishedAndTheOthersAreRefused()
    {
        test::TestServer server;
        QVERIFY(server({"MSET", "k", "v", "l", "v"}).isOk());
        const auto inspected = open(server.endpoint());
        const KeySnapshot first = snapshot(*inspected, "k");
        const KeySnapshot second = snapshot(*inspected, "l");
        QVERIFY(server({"CLIENT", "PAUSE", "60000", "WRITE"}).isOk());
        std::optional<base::Result<ChangeResult>> done;
        std::optional<base::Result<ChangeResult>> refused;
        inspected->deleteIfUnchanged(first, [&done](const auto &result) { done = result; });
        inspected->deleteIfUnchanged(second, [&refused](const auto &result) { refused = result; });
        LATCHKEY_AWAIT(server({"INFO", "clients"}).bytes().contains("blocked_clients:1"));
        clock->putForward(15min);
        LATCHKEY_AWAIT(!inspected->isArmed());
        QVERIFY(refused && !*refused);
        QCOMPARE(refused->error().kind, base::ErrorKind::Usage);
        QVERIFY2(!done, "the write under way is not cut off");
        const quint64 sent = inspected->commandsSent();
        QVERIFY(server({"CLIENT", "UNPAUSE"}).isOk());
        LATCHKEY_AWAIT(done.has_value());
        QVERIFY2(done->has_value(), done->has_value() ? "" : qPrintable(done->error().message()));
        QCOMPARE((*done)->outcome, ChangeOutcome::Done);
        QVERIFY(server({"EXISTS", "k", "l"}).isInteger(1));
        // The connection of the write is closed, and its commands stay counted.
        LATCHKEY_AWAIT(!server({"CLIENT", "LIST"}).bytes().contains("cmd=exec"));
        QVERIFY(inspected->commandsSent() >= sent);
    }

    void privateServer_hasNoLimit()
    {
        const test::TestServer server;
        const auto inspected = open(server.endpoint(), true);
        QVERIFY(inspected->isArmed());
        QVERIFY(!inspected->armedLeft());
    }
};

LATCHKEY_TEST(TestArmedTime)

} // namespace tst_armedtime

#include "tst_armedtime.moc"
