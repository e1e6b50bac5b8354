#include "tests/explore/shim/programclockfixture.h"
#include "tests/support/testprogram.h"

#include <QStandardPaths>

#include <csignal>

namespace tst_timedwaits {

using namespace latchkey;
using namespace std::chrono_literals;
using test::LinePrinterProcess;
using test::ProgramClockFixture;

namespace {

QList<QByteArray> waysOfTheWaiter()
{
    LinePrinterProcess speaker;
    process::Launch launch;
    launch.words = {CLOCK_WAITER, "list"};
    speaker.start(launch);
    QList<QByteArray> ways;
    for (QByteArray way = speaker.line(); !way.isEmpty(); way = speaker.line())
        ways += way;
    return ways;
}

} // namespace

/// Tests timed waits of real programs: they end when the clock advances, and at no other time.
class TestTimedWaits final : public QObject
{
    Q_OBJECT

    /// Checks that the program waits for three seconds and then prints the expected line.
    static void waitsForThreeSeconds(const ProgramClockFixture &fixture, LinePrinterProcess &program,
                                     const QByteArray &expected)
    {
        QVERIFY(fixture.hasTimers(1));
        const auto timer = fixture.clock->timers().front();
        QCOMPARE(timer.process, program.child.id());
        const auto off = timer.at - fixture.clock->now() - 3s;
        QVERIFY2(off < 1ms && off > -1ms, qPrintable(QString::number(off.count())));
        LATCHKEY_AWAIT(test::isAsleep(program.child.id()));
        fixture.advanceClock(2900ms);
        LATCHKEY_AWAIT(test::isAsleep(program.child.id()));
        QVERIFY(program.isSilent());
        QCOMPARE(fixture.clock->timers(), std::vector {timer});
        fixture.clock->moveTo(timer.at + 50ms);
        QCOMPARE(program.line(), expected);
    }

private Q_SLOTS:
    void program_data()
    {
        QTest::addColumn<QByteArray>("way");
        const QList<QByteArray> ways = waysOfTheWaiter();
        QVERIFY(ways.size() >= 17);
        for (const QByteArray &way : ways)
            QTest::addRow("%s", way.constData()) << way;
    }
    void program()
    {
        QFETCH(QByteArray, way);
        const ProgramClockFixture fixture;
        LinePrinterProcess program;
        program.start(fixture.launch({CLOCK_WAITER, way}));
        waitsForThreeSeconds(fixture, program,
                             way == "futex" || way == "futex_until"             ? "Connection timed out 3050"
                             : way == "semaphore" || way == "condition_by_date" ? "Connection timed out 3050"
                                                                                : "over 3050");
    }

    void python_data()
    {
        QTest::addColumn<QByteArray>("modules");
        QTest::addColumn<QByteArray>("statement");
        QTest::addRow("sleep") << QByteArray("time") << QByteArray("time.sleep(3)");
        QTest::addRow("Event.wait") << QByteArray("threading, time") << QByteArray("threading.Event().wait(3)");
        QTest::addRow("Lock.acquire") << QByteArray("threading, time")
                                      << QByteArray("lock = threading.Lock(); lock.acquire(); lock.acquire(timeout=3)");
        QTest::addRow("Condition.wait") << QByteArray("threading, time")
                                        << QByteArray("c = threading.Condition(); c.acquire(); c.wait(3)");
        QTest::addRow("select") << QByteArray("os, select, time")
                                << QByteArray("select.select([os.pipe()[0]], [], [], 3)");
        QTest::addRow("poll") << QByteArray("os, select, time")
                              << QByteArray("p = select.poll(); p.register(os.pipe()[0]); p.poll(3000)");
        QTest::addRow("epoll") << QByteArray("select, time") << QByteArray("select.epoll().poll(3)");
        QTest::addRow("socket")
            << QByteArray("socket, time")
            << QByteArray("a, b = socket.socketpair(); a.settimeout(3)\ntry: a.recv(1)\nexcept TimeoutError: pass");
        QTest::addRow("asyncio") << QByteArray("asyncio, time") << QByteArray("asyncio.run(asyncio.sleep(3))");
        QTest::addRow("sigtimedwait") << QByteArray("signal, time")
                                      << QByteArray("signal.sigtimedwait([signal.SIGUSR1], 3)");
        QTest::addRow("queue") << QByteArray("queue, time")
                               << QByteArray("try: queue.Queue().get(timeout=3)\nexcept queue.Empty: pass");
    }
    void python()
    {
        QFETCH(QByteArray, modules);
        QFETCH(QByteArray, statement);
        const ProgramClockFixture fixture;
        LinePrinterProcess program;
        program.start(fixture.python("import " + modules
                                     + "\n"
                                       "began = time.monotonic()\n"
                                     + statement + "\nprint('%.2f' % (time.monotonic() - began))\n"));
        waitsForThreeSeconds(fixture, program, "3.05");
    }

    void node()
    {
        const QString node = QStandardPaths::findExecutable(QStringLiteral("node"));
        if (node.isEmpty())
            QSKIP("there is no Node.js here");
        const ProgramClockFixture fixture;
        LinePrinterProcess program;
        program.start(fixture.launch({QFile::encodeName(node), "-e",
                                      "const began = Date.now();"
                                      "console.log(Math.floor(began / 1000));"
                                      "setTimeout(() => console.log(Date.now() - began >= 3000), 3000)"}));
        QCOMPARE(program.line(), "1000000000");
        LATCHKEY_AWAIT(fixture.clock->nextTimer(program.child.id()).has_value() && test::isAsleep(program.child.id()));
        fixture.advanceClock(2900ms);
        LATCHKEY_AWAIT(test::isAsleep(program.child.id()));
        QVERIFY(program.isSilent());
        fixture.advanceClock(150ms);
        QCOMPARE(program.line(), "true");
    }

    void awaitedEvent_endsTheWaitBeforeTheTimeout()
    {
        const ProgramClockFixture fixture;
        LinePrinterProcess program;
        process::Launch launch = fixture.python("import select, sys, threading\n"
                                                "event = threading.Event()\n"
                                                "threading.Thread(target=lambda: print(event.wait(3))).start()\n"
                                                "print(len(select.select([sys.stdin], [], [], 3)[0]))\n"
                                                "event.set()\n");
        launch.input = process::Launch::Channel::Piped;
        program.start(launch);
        QVERIFY(fixture.hasTimers(2));
        program.child.write("\n");
        QCOMPARE(program.line(), "1");
        QCOMPARE(program.line(), "True");
    }

    /// A wait for a signal ends at the signal, and otherwise like the waits of the other threads, each at its time.
    void waitForASignal_endsAtTheSignalOrItsTime()
    {
        const ProgramClockFixture fixture;
        LinePrinterProcess program;
        program.start(fixture.python("import os, select, signal, threading\n"
                                     "signals = [signal.SIGUSR1]\n"
                                     "signal.pthread_sigmask(signal.SIG_BLOCK, signals)\n"
                                     "def wait(how, seconds): print(seconds, how(seconds))\n"
                                     "def byEpoll(seconds): return select.epoll().poll(seconds)\n"
                                     "def bySignal(seconds): return signal.sigtimedwait(signals, seconds)\n"
                                     "ways = byEpoll, bySignal, bySignal\n"
                                     "all = [threading.Thread(target=wait, args=(ways[i % 3], i)) for i in range(1, 7)]\n"
                                     "[thread.start() for thread in all]; [thread.join() for thread in all]\n"
                                     "threading.Timer(2, lambda: os.kill(os.getpid(), signal.SIGUSR1)).start()\n"
                                     "print(signal.sigtimedwait(signals, 5).si_signo == signal.SIGUSR1)\n"));
        LATCHKEY_AWAIT(fixture.clock->timers().size() == 6 && test::isAsleep(program.child.id()));
        fixture.clock->moveWithoutWaking(fixture.clock->now() + 10s);
        for (std::size_t i = 1; i <= 6; ++i) {
            QVERIFY(fixture.clock->wakeNext());
            QCOMPARE(program.line(), QByteArray::number(i) + (i % 3 == 0 ? " []" : " None"));
            LATCHKEY_AWAIT(i == 6 || fixture.clock->timers().size() == 6 - i);
        }
        QVERIFY(fixture.hasTimers(2));
        LATCHKEY_AWAIT(test::isAsleep(program.child.id()));
        fixture.advanceClock(2s);
        QCOMPARE(program.line(), "True");
    }

    void threads_areWokenEachAtItsTime()
    {
        const ProgramClockFixture fixture;
        LinePrinterProcess program;
        program.start(fixture.python(
            "import select, threading, time\n"
            "def wait(how, seconds): how(seconds); print(seconds)\n"
            "ways = time.sleep, lambda s: select.select([], [], [], s), lambda s: threading.Event().wait(s)\n"
            "for i in range(24, 0, -1): threading.Thread(target=wait, args=(ways[i % 3], i)).start()\n"));
        for (int i = 1; i <= 24; ++i) {
            // Wait for all threads: a thread that is about to take Python's own lock also has a timed wait.
            LATCHKEY_AWAIT(fixture.clock->timers().size() == static_cast<std::size_t>(25 - i)
                           && test::isAsleep(program.child.id()));
            fixture.clock->moveTo(fixture.clock->timers().front().at + 1ms);
            QCOMPARE(program.line(), QByteArray::number(i));
        }
        LATCHKEY_AWAIT(!program.child.isRunning());
        QCOMPARE(program.child.exitCode(), 0);
    }

    /// Each thread ends before the next one is woken, so the order does not depend on chance.
    void threadsDueAtOnce_areWokenInTheOrderOfTheirTimes()
    {
        const ProgramClockFixture fixture;
        LinePrinterProcess program;
        program.start(fixture.python(
            "import select, threading, time\n"
            "def wait(how, seconds): how(seconds); print(seconds)\n"
            "ways = time.sleep, lambda s: threading.Event().wait(s), lambda s: select.select([], [], [], s)\n"
            "for i in range(6, 0, -1): threading.Thread(target=wait, args=(ways[i // 2 % 3], i)).start()\n"));
        LATCHKEY_AWAIT(fixture.clock->timers().size() == 6 && test::isAsleep(program.child.id()));
        fixture.clock->moveWithoutWaking(fixture.clock->now() + 10s);
        for (std::size_t i = 1; i <= 6; ++i) {
            QVERIFY(fixture.clock->wakeNext());
            QCOMPARE(program.line(), QByteArray::number(i));
            LATCHKEY_AWAIT(fixture.clock->timers().size() == 6 - i);
        }
        QVERIFY(!fixture.clock->wakeNext());
        LATCHKEY_AWAIT(!program.child.isRunning());
        QCOMPARE(program.child.exitCode(), 0);
    }

    void manyAtOnce_areAllWoken()
    {
        const ProgramClockFixture fixture;
        LinePrinterProcess program;
        program.start(fixture.python(
            "import select, threading, time\n"
            "def wait(how): [how(1) for i in range(50)]\n"
            "ways = time.sleep, lambda s: select.select([], [], [], s), lambda s: threading.Event().wait(s)\n"
            "all = [threading.Thread(target=wait, args=(ways[i % 3],)) for i in range(12)]\n"
            "[thread.start() for thread in all]; [thread.join() for thread in all]\n"
            "print('over')\n"));
        // Without a pause: time that passes just before a wait also wakes the thread.
        LATCHKEY_AWAIT((fixture.advanceClock(250ms), !program.isSilent()));
        QCOMPARE(program.line(), "over");
    }

    void waitOnTheMachineClock_isRecorded_data()
    {
        QTest::addColumn<QByteArray>("statement");
        QTest::addColumn<bool>("isSo");
        QTest::addRow("alarm") << QByteArray("signal.alarm(100)") << false;
        QTest::addRow("setitimer") << QByteArray("signal.setitimer(signal.ITIMER_REAL, 100)") << false;
        QTest::addRow("processor time") << QByteArray("signal.setitimer(signal.ITIMER_VIRTUAL, 100)") << false;
        QTest::addRow("sigtimedwait") << QByteArray("signal.sigtimedwait([signal.SIGUSR1], 0)") << false;
        QTest::addRow("SO_RCVTIMEO") << QByteArray(
            "socket.socket().setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack('ll', 5, 0))")
                                     << true;
    }
    void waitOnTheMachineClock_isRecorded()
    {
        QFETCH(QByteArray, statement);
        QFETCH(bool, isSo);
        const ProgramClockFixture fixture;
        LinePrinterProcess program;
        program.start(
            fixture.python("import signal, socket, struct, time\n" + statement + "\nprint('set')\ntime.sleep(3)\n"));
        QCOMPARE(program.line(), "set");
        QVERIFY(fixture.clock->usesOnlyVirtualClock(program.child.id()));
        QCOMPARE(fixture.clock->hasMachineTimers(program.child.id()), isSo);
    }

    /// The signal arrives at each end of the interval, and the remaining time is that of the page's clock.
    void intervalTimer_sendsItsSignals()
    {
        const ProgramClockFixture fixture;
        LinePrinterProcess program;
        program.start(fixture.python("import signal\n"
                                     "signal.signal(signal.SIGALRM, lambda *_: print('rang'))\n"
                                     "print(signal.setitimer(signal.ITIMER_REAL, 30, 10))\n"
                                     "signal.pause(); print(round(signal.getitimer(signal.ITIMER_REAL)[0]))\n"
                                     "signal.pause(); print(signal.alarm(0))\n"));
        QCOMPARE(program.line(), "(0.0, 0.0)");
        QVERIFY(fixture.hasTimers(1));
        QCOMPARE(fixture.clock->timers().front().at - fixture.clock->now(), 30s);
        fixture.advanceClock(29s);
        LATCHKEY_AWAIT(test::isAsleep(program.child.id()));
        QVERIFY(program.isSilent());
        fixture.advanceClock(1s);
        QCOMPARE(program.line(), "rang");
        QCOMPARE(program.line(), "10");
        LATCHKEY_AWAIT(test::isAsleep(program.child.id()));
        fixture.advanceClock(14s);
        QCOMPARE(program.line(), "rang");
        QCOMPARE(program.line(), "6");
        QVERIFY(fixture.hasTimers(0));
    }

    /// A timerfd is readable at its end; unread expirations are added up, and a closed one is no timer any more.
    void timerfd_isReadableAtItsEnd()
    {
        const ProgramClockFixture fixture;
        LinePrinterProcess program;
        program.start(fixture.python("import ctypes, os, select, struct\n"
                                     "libc = ctypes.CDLL(None)\n"
                                     "timer = libc.timerfd_create(1, os.O_CLOEXEC | os.O_NONBLOCK)\n"
                                     "libc.timerfd_settime(timer, 0, struct.pack('llll', 2, 0, 5, 0), None)\n"
                                     "print(select.select([timer], [], [], 0)[0] == [])\n"
                                     "select.select([timer], [], []); print(struct.unpack('Q', os.read(timer, 100)))\n"
                                     "libc.timerfd_settime(timer, 0, struct.pack('llll', 0, 0, 1, 0), None)\n"
                                     "epoll = select.epoll(); epoll.register(timer, select.EPOLLIN); epoll.poll()\n"
                                     "print(struct.unpack('Q', os.read(timer, 100)))\n"
                                     "libc.timerfd_settime(timer, 0, struct.pack('llll', 0, 0, 1, 0), None)\n"
                                     "os.close(timer); print('closed'); input()\n"));
        QCOMPARE(program.line(), "True");
        QVERIFY(fixture.hasTimers(1));
        LATCHKEY_AWAIT(test::isAsleep(program.child.id()));
        fixture.advanceClock(7500ms);
        QCOMPARE(program.line(), "(2,)");
        QVERIFY(fixture.hasTimers(1));
        LATCHKEY_AWAIT(test::isAsleep(program.child.id()));
        fixture.advanceClock(1s);
        QCOMPARE(program.line(), "(1,)");
        QCOMPARE(program.line(), "closed");
        QVERIFY(fixture.hasTimers(0));
        QVERIFY(!fixture.clock->hasMachineTimers(program.child.id()));
    }

    void waitByTheMachinesTime_isAsLongAsItWouldBe()
    {
        const ProgramClockFixture fixture;
        LinePrinterProcess program;
        program.start(fixture.launch({CLOCK_WAITER, "machine"}));
        QCOMPARE(program.line(), "over");
        QCOMPARE(program.line(), "in time");
    }

    void signalHandlers_interruptAsAlways()
    {
        const ProgramClockFixture fixture;
        LinePrinterProcess program;
        program.start(fixture.launch({CLOCK_WAITER, "signal"}));
        QCOMPARE(program.line(), "ready");
        QVERIFY(fixture.hasTimers(1));
        LATCHKEY_AWAIT(test::isAsleep(program.child.id()));
        fixture.advanceClock(1s);
        LATCHKEY_AWAIT(test::isAsleep(program.child.id()));
        program.child.signal(SIGUSR1);
        QCOMPARE(program.line(), "Interrupted system call 2");
        QVERIFY(fixture.hasTimers(1));
        LATCHKEY_AWAIT(test::isAsleep(program.child.id()));
        program.child.signal(SIGUSR1);
        QCOMPARE(program.line(), "Interrupted system call");
    }

    void cancelledThreads_end()
    {
        const ProgramClockFixture fixture;
        LinePrinterProcess program;
        program.start(fixture.launch({CLOCK_WAITER, "cancel"}));
        for (const char *expected : {"cancelled", "cancelled", "cancelled", "free"})
            QCOMPARE(program.line(), expected);
        QVERIFY(fixture.clock->timers().empty());
    }

    void conditionVariables_loseNoCall()
    {
        const ProgramClockFixture fixture;
        LinePrinterProcess program;
        program.start(fixture.launch({CLOCK_WAITER, "hand over"}));
        QCOMPARE(program.line(), "40000");
    }
};

LATCHKEY_TEST(TestTimedWaits)

} // namespace tst_timedwaits

#include "tst_timedwaits.moc"
