#include "core/foundation/process/child.h"
#include "tests/support/await.h"
#include "tests/support/childprocesses.h"
#include "tests/support/testprogram.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <csignal>
#include <thread>
#include <unistd.h>

namespace tst_child {

using namespace latchkey;
using process::Child;
using process::Launch;

namespace {

/// Returns a launch of a shell script with piped output.
Launch script(const QByteArray &text)
{
    Launch launch;
    launch.words = {"sh", "-c", text};
    launch.output = Launch::Channel::Piped;
    return launch;
}

} // namespace

/// Tests of the launcher with real programs.
class TestChild final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void input_endsAfterTheWrittenBytes()
    {
        Launch launch = script("wc -c"); // Ends only with its input.
        launch.input = Launch::Channel::Piped;
        Child child;
        QVERIFY(child.start(launch));
        child.write(QByteArray(1'000'000, 'x')); // More than a pipe holds.
        child.endInput();
        child.write("discarded");
        LATCHKEY_AWAIT(!child.isRunning());
        QCOMPARE(child.output().trimmed(), QByteArray("1000000"));
    }
    void preExecHook_runsInTheChild()
    {
        Launch launch = script("pwd");
        launch.preExecHook = [] { return ::chdir("/proc") == 0; };
        Child child;
        QVERIFY(child.start(launch));
        LATCHKEY_AWAIT(!child.isRunning());
        QCOMPARE(child.output(), QByteArray("/proc\n"));
        QVERIFY(QDir::currentPath() != u"/proc");
    }
    void failedPreExecHook_isReported()
    {
        Launch launch = script("true");
        launch.preExecHook = [] { return ::chdir("/nonexistent") == 0; };
        const auto started = Child().start(launch);
        QVERIFY(!started);
        QCOMPARE(started.error().value(), ENOENT);
    }
    void descriptor_isInheritedOnRequest_data()
    {
        QTest::addColumn<bool>("isSaid");
        QTest::addColumn<QByteArray>("output");
        QTest::addRow("said") << true << QByteArray("yes\n");
        QTest::addRow("not said") << false << QByteArray("no\n");
    }
    void descriptor_isInheritedOnRequest()
    {
        QFETCH(bool, isSaid);
        QFile file(QStringLiteral("/dev/null")); // Qt opens the file with close-on-exec.
        QVERIFY(file.open(QIODevice::ReadOnly));
        Launch launch =
            script("test -e /proc/self/fd/" + QByteArray::number(file.handle()) + " && echo yes || echo no");
        if (isSaid)
            launch.inherited += file.handle();
        Child child;
        QVERIFY(child.start(launch));
        LATCHKEY_AWAIT(child.hasOutputEnded());
        QTEST(child.output(), "output");
    }

    void exitCode_isAsShellsHaveIt_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("code");
        QTest::addRow("success") << QByteArray("true") << 0;
        QTest::addRow("failure") << QByteArray("exit 7") << 7;
        QTest::addRow("signal") << QByteArray("kill -KILL $$") << 128 + SIGKILL;
    }
    void exitCode_isAsShellsHaveIt()
    {
        QFETCH(QByteArray, text);
        QFETCH(int, code);
        Child child;
        QSignalSpy ended(&child, &Child::ended);
        QVERIFY(child.start(script(text)));
        QVERIFY(child.isRunning());
        LATCHKEY_AWAIT(ended.size() == 1);
        QCOMPARE(ended[0][0].toInt(), code);
        QCOMPARE(child.exitCode(), code);
        QVERIFY(!child.isRunning());
    }

    void programThatCannotRun_isReportedAtOnce_data()
    {
        QTest::addColumn<QByteArray>("program");
        QTest::addColumn<int>("error");
        QTest::addRow("missing") << QByteArray("/nonexistent/program") << ENOENT;
        QTest::addRow("not in PATH") << QByteArray("no-such-program-anywhere") << ENOENT;
        QTest::addRow("not executable") << QByteArray("/etc/passwd") << EACCES;
    }
    void programThatCannotRun_isReportedAtOnce()
    {
        QFETCH(QByteArray, program);
        QFETCH(int, error);
        Child child;
        Launch launch;
        launch.words = {program};
        const auto started = child.start(launch);
        QVERIFY(!started);
        QCOMPARE(started.error(), std::error_code(error, std::generic_category()));
        QVERIFY(!child.isRunning());
    }

    void wordsAndEnvironment_arriveByteForByte()
    {
        qputenv("LATCHKEY_TEST_GOES", "there");
        Child child;
        Launch launch = script(R"(printf '%s|' "$1" "$2" "$LATCHKEY_TEST_NEW" "${LATCHKEY_TEST_GOES-gone}" "$HOME")");
        launch.words += {"sh", "a\xff b", ""};
        launch.environment = {{"LATCHKEY_TEST_NEW", "c\xfe=d"}, {"LATCHKEY_TEST_GOES", std::nullopt}};
        QVERIFY(child.start(launch));
        LATCHKEY_AWAIT(!child.isRunning());
        QCOMPARE(child.output(), "a\xff b||c\xfe=d|gone|" + qgetenv("HOME") + '|');
        QCOMPARE(qgetenv("LATCHKEY_TEST_GOES"), QByteArray("there"));
        qunsetenv("LATCHKEY_TEST_GOES");
    }

    void folder_isWhereItStarts()
    {
        const QTemporaryDir folder;
        Launch launch = script("pwd -P");
        launch.folder = QFile::encodeName(folder.path());
        Child child;
        QVERIFY(child.start(launch));
        LATCHKEY_AWAIT(child.hasOutputEnded());
        QCOMPARE(QFile::decodeName(child.output()).trimmed(), QFileInfo(folder.path()).canonicalFilePath());
        launch.folder += "/none";
        Child nowhere;
        QCOMPARE(nowhere.start(launch).error(), std::errc::no_such_file_or_directory);
    }

    void channels_leadWhereTheySay()
    {
        Child merged;
        Launch launch = script("cat; echo out; echo err >&2");
        launch.input = Launch::Channel::Nothing;
        launch.errors = Launch::Errors::WithOutput;
        QVERIFY(merged.start(launch));
        LATCHKEY_AWAIT(!merged.isRunning());
        QCOMPARE(merged.output(), QByteArray("out\nerr\n"));
        QVERIFY(merged.hasOutputEnded());

        Child cat;
        launch = script("cat");
        launch.input = Launch::Channel::Piped;
        QVERIFY(cat.start(launch));
        const QByteArray much(1'000'000, 'x'); // More than a pipe's buffer holds.
        cat.write(much);
        LATCHKEY_AWAIT(cat.output().size() == much.size());
        QCOMPARE(cat.takeOutput(), much);
    }

    /// A program that closes its output continues to run. Its children may keep the output open after the program's
    /// end.
    void endOfTheOutput_isNotTheEndOfTheProgram()
    {
        Child silent;
        QSignalSpy silentEnded(&silent, &Child::ended);
        Launch launch = script("echo v; exec >&-; read x; exit 3");
        launch.input = Launch::Channel::Piped;
        QVERIFY(silent.start(launch));
        LATCHKEY_AWAIT(silent.hasOutputEnded());
        QCOMPARE(silent.output(), QByteArray("v\n"));
        QVERIFY(silent.isRunning());
        silent.write("go\n");
        LATCHKEY_AWAIT(silentEnded.size() == 1);
        QCOMPARE(silent.exitCode(), 3);

        Child parent;
        launch = script("sh -c 'echo $$; exec sleep 60' & read x; exit 4");
        launch.input = Launch::Channel::Piped;
        launch.hasOwnGroup = true;
        QVERIFY(parent.start(launch));
        LATCHKEY_AWAIT(parent.output().endsWith('\n'));
        parent.write("go\n");
        LATCHKEY_AWAIT(!parent.isRunning());
        QVERIFY(!parent.hasOutputEnded());
        QVERIFY(!parent.isGroupGone());
        parent.signal(SIGKILL);
        LATCHKEY_AWAIT(parent.hasOutputEnded());
    }

    void signals_reachTheGroupOrTheProgramAlone_data()
    {
        QTest::addColumn<bool>("hasOwnGroup");
        QTest::addRow("the group") << true;
        QTest::addRow("the program") << false;
    }
    void signals_reachTheGroupOrTheProgramAlone()
    {
        QFETCH(bool, hasOwnGroup);
        Child child;
        Launch launch = script("trap 'exit 5' TERM; sh -c 'echo $$; exec sleep 60' & wait");
        launch.hasOwnGroup = hasOwnGroup;
        QVERIFY(child.start(launch));
        LATCHKEY_AWAIT(child.output().endsWith('\n'));
        const pid_t sleeper = child.takeOutput().trimmed().toInt();
        child.signal(SIGTERM);
        LATCHKEY_AWAIT(!child.isRunning());
        QCOMPARE(child.exitCode(), 5);
        if (hasOwnGroup) {
            LATCHKEY_AWAIT(!test::isAlive(sleeper));
        } else {
            QVERIFY(test::isAlive(sleeper));
            ::kill(sleeper, SIGKILL);
        }
    }

    /// Ctrl-C in a terminal signals the process group of the terminal. The signal does not reach the child, not even
    /// during its start.
    void signalsOfOurGroup_areNoneOfTheChilds()
    {
        const pid_t groupBefore = ::getpgrp();
        QCOMPARE(::setpgid(0, 0), 0); // The process that runs this test must not receive the signals.
        const auto handlerBefore = std::signal(SIGINT, [](int) {});
        std::atomic<bool> isOver = false;
        std::thread terminal([&isOver] {
            while (!isOver) {
                ::kill(0, SIGINT);
                std::this_thread::yield();
            }
        });
        int hit = 0;
        for (int i = 0; i < 200; ++i) {
            Launch launch;
            launch.words = {"true"};
            launch.hasOwnGroup = true;
            Child child;
            if (!child.start(launch) || !test::waitFor([&] { return !child.isRunning(); }) || child.exitCode() != 0)
                ++hit;
        }
        isOver = true;
        terminal.join();
        std::signal(SIGINT, handlerBefore);
        QCOMPARE(::setpgid(0, groupBefore), 0);
        QCOMPARE(hit, 0);
    }

    void stoppedProgram_isReportedAtEachCheck()
    {
        Child child;
        QSignalSpy stopped(&child, &Child::stopped);
        QVERIFY(child.start(script("kill -STOP $$; exit 6")));
        LATCHKEY_AWAIT((child.check(), stopped.size() == 1));
        QCOMPARE(stopped[0][0].toInt(), SIGSTOP);
        QVERIFY(child.isRunning());
        child.signal(SIGCONT);
        LATCHKEY_AWAIT(!child.isRunning());
        QCOMPARE(child.exitCode(), 6);
    }

    void destroying_endsTheProgramAlsoAStoppedOne()
    {
        auto child = std::make_unique<Child>();
        QVERIFY(child->start(script("echo $$; kill -STOP $$")));
        LATCHKEY_AWAIT(child->output().endsWith('\n'));
        const pid_t process = child->takeOutput().trimmed().toInt();
        QVERIFY(test::isAlive(process));
        child.reset();
        QVERIFY(!test::isAlive(process));
    }

    void writingToAnEndedProgram_isNoTrouble()
    {
        Child child;
        Launch launch = script("exec <&-; echo closed; sleep 60");
        launch.input = Launch::Channel::Piped;
        launch.hasOwnGroup = true;
        QVERIFY(child.start(launch));
        LATCHKEY_AWAIT(child.output().endsWith('\n'));
        child.write("nobody reads this\n");
        QVERIFY(child.isRunning());

        Child next; // The signal setting does not affect later children.
        QVERIFY(next.start(script("grep SigIgn /proc/self/status")));
        LATCHKEY_AWAIT(!next.isRunning());
        const quint64 ignored = next.output().trimmed().split('\t').last().toULongLong(nullptr, 16);
        QVERIFY2((ignored & (1ULL << (SIGPIPE - 1))) == 0, next.output().constData());
    }
};

LATCHKEY_TEST(TestChild)

} // namespace tst_child

#include "tst_child.moc"
