#include "tests/explore/programs/programfixture.h"
#include "tests/support/await.h"
#include "tests/support/childprocesses.h"
#include "tests/support/outcome.h"
#include "tests/support/testprogram.h"

#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

namespace tst_exploreprogram {

using namespace latchkey;
using test::Outcome;
using test::outcomeOf;

/// Tests of `explore -- COMMAND` as users and scripts call it.
class TestExploreProgram final : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder;

    static Outcome explore(const QStringList &options, const QStringList &command)
    {
        QProcess process;
        process.start(QStringLiteral(LATCHKEY_CLI),
                      QStringList {QStringLiteral("explore")} + options + QStringList {QStringLiteral("--")} + command);
        return outcomeOf(process);
    }
    static QStringList python(const char *name, const QStringList &arguments = {})
    {
        // With -S, Python starts faster, because it does not search for packages.
        return QStringList {test::python(), QStringLiteral("-S"), QStringLiteral("-B"),
                            test::workerPath(QString::fromLatin1(name))}
             + arguments;
    }
    /// Returns the command without the virtual clock.
    static QStringList withItsOwnClock(const QStringList &command)
    {
        return QStringList {QStringLiteral("env"), QStringLiteral("-u"), QStringLiteral("LD_PRELOAD")} + command;
    }
    /// Creates a worker from a few lines.
    [[nodiscard]] QStringList script(const QByteArray &lines) const
    {
        QFile file(folder->filePath(QStringLiteral("worker.py")));
        if (!file.open(QIODevice::WriteOnly) || file.write(lines) != lines.size())
            qFatal("no worker can be written");
        return {test::python(), QStringLiteral("-B"), file.fileName()};
    }
    /// Returns the process ids that forks.py has left.
    [[nodiscard]] QList<pid_t> leftBehind() const
    {
        QFile file(folder->filePath(QStringLiteral("numbers")));
        QList<pid_t> numbers;
        if (!file.open(QIODevice::ReadOnly))
            return numbers;
        for (const QByteArray &line : file.readAll().split('\n')) {
            if (!line.isEmpty())
                numbers += line.toInt();
        }
        return numbers;
    }
    static bool livesAny(const QList<pid_t> &processes)
    {
        return std::ranges::any_of(processes, [](pid_t process) { return test::isAlive(process); });
    }

private Q_SLOTS:
    void init() { folder = std::make_unique<QTemporaryDir>(); }

    void counterexample_isSavedAndPlayable()
    {
        const Outcome outcome = explore({QStringLiteral("--promise"), QStringLiteral("no-immortal-key"),
                                         QStringLiteral("--json"), QStringLiteral("--save"), folder->path()},
                                        python("setnxexpire"));
        QCOMPARE(outcome.exitCode, 1);
        QCOMPARE(outcome.object()[QLatin1String("recipe")].toString(), QStringLiteral("setnxexpire.py"));
        QCOMPARE(outcome.object()[QLatin1String("clock")].toString(), QStringLiteral("controlled"));
        const QJsonObject promise = outcome.object()[QLatin1String("promises")][0].toObject();
        QCOMPARE(promise[QLatin1String("verdict")].toString(), QStringLiteral("broken"));
        QCOMPARE(promise[QLatin1String("counterexample")].toArray().size(), 2); // The two steps are SETNX and a crash.
        QProcess play;
        play.start(QStringLiteral(LATCHKEY_CLI),
                   {QStringLiteral("explore"), QStringLiteral("--play"), promise[QLatin1String("story")].toString()});
        QCOMPARE(outcomeOf(play).exitCode, 0);
    }

    /// Mutual exclusion does not promise anything about a lease that ends under its holder, so its verdict says that
    /// these schedules were left out.
    void lapsesUnderTheHolder_areExcludedFromTheVerdict_data()
    {
        QTest::addColumn<QString>("promise");
        QTest::addColumn<QString>("passes");
        QTest::addColumn<bool>("isSaid");
        QTest::newRow("mutual exclusion") << QStringLiteral("mutual-exclusion") << QStringLiteral("1") << true;
        QTest::newRow("no expirations") << QStringLiteral("mutual-exclusion") << QStringLiteral("0") << false;
        QTest::newRow("a promise for all schedules")
            << QStringLiteral("no-immortal-key") << QStringLiteral("1") << false;
    }
    void lapsesUnderTheHolder_areExcludedFromTheVerdict()
    {
        QFETCH(const QString, promise);
        QFETCH(const QString, passes);
        QFETCH(const bool, isSaid);
        const Outcome outcome =
            explore({QStringLiteral("--promise"), promise, QStringLiteral("--expirations"), passes}, python("getdel"));
        QVERIFY2(outcome.exitCode == 0, (outcome.output + outcome.errors).constData());
        QCOMPARE(outcome.output.contains(", and no lease that ends under a living holder\n"), isSaid);
    }

    void aStoryOfSeveralServers_canBePlayed()
    {
        const Outcome outcome = explore({QStringLiteral("--servers"), QStringLiteral("3"), QStringLiteral("--promise"),
                                         QStringLiteral("mutual-exclusion"), QStringLiteral("--json"),
                                         QStringLiteral("--save"), folder->path()},
                                        python("quorum", {QStringLiteral("one-vote")}));
        QCOMPARE(outcome.exitCode, 1);
        QCOMPARE(outcome.object()[QLatin1String("servers")].toInt(), 3);
        const QJsonObject promise = outcome.object()[QLatin1String("promises")][0].toObject();
        QProcess play;
        play.start(QStringLiteral(LATCHKEY_CLI),
                   {QStringLiteral("explore"), QStringLiteral("--play"), promise[QLatin1String("story")].toString()});
        QCOMPARE(outcomeOf(play).exitCode, 0);
    }

    void aStoryWithALostReply_canBePlayed()
    {
        const Outcome outcome =
            explore({QStringLiteral("--promise"), QStringLiteral("no-immortal-key"), QStringLiteral("--crashes"),
                     QStringLiteral("0"), QStringLiteral("--lost-replies"), QStringLiteral("1"),
                     QStringLiteral("--clients"), QStringLiteral("1"), QStringLiteral("--save"), folder->path()},
                    python("retrying"));
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY2(outcome.output.contains("the reply is lost"), outcome.output.constData());
        QProcess play;
        play.start(QStringLiteral(LATCHKEY_CLI),
                   {QStringLiteral("explore"), QStringLiteral("--play"),
                    folder->filePath(QStringLiteral("retrying.py.no-immortal-key.json"))});
        QCOMPARE(outcomeOf(play).exitCode, 0);
    }

    void heldPromise_reportsItsBounds()
    {
        const Outcome outcome = explore({QStringLiteral("--resource"), QStringLiteral("order:1"),
                                         QStringLiteral("--expirations"), QStringLiteral("0")},
                                        python("watchmulti"));
        QCOMPARE(outcome.exitCode, 0);
        QVERIFY2(outcome.output.contains("schedules of 2 clients with at most 1 crash"), outcome.output.constData());
        QVERIFY(outcome.output.contains("The program's clock was virtual: time advanced only at the steps shown."));
    }
    void uncontrolledClock_isReported()
    {
        const Outcome outcome = explore({}, withItsOwnClock(python("getdel")));
        QVERIFY(outcome.output.contains("The program's clock was real"));
        const Outcome told = explore({QStringLiteral("--json")}, withItsOwnClock(python("getdel")));
        QCOMPARE(told.object()[QLatin1String("clock")].toString(), QStringLiteral("not-controlled"));
        QVERIFY(explore({}, python("alarmed", {QStringLiteral("later")})).output.contains("clock was partly virtual"));
    }
    /// The servers' clocks advance as in the story, also when it is played.
    void aStoryInWhichTimeGoesBy_canBePlayed()
    {
        const Outcome outcome =
            explore({QStringLiteral("--promise"), QStringLiteral("no-immortal-key"), QStringLiteral("--clients"),
                     QStringLiteral("1"), QStringLiteral("--save"), folder->path()},
                    python("patient"));
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY2(outcome.output.contains("A  (waits)    — 3600 s go by"), outcome.output.constData());
        QVERIFY2(outcome.output.contains("A  PTTL other → (integer) 3599999"), outcome.output.constData());
        QVERIFY2(outcome.output.contains("3 timer steps"), outcome.output.constData());
        QProcess play;
        play.start(QStringLiteral(LATCHKEY_CLI), {QStringLiteral("explore"), QStringLiteral("--play"),
                                                  folder->filePath(QStringLiteral("patient.py.no-immortal-key.json"))});
        QCOMPARE(outcomeOf(play).exitCode, 0);
        const Outcome less =
            explore({QStringLiteral("--promise"), QStringLiteral("no-immortal-key"), QStringLiteral("--timer-steps"),
                     QStringLiteral("0"), QStringLiteral("--expirations"), QStringLiteral("0")},
                    python("patient"));
        QCOMPARE(less.exitCode, 0);
    }

    void unexplorableProgram_givesOneSentence_data()
    {
        QTest::addColumn<QByteArray>("lines");
        QTest::addColumn<QByteArray>("sentence");
        const QByteArray connect = "import os, socket\ns = socket.create_connection((os.environ['REDIS_HOST'], "
                                   "int(os.environ['REDIS_PORT'])))\n";
        QTest::addRow("ends at once") << QByteArray("raise SystemExit('no such thing')\n")
                                      << QByteArray("exit code 1 and did not connect");
        QTest::addRow("does nothing") << QByteArray("pass\n") << QByteArray("use --fixed-port; it has printed nothing");
        QTest::addRow("fails") << QByteArray("raise SystemExit('no settings')\n")
                               << QByteArray("the server of REDIS_URL; last output: no settings");
        QTest::addRow("another port") << QByteArray("raise SystemExit('Connection refused')\n")
                                      << QByteArray("use --fixed-port; last output: Connection refused");
        QTest::addRow("TLS") << connect + "s.sendall(b'\\x16\\x03\\x01')\ns.recv(1)\n" << QByteArray("begins with TLS");
        QTest::addRow("HTTP") << connect + "s.sendall(b'GET / HTTP/1.1\\r\\n\\r\\n')\ns.recv(1)\n"
                              << QByteArray("is not the Redis protocol");
        QTest::addRow("inline commands") << connect + "s.sendall(b'INCR n\\r\\n')\ns.recv(1)\n"
                                         << QByteArray("inline commands are not supported");
        QTest::addRow("is told everything") << connect + "s.sendall(b'*1\\r\\n$7\\r\\nMONITOR\\r\\n')\ns.recv(1)\n"
                                            << QByteArray("sends MONITOR");
        QTest::addRow("is told of keys")
            << connect + "s.sendall(b'*2\\r\\n$10\\r\\nPSUBSCRIBE\\r\\n$16\\r\\n__keyevent@0__:*\\r\\n')\ns.recv(1)\n"
            << QByteArray("it subscribes to __keyevent@0__:*");
        QTest::addRow("subscribes within a transaction")
            << connect
                   + "s.sendall(b'*1\\r\\n$5\\r\\nMULTI\\r\\n*2\\r\\n$9\\r\\nSUBSCRIBE\\r\\n$1\\r\\nc\\r\\n')\ns.recv("
                     "99)\ns.recv(99)\n"
            << QByteArray("sends SUBSCRIBE within a transaction");
        QTest::addRow("follows a stream from now on")
            << connect
                   + "s.sendall(b'*6\\r\\n$5\\r\\nXREAD\\r\\n$5\\r\\nBLOCK\\r\\n$1\\r\\n0\\r\\n$7\\r\\nSTREAMS\\r\\n"
                     "$1\\r\\ns\\r\\n$1\\r\\n$\\r\\n')\ns.recv(1)\n"
            << QByteArray("sends XREAD with BLOCK and $");
        QTest::addRow("floods") << connect
                                       + "while True:\n    s.sendall(b'*1\\r\\n$4\\r\\nPING\\r\\n')\n    s.recv(99)\n"
                                << QByteArray("without end");
        QTest::addRow("another database")
            << connect + "s.sendall(b'*2\\r\\n$6\\r\\nSELECT\\r\\n$1\\r\\n7\\r\\n')\ns.recv(1)\n"
            << QByteArray("chooses database 7");
    }
    void unexplorableProgram_givesOneSentence()
    {
        QFETCH(const QByteArray, lines);
        QFETCH(const QByteArray, sentence);
        const Outcome outcome = explore({}, script(lines));
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(outcome.errors.contains(sentence), outcome.errors.constData());
        QCOMPARE(outcome.errors.trimmed().count('\n'), 0);
    }

    void wrongOptions_areRefused_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addRow("no number") << QStringList {QStringLiteral("--crashes"), QStringLiteral("many")};
        QTest::addRow("no server") << QStringList {QStringLiteral("--servers"), QStringLiteral("0")};
        QTest::addRow("too many servers") << QStringList {QStringLiteral("--servers"), QStringLiteral("8")};
        QTest::addRow("servers at one port") << QStringList {QStringLiteral("--servers"), QStringLiteral("2"),
                                                             QStringLiteral("--fixed-port"), QStringLiteral("6379")};
        QTest::addRow("no majority in one reply")
            << QStringList {QStringLiteral("--servers"), QStringLiteral("2"),         QStringLiteral("--inside"),
                            QStringLiteral("SET * NX"),  QStringLiteral("--outside"), QStringLiteral("DEL *")};
        QTest::addRow("no port") << QStringList {QStringLiteral("--fixed-port"), QStringLiteral("65536")};
        QTest::addRow("no such promise") << QStringList {QStringLiteral("--promise"), QStringLiteral("fenced")};
        QTest::addRow("of recipes") << QStringList {QStringLiteral("--without"), QStringLiteral("crashes")};
        QTest::addRow("a form of recipes") << QStringList {QStringLiteral("--form"), QStringLiteral("single")};
        QTest::addRow("a recipe as well") << QStringList {QStringLiteral("token")};
    }
    void wrongOptions_areRefused()
    {
        QFETCH(const QStringList, options);
        QCOMPARE(explore(options, python("readwrite")).exitCode, 2);
    }

    void formerNamesOfOptions_areRefusedWithTheNew_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QByteArray>("sentence");
        QTest::addRow("passes") << QStringList {QStringLiteral("--passes"), QStringLiteral("1")}
                                << QByteArray("explore: --passes is called --expirations now");
        QTest::addRow("passes with =") << QStringList {QStringLiteral("--passes=1")}
                                       << QByteArray("explore: --passes is called --expirations now");
        QTest::addRow("waits") << QStringList {QStringLiteral("--waits"), QStringLiteral("1")}
                               << QByteArray("explore: --waits is called --timer-steps now");
    }
    void formerNamesOfOptions_areRefusedWithTheNew()
    {
        QFETCH(const QStringList, options);
        QFETCH(const QByteArray, sentence);
        const Outcome outcome = explore(options, python("readwrite"));
        QCOMPARE(outcome.exitCode, 2);
        QVERIFY2(outcome.errors.contains(sentence), outcome.errors.constData());
    }

    void schedulesByChance_findWhatBreaksInMany()
    {
        const QStringList options {QStringLiteral("--random"),   QStringLiteral("40"),
                                   QStringLiteral("--resource"), QStringLiteral("order:1"),
                                   QStringLiteral("--promise"),  QStringLiteral("lost-update")};
        const Outcome found = explore(options, python("readwrite"));
        QCOMPARE(found.exitCode, 1);
        QVERIFY2(found.output.contains("\n       4  "), found.output.constData()); // The shortest schedule.
        QVERIFY2(!found.output.contains("\n       5  "), found.output.constData());
        QCOMPARE(explore(options, python("readwrite")).output.split('\n').mid(0, 8),
                 found.output.split('\n').mid(0, 8));
        const Outcome unknown = explore(options, python("watchmulti"));
        QCOMPARE(unknown.exitCode, 3);
        QVERIFY2(unknown.output.contains("holds in 40 schedules drawn at random"), unknown.output.constData());
        QCOMPARE(explore(options + QStringList {QStringLiteral("--max"), QStringLiteral("9")}, python("incr")).exitCode,
                 2);
    }

    /// A build that checks nothing must not pass.
    void promiseThatDoesNotApply_isNoSuccess()
    {
        const QStringList lostUpdate {QStringLiteral("--promise"), QStringLiteral("lost-update")};
        const Outcome alone = explore(lostUpdate, python("incr"));
        QVERIFY2(alone.output.contains("does not apply: --resource is missing"), alone.output.constData());
        QCOMPARE(alone.exitCode, 3);
        const QStringList both = lostUpdate
                               + QStringList {QStringLiteral("--promise"), QStringLiteral("no-immortal-key"),
                                              QStringLiteral("--data"), QStringLiteral("*")};
        QCOMPARE(explore(both, python("incr")).exitCode, 0);
    }

    void endsAndRetries_putTheVerdictsIntoTheirPlace()
    {
        const QStringList options {QStringLiteral("--promise"), QStringLiteral("no-immortal-key")};
        const Outcome dying = explore(options, python("dying"));
        QCOMPARE(dying.exitCode, 0);
        QVERIFY2(dying.output.contains("exit code 1; last output: the lock is another's"), dying.output.constData());
        const Outcome spinning = explore(options, python("spinning"));
        QCOMPARE(spinning.exitCode, 0);
        QVERIFY2(spinning.output.contains("was treated as retrying forever"), spinning.output.constData());
        const Outcome object = explore(options + QStringList {QStringLiteral("--json")}, python("dying"));
        QCOMPARE(object.object()[QLatin1String("failed_ends")][0][QLatin1String("exit_code")].toInt(), 1);
        QVERIFY(object.object()[QLatin1String("livelock")].isNull());
    }

    /// A program that behaves differently only in rare cases is detected late.
    void resultsBeforeAnError_arePrintedAndSaved()
    {
        const Outcome outcome =
            explore({QStringLiteral("--save"), folder->path(), QStringLiteral("--resource"), QStringLiteral("order:1"),
                     QStringLiteral("--expirations"), QStringLiteral("0")},
                    python("laterchance"));
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY2(outcome.output.contains("lost-update          BROKEN"), outcome.output.constData());
        QVERIFY2(outcome.errors.contains("is not deterministic"), outcome.errors.constData());
        QVERIFY(QFile::exists(folder->filePath(QStringLiteral("laterchance.py.lost-update.json"))));
    }

    /// The command does not wait for a sleeping client.
    void interrupt_isHandledWhileTheFirstClientRuns()
    {
        QProcess process;
        process.start(QStringLiteral(LATCHKEY_CLI),
                      QStringList {QStringLiteral("explore"), QStringLiteral("--")} + withItsOwnClock(python("slow")));
        LATCHKEY_AWAIT(!test::childrenOf(process.processId(), "python3").isEmpty());
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        const Outcome outcome = outcomeOf(process);
        QCOMPARE(outcome.exitCode, 3);
    }

    /// The command does not wait for a client that sends nothing either.
    void interrupt_isHandledWhileIdle()
    {
        const Outcome bounded = explore({QStringLiteral("--for"), QStringLiteral("300ms")},
                                        withItsOwnClock(script("import time\ntime.sleep(600)\n")));
        QCOMPARE(bounded.exitCode, 3);
        QVERIFY2(bounded.errors.contains("it was stopped while it had sent no command yet"),
                 bounded.errors.constData());
    }

    /// Under the virtual clock, the sleep ends at once.
    void programWithoutCommands_isNotExplored()
    {
        const Outcome outcome = explore({}, script("import time\ntime.sleep(600)\n"));
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(outcome.errors.contains("without having sent a command") && outcome.errors.contains("--fixed-port"),
                 outcome.errors.constData());
    }

    void counterThatIsTheOnlyLock_isNamed()
    {
        const Outcome outcome =
            explore({QStringLiteral("--promise"), QStringLiteral("owner-only-release")}, python("counter"));
        QVERIFY2(
            outcome.output.contains("\nLock: slots (written before the client is inside; no other key is a lock).\n"),
            outcome.output.constData());
    }

    /// Of output that is no sentence, the last line is better than none.
    void lastOutput_isNeverLeftOut()
    {
        const Outcome outcome = explore({}, script("print('first\\n  5\\n}')\nprint('  }')\nraise SystemExit(1)\n"));
        QVERIFY2(outcome.errors.contains("last output: first\n"), outcome.errors.constData());
        const Outcome brace = explore({}, script("print('}')\nraise SystemExit(1)\n"));
        QVERIFY2(brace.errors.contains("last output: }\n"), brace.errors.constData());
    }

    /// Node.js prints its version after the trace, which is no reason.
    void lastOutputOfNode_isItsError()
    {
        const Outcome outcome = explore({}, script("import sys\n"
                                                   "sys.exit('app.js:5\\n    throw new Error();\\n    ^\\n\\n'\n"
                                                   "         'Error: no such queue\\n    at a (/app.js:5:1)\\n\\n'\n"
                                                   "         'Node.js v20.20.2')\n"));
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(outcome.errors.contains("last output: Error: no such queue\n"), outcome.errors.constData());
    }

    void criticalSection_isMarkedByOptions()
    {
        const QByteArray worker = "import os, redis\n"
                                  "client = redis.Redis.from_url(os.environ['REDIS_URL'])\n"
                                  "if client.get('lock') is None:\n"
                                  "    client.set('lock', 'x')\n"
                                  "    client.delete('lock')\n";
        const QStringList promise {QStringLiteral("--promise"), QStringLiteral("mutual-exclusion")};
        const QStringList inside {QStringLiteral("--inside"), QStringLiteral("SET lock")};
        const QStringList outside {QStringLiteral("--outside"), QStringLiteral("DEL lock -> any")};
        const Outcome broken = explore(promise + inside + outside, script(worker));
        QCOMPARE(broken.exitCode, 1);
        QVERIFY2(broken.output.contains("SET lock x → OK    — B is inside"), broken.output.constData());
        const Outcome none = explore(
            promise + QStringList {QStringLiteral("--inside"), QStringLiteral("SETNX lock")} + outside, script(worker));
        QCOMPARE(none.exitCode, 3);
        QVERIFY2(none.errors.contains("a single client sends no command that matches --inside 'SETNX lock'"),
                 none.errors.constData());
        const Outcome repeated =
            explore(promise + QStringList {QStringLiteral("--inside"), QStringLiteral("SETNX lock")} + inside + outside,
                    script(worker));
        QCOMPARE(repeated.exitCode, 1);
        QCOMPARE(explore(promise + inside, script(worker)).exitCode, 1);
        QCOMPARE(explore(outside, script(worker)).errors, QByteArray("latchkey-cli: --outside: only with --inside\n"));
        const Outcome wrong =
            explore(outside + QStringList {QStringLiteral("--inside"), QStringLiteral("SET lock ->")}, script(worker));
        QCOMPARE(wrong.exitCode, 2);
        QCOMPARE(wrong.errors,
                 QByteArray("latchkey-cli: --inside \"SET lock ->\": one word for the reply must follow ->\n"));
    }

    /// A lock without an observable owner gets no verdict on its owner, and the output says why.
    void lockWithoutObservableOwner_hasAReason()
    {
        const Outcome outcome = explore({QStringLiteral("--promise"), QStringLiteral("owner-only-release")},
                                        python("tokenpool", {QStringLiteral("LPOP")}));
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(outcome.output.contains("does not apply: the lock is taken by removing an element of pool, and the "
                                         "server does not show who has it\n"),
                 outcome.output.constData());
        QVERIFY2(outcome.output.contains("Not a lock: pool (an element is removed before the client is inside).\n"),
                 outcome.output.constData());
    }

    void noProgram_isRefused() { QCOMPARE(explore({}, {}).exitCode, 2); }
    void noSuchProgram_isRefused() { QCOMPARE(explore({}, {QStringLiteral("/nonexistent/worker")}).exitCode, 2); }

    void nothingIsLeft_whenItEnds()
    {
        const QString numbers = folder->filePath(QStringLiteral("numbers"));
        const Outcome outcome = explore({}, python("forks", {numbers}));
        QCOMPARE(outcome.exitCode, 0);
        QVERIFY(leftBehind().size() >= 4);
        LATCHKEY_AWAIT(!livesAny(leftBehind())); // A killed process takes a moment to disappear.
    }

    /// Kills the processes and their children, inside and outside their group.
    void nothingIsLeft_whenItIsKilled()
    {
        QProcess process;
        process.start(QStringLiteral(LATCHKEY_CLI),
                      QStringList {QStringLiteral("explore"), QStringLiteral("--")}
                          + python("forks", {folder->filePath(QStringLiteral("numbers"))}));
        LATCHKEY_AWAIT(leftBehind().size() >= 4);
        const QList<pid_t> started = test::childrenOf(process.processId());
        ::kill(static_cast<pid_t>(process.processId()), SIGKILL);
        LATCHKEY_AWAIT(process.state() == QProcess::NotRunning);
        LATCHKEY_AWAIT(!livesAny(leftBehind()) && !livesAny(started));
    }

    /// The same with private networks, where the processes are in another user namespace than the command.
    void nothingIsLeft_ofThoseWithTheirOwnNetworks_data()
    {
        QTest::addColumn<int>("signal");
        QTest::addRow("it ends") << 0;
        QTest::addRow("it is killed") << SIGKILL;
    }
    void nothingIsLeft_ofThoseWithTheirOwnNetworks()
    {
        QFETCH(const int, signal);
        if (const QString why = test::whyNoNetworkOfItsOwn(); !why.isEmpty())
            QSKIP(qPrintable(why));
        QProcess process;
        process.start(QStringLiteral(LATCHKEY_CLI),
                      QStringList {QStringLiteral("explore"), QStringLiteral("--fixed-port"), QStringLiteral("6379"),
                                   QStringLiteral("--")}
                          + python("forks", {folder->filePath(QStringLiteral("numbers"))}));
        LATCHKEY_AWAIT(leftBehind().size() >= 4);
        const QList<pid_t> started = test::childrenOf(process.processId());
        if (signal != 0)
            ::kill(static_cast<pid_t>(process.processId()), signal);
        else
            QCOMPARE(outcomeOf(process).exitCode, 0);
        LATCHKEY_AWAIT(process.state() == QProcess::NotRunning);
        LATCHKEY_AWAIT(!livesAny(leftBehind()) && !livesAny(started));
    }

    /// The next run removes the Unix sockets of a killed run, and leaves none of its own.
    void noSocketIsLeft()
    {
        QProcess killed;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("TMPDIR"), folder->path());
        killed.setProcessEnvironment(environment);
        killed.start(QStringLiteral(LATCHKEY_CLI),
                     QStringList {QStringLiteral("explore"), QStringLiteral("--")} + withItsOwnClock(python("slow")));
        const auto left = [this] {
            return QDir(folder->path()).entryList({QStringLiteral("latchkey-explore-*")}, QDir::Dirs);
        };
        // A folder without a written lock may be one that is just being created.
        const auto lock = [&] { return QFileInfo(folder->filePath(left().value(0) + QStringLiteral("/owner.lock"))); };
        LATCHKEY_AWAIT(lock().size() > 0);
        ::kill(static_cast<pid_t>(killed.processId()), SIGKILL);
        LATCHKEY_AWAIT(killed.state() == QProcess::NotRunning);
        QCOMPARE(left().size(), 1);
        QProcess next;
        next.setProcessEnvironment(environment);
        next.start(QStringLiteral(LATCHKEY_CLI),
                   QStringList {QStringLiteral("explore"), QStringLiteral("--")} + python("dying"));
        (void)outcomeOf(next);
        QCOMPARE(left(), QStringList());
    }

    /// In a user namespace that permits no further namespaces.
    void forbiddenNamespaces_giveOneSentence()
    {
        if (const QString why = test::whyNoNetworkOfItsOwn(); !why.isEmpty())
            QSKIP(qPrintable(why));
        QProcess process;
        process.start(QStringLiteral("unshare"),
                      QStringList {QStringLiteral("--map-root-user"), QStringLiteral("sh"), QStringLiteral("-c"),
                                   QStringLiteral("echo 0 > /proc/sys/user/max_user_namespaces; exec \"$@\""),
                                   QStringLiteral("sh"), QStringLiteral(LATCHKEY_CLI), QStringLiteral("explore"),
                                   QStringLiteral("--fixed-port"), QStringLiteral("6379"), QStringLiteral("--")}
                          + python("readwrite"));
        const Outcome outcome = outcomeOf(process);
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(outcome.errors.contains("it cannot have a network of its own"), outcome.errors.constData());
        QCOMPARE(outcome.errors.trimmed().count('\n'), 0);
    }

    void stoppedSearch_isMarkedAsIncomplete()
    {
        const Outcome outcome =
            explore({QStringLiteral("--for"), QStringLiteral("1ms"), QStringLiteral("--json")}, python("getdel"));
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY(!outcome.object()[QLatin1String("complete")].toBool());
    }

    /// If a limit cut the search, the output names the option that makes it smaller, unless it is set.
    void searchThatWasCut_namesTheLimitOfPreemptions()
    {
        QStringList options {QStringLiteral("--clients"), QStringLiteral("4"), QStringLiteral("--for"),
                             QStringLiteral("2s")};
        const Outcome cut = explore(options, python("watchdog"));
        QVERIFY2(cut.output.contains("--preemptions 2"), cut.output.constData());
        options += {QStringLiteral("--preemptions"), QStringLiteral("3")};
        QVERIFY(!explore(options, python("watchdog")).output.contains("--preemptions 2"));
    }

    void timeLimit_leavesNoPromiseWithoutAVerdict()
    {
        const QStringList options {QStringLiteral("--clients"), QStringLiteral("4"), QStringLiteral("--for"),
                                   QStringLiteral("6s"), QStringLiteral("--json")};
        const Outcome outcome = explore(options, python("watchdog"));
        const QJsonObject object = outcome.object();
        QVERIFY(object[QLatin1String("stopped")].toBool() && !object[QLatin1String("complete")].toBool());
        QCOMPARE(object[QLatin1String("unanswered")].toArray(), QJsonArray());
        bool isBroken = false;
        for (const QJsonValue &promise : object[QLatin1String("promises")].toArray()) {
            isBroken = isBroken || promise[QLatin1String("verdict")].toString() == QLatin1String("broken");
            if (promise[QLatin1String("verdict")].toString() == QLatin1String("holds"))
                QVERIFY(promise[QLatin1String("states")].toInt() > 1);
        }
        QCOMPARE(outcome.exitCode, isBroken ? 1 : 3);
    }
};

LATCHKEY_TEST(TestExploreProgram)

} // namespace tst_exploreprogram

#include "tst_exploreprogram.moc"
