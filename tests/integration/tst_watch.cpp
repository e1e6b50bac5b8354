#include "tests/support/await.h"
#include "tests/support/faultyproxy.h"
#include "tests/support/metricspage.h"
#include "tests/support/outcome.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QDateTime>
#include <QDeadlineTimer>
#include <QRegularExpression>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <memory>

namespace tst_watch {

using namespace latchkey;
using test::Outcome;

/// Tests of latchkey-cli watch, as a process, with a real server.
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
    qsizetype valueReads()
    {
        static const QRegularExpression count(QStringLiteral("cmdstat_getrange:calls=(\\d+)"));
        const QByteArray info = (*server)({"INFO", "commandstats"}).bytes();
        return count.match(QString::fromLatin1(info)).captured(1).toLongLong();
    }
    /// Returns how often the server has executed the command.
    int calls(const QByteArray &command)
    {
        const QByteArray stats = (*server)({"INFO", "commandstats"}).bytes();
        const qsizetype from = stats.indexOf("cmdstat_" + command + ":calls=");
        return from < 0 ? 0 : stats.sliced(from).split('=')[1].split(',')[0].toInt();
    }
    void start(const QStringList &arguments, const char *command = "watch", const QString &url = {})
    {
        output.clear();
        errors.clear();
        process = std::make_unique<QProcess>();
        connect(process.get(), &QProcess::readyReadStandardOutput, this,
                [this] { output += process->readAllStandardOutput(); });
        connect(process.get(), &QProcess::readyReadStandardError, this,
                [this] { errors += process->readAllStandardError(); });
        process->start(QStringLiteral(LATCHKEY_CLI), QStringList {QString::fromLatin1(command), QStringLiteral("--url"),
                                                                  url.isEmpty() ? server->url() : url}
                                                         + arguments);
    }
    /// Returns the complete lines, as JSON.
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
    /// Starts watching and waits for an existing lock, after which the watch is complete.
    void startWatching(const QStringList &arguments)
    {
        QVERIFY((*server)({"SET", "lock:first", token}).isOk());
        start(arguments);
        LATCHKEY_AWAIT(output.contains("lock:first"));
    }

private Q_SLOTS:
    void init() { server = std::make_unique<test::TestServer>(); }
    void cleanup()
    {
        if (process)
            process->disconnect(this); // What is still written is nothing to it.
        process.reset();
        server.reset();
    }

    void restartedServer_isNamed_data()
    {
        QTest::addColumn<bool>("isJson");
        QTest::addRow("text") << false;
        QTest::addRow("JSON") << true;
    }
    void restartedServer_isNamed()
    {
        QFETCH(bool, isJson);
        startWatching(isJson ? QStringList {QStringLiteral("--json")} : QStringList());
        server->process().crash();
        LATCHKEY_AWAIT(server->process().isKilled());
        QVERIFY(server->process().startAndWait());
        LATCHKEY_AWAIT(output.contains("restarted") && output.contains("sees") && output.contains("ended"));
        QCOMPARE(output.count("restarted"), 1);
        if (!isJson) {
            QVERIFY2(output.contains("  restarted    another process answers: locks that the server had may be lost\n"),
                     output.constData());
            return;
        }
        const auto known = lines();
        const auto line = std::ranges::find_if(known, [](const QJsonObject &each) {
            return each[QStringLiteral("event")] == QStringLiteral("restarted");
        });
        QVERIFY(line != known.cend());
        QVERIFY(line->contains(QStringLiteral("at_ms")));
        QCOMPARE(line->size(), 2);
    }

    /// One event stands for several writes; the holders between them are not known.
    void holdersOverwrittenUnread_areCounted()
    {
        QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", "KEA"}).isOk());
        startWatching({QStringLiteral("--json")});
        const QByteArray burst =
            "for i = 1, 100 do redis.call('set', KEYS[1], ARGV[1] .. string.format('%04x', i), 'PX', 60000) end";
        const QByteArray prefix = other.left(28);
        QVERIFY(!(*server)({"EVAL", burst, "1", "lock:first", prefix}).isError());
        const QByteArray last = prefix + "0064";
        LATCHKEY_AWAIT(output.contains(last));
        QCOMPARE(stop(SIGTERM), 3);
        // The first write may be read, too.
        QVERIFY2(errors.contains("\"unread\":99") || errors.contains("\"unread\":98"), errors.constData());
    }

    /// A value that is no lock ends the hold, and is no hold of the former holder.
    void lockOverwrittenByAnotherValue_ends_data()
    {
        QTest::addColumn<QByteArray>("notifications");
        QTest::addColumn<bool>("isPolled");
        QTest::addRow("notifications") << QByteArray("KEA") << false;
        QTest::addRow("tracking") << QByteArray() << false;
        QTest::addRow("polling") << QByteArray() << true;
    }
    void lockOverwrittenByAnotherValue_ends()
    {
        QFETCH(const QByteArray, notifications);
        QFETCH(const bool, isPolled);
        QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", notifications}).isOk());
        if (isPolled)
            QVERIFY((*server)({"ACL", "SETUSER", "default", "-client|tracking"}).isOk());
        QVERIFY((*server)({"SET", "lock:a", token, "PX", "600000"}).isOk());
        QVERIFY((*server)({"SET", "lock:b", token, "PX", "600000"}).isOk());
        start({QStringLiteral("--json")});
        LATCHKEY_AWAIT(events().count(QStringLiteral("seen")) == 2);

        QVERIFY((*server)({"SET", "lock:a", "{\"cached\":\"page\"}", "PX", "600000"}).isOk());
        QVERIFY(
            (*server)({"EVAL", "redis.call('del', KEYS[1]) return redis.call('rpush', KEYS[1], 'a')", "1", "lock:b"})
                .isInteger(1));
        const auto told = [&](const char *key) {
            QStringList words;
            const QList<QJsonObject> all = lines();
            for (const QJsonObject &line : all) {
                if (line[QStringLiteral("key")] == QLatin1String(key))
                    words += line[QStringLiteral("event")].toString();
            }
            return words.join(u' ');
        };
        LATCHKEY_AWAIT(told("lock:a") == QLatin1String("seen ended"));
        const auto isListEnded = [&] {
            const QString words = told("lock:b");
            return words == QLatin1String("seen ended") || words == QLatin1String("seen released");
        };
        LATCHKEY_AWAIT(isListEnded());
        QVERIFY((*server)({"SET", "lock:a", other, "PX", "600000"}).isOk());
        LATCHKEY_AWAIT(told("lock:a") == QLatin1String("seen ended acquired"));
        QVERIFY((*server)({"DEL", "lock:a"}).isInteger(1));
        LATCHKEY_AWAIT(told("lock:a") == QLatin1String("seen ended acquired released"));
        QCOMPARE(stop(SIGTERM), 0);
    }

    /// A user who may not read some keys for a while learns afterwards what has become of them.
    void locksDeniedForAWhile_areReportedAfterwards_data()
    {
        QTest::addColumn<QByteArray>("notifications");
        QTest::addColumn<QByteArray>("rule");
        QTest::addColumn<int>("exitCode");
        QTest::addRow("notifications") << QByteArray("KEA") << QByteArray("+@all") << 3;
        QTest::addRow("tracking") << QByteArray() << QByteArray("+@all") << 3;
        QTest::addRow("polling") << QByteArray() << QByteArray("-client|tracking") << -1;
    }
    void locksDeniedForAWhile_areReportedAfterwards()
    {
        QFETCH(const QByteArray, notifications);
        QFETCH(const QByteArray, rule);
        QFETCH(const int, exitCode);
        QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", notifications}).isOk());
        QVERIFY((*server)({"ACL", "SETUSER", "eye", "on", ">secret", "~*", "&*", "+@all", rule}).isOk());
        net::Endpoint endpoint = server->endpoint();
        endpoint.user = QStringLiteral("eye");
        endpoint.password = QStringLiteral("secret");
        QVERIFY((*server)({"SET", "lock:a", token, "PX", "600000"}).isOk());
        QVERIFY((*server)({"SET", "lock:b", other, "PX", "600000"}).isOk());
        start({QStringLiteral("--json")}, "watch", endpoint.toUrlWithPassword());
        LATCHKEY_AWAIT(events().count(QStringLiteral("seen")) == 2);

        QVERIFY((*server)({"ACL", "SETUSER", "eye", "resetkeys", "~lock:b"}).isOk());
        QVERIFY((*server)({"DEL", "lock:a"}).isInteger(1));
        QVERIFY((*server)({"SET", "lock:new", token, "PX", "600000"}).isOk());
        QVERIFY((*server)({"SET", "lock:short", token, "PX", "600000"}).isOk());
        QVERIFY((*server)({"DEL", "lock:short"}).isInteger(1));
        LATCHKEY_AWAIT(errors.contains("some keys are not shown"));
        QVERIFY((*server)({"ACL", "SETUSER", "eye", "~*"}).isOk());
        const auto isReported = [&](const char *key, const char *event) {
            const QList<QJsonObject> all = lines();
            return std::ranges::any_of(all, [&](const QJsonObject &line) {
                return line[QStringLiteral("key")] == QLatin1String(key)
                    && line[QStringLiteral("event")] == QLatin1String(event);
            });
        };
        LATCHKEY_AWAIT(isReported("lock:new", "acquired"));
        const auto isEnded = [&] { return isReported("lock:a", "released") || isReported("lock:a", "ended"); };
        LATCHKEY_AWAIT(isEnded());
        const int got = stop(SIGTERM);
        if (exitCode >= 0) // By polling alone, a lock that came and went meanwhile leaves no trace.
            QVERIFY2(got == exitCode, errors.constData());
    }

    /// The connection is lost first. Its loss is not the reason for which nothing is seen afterwards.
    void changedPassword_isTheReason()
    {
        const auto setPassword = [this](const QByteArray &password) {
            QVERIFY((*server)({"ACL", "SETUSER", "eye", "reset", "on", '>' + password, "~*", "&*", "+@all"}).isOk());
        };
        setPassword("secret");
        net::Endpoint endpoint = server->endpoint();
        endpoint.user = QStringLiteral("eye");
        endpoint.password = QStringLiteral("secret");
        start({QStringLiteral("--json")}, "watch", endpoint.toUrlWithPassword());
        QVERIFY((*server)({"SET", "lock:a", token, "PX", "600000"}).isOk());
        LATCHKEY_AWAIT(output.contains("lock:a"));
        setPassword("other");
        QVERIFY(!(*server)({"CLIENT", "KILL", "USER", "eye"}).isError());
        const auto isReason = [this](const char *text) {
            const QList<QJsonObject> all = lines();
            return std::ranges::any_of(all, [text](const QJsonObject &line) {
                return line[QStringLiteral("event")] == QStringLiteral("blind")
                    && line[QStringLiteral("reason")].toString().contains(QLatin1String(text));
            });
        };
        LATCHKEY_AWAIT(isReason("WRONGPASS"));
        QCOMPARE(stop(SIGTERM), 3);
    }

    /// The values of hashes are read, so locks in hashes are seen. No lock in a string is.
    void refusedValuesOfOneType_areReportedAsBlind_data()
    {
        QTest::addColumn<bool>("isJson");
        QTest::addRow("text") << false;
        QTest::addRow("JSON") << true;
    }
    void refusedValuesOfOneType_areReportedAsBlind()
    {
        QFETCH(bool, isJson);
        QVERIFY(
            (*server)({"ACL", "SETUSER", "eye", "on", ">secret", "~*", "&*", "+@all", "-getrange", "-strlen"}).isOk());
        QVERIFY((*server)({"HSET", "lock:h", "8743c9c0-0795-4907-87fd-6c719a6b4586:1", "1"}).isInteger(1));
        net::Endpoint endpoint = server->endpoint();
        endpoint.user = QStringLiteral("eye");
        endpoint.password = QStringLiteral("secret");
        start(isJson ? QStringList {QStringLiteral("--json")} : QStringList(), "watch", endpoint.toUrlWithPassword());
        LATCHKEY_AWAIT(output.contains("lock:h"));
        QVERIFY((*server)({"SET", "lock:s", token, "PX", "600000"}).isOk());
        LATCHKEY_AWAIT(output.contains("blind"));
        QVERIFY2(output.contains("values of one type cannot be read, so the locks with such a value and their holders "
                                 "are not reported: ")
                     && output.contains("NOPERM"),
                 output.constData());
        QVERIFY((*server)({"ACL", "SETUSER", "eye", "+getrange", "+strlen"}).isOk());
        LATCHKEY_AWAIT(output.contains("sees") && output.contains("lock:s"));
        QCOMPARE(output.count("blind"), isJson ? 2 : 1); // The line `sees` has blind_ms.
        QCOMPARE(stop(SIGTERM), 0);                      // Every lock was read in the end.
    }

    /// Client tracking names an evicted key like a deleted one, and polling finds it gone: neither is a release.
    void evictedLocks_areNotReleased_data()
    {
        QTest::addColumn<QByteArray>("notifications");
        QTest::addColumn<QByteArray>("refused");
        QTest::addColumn<QString>("event");
        QTest::addRow("notifications") << QByteArray("KEA") << QByteArray("-debug") << QStringLiteral("evicted");
        QTest::addRow("tracking") << QByteArray() << QByteArray("-debug") << QStringLiteral("ended");
        QTest::addRow("polling") << QByteArray() << QByteArray("-client|tracking") << QStringLiteral("ended");
    }
    void evictedLocks_areNotReleased()
    {
        QFETCH(QByteArray, notifications);
        QFETCH(QByteArray, refused);
        QFETCH(QString, event);
        QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", notifications}).isOk());
        QVERIFY((*server)({"ACL", "SETUSER", "default", refused}).isOk());
        startWatching({QStringLiteral("--json")});
        QVERIFY((*server)({"SET", "lock:a", token, "PX", "600000"}).isOk());
        LATCHKEY_AWAIT(output.contains("lock:a"));
        QVERIFY((*server)({"CONFIG", "SET", "maxmemory-policy", "volatile-lru"}).isOk());
        // The only key with an expiry is evicted, and no other can be.
        QVERIFY((*server)({"CONFIG", "SET", "maxmemory", "1"}).isOk());
        LATCHKEY_AWAIT(events().size() > 2);
        QCOMPARE(lines().last()[QStringLiteral("key")].toString(), QStringLiteral("lock:a"));
        QCOMPARE(events().last(), event);
        QVERIFY((*server)({"CONFIG", "SET", "maxmemory", "0"}).isOk());
        QVERIFY(stop(SIGTERM) >= 0);
    }

    /// Locks that end before their values are read may be reported or not; the coverage has the number of the others.
    void locksThatEndUnread_areCounted_data()
    {
        QTest::addColumn<QString>("notifications");
        QTest::addRow("notifications") << QStringLiteral("KEA");
        QTest::addRow("tracking") << QString();
    }
    void locksThatEndUnread_areCounted()
    {
        QFETCH(const QString, notifications);
        QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", notifications.toLatin1()}).isOk());
        startWatching({QStringLiteral("--json"), QStringLiteral("--limit"), QStringLiteral("200/s")});
        constexpr int count = 3000;
        const QByteArray burst = "for i = 1, " + QByteArray::number(count)
                               + " do redis.call('set', 'lock:short-' .. i, ARGV[1], 'PX', 50) end";
        QVERIFY(!(*server)({"EVAL", burst, "0", token}).isError());
        LATCHKEY_AWAIT((*server)({"DBSIZE"}).isInteger(1)); // All have expired.
        QVERIFY((*server)({"SET", "lock:last", token}).isOk());
        LATCHKEY_AWAIT(output.contains("lock:last")); // What the server announced before is known.
        QCOMPARE(stop(SIGTERM), 3);
        QSet<QString> told;
        for (const QJsonObject &line : lines()) {
            if (const QString key = line[QStringLiteral("key")].toString(); key.startsWith(u"lock:short-"))
                told += key;
        }
        QVERIFY(told.size() < count);
        const QJsonObject coverage = QJsonDocument::fromJson(errors.trimmed().split('\n').last()).object();
        QVERIFY2(coverage[QStringLiteral("unread")].toInt() > 0, errors.constData());
        if (!notifications.isEmpty()) // With tracking, some may not have been found to be gone yet.
            QVERIFY2(coverage[QStringLiteral("unread")].toInt() + told.size() >= count, errors.constData());
        QVERIFY(!coverage[QStringLiteral("complete")].toBool(true));
    }

    /// Locks that came and went while the server reported no changes are missing, and polls still see the others.
    void interruptedChangeEvents_areReported_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        QTest::addRow("subscriber killed, notifications") << QByteArray("KEA") << QByteArray("KEA");
        QTest::addRow("subscriber killed, tracking") << QByteArray() << QByteArray();
        QTest::addRow("switched off") << QByteArray("KEA") << QByteArray();
        QTest::addRow("restricted") << QByteArray("KEA") << QByteArray("Ex");
    }
    void interruptedChangeEvents_areReported()
    {
        QFETCH(const QByteArray, before);
        QFETCH(const QByteArray, after);
        const auto configure = [this](const QByteArray &events) {
            return (*server)({"CONFIG", "SET", "notify-keyspace-events", events}).isOk();
        };
        const auto subscribers = [this] { return (*server)({"CLIENT", "LIST", "TYPE", "pubsub"}).bytes(); };
        QVERIFY(configure(before));
        startWatching({QStringLiteral("--json")});
        LATCHKEY_AWAIT(!subscribers().isEmpty());
        const auto isReported = [this](const QByteArray &key) {
            (void)(*server)({"SET", key, token, "PX", "60000"});
            return std::ranges::any_of(lines(), [](const QJsonObject &line) {
                return line[QStringLiteral("source")] == QLatin1String("event")
                    && line[QStringLiteral("event")] == QLatin1String("acquired");
            });
        };
        int number = 0;
        LATCHKEY_AWAIT(isReported("lock:before-" + QByteArray::number(++number)));
        const QByteArray first = subscribers();
        if (after == before)
            QVERIFY((*server)({"CLIENT", "KILL", "TYPE", "pubsub"}).isInteger(1));
        else
            QVERIFY(configure(after));
        const auto isAnother = [&] {
            const QByteArray now = subscribers();
            return !now.isEmpty() && now.left(now.indexOf(' ')) != first.left(first.indexOf(' '));
        };
        LATCHKEY_AWAIT(isAnother());
        LATCHKEY_AWAIT(errors.contains(": the server reported no changes for ")); // While the watch lasts.
        output.clear();
        LATCHKEY_AWAIT(isReported("lock:after-" + QByteArray::number(++number)));
        QCOMPARE(stop(SIGTERM), 3);
        const QJsonObject coverage = QJsonDocument::fromJson(errors.trimmed().split('\n').last()).object();
        QVERIFY2(coverage[QStringLiteral("unreported_ms")].toInt() > 0, errors.constData());
        QVERIFY(!coverage[QStringLiteral("complete")].toBool(true));
        QCOMPARE(coverage[QStringLiteral("blind_ms")].toInt(-1), 0);
    }

    /// The history of why --for may lack holds in such a time as well.
    void interruptedChangeEvents_areReportedByWhy()
    {
        QVERIFY((*server)({"SET", "lock:first", token}).isOk());
        start({QStringLiteral("lock:first"), QStringLiteral("--for"), QStringLiteral("1h")}, "why");
        const auto subscriber = [this] {
            const QByteArray list = (*server)({"CLIENT", "LIST", "TYPE", "pubsub"}).bytes();
            return list.left(list.indexOf(' '));
        };
        // The test cannot see when the events have begun, so it waits for several confirmations.
        LATCHKEY_AWAIT(!subscriber().isEmpty());
        const qsizetype before = commandsProcessed();
        LATCHKEY_AWAIT(commandsProcessed() > before + 100);
        const QByteArray first = subscriber();
        QVERIFY((*server)({"CLIENT", "KILL", "TYPE", "pubsub"}).isInteger(1));
        LATCHKEY_AWAIT(!subscriber().isEmpty() && subscriber() != first);
        QCOMPARE(stop(SIGINT), 3);
        errors += process->readAllStandardError();
        QVERIFY2(errors.contains("the server reported no changes for "), errors.constData());
    }

    /// A link that holds everything back for longer than a second: the change is that much older than its arrival.
    void slowLink_isPartOfTheUncertainty_data()
    {
        QTest::addColumn<QByteArray>("notifications");
        QTest::addRow("notifications") << QByteArray("KEA");
        QTest::addRow("tracking") << QByteArray();
    }
    void slowLink_isPartOfTheUncertainty()
    {
        QFETCH(const QByteArray, notifications);
        QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", notifications}).isOk());
        QVERIFY((*server)({"SET", "lock:first", token}).isOk());
        test::FaultyProxy proxy(*net::Endpoint::fromUrl(server->url()));
        start({QStringLiteral("--json")}, "watch", proxy.endpoint().toUrl());
        LATCHKEY_AWAIT(output.contains("lock:first"));
        const auto reported = [this](const QByteArray &key) {
            for (const QJsonObject &line : lines()) {
                if (line[QStringLiteral("key")].toString().toLatin1() == key)
                    return line;
            }
            return QJsonObject();
        };
        int number = 0;
        const auto isReported = [&] { // Change events have begun.
            const QByteArray key = "lock:before-" + QByteArray::number(++number);
            (void)(*server)({"SET", key, token, "PX", "60000"});
            return test::waitFor([&] { return !reported(key).isEmpty(); })
                && reported(key)[QStringLiteral("source")] == QLatin1String("event");
        };
        LATCHKEY_AWAIT(isReported());
        proxy.hold();
        const qint64 taken = QDateTime::currentMSecsSinceEpoch();
        QVERIFY((*server)({"SET", "lock:late", token, "PX", "60000"}).isOk());
        const QDeadlineTimer held(1200); // A PING is sent each second, and its reply is late too.
        LATCHKEY_AWAIT(held.hasExpired());
        proxy.release();
        LATCHKEY_AWAIT(!reported("lock:late").isEmpty());
        const QJsonObject late = reported("lock:late");
        const qint64 at = late[QStringLiteral("at_ms")].toInteger();
        QVERIFY(at >= taken + 1000);
        QVERIFY2(at - late[QStringLiteral("uncertain_ms")].toInteger() <= taken, output.constData());
        QVERIFY(stop(SIGTERM) >= 0);
    }

    void events_areFiltered()
    {
        startWatching({QStringLiteral("lock:*"), QStringLiteral("job:*:lock"), QStringLiteral("--json"),
                       QStringLiteral("--event"), QStringLiteral("seen"), QStringLiteral("--event"),
                       QStringLiteral("acquired")});
        QVERIFY((*server)({"SET", "other:lock", token, "PX", "60000"}).isOk());
        QVERIFY((*server)({"SET", "job:1:lock", token, "PX", "60000"}).isOk());
        LATCHKEY_AWAIT(output.contains("job:1:lock"));
        QVERIFY((*server)({"DEL", "job:1:lock"}).isInteger(1)); // Its end is not printed.
        QVERIFY((*server)({"SET", "lock:second", token, "PX", "60000"}).isOk());
        LATCHKEY_AWAIT(output.contains("lock:second"));
        QCOMPARE(stop(SIGTERM), 0);
        QStringList told;
        for (const QJsonObject &line : lines())
            told += line[QStringLiteral("event")].toString() + u' ' + line[QStringLiteral("key")].toString();
        QCOMPARE(told, (QStringList {QStringLiteral("seen lock:first"), QStringLiteral("acquired job:1:lock"),
                                     QStringLiteral("acquired lock:second")}));
    }

    void once_stopsAfterTheFirstEvent()
    {
        startWatching({QStringLiteral("--json"), QStringLiteral("--once")});
        QVERIFY((*server)({"SET", "lock:second", token, "PX", "60000"}).isOk());
        QVERIFY(process->waitForFinished(30'000));
        QCOMPARE(process->exitCode(), 0);
        QCOMPARE(events(), (QStringList {QStringLiteral("seen"), QStringLiteral("acquired")}));
    }

    /// The first printed event counts, also `seen` if it is asked for.
    void once_countsOnlyTheEventsAskedFor()
    {
        QVERIFY((*server)({"SET", "lock:first", token}).isOk());
        start({QStringLiteral("--once"), QStringLiteral("--event"), QStringLiteral("expired")});
        LATCHKEY_AWAIT(valueReads() > 0);
        // On a busy machine, a lock may end before its value is read. Then another one is held longer.
        int lease = 200;
        QDeadlineTimer next(0);
        const auto isOver = [&] {
            if (next.hasExpired()) {
                (void)(*server)({"SET", "lock:second", token, "PX", QByteArray::number(lease)});
                next.setRemainingTime(lease + 10'000);
                lease *= 4;
            }
            return process->state() == QProcess::NotRunning;
        };
        LATCHKEY_AWAIT(isOver());
        QCOMPARE(process->exitCode(), 0);
        QCOMPARE(output.count('\n'), 1);
        QVERIFY2(output.contains("expired") && output.contains(" lock:second"), output.constData());
    }

    void once_withoutAnEventIsANo()
    {
        QVERIFY((*server)({"SET", "lock:first", token}).isOk());
        start({QStringLiteral("--once"), QStringLiteral("--for"), QStringLiteral("300ms")});
        QVERIFY(process->waitForFinished(30'000));
        QVERIFY2(output.contains("seen"), output.constData());
        QCOMPARE(errors, QByteArray("latchkey-cli: watch: there was no event to stop after\n"));
        QCOMPARE(process->exitCode(), 1);
    }

    /// Without complete coverage, an event may have been missed: that is no clear no.
    void once_withoutCoverageIsNoAnswer()
    {
        QVERIFY((*server)({"SET", "lock:first", token}).isOk());
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-pttl"}).isOk());
        start({QStringLiteral("--once"), QStringLiteral("--for"), QStringLiteral("300ms")});
        QVERIFY(process->waitForFinished(30'000));
        QVERIFY2(!errors.contains("no event to stop"), errors.constData());
        QCOMPARE(process->exitCode(), 3);
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
        // Changes are reported only after a moment.
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
        // Long enough for a busy machine to read the holder.
        QVERIFY((*server)({"SET", "lock:a", other, "PX", "1500"}).isOk());
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

    /// Without change events, a flush looks like the release of each lock.
    void flushWithoutChangeEvents_isNoRelease_data()
    {
        QTest::addColumn<QByteArrayList>("denied");
        QTest::addColumn<QByteArrayList>("command");
        QTest::addColumn<QString>("event");
        const QByteArrayList events {"-subscribe", "-psubscribe"};
        const QString ended = QStringLiteral("ended");
        QTest::addRow("released") << events << QByteArrayList {"DEL", "lock:first", "lock:second"}
                                  << QStringLiteral("released");
        QTest::addRow("FLUSHALL") << events << QByteArrayList {"FLUSHALL"} << ended;
        QTest::addRow("FLUSHDB") << events << QByteArrayList {"FLUSHDB"} << ended;
        QTest::addRow("SWAPDB") << events << QByteArrayList {"SWAPDB", "0", "1"} << ended;
        QTest::addRow("FLUSHALL, INFO denied")
            << events + QByteArrayList {"-info"} << QByteArrayList {"FLUSHALL"} << ended;
    }
    void flushWithoutChangeEvents_isNoRelease()
    {
        QFETCH(const QByteArrayList, denied);
        QFETCH(const QByteArrayList, command);
        QFETCH(const QString, event);
        resp::Command rules {"ACL", "SETUSER", "default"};
        for (const QByteArray &rule : denied)
            rules << rule;
        QVERIFY((*server)(rules).isOk());
        QVERIFY((*server)({"SET", "lock:second", other, "PX", "600000"}).isOk());
        startWatching({QStringLiteral("--json")});
        LATCHKEY_AWAIT(output.contains("lock:second"));
        if (!denied.contains("-info")) { // Each key is read again, after the first number of flushes.
            const int before = calls("pttl");
            LATCHKEY_AWAIT(calls("pttl") > before + 4);
        }
        output.clear();
        resp::Command flush;
        for (const QByteArray &word : command)
            flush << word;
        QVERIFY(!(*server)(flush).isError());
        LATCHKEY_AWAIT(events().size() == 2);
        QCOMPARE(events(), (QStringList {event, event}));
        QCOMPARE(stop(SIGINT), 0);
    }

    /// The flush and the next holds come between two reads, and each hold has the token of the hold before.
    void sameTokenAfterAFlush_isNoRenewal()
    {
        const QByteArray holder = "9891ac7c-19c1-4c9e-94f0-c08c8074917c:47"; // That of a lock of Redisson.
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-subscribe", "-psubscribe"}).isOk());
        QVERIFY((*server)({"HSET", "lock:second", holder, "1"}).isInteger(1));
        QVERIFY((*server)({"PEXPIRE", "lock:second", "30000"}).isInteger(1));
        startWatching({QStringLiteral("--json")});
        LATCHKEY_AWAIT(output.contains("lock:second"));
        QVERIFY((*server)({"SET", "lock:third", other, "PX", "60000"}).isOk());
        LATCHKEY_AWAIT(
            events().contains(QStringLiteral("acquired"))); // Both locks were read before a count of flushes.
        QVERIFY((*server)({"DEL", "lock:third"}).isInteger(1));
        LATCHKEY_AWAIT(events().contains(QStringLiteral("released")));
        output.clear();
        for (const resp::Command &command :
             {resp::Command {"MULTI"}, resp::Command {"FLUSHALL"}, resp::Command {"SET", "lock:first", token},
              resp::Command {"HSET", "lock:second", holder, "1"}, resp::Command {"PEXPIRE", "lock:second", "90000"},
              resp::Command {"EXEC"}})
            QVERIFY(!(*server)(command).isError());
        LATCHKEY_AWAIT(events().count(QStringLiteral("acquired")) == 2);
        QCOMPARE(events().size(), 4);
        for (const QByteArray &key : {QByteArray("lock:first"), QByteArray("lock:second")}) {
            QStringList ofKey;
            for (const QJsonObject &line : lines()) {
                if (line[QStringLiteral("key")].toString().toLatin1() == key)
                    ofKey += line[QStringLiteral("event")].toString();
            }
            QCOMPARE(ofKey.size(), 2);
            QVERIFY2(ofKey[0] == u"flushed" || ofKey[0] == u"ended", qPrintable(ofKey[0]));
            QCOMPARE(ofKey[1], QStringLiteral("acquired"));
        }
        QCOMPARE(stop(SIGINT), 0);
    }

    /// No client acquired these locks at that time.
    void locksOfASwappedDatabase_areInferred_data()
    {
        QTest::addColumn<QByteArray>("notifications");
        QTest::addColumn<bool>("isPolled");
        QTest::addRow("notifications") << QByteArray("KEA") << false;
        QTest::addRow("tracking") << QByteArray() << false;
        QTest::addRow("polling") << QByteArray() << true;
    }
    void locksOfASwappedDatabase_areInferred()
    {
        QFETCH(QByteArray, notifications);
        QFETCH(bool, isPolled);
        QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", notifications}).isOk());
        if (isPolled)
            QVERIFY((*server)({"ACL", "SETUSER", "default", "-subscribe", "-psubscribe"}).isOk());
        for (const resp::Command &command :
             {resp::Command {"SELECT", "1"}, resp::Command {"SET", "lock:second", other, "PX", "600000"},
              resp::Command {"SELECT", "0"}})
            QVERIFY((*server)(command).isOk());
        startWatching({QStringLiteral("--json")});
        QVERIFY((*server)({"SET", "lock:certain", other, "PX", "60000"}).isOk());
        LATCHKEY_AWAIT(output.contains("lock:certain"));
        const int before = calls("scan"); // A complete scan, after the events have begun, lacks the other lock.
        LATCHKEY_AWAIT(calls("scan") > before + 2);
        QVERIFY((*server)({"SWAPDB", "0", "1"}).isOk());
        LATCHKEY_AWAIT(output.contains("lock:second"));
        for (const QJsonObject &line : lines()) {
            if (line[QStringLiteral("event")].toString() != u"acquired")
                continue;
            const bool isSwapped = line[QStringLiteral("key")].toString() == u"lock:second";
            QCOMPARE(line[QStringLiteral("source")].toString() == u"inferred", isSwapped);
            QCOMPARE(line[QStringLiteral("holder")].toString().toLatin1(), other);
        }
        QCOMPARE(stop(SIGINT), 0);
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

    void textOutput_isReadable()
    {
        startWatching({});
        static const QRegularExpression line(QStringLiteral(
            "^\\d\\d:\\d\\d:\\d\\d\\.\\d{3}  seen         f442172cd0841b68177e827d1a6528b1 {4}  lock:first  "
            "\\(no expiry\\)\\n$"));
        QVERIFY2(line.match(QString::fromUtf8(output)).hasMatch(), output.constData());
    }

    void time_isKept()
    {
        start({QStringLiteral("--for"), QStringLiteral("3s")}); // All keys are read within that time.
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
        QVERIFY2(outcome.errors.startsWith("latchkey-cli: watch: "), outcome.errors.constData());
        QCOMPARE(outcome.errors.count('\n'), 1); // Only one line.
    }

    void metrics_areServed()
    {
        startWatching({QStringLiteral("--metrics"), QStringLiteral("0")});
        LATCHKEY_AWAIT(test::metricsPort(errors) != 0);
        const QByteArray get = QByteArrayLiteral("GET /metrics HTTP/1.1\r\nHost: localhost:9121\r\n\r\n");
        QByteArray page = test::httpResponse(test::metricsPort(errors), get);
        QVERIFY2(page.startsWith("HTTP/1.1 200 OK\r\n"), page.constData());
        QVERIFY(page.contains("Content-Type: text/plain; version=0.0.4"));
        QVERIFY2(page.contains("latchkey_up 1\n"), page.constData());
        QVERIFY2(page.contains("latchkey_locks_held{kind=\"lock.token\"} 1\n"), page.constData());
        QVERIFY2(page.contains("latchkey_findings{id=\"no-expiry\",severity=\"error\"} 1\n"), page.constData());
        QVERIFY((*server)({"DEL", "lock:first"}).isInteger(1));
        LATCHKEY_AWAIT(output.contains("released"));
        page = test::httpResponse(test::metricsPort(errors), get);
        QVERIFY2(page.contains("latchkey_holds_ended_total{kind=\"lock.token\",cause=\"released\"} 1\n"),
                 page.constData());
        QVERIFY(!page.contains("latchkey_locks_held{"));
        QVERIFY(test::httpResponse(test::metricsPort(errors), "GET / HTTP/1.1\r\n\r\n").startsWith("HTTP/1.1 404"));
        QVERIFY(
            test::httpResponse(test::metricsPort(errors), "POST /metrics HTTP/1.1\r\n\r\n").startsWith("HTTP/1.1 405"));
        QVERIFY(test::httpResponse(test::metricsPort(errors), "nonsense\r\n\r\n").startsWith("HTTP/1.1 400"));
    }

    /// why --for: any key, with its history.
    void historyOfOneKey_isReportedByWhy_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("holder");
        QTest::addRow("a lock by its name") << QByteArray("lock:a") << other;
        QTest::addRow("any name") << QByteArray("order:5") << QByteArray("holder unknown");
    }
    void historyOfOneKey_isReportedByWhy()
    {
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, holder);
        QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", "KEA"}).isOk());
        QVERIFY((*server)({"SET", key, token, "PX", "600000"}).isOk());
        start({QString::fromLatin1(key), QStringLiteral("--for"), QStringLiteral("1h")}, "why");
        // The first output is from one read; the history follows at the end.
        LATCHKEY_AWAIT(output.contains("kind "));
        LATCHKEY_AWAIT((*server)({"CLIENT", "LIST", "TYPE", "pubsub"}).bytes().contains("sub="));
        // The test cannot see when the watch is complete, so it repeats until the holder was seen.
        const auto takeAndRelease = [&] {
            QVERIFY((*server)({"DEL", key}).isInteger());
            QVERIFY((*server)({"SET", key, other, "PX", "600000"}).isOk());
        };
        const qsizetype cost = commandsProcessed();
        LATCHKEY_AWAIT((takeAndRelease(), commandsProcessed() > cost + 200));
        QVERIFY((*server)({"PEXPIRE", key, "50"}).isInteger(1));
        LATCHKEY_AWAIT((*server)({"EXISTS", key}).isInteger(0));
        const qsizetype after = commandsProcessed();
        LATCHKEY_AWAIT(commandsProcessed() > after + 100); // Includes its own PINGs and reads.
        QCOMPARE(stop(SIGINT), 1);                         // The key does not exist at the end.
        output += process->readAllStandardOutput();
        QVERIFY2(output.contains("at the end no such key\n"), output.constData());
        QVERIFY2(output.contains("history    "), output.constData());
        QVERIFY2(output.contains("by notifications\n"), output.constData());
        QVERIFY2(output.contains(holder + "  acquired, held for "), output.constData());
        QVERIFY2(output.contains(": released or deleted, "), output.constData());
        // Statistics follow.
        QVERIFY2(output.contains("held for      ") && output.contains(" on average, "), output.constData());
        QVERIFY2(output.contains("ended         expired: 1, released or deleted: "), output.constData());
    }

    /// A single read of such a key shows no lock; its changes do.
    void lockByBehaviour_isReportedByWhy()
    {
        QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", "KEA"}).isOk());
        QVERIFY((*server)({"SET", "invoice:77", token, "PX", "60000"}).isOk());
        start({QStringLiteral("invoice:77"), QStringLiteral("--for"), QStringLiteral("1h")}, "why");
        LATCHKEY_AWAIT(output.contains("not recognised as a lock"));
        LATCHKEY_AWAIT((*server)({"CLIENT", "LIST", "TYPE", "pubsub"}).bytes().contains("sub="));
        const qsizetype cost = commandsProcessed();
        const qsizetype readsBefore = valueReads();
        LATCHKEY_AWAIT(([&] {
            for (const QByteArray &held : {other, token}) {
                const qsizetype reads = valueReads();
                (void)(*server)({"DEL", "invoice:77"});
                (void)(*server)({"SET", "invoice:77", held, "PX", "60000"});
                (void)test::waitFor([&] { return valueReads() > reads; }, std::chrono::milliseconds(200));
            }
            // On a busy machine many holds end unread. Recognition comes in batches.
            return valueReads() >= readsBefore + 20 && commandsProcessed() > cost + 1500;
        }()));
        QCOMPARE(stop(SIGINT), 0);
        output += process->readAllStandardOutput();
        QVERIFY2(output.contains("(lock.token, probable)"), output.constData());
        QVERIFY2(output.contains("deleted before their expiry"), output.constData());
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
        QVERIFY(statistics.contains(QStringLiteral("mean_held_uncertain_ms"))
                && statistics.contains(QStringLiteral("longest_held_uncertain_ms")));
        QVERIFY(statistics[QStringLiteral("mean_held_ms")].isNull()
                && statistics[QStringLiteral("lease_used")].isNull());
        QVERIFY(statistics[QStringLiteral("ends")].toObject().isEmpty());
    }

    /// DNS rebinding: a web page of another site with a name that resolves to this server.
    void metricsForAnotherHost_areRefused()
    {
        startWatching({QStringLiteral("--metrics"), QStringLiteral("0")});
        LATCHKEY_AWAIT(test::metricsPort(errors) != 0);
        const auto get = [&](const QByteArray &host) {
            return test::httpResponse(test::metricsPort(errors), "GET /metrics HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
        };
        for (const char *host : {"127.0.0.1:9121", "127.0.0.1", "localhost", "[::1]:9121"})
            QVERIFY2(get(host).startsWith("HTTP/1.1 200"), host);
        for (const char *host : {"evil.example", "evil.example:9121", "localhost.evil.example", "a b"})
            QVERIFY2(get(host).startsWith("HTTP/1.1 421"), host);
    }

    void idleConnections_doNotKeepTheScraperOut()
    {
        startWatching({QStringLiteral("--metrics"), QStringLiteral("0")});
        LATCHKEY_AWAIT(test::metricsPort(errors) != 0);
        std::vector<std::unique_ptr<QTcpSocket>> idle;
        for (int i = 0; i < 120; ++i) {
            idle.push_back(std::make_unique<QTcpSocket>());
            idle.back()->connectToHost(QHostAddress(QHostAddress::LocalHost), test::metricsPort(errors));
            QVERIFY(idle.back()->waitForConnected());
            if (i >= 60)
                QVERIFY(test::httpResponse(test::metricsPort(errors), "GET /metrics HTTP/1.1\r\n\r\n")
                            .startsWith("HTTP/1.1 200"));
        }
    }

    void wrongUsage_isRefusedInASentence_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QByteArray>("says");
        const QString metrics = QStringLiteral("--metrics");
        QTest::addRow("no port") << QStringList {metrics, QStringLiteral("127.0.0.1")} << 2
                                 << QByteArray("has no port");
        QTest::addRow("port too large") << QStringList {metrics, QStringLiteral("65536")} << 2
                                        << QByteArray("the port 65536 is larger than 65535");
        QTest::addRow("a name") << QStringList {metrics, QStringLiteral("example.org:9121")} << 2
                                << QByteArray("is no IP address");
        QTest::addRow("half an address") << QStringList {metrics, QStringLiteral("127.1:9121")} << 2
                                         << QByteArray("is no IP address");
        QTest::addRow("bare IPv6") << QStringList {metrics, QStringLiteral("::1:9121")} << 2
                                   << QByteArray("stands in brackets");
        QTest::addRow("empty") << QStringList {metrics, QString()} << 2 << QByteArray("has no port");
        QTest::addRow("not ours") << QStringList {metrics, QStringLiteral("192.0.2.1:9121")} << 3
                                  << QByteArray("cannot serve metrics at 192.0.2.1 port 9121");
        QTest::addRow("no time") << QStringList {QStringLiteral("--for"), QStringLiteral("0s")} << 2
                                 << QByteArray("longer than zero");
        QTest::addRow("no unit") << QStringList {QStringLiteral("--for"), QStringLiteral("5")} << 2
                                 << QByteArray("lacks a unit");
    }
    void wrongUsage_isRefusedInASentence()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, exitCode);
        QFETCH(QByteArray, says);
        start(arguments);
        QVERIFY(process->waitForFinished(30'000));
        QCOMPARE(process->exitCode(), exitCode);
        errors += process->readAllStandardError();
        QCOMPARE(errors.count('\n'), 1);
        QVERIFY(errors.startsWith("latchkey-cli: "));
        QVERIFY2(errors.contains(says), errors.constData());
    }

    /// The known state is kept, and the gap is reported.
    void lostConnection_isFollowedByAnotherRead()
    {
        startWatching({QStringLiteral("--json")});
        QVERIFY((*server)({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"}).isInteger());
        QVERIFY((*server)({"SET", "lock:meanwhile", token}).isOk());
        LATCHKEY_AWAIT(output.contains("lock:meanwhile"));
        QVERIFY2(!events().contains(QStringLiteral("released")), output.constData());
        LATCHKEY_AWAIT(events().contains(QStringLiteral("sees")));
        const qsizetype blind = events().indexOf(QStringLiteral("blind"));
        QVERIFY(blind >= 0);
        QVERIFY(lines()[blind][QStringLiteral("reason")].toString().contains(QStringLiteral("connection")));
        QVERIFY(lines()[blind][QStringLiteral("since_ms")].toDouble()
                <= lines()[blind][QStringLiteral("at_ms")].toDouble());
        // A gap in the observation is no success.
        QCOMPARE(stop(SIGINT), 3);
        LATCHKEY_AWAIT(errors.contains("\"complete\":false"));
    }

    /// Locks with any name, also with many keys.
    void locksOfAnyName_areThoseOfLs()
    {
        QVERIFY((*server)({"EVAL", "for i = 1, 25000 do redis.call('SET', 'plain:' .. i, 'v') end return 1", "0"})
                    .isInteger(1));
        // The users of Redisson choose the name.
        const auto lock = [this](const QByteArray &key) {
            return (*server)({"EVAL",
                              "redis.call('HSET', KEYS[1], ARGV[1], 1) return redis.call('PEXPIRE', KEYS[1], 55000)",
                              "1", key, "3f2b8c1e-7d4a-4f6b-9c2d-8e1a5b7c1000:1"})
                .isInteger(1);
        };
        for (const char *key : {"invoice:77", "stock:9", "\xe9\x94\x81:\xe8\xae\xa2\xe5\x8d\x95"})
            QVERIFY(lock(key));
        for (const char *key : {"job:import-1:lock", "lock:job:1"})
            QVERIFY((*server)({"SET", key, token, "PX", "55000"}).isOk());
        start({QStringLiteral("--locks"), QStringLiteral("--json")}, "ls");
        QVERIFY(process->waitForFinished(60'000));
        QSet<QString> listed;
        const QByteArray array = output + process->readAllStandardOutput();
        for (const QJsonValue &row : QJsonDocument::fromJson(array).array())
            listed += row[QStringLiteral("key")].toString();
        QCOMPARE(listed.size(), 5);
        start({QStringLiteral("--json")});
        QSet<QString> seen;
        LATCHKEY_AWAIT(([&] {
            for (const QJsonObject &line : lines())
                seen += line[QStringLiteral("key")].toString();
            return seen.size() >= listed.size();
        }()));
        QCOMPARE(seen, listed);
        output.clear();
        QVERIFY((*server)({"DEL", "invoice:77"}).isInteger(1));
        LATCHKEY_AWAIT(output.contains("\"released\""));
        // A key that comes during the first scan may have been there before.
        for (int i = 78; !output.contains("\"acquired\""); ++i) {
            const QByteArray key = "invoice:" + QByteArray::number(i);
            QVERIFY(i < 100 && lock(key));
            LATCHKEY_AWAIT(output.contains(key));
        }
    }

    /// A SET NX PX under an unspecific name: the second hold is reported and counted.
    void lockByBehaviour_isReportedFromItsSecondHoldOn()
    {
        QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", "KEA"}).isOk());
        startWatching({QStringLiteral("--json"), QStringLiteral("--metrics"), QStringLiteral("0")});
        LATCHKEY_AWAIT(test::metricsPort(errors) != 0);
        int holds = 0;
        const auto held = [&] { return "22222222-2222-4333-8444-" + QByteArray::number(555555555550 + holds); };
        // A hold counts once its value has been read.
        while (!output.contains("\"acquired\"") && holds < 10) {
            const qsizetype reads = valueReads();
            if (holds > 0)
                QVERIFY((*server)({"DEL", "invoice:77"}).isInteger(1));
            ++holds;
            QVERIFY((*server)({"SET", "invoice:77", held(), "NX", "PX", "60000"}).isOk());
            LATCHKEY_AWAIT(output.contains("\"acquired\"") || valueReads() > reads);
        }
        LATCHKEY_AWAIT(output.contains("\"acquired\""));
        QVERIFY(holds > 1);
        LATCHKEY_AWAIT(output.contains("\"holder\":\"" + held()));
        const auto isCounted = [&](const char *count) {
            return test::httpResponse(test::metricsPort(errors), "GET /metrics HTTP/1.1\r\n\r\n")
                .contains(QByteArrayLiteral("latchkey_locks_held{kind=\"lock.token\"} ") + count + '\n');
        };
        LATCHKEY_AWAIT(isCounted("2")); // lock:first is one of the two.
        QVERIFY((*server)({"DEL", "invoice:77"}).isInteger(1));
        LATCHKEY_AWAIT(isCounted("1"));
        QVERIFY(output.contains("\"released\""));
    }
};

LATCHKEY_TEST(TestWatch)

} // namespace tst_watch

#include "tst_watch.moc"
