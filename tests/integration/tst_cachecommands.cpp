#include "core/recipes/caches/catalogue.h"
#include "tests/support/await.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/fakeserver.h"
#include "tests/support/pseudoterminal.h"
#include "tests/support/singlecommands.h"
#include "tests/support/testprogram.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

namespace tst_cachecommands {

using namespace latchkey;
using test::Outcome;
using test::outcomeOf;

namespace {

/// For a script: waits until the test has created the file, or is over.
#define UNTIL_TOLD "while [ -d \"$DIR\" ] && [ ! -e \"$DIR/go\" ]; do sleep 0.02; done; "

QByteArray awkwardValue()
{
    return QByteArray("nul\0, \xff\xfe, line\r\nend\n\n", 20);
}

} // namespace

/// Tests of `put` and `get` as scripts use them.
class TestCacheCommands final : public test::CommandLineTest
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder;

    void start(QProcess &process, const QStringList &arguments) const
    {
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(LATCHKEY_CLI), arguments);
    }
    /// Returns the arguments, followed by a shell script, which finds the folder in $DIR.
    QStringList withScript(const char *words, const char *script) const
    {
        return QString::fromUtf8(words).split(u' ', Qt::SkipEmptyParts)
             + QStringList {QStringLiteral("--"), QStringLiteral("sh"), QStringLiteral("-c"),
                            QString::fromUtf8(script)};
    }

    qint64 pttl(const QByteArray &key) { return test::millisecondsLeft(*server, key); }
    bool exists(const QByteArray &key) { return (*server)({"EXISTS", key}).isInteger(1); }
    [[nodiscard]] bool hasFile(const QString &name) const { return QFile::exists(folder->filePath(name)); }
    void makeFile(const QString &name) const
    {
        QFile file(folder->filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
    }
    /// Returns the number of lines that a script has written to the file.
    [[nodiscard]] qsizetype linesIn(const QString &name) const
    {
        QFile file(folder->filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll().count('\n') : 0;
    }

    static void addRecipes()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<bool>("holdsFields");
        for (const caches::Recipe &recipe : caches::recipes())
            QTest::addRow("%s", qPrintable(recipe.id)) << recipe.id << recipe.holdsFields;
    }

private Q_SLOTS:
    void init()
    {
        CommandLineTest::init();
        folder = std::make_unique<QTemporaryDir>();
        environment.insert(QStringLiteral("DIR"), folder->path());
    }
    void cleanup()
    {
        CommandLineTest::cleanup();
        folder.reset();
    }

    void recipes_listCachesToo()
    {
        const QJsonArray recipes = QJsonDocument::fromJson(run("recipes --json").output).array();
        QStringList ids;
        for (const QJsonValue &recipe : recipes) {
            if (recipe[QStringLiteral("family")] == QStringLiteral("cache"))
                ids += recipe[QStringLiteral("id")].toString();
        }
        QCOMPARE(ids.join(u' '), QStringLiteral("set-then-expire set-ex setex hash-then-expire hash-lua hash-multi "
                                                "hash-hsetex hash-placeholder guarded"));
        QVERIFY(run("recipes").output.contains("no-immortal-data"));
    }

    void put_thenGet_returnsTheValue_data() { addRecipes(); }
    void put_thenGet_returnsTheValue()
    {
        QFETCH(QString, id);
        QFETCH(bool, holdsFields);
        const QStringList put {QStringLiteral("put"), id, QStringLiteral("k"), QStringLiteral("--ttl"),
                               QStringLiteral("20s")};
        const QStringList get {QStringLiteral("get"), id, QStringLiteral("k")};
        const QStringList content = holdsFields ? QStringList {QStringLiteral("name=Ann"), QStringLiteral("empty="),
                                                               QStringLiteral("sum=1+1=2")}
                                                : QStringList {QStringLiteral("Ann")};

        const Outcome miss = run(get);
        QCOMPARE(miss.exitCode, 1);
        QCOMPARE(miss.output, QByteArray());
        QCOMPARE(miss.errors, "latchkey-cli: get " + id.toLatin1() + " \"k\": miss\n");

        const Outcome written = run(put + content);
        QVERIFY2(written.exitCode == 0, written.errors.constData());
        QCOMPARE(written.output, QByteArray("written\n"));
        QVERIFY(pttl("k") > 10'000 && pttl("k") <= 20'000);

        const Outcome got = run(get);
        QCOMPARE(got.exitCode, 0);
        QList<QByteArray> lines = got.output.split('\n');
        std::sort(lines.begin(), lines.end());
        QCOMPARE(lines,
                 holdsFields ? QList<QByteArray>({"", "empty=", "name=Ann", "sum=1+1=2"}) : QList<QByteArray>({"Ann"}));

        const QJsonObject json = run(get + QStringList {QStringLiteral("--json")}).object();
        QCOMPARE(json.keys(), (QStringList {holdsFields ? QStringLiteral("fields") : QStringLiteral("outcome"),
                                            holdsFields ? QStringLiteral("outcome") : QStringLiteral("pttl_ms"),
                                            holdsFields ? QStringLiteral("pttl_ms") : QStringLiteral("value")}));
        QCOMPARE(json[QStringLiteral("outcome")], QStringLiteral("hit"));
        QVERIFY(json[QStringLiteral("pttl_ms")].toInteger() > 10'000);
        if (holdsFields)
            QCOMPARE(json[QStringLiteral("fields")].toObject(),
                     (QJsonObject {{QStringLiteral("name"), QStringLiteral("Ann")},
                                   {QStringLiteral("empty"), QString()},
                                   {QStringLiteral("sum"), QStringLiteral("1+1=2")}}));
        else
            QCOMPARE(json[QStringLiteral("value")], QStringLiteral("Ann"));
    }

    void miss_inJsonHasEveryField()
    {
        const Outcome value = run("get set-ex k --json");
        QCOMPARE(value.exitCode, 1);
        QCOMPARE(value.output, QByteArray("{\"outcome\":\"miss\",\"pttl_ms\":null,\"value\":null}\n"));
        QCOMPARE(run("get hash-lua k --json").output,
                 QByteArray("{\"fields\":null,\"outcome\":\"miss\",\"pttl_ms\":null}\n"));
        QVERIFY((*server)({"SET", "k", "v"}).isOk());
        QCOMPARE(run("get set-ex k --json").object()[QStringLiteral("pttl_ms")].toInteger(), qint64(-1));
    }

    void values_areBytes()
    {
        for (const char *words : {"put set-ex k --ttl 20s", "put set-ex k - --ttl 20s"}) {
            QVERIFY((*server)({"FLUSHALL"}).isOk());
            QCOMPARE(run(words, awkwardValue()).exitCode, 0);
            QVERIFY((*server)({"GET", "k"}).isBulk(awkwardValue()));
            QCOMPARE(run("get set-ex k").output, awkwardValue());
            const QJsonObject json = run("get set-ex k --json").object();
            QCOMPARE(QByteArray::fromBase64(json[QStringLiteral("value_base64")].toString().toLatin1()),
                     awkwardValue());
        }
        QCOMPARE(run("put set-ex k --ttl 20s").exitCode, 0);
        QVERIFY2((*server)({"GET", "k"}).isBulk(""), "an empty standard input is an empty value");
        QCOMPARE(run("get set-ex k").exitCode, 0);
        const QByteArray large(5'000'000, 'x');
        QCOMPARE(run("put setex k --ttl 20s", large).exitCode, 0);
        QCOMPARE(run("get setex k").output, large);
    }

    void fieldsThatAreNotText_comeInBase64()
    {
        QVERIFY((*server)({"HSET", "k", "\xff", QByteArray("a\0b", 3), "text", "too"}).isInteger(2));
        const QJsonObject json = run("get hash-lua k --json").object();
        QCOMPARE(json[QStringLiteral("fields")].toObject()[QStringLiteral("text")], QStringLiteral("too"));
        QMap<QByteArray, QByteArray> fields;
        for (const QJsonValue &pair : json[QStringLiteral("fields_base64")].toArray())
            fields[QByteArray::fromBase64(pair[0].toString().toLatin1())] =
                QByteArray::fromBase64(pair[1].toString().toLatin1());
        QCOMPARE(fields, (QMap<QByteArray, QByteArray> {{"\xff", QByteArray("a\0b", 3)}, {"text", "too"}}));
    }

    void keys_areBytes()
    {
        const QByteArray key("a\0b\xff", 4);
        const QString encoded = QString::fromLatin1(key.toBase64());
        QCOMPARE(run({QStringLiteral("put"), QStringLiteral("set-ex"), encoded, QStringLiteral("v"),
                      QStringLiteral("--ttl"), QStringLiteral("5s"), QStringLiteral("--base64-key")})
                     .exitCode,
                 0);
        QVERIFY(exists(key));
        QCOMPARE(run({QStringLiteral("get"), QStringLiteral("set-ex"), encoded, QStringLiteral("--base64-key")}).output,
                 QByteArray("v"));
    }

    void ifAbsent_isAClearNo()
    {
        QCOMPARE(run("put set-ex k first --ttl 20s --if-absent").exitCode, 0);
        const Outcome second = run("put set-ex k second --ttl 20s --if-absent --json");
        QCOMPARE(second.exitCode, 1);
        QCOMPARE(second.outcome(), QStringLiteral("exists"));
        QCOMPARE(second.errors,
                 QByteArray("latchkey-cli: put set-ex \"k\": there is a value already; nothing was changed\n"));
        QVERIFY((*server)({"GET", "k"}).isBulk("first"));
        QCOMPARE(run("put guarded k second --ttl 20s").exitCode, 1);
    }

    void units_areSent()
    {
        QCOMPARE(run("put set-ex k v --ttl 7s --unit s").exitCode, 0);
        QVERIFY(pttl("k") > 5'000 && pttl("k") <= 7'000);
        QCOMPARE(run("put set-then-expire k v --ttl 1500ms --unit ms").exitCode, 0);
        QVERIFY(pttl("k") <= 1'500);
    }

    void badUsage_isOneSentenceAndExitsWith2_data()
    {
        QTest::addColumn<QByteArray>("words");
        QTest::addColumn<QByteArray>("errors");
        const auto row = [](const char *words, const char *errors) {
            QTest::addRow("%s", words) << QByteArray(words) << QByteArray(errors);
        };
        row("put set-ex", "put: too few arguments; expected RECIPE KEY [VALUE | FIELD=VALUE...]; see ");
        row("put token k v --ttl 5s", "token is a lock recipe; put needs a cache recipe");
        row("put set-ex k v", "put needs a lifetime: --ttl 5m");
        row("put set-ex k v --ttl 0s",
            "--ttl: a lifetime must be longer than zero, not 0ms; write it like 500ms, 5s or 2m");
        row("put set-ex k v --ttl -5s", "--ttl: a lifetime must be longer than zero, not -5s; write it like ");
        row("put set-ex k v --ttl 0", "--ttl: a lifetime must be longer than zero, not 0; write it like ");
        row("put set-ex k v --ttl -1", "--ttl: a lifetime must be longer than zero, not -1; write it like ");
        row("put set-ex k v --ttl 99999d", "--ttl: a lifetime of 99999d is longer than a hundred years");
        row("put set-ex k v --ttl 5", "--ttl: the duration \"5\" lacks a unit; write 5ms or 5s");
        row("put set-ex k v --ttl 5s --unit m", "unknown unit \"m\"; the units of a lifetime are s and ms");
        row("put set-ex k v --ttl 1500ms --unit s",
            "a lifetime of 1500ms is not whole seconds, in which the unit s counts");
        row("put hash-then-expire k a=b --ttl 1500ms",
            "a lifetime of 1500ms is not whole seconds, in which hash-then-expire counts");
        row("put hash-lua k a=b --ttl 5s --unit s",
            "the recipe hash-lua does not accept a unit: its lifetimes travel in milliseconds");
        row("put setex k v --ttl 5s --if-absent", "the recipe setex does not accept --if-absent");
        row("put hash-lua k --ttl 5s", "the recipe hash-lua writes fields, and there are none: FIELD=VALUE");
        row("put hash-lua k a=b value --ttl 5s", "the recipe hash-lua writes fields, and \"value\" is not FIELD=VALUE");
        row("put hash-multi k - --ttl 5s", "the recipe hash-multi writes fields, and \"-\" is not FIELD=VALUE");
        row("put set-ex k v w --ttl 5s", "the recipe set-ex writes one value, and there are 2");
        row("put hash-placeholder k latchkey:placeholder=1 --ttl 5s",
            "put hash-placeholder \"k\": \"latchkey:placeholder\" is the recipe's placeholder");
        row("put set-ex k v --ttl 5s --lease 5s", "put: unknown option \"lease\"; see latchkey-cli put --help");
        row("get set-ex", "get: too few arguments; expected RECIPE KEY [-- COMMAND...]; see latchkey-cli get --help");
        row("get memo k", "unknown recipe \"memo\"; there are set-then-expire, ");
        row("get set-ex k -- echo v", "the recipe set-ex does not accept a COMMAND: only guarded recomputes");
        row("get set-ex k --ttl 5s", "--ttl goes with guarded and a COMMAND that recomputes the value");
        row("get guarded k --policy none", "--policy goes with guarded and a COMMAND that recomputes the value");
        row("get guarded k --ttl 5s --", "--ttl goes with guarded and a COMMAND that recomputes the value");
        row("get guarded k -- echo v", "what COMMAND gives is cached, and needs its lifetime: --ttl 5m");
        row("get guarded k --ttl 5s --policy best -- echo v",
            "unknown policy \"best\"; the policies are wait, stale and none");
        row("get guarded k --ttl 5s --wait -1s -- echo v", "a wait cannot be negative");
        row("get guarded k --ttl 5s --lease 0s -- echo v", "--lease: a lease must be longer than zero, not 0ms");
        row("get guarded k --ttl 5s --policy none --wait 5s -- echo v",
            "--policy none has no guard: --wait and --lease do not apply");
        row("get guarded k --ttl 5s --stale-for 5s -- echo v", "--stale-for goes with --policy stale");
        row("--url redis://a --url redis://b get set-ex k", "one --url only: this command uses a single server");
    }
    void badUsage_isOneSentenceAndExitsWith2()
    {
        QFETCH(QByteArray, words);
        QFETCH(QByteArray, errors);
        const Outcome outcome = run(words.constData());
        QVERIFY2(outcome.errors.startsWith("latchkey-cli: " + errors), outcome.errors.constData());
        QCOMPARE(outcome.errors.count('\n'), 1);
        QCOMPARE(outcome.exitCode, 2);
        QCOMPARE(outcome.output, QByteArray());
        QVERIFY2((*server)({"DBSIZE"}).isInteger(0), "nothing was written");
    }

    void foreignKey_isRefusedByEveryRecipe_data() { addRecipes(); }
    void foreignKey_isRefusedByEveryRecipe()
    {
        QFETCH(QString, id);
        QFETCH(bool, holdsFields);
        QVERIFY((*server)({"RPUSH", "k", "a", "b"}).isInteger(2));
        QVERIFY((*server)({"PEXPIRE", "k", "500000"}).isInteger(1));
        const Outcome put = run({QStringLiteral("put"), id, QStringLiteral("k"), QStringLiteral("a=b"),
                                 QStringLiteral("--ttl"), QStringLiteral("5s")});
        QCOMPARE(put.exitCode, 3);
        QCOMPARE(put.errors.count('\n'), 1);
        const QByteArray start = "latchkey-cli: put " + id.toLatin1() + " \"k\": the key holds a ";
        QVERIFY2(put.errors.startsWith(start), put.errors.constData());
        const Outcome get = run({QStringLiteral("get"), id, QStringLiteral("k")});
        QCOMPARE(get.exitCode, 3);
        QVERIFY2(get.errors.contains("the key holds a value of another type"), get.errors.constData());
        QVERIFY((*server)({"LLEN", "k"}).isInteger(2));
        QVERIFY(pttl("k") > 400'000);

        QVERIFY((*server)({"DEL", "k"}).isInteger(1));
        if (holdsFields)
            QVERIFY((*server)({"SET", "k", "v"}).isOk());
        else
            QVERIFY((*server)({"HSET", "k", "f", "v"}).isInteger(1));
        QCOMPARE(run({QStringLiteral("put"), id, QStringLiteral("k"), QStringLiteral("a=b"), QStringLiteral("--ttl"),
                      QStringLiteral("5s")})
                     .exitCode,
                 3);
        QCOMPARE(pttl("k"), qint64(-1));
        QVERIFY((*server)({"DBSIZE"}).isInteger(1));
    }

    void serverTrouble_isOneSentenceAndExitsWith3_data()
    {
        QTest::addColumn<QList<QByteArray>>("preparation");
        QTest::addColumn<QByteArray>("words");
        QTest::addColumn<QByteArray>("errors");
        using Words = QList<QByteArray>;
        QTest::addRow("refused") << Words() << QByteArray("--url redis://127.0.0.1:1 put set-ex k v --ttl 5s")
                                 << QByteArray("put set-ex \"k\": cannot connect to redis://127.0.0.1:1: ");
        QTest::addRow("refused, command")
            << Words() << QByteArray("--url redis://127.0.0.1:1 get guarded k --ttl 5s -- touch $DIR/ran")
            << QByteArray("get guarded \"k\": cannot connect to redis://127.0.0.1:1: ");
        QTest::addRow("scripts denied")
            << Words {"ACL", "SETUSER", "default", "-@scripting"} << QByteArray("put hash-lua k a=b --ttl 5s")
            << QByteArray("put hash-lua \"k\": the server's ACL does not permit this user to do that (\"NOPERM");
        QTest::addRow("lifetimes denied")
            << Words {"ACL", "SETUSER", "default", "-pexpire"} << QByteArray("put hash-lua k a=b --ttl 5s")
            << QByteArray("put hash-lua \"k\": the server's ACL does not permit this user to do that (\"NOPERM");
        QTest::addRow("out of memory") << Words {"CONFIG", "SET", "maxmemory", "1"}
                                       << QByteArray("put hash-multi k a=b --ttl 5s")
                                       << QByteArray("put hash-multi \"k\": the server has reached its memory limit");
        QTest::addRow("read-only replica")
            << Words {"REPLICAOF", "127.0.0.1", "1"} << QByteArray("put hash-placeholder k a=b --ttl 5s")
            << QByteArray("put hash-placeholder \"k\": the server is a read-only replica (\"READONLY");
    }
    void serverTrouble_isOneSentenceAndExitsWith3()
    {
        QFETCH(QList<QByteArray>, preparation);
        QFETCH(QByteArray, words);
        QFETCH(QByteArray, errors);
        if (preparation.size() == 3)
            QVERIFY(!(*server)({preparation[0], preparation[1], preparation[2]}).isError());
        else if (preparation.size() == 4)
            QVERIFY(!(*server)({preparation[0], preparation[1], preparation[2], preparation[3]}).isError());
        const Outcome outcome = run(words.constData());
        QVERIFY2(outcome.errors.startsWith("latchkey-cli: " + errors), outcome.errors.constData());
        QCOMPARE(outcome.errors.count('\n'), 1);
        QCOMPARE(outcome.exitCode, 3);
        QCOMPARE(outcome.output, QByteArray());
        QVERIFY2((*server)({"DBSIZE"}).isInteger(0), "nothing was written");
    }

    void lifetimeThatIsDenied_isReportedToBeMissing()
    {
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-pexpire"}).isOk());
        const Outcome outcome = run("put set-then-expire k v --ttl 5s");
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(outcome.errors.startsWith("latchkey-cli: put set-then-expire \"k\": the data was written and is left "
                                           "without a lifetime: the server's ACL"),
                 outcome.errors.constData());
        QCOMPARE(outcome.errors.count('\n'), 1);
        QCOMPARE(pttl("k"), qint64(-1));
    }

    /// `put` and `get` have the same size limit, and use no memory for larger values.
    void largestValue_isTheSameForBoth()
    {
        constexpr qsizetype largest = 64LL * 1024 * 1024;
        QCOMPARE(run("put set-ex k --ttl 5m", QByteArray(largest, 'x')).exitCode, 0);
        QCOMPARE(run("get set-ex k").output.size(), largest);

        const Outcome put = run("put set-ex new - --ttl 5m", QByteArray(largest + 1, 'x'));
        QCOMPARE(put.exitCode, 2);
        QCOMPARE(put.errors, QByteArray("latchkey-cli: the value is larger than 64 MiB, more than is written or read; "
                                        "nothing was sent\n"));
        QVERIFY(!exists("new"));

        QVERIFY((*server)({"APPEND", "k", "x"}).isInteger(largest + 1));
        for (const char *words : {"get set-ex k", "get set-ex k --json", "get guarded k --ttl 5s -- true"}) {
            const Outcome get = run(words);
            QCOMPARE(get.exitCode, 3);
            QCOMPARE(get.output, QByteArray());
            QVERIFY2(get.errors.endsWith("the server sent a value of 67108865 bytes, larger than 64 MiB: not read\n"),
                     get.errors.constData());
        }
    }

    void guarded_cachesNothingThatCouldNotBeRead()
    {
        const Outcome largest = run(withScript("get guarded k --ttl 5m", "head -c 67108864 /dev/zero"));
        QVERIFY2(largest.exitCode == 0, largest.errors.constData());
        QCOMPARE(largest.output.size(), qsizetype(64LL * 1024 * 1024));
        QCOMPARE(run("get guarded k").output.size(), largest.output.size());
        QVERIFY((*server)({"DEL", "k"}).isInteger(1));

        // A command that never ends, and output of another process, which receives no signal.
        for (const char *script : {"head -c 67108865 /dev/zero", "exec cat /dev/zero", "cat /dev/zero & wait"}) {
            const Outcome tooLarge = run(withScript("get guarded k --ttl 20s", script));
            QCOMPARE(tooLarge.exitCode, 3);
            QCOMPARE(tooLarge.output, QByteArray());
            QCOMPARE(tooLarge.errors,
                     QByteArray("latchkey-cli: get guarded \"k\": sh writes more than 64 MiB, which is "
                                "more than is cached or read; nothing was cached\n"));
            QVERIFY2((*server)({"DBSIZE"}).isInteger(0), "the guard has been let go of");
        }
    }

    /// A read has no unknown outcome.
    void readWithALostAnswer_isAnErrorAndNothingElse()
    {
        const test::FakeServer silent(test::FakeServer::closesOnCommand());
        environment.insert(QStringLiteral("LATCHKEY_URL"), silent.url());
        const auto [exitCode, output, errors] = run("get set-ex k --json");
        QCOMPARE(exitCode, 3);
        QCOMPARE(output, QByteArray());
        QVERIFY2(errors.contains("the connection was lost") && !errors.contains("unknown"), errors.constData());
    }

    void lostAnswer_isUnknownAndExitsWith3()
    {
        const test::FakeServer silent(test::FakeServer::closesOnCommand());
        environment.insert(QStringLiteral("LATCHKEY_URL"), silent.url());
        const Outcome outcome = run("put hash-lua k a=b --ttl 5s --json");
        QCOMPARE(outcome.exitCode, 3);
        QCOMPARE(outcome.output, QByteArray("{\"outcome\":\"unknown\"}\n"));
        QVERIFY2(outcome.errors.trimmed().endsWith("the outcome is unknown"), outcome.errors.constData());
    }

    void guarded_runsItsCommandAfterAMissAndNotAfterAHit()
    {
        const QStringList words =
            withScript("get guarded k --ttl 20s", R"(echo >> "$DIR/runs"; printf 'a\0b\377\n\n')");
        const QByteArray value("a\0b\xff\n\n", 6);
        for (int i = 0; i < 2; ++i) {
            const Outcome outcome = run(words);
            QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
            QCOMPARE(outcome.output, value);
            QCOMPARE(outcome.errors, QByteArray());
        }
        QCOMPARE(linesIn(QStringLiteral("runs")), 1);
        QVERIFY((*server)({"GET", "k"}).isBulk(value));
        QVERIFY(pttl("k") > 10'000 && pttl("k") <= 20'000);
        QVERIFY(!exists("k:guard") && !exists("k:stale"));
        QCOMPARE(run("get guarded k").output, value);
    }

    void guarded_reportsTheOriginOfTheValueInJson()
    {
        const QStringList words = withScript("get guarded k --ttl 20s --json", "printf v");
        const QJsonObject recomputed = run(words).object();
        QCOMPARE(recomputed.keys(),
                 (QStringList {QStringLiteral("outcome"), QStringLiteral("pttl_ms"), QStringLiteral("value")}));
        QCOMPARE(recomputed[QStringLiteral("outcome")], QStringLiteral("recomputed"));
        QCOMPARE(recomputed[QStringLiteral("value")], QStringLiteral("v"));
        QVERIFY(recomputed[QStringLiteral("pttl_ms")].toInteger() > 10'000);
        QCOMPARE(run(words).outcome(), QStringLiteral("hit"));
    }

    void guarded_keepsLargeOutput()
    {
        const Outcome outcome =
            run(withScript("get guarded k --ttl 20s", "head -c 3000000 /dev/zero | tr '\\0' x; echo oh >&2"));
        QCOMPARE(outcome.output, QByteArray(3'000'000, 'x'));
        QCOMPARE(outcome.errors, QByteArray("oh\n"));
        QVERIFY((*server)({"STRLEN", "k"}).isInteger(3'000'000));
    }

    void commandThatFails_leavesNothingCachedAndNoGuard_data()
    {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<int>("code");
        QTest::addRow("exit code") << QByteArray("echo half a value; exit 7") << 7;
        QTest::addRow("signal") << QByteArray("echo half a value; kill -9 $$") << 137;
    }
    void commandThatFails_leavesNothingCachedAndNoGuard()
    {
        QFETCH(QByteArray, script);
        QFETCH(int, code);
        const Outcome outcome = run(withScript("get guarded k --ttl 20s", script.constData()));
        QCOMPARE(outcome.exitCode, 1);
        QCOMPARE(outcome.output, QByteArray());
        QCOMPARE(outcome.errors, "latchkey-cli: get guarded \"k\": sh ended with the exit code "
                                     + QByteArray::number(code) + "; nothing was cached\n");
        QVERIFY((*server)({"DBSIZE"}).isInteger(0));

        const QJsonObject json = run(withScript("get guarded k --ttl 20s --json", script.constData())).object();
        QCOMPARE(json[QStringLiteral("outcome")], QStringLiteral("failed"));
        QCOMPARE(json[QStringLiteral("exit_code")].toInt(), code);
        QVERIFY(json[QStringLiteral("value")].isNull());
    }

    void commandThatDoesNotExist_isAnError()
    {
        const Outcome outcome = run("get guarded k --ttl 20s -- /nonexistent/program");
        QCOMPARE(outcome.exitCode, 3);
        QCOMPARE(outcome.errors, QByteArray("latchkey-cli: get guarded \"k\": cannot run \"/nonexistent/program\": No "
                                            "such file or directory\n"));
        QVERIFY((*server)({"DBSIZE"}).isInteger(0));
    }

    /// Several real processes; their commands run until the test lets them end.
    void crowd_runsTheCommandOnce_data()
    {
        QTest::addColumn<QByteArray>("policy");
        QTest::addColumn<int>("runs");
        QTest::addRow("wait") << QByteArray("wait") << 1;
        QTest::addRow("no guard: the stampede") << QByteArray("none") << 6;
    }
    void crowd_runsTheCommandOnce()
    {
        QFETCH(QByteArray, policy);
        QFETCH(int, runs);
        constexpr int crowd = 6;
        const QStringList words = withScript(("get guarded k --ttl 60s --policy " + policy).constData(),
                                             "echo >> \"$DIR/runs\"; " UNTIL_TOLD "echo value");
        std::vector<std::unique_ptr<QProcess>> processes;
        for (int i = 0; i < crowd; ++i) {
            processes.push_back(std::make_unique<QProcess>());
            start(*processes.back(), words);
        }
        LATCHKEY_AWAIT(linesIn(QStringLiteral("runs")) == runs);
        // All processes are connected, and those that do not run the command are waiting.
        LATCHKEY_AWAIT((*server)({"CLIENT", "LIST"}).bytes().count("\n") == crowd + 1);
        makeFile(QStringLiteral("go"));
        for (const auto &process : processes) {
            const Outcome outcome = outcomeOf(*process);
            QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
            QCOMPARE(outcome.output, QByteArray("value\n"));
        }
        QCOMPARE(linesIn(QStringLiteral("runs")), runs);
        QVERIFY(!exists("k:guard"));
    }

    void staleValue_isGivenToTheOthers()
    {
        QCOMPARE(run(withScript("get guarded k --ttl 60s --policy stale --stale-for 60s", "printf old")).output,
                 QByteArray("old"));
        QVERIFY(pttl("k:stale") > 100'000);
        QVERIFY((*server)({"DEL", "k"}).isInteger(1)); // As if it had expired.
        QProcess first;
        start(first, withScript("get guarded k --ttl 60s --policy stale", UNTIL_TOLD "printf new"));
        LATCHKEY_AWAIT(exists("k:guard"));
        const Outcome second = run(withScript("get guarded k --ttl 60s --policy stale --json", "printf never"));
        QCOMPARE(second.exitCode, 0);
        QCOMPARE(second.outcome(), QStringLiteral("stale"));
        QCOMPARE(second.object()[QStringLiteral("value")], QStringLiteral("old"));
        QVERIFY(second.object()[QStringLiteral("pttl_ms")].isNull());
        makeFile(QStringLiteral("go"));
        QCOMPARE(outcomeOf(first).output, QByteArray("new"));
        QCOMPARE(run(withScript("get guarded k --ttl 60s --policy stale", "printf never")).output, QByteArray("new"));
    }

    void signal_endsTheCommandAndLetsGoOfTheGuard_data()
    {
        QTest::addColumn<int>("number");
        QTest::addRow("HUP") << SIGHUP;
        QTest::addRow("INT") << SIGINT;
        QTest::addRow("TERM") << SIGTERM;
    }
    void signal_endsTheCommandAndLetsGoOfTheGuard()
    {
        QFETCH(int, number);
        QProcess process;
        start(process, withScript("get guarded k --ttl 60s", "trap 'touch \"$DIR/told\"; exit 1' HUP INT TERM; "
                                                             ": > \"$DIR/ready\"; " UNTIL_TOLD "echo value"));
        LATCHKEY_AWAIT(hasFile(QStringLiteral("ready")));
        QVERIFY(exists("k:guard"));
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), number), 0);
        const Outcome outcome = outcomeOf(process);
        QCOMPARE(outcome.exitCode, 128 + number);
        QCOMPARE(outcome.output, QByteArray());
        QVERIFY(hasFile(QStringLiteral("told")));
        QVERIFY((*server)({"DBSIZE"}).isInteger(0));
    }

    void waitThatIsOver_isAClearNo()
    {
        QVERIFY((*server)({"SET", "k:guard", "another's", "PX", "60000"}).isOk());
        const Outcome outcome = run(withScript("get guarded k --ttl 60s --wait 20ms --json", "printf never"));
        QCOMPARE(outcome.exitCode, 1);
        QCOMPARE(outcome.outcome(), QStringLiteral("busy"));
        QCOMPARE(outcome.errors,
                 QByteArray("latchkey-cli: get guarded \"k\": another client is still recomputing the value\n"));
        QVERIFY((*server)({"GET", "k:guard"}).isBulk("another's"));
    }

    void guard_isRenewedWhileTheCommandRuns()
    {
        QProcess process;
        start(process, withScript("get guarded k --ttl 60s --lease 3s", UNTIL_TOLD "printf new"));
        LATCHKEY_AWAIT(exists("k:guard"));
        const QByteArray token = (*server)({"GET", "k:guard"}).bytes();
        // Renewals are visible as a larger TTL; the guard keeps its owner for longer than its lease.
        int renewals = 0;
        qint64 last = pttl("k:guard");
        LATCHKEY_AWAIT(([&] {
            const qint64 now = pttl("k:guard");
            renewals += now > last ? 1 : 0;
            last = now;
            return renewals >= 4;
        }()));
        QVERIFY((*server)({"GET", "k:guard"}).isBulk(token));
        makeFile(QStringLiteral("go"));
        QCOMPARE(outcomeOf(process).output, QByteArray("new"));
        QVERIFY((*server)({"GET", "k"}).isBulk("new"));
    }

    /// The end of the output is not the end of the command.
    void commandThatClosesItsOutput_isGuardedUntilItEnds()
    {
        QProcess process;
        start(process,
              withScript("get guarded k --ttl 60s --lease 500ms", "echo v; exec >&-; : > \"$DIR/ready\"; " UNTIL_TOLD));
        LATCHKEY_AWAIT(hasFile(QStringLiteral("ready")));
        const QByteArray token = (*server)({"GET", "k:guard"}).bytes();
        bool wasLost = false;
        QElapsedTimer timer;
        timer.start();
        LATCHKEY_AWAIT((wasLost = wasLost || !(*server)({"GET", "k:guard"}).isBulk(token), timer.elapsed() > 1500));
        QVERIFY(!wasLost);
        QCOMPARE(process.state(), QProcess::Running);
        makeFile(QStringLiteral("go"));
        const Outcome outcome = outcomeOf(process);
        QVERIFY2(outcome.exitCode == 0 && outcome.errors.isEmpty(), outcome.errors.constData());
        QCOMPARE(outcome.output, QByteArray("v\n"));
        QVERIFY((*server)({"GET", "k"}).isBulk("v\n"));
    }

    void commandThatClosesItsOutput_isStillTerminated()
    {
        QProcess process;
        start(process, withScript("get guarded k --ttl 60s", "trap ': > \"$DIR/told\"; exit 1' TERM; echo v; exec >&-; "
                                                             ": > \"$DIR/ready\"; " UNTIL_TOLD));
        LATCHKEY_AWAIT(hasFile(QStringLiteral("ready")));
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGTERM), 0);
        QCOMPARE(outcomeOf(process).exitCode, 128 + SIGTERM);
        QVERIFY(hasFile(QStringLiteral("told")));
        QVERIFY((*server)({"DBSIZE"}).isInteger(0));
    }

    void outputThatAChildKeepsOpen_isReadToItsEndUnlessTerminated_data()
    {
        QTest::addColumn<bool>("isTold");
        QTest::addRow("waits") << false;
        QTest::addRow("is told to end") << true;
    }
    void outputThatAChildKeepsOpen_isReadToItsEndUnlessTerminated()
    {
        QFETCH(bool, isTold);
        QProcess process;
        start(process,
              withScript("get guarded k --ttl 60s", "(" UNTIL_TOLD "echo late) & echo $$ > \"$DIR/pid\"; echo soon"));
        LATCHKEY_AWAIT(linesIn(QStringLiteral("pid")) == 1);
        QFile pid(folder->filePath(QStringLiteral("pid")));
        QVERIFY(pid.open(QIODevice::ReadOnly));
        const auto program = static_cast<pid_t>(pid.readAll().trimmed().toInt());
        LATCHKEY_AWAIT(::kill(program, 0) != 0); // The program has ended, and its end was noticed.
        QCOMPARE(process.state(), QProcess::Running);
        if (isTold) {
            QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGTERM), 0);
            QCOMPARE(outcomeOf(process).exitCode, 128 + SIGTERM);
            QVERIFY((*server)({"DBSIZE"}).isInteger(0));
        }
        makeFile(QStringLiteral("go"));
        if (!isTold)
            QCOMPARE(outcomeOf(process).output, QByteArray("soon\nlate\n"));
    }

    void killed_takesTheCommandAlong()
    {
        QProcess process;
        start(process, withScript("get guarded k --ttl 60s", "trap '' TERM HUP; echo $$ > \"$DIR/pid\"; " UNTIL_TOLD));
        LATCHKEY_AWAIT(linesIn(QStringLiteral("pid")) == 1);
        QFile pid(folder->filePath(QStringLiteral("pid")));
        QVERIFY(pid.open(QIODevice::ReadOnly));
        const auto program = static_cast<pid_t>(pid.readAll().trimmed().toInt());
        QCOMPARE(::kill(program, 0), 0);
        process.kill();
        LATCHKEY_AWAIT(process.state() == QProcess::NotRunning);
        LATCHKEY_AWAIT(::kill(program, 0) != 0);
    }

    void command_isTheSameUserThere()
    {
        QVERIFY((*server)({"CONFIG", "SET", "requirepass", "s3cret"}).isOk());
        QFile file(folder->filePath(QStringLiteral("password")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("s3cret\n");
        file.close();
        const QByteArray words = "get guarded k --ttl 60s --password-file " + file.fileName().toUtf8();
        const Outcome outcome = run(withScript(words.constData(), "exec \"" LATCHKEY_CLI "\" ls"));
        QVERIFY2(outcome.output.contains("k:guard"), outcome.errors.constData());
    }

    void lostGuard_isReportedAndTheValueIsNotCached()
    {
        QProcess process;
        start(process, withScript("get guarded k --ttl 60s", "echo >\"$DIR/runs\"; " UNTIL_TOLD "printf late"));
        LATCHKEY_AWAIT(linesIn(QStringLiteral("runs")) == 1); // The guard is held, and the value was looked up again.
        QVERIFY((*server)({"DEL", "k:guard"}).isInteger(1));
        QVERIFY((*server)({"SET", "k", "newer"}).isOk());
        makeFile(QStringLiteral("go"));
        const Outcome outcome = outcomeOf(process);
        QCOMPARE(outcome.exitCode, 0);
        QCOMPARE(outcome.output, QByteArray("late"));
        QCOMPARE(outcome.errors, QByteArray("latchkey-cli: get guarded \"k\": the guard's lease ended before the "
                                            "command did; the value was not cached\n"));
        QVERIFY((*server)({"GET", "k"}).isBulk("newer"));
    }

    void killedHolder_isFollowedByAWaiter()
    {
        QProcess holder;
        start(holder, withScript("get guarded k --ttl 60s --lease 2s", "touch \"$DIR/running\"; " UNTIL_TOLD));
        LATCHKEY_AWAIT(hasFile(QStringLiteral("running")));
        ::kill(static_cast<pid_t>(holder.processId()), SIGKILL);
        QVERIFY(holder.waitForFinished());
        QVERIFY2(exists("k:guard"), "no client has released it");
        const Outcome waiter = run(withScript("get guarded k --ttl 60s", "printf new"));
        QCOMPARE(waiter.exitCode, 0);
        QCOMPARE(waiter.output, QByteArray("new"));
    }

    void uncacheableValue_isStillPrinted()
    {
        QProcess process;
        start(process, withScript("get guarded k --ttl 60s", UNTIL_TOLD "printf new"));
        LATCHKEY_AWAIT(exists("k:guard"));
        QVERIFY((*server)({"CONFIG", "SET", "maxmemory", "1"}).isOk());
        makeFile(QStringLiteral("go"));
        const Outcome outcome = outcomeOf(process);
        QCOMPARE(outcome.exitCode, 3);
        QCOMPARE(outcome.output, QByteArray("new"));
        QVERIFY2(outcome.errors.contains("the server has reached its memory limit"), outcome.errors.constData());
        QVERIFY2(outcome.errors.endsWith("; the value was not cached\n"), outcome.errors.constData());
        QVERIFY(!exists("k") && !exists("k:guard"));
    }

    void valueOnATerminal_isNotActedUpon()
    {
        LATCHKEY_NEEDS_TERMINAL();
        QVERIFY((*server)({"SET", "k", "red \x1b[31m\nand more"}).isOk());
        test::PseudoTerminal terminal;
        terminal.start(environment, folder->path(), QStringLiteral(LATCHKEY_CLI),
                       {QStringLiteral("get"), QStringLiteral("set-ex"), QStringLiteral("k")});
        LATCHKEY_AWAIT(terminal.output().contains("and more"));
        QVERIFY2(terminal.output().contains("red \\x1b[31m\r\n"), terminal.output().constData());
        QVERIFY(!terminal.output().contains('\x1b'));
        LATCHKEY_AWAIT(terminal.process().state() == QProcess::NotRunning);
    }
};

LATCHKEY_TEST(TestCacheCommands)

} // namespace tst_cachecommands

#include "tst_cachecommands.moc"
