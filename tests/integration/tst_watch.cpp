#include "tests/support/await.h"
#include "tests/support/outcome.h"
#include "tests/support/testserver.h"

#include <QRegularExpression>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTest>

#include <csignal>
#include <memory>

using namespace latchkey;
using test::Outcome;

/// latchkey-cli watch, as a process, on a real server.
class TestWatch final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::TestServer> server;
    std::unique_ptr<QProcess> process;
    QByteArray output;
    QByteArray errors;

    const QByteArray token = QByteArrayLiteral("f442172cd0841b68177e827d1a6528b1");
    const QByteArray other = QByteArrayLiteral("9891ac7c19c1ec9e54f0c08c8074917c");

    qsizetype commandsProcessed()
    {
        static const QRegularExpression count(QStringLiteral("total_commands_processed:(\\d+)"));
        const QByteArray info = (*server)({"INFO", "stats"}).bytes();
        return count.match(QString::fromLatin1(info)).captured(1).toLongLong();
    }
    void start(const QStringList &arguments, const char *command = "watch")
    {
        output.clear();
        errors.clear();
        process = std::make_unique<QProcess>();
        connect(process.get(), &QProcess::readyReadStandardOutput, this,
                [this] { output += process->readAllStandardOutput(); });
        connect(process.get(), &QProcess::readyReadStandardError, this,
                [this] { errors += process->readAllStandardError(); });
        process->start(QStringLiteral(LATCHKEY_CLI),
                       QStringList {QString::fromLatin1(command), QStringLiteral("--url"), server->url()} + arguments);
    }
    /// Whole lines, as JSON.
    QList<QJsonObject> lines() const
    {
        QList<QJsonObject> all;
        const QList<QByteArray> texts = output.split('\n');
        for (qsizetype i = 0; i + 1 < texts.size(); ++i)
            all += QJsonDocument::fromJson(texts[i]).object();
        return all;
    }
    QStringList events() const
    {
        QStringList all;
        for (const QJsonObject &line : lines())
            all += line[QStringLiteral("event")].toString();
        return all;
    }
    int stop(int signalNumber)
    {
        ::kill(static_cast<pid_t>(process->processId()), signalNumber);
        return process->waitForFinished(30'000) ? process->exitCode() : -1;
    }
    /// A lock that is there makes sure that everything is under way when it has been seen.
    void startWatching(const QStringList &arguments)
    {
        QVERIFY((*server)({"SET", "lock:first", token}).isOk());
        start(arguments);
        LATCHKEY_AWAIT(output.contains("lock:first"));
    }
    QByteArray fetch(quint16 port, const QByteArray &request)
    {
        QTcpSocket socket;
        socket.connectToHost(QStringLiteral("127.0.0.1"), port);
        QByteArray answer;
        connect(&socket, &QTcpSocket::connected, &socket, [&] { socket.write(request); });
        connect(&socket, &QTcpSocket::readyRead, &socket, [&] { answer += socket.readAll(); });
        const bool isClosed = QTest::qWaitFor(
            [&] { return !answer.isEmpty() && socket.state() == QAbstractSocket::UnconnectedState; }, 30'000);
        return isClosed ? answer : QByteArrayLiteral("no answer");
    }
    quint16 metricsPort() const
    {
        static const QRegularExpression place(QStringLiteral("http://127\\.0\\.0\\.1:(\\d+)/metrics"));
        return place.match(QString::fromUtf8(errors)).captured(1).toUShort();
    }

private Q_SLOTS:
    void init() { server = std::make_unique<test::TestServer>(); }
    void cleanup()
    {
        process.reset();
        server.reset();
    }

    void lifeOfALock_isPrinted_data()
    {
        QTest::addColumn<bool>("hasNotifications");
        QTest::addRow("notifications") << true;
        QTest::addRow("tracking") << false;
    }
    void lifeOfALock_isPrinted()
    {
        QFETCH(bool, hasNotifications);
        if (hasNotifications)
            QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", "KEA"}).isOk());
        startWatching({QStringLiteral("--json")});
        const QJsonObject seen = lines().front();
        QCOMPARE(seen[QStringLiteral("event")].toString(), QStringLiteral("seen"));
        QCOMPARE(seen[QStringLiteral("holder")].toString(), QString::fromLatin1(token));
        QVERIFY(seen[QStringLiteral("late_ms")].isNull());
        // It takes a moment until changes are told of.
        for (int i = 0; !events().contains(QStringLiteral("acquired")); ++i) {
            QVERIFY(i < 100);
            QVERIFY((*server)({"SET", "lock:a", token, "PX", "30000"}).isOk());
            (void)QTest::qWaitFor([&] { return events().contains(QStringLiteral("acquired")); }, 500);
            if (!events().contains(QStringLiteral("acquired")))
                QVERIFY((*server)({"DEL", "lock:a"}).isInteger());
        }
        output.clear();
        QVERIFY((*server)({"PEXPIRE", "lock:a", "60000"}).isInteger(1));
        LATCHKEY_AWAIT(events() == QStringList {QStringLiteral("extended")});
        QVERIFY((*server)({"DEL", "lock:a"}).isInteger(1));
        LATCHKEY_AWAIT(events().size() == 2);
        QCOMPARE(events().back(), QStringLiteral("released"));
        QVERIFY((*server)({"SET", "lock:a", other, "PX", "150"}).isOk());
        LATCHKEY_AWAIT(events().size() == 4);
        QCOMPARE(events()[2], QStringLiteral("acquired"));
        QCOMPARE(lines()[2][QStringLiteral("holder")].toString(), QString::fromLatin1(other));
        const QJsonObject end = lines()[3];
        QVERIFY2(end[QStringLiteral("event")] == QLatin1String("expired") || !hasNotifications, output.constData());
        if (end[QStringLiteral("event")] == QLatin1String("expired"))
            QVERIFY(end[QStringLiteral("late_ms")].isDouble());
        for (const QJsonObject &line : lines()) {
            QCOMPARE(line[QStringLiteral("key")].toString(), QStringLiteral("lock:a"));
            QVERIFY(qAbs(line[QStringLiteral("at_ms")].toDouble() - double(QDateTime::currentMSecsSinceEpoch()))
                    < 60'000);
            QVERIFY(line[QStringLiteral("uncertain_ms")].isDouble());
        }
        QCOMPARE(stop(SIGINT), 0);
        QVERIFY2(errors.isEmpty(), errors.constData());
    }

    void takeOver_isHandedOver()
    {
        QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", "KEA"}).isOk());
        startWatching({QStringLiteral("--json")});
        for (int i = 0; !events().contains(QStringLiteral("handed-over")); ++i) {
            QVERIFY(i < 20);
            QVERIFY((*server)({"GETSET", "lock:first", i % 2 == 0 ? other : token}).isBulk());
            (void)QTest::qWaitFor([&] { return events().contains(QStringLiteral("handed-over")); }, 1000);
        }
    }

    void keysThatAreNoLocks_areNotShown()
    {
        QVERIFY((*server)({"SET", "session:1", token, "PX", "600000"}).isOk());
        QVERIFY((*server)({"SET", "lock:text", "what a lock never holds"}).isOk());
        QVERIFY((*server)({"SET", "other:lock", token}).isOk());
        startWatching({QStringLiteral("lock:*"), QStringLiteral("--json")});
        QVERIFY((*server)({"SET", "session:2", token}).isOk());
        QVERIFY((*server)({"SET", "lock:last", token}).isOk());
        LATCHKEY_AWAIT(output.contains("lock:last"));
        for (const char *key : {"session", "lock:text", "other:lock"})
            QVERIFY2(!output.contains(key), output.constData());
    }

    void text_isForPeople()
    {
        startWatching({});
        static const QRegularExpression line(QStringLiteral(
            "^\\d\\d:\\d\\d:\\d\\d\\.\\d{3}  seen         f442172cd0841b68177e827d1a6528b1 {4}  lock:first  "
            "\\(no expiry\\)\\n$"));
        QVERIFY2(line.match(QString::fromUtf8(output)).hasMatch(), output.constData());
    }

    void time_isKept()
    {
        start({QStringLiteral("--for"), QStringLiteral("300ms")});
        QVERIFY(process->waitForFinished(30'000));
        QCOMPARE(process->exitCode(), 0);
        QCOMPARE(process->exitStatus(), QProcess::NormalExit);
    }

    void readerThatIsGone_endsIt()
    {
        QVERIFY((*server)({"SET", "lock:first", token}).isOk());
        QProcess pipeline;
        pipeline.start(QStringLiteral("sh"),
                       {QStringLiteral("-c"), QStringLiteral("\"$0\" --url \"$1\" watch | head -n 1"),
                        QStringLiteral(LATCHKEY_CLI), server->url()});
        int written = 0;
        // The shell waits for both: head ends with the first line, and watch when it cannot print the next.
        LATCHKEY_AWAIT(((void)(*server)({"SET", "lock:" + QByteArray::number(written), token}), ++written,
                        pipeline.state() == QProcess::NotRunning && written > 1));
        QVERIFY2(pipeline.readAllStandardError().isEmpty(), "it has nothing to complain of");
    }

    void serverThatIsNotThere_isAnError()
    {
        QProcess alone;
        alone.start(QStringLiteral(LATCHKEY_CLI),
                    {QStringLiteral("watch"), QStringLiteral("--url"), QStringLiteral("unix:///nowhere/redis.sock")});
        const Outcome outcome = test::outcomeOf(alone);
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(outcome.errors.contains("watch: "), outcome.errors.constData());
    }

    void metrics_areServed()
    {
        startWatching({QStringLiteral("--metrics"), QStringLiteral("0")});
        LATCHKEY_AWAIT(metricsPort() != 0);
        const QByteArray get = QByteArrayLiteral("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
        QByteArray page = fetch(metricsPort(), get);
        QVERIFY2(page.startsWith("HTTP/1.1 200 OK\r\n"), page.constData());
        QVERIFY(page.contains("Content-Type: text/plain; version=0.0.4"));
        QVERIFY2(page.contains("latchkey_up 1\n"), page.constData());
        QVERIFY2(page.contains("latchkey_locks_held{kind=\"lock.token\"} 1\n"), page.constData());
        QVERIFY2(page.contains("latchkey_findings{id=\"no-expiry\"} 1\n"), page.constData());
        QVERIFY((*server)({"DEL", "lock:first"}).isInteger(1));
        LATCHKEY_AWAIT(output.contains("released"));
        page = fetch(metricsPort(), get);
        QVERIFY2(page.contains("latchkey_holds_ended_total{kind=\"lock.token\",cause=\"released\"} 1\n"),
                 page.constData());
        QVERIFY(!page.contains("latchkey_locks_held{"));
        QVERIFY(fetch(metricsPort(), "GET / HTTP/1.1\r\n\r\n").startsWith("HTTP/1.1 404"));
        QVERIFY(fetch(metricsPort(), "POST /metrics HTTP/1.1\r\n\r\n").startsWith("HTTP/1.1 405"));
        QVERIFY(fetch(metricsPort(), "nonsense\r\n\r\n").startsWith("HTTP/1.1 400"));
    }

    /// why --for: any key, and what has become of it meanwhile.
    void historyOfOneKey_isToldByWhy_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("holder");
        QTest::addRow("a lock by its name") << QByteArray("lock:a") << other;
        QTest::addRow("any name") << QByteArray("order:5") << QByteArray("holder not known");
    }
    void historyOfOneKey_isToldByWhy()
    {
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, holder);
        QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", "KEA"}).isOk());
        QVERIFY((*server)({"SET", key, token, "PX", "600000"}).isOk());
        start({QString::fromLatin1(key), QStringLiteral("--for"), QStringLiteral("1h")}, "why");
        // What is printed first was found by one look; the history follows at the end.
        LATCHKEY_AWAIT(output.contains("kind "));
        LATCHKEY_AWAIT((*server)({"CLIENT", "LIST", "TYPE", "pubsub"}).bytes().contains("sub="));
        // From when on everything is heard cannot be seen from here: so its holder comes and goes until it was.
        const auto takeAndRelease = [&] {
            QVERIFY((*server)({"DEL", key}).isInteger());
            QVERIFY((*server)({"SET", key, other, "PX", "600000"}).isOk());
        };
        const qsizetype cost = commandsProcessed();
        LATCHKEY_AWAIT((takeAndRelease(), commandsProcessed() > cost + 200));
        QVERIFY((*server)({"PEXPIRE", key, "50"}).isInteger(1));
        LATCHKEY_AWAIT((*server)({"EXISTS", key}).isInteger(0));
        const qsizetype after = commandsProcessed();
        LATCHKEY_AWAIT(commandsProcessed() > after + 100); // Its own PINGs and looks among them.
        QCOMPARE(stop(SIGINT), 0);
        output += process->readAllStandardOutput();
        QVERIFY2(output.contains("history    "), output.constData());
        QVERIFY2(output.contains("by notifications\n"), output.constData());
        QVERIFY2(output.contains(holder + "  acquired, held for "), output.constData());
        QVERIFY2(output.contains(": released or deleted, "), output.constData());
        // And what they come to.
        QVERIFY2(output.contains("held for      ") && output.contains(" on average, "), output.constData());
        QVERIFY2(output.contains("ends          expired: 1, released or deleted: "), output.constData());
    }

    void historyInJson_hasItsHolds()
    {
        QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", "KEA"}).isOk());
        QVERIFY((*server)({"SET", "order:5", token, "PX", "600000"}).isOk());
        start({QStringLiteral("order:5"), QStringLiteral("--for"), QStringLiteral("300ms"), QStringLiteral("--json")},
              "why");
        QVERIFY(process->waitForFinished(30'000));
        QCOMPARE(process->exitCode(), 0);
        output += process->readAllStandardOutput();
        const QJsonObject answer = QJsonDocument::fromJson(output).object();
        QCOMPARE(answer[QStringLiteral("key")].toString(), QStringLiteral("order:5"));
        const QJsonObject history = answer[QStringLiteral("history")].toObject();
        QVERIFY(history[QStringLiteral("watched_ms")].toInt() >= 300);
        const QJsonArray holds = history[QStringLiteral("holds")].toArray();
        QCOMPARE(holds.size(), 1);
        const QJsonObject hold = holds.first().toObject();
        QCOMPARE(hold[QStringLiteral("start")].toString(), QStringLiteral("seen"));
        QVERIFY(hold[QStringLiteral("until_ms")].isNull() && hold[QStringLiteral("end")].isNull());
        QVERIFY(hold[QStringLiteral("held_ms")].toInt() >= 300);
        QVERIFY(history[QStringLiteral("gaps")].toArray().isEmpty());
        const QJsonObject statistics = history[QStringLiteral("statistics")].toObject();
        QCOMPARE(statistics[QStringLiteral("holds")].toInt(), 1);
        QCOMPARE(statistics[QStringLiteral("ended")].toInt(), 0);
        QVERIFY(statistics[QStringLiteral("mean_held_ms")].isNull()
                && statistics[QStringLiteral("lease_used")].isNull());
        QVERIFY(statistics[QStringLiteral("ends")].toObject().isEmpty());
    }

    void wrongUsage_isRefusedInASentence_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("exitCode");
        const QString metrics = QStringLiteral("--metrics");
        QTest::addRow("no port") << QStringList {metrics, QStringLiteral("127.0.0.1")} << 2;
        QTest::addRow("port too large") << QStringList {metrics, QStringLiteral("65536")} << 2;
        QTest::addRow("a name") << QStringList {metrics, QStringLiteral("example.org:9121")} << 2;
        QTest::addRow("half an address") << QStringList {metrics, QStringLiteral("127.1:9121")} << 2;
        QTest::addRow("bare IPv6") << QStringList {metrics, QStringLiteral("::1:9121")} << 2;
        QTest::addRow("empty") << QStringList {metrics, QString()} << 2;
        QTest::addRow("not ours") << QStringList {metrics, QStringLiteral("192.0.2.1:9121")} << 3;
        QTest::addRow("no time") << QStringList {QStringLiteral("--for"), QStringLiteral("0s")} << 2;
        QTest::addRow("no unit") << QStringList {QStringLiteral("--for"), QStringLiteral("5")} << 2;
    }
    void wrongUsage_isRefusedInASentence()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, exitCode);
        start(arguments);
        QVERIFY(process->waitForFinished(30'000));
        QCOMPARE(process->exitCode(), exitCode);
        errors += process->readAllStandardError();
        QCOMPARE(errors.count('\n'), 1);
        QVERIFY(errors.startsWith("latchkey-cli: "));
    }

    /// What was known is kept, and what was not seen is said.
    void lostConnection_isFollowedByAnotherLook()
    {
        startWatching({QStringLiteral("--json")});
        QVERIFY((*server)({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"}).isInteger());
        QVERIFY((*server)({"SET", "lock:meanwhile", token}).isOk());
        LATCHKEY_AWAIT(output.contains("lock:meanwhile"));
        QVERIFY2(!events().contains(QStringLiteral("released")), output.constData());
        LATCHKEY_AWAIT(errors.contains("connected again"));
    }
};

QTEST_GUILESS_MAIN(TestWatch)
#include "tst_watch.moc"
