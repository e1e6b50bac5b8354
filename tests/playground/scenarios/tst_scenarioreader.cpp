#include "core/playground/scenarios/builtin.h"
#include "core/playground/scenarios/scenarioreader.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

namespace tst_scenarioreader {

using namespace latchkey;
using scenarios::readScenario;
using namespace std::chrono_literals;

namespace {

/// Returns a story file with these steps. The first step is on line 4.
QByteArray fileWith(const QByteArray &steps, const QByteArray &more = {})
{
    return "{\"format\": \"latchkey-story\", \"version\": 2, \"title\": \"T\",\n"
           " \"clients\": [\"Ann\", \"Bob\"], \"key\": \"k\", \"recipe\": \"token\","
         + more + "\n \"steps\": [\n" + steps + "]}";
}

const QByteArray acquires = R"({"say": "s", "client": "Ann", "acquire": {}})";

QJsonObject schema()
{
    QFile file(QStringLiteral(LATCHKEY_SOURCE_DIR "/resources/stories/story.schema.json"));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("there is no schema");
    return QJsonDocument::fromJson(file.readAll()).object();
}

/// Returns the names that the schema allows in an object: the file's own, or those of one of its definitions.
QStringList allowedBySchema(const QString &definition)
{
    const QJsonObject object =
        definition.isEmpty() ? schema() : schema()[QStringLiteral("$defs")].toObject()[definition].toObject();
    return object[QStringLiteral("properties")].toObject().keys();
}

} // namespace

class TestScenarioReader final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void alternatives_shareStepsAndHaveTheirOwn()
    {
        const auto story = readScenario(QStringLiteral("a.json"), fileWith(R"(
            {"say": "both", "client": "Ann", "acquire": {"lease": "10s"}, "expect": [{"in": "a", "outcome": "busy"}]},
            {"say": "b alone", "in": "b", "client": "Ann", "release": true})",
                                                                           R"( "alternatives": [
            {"name": "a", "is": "flawed", "recipe": "auto-release"}, {"name": "b", "is": "sound"},
            {"name": "c", "steps": [{"say": "c", "work": "1s"}]}],)"));
        LATCHKEY_VERIFY_RESULT(story);
        QCOMPARE(story->alternatives.size(), std::size_t(3));
        const auto &[a, b, c] = std::tie(story->alternatives[0], story->alternatives[1], story->alternatives[2]);
        QCOMPARE(a.steps.size(), std::size_t(1));
        QCOMPARE(a.steps.front().expectations.size(), std::size_t(1));
        QCOMPARE(a.steps.front().actionText().toString(), QStringLiteral("acquires k by auto-release, for 10s"));
        QCOMPARE(b.steps.size(), std::size_t(2));
        QCOMPARE(b.steps.front().expectations.size(), std::size_t(0));
        QCOMPARE(b.steps.front().actionText().toString(), QStringLiteral("acquires k by token, for 10s"));
        QCOMPARE(c.steps.front().say, QStringLiteral("c"));
        QCOMPARE(scenarios::kindId(a.kind), QStringLiteral("flawed"));
        QCOMPARE(scenarios::kindId(b.kind), QStringLiteral("sound"));
    }

    void mistake_isReportedByFileLineAndPlace_data()
    {
        QTest::addColumn<QByteArray>("contents");
        QTest::addColumn<QString>("complaint");
        const auto row = [](const char *name, const QByteArray &contents, const char *complaint) {
            QTest::addRow("%s", name) << contents << QString::fromUtf8(complaint);
        };
        row("no JSON", "{\n\"format\": ", "my.json:2: not JSON: ");
        row("no story", "[]", "my.json:1: this is not a Latchkey story");
        row("another version", R"({"format": "latchkey-story", "version": 3})",
            "my.json:1: version: the story is of version 3, this program reads version 2");
        row("no title", R"({"format": "latchkey-story", "version": 2, "clients": []})", "my.json:1: title: missing");
        row("no steps", fileWith(""), "my.json:3: steps: no steps");
        row("a member that is misspelt", fileWith(R"({"say": "s", "expects": {}})"),
            "my.json:4: steps[0].expects: there is no such member here, only say, client, ");
        row("nothing said", fileWith(R"({"client": "Ann", "acquire": {}})"), "my.json:4: steps[0].say: missing");
        row("two deeds", fileWith(R"({"say": "s", "client": "Ann", "acquire": {}, "work": "1s"})"),
            "my.json:4: steps[0].work: a step does one thing, and this one has acquire already");
        row("a server action by its former name", fileWith(R"({"say": "s", "stop_server": 0})"),
            "my.json:4: steps[0].stop_server: is called kill_server now");
        row("no client", fileWith(R"({"say": "s", "acquire": {}})"), "my.json:4: steps[0]: which client?");
        row("a stranger", fileWith(acquires + ",\n" + R"({"say": "s", "client": "Eve", "acquire": {}})"),
            "my.json:5: steps[1].client: \"Eve\" is not among the story's clients");
        row("an unknown recipe", fileWith(R"({"say": "s", "client": "Ann", "acquire": {"recipe": "magic"}})"),
            "my.json:4: steps[0].acquire.recipe: unknown recipe \"magic\"; there are basic, ");
        row("an option without use",
            fileWith(R"({"say": "s", "client": "Ann", "acquire": {"recipe": "basic", "lease": "1s"}})"),
            "my.json:4: steps[0].acquire: ");
        row("no lease", fileWith(R"({"say": "s", "client": "Ann", "acquire": {"lease": "0s"}})"),
            "my.json:4: steps[0].acquire.lease: ");
        row("no unit", fileWith(R"({"say": "s", "client": "Ann", "acquire": {"lease": "10"}})"),
            "my.json:4: steps[0].acquire.lease: ");
        row("a cache recipe for a lock", fileWith(R"({"say": "s", "client": "Ann", "put": {"value": "v"}})"),
            "my.json:4: steps[0].put.recipe: ");
        row("a value for a hash",
            fileWith(R"({"say": "s", "client": "Ann", "put": {"recipe": "hash-lua", "value": "v"}})"),
            "my.json:4: steps[0].put.fields: missing");
        row("a command that changes the conversation",
            fileWith(R"({"say": "s", "client": "Ann", "command": ["SUBSCRIBE", "c"]})"),
            "my.json:4: steps[0].command: SUBSCRIBE cannot be part of a story");
        row("a server that is not there",
            fileWith(R"({"say": "s", "client": "Ann", "command": ["PING"], "server": 1})"),
            "my.json:4: steps[0].server: 1 is not from 0 to 0");
        row("an unknown signal", fileWith(R"({"say": "s", "client": "Ann", "signal": "explode"})"),
            "my.json:4: steps[0].signal: \"explode\" is none of crash, pause, resume");
        row("a dead client",
            fileWith(
                R"({"say": "s", "client": "Ann", "signal": "crash"}, {"say": "s", "client": "Ann", "acquire": {}})"),
            "my.json:4: steps[1].client: \"Ann\" has crashed in steps[0]");
        row("a sleeper that is waited for",
            fileWith(
                R"({"say": "s", "client": "Ann", "signal": "pause"}, {"say": "s", "client": "Ann", "acquire": {}})"),
            "my.json:4: steps[1]: \"Ann\" is paused and cannot answer");
        row("a wakeful one that is woken", fileWith(R"({"say": "s", "client": "Ann", "signal": "resume"})"),
            "my.json:4: steps[0].signal: \"Ann\" is not paused");
        row("a client that is still at it",
            fileWith(R"({"say": "s", "client": "Ann", "acquire": {}, "background": true}, )" + acquires),
            "my.json:4: steps[1]: \"Ann\" is still executing steps[0]");
        row("nothing to go on with", fileWith(R"({"say": "s", "client": "Ann", "go_on": true})"),
            "my.json:4: steps[0]: \"Ann\" is neither held nor executing an order");
        row("a release of nothing", fileWith(R"({"say": "s", "client": "Ann", "release": true})"),
            "my.json:4: steps[0]: \"Ann\" has not tried to acquire a lock");
        row("a false deed", fileWith(acquires + R"(, {"say": "s", "client": "Ann", "release": false})"),
            "my.json:4: steps[1].release: omit it");
        row("an outcome that cannot be",
            fileWith(R"({"say": "s", "client": "Ann", "acquire": {}, "expect": {"outcome": "released"}})"),
            "my.json:4: steps[0].expect: the outcome \"released\" cannot be: it is one of acquired, busy, error, "
            "unknown");
        row("an outcome of nothing", fileWith(R"({"say": "s", "work": "1s", "expect": {"outcome": "busy"}})"),
            "my.json:4: steps[0].expect: this step has no answer");
        row("more of what is not there",
            fileWith(R"({"say": "s", "work": "1s", "expect": {"keys": {"k": {"exists": false, "value": "v"}}}})"),
            "my.json:4: steps[0].expect.keys.k: a key that does not exist has no other properties");
        row("a holder that cannot be told", fileWith(R"({"say": "s", "client": "Ann", "acquire": {"recipe": "basic"},
                         "expect": {"keys": {"k": {"held_by": "Ann"}}}})"),
            "steps[0].expect: held_by: a lock of basic does not record its holder");
        row("a server that was killed",
            fileWith(R"({"say": "s", "kill_server": 0}, {"say": "s", "await": {"gone": "k"}})"),
            "my.json:4: steps[1]: server 0 has been killed");
        row("an alternative that is none", fileWith(R"({"say": "s", "in": "b", "work": "1s"})"),
            "my.json:4: steps[0].in: \"b\" is not among the alternatives");
        row("two alternatives of one name", fileWith(acquires, R"( "alternatives": [{"name": "a"}, {"name": "a"}],)"),
            "my.json:2: alternatives[1].name: every alternative needs a name of its own");
        row("control characters", fileWith("{\"say\": \"\\u001b[2J\", \"work\": \"1s\"}"),
            "my.json:4: steps[0].say: holds control characters");
    }
    void mistake_isReportedByFileLineAndPlace()
    {
        QFETCH(QByteArray, contents);
        QFETCH(QString, complaint);
        const auto story = readScenario(QStringLiteral("my.json"), contents);
        QVERIFY(!story);
        QCOMPARE(story.error().kind, base::ErrorKind::Usage);
        QVERIFY2(story.error().message().startsWith(complaint) || story.error().message().contains(complaint),
                 qPrintable(story.error().message()));
        QVERIFY2(!story.error().message().contains(u'\n'), "one sentence");
    }

    void storyOnThePage_isOne()
    {
        QFile file(QStringLiteral(LATCHKEY_SOURCE_DIR "/resources/stories/README.md"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray page = file.readAll();
        const qsizetype begin = page.indexOf("```json\n") + 8;
        const auto story = readScenario(file.fileName(), page.sliced(begin, page.indexOf("```\n", begin) - begin));
        LATCHKEY_VERIFY_RESULT(story);
        QCOMPARE(story->alternatives.size(), std::size_t(2));
    }

    void page_namesEveryMember()
    {
        QFile file(QStringLiteral(LATCHKEY_SOURCE_DIR "/resources/stories/README.md"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray page = file.readAll();
        for (const QString &definition :
             {QString(), QStringLiteral("alternative"), QStringLiteral("step"), QStringLiteral("acquire"),
              QStringLiteral("put"), QStringLiteral("recompute"), QStringLiteral("await"),
              QStringLiteral("expectation"), QStringLiteral("key")}) {
            for (const QString &name : allowedBySchema(definition))
                QVERIFY2(page.contains('`' + name.toUtf8() + '`') || page.contains('"' + name.toUtf8() + '"'),
                         qPrintable(name));
        }
    }

    void builtInScenarios_areThereInTheirOrder()
    {
        const auto stories = scenarios::builtInScenarios();
        QCOMPARE(stories.size(), std::size_t(18));
        QCOMPARE(stories.front().name, QStringLiteral("stuck-for-ever"));
        QCOMPARE(stories.back().name, QStringLiteral("wait"));
        for (const scenarios::BuiltInScenario &source : stories) {
            const auto story = readScenario(source.name, source.contents);
            LATCHKEY_VERIFY_RESULT(story);
            QVERIFY2(!story->summary.isEmpty() && !story->question.isEmpty() && !story->verdict.isEmpty(),
                     qPrintable(source.name));
            for (const scenarios::Alternative &alternative : story->alternatives)
                QVERIFY2(!alternative.verdict.isEmpty(), qPrintable(source.name + u' ' + alternative.name));
        }
        QVERIFY(scenarios::builtInScenario(QStringLiteral("late-delete")));
        QVERIFY(!scenarios::builtInScenario(QStringLiteral("early-delete")));
    }

    /// The program's error for an unknown member lists the same names as the schema.
    void schema_allowsWhatTheProgramReads_data()
    {
        QTest::addColumn<QString>("definition");
        QTest::addColumn<QByteArray>("contents");
        const auto row = [](const char *definition, const QByteArray &contents) {
            QTest::addRow("%s", *definition == 0 ? "the file" : definition)
                << QString::fromLatin1(definition) << contents;
        };
        row("", fileWith(acquires, R"( "zzz": 1,)"));
        row("alternative", fileWith(acquires, R"( "alternatives": [{"name": "a", "zzz": 1}],)"));
        row("step", fileWith(R"({"say": "s", "zzz": 1})"));
        row("acquire", fileWith(R"({"say": "s", "client": "Ann", "acquire": {"zzz": 1}})"));
        row("extend", fileWith(R"({"say": "s", "client": "Ann", "extend": {"zzz": 1}})"));
        row("put", fileWith(R"({"say": "s", "client": "Ann", "put": {"zzz": 1}})"));
        row("get", fileWith(R"({"say": "s", "client": "Ann", "get": {"zzz": 1}})"));
        row("recompute", fileWith(R"({"say": "s", "client": "Ann", "recompute": {"zzz": 1}})"));
        row("replica", fileWith(R"({"say": "s", "failover": {"zzz": 1}})"));
        row("await", fileWith(R"({"say": "s", "await": {"zzz": 1}})"));
        row("expectation", fileWith(R"({"say": "s", "work": "1s", "expect": {"zzz": 1}})"));
        row("key", fileWith(R"({"say": "s", "work": "1s", "expect": {"keys": {"k": {"zzz": 1}}}})"));
    }
    void schema_allowsWhatTheProgramReads()
    {
        QFETCH(QString, definition);
        QFETCH(QByteArray, contents);
        const auto story = readScenario(QStringLiteral("my.json"), contents);
        QVERIFY(!story);
        const QString message = story.error().message();
        const QString marker = QStringLiteral("there is no such member here, only ");
        QVERIFY2(message.contains(marker), qPrintable(message));
        QStringList read = message.section(marker, 1).split(QStringLiteral(", "));
        read.sort();
        QCOMPARE(allowedBySchema(definition), read);
    }
};

LATCHKEY_TEST(TestScenarioReader)

} // namespace tst_scenarioreader

#include "tst_scenarioreader.moc"
