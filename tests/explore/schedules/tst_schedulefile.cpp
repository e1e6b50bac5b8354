#include "core/explore/schedules/schedulefile.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>

namespace tst_schedulefile {

using namespace latchkey;
using namespace latchkey::schedules;
using resp::Reply;
using namespace std::chrono_literals;

namespace {

/// A story with every possible element.
RecordedSchedule everything()
{
    RecordedSchedule schedule;
    schedule.title = QStringLiteral("\"k\" & k");
    schedule.recipe = QStringLiteral("token");
    schedule.promise = QStringLiteral("fenced");
    schedule.verdict = QStringLiteral("something was shown");
    schedule.servers = 3;
    schedule.clients = {{QStringLiteral("A"), 36'000'000ms, 0s}, {QStringLiteral("B"), 7ms, 3'600'000s}};
    schedule.scripts = {{"release-if-owner", "return 1 -- \xc3\xa9\n"}, {"\xc3\xa9", ""}};
    schedule.setupCommands = {{"RPUSH", "k", QByteArray("nul\0end", 7)}};
    const auto command = [](int server, resp::Command words, Reply reply) {
        ScheduleStep step;
        step.client = QStringLiteral("A");
        step.server = server;
        step.command = std::move(words);
        step.reply = std::move(reply);
        return step;
    };
    const auto happening = [](ScheduleStep::Kind kind, const QString &client) {
        ScheduleStep step;
        step.kind = kind;
        step.client = client;
        return step;
    };
    const QByteArray notUtf8("\xff\x00\xfe", 3);
    schedule.steps = {
        command(0, {"SET", notUtf8, "v"}, Reply::status("OK")),
        command(2, {"GET", notUtf8}, Reply::bulk(notUtf8)),
        command(0, {"GET", "k"}, Reply::nil()),
        command(0, {"GET", "k"}, Reply::bulk("")),
        command(0, {"INCR", "k"}, Reply::integer(9'007'199'254'740'993)), // More than a double holds.
        command(1, {"GET", "k"}, Reply::error("WRONGTYPE Operation")),
        command(0, {"EXEC"}, Reply::array({Reply::status("OK"), Reply::nil(), Reply::array({Reply::integer(-1)})})),
    };
    schedule.key = notUtf8;
    schedule.clients[0].value = notUtf8;
    schedule.clients[1].fields = {{"one", notUtf8}, {"\xc3\xa9", ""}};
    schedule.steps[0].begins = Operation::Acquire;
    schedule.steps[1].begins = Operation::Extend;
    schedule.steps[1].lease = 54'000'000ms;
    schedule.steps[0].inside = true;
    schedule.steps[0].note = QStringLiteral("at last");
    schedule.steps[0].passed = 86'400'000ms;
    ScheduleStep clock = happening(ScheduleStep::Kind::Clock, QStringLiteral("A"));
    clock.clock = 1'767'225'601;
    ScheduleStep write = happening(ScheduleStep::Kind::Write, QStringLiteral("A"));
    write.fencing = 2;
    ScheduleStep lapse = happening(ScheduleStep::Kind::Lapse, {});
    lapse.server = 1;
    lapse.key = notUtf8;
    ScheduleStep deadline = happening(ScheduleStep::Kind::PassDeadline, {});
    deadline.key = "k";
    ScheduleStep message = happening(ScheduleStep::Kind::Message, QStringLiteral("A"));
    message.reply =
        resp::Reply::array({resp::Reply::bulk("message"), resp::Reply::bulk("c"), resp::Reply::bulk(notUtf8)});
    for (const ScheduleStep &step :
         {clock, write, lapse, deadline, message, happening(ScheduleStep::Kind::CloseSubscriber, QStringLiteral("A")),
          happening(ScheduleStep::Kind::Write, QStringLiteral("B")),
          happening(ScheduleStep::Kind::Wait, QStringLiteral("B")),
          happening(ScheduleStep::Kind::Crash, QStringLiteral("B"))})
        schedule.steps.push_back(step);
    ScheduleStep failover = happening(ScheduleStep::Kind::Failover, {});
    failover.lostSteps = {0, 4};
    schedule.steps.push_back(failover);
    ScheduleStep restart = happening(ScheduleStep::Kind::Restart, {});
    restart.losesAll = true;
    schedule.steps.push_back(restart);
    schedule.steps.push_back(happening(ScheduleStep::Kind::ClockJump, {}));
    schedule.steps.push_back(happening(ScheduleStep::Kind::Return, {}));
    ScheduleStep unreached = command(2, {"GET", "k"}, Reply());
    unreached.isUnreached = true;
    schedule.steps.push_back(unreached);
    schedule.steps.push_back(happening(ScheduleStep::Kind::Outage, {}));
    schedule.steps.push_back(happening(ScheduleStep::Kind::Wait, {})); // Time that passes for all clients.
    return schedule;
}

QByteArray fileWith(const char *member, const QJsonValue &value)
{
    QJsonObject object = QJsonDocument::fromJson(toFile(everything())).object();
    object[QLatin1String(member)] = value;
    return QJsonDocument(object).toJson();
}

QByteArray fileWithStep(const char *json)
{
    return fileWith("steps", QJsonArray {QJsonDocument::fromJson(json).object()});
}

QByteArray fileWithSteps(const char *json)
{
    return fileWith("steps", QJsonDocument::fromJson(json).array());
}

} // namespace

/// Tests story files: written stories can be read, and invalid files are reported with the place.
class TestScheduleFile final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everything_isReadAsItWasWritten()
    {
        const auto read = fromFile(toFile(everything()));
        LATCHKEY_VERIFY_RESULT(read);
        QCOMPARE(read->steps.size(), everything().steps.size());
        for (std::size_t i = 0; i < read->steps.size(); ++i)
            QVERIFY2(read->steps[i] == everything().steps[i], qPrintable(everything().steps[i].toText().english()));
        QVERIFY(*read == everything());
    }

    /// A file has the notes in English; another process of the program receives them as texts that it translates.
    void notes_areEnglishInAFileAndTranslatableForAnotherProcess()
    {
        RecordedSchedule schedule = everything();
        schedule.steps[0].note =
            base::Text::joined(base::Text(QT_TRANSLATE_NOOP("core", "the lease of %1 ends"), QStringLiteral("k")),
                               QStringLiteral("at last"));
        const auto saved = fromFile(toFile(schedule));
        LATCHKEY_VERIFY_RESULT(saved);
        QCOMPARE(saved->steps[0].note, base::Text(QStringLiteral("the lease of k ends; at last")));
        const auto sent = fromFile(QJsonDocument(toTranslatableJson(schedule)).toJson());
        LATCHKEY_VERIFY_RESULT(sent);
        QVERIFY(*sent == schedule);
    }

    void steps_readLikeAStory()
    {
        const auto steps = everything().steps;
        QCOMPARE(steps[0].toText().english().section(QStringLiteral("    — "), 1),
                 QStringLiteral("A is inside; at last"));
        QCOMPARE(steps[2].toText().english(), QStringLiteral("A  GET k → (nil)"));
        QCOMPARE(steps[5].toText(3).english(), QStringLiteral("A  #2 GET k → (error) WRONGTYPE Operation"));
        QCOMPARE(steps[7].toText().english(), QStringLiteral("A  (reads its clock: 1767225601)"));
        QCOMPARE(steps[8].toText().english(), QStringLiteral("A  (writes to the resource, with number 2)"));
        QCOMPARE(steps[9].toText().english(), QStringLiteral("-  (lapse)"));
        QCOMPARE(steps[9].toText(3).english(), QStringLiteral("-  (lapse on #2)"));
        QVERIFY2(steps[11].toText().english().startsWith(QStringLiteral("A  (is told [\"message\"")),
                 qPrintable(steps[11].toText().english()));
        QCOMPARE(steps[12].toText().english(), QStringLiteral("A  (hangs up)"));
        QCOMPARE(steps[15].toText().english(), QStringLiteral("B  (crash)"));
        QCOMPARE(steps[16].toText().english(), QStringLiteral("-  (failover)"));
        QCOMPARE(steps[16].toText(3).english(), QStringLiteral("-  (failover on #1)"));
        QCOMPARE(steps[17].toText().english(), QStringLiteral("-  (restart)"));
        QCOMPARE(steps[18].toText(3).english(), QStringLiteral("-  (clock jump on #1)"));
        QCOMPARE(steps[19].toText().english(), QStringLiteral("-  (return)"));
        QCOMPARE(steps[20].toText(3).english(), QStringLiteral("A  #3 GET k → (no reply)"));
        QCOMPARE(steps[21].toText().english(), QStringLiteral("-  (outage)"));
    }

    void json_isTheDescribedForm()
    {
        const QJsonArray json = toJson(everything().steps);
        const QJsonObject first = json[0].toObject();
        QCOMPARE(first[QLatin1String("client")].toString(), QStringLiteral("A"));
        QCOMPARE(first[QLatin1String("command")].toArray()[0].toString(), QStringLiteral("SET"));
        QCOMPARE(first[QLatin1String("reply")].toObject()[QLatin1String("status")].toString(), QStringLiteral("OK"));
        QCOMPARE(first[QLatin1String("inside")], QJsonValue(true));
        QCOMPARE(first[QLatin1String("note")].toString(), QStringLiteral("at last"));
        QVERIFY(!first.contains(QLatin1String("fault")));
        QCOMPARE(json[15].toObject(), (QJsonObject {{QStringLiteral("fault"), QStringLiteral("crash")},
                                                    {QStringLiteral("client"), QStringLiteral("B")}}));
        QCOMPARE(json[16].toObject(), (QJsonObject {{QStringLiteral("fault"), QStringLiteral("failover")},
                                                    {QStringLiteral("lost_steps"), QJsonArray {0, 4}}}));
    }

    void harmlessCommands_areNotRefused()
    {
        for (const char *words :
             {R"(["HELLO", "2"])", R"(["HELLO"])", R"(["CLIENT", "ID"])", R"(["PUBLISH", "c", "m"])"}) {
            const QByteArray step = QByteArray(R"({"client": "A", "reply": 1, "command": )") + words + '}';
            LATCHKEY_VERIFY_RESULT(fromFile(fileWithStep(step.constData())));
        }
    }

    void badFile_isRefusedByPlace_data()
    {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QString>("violation");
        const auto row = [](const char *name, const QByteArray &file, const char *violation) {
            QTest::newRow(name) << file << QString::fromUtf8(violation);
        };
        row("empty", "", "not JSON");
        row("cut", toFile(everything()).chopped(20), "not JSON");
        row("note of no text", fileWithStep(R"({"client": "A", "does": "wait", "note": {"with": ["5"]}})"),
            "steps[0].note: not a text");
        row("note with control characters",
            fileWithStep(R"({"client": "A", "does": "wait", "note": {"english": "%1", "with": ["\u001b"]}})"),
            "steps[0].note: holds control characters");
        row("an array", "[]", "not an object");
        row("another program's", "{\"a\": 1}", "this is not a Latchkey story");
        row("a later version", fileWith("version", 2), "version 2");
        row("no version", fileWith("version", QJsonValue::Undefined), "version: missing");
        row("no steps", fileWith("steps", QJsonValue::Undefined), "steps: missing");
        row("no steps", fileWith("steps", QJsonArray()), "steps: no steps");
        row("no clients", fileWith("clients", QJsonValue::Undefined), "clients: missing");
        row("a stranger", fileWithStep(R"({"fault": "crash", "client": "Q"})"),
            "steps[0].client: \"Q\" is not among the story's clients");
        row("two clients of one name",
            fileWith("clients", QJsonDocument::fromJson(R"([{"name": "A"}, {"name": "B"}, {"name": "A"}])").array()),
            "clients[2].name: \"A\" is another client's name already");
        row("a client without a name",
            fileWith("clients", QJsonDocument::fromJson(R"([{"name": "A"}, {"name": "B"}, {"name": ""}])").array()),
            "clients[2].name: empty");
        row("no servers", fileWith("servers", 0), "servers: 0 is not from 1");
        row("half a server", fileWith("servers", 1.5), "servers: not a whole number");
        row("a step of another server", fileWithStep(R"({"client": "A", "server": 3, "command": ["GET"], "reply": 1})"),
            "steps[0].server: 3 is not from 0 to 2");
        row("an empty command", fileWithStep(R"({"client": "A", "command": [], "reply": 1})"),
            "steps[0].command: an empty command");
        row("a command as a text", fileWithStep(R"({"client": "A", "command": "GET k", "reply": 1})"),
            "steps[0].command: not an array");
        row("a word that is a number", fileWithStep(R"({"client": "A", "command": ["GET", 1], "reply": 1})"),
            "steps[0].command[1]: neither a text nor base64");
        row("a word that is not base64", fileWithStep(R"({"client": "A", "command": [{"base64": "*"}], "reply": 1})"),
            "steps[0].command[0]: neither a text nor base64");
        row("no reply", fileWithStep(R"({"client": "A", "command": ["GET", "k"]})"), "steps[0].reply: missing");
        row("nobody's command", fileWithStep(R"({"command": ["GET", "k"], "reply": 1})"), "steps[0]: which client?");
        row("an unknown fault", fileWithStep(R"({"fault": "flood"})"), "steps[0].fault: \"flood\" is none of");
        row("an unknown deed", fileWithStep(R"({"client": "A", "does": "sing"})"),
            "steps[0].does: \"sing\" is none of");
        row("a lapse of nothing", fileWithStep(R"({"fault": "lapse"})"), "steps[0].key: missing");
        row("a deadline of nothing", fileWithStep(R"({"fault": "deadline"})"), "steps[0].key: missing");
        row("lost steps that are none", fileWithStep(R"({"fault": "failover", "lost_steps": 1})"),
            "steps[0].lost_steps: not an array");
        row("a later step that is lost", fileWithStep(R"({"fault": "failover", "lost_steps": [0]})"),
            "steps[0].lost_steps[0]: not a later one of the earlier commands on the same server");
        row("a lost wait",
            fileWithSteps(R"([{"client": "A", "does": "wait"}, {"fault": "failover", "lost_steps": [0]}])"),
            "steps[1].lost_steps[0]");
        row("a lost step of another server",
            fileWithSteps(R"([{"client": "A", "server": 1, "command": ["GET", "k"], "reply": 1},
                              {"fault": "failover", "lost_steps": [0]}])"),
            "steps[1].lost_steps[0]");
        row("a step that is lost twice", fileWithSteps(R"([{"client": "A", "command": ["GET", "k"], "reply": 1},
                              {"fault": "failover", "lost_steps": [0, 0]}])"),
            "steps[1].lost_steps[1]");
        row("a command and a fault",
            fileWithStep(R"({"fault": "crash", "client": "A", "command": ["GET", "k"], "reply": null})"),
            "steps[0]: more than one of command, fault and does");
        row("half inside", fileWithStep(R"({"client": "A", "does": "wait", "inside": 1})"),
            "steps[0].inside: neither true nor false");
        row("out before in", fileWithStep(R"({"client": "A", "does": "wait", "inside": false})"),
            "steps[0].inside: \"A\" is not inside");
        row("inside twice",
            fileWithSteps(
                R"([{"client": "A", "does": "wait", "inside": true}, {"client": "A", "does": "wait", "inside": true}])"),
            "steps[1].inside: \"A\" is inside already");
        row("a ghost", fileWithSteps(R"([{"client": "B", "does": "wait"}, {"fault": "crash", "client": "A"},
                              {"client": "A", "command": ["GET", "k"], "reply": null}])"),
            "steps[2].client: \"A\" has crashed in steps[1]");
        row("a listener beforehand", fileWith("beforehand", QJsonArray {QJsonArray {QStringLiteral("SUBSCRIBE")}}),
            "beforehand[0]: ");
        row("a message that is none", fileWithStep(R"({"client": "A", "does": "hear"})"), "steps[0].reply");
        for (const char *words : {R"(["SSUBSCRIBE", "c"])", R"(["HELLO", "3"])", R"(["QUIT"])", R"(["MONITOR"])",
                                  R"(["client", "reply", "OFF"])"}) {
            const QByteArray step = QByteArray(R"({"client": "A", "reply": 1, "command": )") + words + '}';
            row(words, fileWithStep(step.constData()), "steps[0].command: ");
            const QByteArray setupCommands = '[' + QByteArray(words) + ']';
            row((setupCommands + " beforehand").constData(),
                fileWith("beforehand", QJsonDocument::fromJson(setupCommands).array()), "beforehand[0]: ");
        }
        row("scripts that are none", fileWith("scripts", 5), "scripts: not an object");
        row("a title that moves the cursor", fileWith("title", QStringLiteral("\u001b[2J")),
            "title: holds control characters");
        row("a script that is none", fileWith("scripts", QJsonObject {{QStringLiteral("s"), 1}}),
            "scripts.s: not a text");
    }
    void badFile_isRefusedByPlace()
    {
        QFETCH(QByteArray, file);
        QFETCH(QString, violation);
        const auto read = fromFile(file);
        QVERIFY(!read);
        QCOMPARE(read.error().kind, base::ErrorKind::Usage);
        QVERIFY2(read.error().message().contains(violation), qPrintable(read.error().message()));
    }

    void badFileOfAName_isRefusedByItsLine()
    {
        const QByteArray file = fileWithSteps(R"([{"client": "A", "does": "wait"}, {"client": "A", "fault": "crash"},
                                                  {"client": "A", "does": "wait"}])");
        const auto read = fromFile(file, QStringLiteral("old.json"));
        QVERIFY(!read);
        const QRegularExpression violation(
            QStringLiteral("^old\\.json:(\\d+): steps\\[2\\]\\.client: \"A\" has crashed in steps\\[1\\]$"));
        const auto match = violation.match(read.error().message());
        QVERIFY2(match.hasMatch(), qPrintable(read.error().message()));
        const QByteArrayList lines = file.split('\n');
        const auto last = std::find_if(lines.rbegin(), lines.rend(),
                                       [](const QByteArray &line) { return line.contains("\"client\""); });
        QCOMPARE(match.captured(1).toInt(), static_cast<int>(lines.rend() - last));
        QCOMPARE(fromFile("{\n[", QStringLiteral("old.json")).error().message().section(u' ', 0, 0),
                 QStringLiteral("old.json:2:"));
    }
};

LATCHKEY_TEST(TestScheduleFile)

} // namespace tst_schedulefile

#include "tst_schedulefile.moc"
