#include "core/explore/schedules/schedulefile.h"
#include "core/explore/schedules/scheduleplayer.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QFile>
#include <QTest>

namespace tst_scheduleplayer {

using namespace latchkey;
using namespace latchkey::schedules;
using namespace std::chrono_literals;
using resp::Reply;

namespace {

ScheduleStep command(const char *client, resp::Command words, Reply reply)
{
    ScheduleStep step;
    step.client = QLatin1String(client);
    step.command = std::move(words);
    step.reply = std::move(reply);
    return step;
}

ScheduleStep fault(ScheduleStep::Kind kind, const char *client, const QByteArray &key = {})
{
    ScheduleStep step;
    step.kind = kind;
    step.client = QLatin1String(client);
    step.key = key;
    return step;
}

} // namespace

/// Tests stories on a real server.
class TestSchedulePlayer final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::TestServer> server;

    /// Plays the story to its end or to the first difference. Returns the number of steps that passed.
    std::size_t playedAsExpected(const RecordedSchedule &schedule)
    {
        SchedulePlayer player(schedule, {server->endpoint()});
        if (const auto begun = player.begin(); !begun)
            qFatal("%s", qPrintable(begun.error().message()));
        while (!player.isOver()) {
            const auto played = player.playNext();
            if (!played)
                qFatal("%s", qPrintable(played.error().message()));
            if (!played->hasPassed)
                return player.played() - 1;
        }
        return player.played();
    }

private Q_SLOTS:
    void init() { server = std::make_unique<test::TestServer>(); }

    void commands_goToTheServer_andTheirRepliesAreCompared()
    {
        RecordedSchedule schedule;
        schedule.setupCommands = {{"SET", "k", "1"}};
        schedule.steps = {command("A", {"INCR", "k"}, Reply::integer(2)), command("B", {"GET", "k"}, Reply::bulk("2")),
                          command("A", {"GET", "none"}, Reply::nil()), command("A", {"LLEN", "k"}, Reply::nil())};
        QCOMPARE(playedAsExpected(schedule), std::size_t(3));
        schedule.steps.pop_back();
        QCOMPARE(playedAsExpected(schedule), std::size_t(3));
        QVERIFY((*server)({"GET", "k"}).isBulk("2"));
    }

    void everyPlay_startsFromTheBeginning()
    {
        RecordedSchedule schedule;
        schedule.steps = {command("A", {"SET", "k", "v", "NX"}, Reply::status("OK"))};
        (*server)({"SET", "k", "another client's"});
        QCOMPARE(playedAsExpected(schedule), std::size_t(1));
        QCOMPARE(playedAsExpected(schedule), std::size_t(1));
    }

    void clients_haveConnectionsOfTheirOwn_thatEndWithThem()
    {
        RecordedSchedule schedule;
        schedule.steps = {
            command("A", {"WATCH", "k"}, Reply::status("OK")),   command("B", {"SET", "k", "v"}, Reply::status("OK")),
            command("A", {"MULTI"}, Reply::status("OK")),        command("B", {"GET", "k"}, Reply::bulk("v")),
            command("A", {"DEL", "k"}, Reply::status("QUEUED")), fault(ScheduleStep::Kind::Crash, "A"),
            command("A", {"GET", "k"}, Reply::bulk("v")),
        };
        QCOMPARE(playedAsExpected(schedule), schedule.steps.size());
        // Without the crash, A is still in its transaction.
        std::erase_if(schedule.steps, [](const ScheduleStep &step) { return step.kind == ScheduleStep::Kind::Crash; });
        QCOMPARE(playedAsExpected(schedule), schedule.steps.size() - 1);
    }

    /// The example in the documentation must work on a real server.
    void builtInStory_passes()
    {
        QFile file(QStringLiteral(LATCHKEY_SOURCE_DIR "/resources/stories/README.md"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QByteArray page = file.readAll();
        const qsizetype begin = page.indexOf("```json\n", page.indexOf("## Recorded schedules\n"));
        QVERIFY(begin >= 0);
        page = page.sliced(begin + 8);
        const auto schedule = fromFile(page.first(page.indexOf("```")));
        LATCHKEY_VERIFY_RESULT(schedule);
        QCOMPARE(playedAsExpected(*schedule), schedule->steps.size());
        const QByteArray limit = QByteArray::number(qint64(SchedulePlayer::stepTimeout.count())) + " seconds";
        QVERIFY2(page.contains(limit), "the page says how long a step may take");
    }

    void failover_losesTheWritesAndTheConnections()
    {
        RecordedSchedule schedule;
        ScheduleStep failover = fault(ScheduleStep::Kind::Failover, "");
        failover.lostSteps = {1, 3};
        schedule.steps = {
            command("A", {"SET", "k", "v", "PX", "36000000"}, Reply::status("OK")),
            command("A", {"SET", "other", "v"}, Reply::status("OK")),
            command("A", {"MULTI"}, Reply::status("OK")),
            command("B", {"DEL", "k"}, Reply::integer(1)),
            failover,
            command("A", {"GET", "k"}, Reply::bulk("v")), // Not queued: A has a new connection.
            command("B", {"EXISTS", "other"}, Reply::integer(0)),
        };
        QCOMPARE(playedAsExpected(schedule), schedule.steps.size());
        const auto left = (*server)({"PTTL", "k"}).toInteger();
        QVERIFY2(left > 35'000'000 && left <= 36'000'000, qPrintable(QString::number(left)));
        // Without a lost write, only the connections end.
        schedule.steps[4].lostSteps.clear();
        schedule.steps[5].reply = Reply::nil();
        schedule.steps[6].reply = Reply::integer(1);
        QCOMPARE(playedAsExpected(schedule), schedule.steps.size());
    }

    void restart_emptiesTheServerAndEndsTheConnections()
    {
        RecordedSchedule schedule;
        ScheduleStep restart = fault(ScheduleStep::Kind::Restart, "");
        restart.losesAll = true;
        schedule.setupCommands = {{"SET", "old", "v"}};
        schedule.steps = {
            command("A", {"SET", "k", "v"}, Reply::status("OK")),
            command("A", {"MULTI"}, Reply::status("OK")),
            restart,
            command("A", {"EXISTS", "k", "old"}, Reply::integer(0)),
        };
        QCOMPARE(playedAsExpected(schedule), schedule.steps.size());
    }

    /// A server that stays away until its lifetimes are over has saved the other keys.
    void outage_endsLifetimes()
    {
        RecordedSchedule schedule;
        ScheduleStep unreached = command("A", {"DEL", "other"}, Reply());
        unreached.isUnreached = true;
        schedule.steps = {
            command("A", {"SET", "k", "v", "PX", "36000000"}, Reply::status("OK")),
            command("A", {"SET", "other", "v"}, Reply::status("OK")),
            fault(ScheduleStep::Kind::Outage, ""),
            unreached,
            fault(ScheduleStep::Kind::Return, ""),
            command("A", {"GET", "k"}, Reply::nil()),
            command("A", {"GET", "other"}, Reply::bulk("v")),
        };
        QCOMPARE(playedAsExpected(schedule), schedule.steps.size());
    }

    void commandThatIsUnreached_endsTheConnection()
    {
        RecordedSchedule schedule;
        ScheduleStep unreached = command("A", {"SET", "k", "v"}, Reply());
        unreached.isUnreached = true;
        schedule.steps = {command("A", {"MULTI"}, Reply::status("OK")), unreached,
                          command("A", {"GET", "k"}, Reply::nil())};
        QCOMPARE(playedAsExpected(schedule), schedule.steps.size());
    }

    void clockJump_endsEveryLifetime()
    {
        RecordedSchedule schedule;
        schedule.steps = {
            command("A", {"SET", "k", "v", "PX", "36000000"}, Reply::status("OK")),
            command("A", {"SET", "other", "v"}, Reply::status("OK")),
            command("A", {"MULTI"}, Reply::status("OK")),
            fault(ScheduleStep::Kind::ClockJump, ""),
            command("A", {"GET", "k"}, Reply::status("QUEUED")), // The connections stay.
            command("A", {"GET", "other"}, Reply::status("QUEUED")),
            command("A", {"EXEC"}, Reply::array({Reply::nil(), Reply::bulk("v")})),
        };
        QCOMPARE(playedAsExpected(schedule), schedule.steps.size());
    }

    /// A replica has the same clock: a lifetime that has ended does not come back.
    void failover_bringsBackNoEndedLifetime()
    {
        RecordedSchedule schedule;
        ScheduleStep failover = fault(ScheduleStep::Kind::Failover, "");
        failover.lostSteps = {2};
        schedule.steps = {
            command("A", {"SET", "k", "v", "PX", "36000000"}, Reply::status("OK")),
            command("A", {"SET", "longer", "v", "PX", "72000000"}, Reply::status("OK")),
            command("B", {"SET", "other", "v"}, Reply::status("OK")),
            fault(ScheduleStep::Kind::Lapse, "", "k"),
            failover,
            command("A", {"EXISTS", "k"}, Reply::integer(0)),
            command("A", {"EXISTS", "longer"}, Reply::integer(1)),
            command("A", {"EXISTS", "other"}, Reply::integer(0)),
        };
        QCOMPARE(playedAsExpected(schedule), schedule.steps.size());
    }

    void lapse_fallsIntoNoTransaction()
    {
        RecordedSchedule schedule;
        schedule.setupCommands = {{"SET", "k", "v", "PX", "36000000"}, {"MULTI"}};
        schedule.steps = {command("A", {"MULTI"}, Reply::status("OK")), fault(ScheduleStep::Kind::Lapse, "", "k"),
                          command("B", {"EXISTS", "k"}, Reply::integer(0))};
        QCOMPARE(playedAsExpected(schedule), std::size_t(3));
    }

    void impossibleStep_isRefusedWithItsPlace_data()
    {
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("violation");
        const auto lapse = static_cast<int>(ScheduleStep::Kind::Lapse);
        const auto deadline = static_cast<int>(ScheduleStep::Kind::PassDeadline);
        QTest::addRow("a lapse of nothing")
            << QByteArray() << lapse << QStringLiteral("steps[1]: the key k is not there, so its lifetime cannot end");
        QTest::addRow("a lapse of what stays for ever")
            << QByteArray("v") << lapse << QStringLiteral("steps[1]: the key k has no lifetime that could end");
        QTest::addRow("a deadline of nothing")
            << QByteArray() << deadline << QStringLiteral("steps[1]: the key k holds no deadline");
        QTest::addRow("a deadline that is none")
            << QByteArray("v") << deadline << QStringLiteral("steps[1]: the key k holds no deadline");
    }
    void impossibleStep_isRefusedWithItsPlace()
    {
        QFETCH(QByteArray, value);
        QFETCH(int, kind);
        QFETCH(QString, violation);
        RecordedSchedule schedule;
        if (!value.isEmpty())
            schedule.setupCommands = {{"SET", "k", value}};
        schedule.steps = {command("A", {"EXISTS", "k"}, Reply::integer(value.isEmpty() ? 0 : 1)),
                          fault(static_cast<ScheduleStep::Kind>(kind), "", "k")};
        SchedulePlayer player(schedule, {server->endpoint()});
        LATCHKEY_VERIFY_RESULT(player.begin());
        LATCHKEY_VERIFY_RESULT(player.playNext());
        const auto played = player.playNext();
        QVERIFY(!played);
        QCOMPARE(played.error().kind, base::ErrorKind::Usage);
        QCOMPARE(played.error().message(), violation);
    }

    void deadline_thatIsThere_isPassed()
    {
        RecordedSchedule schedule;
        schedule.setupCommands = {{"SET", "k", "1767225601"}};
        schedule.steps = {fault(ScheduleStep::Kind::PassDeadline, "", "k"),
                          command("A", {"GET", "k"}, Reply::bulk("1767225601"))};
        QCOMPARE(playedAsExpected(schedule), std::size_t(2));
    }

    void stepThatTakesTooLong_isRefused()
    {
        RecordedSchedule schedule;
        schedule.steps = {command("A", {"EVAL", "while true do end", "0"}, Reply::nil())};
        SchedulePlayer player(schedule, {server->endpoint()}, std::chrono::seconds(1));
        LATCHKEY_VERIFY_RESULT(player.begin());
        const auto played = player.playNext();
        QVERIFY(!played);
        QCOMPARE(played.error().kind, base::ErrorKind::Usage);
        QCOMPARE(played.error().message(),
                 QStringLiteral("steps[0]: timeout: the server has been executing the step for 1 seconds"));
    }

    void failureBeforehand_namesTheCommand()
    {
        RecordedSchedule schedule;
        schedule.setupCommands = {{"SET", "k", "v"}, {"LPUSH", "k", "v"}};
        SchedulePlayer player(schedule, {server->endpoint()});
        const auto begun = player.begin();
        QVERIFY(!begun);
        QVERIFY2(begun.error().message().startsWith(QLatin1String("beforehand[1]: ")),
                 qPrintable(begun.error().message()));
    }

    void lapse_endsTheKey()
    {
        RecordedSchedule schedule;
        schedule.setupCommands = {{"SET", "k", "v", "PX", "36000000"}};
        schedule.steps = {fault(ScheduleStep::Kind::Lapse, "", "k"), command("A", {"EXISTS", "k"}, Reply::integer(0))};
        QCOMPARE(playedAsExpected(schedule), std::size_t(2));
    }

    void timeThatGoesBy_shortensAllLifetimes()
    {
        RecordedSchedule schedule;
        schedule.setupCommands = {{"SET", "short", "v", "PX", "1000000"},
                                  {"SET", "next", "v", "PX", "1500000"},
                                  {"SET", "long", "v", "PX", "36000000"},
                                  {"SET", "for-ever", "v"}};
        ScheduleStep lapse = fault(ScheduleStep::Kind::Lapse, "", "short");
        lapse.passed = 1'000'000ms;
        ScheduleStep wait = fault(ScheduleStep::Kind::Wait, "A", "");
        wait.passed = 500'000ms;
        schedule.steps = {lapse,
                          command("A", {"TTL", "next"}, Reply::integer(500)),
                          command("A", {"TTL", "long"}, Reply::integer(35'000)),
                          wait,
                          command("A", {"EXISTS", "next"}, Reply::integer(0)),
                          command("A", {"TTL", "long"}, Reply::integer(34'500)),
                          command("A", {"TTL", "for-ever"}, Reply::integer(-1))};
        QCOMPARE(playedAsExpected(schedule), schedule.steps.size());
    }

    /// Messages arrive in order, but not at clients that have hung up or died.
    void messages_areDeliveredAtTheStepsOfTheStory()
    {
        const auto array = [](std::vector<Reply> elements) { return Reply::array(std::move(elements)); };
        const auto message = [&](const char *client, const QByteArray &said) {
            ScheduleStep step = fault(ScheduleStep::Kind::Message, client);
            step.reply = array({Reply::bulk("message"), Reply::bulk("c"), Reply::bulk(said)});
            return step;
        };
        const Reply subscribed = array({array({Reply::bulk("subscribe"), Reply::bulk("c"), Reply::integer(1)})});
        RecordedSchedule schedule;
        schedule.steps = {command("A", {"SUBSCRIBE", "c"}, subscribed),
                          command("B", {"SUBSCRIBE", "c"}, subscribed),
                          command("A", {"PUBLISH", "c", "one"}, Reply::integer(2)),
                          command("C", {"PUBLISH", "c", "two"}, Reply::integer(2)),
                          message("A", "one"),
                          message("A", "two"),
                          message("B", "one"),
                          fault(ScheduleStep::Kind::CloseSubscriber, "A"),
                          fault(ScheduleStep::Kind::Crash, "B"),
                          command("C", {"PUBLISH", "c", "three"}, Reply::integer(0)),
                          command("A", {"SUBSCRIBE", "c"}, subscribed)};
        QCOMPARE(playedAsExpected(schedule), schedule.steps.size());
        schedule.steps.push_back(message("A", "never said"));
        QCOMPARE(playedAsExpected(schedule), schedule.steps.size() - 1);
    }

    /// A blocking command does not block, and does not affect the client's own transaction.
    void commandsThatWait_doNot()
    {
        RecordedSchedule schedule;
        schedule.setupCommands = {{"RPUSH", "l", "v"}};
        const Reply taken = Reply::array({Reply::bulk("l"), Reply::bulk("v")});
        schedule.steps = {
            command("A", {"WATCH", "l"}, Reply::status("OK")),
            command("A", {"BLPOP", "l", "0"}, taken),
            command("A", {"BLPOP", "l", "0"}, Reply::nil()),
            command("A", {"BLPOP", "l", "nonsense"}, Reply::error("ERR timeout is not a float or out of range")),
            command("A", {"BLPOP"}, Reply::error("ERR wrong number of arguments for 'blpop' command")),
            command("A", {"MULTI"}, Reply::status("OK")),
            command("A", {"BLPOP", "l", "0"}, Reply::status("QUEUED")),
            command("A", {"EXEC"}, Reply::nil())}; // A's own BLPOP modified the watched key.
        QCOMPARE(playedAsExpected(schedule), schedule.steps.size());
    }

    /// With a clock, the servers end lifetimes themselves.
    void clockOfTheServers_isReportedInstead()
    {
        RecordedSchedule schedule;
        schedule.setupCommands = {{"SET", "k", "v", "PX", "1000000"}};
        ScheduleStep wait = fault(ScheduleStep::Kind::Wait, "A", "");
        wait.passed = 600'000ms;
        schedule.steps = {wait, wait, command("A", {"TTL", "k"}, Reply::integer(1000))};
        SchedulePlayer player(schedule, {server->endpoint()});
        std::vector<std::chrono::milliseconds> told;
        player.setClock([&](std::chrono::milliseconds time) { told.push_back(time); });
        QVERIFY(player.begin());
        while (!player.isOver()) {
            const auto played = player.playNext();
            QVERIFY(played);
            QVERIFY(played->hasPassed);
        }
        QCOMPARE(told, (std::vector {0ms, 600'000ms, 1'200'000ms}));
    }

    void scripts_areKnownByTheirNames()
    {
        RecordedSchedule schedule;
        schedule.scripts = {{"answer", "return redis.call('INCRBY', KEYS[1], ARGV[1])"}};
        schedule.steps = {command("A", {"EVALSHA", "answer", "1", "k", "42"}, Reply::integer(42)),
                          command("A", {"eval", "answer", "1", "k", "1"}, Reply::integer(43))};
        QCOMPARE(playedAsExpected(schedule), std::size_t(2));
    }

    void brokenScript_isAnErrorThatNamesIt()
    {
        RecordedSchedule schedule;
        schedule.scripts = {{"broken", "return ("}};
        SchedulePlayer player(schedule, {server->endpoint()});
        const auto begun = player.begin();
        QVERIFY(!begun);
        QCOMPARE(begun.error().kind, base::ErrorKind::Usage);
        QVERIFY2(begun.error().message().contains(QLatin1String("broken")), qPrintable(begun.error().message()));
    }
};

LATCHKEY_TEST(TestSchedulePlayer)

} // namespace tst_scheduleplayer

#include "tst_scheduleplayer.moc"
