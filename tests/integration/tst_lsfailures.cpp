#include "tests/support/await.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/fakeredis.h"
#include "tests/support/freeport.h"
#include "tests/support/testprogram.h"

#include <QProcess>
#include <QRegularExpression>
#include <QTest>

#include <functional>

namespace tst_lsfailures {

using namespace latchkey;
using test::Outcome;

namespace {

/// Returns a server with one lock that never answers this command.
test::FakeRedis::Script silentTo(const QByteArray &silent)
{
    return [silent](const QList<QByteArray> &command) -> QByteArray {
        const QByteArray &name = command.front();
        if (name == silent)
            return {};
        if (name == "DBSIZE")
            return ":1\r\n";
        if (name == "SCAN")
            return "*2\r\n$1\r\n0\r\n*1\r\n$6\r\nlock:a\r\n";
        if (name == "PTTL")
            return ":500000\r\n";
        return name == "TYPE" ? "+string\r\n" : "-ERR unknown command\r\n";
    };
}

} // namespace

/// Tests of ls with servers that fail: the output is always whole, and each cause is printed once.
class TestLsFailures final : public test::CommandLineTest
{
    Q_OBJECT

    /// Uses a user with these rules from now on.
    void become(const QByteArrayList &rules)
    {
        resp::Command command {"ACL", "SETUSER", "reader", "on", ">secret"};
        for (const QByteArray &rule : rules)
            command << rule;
        QVERIFY((*server)(command).isOk());
        net::Endpoint endpoint = server->endpoint();
        endpoint.user = QStringLiteral("reader");
        endpoint.password = QStringLiteral("secret");
        environment.insert(QStringLiteral("LATCHKEY_URL"), endpoint.toUrlWithPassword());
    }
    /// Returns the only line of standard error as JSON; empty if it is something else.
    static QJsonObject errorOf(const Outcome &outcome)
    {
        return outcome.errors.count('\n') == 1 ? QJsonDocument::fromJson(outcome.errors).object() : QJsonObject();
    }

    /// Lists the locks at a speed of 500 commands per second, and calls the function when some of them were read.
    Outcome listSlowly(const QStringList &options, const std::function<void()> &change)
    {
        QProcess process;
        process.setProcessEnvironment(environment);
        const qint64 before = looks();
        process.start(QStringLiteral(LATCHKEY_CLI), QStringList {QStringLiteral("ls"), QStringLiteral("lock:*"),
                                                                 QStringLiteral("--limit"), QStringLiteral("500/s")}
                                                        + options);
        if (!test::waitFor([&] { return looks() > before + 200; }))
            qFatal("ls reads nothing");
        change();
        return test::outcomeOf(process);
    }
    /// Returns the number of reads of expiries.
    [[nodiscard]] qint64 looks()
    {
        static const QRegularExpression calls(QStringLiteral("cmdstat_pttl:calls=(\\d+)"));
        const QByteArray info = (*server)({"INFO", "commandstats"}).bytes();
        return calls.match(QString::fromLatin1(info)).captured(1).toLongLong();
    }
    void fillWithLocks(int count, const QByteArray &milliseconds)
    {
        QVERIFY((*server)({"EVAL",
                           "for i = 1, ARGV[1] do redis.call('SET', 'lock:' .. i, ARGV[2] .. i, 'PX', ARGV[3]) end "
                           "return 1",
                           "0", QByteArray::number(count), token(0).left(26), milliseconds})
                    .isInteger(1));
    }

private Q_SLOTS:
    /// The listing has an arbitrary part of the keys, none of which exists any more.
    void flushDuringTheScan_isNamed_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QList<QByteArray>>("deletion");
        const QList<QByteArray> flush {"FLUSHALL"};
        const QList<QByteArray> script {"EVAL", "for i = 1, 900 do redis.call('DEL', 'lock:' .. i) end return 1", "0"};
        QTest::addRow("FLUSHALL, JSON") << QStringList {QStringLiteral("--json")} << flush;
        QTest::addRow("FLUSHALL, table of locks") << QStringList {QStringLiteral("--locks")} << flush;
        QTest::addRow("most keys deleted") << QStringList {QStringLiteral("--json")} << script;
    }
    void flushDuringTheScan_isNamed()
    {
        QFETCH(QStringList, options);
        QFETCH(QList<QByteArray>, deletion);
        fillWithLocks(1000, "600000");
        const Outcome outcome = listSlowly(options, [&] {
            resp::Command command {deletion.front()};
            for (const QByteArray &word : deletion.sliced(1))
                command << word;
            QVERIFY(!(*server)(command).isError());
        });
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(
            outcome.errors.contains("many keys were deleted during the scan, so the found keys may be only a part: "
                                    "the server had 1000 keys at the beginning and "),
            outcome.errors.constData());
        if (!options.contains(QStringLiteral("--json")))
            return;
        const QJsonObject deleted = errorOf(outcome)[QStringLiteral("deletion")].toObject();
        QCOMPARE(deleted[QStringLiteral("keys_before")].toInt(), 1000);
        QVERIFY(deleted[QStringLiteral("keys_after")].toInt() <= 100);
        QVERIFY(deleted[QStringLiteral("gone")].toInt() * 2 > deleted[QStringLiteral("checked")].toInt());
    }

    /// The keys after the flush are others, or the same ones as before, and their number is the same. Those in the part
    /// that SCAN had passed are missing.
    void flushAndRefillDuringTheScan_isNamed_data()
    {
        QTest::addColumn<QByteArray>("script");
        const QByteArray refill("for i = 1, 1000 do redis.call('SET', KEYS[1] .. i, 1, 'PX', 600000) end return 1");
        QTest::addRow("other keys") << "redis.call('FLUSHALL') " + QByteArray(refill).replace("KEYS[1]", "'lock:new'");
        QTest::addRow("the same keys") << "redis.call('FLUSHDB') " + QByteArray(refill).replace("KEYS[1]", "'lock:'");
        QTest::addRow("another database")
            << "redis.call('SELECT', 1) " + QByteArray(refill).replace("KEYS[1]", "'lock:new'").replace("return 1", "")
                   + "redis.call('SELECT', 0) redis.call('SWAPDB', 0, 1) return 1";
    }
    void flushAndRefillDuringTheScan_isNamed()
    {
        QFETCH(QByteArray, script);
        fillWithLocks(1000, "600000");
        const Outcome outcome =
            listSlowly({QStringLiteral("--json")}, [&] { QVERIFY((*server)({"EVAL", script, "0"}).isInteger(1)); });
        QCOMPARE(outcome.exitCode, 3);
        const QJsonObject coverage = errorOf(outcome);
        QCOMPARE(coverage[QStringLiteral("flushes")].toInt(), 1);
        QCOMPARE(coverage[QStringLiteral("missing")].toArray(),
                 QJsonArray({QStringLiteral("the server executed FLUSHALL, FLUSHDB or SWAPDB during the scan, "
                                            "perhaps in another database, so keys may be missing")}));
        QVERIFY(!coverage[QStringLiteral("complete")].toBool(true));
    }

    /// INFO counts the flushes of all databases together; a watched key shows that those were in others.
    void flushOfAnotherDatabase_makesNoAnswerIncomplete_data()
    {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<QByteArrayList>("rules");
        QTest::addColumn<bool>("isSeen");
        const QByteArray flush("redis.call('SELECT', 1) redis.call('FLUSHDB') return 1");
        const QByteArrayList all {"~*", "&*", "+@all"};
        QTest::addRow("FLUSHDB") << flush << all << true;
        QTest::addRow("SWAPDB") << QByteArray("redis.call('SWAPDB', 1, 2) return 1") << all << false;
        QTest::addRow("FLUSHDB, WATCH is refused") << flush << all + QByteArrayList {"-watch"} << false;
    }
    void flushOfAnotherDatabase_makesNoAnswerIncomplete()
    {
        QFETCH(QByteArray, script);
        QFETCH(QByteArrayList, rules);
        QFETCH(bool, isSeen);
        fillWithLocks(1000, "600000");
        become(rules);
        const Outcome outcome =
            listSlowly({QStringLiteral("--json")}, [&] { QVERIFY((*server)({"EVAL", script, "0"}).isInteger(1)); });
        QVERIFY2(outcome.exitCode == (isSeen ? 0 : 3), outcome.errors.constData());
        QVERIFY2(outcome.errors.isEmpty() == isSeen, outcome.errors.constData());
        if (!isSeen)
            QCOMPARE(errorOf(outcome)[QStringLiteral("flushes")].toInt(), 1);
    }

    /// Keys of an empty database cannot be flushed or renamed.
    void emptyDatabase_isNotAffectedByOthers()
    {
        const test::FakeRedis fake([count = 0](const QList<QByteArray> &command) mutable -> QByteArray {
            const QByteArray &name = command.front();
            if (name == "DBSIZE")
                return ":0\r\n";
            if (name == "SCAN")
                return "*2\r\n$1\r\n0\r\n*0\r\n";
            if (name == "INFO" && command.value(1) == "commandstats") {
                const QByteArray calls = QByteArray::number(++count);
                const QByteArray info =
                    "# Commandstats\r\ncmdstat_flushdb:calls=" + calls + ",\r\ncmdstat_rename:calls=" + calls + ",\r\n";
                return '$' + QByteArray::number(info.size()) + "\r\n" + info + "\r\n";
            }
            return "-ERR unknown command\r\n";
        });
        environment.insert(QStringLiteral("LATCHKEY_URL"), fake.url());
        const Outcome outcome = run("ls --json");
        QVERIFY2(outcome.exitCode == 0 && outcome.errors.isEmpty(), outcome.errors.constData());
    }

    /// SCAN may return neither the former nor the new name of a key.
    void renamesDuringTheScan_areNamed()
    {
        fillWithLocks(1000, "600000");
        const QByteArray script("for i = 1, 600 do redis.call('RENAME', 'lock:' .. i, 'lock:new' .. i) end return 1");
        const Outcome outcome =
            listSlowly({QStringLiteral("--json")}, [&] { QVERIFY((*server)({"EVAL", script, "0"}).isInteger(1)); });
        QCOMPARE(outcome.exitCode, 3);
        QCOMPARE(errorOf(outcome)[QStringLiteral("renames")].toInt(), 600);
        QVERIFY2(
            outcome.errors.contains("keys were renamed during the scan (RENAME: 600), perhaps in another database, so"),
            outcome.errors.constData());
    }

    /// Keys that end while others are listed are normal.
    void turnoverDuringTheScan_isNoDeletion_data()
    {
        QTest::addColumn<QByteArray>("milliseconds");
        QTest::addColumn<QByteArray>("script");
        QTest::addRow("a few deleted") << QByteArray("600000")
                                       << QByteArray("for i = 1, 100 do redis.call('DEL', 'lock:' .. i) end return 1");
        QTest::addRow("all replaced by others")
            << QByteArray("600000")
            << QByteArray("for i = 1, 1000 do redis.call('DEL', 'lock:' .. i) "
                          "redis.call('SET', 'other:' .. i, 1, 'PX', 600000) end return 1");
        QTest::addRow("all expired") << QByteArray("1500") << QByteArray("return 1");
    }
    void turnoverDuringTheScan_isNoDeletion()
    {
        QFETCH(QByteArray, milliseconds);
        QFETCH(QByteArray, script);
        fillWithLocks(1000, milliseconds);
        const Outcome outcome =
            listSlowly({QStringLiteral("--json")}, [&] { QVERIFY((*server)({"EVAL", script, "0"}).isInteger(1)); });
        QVERIFY2(outcome.exitCode == 0 && outcome.errors.isEmpty(), outcome.errors.constData());
    }

    /// --timeout limits each request of each phase.
    void silentServer_isAFailureAfterTheTimeout_data()
    {
        QTest::addColumn<QByteArray>("silent");
        for (const char *silent : {"SCAN", "PTTL", "TYPE", "GETRANGE"})
            QTest::addRow("%s", silent) << QByteArray(silent);
    }
    void silentServer_isAFailureAfterTheTimeout()
    {
        QFETCH(QByteArray, silent);
        const test::FakeRedis fake(silentTo(silent));
        environment.insert(QStringLiteral("LATCHKEY_URL"), fake.url());
        for (const char *words : {"ls --json --timeout 300ms", "ls --all-databases --json --timeout 300ms"}) {
            const Outcome json = run(words);
            QCOMPARE(json.exitCode, 3);
            QCOMPARE(json.output.trimmed(), QByteArray("[]"));
            const QJsonObject coverage = errorOf(json);
            QVERIFY2(!coverage[QStringLiteral("complete")].toBool(true), json.errors.constData());
            QVERIFY2(!coverage[QStringLiteral("error")].toString().isEmpty(), json.errors.constData());
        }
        const Outcome text = run("ls --timeout 300ms");
        QCOMPARE(text.exitCode, 3);
        QVERIFY2(text.errors.endsWith("no answer within 300ms\n") && text.errors.count('\n') == 1,
                 text.errors.constData());
    }

    /// The findings that depend on the settings of the server are not known then. No permission is missing.
    void settingsThatAreNotAnswered_areNotChecked()
    {
        const test::FakeRedis fake([](const QList<QByteArray> &command) -> QByteArray {
            const QByteArray &name = command.front();
            if (name == "CONFIG")
                return {};
            if (name == "STRLEN")
                return ":32\r\n";
            if (name == "GETRANGE")
                return "$32\r\nf442172cd0841b68177e827d1a6528b1\r\n";
            return silentTo("")(command);
        });
        environment.insert(QStringLiteral("LATCHKEY_URL"), fake.url());
        const Outcome outcome = run("why lock:a --timeout 300ms");
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(outcome.output.contains("f442172cd0841b68177e827d1a6528b1"), outcome.output.constData());
        QVERIFY2(!outcome.output.contains("Permit INFO"), outcome.output.constData());
        QVERIFY2(outcome.errors.startsWith("latchkey-cli: why \"lock:a\": the settings of the server were not read, so "
                                           "findings may be missing: ")
                     && outcome.errors.endsWith(": no answer within 300ms\n") && outcome.errors.count('\n') == 1,
                 outcome.errors.constData());
        const Outcome listing = run("ls --json --timeout 300ms");
        QCOMPARE(listing.exitCode, 3);
        QVERIFY2(listing.output.contains("f442172cd0841b68177e827d1a6528b1"), listing.output.constData());
        QVERIFY2(!listing.output.contains("Permit INFO"), listing.output.constData());
        const QString error = errorOf(listing)[QStringLiteral("error")].toString();
        QVERIFY2(error.startsWith(QStringLiteral("the settings of the server were not read, so findings may be "
                                                 "missing: "))
                     && error.endsWith(QStringLiteral(": no answer within 300ms")),
                 listing.errors.constData());
    }

    void serverThatCannotBeReached_leavesAnEmptyArray_data()
    {
        QTest::addColumn<QByteArray>("words");
        QTest::addRow("one database") << QByteArray("ls --json");
        QTest::addRow("all databases") << QByteArray("ls --json --all-databases");
    }
    void serverThatCannotBeReached_leavesAnEmptyArray()
    {
        QFETCH(QByteArray, words);
        environment.insert(QStringLiteral("LATCHKEY_URL"),
                           QStringLiteral("redis://127.0.0.1:%1").arg(test::freePort()));
        const Outcome outcome = run(words.constData());
        QCOMPARE(outcome.exitCode, 3);
        QCOMPARE(outcome.output.trimmed(), QByteArray("[]"));
        QVERIFY2(errorOf(outcome)[QStringLiteral("error")].toString().startsWith(QStringLiteral("cannot connect to ")),
                 outcome.errors.constData());
    }

    /// A replica answers without its primary, from what it had; every answer reports it once.
    void replicaWithoutItsPrimary_isNamedOnce_data()
    {
        QTest::addColumn<QByteArray>("words");
        QTest::addRow("ls") << QByteArray("ls");
        QTest::addRow("ls --json") << QByteArray("ls --json");
        QTest::addRow("ls, no key") << QByteArray("ls nothing:*");
        QTest::addRow("all databases") << QByteArray("ls --all-databases");
        QTest::addRow("why, a key") << QByteArray("why lock:a");
        QTest::addRow("why, no key") << QByteArray("why lock:b");
        QTest::addRow("why --for") << QByteArray("why lock:a --for 300ms");
        QTest::addRow("watch") << QByteArray("watch --for 300ms");
    }
    void replicaWithoutItsPrimary_isNamedOnce()
    {
        QFETCH(QByteArray, words);
        QVERIFY((*server)({"SET", "lock:a", token(1), "PX", "600000"}).isOk());
        const Outcome before = run(words.constData());
        QVERIFY2(!before.errors.contains("replica"), before.errors.constData());
        QVERIFY((*server)({"REPLICAOF", "127.0.0.1", "1"}).isOk());
        const Outcome outcome = run(words.constData());
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(outcome.errors.count("its link to the primary 127.0.0.1:1 is down") == 1, outcome.errors.constData());
    }
    void replicaWithoutItsPrimary_isNamedByExpect()
    {
        QVERIFY((*server)({"REPLICAOF", "127.0.0.1", "1"}).isOk());
        const QString expectation = QStringLiteral("lock:a exists until 100ms");
        const Outcome outcome =
            run(QStringList {QStringLiteral("expect"), expectation, QStringLiteral("--for"), QStringLiteral("200ms")});
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(outcome.errors.count("its link to the primary 127.0.0.1:1 is down") == 1, outcome.errors.constData());
    }

    /// The names are readable, so the rows are printed, as with a refused TYPE.
    void refusedExpiry_isUnknownInTheRows_data()
    {
        QTest::addColumn<bool>("isRenamed");
        QTest::addColumn<QByteArray>("error");
        QTest::addRow("refused by the ACL") << false << QByteArray("NOPERM");
        QTest::addRow("renamed") << true << QByteArray("unknown command 'PTTL'");
    }
    void refusedExpiry_isUnknownInTheRows()
    {
        QFETCH(bool, isRenamed);
        QFETCH(QByteArray, error);
        if (isRenamed)
            server = std::make_unique<test::TestServer>(QStringList {
                QStringLiteral("--rename-command"), QStringLiteral("PTTL"), QStringLiteral("renamed-pttl")});
        QVERIFY((*server)({"SET", "lock:a", token(1), "PX", "600000"}).isOk());
        QVERIFY((*server)({"HSET", "other", "f", "v"}).isInteger(1));
        become(isRenamed ? QByteArrayList {"~*", "+@all"} : QByteArrayList {"~*", "+@all", "-pttl"});
        const Outcome json = run("ls --json");
        QCOMPARE(json.exitCode, 3);
        const QJsonArray rows = QJsonDocument::fromJson(json.output).array();
        QVERIFY2(rows.size() == 2, json.output.constData());
        for (const QJsonValue &row : rows)
            QVERIFY2(row[QLatin1String("pttl_ms")].isNull(), json.output.constData());
        QCOMPARE(rows[0][QLatin1String("key")].toString(), QStringLiteral("lock:a"));
        QCOMPARE(rows[0][QLatin1String("holder")].toString(), QString::fromLatin1(token(1)));
        QVERIFY2(!rows[0][QLatin1String("findings")].toArray().contains(QStringLiteral("no-expiry")),
                 json.output.constData());
        QCOMPARE(rows[1][QLatin1String("type")].toString(), QStringLiteral("hash"));
        const Outcome text = run("ls");
        QCOMPARE(text.exitCode, 3);
        QVERIFY2(text.output.count('\n') == 2 && !text.output.contains("no expiry"), text.output.constData());
        QCOMPARE(text.errors.count(error), 1);
        QCOMPARE(run("ls --locks").output.count('\n'), 1);
    }

    void refusal_isPrintedOnce_data()
    {
        QTest::addColumn<QByteArrayList>("rules");
        QTest::addRow("SCAN") << QByteArrayList {"~*", "+@all", "-scan"};
        QTest::addRow("TYPE") << QByteArrayList {"~*", "+@all", "-type"};
        QTest::addRow("other keys") << QByteArrayList {"~lock:*", "~{lock:*", "+@all"};
    }
    void refusal_isPrintedOnce()
    {
        QFETCH(QByteArrayList, rules);
        QVERIFY((*server)({"SET", "lock:a", token(1), "PX", "600000"}).isOk());
        QVERIFY((*server)({"SET", "other", "v"}).isOk());
        become(rules);
        const Outcome outcome = run("ls");
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(outcome.errors.count('\n') == 1 && outcome.errors.contains("NOPERM"), outcome.errors.constData());
    }
};

LATCHKEY_TEST(TestLsFailures)

} // namespace tst_lsfailures

#include "tst_lsfailures.moc"
