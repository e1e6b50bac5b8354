#include "tests/support/await.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/testprogram.h"

#include <QElapsedTimer>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

#include <algorithm>
#include <csignal>

namespace tst_expect {

using namespace latchkey;
using test::Outcome;

/// Tests of latchkey-cli expect, as a process, with a real server.
class TestExpect final : public test::CommandLineTest
{
    Q_OBJECT

    QTemporaryDir folder;

    Outcome expect(const QStringList &arguments) const
    {
        return run(QStringList {QStringLiteral("expect")} + arguments);
    }
    /// Returns the verdict on the first key of an expectation.
    static QJsonObject keyOf(const Outcome &outcome, int expectation = 0)
    {
        const QJsonValue all = outcome.object()[QStringLiteral("expectations")];
        return all[expectation][QStringLiteral("keys")][0].toObject();
    }
    static QString why(const Outcome &outcome, int expectation = 0)
    {
        return keyOf(outcome, expectation)[QStringLiteral("why")].toString();
    }
    QString written(const QString &name, const QByteArray &contents) const
    {
        QFile file(folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(contents) != contents.size())
            qFatal("%s cannot be written", qPrintable(name));
        return file.fileName();
    }
    /// Returns the number of reads of keys.
    int reads()
    {
        static const QRegularExpression calls(QStringLiteral("cmdstat_pttl:calls=(\\d+)"));
        const QByteArray info = (*server)({"INFO", "commandstats"}).bytes();
        return calls.match(QString::fromLatin1(info)).captured(1).toInt();
    }
    /// Returns the number of reads of keys that the server has refused.
    int refusals()
    {
        static const QRegularExpression count(QStringLiteral("cmdstat_pttl:.*rejected_calls=(\\d+)"));
        const QByteArray info = (*server)({"INFO", "commandstats"}).bytes();
        return count.match(QString::fromLatin1(info)).captured(1).toInt();
    }
    /// Starts the process and returns after it has read the keys.
    void startExpecting(QProcess &process, const QStringList &arguments)
    {
        const int before = reads();
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(LATCHKEY_CLI), QStringList {QStringLiteral("expect")} + arguments);
        LATCHKEY_AWAIT(reads() > before + 5);
    }
    /// Creates the key before its first read, however slowly the process starts, and lets it expire after
    /// `milliseconds`.
    Outcome expectEnd(const QByteArray &milliseconds, const QStringList &arguments)
    {
        if (!(*server)({"SET", "a", "1"}).isOk())
            qFatal("the server does not take a key");
        QProcess process;
        startExpecting(process, arguments);
        if (!(*server)({"PEXPIRE", "a", milliseconds}).isInteger(1))
            qFatal("the key is not there");
        return test::outcomeOf(process);
    }

private Q_SLOTS:
    void end_isJudged_data()
    {
        QTest::addColumn<QString>("means");
        QTest::addRow("notifications") << QStringLiteral("notifications");
        QTest::addRow("tracking") << QStringLiteral("tracking");
        QTest::addRow("polling") << QStringLiteral("polling");
    }
    void end_isJudged()
    {
        QFETCH(QString, means);
        if (means == u"notifications")
            QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", "KEA"}).isOk());
        if (means == u"polling") {
            QVERIFY((*server)({"ACL", "SETUSER", "default", "-client|tracking", "-config"}).isOk());
        }
        const Outcome good = expectEnd("1500", {QStringLiteral("a gone between 1s and 30s"), QStringLiteral("--json")});
        QVERIFY2(good.exitCode == 0, (good.output + good.errors).constData());
        QCOMPARE(good.object()[QStringLiteral("means")].toString(), means);
        QCOMPARE(why(good), QStringLiteral("went"));
        const int least = keyOf(good)[QStringLiteral("least_ms")].toInt();
        QVERIFY2(least >= 1000 && least <= keyOf(good)[QStringLiteral("most_ms")].toInt(), (good.output).constData());
        QCOMPARE(keyOf(good)[QStringLiteral("since")].toString(), QStringLiteral("first-look"));

        const Outcome early = expectEnd("300", {QStringLiteral("a gone between 20s and 30s")});
        QVERIFY2(early.exitCode == 1, (early.output + early.errors).constData());
        QVERIFY2(early.output.startsWith("fails      a gone between 20s and 30s: "), (early.output).constData());
        QVERIFY((*server)({"SET", "a", "1", "PX", "60000"}).isOk());
        const Outcome late = expect({QStringLiteral("a gone between 1ms and 200ms"), QStringLiteral("--json")});
        QVERIFY2(late.exitCode == 1, (late.output + late.errors).constData());
        QCOMPARE(why(late), QStringLiteral("still-there"));
    }

    void writing_isWhatTimesCountFrom()
    {
        QProcess process;
        startExpecting(process,
                       {QStringLiteral("a gone between 300ms and 30s after writing"), QStringLiteral("--json")});
        QVERIFY((*server)({"SET", "a", "1", "PX", "500"}).isOk());
        const Outcome outcome = test::outcomeOf(process);
        QVERIFY2(outcome.exitCode == 0, (outcome.output + outcome.errors).constData());
        QCOMPARE(keyOf(outcome)[QStringLiteral("since")].toString(), QStringLiteral("writing"));
        QVERIFY(keyOf(outcome)[QStringLiteral("most_ms")].toInt() >= 499);
    }

    /// A SET of the same value with a new expiry looks like a renewal; only the name of its notification shows it.
    void secondWriting_isWhatTimesCountFrom_data()
    {
        QTest::addColumn<QByteArray>("notifications");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<int>("exitCode");
        QTest::addRow("same value, notifications") << QByteArray("KEA") << QByteArray("1") << 0;
        QTest::addRow("other value, notifications") << QByteArray("KEA") << QByteArray("2") << 0;
        QTest::addRow("new expiry, notifications") << QByteArray("KEA") << QByteArray() << 1;
        QTest::addRow("same value, tracking") << QByteArray() << QByteArray("1") << 3;
        QTest::addRow("new expiry, tracking") << QByteArray() << QByteArray() << 3;
    }
    void secondWriting_isWhatTimesCountFrom()
    {
        QFETCH(QByteArray, notifications);
        QFETCH(QByteArray, value);
        QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", notifications}).isOk());
        QProcess process;
        startExpecting(process, {QStringLiteral("a gone between 1ms and 3s after writing"), QStringLiteral("--json")});
        QVERIFY((*server)({"SET", "a", "1", "PX", "20000"}).isOk());
        LATCHKEY_AWAIT((*server)({"PTTL", "a"}).toInteger() < 17'500);
        QVERIFY(!(*server)(value.isEmpty() ? resp::Command {"PEXPIRE", "a", "1500"}
                                           : resp::Command {"SET", "a", value, "PX", "1500"})
                     .isError());
        const Outcome outcome = test::outcomeOf(process);
        QTEST(outcome.exitCode, "exitCode");
        if (outcome.exitCode == 3)
            QCOMPARE(why(outcome), QStringLiteral("may-have-been-written"));
    }

    void keysThatWereNeverSeen_areNotPassed()
    {
        const Outcome outcome =
            expect({QStringLiteral("a gone between 1ms and 300ms"), QStringLiteral("b exists until 100ms"),
                    QStringLiteral("x* never without expiry"), QStringLiteral("--for"), QStringLiteral("500ms"),
                    QStringLiteral("--json")});
        QCOMPARE(outcome.exitCode, 1);
        QCOMPARE(why(outcome, 0), QStringLiteral("never-seen"));
        QCOMPARE(keyOf(outcome, 0)[QStringLiteral("outcome")].toString(), QStringLiteral("unknown"));
        QCOMPARE(why(outcome, 1), QStringLiteral("never-there"));
        QCOMPARE(why(outcome, 2), QStringLiteral("never-seen"));
        const Outcome unknown =
            expect({QStringLiteral("a gone between 1ms and 300ms"), QStringLiteral("--for"), QStringLiteral("400ms")});
        QCOMPARE(unknown.exitCode, 3);
        QVERIFY2(unknown.output.startsWith("not known  a gone"), (unknown.output).constData());
    }

    void keyThatLosesItsExpiry_fails()
    {
        QVERIFY((*server)({"SET", "a", "1", "PX", "60000"}).isOk());
        QProcess process;
        startExpecting(process, {QStringLiteral("a never without expiry"), QStringLiteral("--json")});
        QVERIFY((*server)({"PERSIST", "a"}).isInteger(1));
        const Outcome outcome = test::outcomeOf(process);
        QVERIFY2(outcome.exitCode == 1, (outcome.output + outcome.errors).constData());
        QCOMPARE(why(outcome), QStringLiteral("without-expiry"));
        QVERIFY((*server)({"EXPIRE", "a", "60"}).isInteger(1));
        const Outcome good =
            expect({QStringLiteral("a never without expiry"), QStringLiteral("--for"), QStringLiteral("300ms")});
        QVERIFY2(good.exitCode == 0, (good.output).constData());
        QVERIFY2(good.output.contains("an expiry in each of "), (good.output).constData());
    }

    void patterns_judgeEachKey()
    {
        const QByteArray raw("lock:\xff");
        QVERIFY((*server)({"SET", "lock:a", "1", "PX", "60000"}).isOk());
        QVERIFY((*server)({"SET", raw, "1"}).isOk());
        QVERIFY((*server)({"SET", "other", "1"}).isOk());
        const Outcome outcome = expect({QStringLiteral("lock:* never without expiry"), QStringLiteral("--for"),
                                        QStringLiteral("300ms"), QStringLiteral("--json")});
        QVERIFY2(outcome.exitCode == 1, (outcome.output).constData());
        const QJsonValue keys = outcome.object()[QStringLiteral("expectations")][0][QStringLiteral("keys")];
        QCOMPARE(keys.toArray().size(), 2);
        QCOMPARE(keys[0][QStringLiteral("outcome")].toString(), QStringLiteral("holds"));
        QCOMPARE(keys[1][QStringLiteral("outcome")].toString(), QStringLiteral("fails"));
        QCOMPARE(QByteArray::fromBase64(keys[1][QStringLiteral("key_base64")].toString().toLatin1()), raw);
    }

    void renewals_areSeen()
    {
        QVERIFY((*server)({"SET", "a", "1", "PX", "60000"}).isOk());
        QProcess process;
        startExpecting(process,
                       {QStringLiteral("a renewed at least every 20s"), QStringLiteral("a renewed at least every 1ms"),
                        QStringLiteral("--json"), QStringLiteral("--for"), QStringLiteral("20s")});
        for (int i = 0; i < 5; ++i) {
            QVERIFY((*server)({"PEXPIRE", "a", QByteArray::number(70'000 + 1000 * i)}).isInteger(1));
            const int before = reads();
            LATCHKEY_AWAIT(reads() > before + 2);
        }
        // After a signal, it prints the result so far.
        process.terminate();
        const Outcome outcome = test::outcomeOf(process);
        QVERIFY2(outcome.exitCode == 1, (outcome.output + outcome.errors).constData());
        QVERIFY2(keyOf(outcome, 0)[QStringLiteral("outcome")].toString() == u"holds", outcome.output.constData());
        QVERIFY2(keyOf(outcome, 0)[QStringLiteral("count")].toInt() >= 3, (outcome.output).constData());
        QCOMPARE(why(outcome, 1), QStringLiteral("not-renewed"));
    }

    /// The coverage is that of the keys that the expectations name.
    void anotherKeyThatIsRefused_doesNotMatter_data()
    {
        QTest::addColumn<QString>("expectation");
        QTest::newRow("key") << QStringLiteral("page:1 exists until 1s");
        QTest::newRow("pattern") << QStringLiteral("page:* exists until 1s");
    }
    void anotherKeyThatIsRefused_doesNotMatter()
    {
        QFETCH(QString, expectation);
        QVERIFY((*server)({"SET", "page:1", "1", "PX", "60000"}).isOk());
        QVERIFY((*server)({"SET", "lock:a", "1", "PX", "60000"}).isOk());
        QVERIFY((*server)({"ACL", "SETUSER", "default", "resetkeys", "~page:*"}).isOk());
        const Outcome outcome = expect({expectation, QStringLiteral("--for"), QStringLiteral("2s")});
        QCOMPARE(outcome.errors, QByteArray());
        QCOMPARE(outcome.exitCode, 0);
        // A refused key that is named leaves its expectation unknown.
        const Outcome refused =
            expect({QStringLiteral("lock:a exists until 1s"), QStringLiteral("--for"), QStringLiteral("2s")});
        QCOMPARE(refused.exitCode, 3);
        QVERIFY(!refused.errors.isEmpty());
    }

    /// A key of a pattern that came and went without change events may have been missed. A named key is polled.
    void interruptedChangeEvents_leaveAPatternUnknown_data()
    {
        QTest::addColumn<QString>("sentence");
        QTest::addColumn<int>("exitCode");
        QTest::newRow("pattern") << QStringLiteral("lock:* never without expiry") << 3;
        QTest::newRow("key") << QStringLiteral("lock:a exists until 1s") << 0;
    }
    void interruptedChangeEvents_leaveAPatternUnknown()
    {
        QFETCH(const QString, sentence);
        QFETCH(const int, exitCode);
        QVERIFY((*server)({"SET", "lock:a", "1", "PX", "60000"}).isOk());
        const auto isTracked = [this] { return !(*server)({"CLIENT", "LIST", "TYPE", "pubsub"}).bytes().isEmpty(); };
        QProcess process;
        startExpecting(process, {sentence, QStringLiteral("--for"), QStringLiteral("3s"), QStringLiteral("--json")});
        LATCHKEY_AWAIT((*server)({"INFO", "clients"}).bytes().contains("tracking_clients:1"));
        const int before = reads();
        LATCHKEY_AWAIT(reads() > before + 5); // The program has received the reply to CLIENT TRACKING.
        QVERIFY((*server)({"CLIENT", "KILL", "TYPE", "pubsub"}).isInteger(1));
        LATCHKEY_AWAIT(isTracked());
        const Outcome outcome = test::outcomeOf(process);
        QVERIFY2(outcome.exitCode == exitCode, (outcome.output + outcome.errors).constData());
        QCOMPARE(outcome.outcome(), exitCode == 0 ? QStringLiteral("holds") : QStringLiteral("unknown"));
        QCOMPARE(outcome.errors.contains("the server reported no changes for "), exitCode != 0);
    }

    void serverThatGoesAway_leavesItUnknown()
    {
        QVERIFY((*server)({"SET", "a", "1", "PX", "60000"}).isOk());
        QProcess process;
        startExpecting(process, {QStringLiteral("a exists until 1s"), QStringLiteral("--for"), QStringLiteral("2s"),
                                 QStringLiteral("--json")});
        server->kill();
        const Outcome outcome = test::outcomeOf(process);
        QVERIFY2(outcome.exitCode == 3, (outcome.output + outcome.errors).constData());
        QVERIFY(outcome.object()[QStringLiteral("unseen_ms")].toInt() > 0);
        QVERIFY2(outcome.errors.contains("nothing has been seen for"), (outcome.errors).constData());
        // A server that never existed.
        const Outcome none = expect({QStringLiteral("a exists until 1s")});
        QCOMPARE(none.exitCode, 3);
        QVERIFY2(none.output.isEmpty() && none.errors.contains("latchkey-cli: expect: cannot connect"),
                 (none.errors).constData());
    }

    /// More keys than are read often, most of which never exist: the run begins and ends.
    void manyNamedKeys_areAllRead()
    {
        QByteArray sentences;
        for (int i = 0; i < 600; ++i)
            sentences += "k:" + QByteArray::number(i) + " exists until 100ms\n";
        for (int i = 0; i < 300; ++i)
            QVERIFY((*server)({"SET", "k:" + QByteArray::number(i), "1", "EX", "3600"}).isOk());
        const QString file = written(QStringLiteral("many"), sentences);
        const Outcome outcome = expect(
            {QStringLiteral("--file"), file, QStringLiteral("--json"), QStringLiteral("--for"), QStringLiteral("3s")});
        QVERIFY2(outcome.exitCode == 1, outcome.errors.constData());
        const QJsonArray verdicts = outcome.object()[QStringLiteral("expectations")].toArray();
        QCOMPARE(verdicts.size(), 600);
        for (int i = 0; i < 600; ++i)
            QCOMPARE(verdicts[i][QStringLiteral("keys")][0][QStringLiteral("outcome")].toString(),
                     i < 300 ? QStringLiteral("holds") : QStringLiteral("fails"));
    }

    /// The key may have gone and returned meanwhile.
    void stoppedServer_leavesItUnknown()
    {
        QVERIFY((*server)({"SET", "a", "1"}).isOk());
        QProcess process;
        startExpecting(process, {QStringLiteral("a exists until 3s"), QStringLiteral("--for"), QStringLiteral("4s"),
                                 QStringLiteral("--json")});
        const auto id = static_cast<pid_t>(server->process().processId());
        ::kill(id, SIGSTOP);
        const QDeadlineTimer stopped(std::chrono::milliseconds(2000));
        LATCHKEY_AWAIT(stopped.hasExpired());
        ::kill(id, SIGCONT);
        const Outcome outcome = test::outcomeOf(process);
        QVERIFY2(outcome.exitCode == 3, (outcome.output + outcome.errors).constData());
        QCOMPARE(why(outcome), QStringLiteral("may-have-come-back"));
        const QJsonObject coverage = outcome.object()[QStringLiteral("coverage")].toObject();
        QCOMPARE(coverage[QStringLiteral("complete")].toBool(true), false);
        QVERIFY(coverage[QStringLiteral("blind_ms")].toInt() >= 1500);
    }

    /// Between the replies the key lost its expiry, and got another one. A refused command and a refused key have the
    /// same effect.
    void withdrawnPermission_leavesItUnknown_data()
    {
        QTest::addColumn<QByteArrayList>("withdrawn");
        QTest::addColumn<QByteArrayList>("given");
        QTest::addRow("key pattern") << QByteArrayList {"resetkeys", "~other"} << QByteArrayList {"~*"};
        QTest::addRow("command") << QByteArrayList {"-pttl"} << QByteArrayList {"+pttl"};
    }
    void withdrawnPermission_leavesItUnknown()
    {
        QFETCH(QByteArrayList, withdrawn);
        QFETCH(QByteArrayList, given);
        const auto become = [&](const QByteArrayList &rules) {
            resp::Command command {"ACL", "SETUSER", "reader"};
            for (const QByteArray &rule : rules)
                command << rule;
            return (*server)(command).isOk();
        };
        QVERIFY(become({"on", ">secret", "~*", "&*", "+@all"}));
        net::Endpoint endpoint = server->endpoint();
        endpoint.user = QStringLiteral("reader");
        endpoint.password = QStringLiteral("secret");
        environment.insert(QStringLiteral("LATCHKEY_URL"), endpoint.toUrlWithPassword());
        QVERIFY((*server)({"SET", "a", "1", "PX", "600000"}).isOk());
        const QString junit = folder.filePath(QStringLiteral("withdrawn.xml"));
        QProcess process;
        startExpecting(process, {QStringLiteral("a never without expiry"), QStringLiteral("a exists until 10ms"),
                                 QStringLiteral("--for"), QStringLiteral("10m"), QStringLiteral("--json"),
                                 QStringLiteral("--junit"), junit});
        QVERIFY(become(withdrawn));
        LATCHKEY_AWAIT(refusals() > 2);
        QVERIFY((*server)({"PERSIST", "a"}).isInteger(1));
        QVERIFY((*server)({"PEXPIRE", "a", "600000"}).isInteger(1));
        QVERIFY(become(given));
        const int regained = reads();
        LATCHKEY_AWAIT(reads() > regained + 5);
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);

        const Outcome outcome = test::outcomeOf(process);
        QVERIFY2(outcome.exitCode == 3, (outcome.output + outcome.errors).constData());
        QCOMPARE(why(outcome), QStringLiteral("may-have-come-back"));
        const QJsonObject coverage = outcome.object()[QStringLiteral("coverage")].toObject();
        QVERIFY(!coverage[QStringLiteral("complete")].toBool(true));
        QVERIFY(coverage[QStringLiteral("blind_ms")].toInt() > 0);
        const QJsonObject denied = coverage[QStringLiteral("denied")][0].toObject();
        QCOMPARE(denied[QStringLiteral("question")].toString(), QStringLiteral("PTTL"));
        QVERIFY(denied[QStringLiteral("why")].toString().contains(QStringLiteral("NOPERM")));
        const int lasted = denied[QStringLiteral("lasted_ms")].toInt();
        QVERIFY(lasted > 0 && denied[QStringLiteral("began_ago_ms")].toInt() > lasted);
        QVERIFY2(outcome.errors.contains("the server refused PTTL ") && outcome.errors.contains(" ago: "),
                 outcome.errors.constData());
        QFile file(junit);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray xml = file.readAll();
        QVERIFY2(xml.count("<error ") == 2 && xml.count("the server refused PTTL ") == 2, xml.constData());
    }

    /// Without change events, the end of a key is known only after the flushes were counted.
    void keyGoneJustBeforeTheEnd_isJudged()
    {
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-subscribe", "-psubscribe"}).isOk());
        for (int i = 0; i < 3; ++i) {
            QVERIFY((*server)({"SET", "a", "1", "PX", "600000"}).isOk());
            QProcess process;
            startExpecting(process, {QStringLiteral("a exists until 10m"), QStringLiteral("--for"),
                                     QStringLiteral("10m"), QStringLiteral("--json")});
            QVERIFY((*server)({"DEL", "a"}).isInteger(1));
            ::kill(static_cast<pid_t>(process.processId()), SIGINT);
            const Outcome outcome = test::outcomeOf(process);
            QVERIFY2(outcome.exitCode == 1, (outcome.output + outcome.errors).constData());
        }
    }

    /// The keys of a pattern do not wait for all other keys. The number of keys that were read is reported.
    void patternAmongManyKeys_isJudged()
    {
        QVERIFY((*server)({"EVAL",
                           "for i = 1, 51000 do redis.call('SET', 'k:' .. i, 'v', 'PX', 3600000) end "
                           "for i = 1, 7 do redis.call('SET', 'job:' .. i, 'v') end return 1",
                           "0"})
                    .isInteger(1));
        const Outcome outcome = expect({QStringLiteral("job:* never without expiry"), QStringLiteral("--for"),
                                        QStringLiteral("4s"), QStringLiteral("--json")});
        QVERIFY2(outcome.exitCode == 1, (outcome.output + outcome.errors).constData());
        const QJsonValue keys = outcome.object()[QStringLiteral("expectations")][0][QStringLiteral("keys")];
        QCOMPARE(keys.toArray().size(), 7);
        const QJsonObject coverage = outcome.object()[QStringLiteral("coverage")].toObject();
        QCOMPARE(coverage[QStringLiteral("looked_at")].toInt(), 51'007);
        QCOMPARE(coverage[QStringLiteral("of")].toInt(), 51'007);
        QVERIFY(reads() < 2000); // No requests were sent about the other keys.
    }

    /// More keys match than are evaluated. Keys that break the expectation at a read are always evaluated.
    void keysBeyondTheLimit_failWhereTheyBreakIt()
    {
        QVERIFY((*server)({"EVAL",
                           "for i = 1, 15000 do redis.call('SET', 's:' .. i, 'v', 'PX', 3600000) end "
                           "for i = 1, 40 do redis.call('PERSIST', 's:' .. i * 300) end return 1",
                           "0"})
                    .isInteger(1));
        const Outcome outcome = expect({QStringLiteral("s:* never without expiry"), QStringLiteral("--for"),
                                        QStringLiteral("4s"), QStringLiteral("--json")});
        QVERIFY2(outcome.exitCode == 1, outcome.errors.constData());
        const QJsonArray keys = outcome.object()[QStringLiteral("expectations")][0][QStringLiteral("keys")].toArray();
        QCOMPARE(std::ranges::count_if(
                     keys, [](const QJsonValue &key) { return key[QStringLiteral("outcome")].toString() == u"fails"; }),
                 40);
        QVERIFY(outcome.object()[QStringLiteral("left_out")].toInt() > 0);
    }

    void interruptedRun_endsAtOnce()
    {
        QVERIFY((*server)({"SET", "a", "1", "PX", "60000"}).isOk());
        QProcess process;
        startExpecting(process, {QStringLiteral("a exists until 10m")});
        ::kill(static_cast<pid_t>(server->process().processId()), SIGSTOP);
        QElapsedTimer time;
        time.start();
        process.terminate();
        const Outcome outcome = test::outcomeOf(process);
        ::kill(static_cast<pid_t>(server->process().processId()), SIGCONT);
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(time.elapsed() < 1500, qPrintable(QString::number(time.elapsed()))); // 100 ms, plus time for a busy
                                                                                      // machine.
    }

    void files_areReadAndWritten()
    {
        QVERIFY((*server)({"SET", "a", "1", "PX", "60000"}).isOk());
        const QString sentences =
            written(QStringLiteral("sentences"), "# ours\na exists until 100ms\nb exists until 100ms\n");
        const QString junit = folder.filePath(QStringLiteral("out.xml"));
        const QString csv = folder.filePath(QStringLiteral("out.csv"));
        const Outcome outcome = expect({QStringLiteral("--file"), sentences, QStringLiteral("--junit"), junit,
                                        QStringLiteral("--csv"), csv, QStringLiteral("--for"), QStringLiteral("2s")});
        QVERIFY2(outcome.exitCode == 1, (outcome.output + outcome.errors).constData());
        QFile xml(junit);
        QVERIFY(xml.open(QIODevice::ReadOnly));
        QVERIFY(xml.readAll().contains("tests=\"2\" failures=\"1\" errors=\"0\""));
        QFile lines(csv);
        QVERIFY(lines.open(QIODevice::ReadOnly));
        QCOMPARE(lines.readAll().count("\r\n"), 3);
    }

    void wrongUsage_isReportedBeforeAnythingIsWatched_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("said");
        QTest::addRow("nothing") << QStringList {} << QByteArray("an expectation is missing");
        QTest::addRow("misspelt") << QStringList {QStringLiteral("a exists untill 5s")}
                                  << QByteArray("\"a exists untill 5s\": at character 10: ");
        QTest::addRow("cannot be met") << QStringList {QStringLiteral("a gone between 2s and 1s")}
                                       << QByteArray("no key can meet it");
        QTest::addRow("too short") << QStringList {QStringLiteral("a exists until 5s"), QStringLiteral("--for"),
                                                   QStringLiteral("1s")}
                                   << QByteArray("in 1s it cannot be told whether \"a exists until 5s\" holds");
        QTest::addRow("after writing, where it has no meaning")
            << QStringList {QStringLiteral("a renewed at least every 5s after writing")}
            << QByteArray("at character 29: \"after writing\" goes with \"gone between\" and \"exists until\" only");
    }
    void wrongUsage_isReportedBeforeAnythingIsWatched()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, said);
        const Outcome outcome = expect(arguments);
        QCOMPARE(outcome.exitCode, 2);
        QVERIFY2(outcome.errors.contains(said), (outcome.errors).constData());
        QVERIFY(outcome.output.isEmpty());
    }

    void mistakeInAFile_isReportedWithItsLine()
    {
        const QString file = written(QStringLiteral("wrong"), "a exists until 5s\n\na gone soon\n");
        const Outcome outcome = expect({QStringLiteral("--file"), file});
        QCOMPARE(outcome.exitCode, 2);
        QVERIFY2(outcome.errors.contains("wrong:3: at character 8: "), (outcome.errors).constData());
    }

    void fileThatCannotBeWritten_isReportedAtOnce()
    {
        const Outcome outcome =
            expect({QStringLiteral("a exists until 1h"), QStringLiteral("--junit"), QStringLiteral("/none/there.xml")});
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(outcome.errors.contains("--junit: cannot write /none/there.xml: "), (outcome.errors).constData());
    }
};

LATCHKEY_TEST(TestExpect)

} // namespace tst_expect

#include "tst_expect.moc"
