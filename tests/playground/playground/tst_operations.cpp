#include "core/foundation/files/json.h"
#include "core/playground/playground/playgroundclient.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTest>

namespace tst_operations {

using namespace latchkey;
using namespace latchkey::playground;
using Event = ClientReport::Event;

/// Tests of an actor's orders other than acquire and release, and of holding the actor before its commands.
class TestOperations final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<PlaygroundClient> client;
    std::vector<ClientReport> reports; ///< Without wire reports.
    QStringList commands;

    /// Sends an order and returns the next report.
    ClientReport after(const QByteArray &order)
    {
        const std::size_t before = reports.size();
        client->order(order);
        if (!test::waitFor([&] { return reports.size() > before; }))
            qFatal("no answer to %s", order.constData());
        return reports.back();
    }

private Q_SLOTS:
    void init()
    {
        server = std::make_unique<test::TestServer>();
        client = std::make_unique<PlaygroundClient>(std::vector {server->endpoint()}, base::SystemClock::instance(),
                                                    base::SystemRandom::instance());
        reports.clear();
        commands.clear();
        connect(client.get(), &PlaygroundClient::reported, this, [this](const ClientReport &report) {
            if (report.event == Event::Wire)
                commands += report.command.section(u' ', 0, 0);
            else
                reports.push_back(report);
        });
        client->start();
        LATCHKEY_AWAIT(reports.size() == 1);
    }
    void cleanup()
    {
        client.reset();
        server.reset();
    }

    void cache_isWrittenAndRead()
    {
        QCOMPARE(after(R"({"do": "put", "recipe": "set-ex", "key": "k", "value": "v", "lifetime_ms": 60000})")
                     .operationResult.outcome,
                 QStringLiteral("written"));
        QVERIFY((*server)({"PTTL", "k"}).toInteger() > 0);
        const OperationResult hit = after(R"({"do": "get", "recipe": "set-ex", "key": "k"})").operationResult;
        QCOMPARE(hit.outcome, QStringLiteral("hit"));
        QCOMPARE(hit.value, QByteArray("v"));
        QCOMPARE(after(R"({"do": "get", "recipe": "set-ex", "key": "other"})").operationResult.outcome,
                 QStringLiteral("miss"));
        QCOMPARE(after(R"({"do": "put", "recipe": "hash-lua", "key": "h", "fields": [{"name": "a", "value": "1"}]})")
                     .operationResult.outcome,
                 QStringLiteral("written"));
        QCOMPARE(after(R"({"do": "get", "recipe": "hash-lua", "key": "h"})").operationResult.fields,
                 (caches::Fields {{"a", "1"}}));
    }

    void miss_isRecomputedOnce()
    {
        const QByteArray order = R"({"do": "recompute", "key": "k", "value": "v", "lifetime_ms": 60000, "work_ms": 5})";
        QCOMPARE(after(order).operationResult.outcome, QStringLiteral("recomputed"));
        QCOMPARE(after(order).operationResult.outcome, QStringLiteral("hit"));
    }

    void command_isSentAsItIs()
    {
        const OperationResult answered =
            after(R"({"do": "send", "words": ["SET", "k", {"value_base64": "/w=="}]})").operationResult;
        QCOMPARE(answered.reply.toString(), QStringLiteral("OK"));
        QVERIFY((*server)({"GET", "k"}).isBulk("\xff"));
        QCOMPARE(after(R"({"do": "send", "words": ["INCR", "k"]})").event, Event::Error);
        QCOMPARE(after(R"({"do": "send", "words": ["PING"], "server": 1})").event, Event::Error);
        QCOMPARE(after(R"({"do": "send", "words": []})").event, Event::Error);
    }

    void write_isDoneByAHolderAlone()
    {
        QCOMPARE(after(R"({"do": "write"})").event, Event::Error);
        (void)after(R"({"do": "acquire", "recipe": "fenced", "key": "k", "lease_ms": 60000})");
        const ClientReport written = after(R"({"do": "write"})");
        QCOMPARE(written.operationResult.outcome, QStringLiteral("writes"));
        QCOMPARE(written.fencing, reports[2].fencing);
        QVERIFY(written.fencing);
    }

    void orderOfTheWrongRecipe_isAnError_data()
    {
        QTest::addColumn<QByteArray>("order");
        QTest::addRow("no such recipe") << QByteArray(R"({"do": "put", "recipe": "magic", "key": "k", "value": "v"})");
        QTest::addRow("a value for a hash")
            << QByteArray(R"({"do": "put", "recipe": "hash-lua", "key": "k", "value": "v"})");
        QTest::addRow("no key") << QByteArray(R"({"do": "get", "recipe": "set-ex"})");
        QTest::addRow("no lifetime") << QByteArray(
            R"({"do": "put", "recipe": "set-ex", "key": "k", "value": "v", "lifetime_ms": 0})");
        QTest::addRow("work that is less than none")
            << QByteArray(R"({"do": "recompute", "key": "k", "value": "v", "work_ms": -1})");
    }
    void orderOfTheWrongRecipe_isAnError()
    {
        QFETCH(QByteArray, order);
        QCOMPARE(after(order).event, Event::Error);
        QVERIFY((*server)({"DBSIZE"}).isInteger(0));
        QCOMPARE(after(R"({"do": "get", "recipe": "set-ex", "key": "k"})").operationResult.outcome,
                 QStringLiteral("miss"));
    }

    void heldCommand_hasNotBeenSent()
    {
        client->order(R"({"do": "go", "before": ["expire"]})");
        const ClientReport held =
            after(R"({"do": "acquire", "recipe": "setnx-then-expire", "key": "k", "lease_ms": 60000})");
        QCOMPARE(held.event, Event::AtBreakpoint);
        QCOMPARE(held.command, QStringLiteral("EXPIRE k 60"));
        QCOMPARE(commands, QStringList {QStringLiteral("SETNX")});
        QVERIFY((*server)({"PTTL", "k"}).isInteger(-1));
        QCOMPARE(after(R"({"do": "go"})").event, Event::Acquired);
        QVERIFY((*server)({"PTTL", "k"}).toInteger() > 0);
    }

    void pipeline_isHeldAsAWhole()
    {
        client->order(R"({"do": "go", "before": ["EXPIRE"]})");
        const ClientReport held =
            after(R"({"do": "acquire", "recipe": "multi-setnx-expire", "key": "k", "lease_ms": 60000})");
        QCOMPARE(held.command, QStringLiteral("MULTI; SETNX k locking; EXPIRE k 60; EXEC"));
        QVERIFY((*server)({"EXISTS", "k"}).isInteger(0));
    }

    void everyCommandOfThatName_isHeld()
    {
        client->order(R"({"do": "go", "before": ["HSET", "HDEL"]})");
        const QByteArray order = R"({"do": "put", "recipe": "hash-placeholder", "key": "k", "lifetime_ms": 60000,
                                     "fields": [{"name": "a", "value": "1"}]})";
        QCOMPARE(after(order).event, Event::AtBreakpoint);
        const QByteArray goOn = R"({"do": "go", "before": ["HSET", "HDEL"]})";
        QVERIFY(after(goOn).command.startsWith(QLatin1String("HSET k a ")));
        QVERIFY(after(goOn).command.startsWith(QLatin1String("HDEL k ")));
        QCOMPARE(after(goOn).operationResult.outcome, QStringLiteral("written"));
    }

    void transactionThatIsHeld_isReadRightThoughAPingIsPartOfIt()
    {
        (void)after(R"({"do": "acquire", "recipe": "token-watch", "key": "k", "lease_ms": 60000})");
        client->order(R"({"do": "go", "before": ["DEL"]})");
        QCOMPARE(after(R"({"do": "release"})").event, Event::AtBreakpoint);
        LATCHKEY_AWAIT((*server)({"CLIENT", "LIST"}).bytes().contains(" multi=1 "));
        QCOMPARE(after(R"({"do": "go"})").event, Event::Released);
        QVERIFY((*server)({"EXISTS", "k"}).isInteger(0));
    }

    void pause_isHeldAsWait()
    {
        client->order(R"({"do": "go", "before": ["WAIT"]})");
        QCOMPARE(after(R"({"do": "recompute", "key": "k", "value": "v", "policy": "none", "work_ms": 3600000})").event,
                 Event::AtBreakpoint);
        client.reset(); // In the middle of the work.
        QVERIFY((*server)({"EXISTS", "k"}).isInteger(0));
    }

    void orders_surviveTheWayThereAndBack()
    {
        const caches::CacheOptions options {base::Key(QByteArray("k\0\xff", 3)),
                                            base::Lease::of(std::chrono::seconds(5)).value(),
                                            caches::LifetimeUnit::Seconds, true, std::nullopt};
        caches::CacheOptions guarded = options;
        guarded.guard = caches::GuardOptions();
        guarded.guard->policy = caches::GuardPolicy::ServeStale;
        guarded.guard->lease = base::Lease::of(std::chrono::seconds(7)).value();
        const QList<ClientOrder> orders {
            PutOrder {QStringLiteral("set-ex"), options, caches::Content::ofValue("\xfe")},
            PutOrder {QStringLiteral("hash-lua"), options, caches::Content::ofFields({{"\xfd", "v"}, {"w", {}}})},
            GetOrder {QStringLiteral("set-ex"), options},
            RecomputeOrder {guarded, "v", std::chrono::milliseconds(3)},
            SendOrder {{"SET", "k", QByteArray("\0\xff", 2)}, 2},
            WriteOrder {},
            ResumeOrder {{"DEL", "WAIT"}},
            ResumeOrder {{"CLOCK"}, true, 1, 2},
            ClockOrder {std::chrono::hours(-3)},
            ReconnectOrder {2},
        };
        for (const ClientOrder &order : orders) {
            const QByteArray line = files::toLine(toJson(order));
            const auto back = orderFromJson(line);
            LATCHKEY_VERIFY_RESULT(back);
            QCOMPARE(back->index(), order.index());
            QCOMPARE(files::toLine(toJson(*back)), line);
        }
    }

    void operationResult_survivesTheWayThereAndBack()
    {
        ClientReport report;
        report.event = Event::Done;
        report.operationResult = {
            QStringLiteral("hit"), QByteArray("\0\xff", 2), {{"a", "\xfe"}}, base::Text(QStringLiteral("OK"))};
        const auto back = reportFromJson(files::toLine(toJson(report)));
        LATCHKEY_VERIFY_RESULT(back);
        QCOMPARE(back->event, Event::Done);
        QCOMPARE(back->operationResult, report.operationResult);
    }
};

LATCHKEY_TEST(TestOperations)

} // namespace tst_operations

#include "tst_operations.moc"
