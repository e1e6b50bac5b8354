#include "tests/explore/shim/programclockfixture.h"
#include "tests/support/testprogram.h"

#include <QTemporaryDir>

#include <csignal>

namespace tst_programclock {

using namespace latchkey;
using namespace std::chrono_literals;
using process::Launch;
using shim::ProgramClock;
using test::LinePrinterProcess;
using test::ProgramClockFixture;

namespace {

/// Prints both clocks for each line of input.
constexpr auto teller = "import sys, time\n"
                        "for line in sys.stdin:\n"
                        "    print(int(time.time()), int(time.monotonic()))\n";

Launch listening(Launch launch)
{
    launch.input = Launch::Channel::Piped;
    return launch;
}

QByteArray ask(LinePrinterProcess &speaker)
{
    speaker.child.write("\n");
    return speaker.line();
}

} // namespace

/// Tests what real programs see of a virtual clock.
class TestProgramClock final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void clocks_standStillUntilTheyAreMoved()
    {
        const ProgramClockFixture fixture;
        LinePrinterProcess program;
        program.start(listening(fixture.python(teller)));
        QCOMPARE(ask(program), "1000000000 18000");
        QCOMPARE(ask(program), "1000000000 18000");
        fixture.advanceClock(90min);
        QCOMPARE(ask(program), "1000005400 23400");
        fixture.clock->moveTo(fixture.clock->now() - 1h);
        QCOMPARE(ask(program), "1000005400 23400");
        QCOMPARE(fixture.clock->wallNow(), ProgramClockFixture::date + 90min);
        QVERIFY(fixture.clock->usesOnlyVirtualClock(program.child.id()));
    }

    /// Programs can signal and await their own processes by the shown IDs.
    void shownIds_areAccepted()
    {
        constexpr auto program = "import os, threading\n"
                                 "os.kill(os.getpid(), 0)\n"
                                 "os.kill(os.getppid(), 0)\n"
                                 "ends, begins = os.pipe()\n"
                                 "child = os.fork()\n"
                                 "if child == 0:\n"
                                 "    os.write(begins, b'%d %d' % (os.getpid(), os.getppid()))\n"
                                 "    os._exit(3)\n"
                                 "shown, parent = map(int, os.read(ends, 99).split())\n"
                                 "os.kill(shown, 0)\n"
                                 "own = os.getpid()\n"
                                 "print(own, shown, parent == own, os.waitpid(shown, 0)[1] >> 8,\n"
                                 "      threading.get_native_id() == own)\n";
        const ProgramClockFixture fixture;
        fixture.clock->showIds(5, true);
        LinePrinterProcess process;
        process.start(fixture.python(program));
        QCOMPARE(process.line(), QByteArray::number(shim::shownId(5, true)) + ' '
                                     + QByteArray::number(shim::shownId(6, true)) + " True 3 True");
        QVERIFY(!fixture.clock->hasSoughtProcess());
    }

    void idOfAnotherClient_isDetected()
    {
        const ProgramClockFixture fixture;
        fixture.clock->showIds(5, true);
        LinePrinterProcess process;
        process.start(fixture.python("import os\n"
                                     "try:\n"
                                     "    os.kill("
                                     + QByteArray::number(shim::shownId(9, false))
                                     + ", 0)\n"
                                       "except ProcessLookupError:\n"
                                       "    print('absent')\n"));
        QCOMPARE(process.line(), "absent");
        QVERIFY(fixture.clock->hasSoughtProcess());
    }

    void shownIds_differInEachDigit()
    {
        for (std::uint32_t n = 0; n < 1000; ++n) {
            const auto one = QByteArray::number(shim::shownId(n, false));
            const auto other = QByteArray::number(shim::shownId(n + 1, true));
            QCOMPARE(one.size(), other.size());
            for (qsizetype i = 1; i < one.size(); ++i)
                QVERIFY(one[i] != other[i]);
        }
    }

    void withoutTheLibrary_theMachinesClocksAreSeenAndThatIsKnown_data()
    {
        QTest::addColumn<QByteArray>("removed");
        QTest::addRow("not preloaded") << QByteArray("LD_PRELOAD");
        QTest::addRow("does not know the page") << QByteArray(shim::variableName);
    }
    void withoutTheLibrary_theMachinesClocksAreSeenAndThatIsKnown()
    {
        QFETCH(QByteArray, removed);
        const ProgramClockFixture fixture;
        Launch launch = listening(fixture.python(teller));
        for (Launch::Variable &variable : launch.environment) {
            if (variable.name == removed)
                variable.value.reset();
        }
        LinePrinterProcess program;
        program.start(launch);
        QVERIFY(ask(program).toLongLong() != 1'000'000'000);
        QVERIFY(!ask(program).startsWith("1000000000 "));
        QVERIFY(!fixture.clock->usesOnlyVirtualClock(program.child.id()));
        QVERIFY(fixture.clock->processes(fixture.client).empty());
    }

    void programThatGoesRoundTheLibrary_isNotUnderControl_data()
    {
        QTest::addColumn<QByteArray>("path");
        QTest::addRow("static") << QByteArray(CLOCK_STATIC);
        QTest::addRow("of Go") << QByteArray(CLOCK_NOTED);
    }
    void programThatGoesRoundTheLibrary_isNotUnderControl()
    {
        QFETCH(QByteArray, path);
        const ProgramClockFixture fixture;
        LinePrinterProcess program;
        program.start(listening(fixture.launch({path})));
        QVERIFY(program.line().toLongLong() > 1'700'000'000);
        QVERIFY(!fixture.clock->usesOnlyVirtualClock(program.child.id()));
    }

    void programThatBecomesAStaticOne_isNotUnderControlAnyMore()
    {
        const ProgramClockFixture fixture;
        LinePrinterProcess program;
        program.start(listening(fixture.python("import os, sys\n"
                                               "print('ready')\n"
                                               "sys.stdin.readline()\n"
                                               "os.execv('" CLOCK_STATIC "', ['clock-static'])\n")));
        QCOMPARE(program.line(), "ready");
        QVERIFY(fixture.clock->usesOnlyVirtualClock(program.child.id()));
        QVERIFY(ask(program).toLongLong() > 1'700'000'000);
        QVERIFY(!fixture.clock->usesOnlyVirtualClock(program.child.id()));
        QVERIFY(fixture.clock->processes(fixture.client).empty());
    }

    void childProcesses_useTheVirtualClock_data()
    {
        QTest::addColumn<QByteArray>("how");
        QTest::addRow("fork") << QByteArray("if os.fork() == 0: tell(); time.sleep(3600)\n");
        QTest::addRow("exec, all descriptors closed")
            << QByteArray("subprocess.Popen([sys.executable, '-u', '-c', '''import os, time\n"
                          "print(os.getpid(), int(time.time()))\n"
                          "time.sleep(3600)'''], close_fds=True)\n");
        QTest::addRow("exec, descriptors inherited")
            << QByteArray("subprocess.Popen([sys.executable, '-u', '-c', '''import os, time\n"
                          "print(os.getpid(), int(time.time()))\n"
                          "time.sleep(3600)'''], close_fds=False)\n");
    }
    void childProcesses_useTheVirtualClock()
    {
        QFETCH(QByteArray, how);
        const ProgramClockFixture fixture;
        LinePrinterProcess program;
        Launch launch = fixture.python("import os, subprocess, sys, time\n"
                                       "def tell(): print(os.getpid(), int(time.time()))\n"
                                       + how + "time.sleep(3600)\n");
        launch.hasOwnGroup = true; // So that its children end with it.
        program.start(launch);
        const QList<QByteArray> said = program.line().split(' ');
        QCOMPARE(said.value(1), "1000000000");
        const pid_t grandchild = said.value(0).toInt();
        QVERIFY(grandchild > 0 && grandchild != program.child.id());
        QVERIFY(fixture.clock->usesOnlyVirtualClock(grandchild));
        QVERIFY(fixture.hasTimers(2));
        QVERIFY(fixture.clock->nextTimer(grandchild).has_value());
        QCOMPARE(fixture.clock->processes(fixture.client).size(), 2U);
    }

    void inheritedDescriptor_isEnough()
    {
        // As in a user namespace of its own, from which this process's descriptors cannot be seen.
        const ProgramClockFixture fixture;
        Launch launch = listening(fixture.python(teller));
        for (Launch::Variable &variable : launch.environment) {
            if (variable.name == shim::variableName)
                variable.value = "1" + variable.value->sliced(variable.value->indexOf(' '));
        }
        LinePrinterProcess program;
        program.start(launch);
        QCOMPARE(ask(program), "1000000000 18000");
        QVERIFY(fixture.clock->usesOnlyVirtualClock(program.child.id()));
    }

    void readings_tickByThemselvesAndTheSameInEveryRun()
    {
        constexpr auto program = "import time, uuid\n"
                                 "print([time.time_ns() for i in range(3)], [time.monotonic_ns() for i in range(3)])\n"
                                 "print(len({uuid.uuid1() for i in range(1000)}))\n"
                                 "print(len({time.time_ns() for i in range(1000)}))\n";
        QList<QByteArray> first;
        for (int run = 0; run < 2; ++run) {
            const ProgramClockFixture fixture;
            LinePrinterProcess speaker;
            speaker.start(fixture.python(program));
            const QList<QByteArray> said {speaker.line(), speaker.line(), speaker.line()};
            QVERIFY2(said[0].startsWith("[100000000000"), said[0].constData());
            QCOMPARE(said[1], "1000");
            QCOMPARE(said[2], "1000");
            if (run == 0)
                first = said;
            QCOMPARE(said, first);
        }
    }

    void date_isAheadForOneClientAlone()
    {
        const ProgramClockFixture fixture;
        const auto late = fixture.clock->addView({.ahead = -1h, .tick = 0ns});
        LinePrinterProcess program;
        program.start(listening(fixture.launch({test::pythonProgram(), "-u", "-c", teller}, late)));
        QCOMPARE(ask(program), "999996400 18000");
        fixture.clock->setAhead(late, 2h);
        QCOMPARE(ask(program), "1000007200 18000");
        LinePrinterProcess other;
        other.start(listening(fixture.python(teller)));
        QCOMPARE(ask(other), "1000000000 18000");
        QCOMPARE(fixture.clock->processes(late), std::vector<pid_t> {program.child.id()});
    }

    void everyWayToAsk_isAnswered()
    {
        const ProgramClockFixture fixture;
        const auto still = fixture.clock->addView({.tick = 0ns});
        LinePrinterProcess program;
        program.start(fixture.launch({test::pythonProgram(), "-u", "-c",
                                      "import ctypes, time\n"
                                      "c = ctypes.CDLL(None)\n"
                                      "for clock in 0, 1, 4, 5, 6, 7: print(time.clock_gettime_ns(clock))\n"
                                      "two = (ctypes.c_long * 2)()\n"
                                      "c.gettimeofday(two, None); print(*two)\n"
                                      "c.time.restype = ctypes.c_long; print(c.time(None))\n"
                                      "c.timespec_get(two, 1); print(*two)\n"
                                      "c.syscall(228, 1, two); print(*two)\n"
                                      "print(time.process_time_ns() < 60e9)\n"},
                                     still));
        for (const char *expected :
             {"1000000000000000000", "18000000000000", "18000000000000", "1000000000000000000", "18000000000000",
              "18000000000000", "1000000000 0", "1000000000", "1000000000 0", "18000 0", "True"})
            QCOMPARE(program.line(), expected);
    }

    /// Readings that CPython makes without a use do not count.
    void readings_areCounted()
    {
        const ProgramClockFixture fixture;
        LinePrinterProcess program;
        Launch launch = fixture.python("import io, sys, threading, time\n"
                                       "lock = threading.Lock()\n"
                                       "file = io.BytesIO(b'x' * 100000)\n"
                                       "buffered = io.BufferedReader(file)\n"
                                       "print('begun'); input()\n"
                                       "for _ in range(100):\n"
                                       "    with lock: buffered.read(10)\n"
                                       "print('locked'); input()\n"
                                       "for _ in range(3): time.time()\n"
                                       "time.monotonic()\n"
                                       "print('read'); input()\n");
        launch.input = Launch::Channel::Piped;
        program.start(launch);
        std::vector<quint64> counts;
        for (const char *step : {"begun", "locked", "read"}) {
            QCOMPARE(program.line(), step);
            LATCHKEY_AWAIT(test::isAsleep(program.child.id())); // Waiting for input takes one of its locks.
            counts.push_back(fixture.clock->readings(fixture.client));
            program.child.write("\n");
        }
        QCOMPARE(counts[1], counts[0]);
        QCOMPARE(counts[2], counts[1] + 4);
        QCOMPARE(fixture.clock->readings(fixture.clock->addView({})), 0U);
    }

    void killedProcess_leavesNoTimerBehind()
    {
        const ProgramClockFixture fixture;
        LinePrinterProcess program;
        program.start(fixture.python("import time\n"
                                     "time.sleep(3)\n"));
        QVERIFY(fixture.hasTimers(1));
        const pid_t process = program.child.id();
        program.child.kill();
        QVERIFY(fixture.clock->timers().empty());
        QVERIFY(!fixture.clock->nextTimer(process));
        QVERIFY(!fixture.clock->usesOnlyVirtualClock(process));
        fixture.advanceClock(5s); // No thread is woken, and nothing fails.
    }

    void preloadedLibraries_stayPreloaded()
    {
        const ProgramClockFixture fixture;
        Launch launch;
        launch.words = {"sh", "-c", "echo $LD_PRELOAD"};
        launch.environment += Launch::Variable {"LD_PRELOAD", "libm.so.6"};
        fixture.clock->show(fixture.client, launch);
        LinePrinterProcess program;
        program.start(launch);
        QCOMPARE(program.line(), CLOCK_LIBRARY ":libm.so.6");
    }

    void library_bringsNothingIntoAProgram()
    {
        QFile file(QStringLiteral(CLOCK_LIBRARY));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray bytes = file.readAll();
        QVERIFY(bytes.contains("libc.so.6"));
        for (const char *foreign : {"libstdc++", "libgcc_s", "libQt6", "libasan", "libubsan"})
            QVERIFY2(!bytes.contains(foreign), foreign);
    }

    void programWithoutPreload_isReported()
    {
        const QTemporaryDir folder(QDir::tempPath() + QStringLiteral("/latchkey clock XXXXXX"));
        const QString copy = folder.filePath(ProgramClock::libraryName);
        const auto missing = ProgramClock::create(copy, {}, {});
        QVERIFY(!missing);
        QCOMPARE(missing.error().message(), QStringLiteral("there is no file %1").arg(copy));
        QVERIFY(QFile::copy(QStringLiteral(CLOCK_LIBRARY), copy));
        const auto spaced = ProgramClock::create(copy, {}, {});
        QVERIFY(!spaced);
        QCOMPARE(spaced.error().message(),
                 QStringLiteral("%1 cannot be preloaded: its path has a space or a colon in it").arg(copy));
    }
};

LATCHKEY_TEST(TestProgramClock)

} // namespace tst_programclock

#include "tst_programclock.moc"
