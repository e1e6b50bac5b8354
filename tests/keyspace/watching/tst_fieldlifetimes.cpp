#include "core/keyspace/watching/fieldlifetimes.h"

#include "core/redis/exchange/blockingdriver.h"
#include "tests/support/await.h"
#include "tests/support/fieldlifetimes.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_fieldlifetimes {

using namespace latchkey;
using namespace latchkey::watching;
using base::SystemClock;
using exchange::Answers;
using exchange::Grant;
using exchange::Stepper;
using keys::FieldDeadlines;
using resp::Reply;
using State = FieldLifetimeSupport::State;
using namespace std::chrono_literals;

namespace {

FieldLifetimeSupport known()
{
    return {State::Supported, {}};
}

Stepper<FieldLifetimesRead> asking(std::vector<base::Key> keys, const FieldLifetimeSupport &support = known())
{
    return Stepper<FieldLifetimesRead>(readFieldLifetimes(std::move(keys), FieldRequest(), support));
}

/// Returns the next command that the exchange sends; a batch on one line.
QString next(const Stepper<FieldLifetimesRead> &stepper)
{
    const auto *batch = std::get_if<exchange::Batch>(&stepper.step());
    if (batch == nullptr)
        return exchange::toText(stepper.step());
    QStringList commands;
    for (const exchange::Request &request : batch->requests())
        commands += request.command().toText();
    return commands.join(QStringLiteral("; "));
}

Grant answers(std::vector<Reply> replies)
{
    Answers all;
    for (Reply &reply : replies)
        all.push_back(exchange::answerFrom(std::move(reply)));
    return Grant(std::move(all));
}

Reply names(const QByteArray &cursor, const QList<QByteArray> &fields)
{
    std::vector<Reply> elements;
    for (const QByteArray &field : fields)
        elements.push_back(Reply::bulk(field));
    return Reply::array({Reply::bulk(cursor), Reply::array(std::move(elements))});
}

Reply lifetimes(const QList<qint64> &milliseconds)
{
    std::vector<Reply> elements;
    for (const qint64 left : milliseconds)
        elements.push_back(Reply::integer(left));
    return Reply::array(std::move(elements));
}

Grant clock(base::MonotonicTime now)
{
    return exchange::Instant {now, {}};
}

/// Answers the rest of the exchange for one hash of small size.
FieldDeadlines endsAfter(Stepper<FieldLifetimesRead> &stepper, const QList<QByteArray> &fields,
                         const QList<qint64> &left, const QByteArray &cursor = "0")
{
    stepper.grant(answers({Reply::integer(fields.size()), Reply::integer(1000)}));
    stepper.grant(answers({names(cursor, fields)}));
    if (!stepper.isFinished() && next(stepper).startsWith(QLatin1String("HSCAN")))
        qFatal("it scans on");
    stepper.grant(clock(base::MonotonicTime(1h)));
    stepper.grant(answers({lifetimes(left)}));
    stepper.grant(clock(base::MonotonicTime(1h)));
    return stepper.takeResult().value().hashes.front().ends;
}

} // namespace

/// Tests of reading the lifetimes of hash fields: the commands sent, the results, and the choice of hashes.
class TestFieldLifetimes final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void serverWithoutTheCommand_isAskedNothingElse_data()
    {
        QTest::addColumn<QByteArray>("error");
        QTest::addColumn<State>("state");
        QTest::newRow("unknown") << QByteArray("ERR unknown command 'HPTTL', with args beginning with: 'h' ")
                                 << State::NotSupported;
        QTest::newRow("removed by a service") << QByteArray("ERR command is not supported") << State::NotSupported;
        QTest::newRow("denied") << QByteArray("NOPERM User w has no permissions to run the 'hpttl' command")
                                << State::Denied;
        QTest::newRow("denied, before 7.2")
            << QByteArray("NOPERM this user has no permissions to run the 'hpttl' command") << State::Denied;
    }
    void serverWithoutTheCommand_isAskedNothingElse()
    {
        QFETCH(const QByteArray, error);
        QFETCH(const State, state);
        auto stepper = asking({base::Key("h"), base::Key("other")}, {});
        QCOMPARE(next(stepper), QStringLiteral("HPTTL h FIELDS 1 \"\""));
        stepper.grant(Reply::error(error));
        QVERIFY(stepper.isFinished());
        const FieldLifetimesRead read = stepper.takeResult().value();
        QCOMPARE(read.support.state, state);
        QVERIFY(read.support.isRefused() && read.support.refusal.has_value());
        QVERIFY(read.hashes.empty());
        QCOMPARE(read.commands, 1);
        QVERIFY(asking({base::Key("h")}, read.support).isFinished()); // The next read does not ask again.
    }

    /// A denied key, a key of another type and a key of another node do not show whether the server has the command.
    void unreadableKey_givesNoStatementAboutTheServer_data()
    {
        QTest::addColumn<QByteArray>("error");
        QTest::newRow("key denied") << QByteArray("NOPERM No permissions to access a key");
        QTest::newRow("type") << QByteArray("WRONGTYPE Operation against a key holding the wrong kind of value");
        QTest::newRow("moved") << QByteArray("MOVED 12182 127.0.0.1:7001");
    }
    void unreadableKey_givesNoStatementAboutTheServer()
    {
        QFETCH(const QByteArray, error);
        auto stepper = asking({base::Key("h"), base::Key("other")}, {});
        stepper.grant(Reply::error(error));
        QCOMPARE(next(stepper), QStringLiteral("HLEN h; MEMORY USAGE h; HLEN other; MEMORY USAGE other"));
        stepper.grant(answers({Reply::error(error), Reply::error(error), Reply::integer(1), Reply::integer(80)}));
        QCOMPARE(next(stepper), QStringLiteral("HSCAN other 0 COUNT 500 NOVALUES"));
        stepper.grant(answers({names("0", {"f"})}));
        stepper.grant(clock(base::MonotonicTime(1h)));
        QCOMPARE(next(stepper), QStringLiteral("HPTTL other FIELDS 1 f"));
        stepper.grant(answers({lifetimes({5000})}));
        stepper.grant(clock(base::MonotonicTime(1h)));
        const FieldLifetimesRead read = stepper.takeResult().value();
        QCOMPARE(read.support.state, State::Supported);
        QVERIFY(!read.hashes[0].isKnown && read.hashes[1].isKnown);
        QCOMPARE(read.hashes[1].ends.firstEnd().at(), base::MonotonicTime(1h + 5s));
    }

    void fields_comeInTheOrderInWhichTheyEnd()
    {
        auto stepper = asking({base::Key("h")});
        const FieldDeadlines ends = endsAfter(stepper, {"never", "late", "soon", "gone", "alike", "\xff"},
                                              {-1, 60'000, 5000, -2, 60'000, 9000});
        QList<QByteArray> order;
        for (const FieldDeadlines::Field &field : ends.first)
            order += field.name;
        QCOMPARE(order, (QList<QByteArray> {"soon", QByteArray("\xff", 1), "alike", "late"}));
        QCOMPARE(ends.endingCount, 4);
        QCOMPARE(ends.readCount, 5); // One field ended between the two commands.
        QVERIFY(ends.isWhole && ends.unreadCount() == 0);
        QCOMPARE(ends.last.at(), base::MonotonicTime(1h + 1min));
        QVERIFY(ends.wholeEnd().isNever()); // One field has no expiry.
        QCOMPARE(ends.endOf("soon")->at(), base::MonotonicTime(1h + 5s));
        QVERIFY(!ends.endOf("never"));
    }

    void keyEndsWithItsLastField_ifAllOfThemEnd()
    {
        auto all = asking({base::Key("h")});
        QCOMPARE(endsAfter(all, {"a", "b"}, {5000, 7000}).wholeEnd().at(), base::MonotonicTime(1h + 7s));
        auto cut = asking({base::Key("h")}); // One field has too long a name to be asked, so the end is unknown.
        QVERIFY(endsAfter(cut, {"a", QByteArray(FieldDeadlines::maxNameLength + 1, 'x')}, {5000}).wholeEnd().isNever());
    }

    /// For a million fields, the number of requested and the number of stored lifetimes are limited.
    void largeHash_isAskedInPart()
    {
        auto stepper = asking({base::Key("h")});
        stepper.grant(answers({Reply::integer(1'000'000), Reply::integer(100'000'000)}));
        QCOMPARE(next(stepper), QStringLiteral("HSCAN h 0 COUNT 500 NOVALUES"));
        QList<QByteArray> fields;
        QList<qint64> left;
        for (int i = 0; i < 510; ++i) { // HSCAN may return more fields than COUNT.
            fields += 'f' + QByteArray::number(i);
            if (i < 500)
                left += 1000 + i;
        }
        stepper.grant(answers({names("4711", fields)}));
        stepper.grant(clock(base::MonotonicTime(1h)));
        QVERIFY(next(stepper).startsWith(QLatin1String("HPTTL h FIELDS 500 f0 f1 ")));
        stepper.grant(answers({lifetimes(left)}));
        stepper.grant(clock(base::MonotonicTime(1h)));
        const FieldDeadlines ends = stepper.takeResult().value().hashes.front().ends;
        QCOMPARE(ends.first.size(), FieldDeadlines::maxFields);
        QCOMPARE(ends.endingCount, 500);
        QCOMPARE(ends.moreEnding(), 400);
        QCOMPARE(ends.unreadCount(), 999'500);
        QVERIFY(!ends.isWhole && ends.wholeEnd().isNever());
    }

    void hashOfLargeFields_isAskedForFewer_data()
    {
        QTest::addColumn<QByteArray>("memory");
        QTest::addColumn<int>("count");
        QTest::newRow("64 KiB each") << QByteArray("65536000") << 16;
        QTest::newRow("8 MiB each") << QByteArray("8388608000") << 1;
        QTest::newRow("not told") << QByteArray() << 100;
    }
    void hashOfLargeFields_isAskedForFewer()
    {
        QFETCH(const QByteArray, memory);
        QFETCH(const int, count);
        auto stepper = asking({base::Key("h")});
        stepper.grant(answers({Reply::integer(1000), memory.isEmpty() ? Reply::error("NOPERM memory")
                                                                      : Reply::integer(memory.toLongLong())}));
        QCOMPARE(next(stepper), QStringLiteral("HSCAN h 0 COUNT %1 NOVALUES").arg(count));
    }

    /// A scan with few results continues for a limited number of rounds.
    void scanThatGivesNothing_isGivenUp()
    {
        auto stepper = asking({base::Key("h")});
        stepper.grant(answers({Reply::integer(100), Reply::integer(1000)}));
        int rounds = 0;
        for (; next(stepper).startsWith(QLatin1String("HSCAN")); ++rounds)
            stepper.grant(answers({names("7", {})}));
        QCOMPARE(rounds, 4);
        QVERIFY(stepper.isFinished());
        QVERIFY(!stepper.takeResult().value().hashes.front().isKnown);
    }

    /// The caller must know whether these commands ended the connection.
    void lostConnection_isNoAnswer()
    {
        auto stepper = asking({base::Key("h")});
        stepper.grant(answers({Reply::integer(1), Reply::integer(80)}));
        stepper.grant(Grant(Answers {base::failure(base::ErrorKind::Local, QStringLiteral("too much"))}));
        QCOMPARE(stepper.takeResult().error().kind, base::ErrorKind::Local);
    }

    void realServer_tellsWhatWasSet()
    {
        test::TestServer server;
        LATCHKEY_NEED_FIELD_LIFETIMES(server);
        QVERIFY(!server({"HSET", "h", "a", "1", "b", "2", "c", "3"}).isError());
        QVERIFY(!server({"HPEXPIRE", "h", "60000", "FIELDS", "1", "a"}).isError());
        QVERIFY(!server({"HPEXPIRE", "h", "40000", "FIELDS", "1", "c"}).isError());
        QVERIFY(server({"EVAL", "for i = 1, 20000 do redis.call('HSET', 'big', 'f' .. i, i) end return 1", "0"})
                    .isInteger(1));
        exchange::BlockingDriver driver({server.endpoint()});
        const auto read =
            driver.run(readFieldLifetimes({base::Key("h"), base::Key("none"), base::Key("big")}, FieldRequest(), {}));
        LATCHKEY_VERIFY_RESULT(read);
        QCOMPARE(read->support.state, State::Supported);
        const FieldDeadlines &ends = read->hashes[0].ends;
        QCOMPARE(ends.first.size(), 2);
        QCOMPARE(ends.first[0].name, QByteArray("c"));
        QVERIFY(ends.firstEnd().remaining(SystemClock::instance().now()) <= 40s);
        QVERIFY(ends.firstEnd().remaining(SystemClock::instance().now()) > 30s);
        QVERIFY(ends.isWhole && ends.readCount == 3);
        QVERIFY(!read->hashes[1].isKnown);
        QVERIFY(read->hashes[2].isKnown && read->hashes[2].ends.isEmpty());
        QVERIFY(read->hashes[2].ends.readCount >= 100 && !read->hashes[2].ends.isWhole);
    }
};

LATCHKEY_TEST(TestFieldLifetimes)

} // namespace tst_fieldlifetimes

#include "tst_fieldlifetimes.moc"
