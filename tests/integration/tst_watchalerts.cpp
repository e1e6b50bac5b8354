#include "tests/support/await.h"
#include "tests/support/childprocesses.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/testprogram.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <QFile>
#include <QHash>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <memory>

namespace tst_watchalerts {

using namespace latchkey;
using test::Outcome;

/// Tests of watch --alert and --exec, as a process, with a real server.
class TestWatchAlerts final : public test::CommandLineTest
{
    Q_OBJECT

    std::unique_ptr<QProcess> process;
    std::unique_ptr<QTemporaryDir> folder;
    QByteArray output;
    QByteArray errors;

    const QByteArray token = QByteArrayLiteral("f442172cd0841b68177e827d1a6528b1");
    const QByteArray other = QByteArrayLiteral("9891ac7c19c1ec9e54f0c08c8074917c");

    void start(const QStringList &arguments)
    {
        output.clear();
        errors.clear();
        process = std::make_unique<QProcess>();
        process->setProcessEnvironment(environment);
        connect(process.get(), &QProcess::readyReadStandardOutput, this,
                [this] { output += process->readAllStandardOutput(); });
        connect(process.get(), &QProcess::readyReadStandardError, this,
                [this] { errors += process->readAllStandardError(); });
        process->start(QStringLiteral(LATCHKEY_CLI), QStringList {QStringLiteral("watch")} + arguments);
    }
    /// Starts a watch that also prints events, and waits until changes are seen: a lock that exists is printed first.
    void startSeeing(const QStringList &arguments)
    {
        QVERIFY((*server)({"SET", "lock:first", token, "PX", "3600000"}).isOk());
        start(QStringList {QStringLiteral("--json"), QStringLiteral("--event"), QStringLiteral("seen")} + arguments);
        LATCHKEY_AWAIT(output.contains("lock:first"));
    }
    /// Returns the lines with `alert` and `over`.
    QList<QJsonObject> alerts() const
    {
        QList<QJsonObject> all;
        const QList<QByteArray> lines = output.split('\n');
        for (qsizetype i = 0; i + 1 < lines.size(); ++i) {
            const QJsonObject line = QJsonDocument::fromJson(lines[i]).object();
            const QString event = line[QStringLiteral("event")].toString();
            if (event == u"alert" || event == u"over")
                all += line;
        }
        return all;
    }
    /// Returns the alerts as texts: `alert no-expiry lock:a`.
    QStringList told() const
    {
        QStringList texts;
        for (const QJsonObject &line : alerts())
            texts += QStringLiteral("%1 %2 %3")
                         .arg(line[QStringLiteral("event")].toString(), line[QStringLiteral("rule")].toString(),
                              line[QStringLiteral("key")].toString());
        return texts;
    }
    int stop(int signalNumber)
    {
        ::kill(static_cast<pid_t>(process->processId()), signalNumber);
        return process->waitForFinished(30'000) ? process->exitCode() : -1;
    }
    QByteArray contentsOf(const char *name) const
    {
        QFile file(folder->filePath(QLatin1String(name)));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    /// Repeats an action until a condition holds: the test cannot see from when on changes are reported.
    template<typename Act, typename Condition>
    static bool repeatUntil(Act &&act, Condition &&condition)
    {
        for (int i = 0; i < 60 && !condition(); ++i) {
            act();
            (void)test::waitFor(condition, std::chrono::seconds(1));
        }
        return condition();
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
        if (process)
            process->disconnect(this);
        process.reset();
        CommandLineTest::cleanup();
    }

    void lockWithoutExpiry_isRaisedOnceAndOverAtItsEnd()
    {
        QVERIFY((*server)({"SET", "lock:a", token}).isOk());
        QVERIFY((*server)({"SET", "lock:b", token, "PX", "3600000"}).isOk());
        QVERIFY((*server)({"SET", "other:lock", token}).isOk());
        start({QStringLiteral("--json"), QStringLiteral("--alert"), QStringLiteral("no-expiry lock:*")});
        LATCHKEY_AWAIT(!alerts().isEmpty());
        const QJsonObject alert = alerts().front();
        QCOMPARE(alert[QStringLiteral("key")].toString(), QStringLiteral("lock:a"));
        QCOMPARE(alert[QStringLiteral("holder")].toString(), QString::fromLatin1(token));
        QCOMPARE(alert[QStringLiteral("rule")].toString(), QStringLiteral("no-expiry lock:*"));
        QVERIFY(!alert[QStringLiteral("reason")].toString().isEmpty());
        // A change that does not end the condition.
        QVERIFY((*server)({"PERSIST", "lock:a"}).isInteger(0));
        QVERIFY((*server)({"DEL", "lock:a"}).isInteger(1));
        LATCHKEY_AWAIT(alerts().size() == 2);
        const QStringList lines {QStringLiteral("alert no-expiry lock:* lock:a"),
                                 QStringLiteral("over no-expiry lock:* lock:a")};
        QCOMPARE(told(), lines);
        QVERIFY(
            alerts().back()[QStringLiteral("end")].isString()); // released or ended: changes may not be reported yet.
        QCOMPARE(alerts().back()[QStringLiteral("raised_ms")], alert[QStringLiteral("at_ms")]);
        QVERIFY2(!output.contains("\"seen\""), output.constData()); // Events are printed only with --event.
        QCOMPARE(stop(SIGTERM), 0);
    }

    void expiryThatIsSet_endsTheAlertOfAHeldLock()
    {
        QVERIFY((*server)({"SET", "lock:a", token}).isOk());
        start({QStringLiteral("--json"), QStringLiteral("--alert"), QStringLiteral("no-expiry")});
        LATCHKEY_AWAIT(alerts().size() == 1);
        QVERIFY((*server)({"PEXPIRE", "lock:a", "3600000"}).isInteger(1));
        LATCHKEY_AWAIT(alerts().size() == 2);
        QVERIFY(alerts().back()[QStringLiteral("end")].isNull());
    }

    /// Some libraries set the expiry by a second command.
    void expiryThatFollowsAtOnce_isNoAlert()
    {
        startSeeing({QStringLiteral("--alert"), QStringLiteral("no-expiry")});
        QVERIFY((*server)({"SETNX", "lock:short", token}).isInteger(1));
        QVERIFY((*server)({"PEXPIRE", "lock:short", "3600000"}).isInteger(1));
        QVERIFY((*server)({"SETNX", "lock:long", token}).isInteger(1));
        LATCHKEY_AWAIT(!told().isEmpty());
        QCOMPARE(told(), QStringList {QStringLiteral("alert no-expiry lock:long")});
    }

    void oldLock_isRaisedWhileItIsRenewed()
    {
        startSeeing({QStringLiteral("--event"), QStringLiteral("extended"), QStringLiteral("--alert"),
                     QStringLiteral("older-than=700ms lock:a")});
        QVERIFY((*server)({"SET", "lock:a", token, "PX", "3600000"}).isOk());
        QVERIFY(
            repeatUntil([&] { (void)(*server)({"PEXPIRE", "lock:a", "3600000"}); }, [&] { return !told().isEmpty(); }));
        QVERIFY(alerts().front()[QStringLiteral("held_ms")].toInteger() >= 700);
        output.clear();
        QVERIFY((*server)({"PEXPIRE", "lock:a", "7200000"}).isInteger(1)); // The same hold: no further alert.
        LATCHKEY_AWAIT(output.contains("\"extended\""));
        QVERIFY((*server)({"SET", "lock:b", token, "PX", "3600000"}).isOk()); // Another key.
        QVERIFY((*server)({"DEL", "lock:a"}).isInteger(1));
        LATCHKEY_AWAIT(!told().isEmpty());
        QVERIFY((*server)({"SET", "lock:a", other, "PX", "3600000"}).isOk()); // A new hold, with a new age.
        LATCHKEY_AWAIT(told().size() == 2);
        QCOMPARE(told(), (QStringList {QStringLiteral("over older-than=700ms lock:a lock:a"),
                                       QStringLiteral("alert older-than=700ms lock:a lock:a")}));
        QCOMPARE(alerts().back()[QStringLiteral("holder")].toString(), QString::fromLatin1(other));
    }

    /// Without change events, the start of a hold is known to the interval between two polls only.
    void ageOfALock_isALowerBound()
    {
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-client|tracking", "-config"}).isOk());
        startSeeing({QStringLiteral("--alert"), QStringLiteral("older-than=1ms lock:young*"), QStringLiteral("--alert"),
                     QStringLiteral("no-expiry lock:young*")});
        constexpr int locks = 12;
        QElapsedTimer time;
        time.start();
        QHash<QString, qint64> takenAt; // Unix time in milliseconds, before the command.
        for (int i = 0; i < locks; ++i) {
            const QByteArray key = "lock:young" + QByteArray::number(i);
            LATCHKEY_AWAIT(time.hasExpired(i * 170));
            takenAt[QString::fromLatin1(key)] = QDateTime::currentMSecsSinceEpoch();
            QVERIFY((*server)({"SET", key, token}).isOk());
        }
        LATCHKEY_AWAIT(alerts().size() == 2 * locks);
        static const QRegularExpression seconds(QStringLiteral("(\\d+\\.\\d+) s"));
        const QList<QJsonObject> all = alerts();
        for (const QJsonObject &alert : all) {
            const QByteArray line = QJsonDocument(alert).toJson();
            const qint64 age =
                alert[QStringLiteral("at_ms")].toInteger() - takenAt[alert[QStringLiteral("key")].toString()];
            const qint64 held = alert[QStringLiteral("held_ms")].toInteger();
            const QString reason = alert[QStringLiteral("reason")].toString();
            const qint64 said = qRound64(1000 * seconds.match(reason).captured(1).toDouble());
            QVERIFY2(held <= age + 1 && said <= age + 1, line.constData());
            // The finding is evaluated just before the rule. Its age is the difference of two wall times in whole
            // milliseconds, the other one that of two monotonic times.
            QVERIFY2(qAbs(held - said) <= 2, line.constData());
        }
    }

    void takeOver_isTwoHolders()
    {
        QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", "KEA"}).isOk());
        startSeeing({QStringLiteral("--alert"), QStringLiteral("two-holders")});
        int round = 0;
        QVERIFY(repeatUntil([&] { (void)(*server)({"GETSET", "lock:first", ++round % 2 == 1 ? other : token}); },
                            [&] { return !told().isEmpty(); }));
        QCOMPARE(told().front(), QStringLiteral("alert two-holders lock:first"));
        QVERIFY((*server)({"DEL", "lock:first"}).isInteger(1));
        LATCHKEY_AWAIT(told().back() == u"over two-holders lock:first");
    }

    void finding_isRaised()
    {
        QVERIFY((*server)({"SET", "lock:a", "1", "PX", "3600000"}).isOk());
        start({QStringLiteral("--json"), QStringLiteral("--alert"), QStringLiteral("finding=constant-value")});
        LATCHKEY_AWAIT(told() == QStringList {QStringLiteral("alert finding=constant-value lock:a")});
    }

    /// While nothing is seen, nothing is over; the watch says that it does not see.
    void serverThatIsGone_isReportedAndEndsNoAlert()
    {
        QVERIFY((*server)({"SET", "lock:a", token}).isOk());
        start({QStringLiteral("--json"), QStringLiteral("--alert"), QStringLiteral("no-expiry"),
               QStringLiteral("--alert"), QStringLiteral("blind=300ms")});
        LATCHKEY_AWAIT(told().size() == 1);
        server->kill();
        LATCHKEY_AWAIT(told().size() == 2);
        QVERIFY2(output.contains("\"event\":\"blind\""), output.constData());
        QCOMPARE(told(),
                 (QStringList {QStringLiteral("alert no-expiry lock:a"), QStringLiteral("alert blind=300ms ")}));
        QVERIFY(alerts().back()[QStringLiteral("key")].isNull());
        QCOMPARE(stop(SIGTERM), 3);
    }

    /// A lock may be gone while nothing is seen: no alert begins or ends meanwhile, and its age is evaluated
    /// afterwards.
    void whileNothingIsSeen_noAlertBeginsOrEnds()
    {
        QVERIFY((*server)({"SET", "lock:endless", token}).isOk());
        startSeeing({QStringLiteral("--alert"), QStringLiteral("no-expiry"), QStringLiteral("--alert"),
                     QStringLiteral("older-than=4s lock:first"), QStringLiteral("--alert"),
                     QStringLiteral("blind=5s")});
        LATCHKEY_AWAIT(told().size() == 1);
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-pttl"}).isOk());
        LATCHKEY_AWAIT(told().size() == 2);
        QCOMPARE(told(),
                 (QStringList {QStringLiteral("alert no-expiry lock:endless"), QStringLiteral("alert blind=5s ")}));
        QVERIFY((*server)({"ACL", "SETUSER", "default", "+pttl"}).isOk());
        LATCHKEY_AWAIT(told().size() == 4);
        QVERIFY(told().contains(QStringLiteral("over blind=5s ")));
        QCOMPARE(told().back(), QStringLiteral("alert older-than=4s lock:first lock:first"));
        QCOMPARE(stop(SIGTERM), 3); // Something was not seen.
    }

    void reconnection_repeatsAndEndsNoAlert()
    {
        QVERIFY((*server)({"SET", "lock:a", token}).isOk());
        start({QStringLiteral("--json"), QStringLiteral("--alert"), QStringLiteral("no-expiry")});
        LATCHKEY_AWAIT(told().size() == 1);
        QVERIFY((*server)({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"}).isInteger());
        QVERIFY((*server)({"SET", "lock:b", token}).isOk());
        LATCHKEY_AWAIT(told().size() > 1);
        QCOMPARE(told(),
                 (QStringList {QStringLiteral("alert no-expiry lock:a"), QStringLiteral("alert no-expiry lock:b")}));
    }

    void once_stopsAfterTheFirstAlert()
    {
        QVERIFY((*server)({"SET", "lock:a", token}).isOk());
        QVERIFY((*server)({"SET", "lock:b", token}).isOk());
        const Outcome outcome = run("watch --alert no-expiry --once");
        QCOMPARE(outcome.exitCode, 0);
        QCOMPARE(outcome.output.count('\n'), 1);
        QVERIFY2(outcome.output.contains("  alert        " + token + "      lock:"), outcome.output.constData());
        QVERIFY2(outcome.output.contains("  (no-expiry: "), outcome.output.constData());
        QCOMPARE(run("watch --alert older-than=1h --once --for 500ms").exitCode, 1);
    }

    void data_reachTheCommandAndNeverItsText()
    {
        const QByteArray key = QByteArrayLiteral("lock:$(touch $DIR/injected);`touch $DIR/injected` \"'\n\xff");
        QVERIFY((*server)({"SET", key, token}).isOk());
        const Outcome outcome =
            run({QStringLiteral("watch"), QStringLiteral("--json"), QStringLiteral("--alert"),
                 QStringLiteral("no-expiry"), QStringLiteral("--once"), QStringLiteral("--exec"),
                 QStringLiteral("printf %s \"$LATCHKEY_ALERT_KEY\" > \"$DIR/key\"; cat > \"$DIR/json\"; "
                                "env > \"$DIR/env\"; echo spoken")});
        QCOMPARE(outcome.exitCode, 0);
        QCOMPARE(contentsOf("key"), key);
        QCOMPARE(contentsOf("json"), outcome.output); // The same line, and nothing else on standard output.
        QCOMPARE(outcome.errors, QByteArray("spoken\n"));
        const QByteArray variables = contentsOf("env");
        QVERIFY(variables.contains("LATCHKEY_ALERT_EVENT=alert\n"));
        QVERIFY(variables.contains("LATCHKEY_ALERT_RULE=no-expiry\n"));
        QVERIFY(variables.contains("LATCHKEY_ALERT_HOLDER=" + token + '\n'));
        QVERIFY(variables.contains("LATCHKEY_ALERT_SERVER=unix://"));
        QVERIFY(!QFile::exists(folder->filePath(QStringLiteral("injected"))));
    }

    void keyWithANull_isInTheJsonOnly()
    {
        QVERIFY((*server)({"SET", QByteArray("lock:\0x", 7), token}).isOk());
        const Outcome outcome =
            run({QStringLiteral("watch"), QStringLiteral("--alert"), QStringLiteral("no-expiry"),
                 QStringLiteral("--once"), QStringLiteral("--exec"),
                 QStringLiteral("cat > \"$DIR/json\"; echo \"${LATCHKEY_ALERT_KEY-absent}\" > \"$DIR/key\"")});
        QCOMPARE(outcome.exitCode, 0);
        QCOMPARE(contentsOf("key"), QByteArray("absent\n"));
        QCOMPARE(QJsonDocument::fromJson(contentsOf("json"))[QStringLiteral("key")].toString(),
                 QStringLiteral("lock:") + QChar(0) + u'x');
    }

    void endOfAnAlert_reachesTheCommandAfterItsBeginning()
    {
        QVERIFY((*server)({"SET", "lock:a", token}).isOk());
        start({QStringLiteral("--json"), QStringLiteral("--alert"), QStringLiteral("no-expiry"),
               QStringLiteral("--exec"),
               QStringLiteral("while test $LATCHKEY_ALERT_EVENT = alert && ! test -e \"$DIR/go\"; do sleep 0.05; done; "
                              "echo $LATCHKEY_ALERT_EVENT >> \"$DIR/events\"")});
        LATCHKEY_AWAIT(alerts().size() == 1);
        QVERIFY((*server)({"DEL", "lock:a"}).isInteger(1));
        LATCHKEY_AWAIT(alerts().size() == 2); // The first command still runs.
        QCOMPARE(contentsOf("events"), QByteArray());
        QVERIFY(QFile(folder->filePath(QStringLiteral("go"))).open(QIODevice::WriteOnly));
        LATCHKEY_AWAIT(contentsOf("events") == "alert\nover\n");
    }

    void commandThatFails_isReported()
    {
        QVERIFY((*server)({"SET", "lock:a", token}).isOk());
        const Outcome outcome = run({QStringLiteral("watch"), QStringLiteral("--alert"), QStringLiteral("no-expiry"),
                                     QStringLiteral("--once"), QStringLiteral("--exec"), QStringLiteral("exit 7")});
        QCOMPARE(outcome.exitCode, 3);
        QCOMPARE(outcome.errors, QByteArray("latchkey-cli: watch: --exec: the command for no-expiry \"lock:a\" ended "
                                            "with the exit code 7\n"));
    }

    /// The shell and its children are killed, also a child that ignores signals.
    void hangingCommand_isEndedAndReported()
    {
        QVERIFY((*server)({"SET", "lock:a", token}).isOk());
        const Outcome outcome = run({QStringLiteral("watch"), QStringLiteral("--alert"), QStringLiteral("no-expiry"),
                                     QStringLiteral("--once"), QStringLiteral("--exec-timeout"),
                                     QStringLiteral("300ms"), QStringLiteral("--exec"),
                                     QStringLiteral("trap '' TERM INT; sleep 1000 & echo $! > \"$DIR/child\"; wait")});
        QCOMPARE(outcome.exitCode, 3);
        QCOMPARE(outcome.errors, QByteArray("latchkey-cli: watch: --exec: the command for no-expiry \"lock:a\" was "
                                            "ended after 300ms\n"));
        const pid_t child = contentsOf("child").trimmed().toInt();
        QVERIFY(child > 0);
        LATCHKEY_AWAIT(!test::isAlive(child));
    }

    void watchExit_leavesNoProcess_data()
    {
        QTest::addColumn<int>("signalNumber");
        QTest::addColumn<int>("exitCode");
        QTest::addRow("SIGTERM") << SIGTERM << 3;
        QTest::addRow("SIGKILL") << SIGKILL << SIGKILL;
    }
    void watchExit_leavesNoProcess()
    {
        QFETCH(int, signalNumber);
        QVERIFY((*server)({"SET", "lock:a", token}).isOk());
        start({QStringLiteral("--alert"), QStringLiteral("no-expiry"), QStringLiteral("--exec"),
               QStringLiteral("setsid sleep 1000 & echo $! > \"$DIR/child\"; sleep 1000")});
        LATCHKEY_AWAIT(contentsOf("child").endsWith('\n'));
        const pid_t child = contentsOf("child").trimmed().toInt();
        QVERIFY(test::isAlive(child));
        QTEST(stop(signalNumber), "exitCode");
        LATCHKEY_AWAIT(!test::isAlive(child));
    }

    /// The number of commands is limited; dropped calls are reported once.
    void manyAlerts_areLimited()
    {
        constexpr int locks = 150;
        for (int i = 0; i < locks; ++i)
            QVERIFY((*server)({"SET", "lock:" + QByteArray::number(i), token}).isOk());
        start({QStringLiteral("--json"), QStringLiteral("--alert"), QStringLiteral("no-expiry"),
               QStringLiteral("--exec"),
               QStringLiteral("echo >> \"$DIR/started\"; while ! test -e \"$DIR/go\"; do sleep 0.05; done")});
        LATCHKEY_AWAIT(alerts().size() == locks && contentsOf("started").size() == 4);
        QCOMPARE(test::childrenOf(process->processId(), "/bin/sh").size(), 4);
        QVERIFY(QFile(folder->filePath(QStringLiteral("go"))).open(QIODevice::WriteOnly));
        LATCHKEY_AWAIT(contentsOf("started").size() == 104);
        QCOMPARE(errors.count("--exec: 100 alerts wait for the command"), 1);
        QCOMPARE(stop(SIGTERM), 3);
    }

    void badOptions_areRefused_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QByteArray>("message");
        QTest::addRow("rule") << QStringList {QStringLiteral("--alert"), QStringLiteral("older-than=20")}
                              << QByteArray("--alert: \"older-than=20\": at character 12: the duration \"20\" lacks a "
                                            "unit; write 20ms or 20s\n");
        QTest::addRow("command without a rule") << QStringList {QStringLiteral("--exec"), QStringLiteral("true")}
                                                << QByteArray("--exec: for alerts, so with --alert\n");
        QTest::addRow("empty command") << QStringList {QStringLiteral("--alert"), QStringLiteral("no-expiry"),
                                                       QStringLiteral("--exec"), QStringLiteral(" ")}
                                       << QByteArray("--exec: the command is empty\n");
        QTest::addRow("timeout without a command")
            << QStringList {QStringLiteral("--alert"), QStringLiteral("no-expiry"), QStringLiteral("--exec-timeout"),
                            QStringLiteral("1s")}
            << QByteArray("--exec-timeout: of a command, so with --exec\n");
    }
    void badOptions_areRefused()
    {
        QFETCH(QStringList, options);
        QFETCH(QByteArray, message);
        const Outcome outcome = run(QStringList {QStringLiteral("watch")} + options);
        QCOMPARE(outcome.exitCode, 2);
        QCOMPARE(outcome.errors, "latchkey-cli: " + message);
        QCOMPARE(outcome.output, QByteArray());
    }
};

LATCHKEY_TEST(TestWatchAlerts)

} // namespace tst_watchalerts

#include "tst_watchalerts.moc"
