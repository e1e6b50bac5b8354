#include "core/foundation/files/json.h"
#include "core/playground/playground/playgroundclient.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTest>

#include <algorithm>
#include <utility>

namespace tst_playgroundclient {

using namespace latchkey;
using namespace latchkey::playground;
using Event = ClientReport::Event;
using namespace std::chrono_literals;

/// Tests of the actor without a process around it: orders in, reports out.
class TestPlaygroundClient final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<PlaygroundClient> client;
    std::vector<ClientReport> reports; ///< Without wire reports.
    QStringList commands;
    bool isFinished = false;

    void makeActor(const net::Endpoint &endpoint)
    {
        client = std::make_unique<PlaygroundClient>(std::vector {endpoint}, base::SystemClock::instance(),
                                                    base::SystemRandom::instance());
        connect(client.get(), &PlaygroundClient::reported, this, [this](const ClientReport &report) {
            if (report.event == Event::Wire)
                commands += report.command;
            else
                reports.push_back(report);
        });
        connect(client.get(), &PlaygroundClient::finished, this, [this] { isFinished = true; });
        client->start();
    }
    void acquire(const QString &recipe, std::chrono::milliseconds lease, const char *key = "k")
    {
        AcquireOrder order;
        order.recipe = recipe;
        order.options.key = base::Key(key);
        order.options.lease = base::Lease::of(lease).value();
        client->order(files::toLine(toJson(ClientOrder(order))));
    }
    [[nodiscard]] bool hasReported(Event event) const
    {
        return std::ranges::any_of(reports, [event](const ClientReport &report) { return report.event == event; });
    }

private Q_SLOTS:
    void init()
    {
        server = std::make_unique<test::TestServer>();
        reports.clear();
        commands.clear();
        isFinished = false;
    }
    void cleanup()
    {
        client.reset();
        server.reset();
    }

    void orders_waitForTheServerAndForEachOther()
    {
        makeActor(server->endpoint());
        acquire(QStringLiteral("token"), 20s);
        client->order(R"({"do": "dance"})");
        client->order(R"({"do": "release"})");
        client->endOrders();
        QVERIFY(reports.empty());
        LATCHKEY_AWAIT(isFinished);
        QList<Event> events;
        for (const ClientReport &report : reports)
            events += report.event;
        QCOMPARE(events, (QList {Event::Ready, Event::Acquired, Event::Error, Event::Released}));
        QVERIFY(!commands.isEmpty());
        QVERIFY((*server)({"DBSIZE"}).isInteger(0));
    }

    void quit_carriesOutNothingMore()
    {
        makeActor(server->endpoint());
        acquire(QStringLiteral("token"), 20s);
        client->order(R"({"do": "quit"})");
        client->order(R"({"do": "release"})");
        LATCHKEY_AWAIT(isFinished);
        QCOMPARE(reports.back().event, Event::Acquired);
        QVERIFY((*server)({"EXISTS", "k"}).isInteger(1));
    }

    void reports_sayWhenTheyWereWritten()
    {
        const auto start = base::SystemClock::instance().now();
        makeActor(server->endpoint());
        acquire(QStringLiteral("token"), 20s);
        LATCHKEY_AWAIT(hasReported(Event::Acquired));
        const auto now = base::SystemClock::instance().now();
        base::MonotonicTime last = start;
        for (const ClientReport &report : reports) {
            QVERIFY(report.writtenAt >= last && report.writtenAt <= now);
            last = report.writtenAt;
        }
        const ClientReport &acquired = reports.back();
        QVERIFY(*acquired.validUntil > acquired.writtenAt && *acquired.validUntil < now + 20s);
        // The reader counts from the time of writing, however late it reads, and gives no later end.
        const auto read = reportFromJson(files::toLine(toJson(acquired)));
        LATCHKEY_VERIFY_RESULT(read);
        QVERIFY(*read->validUntil <= *acquired.validUntil && *read->validUntil > *acquired.validUntil - 2ms);
    }

    void renewingLock_isRenewedUntilItIsReleased()
    {
        makeActor(server->endpoint());
        acquire(QStringLiteral("renewing"), 300ms);
        LATCHKEY_AWAIT(std::ranges::count(reports, Event::Renewed, &ClientReport::event) >= 3);
        QVERIFY(!hasReported(Event::Lost));
        client->order(R"({"do": "release"})");
        LATCHKEY_AWAIT(hasReported(Event::Released));
        const auto before = reports.size();
        const auto end = base::SystemClock::instance().now() + 400ms;
        LATCHKEY_AWAIT(base::SystemClock::instance().now() > end);
        QCOMPARE(reports.size(), before);
    }

    void renewingLock_isGivenUpWhileItLasts()
    {
        makeActor(server->endpoint());
        acquire(QStringLiteral("renewing"), 900ms);
        LATCHKEY_AWAIT(hasReported(Event::Renewed));
        server->kill();
        LATCHKEY_AWAIT(hasReported(Event::Lost));
        const auto renewed = std::ranges::find(reports.rbegin(), reports.rend(), Event::Renewed, &ClientReport::event);
        QVERIFY2(reports.back().writtenAt < *renewed->validUntil, "it is told before the lease ends");
        QVERIFY2(reports.back().message.toString().startsWith(QStringLiteral("its lease could not be renewed")),
                 qPrintable(reports.back().message.toString()));
    }

    /// A contender's EXPIRE changes the holder's lease too.
    void leaseThatAContenderShortens_isNoticed()
    {
        makeActor(server->endpoint());
        acquire(QStringLiteral("multi-setnx-expire"), 3s);
        LATCHKEY_AWAIT(hasReported(Event::Acquired));
        const auto granted = *reports.back().validUntil;
        QVERIFY((*server)({"PEXPIRE", "k", "2000"}).isInteger(1));
        LATCHKEY_AWAIT(hasReported(Event::ExpiryChanged));
        QVERIFY2(*reports.back().validUntil < granted - 500ms, "by a good deal");
        QVERIFY((*server)({"EXISTS", "k"}).isInteger(1));
    }

    /// Even with a long lease of its own, the holder must notice the contender's early end, because a third client may
    /// then acquire the lock.
    void longLeaseThatAContenderCutsShort_isNoticedBeforeItEnds()
    {
        makeActor(server->endpoint());
        acquire(QStringLiteral("multi-setnx-expire"), 10min);
        LATCHKEY_AWAIT(hasReported(Event::Acquired));
        QVERIFY((*server)({"PEXPIRE", "k", "1500"}).isInteger(1));
        LATCHKEY_AWAIT(hasReported(Event::ExpiryChanged));
        QVERIFY((*server)({"EXISTS", "k"}).isInteger(1));
    }

    void lockThatIsTakenAway_isNoticedWhereContendersMayDoThat()
    {
        makeActor(server->endpoint());
        acquire(QStringLiteral("timestamp-getset"), 3s);
        LATCHKEY_AWAIT(hasReported(Event::Acquired));
        QVERIFY((*server)({"DEL", "k"}).isInteger(1));
        LATCHKEY_AWAIT(hasReported(Event::Lost));
        QCOMPARE(reports.back().message.toString(), QStringLiteral("it no longer exists"));
    }

    /// A client that sleeps past its lease does not detect the end; the Playground shows it.
    void leaseThatEnds_isNotALossThatAClientTells()
    {
        makeActor(server->endpoint());
        acquire(QStringLiteral("multi-setnx-expire"), 300ms);
        LATCHKEY_AWAIT((*server)({"EXISTS", "k"}).isInteger(0) && hasReported(Event::Acquired));
        client->order(R"({"do": "release"})");
        LATCHKEY_AWAIT(hasReported(Event::Gone));
        QVERIFY(!hasReported(Event::Lost));
    }

    void recipeWithHarmlessContenders_isNotPolled()
    {
        makeActor(server->endpoint());
        acquire(QStringLiteral("auto-release"), 300ms);
        LATCHKEY_AWAIT((*server)({"EXISTS", "k"}).isInteger(0) && hasReported(Event::Acquired));
        QCOMPARE(commands.size(), 1);
    }

    /// A story lists every command of such a client. Additional reads of its lock would add commands that the story
    /// does not contain.
    void clientThatSendsOneByOne_doesNotReadItsLock()
    {
        makeActor(server->endpoint());
        client->order(files::toLine(toJson(ClientOrder(ResumeOrder {{}, true}))));
        acquire(QStringLiteral("multi-setnx-expire"), 10min);
        LATCHKEY_AWAIT(hasReported(Event::Acquired));
        QVERIFY((*server)({"DEL", "k"}).isInteger(1));
        const auto stepped = std::exchange(client, nullptr);
        reports.clear();
        // The second client looks as often as the first one would, and started later.
        makeActor(server->endpoint());
        acquire(QStringLiteral("multi-setnx-expire"), 10min, "other");
        LATCHKEY_AWAIT(hasReported(Event::Acquired));
        QVERIFY((*server)({"DEL", "other"}).isInteger(1));
        LATCHKEY_AWAIT(hasReported(Event::Lost));
        QCOMPARE(std::ranges::count(reports, Event::Lost, &ClientReport::event), 1);
        QCOMPARE(reports.back().key, base::Key("other"));
    }

    void unreachableServer_isReportedAndOrdersAreAnswered()
    {
        makeActor(net::Endpoint::unixSocket(QStringLiteral("/nonexistent/socket")));
        acquire(QStringLiteral("token"), 20s);
        LATCHKEY_AWAIT(reports.size() >= 2);
        QCOMPARE(reports[0].event, Event::Error);
        QCOMPARE(reports[1].event, Event::Error);
        QVERIFY(!isFinished);
    }
};

LATCHKEY_TEST(TestPlaygroundClient)

} // namespace tst_playgroundclient

#include "tst_playgroundclient.moc"
