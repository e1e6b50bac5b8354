#include "tests/support/await.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/testprogram.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <QUrl>

#include <csignal>
#include <memory>

namespace tst_why {

using namespace latchkey;
using test::Outcome;

/// Tests of why --for, as a process, with a real server: the answer is that of the end.
class TestWhy final : public test::CommandLineTest
{
    Q_OBJECT

    std::unique_ptr<QProcess> process;

    const QByteArray first = QByteArrayLiteral("f442172cd0841b68177e827d1a6528b1");
    const QByteArray second = QByteArrayLiteral("9891ac7c19c1ec9e54f0c08c8074917c");

    qsizetype commandsProcessed()
    {
        const QByteArray stats = (*server)({"INFO", "stats"}).bytes();
        const QByteArray name = "total_commands_processed:";
        const qsizetype at = stats.indexOf(name) + name.size();
        return stats.mid(at, stats.indexOf('\r', at) - at).toLongLong();
    }
    /// Waits until the program has sent many more commands: it has read the key again, and its events.
    [[nodiscard]] bool awaitReads()
    {
        const qsizetype before = commandsProcessed();
        return test::waitFor([&] { return commandsProcessed() > before + 100; });
    }
    /// Starts to watch the key lock:a, and returns when changes of it are seen.
    void startWatching(const QStringList &options)
    {
        process = std::make_unique<QProcess>();
        process->setProcessEnvironment(environment);
        process->start(QStringLiteral(LATCHKEY_CLI),
                       QStringList {QStringLiteral("why"), QStringLiteral("lock:a"), QStringLiteral("--for")}
                           + options);
        LATCHKEY_AWAIT((*server)({"CLIENT", "LIST", "TYPE", "pubsub"}).bytes().contains("sub="));
        QVERIFY(awaitReads());
    }
    Outcome interrupt()
    {
        if (!awaitReads())
            qFatal("the program reads nothing");
        ::kill(static_cast<pid_t>(process->processId()), SIGINT);
        return test::outcomeOf(*process);
    }

private Q_SLOTS:
    void init()
    {
        CommandLineTest::init();
        QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", "KEA"}).isOk());
    }
    void cleanup()
    {
        process.reset();
        CommandLineTest::cleanup();
    }

    /// A redlock on five servers, of which one does not answer and one has another holder.
    void severalServers_voteForTheHolder()
    {
        std::vector<std::unique_ptr<test::TestServer>> others;
        QStringList urls {QStringLiteral("--url"), server->url()};
        for (int i = 0; i < 4; ++i) {
            others.push_back(std::make_unique<test::TestServer>());
            urls << QStringLiteral("--url") << others.back()->url();
        }
        const auto why = [&](const QStringList &options = {}) {
            return run(urls + QStringList {QStringLiteral("why"), QStringLiteral("lock:a")} + options);
        };
        const QStringList json {QStringLiteral("--json")};
        QCOMPARE(why().exitCode, 1);
        QCOMPARE(why(json).object()[QStringLiteral("exists")], QJsonValue(false));

        const QByteArray taken =
            run(urls
                + QStringList {QStringLiteral("acquire"), QStringLiteral("redlock"), QStringLiteral("lock:a"),
                               QStringLiteral("--lease"), QStringLiteral("10m")})
                .output.trimmed();
        QVERIFY(!taken.isEmpty());
        QVERIFY((*others[1])({"SET", "lock:a", second, "PX", "300000"}).isOk());
        const Outcome four = why();
        QVERIFY2(four.exitCode == 0, (four.output + four.errors).constData());
        QVERIFY2(four.output.contains("\nvotes      4 of 5, a majority\n"), four.output.constData());
        QVERIFY2(four.output.contains("has another holder, " + second), four.output.constData());

        others[3].reset();
        const Outcome three = why(json);
        QVERIFY2(three.exitCode == 3, three.errors.constData());
        const QJsonObject answer = three.object();
        const QJsonObject votes = answer[QStringLiteral("votes")].toObject();
        QCOMPARE(votes[QStringLiteral("votes")].toInt(), 3);
        QCOMPARE(votes[QStringLiteral("servers")].toInt(), 5);
        QCOMPARE(votes[QStringLiteral("quorum")].toInt(), 3);
        QCOMPARE(votes[QStringLiteral("majority")], QJsonValue(true));
        // The lease is 10 min; a hundredth of it and two milliseconds are not reliable.
        const qint64 valid = votes[QStringLiteral("valid_ms")].toInteger();
        const qint64 left = answer[QStringLiteral("pttl_ms")].toInteger();
        QVERIFY2(valid > 0 && valid < left - 5'000 && left <= 600'000, three.output.constData());
        QCOMPARE(answer[QStringLiteral("holder")].toString(), QString::fromLatin1(taken));
        QStringList listed;
        for (const QJsonValue &one : answer[QStringLiteral("servers")].toArray())
            listed += one[QStringLiteral("vote")].toString();
        QCOMPARE(listed.join(u' '), QStringLiteral("holds holds other-holder holds unknown"));
        QCOMPARE(answer[QStringLiteral("coverage")][QStringLiteral("complete")], QJsonValue(false));

        // Different values without a holder's name are no votes for one holder.
        for (int i = 0; i < 3; ++i)
            QVERIFY((*others[static_cast<std::size_t>(i)])({"SET", "lock:plain", QByteArray(1, char('1' + i))}).isOk());
        const Outcome plain =
            run({QStringLiteral("why"), QStringLiteral("lock:plain"), QStringLiteral("--url"), others[0]->url(),
                 QStringLiteral("--url"), others[1]->url(), QStringLiteral("--url"), others[2]->url()});
        QVERIFY2(plain.exitCode == 1 && plain.output.contains("\nvotes      1 of 3, no majority"),
                 (plain.output + plain.errors).constData());

        // Two votes, and one server that is unknown: that may be a majority.
        QVERIFY((*others[0])({"DEL", "lock:a"}).isInteger(1));
        const Outcome two = why(json);
        QCOMPARE(two.exitCode, 3);
        QVERIFY(two.object()[QStringLiteral("votes")][QStringLiteral("majority")].isNull());
        QVERIFY(two.object()[QStringLiteral("pttl_ms")].isNull());
    }

    /// A server that is killed, and one that is frozen: neither delays the answer by more than the timeout.
    void silentServers_areNotKnown()
    {
        std::vector<std::unique_ptr<test::TestServer>> others;
        QStringList words {QStringLiteral("why"),   QStringLiteral("lock:a"), QStringLiteral("--timeout"),
                           QStringLiteral("500ms"), QStringLiteral("--url"),  server->url()};
        QVERIFY((*server)({"SET", "lock:a", first, "PX", "600000"}).isOk());
        for (int i = 0; i < 4; ++i) {
            others.push_back(std::make_unique<test::TestServer>());
            words << QStringLiteral("--url") << others.back()->url();
            QVERIFY((*others.back())({"SET", "lock:a", first, "PX", "600000"}).isOk());
        }
        const QString killed = others[0]->url();
        others[0]->kill();
        const auto frozen = static_cast<pid_t>(others[1]->process().processId());
        ::kill(frozen, SIGSTOP);
        const Outcome outcome = run(words);
        ::kill(frozen, SIGCONT);
        QVERIFY2(outcome.exitCode == 3, outcome.errors.constData());
        QVERIFY2(outcome.output.contains("\nvotes      3 of 5, a majority\n"), outcome.output.constData());
        QVERIFY2(outcome.output.contains("\nvalid      for its holder: at most "), outcome.output.constData());
        for (const QString &silent : {killed, others[1]->url()})
            QVERIFY2(outcome.output.contains("\nserver     " + silent.toUtf8() + " not known: "),
                     outcome.output.constData());
        QVERIFY2(outcome.errors.contains(killed.toUtf8()), outcome.errors.constData());
    }

    /// Two URLs of one server would count one vote twice.
    void oneServerTwice_isRefused()
    {
        const QTemporaryDir folder;
        const QString link = folder.filePath(QStringLiteral("link.sock"));
        QVERIFY(QFile::link(QUrl(server->url()).path(), link));
        const Outcome twice = run({QStringLiteral("--url"), server->url(), QStringLiteral("--url"),
                                   QStringLiteral("unix://") + link, QStringLiteral("why"), QStringLiteral("lock:a")});
        QCOMPARE(twice.exitCode, 2);
        QVERIFY2(twice.errors.contains("are the same server"), twice.errors.constData());
        const Outcome watched =
            run({QStringLiteral("--url"), server->url(), QStringLiteral("--url"), QStringLiteral("unix:///nonexistent"),
                 QStringLiteral("why"), QStringLiteral("lock:a"), QStringLiteral("--for"), QStringLiteral("1s")});
        QCOMPARE(watched.exitCode, 2);
        QVERIFY2(watched.errors.contains("--for: it needs a single --url"), watched.errors.constData());
    }

    /// The last read of the key does not wait for the timeout after Ctrl+C.
    void signal_endsTheWatchOfAFrozenServer()
    {
        QVERIFY((*server)({"SET", "lock:a", first, "PX", "600000"}).isOk());
        startWatching({QStringLiteral("10m"), QStringLiteral("--timeout"), QStringLiteral("10m")});
        ::kill(static_cast<pid_t>(server->process().processId()), SIGSTOP);
        ::kill(static_cast<pid_t>(process->processId()), SIGINT);
        const Outcome outcome = test::outcomeOf(*process);
        ::kill(static_cast<pid_t>(server->process().processId()), SIGCONT);
        QVERIFY2(outcome.exitCode == 3, outcome.errors.constData());
        QVERIFY2(outcome.errors.contains("no answer within"), outcome.errors.constData());
        QVERIFY2(outcome.output.contains("history"), outcome.output.constData());
    }

    void keyThatIsDeleted_isGoneInTheAnswer()
    {
        QVERIFY((*server)({"SET", "lock:a", first, "PX", "600000"}).isOk());
        startWatching({QStringLiteral("1h"), QStringLiteral("--json")});
        QVERIFY((*server)({"DEL", "lock:a"}).isInteger(1));
        const Outcome outcome = interrupt();
        QCOMPARE(outcome.exitCode, 1);
        const QJsonObject answer = outcome.object();
        QCOMPARE(answer[QStringLiteral("exists")], QJsonValue(false));
        QVERIFY2(answer[QStringLiteral("pttl_ms")].isNull() && answer[QStringLiteral("holder")].isNull(),
                 outcome.output.constData());
        QCOMPARE(answer[QStringLiteral("history")][QStringLiteral("holds")][0][QStringLiteral("holder")].toString(),
                 QString::fromLatin1(first));
    }

    void lockThatIsTakenOver_hasTheNewHolderInTheAnswer()
    {
        QVERIFY((*server)({"SET", "lock:a", first, "PX", "600000"}).isOk());
        startWatching({QStringLiteral("1h"), QStringLiteral("--json")});
        QVERIFY((*server)({"SET", "lock:a", second, "PX", "60000"}).isOk());
        const Outcome outcome = interrupt();
        QCOMPARE(outcome.exitCode, 0);
        const QJsonObject answer = outcome.object();
        QCOMPARE(answer[QStringLiteral("exists")], QJsonValue(true));
        QCOMPARE(answer[QStringLiteral("holder")].toString(), QString::fromLatin1(second));
        QVERIFY2(answer[QStringLiteral("pttl_ms")].toInt() <= 60'000, outcome.output.constData());
    }

    void text_endsWithTheStateAtTheEnd()
    {
        QVERIFY((*server)({"SET", "lock:a", first, "PX", "600000"}).isOk());
        startWatching({QStringLiteral("1h")});
        QVERIFY((*server)({"SET", "lock:a", second}).isOk());
        const Outcome outcome = interrupt();
        QCOMPARE(outcome.exitCode, 0);
        QVERIFY2(outcome.output.endsWith("at the end no expiry\nholder     " + second + '\n'),
                 outcome.output.constData());
    }

    void absentKey_isWatchedForTheWholeTime()
    {
        const Outcome outcome = run("why lock:a --for 400ms --json");
        QCOMPARE(outcome.exitCode, 1);
        const QJsonObject answer = outcome.object();
        QCOMPARE(answer[QStringLiteral("exists")], QJsonValue(false));
        QVERIFY2(answer[QStringLiteral("history")][QStringLiteral("watched_ms")].toInt() >= 400,
                 outcome.output.constData());
        QVERIFY2(outcome.errors.contains("there is no such key"), outcome.errors.constData());
    }

    void keyThatAppears_isTheAnswer()
    {
        startWatching({QStringLiteral("1h"), QStringLiteral("--json")});
        QVERIFY((*server)({"SET", "lock:a", second, "PX", "600000"}).isOk());
        const Outcome outcome = interrupt();
        QCOMPARE(outcome.exitCode, 0);
        const QJsonObject answer = outcome.object();
        QCOMPARE(answer[QStringLiteral("holder")].toString(), QString::fromLatin1(second));
        QCOMPARE(answer[QStringLiteral("history")][QStringLiteral("holds")][0][QStringLiteral("start")].toString(),
                 QStringLiteral("acquired"));
    }

    void extensionsOfTheCurrentHold_areCounted()
    {
        QVERIFY((*server)({"SET", "lock:a", first, "PX", "600000"}).isOk());
        startWatching({QStringLiteral("1h"), QStringLiteral("--json")});
        for (const char *expiry : {"700000", "800000", "900000"}) {
            QVERIFY((*server)({"PEXPIRE", "lock:a", expiry}).isInteger(1));
            QVERIFY(awaitReads());
        }
        const QJsonObject history = interrupt().object()[QStringLiteral("history")].toObject();
        QCOMPARE(history[QStringLiteral("holds")][0][QStringLiteral("extensions")].toInt(), 3);
        QCOMPARE(history[QStringLiteral("statistics")][QStringLiteral("extensions")].toInt(), 3);
    }

    /// The history of an hour is worth more than the state at its end.
    void serverThatIsGoneAtTheEnd_leavesTheHistory()
    {
        QVERIFY((*server)({"SET", "lock:a", first, "PX", "600000"}).isOk());
        startWatching({QStringLiteral("1h"), QStringLiteral("--json")});
        server->kill();
        ::kill(static_cast<pid_t>(process->processId()), SIGINT);
        const Outcome outcome = test::outcomeOf(*process);
        QCOMPARE(outcome.exitCode, 3);
        const QJsonObject answer = outcome.object();
        QVERIFY2(answer[QStringLiteral("exists")].isNull() && answer[QStringLiteral("pttl_ms")].isNull(),
                 outcome.output.constData());
        QCOMPARE(answer[QStringLiteral("history")][QStringLiteral("holds")].toArray().size(), 1);
    }
};

LATCHKEY_TEST(TestWhy)

} // namespace tst_why

#include "tst_why.moc"
