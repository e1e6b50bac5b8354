#include "core/recipes/locks/catalogue.h"
#include "tests/support/await.h"
#include "tests/support/childprocesses.h"
#include "tests/support/fakeserver.h"
#include "tests/support/outcome.h"
#include "tests/support/pseudoterminal.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <csignal>

namespace tst_run {

using namespace latchkey;
using test::Outcome;

namespace {

/// Functions of all scripts: `loop`, which runs until a signal ends it, and `wait_for file`.
///
/// A loop that must receive a signal must not start commands, not even sleep. A shell that uses vfork (dash) loses a
/// signal that arrives during vfork, and does not stop if its half-created child has stopped. So the loop reads a pipe
/// without a writer. Scripts within scripts do this themselves.
constexpr const char *scriptHead = "mkfifo pipe.$$; exec 3<>pipe.$$\n"
                                   "loop() { while :; do read x <&3; done; }\n"
                                   "wait_for() { while [ ! -e \"$1\" ]; do sleep 0.01; done; }\n";

} // namespace

/// Tests of `latchkey-cli run` as scripts and users call it: real programs, real signals, a real terminal.
class TestRun final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<QTemporaryDir> folder;
    QProcessEnvironment environment;

    [[nodiscard]] QString path(const char *name) const { return folder->filePath(QString::fromLatin1(name)); }
    [[nodiscard]] QByteArray contents(const char *name) const
    {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    void touch(const char *name) const
    {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
    }

    /// Returns arguments, split at spaces. If there is a script, it is the program, run by sh in the folder of the
    /// test.
    static QStringList arguments(const char *words, const QByteArray &script)
    {
        QStringList all =
            QStringList {QStringLiteral("run")} + QString::fromUtf8(words).split(u' ', Qt::SkipEmptyParts);
        if (!script.isEmpty())
            all += {QStringLiteral("--"), QStringLiteral("sh"), QStringLiteral("-c"),
                    QString::fromUtf8(scriptHead + script)};
        return all;
    }
    void start(QProcess &run, const char *words, const QByteArray &script = {})
    {
        run.setProcessEnvironment(environment);
        run.setWorkingDirectory(folder->path());
        run.start(QStringLiteral(LATCHKEY_CLI), arguments(words, script));
        QVERIFY(run.waitForStarted());
    }
    /// Returns the errors without the shells' messages about signals.
    static QByteArray ourErrors(const Outcome &outcome)
    {
        QByteArray ours;
        for (const QByteArray &line : outcome.errors.split('\n')) {
            if (line.startsWith("latchkey-cli: "))
                ours += line + '\n';
        }
        return ours;
    }
    static Outcome finish(QProcess &run)
    {
        [&] { LATCHKEY_AWAIT(run.state() == QProcess::NotRunning); }();
        [&] { QCOMPARE(run.exitStatus(), QProcess::NormalExit); }();
        return test::outcomeOf(run);
    }
    Outcome run(const char *words, const QByteArray &script = {})
    {
        QProcess process;
        start(process, words, script);
        process.closeWriteChannel();
        return finish(process);
    }
    static void send(const QProcess &run, int signal) { ::kill(static_cast<pid_t>(run.processId()), signal); }
    [[nodiscard]] bool isFree() { return (*server)({"EXISTS", "k"}).isInteger(0); }

private Q_SLOTS:
    void init()
    {
        server = std::make_unique<test::TestServer>();
        folder = std::make_unique<QTemporaryDir>();
        environment = QProcessEnvironment::systemEnvironment();
        for (const char *name : {"LATCHKEY_TOKEN", "LATCHKEY_KEY", "LATCHKEY_FENCING", "LATCHKEY_PASSWORD"})
            environment.remove(QString::fromLatin1(name));
        environment.insert(QStringLiteral("LATCHKEY_URL"), server->url());
        environment.insert(QStringLiteral("TERM"), QStringLiteral("dumb"));
    }
    void cleanup()
    {
        server.reset();
        folder.reset();
    }

    // Environment and exit code of the program

    void exitCode_isTheProgramsAndTheLockIsReleased_data()
    {
        QTest::addColumn<QByteArray>("script");
        QTest::addColumn<int>("exitCode");
        QTest::addRow("success") << QByteArray("true") << 0;
        QTest::addRow("failure") << QByteArray("exit 7") << 7;
        QTest::addRow("a code of our own") << QByteArray("exit 4") << 4;
        QTest::addRow("the largest") << QByteArray("exit 255") << 255;
        QTest::addRow("SIGTERM") << QByteArray("kill -TERM $$") << 128 + SIGTERM;
        QTest::addRow("SIGKILL") << QByteArray("kill -KILL $$") << 128 + SIGKILL;
    }
    void exitCode_isTheProgramsAndTheLockIsReleased()
    {
        QFETCH(QByteArray, script);
        QFETCH(int, exitCode);
        for (const char *words : {"token k", "basic k", "auto-release k --lease 20s", "renewing k --lease 20s"}) {
            const Outcome outcome = run(words, script);
            QCOMPARE(outcome.exitCode, exitCode);
            QCOMPARE(outcome.errors, QByteArray());
            QVERIFY2(isFree(), words);
        }
    }

    void programThatCannotRun_isReportedAsShellsDoAndTheLockIsReleased()
    {
        const Outcome missing = run("token k -- /nonexistent/program");
        QCOMPARE(missing.exitCode, 127);
        QCOMPARE(missing.errors, QByteArray("latchkey-cli: run token \"k\": cannot run \"/nonexistent/program\": No "
                                            "such file or directory\n"));
        QCOMPARE(run("token k -- no-such-program-anywhere").exitCode, 127);
        const Outcome notExecutable = run("token k -- /etc/passwd");
        QCOMPARE(notExecutable.exitCode, 126);
        QVERIFY2(notExecutable.errors.contains("\"/etc/passwd\": Permission denied\n"),
                 notExecutable.errors.constData());
        QVERIFY(isFree());
    }

    void everyRecipe_holdsTheLockWhileTheProgramRuns_data()
    {
        QTest::addColumn<QString>("id");
        for (const locks::Recipe &recipe : locks::recipes()) {
            if (!recipe.needsReplica)
                QTest::addRow("%s", qPrintable(recipe.id)) << recipe.id;
        }
    }
    void everyRecipe_holdsTheLockWhileTheProgramRuns()
    {
        QFETCH(QString, id);
        const QByteArray words = id.toLatin1() + " k";
        const Outcome outcome =
            run(words.constData(), "\"" LATCHKEY_CLI "\" acquire " + words + "; [ $? = 1 ] && exit 7");
        QCOMPARE(outcome.exitCode, 7);
        QCOMPARE(outcome.errors, "latchkey-cli: acquire " + id.toLatin1() + " \"k\": busy\n");
        QVERIFY(isFree());
    }

    /// A recipe that needs a replica says that none confirmed the lock, and starts no program.
    void missingReplica_isNoLock()
    {
        const Outcome outcome = run("token-wait k --lease 300ms", "exit 7");
        QCOMPARE(outcome.exitCode, 1);
        QCOMPARE(outcome.errors, "latchkey-cli: run token-wait \"k\": no replica confirmed the lock within 150ms, "
                                 "so it was released\n");
        QVERIFY(isFree());
    }

    void fencingNumbers_grow()
    {
        const QByteArray print = "echo $LATCHKEY_FENCING";
        const qint64 first = run("fenced k", print).output.trimmed().toLongLong();
        const qint64 second = run("fenced k", print).output.trimmed().toLongLong();
        QVERIFY2(first > 0 && second > first, qPrintable(QStringLiteral("%1 %2").arg(first).arg(second)));
    }

    void standardStreams_areThePrograms()
    {
        QByteArray bytes(1'000'000, Qt::Uninitialized);
        QRandomGenerator generator(42);
        for (char &byte : bytes)
            byte = static_cast<char>(generator.bounded(256));
        QProcess process;
        start(process, "token k", "tee /dev/stderr");
        process.write(bytes);
        process.closeWriteChannel();
        const Outcome outcome = finish(process);
        QCOMPARE(outcome.exitCode, 0);
        QVERIFY(outcome.output == bytes);
        QVERIFY(outcome.errors == bytes);
    }

    void argumentsAfterTheDashes_areTheProgramsByteForByte()
    {
        // Uses a shell, because Qt passes arguments as text.
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(
            QStringLiteral("sh"),
            {QStringLiteral("-c"),
             QStringLiteral(
                 R"sh(exec "$0" run token k -- printf '%s|' "$(printf 'a\377\001')" "" -- -E --help "b c")sh"),
             QStringLiteral(LATCHKEY_CLI)});
        QCOMPARE(finish(process).output, QByteArray("a\xff\x01||--|-E|--help|b c|"));
    }

    void program_inheritsSignalsAndDescriptorsAsTheyWere()
    {
        const QByteArray script = "grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status; ls /proc/self/fd | wc -l";
        QProcess direct;
        direct.setProcessEnvironment(environment);
        direct.start(QStringLiteral("sh"), {QStringLiteral("-c"), QString::fromUtf8(scriptHead + script)});
        const QByteArray expected = finish(direct).output;
        QVERIFY(expected.contains("SigIgn"));
        QCOMPARE(run("renewing k --lease 20s", script).output, expected);
    }

    void environment_namesTheLockOfThisProgramOnly()
    {
        environment.insert(QStringLiteral("LATCHKEY_FENCING"), QStringLiteral("17"));
        const QByteArray print = "echo \"$LATCHKEY_KEY,${LATCHKEY_TOKEN-none},${LATCHKEY_FENCING-none}\"";
        const QByteArray outer =
            run("token k", print + "; \"" LATCHKEY_CLI "\" run token inner -- sh -c '" + print
                               + "'; \"" LATCHKEY_CLI "\" run basic inner -- sh -c '" + print + "'")
                .output;
        const QList<QByteArray> lines = outer.split('\n');
        static const QRegularExpression own(QStringLiteral("^k,[0-9a-f]{32},none$"));
        static const QRegularExpression inner(QStringLiteral("^inner,[0-9a-f]{32},none$"));
        QVERIFY2(own.match(QString::fromLatin1(lines[0])).hasMatch(), outer.constData());
        QVERIFY2(inner.match(QString::fromLatin1(lines[1])).hasMatch(), outer.constData());
        QVERIFY2(lines[0].sliced(2, 32) != lines[1].sliced(6, 32), "a token guards one lock");
        QCOMPARE(lines[2], QByteArray("inner,none,none"));
    }

    void program_receivesTheServerAddress()
    {
        environment.insert(QStringLiteral("LATCHKEY_URL"), QStringLiteral("unix:///nowhere"));
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(LATCHKEY_CLI),
                      {QStringLiteral("--url"), server->url(), QStringLiteral("run"), QStringLiteral("token"),
                       QStringLiteral("k"), QStringLiteral("--"), QStringLiteral("sh"), QStringLiteral("-c"),
                       QStringLiteral("\"" LATCHKEY_CLI "\" extend token k --lease 90s")});
        const Outcome outcome = finish(process);
        QVERIFY2(outcome.output == "extended\n", outcome.errors.constData());
        QCOMPARE(outcome.exitCode, 0);
    }

    void program_isTheSameUserThere()
    {
        QVERIFY((*server)({"CONFIG", "SET", "requirepass", "s3cret"}).isOk());
        QFile file(path("password"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("s3cret\n");
        file.close();
        const QByteArray script = "\"" LATCHKEY_CLI "\" extend token k --lease 90s; cat /proc/[0-9]*/cmdline > lists";
        const QByteArray words = "token k --password-file " + path("password").toUtf8();
        for (const char *wrongPassword : {"", "of another server"}) {
            environment.insert(QStringLiteral("LATCHKEY_PASSWORD"), QString::fromLatin1(wrongPassword));
            const Outcome outcome = run(words.constData(), script);
            QVERIFY2(outcome.output == "extended\n", outcome.errors.constData());
            QVERIFY(contents("lists").contains("password-file") && !contents("lists").contains("s3cret"));
        }
    }

    /// Checks every source of the password and every environment.
    void program_getsOnlyOnePassword_data()
    {
        QTest::addColumn<QByteArray>("url");      ///< --url; @ stands for the socket.
        QTest::addColumn<bool>("hasFile");        ///< Whether --password-file is given, with the correct password.
        QTest::addColumn<QByteArray>("setUrl");   ///< LATCHKEY_URL
        QTest::addColumn<QByteArray>("password"); ///< LATCHKEY_PASSWORD
        const QByteArray none;
        const QByteArray plain("unix://@");
        const QByteArray right("unix://:s3cret@@");
        const QByteArray wrong("unix://:of-old@@");
        QTest::addRow("URL, beside another in the environment") << right << false << plain << QByteArray("of another");
        QTest::addRow("URL, beside the same") << right << false << none << QByteArray("s3cret");
        QTest::addRow("URL and file, beside another") << right << true << plain << QByteArray("of another");
        QTest::addRow("URL, beside another URL") << right << false << wrong << none;
        QTest::addRow("file, beside another") << plain << true << none << QByteArray("of another");
        QTest::addRow("file, beside another in the environment's URL") << none << true << wrong << none;
        QTest::addRow("file, beside two others") << none << true << wrong << QByteArray("of another");
        QTest::addRow("environment's URL") << none << false << right << none;
        QTest::addRow("environment") << none << false << plain << QByteArray("s3cret");
        QTest::addRow("environment, and a plain URL") << plain << false << wrong << QByteArray("s3cret");
    }
    void program_getsOnlyOnePassword()
    {
        QFETCH(QByteArray, url);
        QFETCH(bool, hasFile);
        QFETCH(QByteArray, setUrl);
        QFETCH(QByteArray, password);
        QVERIFY((*server)({"CONFIG", "SET", "requirepass", "s3cret"}).isOk());
        QFile file(path("password"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("s3cret\n");
        file.close();
        const auto withSocket = [this](const QByteArray &pattern) {
            return QString::fromUtf8(pattern.chopped(1)) + server->endpoint().path;
        };
        environment.remove(QStringLiteral("LATCHKEY_URL"));
        if (!setUrl.isEmpty())
            environment.insert(QStringLiteral("LATCHKEY_URL"), withSocket(setUrl));
        if (!password.isEmpty())
            environment.insert(QStringLiteral("LATCHKEY_PASSWORD"), QString::fromUtf8(password));
        QByteArray words("token k");
        if (!url.isEmpty())
            words += " --url " + withSocket(url).toUtf8();
        if (hasFile)
            words += " --password-file " + file.fileName().toUtf8();
        const Outcome outcome = run(words.constData(), "\"" LATCHKEY_CLI "\" extend token k --lease 90s");
        QVERIFY2(outcome.output == "extended\n", outcome.errors.constData());
        QCOMPARE(outcome.exitCode, 0);
    }

    void program_canProveItsHold()
    {
        const Outcome outcome =
            run("token k", "\"" LATCHKEY_CLI "\" extend token \"$LATCHKEY_KEY\" --lease 90s && \"" LATCHKEY_CLI
                           "\" extend token other --lease 90s");
        QVERIFY2(outcome.output == "extended\n", outcome.errors.constData());
        QCOMPARE(outcome.exitCode, 2);
        QVERIFY2(outcome.errors.contains("needs the token that acquire gave"), outcome.errors.constData());
    }

    void token_isInNoProcessList()
    {
        QProcess process;
        start(process, "token k", "loop");
        LATCHKEY_AWAIT(!isFree());
        const QByteArray token = (*server)({"GET", "k"}).bytes();
        QCOMPARE(token.size(), 32);
        for (const QString &entry : QDir(QStringLiteral("/proc")).entryList({QStringLiteral("[0-9]*")}, QDir::Dirs)) {
            QFile file(QStringLiteral("/proc/%1/cmdline").arg(entry));
            if (file.open(QIODevice::ReadOnly))
                QVERIFY2(!file.readAll().contains(token), qPrintable(entry));
        }
        send(process, SIGTERM);
        QCOMPARE(finish(process).exitCode, 128 + SIGTERM);
    }

    // Acquiring the lock

    void busyLock_runsNothing()
    {
        QVERIFY((*server)({"SET", "k", "other"}).isOk());
        const Outcome busy = run("token k", "touch ran");
        QCOMPARE(busy.exitCode, 1);
        QCOMPARE(busy.errors, QByteArray("latchkey-cli: run token \"k\": busy\n"));
        QCOMPARE(run("token k -E 42", "touch ran").exitCode, 42);
        QCOMPARE(run("token k -E0", "touch ran").exitCode, 0);
        QCOMPARE(run("token k --wait 80ms --conflict-exit-code 9", "touch ran").exitCode, 9);
        QVERIFY(!QFile::exists(path("ran")));
        QVERIFY((*server)({"GET", "k"}).isBulk("other"));
    }

    void wait_isForTheOtherProgramToEnd()
    {
        QProcess first;
        start(first, "token k", "echo first >> log; wait_for end; echo over >> log");
        LATCHKEY_AWAIT(contents("log") == "first\n");
        QProcess second;
        start(second, "token k --wait 25s", "echo second >> log");
        QCOMPARE(run("token k", "echo third >> log").exitCode, 1);
        touch("end");
        QCOMPARE(finish(first).exitCode, 0);
        QCOMPARE(finish(second).exitCode, 0);
        QCOMPARE(contents("log"), QByteArray("first\nover\nsecond\n"));
    }

    void programs_areNeverInsideTogether_data()
    {
        QTest::addColumn<bool>("isOneLock");
        QTest::addRow("one lock") << true;
        QTest::addRow("a lock each, which excludes nobody") << false;
    }
    void programs_areNeverInsideTogether()
    {
        QFETCH(bool, isOneLock);
        std::vector<std::unique_ptr<QProcess>> processes;
        for (int i = 0; i < 6; ++i) {
            processes.push_back(std::make_unique<QProcess>());
            const QByteArray words = "token k" + (isOneLock ? QByteArray() : QByteArray::number(i)) + " --wait 25s";
            start(*processes.back(), words.constData(),
                  "mkdir inside 2>/dev/null || echo overlap >> overlaps; sleep 0.1; rmdir inside 2>/dev/null; true");
        }
        for (const auto &process : processes)
            QCOMPARE(finish(*process).exitCode, 0);
        QCOMPARE(contents("overlaps").isEmpty(), isOneLock);
    }

    void wrongUsage_runsNothing_data()
    {
        QTest::addColumn<QByteArray>("words");
        QTest::addColumn<QByteArray>("errors");
        const auto row = [](const char *words, const char *errors) {
            QTest::addRow("%s", words) << QByteArray(words) << QByteArray(errors);
        };
        row("token k", "run: too few arguments; expected RECIPE KEY -- COMMAND...; see latchkey-cli run --help");
        row("mutex k -- touch ran", "unknown recipe \"mutex\"; there are ");
        row("token k --lease 0s -- touch ran", "--lease: a lease must be longer than zero, not 0ms");
        row("basic k --lease 5s -- touch ran", "the recipe basic does not accept a lease: its locks do not expire");
        row("token k --wait -1s -- touch ran", "--wait: a wait cannot be negative");
        row("token k -E 256 -- touch ran", "-E: an exit code is from 0 to 255, not \"256\"");
        row("token k -E -1 -- touch ran", "-E: an exit code is from 0 to 255, not \"-1\"");
        row("token k -E no -- touch ran", "-E: an exit code is from 0 to 255, not \"no\"");
        row("token k --kill-after -1s -- touch ran", "--kill-after: the time is from 0s to 1d");
        row("token k --kill-after 2d -- touch ran", "--kill-after: the time is from 0s to 1d");
        row("token k --json -- touch ran", "run does not accept --json: its output is the program's");
        row("token k --frob -- touch ran", "run: unknown option \"frob\"; see latchkey-cli run --help");
    }
    void wrongUsage_runsNothing()
    {
        QFETCH(QByteArray, words);
        QFETCH(QByteArray, errors);
        const Outcome outcome = run(words.constData());
        QCOMPARE(outcome.exitCode, 2);
        QVERIFY2(outcome.errors.startsWith("latchkey-cli: " + errors), outcome.errors.constData());
        QCOMPARE(outcome.errors.count('\n'), 1);
        QVERIFY(!QFile::exists(path("ran")));
        QVERIFY((*server)({"DBSIZE"}).isInteger(0));
    }

    void serverTrouble_runsNothing()
    {
        QVERIFY((*server)({"RPUSH", "k", "work"}).isInteger(1));
        const Outcome foreign = run("token k", "touch ran");
        QCOMPARE(foreign.exitCode, 3);
        QCOMPARE(foreign.errors,
                 QByteArray("latchkey-cli: run token \"k\": the key holds a list, which is not a lock\n"));
        environment.insert(QStringLiteral("LATCHKEY_URL"), QStringLiteral("redis://127.0.0.1:1"));
        const Outcome refused = run("token k", "touch ran");
        QCOMPARE(refused.exitCode, 3);
        QVERIFY2(refused.errors.contains("Connection refused"), refused.errors.constData());
        QVERIFY(!QFile::exists(path("ran")));
    }

    void signalWhileItWaits_endsTheWaitAndNothingElse()
    {
        QVERIFY((*server)({"SET", "k", "other"}).isOk());
        QProcess process;
        start(process, "token k --wait 1h", "touch ran");
        // The first attempt was sent.
        LATCHKEY_AWAIT((*server)({"CLIENT", "LIST"}).bytes().contains("cmd=set"));
        send(process, SIGTERM);
        const Outcome outcome = finish(process);
        QCOMPARE(outcome.exitCode, 128 + SIGTERM);
        QCOMPARE(outcome.errors, QByteArray());
        QVERIFY(!QFile::exists(path("ran")));
        QVERIFY((*server)({"GET", "k"}).isBulk("other"));
    }

    // Signals

    /// Nothing is held yet, so a signal ends the command although the server does not answer.
    void signalWhileItConnects_endsIt()
    {
        bool isAsked = false;
        const test::FakeServer silent(
            [&](QTcpSocket &, const QByteArray &bytes) { isAsked = isAsked || !bytes.isEmpty(); });
        environment.insert(QStringLiteral("LATCHKEY_URL"), silent.url());
        QProcess process;
        start(process, "token k --timeout 10m", "touch begun");
        LATCHKEY_AWAIT(isAsked);
        send(process, SIGTERM);
        LATCHKEY_AWAIT(process.state() == QProcess::NotRunning);
        QCOMPARE(process.exitStatus(), QProcess::CrashExit);
        QVERIFY(!QFile::exists(path("begun")));
    }

    void signals_reachTheProgramAndItsChildren_data()
    {
        QTest::addColumn<int>("signal");
        QTest::addRow("HUP") << SIGHUP;
        QTest::addRow("INT") << SIGINT;
        QTest::addRow("QUIT") << SIGQUIT;
        QTest::addRow("TERM") << SIGTERM;
        QTest::addRow("USR1") << SIGUSR1;
        QTest::addRow("USR2") << SIGUSR2;
        QTest::addRow("ALRM") << SIGALRM;
    }
    void signals_reachTheProgramAndItsChildren()
    {
        QFETCH(int, signal);
        const QByteArray number = QByteArray::number(signal);
        QProcess process;
        start(process, "token k",
              "trap 'echo program >> log; exit 6' " + number + "; sh -c 'trap \"echo child >> log; exit 5\" " + number
                  + "; echo ready >> log; while :; do read x <&3; done'");
        LATCHKEY_AWAIT(contents("log") == "ready\n");
        send(process, signal);
        QCOMPARE(finish(process).exitCode, 6);
        QCOMPARE(contents("log"), QByteArray("ready\nchild\nprogram\n"));
        QVERIFY(isFree());
    }

    void signalThatTheProgramSurvives_changesNothing()
    {
        QProcess process;
        start(process, "token k", "trap 'echo heard >> log' TERM; echo ready >> log; read x <&3; wait_for end; exit 3");
        LATCHKEY_AWAIT(contents("log") == "ready\n");
        send(process, SIGTERM);
        LATCHKEY_AWAIT(contents("log") == "ready\nheard\n");
        QVERIFY(!isFree());
        touch("end");
        QCOMPARE(finish(process).exitCode, 3);
        QVERIFY(isFree());
    }

    void signalThatIsIgnored_staysSo()
    {
        QProcess process;
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(folder->path());
        process.start(QStringLiteral("sh"),
                      {QStringLiteral("-c"), QStringLiteral("trap '' HUP; exec \"$0\" run token k -- sh -c \"$1\""),
                       QStringLiteral(LATCHKEY_CLI),
                       QString::fromUtf8(scriptHead) + QStringLiteral("trap 'exit 9' USR1; : > ready; loop")});
        LATCHKEY_AWAIT(QFile::exists(path("ready")));
        send(process, SIGHUP);
        send(process, SIGUSR1);
        QCOMPARE(finish(process).exitCode, 9);
    }

    void killed_takesTheProgramAlong()
    {
        QProcess process;
        start(process, "token k --lease 20s", "trap '' TERM HUP; echo $$ > pid; loop");
        LATCHKEY_AWAIT(contents("pid").endsWith('\n'));
        const pid_t program = contents("pid").trimmed().toInt();
        QVERIFY(test::isAlive(program));
        process.kill();
        LATCHKEY_AWAIT(process.state() == QProcess::NotRunning);
        LATCHKEY_AWAIT(!test::isAlive(program));
        QVERIFY2(!isFree(), "nobody was left to release it; the lease does");
    }

    // Renewing and losing the lock

    void shortLease_isRenewedForAsLongAsTheProgramRuns()
    {
        struct Case
        {
            const char *recipe;
            bool isHeld;
            std::unique_ptr<QProcess> process = std::make_unique<QProcess>();
            QByteArray value {};
            bool wasFree = false;
        };
        std::array cases {Case {"renewing", true}, Case {"token", true}, Case {"auto-release", false}};
        for (Case &each : cases) // All at once, each with its own key, because the time is that of the leases.
            start(*each.process, (each.recipe + QByteArray(" ") + each.recipe + " --lease 1s").constData(),
                  "wait_for end; exit 5");
        const auto valueOf = [&](const Case &each) { return (*server)({"GET", each.recipe}).bytes(); };
        const auto isHeld = [&](Case &each) {
            each.value = each.value.isEmpty() ? valueOf(each) : each.value;
            return !each.value.isEmpty();
        };
        LATCHKEY_AWAIT(std::ranges::count_if(cases, isHeld) == 3);
        const auto look = [&] {
            for (Case &each : cases)
                each.wasFree = each.wasFree || valueOf(each) != each.value;
        };
        QElapsedTimer timer;
        timer.start();
        LATCHKEY_AWAIT((look(), timer.elapsed() > 5 * 1000));
        touch("end");
        for (Case &each : cases) {
            QVERIFY2(each.wasFree != each.isHeld, each.recipe);
            QCOMPARE(finish(*each.process).exitCode, each.isHeld ? 5 : 4);
            QVERIFY2((*server)({"EXISTS", each.recipe}).isInteger(0), each.recipe);
        }
    }

    void lostLock_endsTheProgramsGroup_data()
    {
        QTest::addColumn<QByteArray>("taker");
        QTest::addColumn<QByteArray>("why");
        QTest::addRow("deleted") << QByteArray() << QByteArray("it no longer exists");
        QTest::addRow("replaced") << QByteArray("SET") << QByteArray("another client holds it");
        QTest::addRow("of another type") << QByteArray("LPUSH") << QByteArray("another client holds it");
    }
    void lostLock_endsTheProgramsGroup()
    {
        QFETCH(QByteArray, taker);
        QFETCH(QByteArray, why);
        QProcess process;
        start(process, "renewing k --lease 2s",
              "trap 'echo program >> log; exit 0' TERM; sh -c 'trap \"echo child >> log; exit 5\" TERM; echo ready >> "
              "log; while :; do read x <&3; done'");
        LATCHKEY_AWAIT(contents("log") == "ready\n");
        QVERIFY((*server)({"DEL", "k"}).isInteger(1));
        if (!taker.isEmpty())
            QVERIFY(!(*server)({taker, "k", "other"}).isError());
        const Outcome outcome = finish(process);
        QCOMPARE(outcome.exitCode, 4);
        QCOMPARE(ourErrors(outcome),
                 "latchkey-cli: run renewing \"k\": the lock was lost: " + why + "; ending the program\n");
        QCOMPARE(contents("log"), QByteArray("ready\nchild\nprogram\n"));
        QCOMPARE(isFree(), taker.isEmpty());
        QVERIFY((*server)({"PTTL", "k"}).toInteger() < 0);
    }

    void serverThatStops_losesTheLockBeforeItsLeaseEnds()
    {
        QProcess process;
        start(process, "token k --lease 6s", "trap 'touch told; exit 0' TERM; : > ready; loop");
        LATCHKEY_AWAIT(QFile::exists(path("ready")));
        // A new lease, so that the stop is certainly within it.
        QVERIFY((*server)({"PEXPIRE", "k", "6000"}).isInteger(1));
        const qint64 stopped = (*server)({"PTTL", "k"}).toInteger();
        QElapsedTimer sinceStopped;
        sinceStopped.start();
        ::kill(static_cast<pid_t>(server->process().processId()), SIGSTOP);
        LATCHKEY_AWAIT(QFile::exists(path("told")));
        const qint64 left = stopped - sinceStopped.elapsed();
        QVERIFY2(left > 500, qPrintable(QStringLiteral("%1 ms are left to end the program").arg(left)));
        const Outcome outcome = finish(process);
        ::kill(static_cast<pid_t>(server->process().processId()), SIGCONT);
        QCOMPARE(outcome.exitCode, 4);
        QVERIFY2(outcome.errors.startsWith("latchkey-cli: run token \"k\": the lock is about to be lost: its lease "
                                           "could not be renewed ("),
                 outcome.errors.constData());
        QCOMPARE(ourErrors(outcome).count('\n'), 1);
    }

    void serverThatGoesAway_losesTheLockAtTheSecondTry()
    {
        QProcess process;
        start(process, "token k --lease 12s", "trap 'touch told; exit 0' TERM; : > ready; loop");
        LATCHKEY_AWAIT(QFile::exists(path("ready")));
        QElapsedTimer sinceGone;
        sinceGone.start();
        server->kill();
        LATCHKEY_AWAIT(QFile::exists(path("told")));
        QVERIFY2(sinceGone.elapsed() < 8000, "half of the lease, and not two thirds");
        const Outcome outcome = finish(process);
        QCOMPARE(outcome.exitCode, 4);
        QVERIFY(QFile::exists(path("told")));
        QVERIFY2(outcome.errors.contains("could not be renewed (cannot connect to unix://"),
                 outcome.errors.constData());
        QCOMPARE(ourErrors(outcome).count('\n'), 1);
    }

    void severalServers_areEachRenewedAndAMinorityMayGo()
    {
        test::TestServer second;
        test::TestServer third;
        const QByteArray urls = "--url " + server->url().toUtf8() + " --url " + second.url().toUtf8() + " --url "
                              + third.url().toUtf8() + " redlock k --lease 2s";
        QProcess process;
        start(process, urls.constData(), "trap ': > told; exit 0' TERM; : > ready; loop");
        LATCHKEY_AWAIT(QFile::exists(path("ready")));
        third.kill();
        bool wasFree = false;
        QElapsedTimer timer;
        timer.start();
        LATCHKEY_AWAIT((wasFree = wasFree || isFree() || second({"EXISTS", "k"}).isInteger(0), timer.elapsed() > 6000));
        QVERIFY(!wasFree);
        QVERIFY(!QFile::exists(path("told")));
        second.kill();
        const Outcome outcome = finish(process);
        QCOMPARE(outcome.exitCode, 4);
        QVERIFY(QFile::exists(path("told")));
        QVERIFY2(ourErrors(outcome).contains("could not be renewed ("), outcome.errors.constData());
        QVERIFY2(isFree(), "what a minority still had was given back");
    }

    void lostConnection_isReplacedInTime()
    {
        QProcess process;
        start(process, "token k --lease 3s", "wait_for end");
        LATCHKEY_AWAIT(!isFree());
        // Once between two renewals: a hold that loses its connection at both attempts is rightly given up.
        for (int killed = 0; killed < 5; ++killed) {
            QVERIFY(!(*server)({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"}).isInteger(0));
            qint64 before = 0;
            qint64 left = (*server)({"PTTL", "k"}).toInteger();
            LATCHKEY_AWAIT((before = left, left = (*server)({"PTTL", "k"}).toInteger(), left > before || left < 0));
            QVERIFY2(left > 0, "the lock is gone: nobody has renewed it");
        }
        touch("end");
        const Outcome outcome = finish(process);
        QVERIFY2(outcome.errors.isEmpty(), outcome.errors.constData());
        QCOMPARE(outcome.exitCode, 0);
        QVERIFY(isFree());
    }

    void leaseThatCannotBeExtended_isTheProgramsTimeAndNoOtherLockIsFreed()
    {
        QProcess process;
        start(process, "auto-release k --lease 2s", "trap 'wait_for end; exit 0' TERM; : > ready; loop");
        LATCHKEY_AWAIT(QFile::exists(path("ready")));
        LATCHKEY_AWAIT(isFree());
        QVERIFY((*server)({"SET", "k", "other"}).isOk());
        touch("end");
        const Outcome outcome = finish(process);
        QCOMPARE(outcome.exitCode, 4);
        QCOMPARE(ourErrors(outcome),
                 QByteArray("latchkey-cli: run auto-release \"k\": the lock was lost: its lease has ended, and the "
                            "recipe auto-release cannot extend it; ending the program\n"));
        QVERIFY((*server)({"GET", "k"}).isBulk("other"));
    }

    void programThatIgnoresSigterm_isKilledAfterTheGrace()
    {
        QProcess process;
        start(process, "renewing k --lease 2s --kill-after 200ms", "trap '' TERM; echo $$ > pid; loop");
        LATCHKEY_AWAIT(contents("pid").endsWith('\n'));
        QVERIFY((*server)({"DEL", "k"}).isInteger(1));
        QCOMPARE(finish(process).exitCode, 4);
        QVERIFY(!test::isAlive(contents("pid").trimmed().toInt()));
    }

    void childThatOutlivesTheProgram_isKilledAfterTheGraceToo()
    {
        QProcess process;
        start(process, "renewing k --lease 2s --kill-after 200ms",
              "sh -c 'trap \"\" TERM; echo $$ > pid; while :; do read x <&3; done' & wait_for pid; loop");
        LATCHKEY_AWAIT(contents("pid").endsWith('\n'));
        QVERIFY((*server)({"DEL", "k"}).isInteger(1));
        QCOMPARE(finish(process).exitCode, 4);
        LATCHKEY_AWAIT(!test::isAlive(contents("pid").trimmed().toInt()));
    }

    void childThatTidiesUp_hasTheGraceForIt()
    {
        QProcess process;
        start(process, "renewing k --lease 2s --kill-after 1h",
              "sh -c 'trap \"touch told; while [ ! -e end ]; do sleep 0.01; done; touch tidy; exit\" TERM; : > ready; "
              "while :; do read x <&3; done' & wait_for ready; loop");
        LATCHKEY_AWAIT(QFile::exists(path("ready")));
        QVERIFY((*server)({"DEL", "k"}).isInteger(1));
        LATCHKEY_AWAIT(QFile::exists(path("told")));
        QCOMPARE(process.state(), QProcess::Running);
        touch("end");
        QCOMPARE(finish(process).exitCode, 4);
        QVERIFY(QFile::exists(path("tidy")));
    }

    void stoppedPastItsLease_learnsThatTheLockIsLost()
    {
        QProcess process;
        start(process, "renewing k --lease 2s", "trap 'touch told; exit 0' TERM; : > ready; loop");
        LATCHKEY_AWAIT(QFile::exists(path("ready")));
        send(process, SIGSTOP);
        LATCHKEY_AWAIT(isFree());
        QVERIFY((*server)({"SET", "k", "other"}).isOk());
        send(process, SIGCONT);
        const Outcome outcome = finish(process);
        QCOMPARE(outcome.exitCode, 4);
        QVERIFY(QFile::exists(path("told")));
        QVERIFY2(outcome.errors.contains("the lock was lost: its lease "), outcome.errors.constData());
        QVERIFY((*server)({"GET", "k"}).isBulk("other"));
    }

    /// A `run` command that was stopped past the lease does not know when its program ended. It does know that the
    /// program ended without a signal.
    void exitedProgram_countsEvenAfterItsLease_data()
    {
        QTest::addColumn<QByteArray>("words");
        QTest::addColumn<QByteArray>("known");
        QTest::addRow("renewed") << QByteArray("renewing k --lease 2s")
                                 << QByteArray("its lease has ended, and another client holds the lock");
        QTest::addRow("watched") << QByteArray("auto-release k --lease 2s")
                                 << QByteArray("its lease has ended, and another client may hold it");
    }
    void exitedProgram_countsEvenAfterItsLease()
    {
        QFETCH(QByteArray, words);
        QFETCH(QByteArray, known);
        QProcess process;
        start(process, words.constData(), "echo $$ > pid; wait_for end; exit 5");
        LATCHKEY_AWAIT(contents("pid").endsWith('\n'));
        send(process, SIGSTOP);
        touch("end");
        LATCHKEY_AWAIT(!test::isAlive(contents("pid").trimmed().toInt()));
        LATCHKEY_AWAIT(isFree());
        QVERIFY((*server)({"SET", "k", "other"}).isOk());
        send(process, SIGCONT);
        const Outcome outcome = finish(process);
        QCOMPARE(outcome.exitCode, 5);
        QCOMPARE(ourErrors(outcome), "latchkey-cli: run " + words.left(words.indexOf(' '))
                                         + " \"k\": the program has ended, but its lock could not be released: " + known
                                         + '\n');
        QVERIFY((*server)({"GET", "k"}).isBulk("other"));
    }

    void failedRelease_isReportedAndTheExitCodeStays()
    {
        const Outcome deleted = run("token k", "\"" LATCHKEY_CLI "\" release token k >/dev/null; exit 5");
        QCOMPARE(deleted.exitCode, 5);
        QCOMPARE(deleted.errors, QByteArray("latchkey-cli: run token \"k\": the program has ended, but its lock could "
                                            "not be released: it was lost before, and the lock no longer exists\n"));

        QProcess process;
        start(process, "basic k", "touch ready; wait_for end; exit 6");
        LATCHKEY_AWAIT(QFile::exists(path("ready")));
        server->kill();
        touch("end");
        const Outcome unreachable = finish(process);
        QCOMPARE(unreachable.exitCode, 6);
        QVERIFY2(unreachable.errors.startsWith("latchkey-cli: run basic \"k\": the program has ended, but its lock "
                                               "could not be released: "),
                 unreachable.errors.constData());
        QCOMPARE(unreachable.errors.count('\n'), 1);
    }

    void connectionThatTheServerForgot_doesNotHinderTheRelease()
    {
        QProcess process;
        start(process, "basic k", "touch ready; wait_for end");
        LATCHKEY_AWAIT(QFile::exists(path("ready")));
        QVERIFY((*server)({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"}).isInteger(1));
        QElapsedTimer timer;
        timer.start();
        LATCHKEY_AWAIT(timer.elapsed() > 1100);
        touch("end");
        const Outcome outcome = finish(process);
        QVERIFY2(outcome.errors.isEmpty(), outcome.errors.constData());
        QVERIFY(isFree());
    }

    // The terminal

    void programThatReadsTheTerminal_isGivenIt()
    {
        LATCHKEY_NEEDS_TERMINAL();
        test::PseudoTerminal terminal;
        terminal.start(environment, folder->path(), QStringLiteral(LATCHKEY_CLI),
                       arguments("token k", "read x; echo \"got:$x\"; exit 3"));
        LATCHKEY_AWAIT(!isFree());
        terminal.type("hello\n");
        LATCHKEY_AWAIT(terminal.output().contains("got:hello"));
        LATCHKEY_AWAIT(terminal.process().state() == QProcess::NotRunning);
        QCOMPARE(terminal.process().exitCode(), 3);
    }

    void controlC_endsTheProgram_data()
    {
        QTest::addColumn<QByteArray>("script");
        QTest::addRow("not reading") << QByteArray(": > ready; loop");
        QTest::addRow("reading") << QByteArray("stty -echo; read x; echo reading; exec cat");
    }
    void controlC_endsTheProgram()
    {
        QFETCH(QByteArray, script);
        LATCHKEY_NEEDS_TERMINAL();
        test::PseudoTerminal terminal;
        terminal.start(environment, folder->path(), QStringLiteral(LATCHKEY_CLI), arguments("token k", script));
        if (script.contains("cat")) {
            terminal.type("line\n");
            LATCHKEY_AWAIT(terminal.output().contains("reading"));
            terminal.type("said by cat alone\n");
            LATCHKEY_AWAIT(terminal.output().contains("alone"));
        } else {
            LATCHKEY_AWAIT(QFile::exists(path("ready")));
        }
        terminal.type("\x03");
        LATCHKEY_AWAIT(terminal.process().state() == QProcess::NotRunning);
        QCOMPARE(terminal.process().exitCode(), 128 + SIGINT);
        QVERIFY(isFree());
    }

    void terminal_isBackWhenTheProgramHasEnded()
    {
        LATCHKEY_NEEDS_TERMINAL();
        test::PseudoTerminal terminal;
        terminal.start(
            environment, folder->path(), QStringLiteral("sh"),
            {QStringLiteral("-c"),
             QStringLiteral("\"$0\" run token k -- sh -c 'read x; echo \"got:$x\"'; read y; echo \"then:$y\""),
             QStringLiteral(LATCHKEY_CLI)});
        terminal.type("one\n");
        LATCHKEY_AWAIT(terminal.output().contains("got:one"));
        terminal.type("two\n");
        LATCHKEY_AWAIT(terminal.output().contains("then:two"));
    }

    void pipeline_leavesTheTerminalToWhoReadsIt()
    {
        LATCHKEY_NEEDS_TERMINAL();
        test::PseudoTerminal terminal;
        terminal.startShell(environment, folder->path());
        terminal.type("\"" LATCHKEY_CLI "\" run token k -- sh -c 'echo page; touch ready; while [ ! -e end ]; do sleep "
                      "0.01; done' | sh -c 'read page; read key </dev/tty; echo \"pager:$page:$key\"; touch end'\n");
        LATCHKEY_AWAIT(QFile::exists(path("ready")));
        terminal.type("q\n");
        LATCHKEY_AWAIT(terminal.output().contains("pager:page:q"));
    }

    void controlZ_stopsTheJobAndFgContinuesIt()
    {
        LATCHKEY_NEEDS_TERMINAL();
        test::PseudoTerminal terminal;
        terminal.startShell(environment, folder->path());
        terminal.type("\"" LATCHKEY_CLI
                      "\" run token k --lease 1h -- sh -c 'while read x; do echo \"got:$x\"; done'\n");
        LATCHKEY_AWAIT(!isFree());
        terminal.type("one\n");
        LATCHKEY_AWAIT(terminal.output().contains("got:one"));
        terminal.type("\x1a");
        LATCHKEY_AWAIT(terminal.output().contains("Stopped"));
        terminal.type("echo shell:$((6*7))\n");
        LATCHKEY_AWAIT(terminal.output().contains("shell:42"));
        QVERIFY(!isFree());
        terminal.type("fg; echo code:$?\n");
        terminal.type("two\n");
        LATCHKEY_AWAIT(terminal.output().contains("got:two"));
        terminal.type("\x04");
        LATCHKEY_AWAIT(terminal.output().contains("code:0"));
        QVERIFY(isFree());
    }

    void controlZ_stopsAProgramThatNeverReads()
    {
        LATCHKEY_NEEDS_TERMINAL();
        test::PseudoTerminal terminal;
        terminal.startShell(environment, folder->path());
        terminal.type("\"" LATCHKEY_CLI
                      "\" run token k --lease 1h -- sh -c 'mkfifo end; exec 3<>end; : > ready; read x <&3'\n");
        LATCHKEY_AWAIT(QFile::exists(path("ready")));
        terminal.type("\x1a");
        LATCHKEY_AWAIT(terminal.output().contains("Stopped"));
        QFile end(path("end"));
        QVERIFY(end.open(QIODevice::WriteOnly | QIODevice::Unbuffered));
        QCOMPARE(end.write("\n"), qint64(1));
        terminal.type("echo shell:$((6*7))\n");
        LATCHKEY_AWAIT(terminal.output().contains("shell:42"));
        QVERIFY2(!isFree(), "the program is stopped and has not ended");
        terminal.type("bg\n");
        LATCHKEY_AWAIT(isFree());
    }

    void stopPastTheLease_losesTheLockAndEndsTheProgram()
    {
        LATCHKEY_NEEDS_TERMINAL();
        test::PseudoTerminal terminal;
        terminal.startShell(environment, folder->path());
        terminal.type("\"" LATCHKEY_CLI
                      "\" run token k --lease 2s -- sh -c 'while read x; do echo \"got:$x\"; done'\n");
        LATCHKEY_AWAIT(!isFree());
        terminal.type("one\n");
        LATCHKEY_AWAIT(terminal.output().contains("got:one"));
        terminal.type("\x1a");
        LATCHKEY_AWAIT(terminal.output().contains("Stopped"));
        LATCHKEY_AWAIT(isFree());
        terminal.type("fg; echo code:$?\n");
        LATCHKEY_AWAIT(terminal.output().contains("the lock was lost"));
        LATCHKEY_AWAIT(terminal.output().contains("code:4"));
    }

    void terminalThatStopsItsBackgroundWriters_doesNotStopUs()
    {
        LATCHKEY_NEEDS_TERMINAL();
        test::PseudoTerminal terminal;
        terminal.startShell(environment, folder->path());
        terminal.type("stty tostop\n\"" LATCHKEY_CLI
                      "\" run token k --lease 2s -- sh -c 'while read x; do echo \"got:$x\"; done'; echo code:$?\n");
        LATCHKEY_AWAIT(!isFree());
        terminal.type("one\n");
        LATCHKEY_AWAIT(terminal.output().contains("got:one"));
        QVERIFY((*server)({"DEL", "k"}).isInteger(1));
        LATCHKEY_AWAIT(terminal.output().contains("the lock was lost"));
        LATCHKEY_AWAIT(terminal.output().contains("code:4"));
    }

    void readerInTheBackground_waitsForItsShell()
    {
        LATCHKEY_NEEDS_TERMINAL();
        test::PseudoTerminal terminal;
        terminal.startShell(environment, folder->path());
        terminal.type("\"" LATCHKEY_CLI
                      "\" run token k --lease 1h -- sh -c 'touch ready; read x; echo \"got:$x\"' &\n");
        LATCHKEY_AWAIT(QFile::exists(path("ready")));
        LATCHKEY_AWAIT((terminal.type("jobs\n"), QTest::qWait(20), terminal.output().contains("Stopped")));
        terminal.type("fg\n");
        terminal.type("hello\n");
        LATCHKEY_AWAIT(terminal.output().contains("got:hello"));
        LATCHKEY_AWAIT(isFree());
    }

    void readerThatCannotBeBroughtToTheForeground_isReportedAndDoesNotHoldTheLockForever()
    {
        LATCHKEY_NEEDS_TERMINAL();
        test::PseudoTerminal terminal;
        terminal.startShell(environment, folder->path());
        terminal.type("(\"" LATCHKEY_CLI
                      "\" run token k --lease 1h -- sh -c 'touch ready; read x </dev/tty && touch read' &)\n");
        LATCHKEY_AWAIT(QFile::exists(path("ready")));
        LATCHKEY_AWAIT(isFree());
        QVERIFY(!QFile::exists(path("read")));
    }
};

LATCHKEY_TEST(TestRun)

} // namespace tst_run

#include "tst_run.moc"
