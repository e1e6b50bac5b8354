#include "tests/support/await.h"
#include "tests/support/clustersetup.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/jsonschema.h"
#include "tests/support/runningcommand.h"
#include "tests/support/sentinelsetup.h"
#include "tests/support/testprogram.h"
#include "tests/support/workers.h"

#include <QDir>
#include <QFile>
#include <QHash>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

namespace tst_jsonschemas {

using namespace latchkey;
using test::JsonSchema;
using test::Outcome;

namespace {

JsonSchema schemaOf(const QString &name)
{
    QFile file(QStringLiteral(LATCHKEY_SOURCE_DIR "/resources/manual/schemas/") + name + QStringLiteral(".json"));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("there is no schema %s", qPrintable(name));
    const QJsonObject schema = QJsonDocument::fromJson(file.readAll()).object();
    if (schema.isEmpty())
        qFatal("the schema %s is no JSON object", qPrintable(name));
    return JsonSchema(schema);
}

/// Returns the JSON documents of an output: one, or one per line.
QJsonArray documentsIn(const QByteArray &output)
{
    const QJsonDocument whole = QJsonDocument::fromJson(output);
    if (whole.isArray())
        return {whole.array()};
    if (whole.isObject())
        return {whole.object()};
    QJsonArray documents;
    for (const QByteArray &line : output.split('\n')) {
        if (const QJsonDocument document = QJsonDocument::fromJson(line); document.isObject())
            documents += document.object();
        else if (!line.isEmpty())
            documents += QString::fromUtf8(line); // Violates every schema.
    }
    return documents;
}

/// Places of a schema that no run below prints. They need a failure at a certain moment, a larger search, or a newer
/// server.
QStringList rarelyPrinted(const QString &schema)
{
    static const QHash<QString, QStringList> places {
        // The tests clusterlisting and lsfailures print them.
        {QStringLiteral("coverage"),
         {QStringLiteral("/properties/cluster"), QStringLiteral("/properties/deletion"),
          QStringLiteral("/properties/flushes"), QStringLiteral("/properties/renames")}},
        {QStringLiteral("get"), {QStringLiteral("/oneOf/3")}},
        {QStringLiteral("ls"),
         {QStringLiteral("/$defs/fields"), QStringLiteral("/items/properties/fields"),
          QStringLiteral("/items/properties/holder_base64")}},
        {QStringLiteral("why"),
         {QStringLiteral("/$defs/fields"), QStringLiteral("/properties/fields"),
          QStringLiteral("/$defs/history/properties/gaps"), QStringLiteral("/$defs/hold/properties/holder_base64"),
          QStringLiteral("/properties/holder_base64"), QStringLiteral("/$defs/server/properties/holder_base64"),
          QStringLiteral("/$defs/coverage/properties/denied"), QStringLiteral("/$defs/coverage/properties/cluster"),
          QStringLiteral("/$defs/coverage/properties/db"), QStringLiteral("/$defs/coverage/properties/server"),
          QStringLiteral("/$defs/coverage/properties/deletion"), QStringLiteral("/$defs/coverage/properties/flushes"),
          QStringLiteral("/$defs/coverage/properties/renames"), QStringLiteral("/$defs/coverage/properties/error")}},
        {QStringLiteral("watch"),
         {QStringLiteral("/oneOf/0/properties/holder_base64"), QStringLiteral("/oneOf/2"),
          QStringLiteral("/oneOf/3/properties/holder_base64"), QStringLiteral("/oneOf/4/properties/holder_base64"),
          QStringLiteral("/oneOf/5/properties/server"), QStringLiteral("/oneOf/6"),
          QStringLiteral("/oneOf/7/properties/holder_base64"),
          QStringLiteral("/$defs/server/properties/holder_base64")}},
        {QStringLiteral("expect"),
         {QStringLiteral("/$defs/coverage/properties/denied"), QStringLiteral("/$defs/coverage/properties/cluster"),
          QStringLiteral("/$defs/coverage/properties/deletion"), QStringLiteral("/$defs/coverage/properties/flushes"),
          QStringLiteral("/$defs/coverage/properties/renames"), QStringLiteral("/$defs/coverage/properties/db"),
          QStringLiteral("/$defs/coverage/properties/server"), QStringLiteral("/$defs/coverage/properties/error"),
          QStringLiteral("/properties/expectations/items/properties/keys/items/properties/key_base64")}},
        {QStringLiteral("explore"),
         {QStringLiteral("/$defs/bytes/oneOf/1"), QStringLiteral("/$defs/deadlock/oneOf/1"),
          QStringLiteral("/$defs/reply/oneOf/3"), QStringLiteral("/$defs/reply/oneOf/5"),
          QStringLiteral("/$defs/step/properties/fencing"), QStringLiteral("/$defs/step/properties/lease_ms"),
          QStringLiteral("/$defs/step/properties/server"), QStringLiteral("/oneOf/2/properties/progress")}},
        {QStringLiteral("story"), {QStringLiteral("/oneOf/1/properties/error")}},
    };
    return places.value(schema);
}

bool isRarelyPrinted(const QString &schema, const QString &member)
{
    const QStringList rare = rarelyPrinted(schema);
    return std::ranges::any_of(rare, [&](const QString &place) { return member.startsWith(place); });
}

} // namespace

/// Tests that the schemas of resources/manual/schemas describe the JSON of latchkey-cli: all of it, and nothing else.
class TestJsonSchemas final : public test::CommandLineTest
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder;

    void write(const char *name, const QByteArray &contents) const
    {
        QFile file(folder->filePath(QLatin1String(name)));
        if (!file.open(QIODevice::WriteOnly) || file.write(contents) != contents.size())
            qFatal("cannot write %s", name);
    }
    /// Validates documents, and that removing a member from the schema makes one of them invalid.
    static void validate(const QString &name, const QJsonArray &documents)
    {
        QVERIFY(!documents.isEmpty());
        const JsonSchema schema = schemaOf(name);
        for (const QJsonValue &document : documents) {
            const QStringList violations = schema.violationsIn(document);
            QVERIFY2(violations.isEmpty(), qPrintable(name + u'\n' + violations.join(u'\n')));
        }
        QStringList unused;
        for (const QString &member : schema.members()) {
            const JsonSchema smaller = schema.without(member);
            const bool isUsed = std::ranges::any_of(
                documents, [&](const QJsonValue &document) { return !smaller.violationsIn(document).isEmpty(); });
            if (!isUsed && !isRarelyPrinted(name, member))
                unused += member;
        }
        QVERIFY2(unused.isEmpty(),
                 qPrintable(name + QStringLiteral(": described, but not printed\n") + unused.join(u'\n')));
    }
    /// Runs the commands, one per line, and returns the documents that they print.
    [[nodiscard]] QJsonArray outputsOf(const char *commands) const
    {
        QJsonArray documents;
        for (const QString &line : QString::fromUtf8(commands).split(u'\n', Qt::SkipEmptyParts)) {
            QString command = line.trimmed();
            command.replace(QStringLiteral("DIR"), folder->path());
            const Outcome outcome = run(command.toUtf8().constData());
            if (outcome.output.isEmpty())
                qWarning("%s: %s", qPrintable(command), outcome.errors.constData());
            for (const QJsonValue &document : documentsIn(outcome.output))
                documents += document;
        }
        return documents;
    }
    /// Returns the output of a watch of two servers, of which one ends.
    [[nodiscard]] QByteArray outputOfGroup(test::TestServer &first, std::unique_ptr<test::TestServer> second) const
    {
        const QByteArray holder = "0123456789abcdef0123456789abcdef";
        for (test::TestServer *each : {&first, second.get()}) {
            if (!(*each)({"SET", "lock:\xff", holder, "PX", "60000"}).isOk())
                qFatal("cannot write a lock");
        }
        test::RunningCommand command(environment);
        command.start({QStringLiteral("watch"), QStringLiteral("--json"), QStringLiteral("-u"), first.url(),
                       QStringLiteral("-u"), second->url()});
        if (!test::waitFor([&] { return command.output().contains("\"majority\""); }))
            qWarning("%s", command.output().constData());
        second->kill();
        if (!test::waitFor([&] { return command.output().contains("\"uncertain\""); }))
            qWarning("%s", command.output().constData());
        (void)command.stop();
        return command.output();
    }
    void fillWithLocks() const
    {
        for (const char *command : {"acquire token lock:token --lease 1m", "acquire basic lock:basic",
                                    "acquire fenced lock:fenced --lease 1m"})
            QCOMPARE(run(command).exitCode, 0);
        QVERIFY((*server)({"SET", "lock:\xff", "0123456789abcdef0123456789abcdef", "PX", "60000"}).isOk());
        QVERIFY((*server)({"HSET", "user", "name", "Ann", "role", "admin"}).isInteger(2));
    }

private Q_SLOTS:
    void init()
    {
        CommandLineTest::init();
        folder = std::make_unique<QTemporaryDir>();
    }

    void everySchema_isOfTheDraftAndIsUsed()
    {
        const QStringList files = QDir(QStringLiteral(LATCHKEY_SOURCE_DIR "/resources/manual/schemas"))
                                      .entryList(QDir::Files, QDir::Name)
                                      .replaceInStrings(QStringLiteral(".json"), QString());
        QCOMPARE(files, (QStringList {QStringLiteral("acquire"), QStringLiteral("coverage"), QStringLiteral("expect"),
                                      QStringLiteral("explore"), QStringLiteral("extend"), QStringLiteral("get"),
                                      QStringLiteral("ls"), QStringLiteral("put"), QStringLiteral("recipes"),
                                      QStringLiteral("release"), QStringLiteral("status"), QStringLiteral("story"),
                                      QStringLiteral("watch"), QStringLiteral("why")}));
    }

    void validator_refusesWhatIsNotDescribed()
    {
        const QJsonObject described {{QStringLiteral("type"), QStringLiteral("integer")},
                                     {QStringLiteral("minimum"), 0},
                                     {QStringLiteral("maximum"), 7}};
        const JsonSchema schema(
            QJsonObject {{QStringLiteral("type"), QStringLiteral("object")},
                         {QStringLiteral("properties"), QJsonObject {{QStringLiteral("count"), described}}},
                         {QStringLiteral("required"), QJsonArray {QStringLiteral("count")}},
                         {QStringLiteral("additionalProperties"), false}});
        QVERIFY(schema.violationsIn(QJsonObject {{QStringLiteral("count"), 1}}).isEmpty());
        QVERIFY(!schema.violationsIn(QJsonObject {{QStringLiteral("count"), -1}}).isEmpty());
        QVERIFY(!schema.violationsIn(QJsonObject {{QStringLiteral("count"), 8}}).isEmpty());
        QVERIFY(!schema.violationsIn(QJsonObject {{QStringLiteral("count"), 1.5}}).isEmpty());
        QVERIFY(!schema.violationsIn(QJsonObject()).isEmpty());
        QVERIFY(!schema.violationsIn(QJsonArray()).isEmpty());
        QVERIFY(
            !schema.violationsIn(QJsonObject {{QStringLiteral("count"), 1}, {QStringLiteral("other"), 1}}).isEmpty());
    }

    void recipes_areDescribed() { validate(QStringLiteral("recipes"), outputsOf("recipes --json")); }

    void acquire_isDescribed()
    {
        write("token", "token-\xff");
        validate(QStringLiteral("acquire"), outputsOf("acquire fenced f --json\n"
                                                      "acquire fenced f --json\n"
                                                      "acquire basic b --json\n"
                                                      "acquire token t --token-file DIR/token --json\n"));
    }
    void acquireWithALostReply_isDescribed()
    {
        QVERIFY((*server)({"CLIENT", "PAUSE", "60000", "WRITE"}).isOk());
        const QJsonArray documents = outputsOf("acquire token t --json");
        QVERIFY((*server)({"CLIENT", "UNPAUSE"}).isOk());
        QCOMPARE(documents[0][QLatin1String("outcome")].toString(), QStringLiteral("unknown"));
        QCOMPARE(schemaOf(QStringLiteral("acquire")).violationsIn(documents[0]), QStringList());
    }
    void release_isDescribed()
    {
        QCOMPARE(run("acquire token t --token mine").exitCode, 0);
        validate(QStringLiteral("release"), outputsOf("release token t --token guess --json\n"
                                                      "release token t --token mine --json\n"
                                                      "release token t --token mine --json\n"
                                                      "release t --force --yes --json\n"));
    }
    void extend_isDescribed()
    {
        QCOMPARE(run("acquire token t --token mine").exitCode, 0);
        validate(QStringLiteral("extend"), outputsOf("extend token t --token guess --lease 1m --json\n"
                                                     "extend token t --token mine --lease 1m --json\n"
                                                     "extend token other --token mine --lease 1m --json\n"));
    }
    void put_isDescribed()
    {
        validate(QStringLiteral("put"), outputsOf("put set-ex page one --ttl 1m --json\n"
                                                  "put set-ex page two --ttl 1m --if-absent --json\n"
                                                  "put guarded report one --ttl 1m --json\n"));
    }
    void get_isDescribed()
    {
        QVERIFY((*server)({"SET", "bytes", "\xff"}).isOk());
        QVERIFY((*server)({"HSET", "user", "name", "\xff"}).isInteger(1));
        QJsonArray documents = outputsOf("get set-ex bytes --json\n"
                                         "get set-ex nothing --json\n"
                                         "get hash-lua user --json\n"
                                         "get hash-lua absent --json\n"
                                         "get guarded date --ttl 1m --json -- date\n"
                                         "get guarded date --ttl 1m --json -- date\n"
                                         "get guarded other --ttl 1m --json -- false\n");
        QVERIFY((*server)({"REPLICAOF", "127.0.0.1", "1"}).isOk());
        for (const QJsonValue &document : outputsOf("get set-ex bytes --json\n"
                                                    "get hash-lua user --json\n"
                                                    "get guarded other --ttl 1m --policy none --json -- false\n"))
            documents += document;
        validate(QStringLiteral("get"), documents);
    }

    void ping_isDescribed()
    {
        QJsonArray documents = outputsOf("status --json\nstatus --full --json");
        QVERIFY((*server)({"REPLICAOF", "127.0.0.1", "1"}).isOk());
        for (const QJsonValue &document : outputsOf("status --json"))
            documents += document;
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-scan", "-info", "-dbsize"}).isOk());
        for (const QJsonValue &document : outputsOf("status --json\nstatus --full --json"))
            documents += document;
        const test::TestServer node(test::clusterNode());
        environment.insert(QStringLiteral("LATCHKEY_URL"), node.url());
        for (const QJsonValue &document : outputsOf("status --json"))
            documents += document;
        const test::SentinelSetup setup; // With replicas.
        environment.insert(QStringLiteral("LATCHKEY_URL"), setup.url());
        for (const QJsonValue &document : outputsOf("status --json\nstatus --full --json"))
            documents += document;
        validate(QStringLiteral("status"), documents);
    }

    void ls_isDescribed()
    {
        fillWithLocks();
        [[maybe_unused]] const auto reply = (*server)({"HPEXPIRE", "user", "60000", "FIELDS", "1", "name"});
        test::TestServer second;
        const QByteArray several = " -u " + server->url().toUtf8() + " -u " + second.url().toUtf8();
        const QByteArray bytes = QByteArray::fromHex("fffefd0102030405060708090a0b0c0d0e0f1011");
        QVERIFY((*server)({"SET", "lock:bytes", bytes, "PX", "60000"}).isOk());
        validate(QStringLiteral("ls"), outputsOf(("ls --json\n"
                                                  "ls --all-databases --json\n"
                                                  "ls --json"
                                                  + several
                                                  + "\n"
                                                    "ls --locks --json"
                                                  + several)
                                                     .constData()));
    }
    void why_isDescribed()
    {
        fillWithLocks();
        [[maybe_unused]] const auto reply = (*server)({"HPEXPIRE", "user", "60000", "FIELDS", "1", "name"});
        test::TestServer second;
        const QByteArray several = "-u " + server->url().toUtf8() + " -u " + second.url().toUtf8();
        validate(QStringLiteral("why"), outputsOf(("why lock:basic --json\n"
                                                   "why lock:token --json --for 200ms\n"
                                                   "why user --json\n"
                                                   "why --base64-key bG9jazr/ --json\n"
                                                   "why lock:token --json "
                                                   + several)
                                                      .constData()));
        for (const char *command : {"why lock:fenced --json", "why absent --json"}) {
            for (const QJsonValue &document : outputsOf(command))
                QCOMPARE(schemaOf(QStringLiteral("why")).violationsIn(document), QStringList());
        }
    }
    void coverage_isDescribedEverywhere()
    {
        fillWithLocks();
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-scan"}).isOk());
        QJsonArray printed;
        for (const char *words : {"ls --json", "ls --all-databases --json"}) {
            const QByteArray errors = run(words).errors;
            const qsizetype brace = errors.indexOf('{');
            QVERIFY2(brace >= 0, errors.constData());
            for (const QJsonValue &document : documentsIn(errors.sliced(brace)))
                printed += document;
        }
        const QByteArray several = "ls --json -u " + server->url().toUtf8() + " -u unix:///nonexistent.sock";
        for (const QJsonValue &document : documentsIn(run(several.constData()).errors))
            printed += document;
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-info"}).isOk());
        for (const QJsonValue &document : documentsIn(run("ls --all-databases --json").errors))
            printed += document;
        validate(QStringLiteral("coverage"), printed);
        for (const char *name : {"why", "expect"}) {
            QFile whole(
                QStringLiteral(LATCHKEY_SOURCE_DIR "/resources/manual/schemas/%1.json").arg(QLatin1String(name)));
            QFile part(QStringLiteral(LATCHKEY_SOURCE_DIR "/resources/manual/schemas/coverage.json"));
            QVERIFY(whole.open(QIODevice::ReadOnly) && part.open(QIODevice::ReadOnly));
            QJsonObject coverage = QJsonDocument::fromJson(part.readAll()).object();
            coverage.remove(QStringLiteral("$schema"));
            coverage.remove(QStringLiteral("title"));
            QCOMPARE(QJsonDocument::fromJson(whole.readAll())[QStringLiteral("$defs")][QStringLiteral("coverage")]
                         .toObject(),
                     coverage);
        }
    }

    void watch_isDescribed()
    {
        // Without notifications, on a busy machine, an expiry may not be distinguished from a release.
        QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", "KEA"}).isOk());
        fillWithLocks();
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(LATCHKEY_CLI),
                      {QStringLiteral("watch"), QStringLiteral("--json"), QStringLiteral("--event"),
                       QStringLiteral("seen"), QStringLiteral("--event"), QStringLiteral("expired"),
                       QStringLiteral("--alert"), QStringLiteral("older-than=1s lock:?")});
        QByteArray output;
        const auto hasPrinted = [&](const char *event) {
            output += process.readAllStandardOutput();
            return output.contains(event);
        };
        LATCHKEY_AWAIT(hasPrinted("lock:fenced"));
        // Before the server reports changes, a key with so short a life may be missed.
        LATCHKEY_AWAIT((*server)({"INFO", "clients"}).bytes().contains("tracking_clients:1"));
        QVERIFY((*server)({"SET", "lock:short", "0123456789abcdef0123456789abcdef", "PX", "1000"}).isOk());
        LATCHKEY_AWAIT(hasPrinted("\"expired\"") && hasPrinted("\"alert\""));
        QVERIFY((*server)({"DEL", "lock:\xff"}).isInteger(1));
        LATCHKEY_AWAIT(hasPrinted("\"over\""));
        server->kill();
        LATCHKEY_AWAIT(hasPrinted("\"blind\""));
        process.terminate();
        output += test::outcomeOf(process).output;

        test::TestServer one;
        output += outputOfGroup(one, std::make_unique<test::TestServer>());

        const test::SentinelSetup setup;
        QVERIFY(setup.ask(0, {"SET", "lock:kept", "0123456789abcdef0123456789abcdef", "PX", "60000"}).isOk());
        environment.insert(QStringLiteral("LATCHKEY_URL"), setup.url());
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(LATCHKEY_CLI), {QStringLiteral("watch"), QStringLiteral("--json")});
        LATCHKEY_AWAIT(hasPrinted("lock:kept"));
        setup.failOver();
        LATCHKEY_AWAIT(hasPrinted("\"failed-over\""));
        process.terminate();
        output += test::outcomeOf(process).output;

        test::ClusterSetup cluster;
        QVERIFY(cluster.ask(0, {"SET", test::ClusterSetup::keyOf(0), "0123456789abcdef0123456789abcdef"}).isOk());
        environment.insert(QStringLiteral("LATCHKEY_URL"), cluster.url(0));
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(LATCHKEY_CLI),
                      {QStringLiteral("watch"), QStringLiteral("--json"), QStringLiteral("--event"),
                       QStringLiteral("seen"), QStringLiteral("--alert"), QStringLiteral("blind")});
        LATCHKEY_AWAIT(hasPrinted(test::ClusterSetup::keyOf(0).constData()));
        cluster.suspend(2);
        const auto hasBegun = [&] { return hasPrinted("\"alert\"") && output.count("\"node\"") >= 2; };
        LATCHKEY_AWAIT(hasBegun());
        cluster.resume(2);
        const auto hasEnded = [&] { return hasPrinted("\"over\"") && output.count("\"node\"") >= 4; };
        LATCHKEY_AWAIT(hasEnded());
        process.terminate();
        output += test::outcomeOf(process).output;
        validate(QStringLiteral("watch"), documentsIn(output));
    }

    void expect_isDescribed()
    {
        QVERIFY((*server)({"SET", "a", "1", "PX", "60000"}).isOk());
        QVERIFY((*server)({"SET", "b", "1", "PX", "800"}).isOk());
        QJsonArray documents;
        for (const QStringList &expectations :
             {QStringList {QStringLiteral("a exists until 100ms"), QStringLiteral("b gone between 1ms and 30s")},
              QStringList {QStringLiteral("? never without expiry"), QStringLiteral("--for"),
                           QStringLiteral("200ms")}}) {
            const Outcome outcome =
                run(QStringList {QStringLiteral("expect"), QStringLiteral("--json")} + expectations);
            for (const QJsonValue &document : documentsIn(outcome.output))
                documents += document;
        }
        validate(QStringLiteral("expect"), documents);
    }

    void explore_isDescribed()
    {
        QJsonArray documents =
            outputsOf("explore token-check-then-delete --promise owner-only-release --json --save DIR --progress\n"
                      "explore fenced --promise fenced --clients 2 --form script --json\n"
                      "explore timestamp-naive --promise mutual-exclusion --clients 3 --json\n"
                      "explore set-then-expire --promise foreign-key-safe --json\n"
                      "explore setnx-then-expire --promise crash-release --json --without lapses\n"
                      "explore hash-then-expire --promise no-immortal-data --json\n"
                      "explore redlock --promise failover-safe --clients 2 --failovers 1 --lost-writes 2 --json\n"
                      "explore redlock --promise restart-safe --clients 2 --restarts 1 --json\n"
                      "explore token --promise server-clock-safe --clients 2 --json\n"
                      "explore multi-setnx-expire --promise partition-safe --clients 3 --json\n"
                      "explore --play DIR/token-check-then-delete.owner-only-release.json --json\n");
        write("known.json", R"({"version": 1, "broken": [{"subject": "setnxexpire.py", "promise": "no-immortal-key"},
                                {"subject": "setnxexpire.py", "promise": "mutual-exclusion"}]})");
        QFile saved(folder->filePath(QStringLiteral("token-check-then-delete.owner-only-release.json")));
        QVERIFY(saved.open(QIODevice::ReadOnly));
        write("wrong.json", saved.readAll().replace("\"OK\"", "\"WRONG\""));
        for (const QJsonValue &document : outputsOf("explore --play DIR/wrong.json --json"))
            documents += document;
        const auto addProgram = [&](const char *options, const char *worker) {
            const QStringList words =
                QString::fromLatin1(options).replace(QLatin1String("DIR"), folder->path()).split(u' ');
            const Outcome outcome = run(words + test::workerCommand(QString::fromLatin1(worker)));
            for (const QJsonValue &document : documentsIn(outcome.output))
                documents += document;
        };
        addProgram("explore --promise no-immortal-key --json --progress --", "setnxexpire");
        addProgram("explore --promise no-immortal-key --promise mutual-exclusion --baseline DIR/known.json --json --",
                   "setnxexpire");
        addProgram("explore --promise no-immortal-key --json --", "dying");
        addProgram("explore --promise owner-only-release --json --progress --", "unlocked");
        addProgram("explore --resource order:1 --expirations 0 --json --progress --", "laterchance");
        addProgram("explore --promise crash-release --crashes 0 --lost-replies 1 --json --", "setnxexpire");
        for (const QJsonValue &document :
             documentsIn(run(QStringLiteral("explore none --json --progress").split(u' ')).output))
            documents += document;
        validate(QStringLiteral("explore"), documents);
    }

    void story_isDescribed()
    {
        validate(QStringLiteral("story"), outputsOf("story --list --json\n"
                                                    "story late-delete --speed 20 --json\n"));
    }
};

LATCHKEY_TEST(TestJsonSchemas)

} // namespace tst_jsonschemas

#include "tst_jsonschemas.moc"
