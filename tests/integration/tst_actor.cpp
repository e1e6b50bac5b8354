#include "core/foundation/files/json.h"
#include "core/playground/playground/clientprotocol.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QJsonDocument>
#include <QProcess>
#include <QTest>

namespace tst_actor {

using namespace latchkey;
using namespace latchkey::playground;
using Event = ClientReport::Event;
using namespace std::chrono_literals;

/// Tests of the actor as a program: lines in, lines out.
class TestActor final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::TestServer> server;

    QList<QJsonObject> run(const QByteArray &input, int expectedExit = 0, const QStringList &otherUrls = {})
    {
        QProcess actor;
        QStringList arguments {QStringLiteral("--url"), server->url()};
        for (const QString &url : otherUrls)
            arguments += {QStringLiteral("--url"), url};
        actor.start(QStringLiteral(LATCHKEY_CLI), arguments + QStringList {QStringLiteral("actor")});
        actor.write(input);
        actor.closeWriteChannel();
        [&] { QVERIFY(actor.waitForFinished(30'000)); }();
        [&] { QCOMPARE(actor.exitCode(), expectedExit); }();
        QList<QJsonObject> reports;
        for (const QByteArray &line : actor.readAllStandardOutput().split('\n')) {
            if (!line.isEmpty())
                reports += QJsonDocument::fromJson(line).object();
        }
        return reports;
    }
    static QStringList eventsOf(const QList<QJsonObject> &reports)
    {
        QStringList events;
        for (const QJsonObject &report : reports) {
            if (report[QStringLiteral("event")] != QStringLiteral("wire"))
                events += report[QStringLiteral("event")].toString();
        }
        return events;
    }

private Q_SLOTS:
    void severalServers_areForRedlockAndTheFirstForTheOthers()
    {
        test::TestServer second;
        const auto reports = run(R"({"do": "acquire", "recipe": "redlock", "key": "k", "lease_ms": 5000}
{"do": "extend", "lease_ms": 9000}
{"do": "release"}
{"do": "acquire", "recipe": "token", "key": "k", "lease_ms": 5000})",
                                 0, {second.url(), QStringLiteral("unix:///nonexistent")});
        QCOMPARE(eventsOf(reports).join(u' '), QStringLiteral("ready acquired extended released acquired"));
        // A recipe for one server uses the first.
        QVERIFY((*server)({"EXISTS", "k"}).isInteger(1));
        QVERIFY(second({"EXISTS", "k"}).isInteger(0));
    }

    void foreignKey_isUnchangedByARecipeThatWritesWhenBusy()
    {
        QVERIFY((*server)({"RPUSH", "k", "work"}).isInteger(1));
        const auto reports = run(R"({"do": "acquire", "recipe": "multi-setnx-expire", "key": "k"})");
        QCOMPARE(reports.last()[QStringLiteral("message")].toString(),
                 QStringLiteral("the key holds a list, which is not a lock"));
        QVERIFY((*server)({"PTTL", "k"}).isInteger(-1));
    }

    void init() { server = std::make_unique<test::TestServer>(); }
    void cleanup() { server.reset(); }

    void orders_areCarriedOutOneAfterTheOther()
    {
        const auto reports = run(R"({"do": "acquire", "recipe": "token", "key": "k", "lease_ms": 5000}
{"do": "extend", "lease_ms": 9000}
{"do": "release"}
{"do": "acquire", "recipe": "basic", "key": "k"})");
        QCOMPARE(eventsOf(reports).join(u' '), QStringLiteral("ready acquired extended released acquired"));
        QVERIFY2((*server)({"GET", "k"}).isBulk("locking"), "when it ends it releases nothing");
        const auto acquired = reports[2];
        QCOMPARE(acquired[QStringLiteral("key")].toString(), QStringLiteral("k"));
        QCOMPARE(acquired[QStringLiteral("lease_ms")].toInteger(), qint64(5000));
        QVERIFY(acquired[QStringLiteral("valid_for_ms")].toInteger() > 4000);
        qint64 last = 0;
        for (const QJsonObject &report : reports) {
            const qint64 written = report[QStringLiteral("written_at_boot_ms")].toInteger();
            QVERIFY(written >= last && written > 0);
            last = written;
        }
        QVERIFY(last <= base::SystemClock::instance().now().time_since_epoch() / 1ms);
        QCOMPARE(acquired[QStringLiteral("token")].toString().size(), 32);
    }

    void quit_releasesNothing()
    {
        const auto reports = run("{\"do\": \"acquire\", \"recipe\": \"basic\", \"key\": \"k\"}\n{\"do\": "
                                 "\"quit\"}\n{\"do\": \"release\"}\n");
        QCOMPARE(eventsOf(reports).join(u' '), QStringLiteral("ready acquired"));
        QVERIFY((*server)({"EXISTS", "k"}).isInteger(1));
    }

    void badOrders_areOneSentenceEach_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QString>("message");
        const auto row = [](const char *name, const char *line, const char *message) {
            QTest::addRow("%s", name) << QByteArray(line) << QString::fromLatin1(message);
        };
        row("no JSON", "acquire token k", "the line is not JSON: illegal value at byte 1");
        row("no object", "[1]", "the line is not a JSON object");
        row("unknown order", R"({"do": "dance"})",
            "unknown order \"dance\"; there are acquire, release, extend, put, get, recompute, send, write, go, "
            "clock, lose-reply, reconnect and quit");
        row("no key", R"({"do": "acquire", "recipe": "token"})", "acquire needs a recipe and a key");
        row("unknown recipe", R"({"do": "acquire", "recipe": "mutex", "key": "k"})",
            "unknown recipe \"mutex\"; there are ");
        row("lease of zero", R"({"do": "acquire", "recipe": "token", "key": "k", "lease_ms": 0})",
            "a lease must be longer than zero, not 0ms");
        row("half a millisecond", R"({"do": "acquire", "recipe": "token", "key": "k", "lease_ms": 0.5})",
            "lease_ms is not a whole number");
        row("unknown unit", R"({"do": "acquire", "recipe": "auto-release", "key": "k", "unit": "m"})",
            "unknown unit \"m\"; the units of a lease are s and ms");
        row("useless option", R"({"do": "acquire", "recipe": "basic", "key": "k", "lease_ms": 5})",
            "the recipe basic does not accept a lease: its locks do not expire");
        row("key not base64", R"({"do": "acquire", "recipe": "basic", "key_base64": "%%"})",
            "key_base64 is not base64");
        row("nothing held", R"({"do": "release"})", "it holds no lock");
        row("nothing to extend", R"({"do": "extend", "lease_ms": 5})", "it holds no lock");
        row("extend by nothing", R"({"do": "extend"})", "extend needs lease_ms");
    }
    void badOrders_areOneSentenceEach()
    {
        QFETCH(QByteArray, line);
        QFETCH(QString, message);
        const auto reports = run(line + '\n');
        QCOMPARE(eventsOf(reports).join(u' '), QStringLiteral("ready error"));
        QVERIFY2(reports.back()[QStringLiteral("message")].toString().startsWith(message),
                 qPrintable(reports.back()[QStringLiteral("message")].toString()));
        QVERIFY((*server)({"DBSIZE"}).isInteger(0));
    }

    void keysThatAreNotText_travelAsBase64()
    {
        const QByteArray key("nul\0\xff", 5);
        const auto reports =
            run("{\"do\": \"acquire\", \"recipe\": \"basic\", \"key_base64\": \"" + key.toBase64() + "\"}\n");
        QCOMPARE(eventsOf(reports).join(u' '), QStringLiteral("ready acquired"));
        QVERIFY((*server)({"EXISTS", key}).isInteger(1));
        QCOMPARE(QByteArray::fromBase64(reports.back()[QStringLiteral("key_base64")].toString().toLatin1()), key);
    }

    void protocol_survivesTheWayThereAndBack()
    {
        AcquireOrder order;
        order.recipe = QStringLiteral("token");
        order.options.key = base::Key(QByteArray("k\0\xff", 3));
        order.options.lease = base::Lease::of(1500ms).value();
        order.options.token = base::OwnerToken("\xfe");
        order.wait = 20ms;
        const auto back = orderFromJson(files::toLine(toJson(ClientOrder(order))));
        LATCHKEY_VERIFY_RESULT(back);
        const auto &read = std::get<AcquireOrder>(*back);
        QCOMPARE(read.options.key, order.options.key);
        QCOMPARE(*read.options.lease, *order.options.lease);
        QCOMPARE(*read.options.token, *order.options.token);
        QCOMPARE(read.wait, order.wait);

        ClientReport report;
        report.event = Event::Acquired;
        report.key = order.options.key;
        report.token = *order.options.token;
        report.fencing = 7;
        report.lease = 1500ms;
        report.writtenAt = base::MonotonicTime(81'234'567'890ns);
        report.validUntil = report.writtenAt + 1400ms;
        const auto reportBack = reportFromJson(files::toLine(toJson(report)));
        LATCHKEY_VERIFY_RESULT(reportBack);
        QCOMPARE(reportBack->event, report.event);
        QCOMPARE(reportBack->key, report.key);
        QCOMPARE(reportBack->token, report.token);
        QCOMPARE(reportBack->fencing, report.fencing);
        QCOMPARE(reportBack->lease, report.lease);
        QCOMPARE(reportBack->writtenAt, base::MonotonicTime(81'234ms));
        QCOMPARE(*reportBack->validUntil, base::MonotonicTime(81'234ms + 1400ms));
        QVERIFY2(!reportFromJson(R"({"event": "ready"})"), "every report says when it was written");

        for (const Event event : {Event::Renewed, Event::Lost}) {
            report.event = event;
            report.message = QStringLiteral("how");
            const auto unreadCount = reportFromJson(files::toLine(toJson(report)));
            LATCHKEY_VERIFY_RESULT(unreadCount);
            QCOMPARE(unreadCount->event, event);
            QCOMPARE(unreadCount->message, report.message);
        }
    }

    void unreachableServer_isAnErrorAndOrdersAreStillAnswered()
    {
        QProcess actor;
        actor.start(QStringLiteral(LATCHKEY_CLI),
                    {QStringLiteral("--url"), QStringLiteral("redis://127.0.0.1:1"), QStringLiteral("actor")});
        actor.write("{\"do\": \"acquire\", \"recipe\": \"basic\", \"key\": \"k\"}\n");
        actor.closeWriteChannel();
        QVERIFY(actor.waitForFinished(30'000));
        const QList<QByteArray> lines = actor.readAllStandardOutput().trimmed().split('\n');
        QVERIFY2(lines.size() >= 2, lines.join('\n').constData());
        for (const QByteArray &line : lines)
            QVERIFY2(line.contains("Connection refused"), line.constData());
    }
};

LATCHKEY_TEST(TestActor)

} // namespace tst_actor

#include "tst_actor.moc"
