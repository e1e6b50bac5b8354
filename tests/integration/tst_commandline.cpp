#include "core/keyspace/events/observation.h"
#include "core/recipes/locks/catalogue.h"
#include "tests/support/await.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/fakeserver.h"
#include "tests/support/freeport.h"
#include "tests/support/otherclient.h"
#include "tests/support/pseudoterminal.h"
#include "tests/support/testprogram.h"

#include <QDir>
#include <QElapsedTimer>
#include <QProcess>
#include <QStandardPaths>
#include <QTcpServer>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <sys/stat.h>

namespace tst_commandline {

using namespace latchkey;
using test::Outcome;

/// Tests of latchkey-cli as scripts use it.
class TestCommandLine final : public test::CommandLineTest
{
    Q_OBJECT

private Q_SLOTS:
    void recipes_areListed()
    {
        const Outcome json = run("recipes --json");
        QCOMPARE(json.exitCode, 0);
        const QJsonArray recipes = QJsonDocument::fromJson(json.output).array();
        QStringList ids;
        for (const QJsonValue &recipe : recipes) {
            const QJsonObject object = recipe.toObject();
            QCOMPARE(object.keys(),
                     (QStringList {QStringLiteral("commands"), QStringLiteral("family"), QStringLiteral("id"),
                                   QStringLiteral("promises"), QStringLiteral("title")}));
            QVERIFY(!object[QStringLiteral("promises")].toArray().isEmpty());
            ids += object[QStringLiteral("id")].toString();
        }
        for (const char *id : {"basic", "auto-release", "token"})
            QVERIFY2(ids.contains(QString::fromLatin1(id)), id);
        const QByteArray printed = run("recipes").output;
        QVERIFY(printed.contains("crash-release"));
        for (const char *line : {"\n  crash-release       the lock of a crashed holder becomes free\n",
                                 "\n  no-immortal-data    no data is left without an expiry\n",
                                 "mutual-exclusion covers only holders that do not exceed their leases."}) {
            QVERIFY2(printed.contains(line), printed.constData());
        }
        QVERIFY(run("explore --help").output.contains("\n  crash-release       the lock of a crashed holder"));
    }

    /// Saved connections of the window, with a password from another source.
    void server_isFoundByItsName()
    {
        const QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("servers.ini")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("[my%20orders]\nurl=" + server->url().toUtf8() + "\nenvironment=production\n");
        file.close();
        QVERIFY((*server)({"SET", "k", "v"}).isOk());
        environment.insert(QStringLiteral("LATCHKEY_SERVERS"), file.fileName());
        environment.insert(QStringLiteral("LATCHKEY_URL"), QStringLiteral("redis://127.0.0.1:1"));
        const Outcome found = run({QStringLiteral("--server"), QStringLiteral("My Orders"), QStringLiteral("ls")});
        QVERIFY2(found.exitCode == 0 && found.output.contains(" k\n"), (found.output + found.errors).constData());
        // A command that it starts connects to the same server.
        const Outcome handedOn =
            run({QStringLiteral("--server"), QStringLiteral("my orders"), QStringLiteral("run"),
                 QStringLiteral("token"), QStringLiteral("lock:k"), QStringLiteral("--"), QStringLiteral("sh"),
                 QStringLiteral("-c"), QStringLiteral("echo $LATCHKEY_URL")});
        QCOMPARE(handedOn.output.trimmed(), server->url().toUtf8());
        const Outcome unknown = run("ls --server none");
        QCOMPARE(unknown.exitCode, 2);
        QCOMPARE(unknown.errors, QByteArray("latchkey-cli: --server: no server or group is saved as \"none\" in ")
                                     + file.fileName().toUtf8() + '\n');
        // An error of another saved connection is not reported.
        QVERIFY(file.open(QIODevice::Append));
        file.write("[broken]\nurl=nonsense\n");
        file.close();
        QCOMPARE(run("ls --server none").errors, unknown.errors);
        const Outcome broken = run("ls --server broken");
        QCOMPARE(broken.exitCode, 2);
        QVERIFY2(broken.errors.startsWith("latchkey-cli: --server: the server \"broken\": the URL \"nonsense\" lacks"),
                 broken.errors.constData());
    }

    /// The options of redis-cli name the same server as a URL.
    void server_isNamedByItsParts()
    {
        const quint16 port = test::freePort();
        test::TestServer tcp(test::listeningAt(port));
        QVERIFY(tcp({"SET", "first", "v"}).isOk());
        QVERIFY(tcp({"SELECT", "3"}).isOk() && tcp({"SET", "third", "v"}).isOk());
        QVERIFY(tcp({"ACL", "SETUSER", "ann", "on", ">secret", "~*", "+@all"}).isOk());
        QVERIFY((*server)({"SELECT", "3"}).isOk() && (*server)({"SET", "mine", "v"}).isOk());
        const QByteArray number = QByteArray::number(port);
        QVERIFY(run(("--host 127.0.0.1 -p " + number + " ls").constData()).output.endsWith(" first\n"));
        QVERIFY(run(("-h 127.0.0.1 -p " + number + " ls").constData()).output.endsWith(" first\n"));
        QVERIFY(run(("ls -h 127.0.0.1 -p " + number + " -n 3").constData()).output.endsWith(" third\n"));
        QVERIFY(run(("ls -n 3 --port=" + number).constData()).output.endsWith(" third\n"));
        QVERIFY(run(("-u redis://127.0.0.1:" + number + "/3 ls").constData()).output.endsWith(" third\n"));
        // Without host and port, they change the server of LATCHKEY_URL.
        QVERIFY(run("ls").output.isEmpty());
        QVERIFY(run("ls -n 3").output.endsWith(" mine\n"));
        environment.insert(QStringLiteral("LATCHKEY_URL"), QStringLiteral("redis://:other@127.0.0.1:%1").arg(port));
        environment.insert(QStringLiteral("LATCHKEY_PASSWORD"), QStringLiteral("secret"));
        const Outcome ann = run("ls --user ann --db 3");
        QVERIFY2(ann.exitCode == 0 && ann.output.endsWith(" third\n"), ann.errors.constData());
        // A command that it starts connects to the same server.
        const Outcome handedOn =
            run({QStringLiteral("-p"), QString::number(port), QStringLiteral("-n"), QStringLiteral("3"),
                 QStringLiteral("--user"), QStringLiteral("ann"), QStringLiteral("run"), QStringLiteral("token"),
                 QStringLiteral("lock:k"), QStringLiteral("--"), QStringLiteral(LATCHKEY_CLI), QStringLiteral("ls")});
        QVERIFY2(handedOn.output.contains(" third\n"), (handedOn.output + handedOn.errors).constData());
    }

    void lock_passesThroughTheStatesOfTheHelp()
    {
        const Outcome acquired = run("acquire token lock:orders --lease 10s");
        QCOMPARE(acquired.exitCode, 0);
        const QByteArray token = acquired.output.trimmed();
        QCOMPARE(token.size(), 32);
        QVERIFY((*server)({"GET", "lock:orders"}).isBulk(token));
        QVERIFY((*server)({"PTTL", "lock:orders"}).toInteger() > 8000);

        const Outcome busy = run("acquire token lock:orders");
        QCOMPARE(busy.exitCode, 1);
        QCOMPARE(busy.output, QByteArray());
        QCOMPARE(busy.errors, QByteArray("latchkey-cli: acquire token \"lock:orders\": busy\n"));

        QCOMPARE(run({QStringLiteral("extend"), QStringLiteral("token"), QStringLiteral("lock:orders"),
                      QStringLiteral("--lease"), QStringLiteral("1m"), QStringLiteral("--token"),
                      QString::fromLatin1(token)})
                     .output,
                 QByteArray("extended\n"));
        QVERIFY((*server)({"PTTL", "lock:orders"}).toInteger() > 50'000);

        const Outcome notOwner = run("release token lock:orders --token guess");
        QCOMPARE(notOwner.exitCode, 1);
        QCOMPARE(notOwner.errors, QByteArray("latchkey-cli: release token \"lock:orders\": the lock is held with "
                                             "another token; nothing was changed\n"));
        QCOMPARE(run({QStringLiteral("release"), QStringLiteral("token"), QStringLiteral("lock:orders"),
                      QStringLiteral("--token"), QString::fromLatin1(token)})
                     .output,
                 QByteArray("released\n"));
        const Outcome gone = run("release token lock:orders --token guess --json");
        QCOMPARE(gone.exitCode, 1);
        QCOMPARE(gone.outcome(), QStringLiteral("gone"));
    }

    void json_hasEveryField()
    {
        const QJsonObject acquired = run("acquire token k --lease 10s --json").object();
        QCOMPARE(acquired.keys(),
                 (QStringList {QStringLiteral("fencing"), QStringLiteral("lease_ms"), QStringLiteral("outcome"),
                               QStringLiteral("token"), QStringLiteral("valid_for_ms")}));
        QCOMPARE(acquired[QStringLiteral("outcome")].toString(), QStringLiteral("acquired"));
        QCOMPARE(acquired[QStringLiteral("lease_ms")].toInteger(), qint64(10'000));
        const qint64 valid = acquired[QStringLiteral("valid_for_ms")].toInteger();
        QVERIFY2(valid > 8000 && valid < 10'000, qPrintable(QString::number(valid)));
        QVERIFY(acquired[QStringLiteral("fencing")].isNull());
        const QJsonObject basic = run("acquire basic k2 --json").object();
        QVERIFY(basic[QStringLiteral("token")].isNull() && basic[QStringLiteral("lease_ms")].isNull()
                && basic[QStringLiteral("valid_for_ms")].isNull());
        QCOMPARE(run("acquire token k --json").outcome(), QStringLiteral("busy"));
    }

    void autoRelease_takesItsUnitAndItsValue()
    {
        QCOMPARE(run("acquire auto-release k --lease 5s --unit s --value mine").output, QByteArray("acquired\n"));
        QVERIFY((*server)({"GET", "k"}).isBulk("mine"));
        QCOMPARE(run("release auto-release k").exitCode, 0);
        QCOMPARE(run("acquire auto-release k --lease 1500ms --unit ms").exitCode, 0);
    }

    void everyRecipe_goesRound()
    {
        const QJsonArray recipes = QJsonDocument::fromJson(run("recipes --json").output).array();
        for (const QJsonValue &entry : recipes) {
            if (entry[QStringLiteral("family")] != QStringLiteral("lock"))
                continue;
            const QString id = entry[QStringLiteral("id")].toString();
            const auto named = [&](const char *verb) {
                return QStringList {QString::fromLatin1(verb), id, QStringLiteral("k"), QStringLiteral("--json")};
            };
            const Outcome acquired = run(named("acquire"));
            const auto recipe = std::ranges::find(locks::recipes(), id, &locks::Recipe::id);
            if (recipe->needsReplica) { // This server has none.
                QCOMPARE(acquired.exitCode, 1);
                QCOMPARE(acquired.outcome(), QStringLiteral("unconfirmed"));
                continue;
            }
            QVERIFY2(acquired.outcome() == QStringLiteral("acquired"), qPrintable(id));
            QVERIFY2(run(named("acquire")).outcome() == QStringLiteral("busy"), qPrintable(id));
            const QJsonValue token = acquired.object()[QStringLiteral("token")];
            const Outcome released =
                run(named("release")
                    + (token.isString() ? QStringList {QStringLiteral("--token"), token.toString()} : QStringList()));
            QVERIFY2(released.outcome() == QStringLiteral("released"), qPrintable(id));
        }
    }

    void redlock_takesSeveralServers()
    {
        test::TestServer second;
        auto third = std::make_unique<test::TestServer>();
        const QStringList urls {QStringLiteral("--url"), server->url(), QStringLiteral("--url"), second.url(),
                                QStringLiteral("--url"), third->url()};
        const auto redlock = [&](const char *words) {
            return run(urls + QString::fromLatin1(words).split(u' ', Qt::SkipEmptyParts));
        };
        const QByteArray token = redlock("acquire redlock k --lease 10s").output.trimmed();
        QCOMPARE(token.size(), 32);
        for (test::TestServer *each : {server.get(), &second, third.get()})
            QVERIFY((*each)({"GET", "k"}).isBulk(token));
        QCOMPARE(redlock("acquire redlock k").exitCode, 1);
        QCOMPARE(redlock(("extend redlock k --lease 1m --token " + token).constData()).output,
                 QByteArray("extended\n"));
        third.reset();
        QCOMPARE(redlock(("release redlock k --token " + token).constData()).output, QByteArray("released\n"));
        QVERIFY((*server)({"EXISTS", "k"}).isInteger(0));
        QCOMPARE(redlock("acquire redlock k").exitCode, 0);

        QVERIFY((*server)({"DEL", "k"}).isInteger(1));
        QVERIFY((*server)({"RPUSH", "k", "a"}).isInteger(1));
        const Outcome foreign = redlock("acquire redlock k");
        QCOMPARE(foreign.exitCode, 3);
        QVERIFY2(foreign.errors.contains("the key holds a list, which is not a lock"), foreign.errors.constData());
    }

    /// The refusing server and the free one are a majority, so the busy one does not decide.
    void redlock_thatIsBusyWithoutAMajority_saysWhichServersAreMissing()
    {
        test::TestServer refusing;
        test::TestServer third;
        const QStringList urls {QStringLiteral("--url"), server->url(),           QStringLiteral("--url"),
                                refusing.url(),          QStringLiteral("--url"), third.url()};
        const auto redlock = [&](const char *words) {
            return run(urls + QString::fromLatin1(words).split(u' ', Qt::SkipEmptyParts));
        };
        QVERIFY((*server)({"SET", "k", "other"}).isOk());
        QVERIFY(refusing({"ACL", "SETUSER", "default", "-set"}).isOk());
        const Outcome undecided = redlock("acquire redlock k --json");
        QCOMPARE(undecided.exitCode, 3);
        QCOMPARE(undecided.object()[QStringLiteral("outcome")].toString(), QStringLiteral("busy"));
        QVERIFY2(undecided.errors.startsWith("latchkey-cli: acquire redlock \"k\": busy; 1 of 3 servers gave no usable "
                                             "answer, and could have completed the majority of 2: ")
                     && undecided.errors.contains("NOPERM"),
                 undecided.errors.constData());
        QVERIFY(third({"EXISTS", "k"}).isInteger(0));
        QCOMPARE(redlock("run redlock k -E 0 -- true").exitCode, 3);

        QVERIFY(third({"SET", "k", "other"}).isOk());
        const Outcome busy = redlock("acquire redlock k");
        QCOMPARE(busy.exitCode, 1);
        QCOMPARE(busy.errors, QByteArray("latchkey-cli: acquire redlock \"k\": busy\n"));
    }

    void redlock_withoutAMajorityIsAnError()
    {
        const Outcome outcome = run({QStringLiteral("--url"), server->url(), QStringLiteral("--url"),
                                     QStringLiteral("unix:///nonexistent/1"), QStringLiteral("--url"),
                                     QStringLiteral("unix:///nonexistent/2"), QStringLiteral("acquire"),
                                     QStringLiteral("redlock"), QStringLiteral("k")});
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(outcome.errors.startsWith("latchkey-cli: acquire redlock \"k\": only 1 of 3 servers answered, fewer "
                                           "than the 2 that decide; cannot connect to unix:///nonexistent/1"),
                 outcome.errors.constData());
        QVERIFY((*server)({"EXISTS", "k"}).isInteger(0));
    }

    void fencingNumber_isPrintedBehindTheToken()
    {
        const QList<QByteArray> words = run("acquire fenced k").output.trimmed().split(' ');
        QCOMPARE(words.size(), 2);
        QCOMPARE(words[1], QByteArray("1"));
        QCOMPARE(run("acquire fenced k2 --json").object()[QStringLiteral("fencing")].toInteger(), qint64(1));
    }

    void timestampGetset_releasesFromElsewhereWhileItsDeadlineLasts()
    {
        const QByteArray token = run("acquire timestamp-getset k --lease 10s").output.trimmed();
        QVERIFY((*server)({"GET", "k"}).isBulk(token));
        QCOMPARE(run("release timestamp-getset k --token 1000").errors,
                 QByteArray("latchkey-cli: release timestamp-getset \"k\": its deadline has passed, so another client "
                            "may hold the lock; nothing was changed\n"));
        QCOMPARE(run(("release timestamp-getset k --token " + token).constData()).output, QByteArray("released\n"));
        QVERIFY((*server)({"EXISTS", "k"}).isInteger(0));
    }

    void wait_retriesUntilTheLockIsFree()
    {
        QVERIFY((*server)({"SET", "k", "other", "PX", "300"}).isOk());
        QCOMPARE(run("acquire token k --wait 20s").exitCode, 0);
        QCOMPARE(run("acquire token k --wait 100ms").exitCode, 1);
    }

    void secrets_comeFromFilesOrTheEnvironment()
    {
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("secret")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("p\xff w\nsecond line");
        file.close();
        QCOMPARE(run({QStringLiteral("acquire"), QStringLiteral("token"), QStringLiteral("k"),
                      QStringLiteral("--token-file"), file.fileName()})
                     .exitCode,
                 0);
        QVERIFY((*server)({"GET", "k"}).isBulk("p\xff w"));
        QCOMPARE(run({QStringLiteral("release"), QStringLiteral("token"), QStringLiteral("k"),
                      QStringLiteral("--token-file"), file.fileName()})
                     .exitCode,
                 0);

        environment.insert(QStringLiteral("LATCHKEY_TOKEN"), QStringLiteral("from-the-environment"));
        QCOMPARE(run("acquire token k").output, QByteArray("from-the-environment\n"));
        QCOMPARE(run("release token k").exitCode, 0);
        QCOMPARE(run("acquire basic k").exitCode, 0); // The recipe does not use the token, and did not receive it.

        QVERIFY((*server)({"CONFIG", "SET", "requirepass", "hunter2"}).isOk());
        QCOMPARE(run("ls").exitCode, 3);
        environment.insert(QStringLiteral("LATCHKEY_PASSWORD"), QStringLiteral("hunter2"));
        QCOMPARE(run("ls").exitCode, 0);
        environment.remove(QStringLiteral("LATCHKEY_PASSWORD"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("hunter2\n");
        file.close();
        QCOMPARE(run({QStringLiteral("--password-file"), file.fileName(), QStringLiteral("ls")}).exitCode, 0);
    }

    /// A given password must not appear in any output, whatever fails, with all logs enabled.
    void password_isNeverPrinted()
    {
        QVERIFY((*server)({"CONFIG", "SET", "requirepass", "other"}).isOk());
        environment.insert(QStringLiteral("QT_LOGGING_RULES"), QStringLiteral("*=true"));
        const QString path = server->endpoint().path;
        for (const QString &url :
             {QStringLiteral("unix://:canary@") + path, QStringLiteral("redis://:canary@127.0.0.1:1"),
              QStringLiteral("redis://ann:canary@host:port"), QStringLiteral("rediss://:canary@host"),
              QStringLiteral("http://:canary@host"), QStringLiteral("redis://:can#canary@h")}) {
            for (const QStringList &command :
                 {QStringList {QStringLiteral("acquire"), QStringLiteral("token"), QStringLiteral("k")},
                  QStringList {QStringLiteral("ls")}}) {
                const Outcome outcome = run(QStringList {QStringLiteral("--url"), url} + command);
                QVERIFY(outcome.exitCode >= 2);
                QVERIFY2(!outcome.output.contains("canary") && !outcome.errors.contains("canary"),
                         outcome.errors.constData());
            }
        }
    }

    void keys_areBytes()
    {
        const QByteArray awkward("k\xff\x01 \"'");
        QProcess process;
        process.setProcessEnvironment(environment);
        // Uses a shell, because Qt passes arguments as text.
        const QString script = QStringLiteral(R"sh(exec "$0" acquire basic "$(printf 'k\377\001 "\047')")sh");
        process.start(QStringLiteral("sh"), {QStringLiteral("-c"), script, QStringLiteral(LATCHKEY_CLI)});
        QVERIFY(process.waitForFinished());
        QCOMPARE(process.exitCode(), 0);
        QVERIFY((*server)({"EXISTS", awkward}).isInteger(1));

        const QByteArray withNul("a\0b", 3);
        QCOMPARE(run({QStringLiteral("acquire"), QStringLiteral("basic"), QString::fromLatin1(withNul.toBase64()),
                      QStringLiteral("--base64-key")})
                     .exitCode,
                 0);
        QVERIFY((*server)({"EXISTS", withNul}).isInteger(1));
        const QJsonArray rows = QJsonDocument::fromJson(run("ls --json").output).array();
        QSet<QByteArray> listed;
        for (const QJsonValue &row : rows) {
            const QJsonObject object = row.toObject();
            const QJsonValue encoded = object[QStringLiteral("key_base64")];
            listed.insert(encoded.isString() ? QByteArray::fromBase64(encoded.toString().toLatin1())
                                             : object[QStringLiteral("key")].toString().toUtf8());
        }
        QCOMPARE(listed, (QSet<QByteArray> {awkward, withNul}));
    }

    /// The kind of each lock depends on a second key. Both are read over the connection of the scan.
    void ls_readsTheCompanionsOfAllLocks()
    {
        constexpr int locks = 1100;
        const QByteArray script = "for i = 1, ARGV[1] do redis.call('SET', 'lock:' .. i, string.format('AbZ%021x', i)) "
                                  "redis.call('RPUSH', 'lock-signal:' .. i, '1') end return 1";
        QVERIFY((*server)({"EVAL", script, "0", QByteArray::number(locks)}).isInteger(1));
        const auto connections = [this] {
            const QByteArray stats = (*server)({"INFO", "stats"}).bytes();
            constexpr QByteArrayView mark("total_connections_received:");
            return stats.mid(stats.indexOf(mark) + mark.size()).split('\r').front().toInt();
        };
        const int before = connections();
        const Outcome outcome = run("ls --locks --json");
        QCOMPARE(connections(), before + 1);
        QCOMPARE(outcome.exitCode, 0);
        const QJsonArray rows = QJsonDocument::fromJson(outcome.output).array();
        QCOMPARE(rows.size(), locks);
        for (const QJsonValue &row : rows) {
            const QJsonObject kind = row[QStringLiteral("kind")].toObject();
            QCOMPARE(kind[QStringLiteral("id")].toString(), QStringLiteral("python-redis-lock"));
            QCOMPARE(kind[QStringLiteral("confidence")].toString(), QStringLiteral("certain"));
        }
    }

    void ls_listsWhatIsThere()
    {
        QVERIFY((*server)({"SET", "lock:stuck", "locking"}).isOk());
        QVERIFY((*server)({"SET", "lock:orders", "0123456789abcdef0123456789abcdef", "PX", "60000"}).isOk());
        QVERIFY((*server)({"SET", "session:1", "0123456789abcdef0123456789abcdef", "PX", "60000"}).isOk());
        QVERIFY(!(*server)({"RPUSH", "queue", "a"}).isError());
        const auto keys = [this](const char *words) {
            QStringList found;
            for (const QJsonValue &row : QJsonDocument::fromJson(run(words).output).array())
                found += row.toObject()[QStringLiteral("key")].toString();
            return found.join(u' ');
        };
        QCOMPARE(keys("ls --json"), QStringLiteral("lock:orders lock:stuck queue session:1"));
        QCOMPARE(keys("ls lock:* --json"), QStringLiteral("lock:orders lock:stuck"));
        QCOMPARE(keys("ls --expiring --json"), QStringLiteral("lock:orders session:1"));
        QCOMPARE(keys("ls --locks --json"), QStringLiteral("lock:orders lock:stuck"));
        QCOMPARE(keys("ls nothing* --json"), QString());
        QCOMPARE(run("ls nothing*").exitCode, 0);

        const QJsonObject row = QJsonDocument::fromJson(run("ls lock:orders --json").output).array().first().toObject();
        QCOMPARE(row.keys(),
                 (QStringList {QStringLiteral("candidates"), QStringLiteral("count"), QStringLiteral("fencing"),
                               QStringLiteral("findings"), QStringLiteral("holder"), QStringLiteral("key"),
                               QStringLiteral("kind"), QStringLiteral("pttl_ms"), QStringLiteral("type"),
                               QStringLiteral("waiters")}));
        QCOMPARE(row[QStringLiteral("type")].toString(), QStringLiteral("string"));
        QVERIFY(row[QStringLiteral("pttl_ms")].toInteger() > 50'000);
        QCOMPARE(row[QStringLiteral("holder")].toString(), QStringLiteral("0123456789abcdef0123456789abcdef"));
        QCOMPARE(row[QStringLiteral("kind")].toObject()[QStringLiteral("id")].toString(), QStringLiteral("lock.token"));
        const QJsonObject queue = QJsonDocument::fromJson(run("ls queue --json").output).array().first().toObject();
        QCOMPARE(queue[QStringLiteral("pttl_ms")].toInteger(), qint64(-1));
        QVERIFY(queue[QStringLiteral("kind")].isNull());
        QVERIFY(run("ls").output.contains("no expiry"));
    }

    /// Output for people words durations as `watch` does; JSON has milliseconds.
    void timeLeft_hasTheWordingOfWatch()
    {
        QVERIFY((*server)({"SET", "lock:long", "0123456789abcdef0123456789abcdef", "PX", "7000000"}).isOk());
        for (const char *words : {"ls lock:long", "why lock:long"}) {
            const Outcome outcome = run(words);
            QVERIFY2(outcome.output.contains("116 min") && !outcome.output.contains(" ms"), outcome.output.constData());
        }
        QVERIFY(run("ls lock:long --json").output.contains("\"pttl_ms\":69"));
    }

    void rows_areSortedByAColumn_data()
    {
        QTest::addColumn<QString>("order");
        QTest::addColumn<QString>("keys");
        QTest::newRow("key") << QStringLiteral("key") << QStringLiteral("lock:a lock:b lock:c set");
        QTest::newRow("key, reversed") << QStringLiteral("key --reverse") << QStringLiteral("set lock:c lock:b lock:a");
        QTest::newRow("time") << QStringLiteral("time") << QStringLiteral("lock:b lock:a lock:c set");
        QTest::newRow("time, reversed") << QStringLiteral("time --reverse")
                                        << QStringLiteral("set lock:c lock:a lock:b");
        QTest::newRow("type") << QStringLiteral("type") << QStringLiteral("set lock:a lock:b lock:c");
        QTest::newRow("holder") << QStringLiteral("holder") << QStringLiteral("lock:c lock:b lock:a set");
        QTest::newRow("findings, reversed")
            << QStringLiteral("findings --reverse") << QStringLiteral("lock:c lock:b lock:a set");
    }
    void rows_areSortedByAColumn()
    {
        QFETCH(QString, order);
        QFETCH(QString, keys);
        QVERIFY((*server)({"SET", "lock:a", "c123456789abcdef0123456789abcdef", "PX", "900000"}).isOk());
        QVERIFY((*server)({"SET", "lock:b", "b123456789abcdef0123456789abcdef", "PX", "800000"}).isOk());
        QVERIFY(
            (*server)({"SET", "lock:c", "a123456789abcdef0123456789abcdef"}).isOk()); // Without an expiry: a finding.
        QVERIFY((*server)({"SADD", "set", "1"}).isInteger(1));
        const Outcome asJson = run(qPrintable(QStringLiteral("ls --json --sort ") + order));
        QStringList inJson;
        for (const QJsonValue &row : QJsonDocument::fromJson(asJson.output).array())
            inJson += row[QLatin1String("key")].toString();
        QCOMPARE(inJson.join(u' '), keys);
        QStringList inTable;
        for (const QByteArray &line :
             run(qPrintable(QStringLiteral("ls --sort ") + order)).output.trimmed().split('\n'))
            inTable += QString::fromUtf8(line.split(' ').last());
        QCOMPARE(inTable.join(u' '), keys);
    }

    void unknownOrder_isRefused()
    {
        const Outcome unknown = run("ls --sort age");
        QCOMPARE(unknown.exitCode, 2);
        QVERIFY2(unknown.errors.contains("unknown column \"age\"; there are key, type, time"),
                 unknown.errors.constData());
        QCOMPARE(run("ls --reverse").exitCode, 2);
    }

    /// A pipe gets whole cells, unless COLUMNS is exported.
    void columns_fitInAPipeToo()
    {
        QVERIFY((*server)({"SET", "lock:a", "c123456789abcdef0123456789abcdef", "PX", "900000"}).isOk());
        QVERIFY(run("ls lock:a").output.size() > 120);
        const QString before = environment.value(QStringLiteral("COLUMNS"));
        environment.insert(QStringLiteral("COLUMNS"), QStringLiteral("80"));
        const QByteArray line = run("ls lock:a").output.trimmed();
        environment.insert(QStringLiteral("COLUMNS"), before);
        QVERIFY2(QString::fromUtf8(line).size() <= 80 && line.endsWith("lock:a"), line.constData());
    }

    void tls_isAnOptionOfTheHost()
    {
        const Outcome refused = run("status --tls --host 127.0.0.1 --port 1");
        QCOMPARE(refused.exitCode, 3);
        QVERIFY2(refused.errors.contains("rediss://127.0.0.1:1"), refused.errors.constData());
        const Outcome socket = run("status --tls --url unix:///run/redis.sock");
        QCOMPARE(socket.exitCode, 2);
        QVERIFY2(socket.errors.contains("unix:///run/redis.sock is a socket"), socket.errors.constData());
        const Outcome pinned = run("status --host 127.0.0.1 --port 1 --sni db.example");
        QVERIFY2(pinned.errors.contains("or add --tls"), pinned.errors.constData());
    }

    /// Rows are printed while the scan continues, in bounded memory. Only --sort orders all of them.
    void manyKeys_comeInParts()
    {
        constexpr int count = 45'000;
        QVERIFY((*server)({"EVAL", "for i = 1, ARGV[1] do redis.call('SET', 'k:' .. i, 'v') end return 1", "0",
                           QByteArray::number(count)})
                    .isInteger(1));
        QVERIFY((*server)({"SET", "lock:a", "0123456789abcdef0123456789abcdef", "PX", "60000"}).isOk());
        const auto keysOf = [this](const char *words) {
            const Outcome listed = run(words);
            QStringList keys;
            for (const QJsonValue &row : QJsonDocument::fromJson(listed.output).array()) {
                keys += row[QLatin1String("key")].toString();
                const QString kind = row[QLatin1String("kind")][QLatin1String("id")].toString();
                if ((keys.last() == u"lock:a") != (kind == u"lock.token"))
                    return QStringList {keys.last(), kind};
            }
            return listed.exitCode == 0 ? keys : QStringList {QString::fromUtf8(listed.errors)};
        };
        const QStringList sorted = keysOf("ls --sort key --json");
        QCOMPARE(sorted.size(), count + 1);
        QVERIFY(std::ranges::is_sorted(sorted));
        QStringList inParts = keysOf("ls --json");
        QVERIFY2(!std::ranges::is_sorted(inParts),
                 qPrintable(inParts.first(std::min<qsizetype>(inParts.size(), 3)).join(u' ')));
        std::ranges::sort(inParts);
        QCOMPARE(inParts, sorted);
        QCOMPARE(run("ls k:*").output.count('\n'), count);
    }

    void lostConnection_endsAListThatHasBegun()
    {
        QVERIFY((*server)({"EVAL", "for i = 1, 200000 do redis.call('SET', 'k:' .. i, 'v') end return 1", "0"})
                    .isInteger(1));
        QProcess ls;
        ls.setProcessEnvironment(environment);
        ls.start(QStringLiteral(LATCHKEY_CLI),
                 {QStringLiteral("--url"), server->url(), QStringLiteral("ls"), QStringLiteral("--json")});
        LATCHKEY_AWAIT(ls.bytesAvailable() > 0);
        QVERIFY((*server)({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"}).isInteger());
        const Outcome outcome = test::outcomeOf(ls);
        QCOMPARE(outcome.exitCode, 3);
        const qsizetype listed = QJsonDocument::fromJson(outcome.output).array().size();
        QVERIFY2(listed >= 10'000 && listed < 200'000, qPrintable(QString::number(listed)));
        QVERIFY2(outcome.errors.contains("\"complete\":false"), outcome.errors.constData());
    }

    /// ls lists kinds and number of findings, why describes them; both use the same rules.
    void findings_areListedAndDescribed()
    {
        QVERIFY((*server)({"SET", "lock:stuck", "locking"}).isOk());
        QVERIFY((*server)({"SET", "lock:orders", "0123456789abcdef0123456789abcdef", "PX", "60000"}).isOk());
        QVERIFY((*server)({"SET", "session:1", "x"}).isOk());
        const auto listed = [this](const char *words) {
            QStringList ids;
            const QJsonObject row = QJsonDocument::fromJson(run(words).output).array().first().toObject();
            for (const QJsonValue &id : row[QStringLiteral("findings")].toArray())
                ids += id.toString();
            return ids;
        };
        const QStringList stuck = listed("ls lock:stuck --json");
        QVERIFY2(stuck.contains(QStringLiteral("no-expiry")) && stuck.contains(QStringLiteral("constant-value")),
                 qPrintable(stuck.join(u' ')));
        QCOMPARE(listed("ls lock:orders --json"), QStringList());
        QCOMPARE(listed("ls session:1 --json"), QStringList());

        const QJsonObject why = QJsonDocument::fromJson(run("why lock:stuck --json").output).object();
        QStringList worded;
        for (const QJsonValue &value : why[QStringLiteral("findings")].toArray()) {
            const QJsonObject finding = value.toObject();
            worded += finding[QStringLiteral("id")].toString();
            for (const char *part : {"severity", "title", "evidence", "meaning", "advice"})
                QVERIFY2(!finding[QLatin1String(part)].toString().isEmpty(), part);
        }
        QCOMPARE(worded, stuck);
        const Outcome text = run("why lock:stuck");
        QCOMPARE(text.exitCode, 0);
        QVERIFY2(text.output.contains("finding    no expiry (no-expiry, error): the key does not expire\n"),
                 text.output.constData());
        QVERIFY(!run("why lock:orders").output.contains("finding"));
        QVERIFY(!run("why session:1").output.contains("finding"));

        QStringList counts;
        for (const QByteArray &line : run("ls").output.trimmed().split('\n'))
            counts += QString::fromUtf8(line.simplified()).split(u' ').at(7);
        QCOMPARE(counts, (QStringList {QStringLiteral("0"), QString::number(stuck.size()), QStringLiteral("-")}));
    }

    /// OBJECT IDLETIME proves a minimum age of a lock without expiry.
    void ageOfALockWithoutExpiry_isThatOfItsLastUse()
    {
        QVERIFY((*server)({"SET", "lock:a", "0123456789abcdef0123456789abcdef"}).isOk());
        if (!events::areIdleTimesTrue(resp::ServerInfo::fromInfo((*server)({"INFO"}).bytes()))) {
            QVERIFY(run("why lock:a").output.contains("the key does not expire\n"));
            QSKIP("this server's OBJECT IDLETIME is wrong for new keys (Redis 8)");
        }
        const QByteArray payload = (*server)({"DUMP", "lock:a"}).bytes();
        QVERIFY((*server)({"RESTORE", "lock:stuck", "0", payload, "IDLETIME", "7260"}).isOk());
        const QByteArray age = "the key does not expire, and has been there for at least 2 h";
        const Outcome why = run("why lock:stuck");
        QVERIFY2(why.output.contains(age), why.output.constData());
        // A read is no use of the key, but the read of its value was one, on a server that counts it.
        QVERIFY((*server)({"RESTORE", "lock:stuck", "0", payload, "REPLACE", "IDLETIME", "7260"}).isOk());
        const Outcome watch = run("watch lock:stuck --alert no-expiry --for 2s");
        QVERIFY2(watch.output.contains(age), watch.output.constData());
    }

    /// The configuration of the server is considered, as far as it can be read.
    void serverSettings_countIfReported()
    {
        QVERIFY((*server)({"CONFIG", "SET", "maxmemory", "100mb", "maxmemory-policy", "allkeys-lru"}).isOk());
        QVERIFY((*server)({"SET", "lock:orders", "0123456789abcdef0123456789abcdef", "PX", "60000"}).isOk());
        QVERIFY(run("ls lock:orders --json").output.contains("\"findings\":[\"may-be-evicted\"]"));
        QVERIFY(run("why lock:orders").output.contains("the policy is allkeys-lru"));
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-info", "-config"}).isOk());
        const Outcome denied = run("ls lock:orders --json");
        QCOMPARE(denied.exitCode, 0);
        QVERIFY2(denied.output.contains("\"findings\":[\"not-checked\"]"), denied.output.constData());
        const Outcome why = run("why lock:orders");
        QCOMPARE(why.exitCode, 0);
        QVERIFY2(why.output.contains("the server does not say in INFO or CONFIG GET what these depend on: may be "
                                     "evicted, may be lost by a failover, read from a replica\n"),
                 why.output.constData());
    }

    /// The recognised kind of a lock depends on the keys beside it. `ls` and `why` say that these could not be read.
    void refusedCompanionKeys_areReported()
    {
        QVERIFY((*server)({"SET", "lock:a", "hU5NP/Gks9a7R2Q3MgFpiKeD", "PX", "60000"}).isOk());
        QCOMPARE(run("ls --locks").exitCode, 0);
        QVERIFY((*server)({"ACL", "SETUSER", "default", "resetkeys", "~lock:*"}).isOk());
        QCOMPARE(run("why lock:a").exitCode, 3);
        const Outcome one = run("ls --locks");
        QCOMPARE(one.exitCode, 3);
        QVERIFY2(one.output.contains("python-redis-lock"), one.output.constData());
        QCOMPARE(one.errors,
                 QByteArray("latchkey-cli: ls: some values cannot be read: the key \"lock-signal:a\" beside a "
                            "lock\n"));
        QVERIFY((*server)({"SET", "lock:b", "hU5NP/Gks9a7R2Q3MgFpiKeE", "PX", "60000"}).isOk());
        const Outcome two = run("ls --locks --json");
        QCOMPARE(two.exitCode, 3);
        const QJsonObject coverage = QJsonDocument::fromJson(two.errors).object();
        QCOMPARE(coverage[QStringLiteral("complete")], QJsonValue(false));
        const QJsonObject denied = coverage[QStringLiteral("denied")].toArray().first().toObject();
        QCOMPARE(denied[QStringLiteral("some_keys")], QJsonValue(true));
        const QString why = denied[QStringLiteral("why")].toString();
        QVERIFY2(why.startsWith(u"\"lock-signal:") && why.endsWith(u" and other keys beside 2 locks"), qPrintable(why));
    }

    /// Quiet hides what the exit code says too. Errors and missing coverage are never hidden.
    void notes_areHiddenByQuiet()
    {
        QVERIFY((*server)({"SET", "k", "v"}).isOk());
        for (const char *words : {"-q acquire token k", "release token none --token t --quiet", "why none -q",
                                  "get set-ex none -q", "release none --force --yes -q"}) {
            const Outcome outcome = run(words);
            QCOMPARE(outcome.exitCode, 1);
            QCOMPARE(outcome.errors, QByteArray());
        }
        const Outcome wrongUsage = run("-q acquire none k");
        QVERIFY(wrongUsage.exitCode == 2 && !wrongUsage.errors.isEmpty());
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-pttl"}).isOk());
        const Outcome incomplete = run("ls -q");
        QCOMPARE(incomplete.exitCode, 3);
        QVERIFY(incomplete.errors.contains("the server has refused PTTL for"));
    }

    void verbose_tellsTheServerAndTheTime()
    {
        const QByteArray url = server->url().toUtf8();
        const Outcome outcome = run("-v ls");
        QCOMPARE(outcome.exitCode, 0);
        QCOMPARE(outcome.output, QByteArray());
        QVERIFY2(outcome.errors.startsWith("latchkey-cli: server: " + url
                                           + " (LATCHKEY_URL)\nlatchkey-cli: ls: exit "
                                             "code 0 after "),
                 outcome.errors.constData());
        QVERIFY(run("ls --verbose -n 3").errors.contains(" (LATCHKEY_URL, --db)\n"));
        QVERIFY(run(("ls -v --url " + url).constData()).errors.contains(" (--url)\n"));
        environment.insert(QStringLiteral("LATCHKEY_URL"), QStringLiteral("redis://:canary@127.0.0.1:1"));
        QVERIFY(!run("ls -v").errors.contains("canary"));
    }

    /// A server that accepts the connection and stays silent.
    void timeout_limitsTheWaitForTheFirstAnswer_data()
    {
        QTest::addColumn<QByteArray>("words");
        for (const char *words :
             {"status", "ls", "ls --locks", "why k", "watch", "watch --acl", "acquire token k",
              "release k --force --yes", "get set-ex k", "expect --for=1s session:7\texists\tuntil\t1s"})
            QTest::newRow(words) << QByteArray(words);
    }
    void timeout_limitsTheWaitForTheFirstAnswer()
    {
        QFETCH(QByteArray, words);
        QTcpServer silent;
        QVERIFY(silent.listen(QHostAddress::LocalHost));
        QStringList arguments {QStringLiteral("--timeout"), QStringLiteral("200ms"), QStringLiteral("-p"),
                               QString::number(silent.serverPort())};
        for (const QString &word : QString::fromLatin1(words).split(u' '))
            arguments += QString(word).replace(u'\t', u' ');
        QElapsedTimer timer;
        timer.start();
        const Outcome outcome = run(arguments);
        QVERIFY2(timer.elapsed() < 4000, outcome.errors.constData()); // The usual timeout is 5 s.
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(outcome.errors.contains("no answer"), outcome.errors.constData());
    }

    void lockOfAnotherClient_isReleasedByForce()
    {
        const QByteArray token("934dadff-cdff-4e00-91cc-53cd4ede1684");
        QVERIFY((*server)({"SET", "lock:a", token, "PX", "600000"}).isOk());
        QVERIFY((*server)({"SET", "page", "some text"}).isOk());
        const Outcome released = run("release lock:a --force --yes");
        QVERIFY2(released.exitCode == 0 && released.output == "released\n", released.errors.constData());
        QVERIFY((*server)({"EXISTS", "lock:a"}).isInteger(0));
        const Outcome gone = run("release lock:a --force --yes --json");
        QCOMPARE(gone.exitCode, 1);
        QCOMPARE(gone.outcome(), QStringLiteral("gone"));
        const Outcome refused = run("release page --force --yes --json");
        QCOMPARE(refused.exitCode, 1);
        QCOMPARE(refused.outcome(), QStringLiteral("refused"));
        QCOMPARE(refused.errors, QByteArray("latchkey-cli: release \"page\": it is not recognised as a lock; nothing "
                                            "was changed\n"));
        QVERIFY((*server)({"EXISTS", "page"}).isInteger(1));
        QCOMPARE(run("release basic page --force --yes").exitCode, 0); // The user says that it is a lock.
    }

    /// On a terminal the lock is shown first; a lock that is renewed meanwhile is not deleted.
    void releaseByForce_asksOnATerminal_data()
    {
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<bool>("isRenewed");
        QTest::addColumn<QByteArray>("told");
        QTest::addColumn<bool>("isDeleted");
        QTest::addRow("yes") << QByteArray("y\n") << false << QByteArray("released") << true;
        QTest::addRow("no") << QByteArray("\n") << false << QByteArray("not confirmed; nothing was changed") << false;
        QTest::addRow("renewed") << QByteArray("y\n") << true
                                 << QByteArray("the lock was renewed or changed after it was read") << false;
    }
    void releaseByForce_asksOnATerminal()
    {
        LATCHKEY_NEEDS_TERMINAL();
        QFETCH(QByteArray, answer);
        QFETCH(bool, isRenewed);
        QFETCH(QByteArray, told);
        QFETCH(bool, isDeleted);
        QVERIFY((*server)({"SET", "lock:a", "934dadff-cdff-4e00-91cc-53cd4ede1684", "PX", "600000"}).isOk());
        test::PseudoTerminal terminal;
        const QTemporaryDir folder;
        terminal.start(environment, folder.path(), QStringLiteral(LATCHKEY_CLI),
                       {QStringLiteral("release"), QStringLiteral("lock:a"), QStringLiteral("--force")});
        LATCHKEY_AWAIT(terminal.output().contains("[y/N]"));
        QVERIFY2(terminal.output().contains("lock:a: holder 934dadff-cdff-4e00-91cc-53cd4ede1684, "),
                 terminal.output().constData());
        if (isRenewed)
            QVERIFY((*server)({"PEXPIRE", "lock:a", "900000"}).isInteger(1));
        terminal.type(answer);
        LATCHKEY_AWAIT(terminal.process().state() == QProcess::NotRunning);
        QVERIFY2(terminal.output().contains(told), terminal.output().constData());
        QCOMPARE(terminal.process().exitCode(), isDeleted ? 0 : 1);
        QVERIFY((*server)({"EXISTS", "lock:a"}).isInteger(isDeleted ? 0 : 1));
    }

    void ping_reportsWhetherTheServerIsReadable()
    {
        QVERIFY((*server)({"SET", "k", "v"}).isOk());
        const Outcome reached = run("status");
        QCOMPARE(reached.exitCode, 0);
        QVERIFY2(reached.output.startsWith(server->url().toUtf8() + "  ")
                     && reached.output.contains("keys: 1, round trip: ") && reached.output.endsWith(" ms\n")
                     && reached.output.count('\n') == 1,
                 reached.output.constData());
        QCOMPARE(reached.errors, QByteArray());
        QCOMPARE(run("status --json").outcome(), QStringLiteral("ok"));

        QVERIFY((*server)({"ACL", "SETUSER", "ann", "on", "nopass", "~lock:*", "+@all", "-scan"}).isOk());
        const Outcome restricted = run("status --user ann --json");
        QCOMPARE(restricted.exitCode, 1);
        QCOMPARE(restricted.outcome(), QStringLiteral("restricted"));
        QStringList denied;
        for (const QJsonValue &denial : restricted.object()[QLatin1String("denied")].toArray())
            denied += denial[QLatin1String("question")].toString();
        QCOMPARE(denied, (QStringList {QStringLiteral("SCAN"), QStringLiteral("PTTL"), QStringLiteral("TYPE"),
                                       QStringLiteral("values")}));
        QVERIFY2(restricted.errors.startsWith("latchkey-cli: status: SCAN is refused: ")
                     && restricted.errors.count('\n') == 4,
                 restricted.errors.constData());

        // Values of one type that are refused.
        QVERIFY((*server)({"ACL", "SETUSER", "ann", "~*", "+@all", "-hscan", "-hlen"}).isOk());
        const Outcome partly = run("status --user ann --json");
        QCOMPARE(partly.exitCode, 1);
        const QJsonArray parts = partly.object()[QLatin1String("denied")].toArray();
        QCOMPARE(parts.size(), 1);
        QCOMPARE(parts[0][QLatin1String("some_keys")], QJsonValue(true));
        QVERIFY2(partly.errors.startsWith("latchkey-cli: status: some values cannot be read: "),
                 partly.errors.constData());

        QVERIFY((*server)({"CONFIG", "SET", "requirepass", "secret"}).isOk());
        const Outcome loggedOut = run("status");
        QCOMPARE(loggedOut.exitCode, 3);
        QCOMPARE(loggedOut.output, QByteArray());
        const Outcome absent = run("status -p 1 --json");
        QCOMPARE(absent.exitCode, 3);
        QCOMPARE(absent.output, QByteArray());
        QVERIFY2(absent.errors.startsWith("latchkey-cli: status: cannot connect to redis://127.0.0.1:1"),
                 absent.errors.constData());
    }

    /// Only in a terminal: other programs receive complete texts.
    void listing_fitsTheTerminal_data()
    {
        QTest::addColumn<int>("columns");
        QTest::addColumn<QByteArray>("holder");
        QTest::addRow("48") << 48 << QByteArray(" 934dadf… lock:a");
        QTest::addRow("60") << 60 << QByteArray(" 934dadff-… lock:a");
        QTest::addRow("80") << 80 << QByteArray(" 934dadff… lock:a");
        QTest::addRow("120") << 120 << QByteArray(" 934dadff-cdff-4e00-91cc-53cd4ede1684 lock:a");
        QTest::addRow("200") << 200 << QByteArray(" 934dadff-cdff-4e00-91cc-53cd4ede1684 lock:a");
    }
    void listing_fitsTheTerminal()
    {
        LATCHKEY_NEEDS_TERMINAL();
        QFETCH(int, columns);
        QFETCH(QByteArray, holder);
        QVERIFY((*server)({"SET", "lock:a", "934dadff-cdff-4e00-91cc-53cd4ede1684", "PX", "3000000"}).isOk());
        environment.insert(QStringLiteral("NO_COLOR"), QStringLiteral("1"));
        test::PseudoTerminal terminal;
        const QTemporaryDir folder;
        terminal.start(environment, folder.path(), QStringLiteral("/bin/sh"),
                       {QStringLiteral("-c"),
                        QStringLiteral("stty cols %1; '%2' ls").arg(columns).arg(QStringLiteral(LATCHKEY_CLI))});
        LATCHKEY_AWAIT(terminal.process().state() == QProcess::NotRunning);
        const QByteArray output = terminal.output();
        QVERIFY2(output.contains(holder), output.constData());
        for (const QByteArray &line : output.split('\n'))
            QVERIFY2(QString::fromUtf8(line).trimmed().size() <= columns, line.constData());
        QVERIFY(run("ls").output.contains("934dadff-cdff-4e00-91cc-53cd4ede1684"));
    }

    /// Colours are for terminals, and only if NO_COLOR permits them. COLUMNS goes before the width of the terminal.
    void listing_onATerminalHasTitlesAndColours()
    {
        LATCHKEY_NEEDS_TERMINAL();
        QVERIFY((*server)({"SET", "lock:a", "934dadff-cdff-4e00-91cc-53cd4ede1684"}).isOk());
        environment.insert(QStringLiteral("TERM"), QStringLiteral("xterm"));
        const auto shown = [&](const char *words) {
            test::PseudoTerminal terminal;
            const QTemporaryDir folder;
            terminal.start(environment, folder.path(), QStringLiteral("/bin/sh"),
                           {QStringLiteral("-c"),
                            QStringLiteral("stty cols 120; %2 '%1' ls %3")
                                .arg(QStringLiteral(LATCHKEY_CLI), QString::fromLatin1(words).section(u'|', 0, 0),
                                     QString::fromLatin1(words).section(u'|', 1))});
            if (!test::waitFor([&] { return terminal.process().state() == QProcess::NotRunning; }))
                return QByteArray("not awaited");
            return terminal.output();
        };
        const QByteArray usual = shown("|");
        QVERIFY2(usual.contains("\x1b[1mTYPE ") && usual.contains("\x1b[33m  no expiry\x1b[0m"), usual.constData());
        QVERIFY2(usual.contains("\x1b[31m       2\x1b[0m"), usual.constData());
        QVERIFY(shown("|-o table --no-headers").count("TYPE") == 0);
        const QByteArray plain = shown("NO_COLOR=1|");
        QVERIFY2(plain.contains("TYPE ") && !plain.contains('\x1b'), plain.constData());
        QVERIFY(!shown("TERM=dumb|").contains('\x1b'));
        QVERIFY(shown("COLUMNS=80 NO_COLOR=|").contains("934dadff… "));
        QVERIFY(!run("ls").output.contains('\x1b') && !run("ls").output.contains("TYPE"));
    }

    void listing_hasOtherFormats()
    {
        QVERIFY((*server)({"SET", "lock:a", "934dadff-cdff-4e00-91cc-53cd4ede1684", "PX", "600000"}).isOk());
        QVERIFY((*server)({"SET", "b,\"quoted\"", "v"}).isOk());
        QVERIFY((*server)({"SET", "c\xff", "v"}).isOk());
        const QJsonArray array = QJsonDocument::fromJson(run("ls -o json").output).array();
        QCOMPARE(array.size(), 3);
        QCOMPARE(run("ls -o json --json").exitCode, 0);

        const QByteArrayList lines = run("ls --output jsonl").output.split('\n');
        QCOMPARE(lines.size(), 4); // The last line is empty.
        for (int i = 0; i < 3; ++i)
            QCOMPARE(QJsonDocument::fromJson(lines[i]).object().keys(), array[i].toObject().keys());

        const QByteArrayList csv = run("ls -o csv").output.split('\n');
        QCOMPARE(csv[0], QByteArray("key,key_base64,type,pttl_ms,kind,holder,holder_base64,count,waiters,fencing,"
                                    "findings\r"));
        QCOMPARE(csv[1], QByteArray("\"b,\"\"quoted\"\"\",,string,-1,,,,,,,\r"));
        QCOMPARE(csv[2], QByteArray("c\xef\xbf\xbd,Y/8=,string,-1,,,,,,,\r"));
        QVERIFY2(csv[3].startsWith("lock:a,,string,") && csv[3].contains(",934dadff-cdff-4e00-91cc-53cd4ede1684,,1,,,"),
                 csv[3].constData());
        QCOMPARE(run("ls -o csv --no-headers").output.split('\n')[0], csv[1]);
    }

    /// An incomplete answer reports it in every format.
    void listing_namesTheMissingParts_data()
    {
        QTest::addColumn<QByteArray>("words");
        QTest::addColumn<QByteArray>("errors");
        const QByteArray sentence("latchkey-cli: ls: the server has refused PTTL for ");
        QTest::addRow("table") << QByteArray("ls") << sentence;
        QTest::addRow("csv") << QByteArray("ls -o csv") << sentence;
        QTest::addRow("json") << QByteArray("ls -o json") << QByteArray("{\"blind_ms\"");
        QTest::addRow("jsonl") << QByteArray("ls -o jsonl") << QByteArray("{\"blind_ms\"");
    }
    void listing_namesTheMissingParts()
    {
        QFETCH(QByteArray, words);
        QFETCH(QByteArray, errors);
        QVERIFY((*server)({"SET", "k", "v"}).isOk());
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-pttl"}).isOk());
        const Outcome outcome = run(words.constData());
        QVERIFY2(outcome.errors.startsWith(errors), outcome.errors.constData());
        QCOMPARE(outcome.exitCode, 3);
    }

    /// A refused request is named, and the data that it would have returned are unknown.
    void listing_namesTheRefusedRequest_data()
    {
        QTest::addColumn<QByteArray>("rule");
        QTest::addColumn<QByteArray>("errors");
        QTest::addColumn<QByteArray>("hashType");
        QTest::newRow("types") << QByteArray("-type") << QByteArray("the server has refused TYPE for ")
                               << QByteArray("unknown");
        QTest::newRow("values of hashes")
            << QByteArray("-hscan") << QByteArray("some values cannot be read: ") << QByteArray("hash");
    }
    void listing_namesTheRefusedRequest()
    {
        QFETCH(QByteArray, rule);
        QFETCH(QByteArray, errors);
        QFETCH(QByteArray, hashType);
        QVERIFY((*server)({"HSET", "h", "f", "v"}).isInteger(1));
        QVERIFY((*server)({"SET", "k", "v"}).isOk());
        QVERIFY((*server)({"ACL", "SETUSER", "default", rule}).isOk());
        const Outcome outcome = run("ls");
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(outcome.errors.startsWith("latchkey-cli: ls: " + errors), outcome.errors.constData());
        QCOMPARE(outcome.errors.count('\n'), 1);
        QVERIFY2(outcome.output.startsWith(hashType + ' '), outcome.output.constData());
    }

    void listing_ofSeveralGlobs()
    {
        for (const char *key : {"lock:a", "job:1:lock", "job:1", "other"})
            QVERIFY((*server)({"SET", key, "934dadff-cdff-4e00-91cc-53cd4ede1684", "PX", "600000"}).isOk());
        const auto keys = [&](const char *words) {
            QStringList found;
            for (const QJsonValue &row : QJsonDocument::fromJson(run(words).output).array())
                found += row[QLatin1String("key")].toString();
            return found.join(u' ');
        };
        QCOMPARE(keys("ls --json lock:* job:*:lock"), QStringLiteral("job:1:lock lock:a"));
        QCOMPARE(keys("ls --json --locks lock:* job:*:lock"), QStringLiteral("job:1:lock lock:a"));
        QCOMPARE(keys("ls --json job:1 other"), QStringLiteral("job:1 other"));
        QCOMPARE(keys("ls --json other *"), QStringLiteral("job:1 job:1:lock lock:a other"));
        QCOMPARE(run("ls --json none nothing").exitCode, 0);
    }

    void badUsage_isOneSentenceAndExitsWith2_data()
    {
        QTest::addColumn<QByteArray>("words");
        QTest::addColumn<QByteArray>("errors");
        const auto row = [](const char *words, const char *errors) {
            QTest::addRow("%s", *words == 0 ? "(nothing)" : words) << QByteArray(words) << QByteArray(errors);
        };
        row("", "a command is missing; see latchkey-cli --help");
        row("dance", "unknown command \"dance\"; see latchkey-cli --help");
        row("relase token k", "unknown command \"relase\" (did you mean \"release\"?); see latchkey-cli --help");
        row("hlep", "unknown command \"hlep\" (did you mean \"help\"?); see latchkey-cli --help");
        row("help wacth", "unknown command \"wacth\" (did you mean \"watch\"?); see latchkey-cli --help");
        row("help ls watch", "help: unexpected argument \"watch\"; expected [COMMAND]; see latchkey-cli help --help");
        row("ls --lokcs", "ls: unknown option \"lokcs\" (did you mean --locks?); see latchkey-cli ls --help");
        row("--jsn ls", "unknown option \"jsn\" (did you mean --json?); see latchkey-cli --help");
        row("--frobnicate ls", "unknown option \"frobnicate\"; see latchkey-cli --help");
        row("acquire", "acquire: too few arguments; expected RECIPE KEY; see latchkey-cli acquire --help");
        row("acquire token", "acquire: too few arguments; expected RECIPE KEY; see latchkey-cli acquire --help");
        row("acquire token a b",
            "acquire: unexpected argument \"b\"; expected RECIPE KEY; see latchkey-cli acquire --help");
        row("acquire mutex k", "unknown recipe \"mutex\"; there are ");
        row("acquire token k --frob", "acquire: unknown option \"frob\"; see latchkey-cli acquire --help");
        row("acquire token k --lease 0s",
            "--lease: a lease must be longer than zero, not 0ms; write it like 500ms, 5s or 2m");
        row("acquire token k --lease -5s", "--lease: a lease must be longer than zero, not -5s; write it like ");
        row("acquire token k --lease 0", "--lease: a lease must be longer than zero, not 0; write it like ");
        row("acquire token k --wait 0", "--wait: the duration \"0\" lacks a unit; write 5ms or 5s");
        row("acquire token k --lease 101y", "--lease: unknown unit \"y\"");
        row("acquire token k --lease 99999d", "--lease: a lease of 99999d is longer than a hundred years");
        row("acquire token k --lease 5", "--lease: the duration \"5\" lacks a unit; write 5ms or 5s");
        row("acquire auto-release k --unit m", "unknown unit \"m\"; the units of a lease are s and ms");
        row("acquire auto-release k --unit s --lease 1500ms",
            "a lease of 1500ms is not whole seconds; use the unit ms");
        row("acquire basic k --lease 5s", "the recipe basic does not accept a lease: its locks do not expire");
        row("acquire basic k --token t", "the recipe basic does not accept a token");
        row("acquire token k --value v", "the recipe token does not accept a value: its locks hold a token");
        row("acquire token k --wait -1s", "--wait: a wait cannot be negative");
        row("ping", "the command ping is called status now");
        row("extend token k", "the recipe token needs the token that acquire gave");
        row("release token k", "the recipe token needs the token that acquire gave");
        row("release token", "release: too few arguments; expected RECIPE KEY; see latchkey-cli release --help");
        row("release k --force", "release --force asks for confirmation on a terminal; without one it needs --yes");
        row("release token k --yes", "--yes: only with --force");
        row("release k --force --yes --token t", "--force and --token exclude each other");
        row("release mutex k --force --yes", "unknown recipe \"mutex\"; there are ");
        row("release basic k --token t", "the recipe basic does not accept a token");
        row("extend basic k --lease 5s", "the recipe basic cannot extend a lock");
        row("extend token k --token t", "extend needs the new lease: --lease 30s");
        row("acquire token k --token a --token b", "acquire: --token is given twice; see latchkey-cli acquire --help");
        row("acquire token k --lease 5s --lease 9s", "acquire: --lease is given twice");
        row("ls --json --json", "ls: --json is given twice; see latchkey-cli ls --help");
        row("--json ls --locks --json", "ls: --json is given twice; see latchkey-cli ls --help");
        row("put hash-lua k a=1 b=2 a=3 --ttl 5m", "the field \"a\" is given twice");
        row("--url localhost ls", "the URL \"localhost\" lacks a scheme: write redis://localhost");
        row("--url unix:/run/redis.sock ls", "the URL \"unix:/run/redis.sock\" needs three slashes before the socket's "
                                             "path, as in unix:///run/redis.sock");
        row("--url redis:db:6379 ls", "the URL \"redis:db:6379\" needs two slashes behind \"redis:\"");
        row("--url redis://a --url redis://b acquire token k", "the recipe token does not accept more than one server");
        row("--url redis://a --url redis://a:6379/3 acquire redlock k", "the server redis://a:6379/3 is given twice");
        row("acquire timestamp-naive k --lease 500ms", "a lease of 500ms is not whole seconds");
        row("acquire timestamp-getset k --token t",
            "the recipe timestamp-getset does not accept a token of your own: its locks hold their deadline");
        row("release timestamp-getset k --token t",
            "release timestamp-getset \"k\": the token \"t\" is not a deadline in Unix seconds, as acquire gives it");
        row("release timestamp-getset k", "the recipe timestamp-getset needs the token that acquire gave");
        row("-n 3 -u redis://a ls", "--db and --url exclude each other: --url names the whole server");
        row("ls --url redis://a -p 6380", "--port and --url exclude each other: --url names the whole server");
        row("ls --host a --server b", "--host and --server exclude each other: --server names the whole server");
        row("ls --user ann --url redis://a", "--user and --url exclude each other: --url names the whole server");
        row("ls -p 0", "--port: \"0\" is not a number from 1 to 65535");
        row("ls -p redis", "--port: \"redis\" is not a number from 1 to 65535");
        row("ls -n -1", "--db: \"-1\" is not a number from 0 to 2147483647");
        row("ls -n 1 -n 2", "ls: --db is given twice; see latchkey-cli ls --help");
        row("ls --host db:6380", "--host: \"db:6380\" is not the name or the address of a host");
        row("ls --host redis://db", "--host: \"redis://db\" is not the name or the address of a host");
        row("ls --host=", "--host: \"\" is not the name or the address of a host");
        row("ls -h db:6380", "--host: \"db:6380\" is not the name or the address of a host");
        row("-h db.example", "a command is missing; see latchkey-cli --help");
        row("--url redis://a --url redis://b status", "one --url only: this command uses a single server");
        for (const char *option : {"--acl", "--record=f", "--record-limit=1MB", "--without-values", "--metrics=0",
                                   "--alert=blind", "--exec=date", "--exec-timeout=1s"}) {
            const QByteArray name = QByteArray(option).split('=').front();
            row(("--url redis://a --url redis://b watch " + QByteArray(option)).constData(),
                (name + ": it needs a single --url").constData());
        }
        row("watch --event majority", "--event majority: of the votes of several servers, so with several --url");
        row("acquire basic %% --base64-key", "the key \"%%\" is not base64");
        row("watch --event gone", "--event: unknown event \"gone\"; there are seen, acquired, extended, handed-over, "
                                  "changed, released, deleted, expired, evicted, flushed, lost, ended, majority, "
                                  "no-majority, uncertain");
        row("ls --timeout 0s", "ls: --timeout: it must be longer than zero; see latchkey-cli ls --help");
        row("ls --timeout 5", "ls: --timeout: the duration \"5\" lacks a unit; write 5ms or 5s");
        row("ls -q -v", "--quiet and --verbose exclude each other");
        row("ls -o xml", "--output: unknown format \"xml\"; there are table, json, jsonl and csv");
        row("ls --json -o csv", "--json and --output exclude each other");
        row("ls -o jsonl --no-headers", "--no-headers: only a table and CSV have headers");
        row("recipes x", "recipes: unexpected argument \"x\"; expected none; see latchkey-cli recipes --help");
    }
    void badUsage_isOneSentenceAndExitsWith2()
    {
        QFETCH(QByteArray, words);
        QFETCH(QByteArray, errors);
        const Outcome outcome = run(words.constData());
        QVERIFY2(outcome.errors.startsWith("latchkey-cli: " + errors), outcome.errors.constData());
        QCOMPARE(outcome.errors.count('\n'), 1);
        QCOMPARE(outcome.exitCode, 2);
        QCOMPARE(outcome.output, QByteArray());
        QVERIFY2((*server)({"DBSIZE"}).isInteger(0), "nothing was written");
    }

    /// An unreadable file is no usage error: the same command may succeed later.
    void fileThatCannotBeRead_exitsWith3_data()
    {
        QTest::addColumn<QByteArray>("words");
        QTest::addColumn<QByteArray>("errors");
        const QByteArray reason = "cannot read /nonexistent: No such file or directory\n";
        QTest::addRow("token") << QByteArray("release token k --token-file /nonexistent") << reason;
        QTest::addRow("password") << QByteArray("ls --password-file /nonexistent") << reason;
        QTest::addRow("expectations") << QByteArray("expect --file /nonexistent") << "expect: " + reason;
        QTest::addRow("certificates") << QByteArray("--url rediss://127.0.0.1:PORT ls --cacert /nonexistent")
                                      << "ls: " + reason;
        QTest::addRow("story") << QByteArray("explore --play /nonexistent")
                               << QByteArray("/nonexistent: No such file or directory\n");
        QTest::addRow("recording") << QByteArray("replay /nonexistent")
                                   << QByteArray("replay: /nonexistent: No such file or directory\n");
    }
    void fileThatCannotBeRead_exitsWith3()
    {
        QFETCH(QByteArray, words);
        QFETCH(QByteArray, errors);
        QTcpServer listener;
        QVERIFY(listener.listen(QHostAddress::LocalHost));
        words.replace("PORT", QByteArray::number(listener.serverPort()));
        const Outcome outcome = run(words.constData());
        QVERIFY2(outcome.errors.startsWith("latchkey-cli: " + errors), outcome.errors.constData());
        QCOMPARE(outcome.exitCode, 3);
    }

    /// Reading a pipe would block until its writer ends.
    void pipeInPlaceOfFile_isRefused_data()
    {
        QTest::addColumn<QByteArray>("words");
        for (const char *words : {"expect --file PIPE", "explore --play PIPE", "story PIPE", "story --check PIPE",
                                  "replay PIPE", "--url rediss://127.0.0.1:PORT ls --cacert PIPE"})
            QTest::newRow(words) << QByteArray(words);
    }
    void pipeInPlaceOfFile_isRefused()
    {
        QFETCH(QByteArray, words);
        const QTemporaryDir folder;
        const QByteArray pipe = folder.filePath(QStringLiteral("pipe.json")).toLocal8Bit();
        QCOMPARE(::mkfifo(pipe.constData(), 0600), 0);
        QTcpServer listener;
        QVERIFY(listener.listen(QHostAddress::LocalHost));
        words.replace("PORT", QByteArray::number(listener.serverPort()));
        const Outcome outcome = run(words.replace("PIPE", pipe).constData());
        QVERIFY2(outcome.errors.endsWith("it is not a regular file\n"), outcome.errors.constData());
        QCOMPARE(outcome.errors.count('\n'), 1);
        QCOMPARE(outcome.exitCode, 2);
    }

    /// The shell's process substitution gives a secret without a file on the disk.
    void secretFromPipe_isRead()
    {
        QVERIFY((*server)({"SET", "held", "secret", "PX", "60000"}).isOk());
        QProcess shell;
        shell.start(QStringLiteral("/bin/bash"),
                    {QStringLiteral("-c"),
                     QStringLiteral("exec \"$0\" --url \"$1\" release token held --token-file <(echo secret)"),
                     QStringLiteral(LATCHKEY_CLI), server->url()});
        const Outcome outcome = test::outcomeOf(shell);
        QCOMPARE(outcome.errors, QByteArray());
        QCOMPARE(outcome.exitCode, 0);
    }

    /// A shell and the prompt of redis-cli read the intended words, without redirection.
    void lineOfAcl_canBePasted()
    {
        const QByteArray line = run("watch --acl").output.trimmed();
        const QTemporaryDir folder;
        QProcess shell;
        shell.setWorkingDirectory(folder.path());
        shell.start(QStringLiteral("/bin/sh"),
                    {QStringLiteral("-c"), QStringLiteral("printf '%s\n' ") + QString::fromUtf8(line)});
        const Outcome outcome = test::outcomeOf(shell);
        QCOMPARE(outcome.errors, QByteArray());
        const QByteArrayList words = outcome.output.trimmed().split('\n');
        QCOMPARE(words.first(5), (QByteArrayList {"ACL", "SETUSER", "latchkey", "on", ">PASSWORD"}));
        QVERIFY(words.contains("~*") && words.contains("-@all"));
        QVERIFY(QDir(folder.path()).isEmpty());
        resp::Command command;
        for (const QByteArray &word : words)
            command << word;
        QVERIFY2((*server)(command).isOk(), line.constData());
    }

    void serverTrouble_isOneSentenceAndExitsWith3_data()
    {
        QTest::addColumn<QList<QByteArray>>("preparation");
        QTest::addColumn<QByteArray>("words");
        QTest::addColumn<QByteArray>("errors");
        using Words = QList<QByteArray>;
        QTest::addRow("refused")
            << Words() << QByteArray("--url redis://127.0.0.1:1 acquire token k")
            << QByteArray("acquire token \"k\": cannot connect to redis://127.0.0.1:1: Connection refused\n");
        QTest::addRow("no socket") << Words() << QByteArray("--url unix:///nonexistent ls")
                                   << QByteArray("ls: cannot connect to unix:///nonexistent");
        QTest::addRow("password wanted") << Words {"CONFIG", "SET", "requirepass", "hunter2"}
                                         << QByteArray("acquire token k")
                                         << QByteArray("acquire token \"k\": unix:///");
        QTest::addRow("list acquired") << Words {"RPUSH", "k", "a"} << QByteArray("acquire token k")
                                       << QByteArray(
                                              "acquire token \"k\": the key holds a list, which is not a lock\n");
        QTest::addRow("list acquired, basic")
            << Words {"RPUSH", "k", "a"} << QByteArray("acquire basic k")
            << QByteArray("acquire basic \"k\": the key holds a list, which is not a lock\n");
        QTest::addRow("list acquired by a recipe that would change it")
            << Words {"RPUSH", "k", "a"} << QByteArray("acquire multi-setnx-expire k")
            << QByteArray("acquire multi-setnx-expire \"k\": the key holds a list, which is not a lock\n");
        QTest::addRow("list released with a deadline")
            << Words {"RPUSH", "k", "a"} << QByteArray("release timestamp-getset k --token 4102444800")
            << QByteArray("release timestamp-getset \"k\": the key holds a list, which is not a lock\n");
        QTest::addRow("no deadline")
            << Words {"SET", "k", "v"} << QByteArray("acquire timestamp-naive k")
            << QByteArray("acquire timestamp-naive \"k\": the key \"k\" holds \"v\", which is not a deadline in Unix "
                          "seconds\n");
        QTest::addRow("hash released") << Words {"HSET", "k", "a", "b"} << QByteArray("release basic k")
                                       << QByteArray(
                                              "release basic \"k\": the key holds a hash, which is not a lock\n");
        QTest::addRow("hash released with a token")
            << Words {"HSET", "k", "a", "b"} << QByteArray("release token k --token t")
            << QByteArray("release token \"k\": the key holds a value of another type (\"WRONGTYPE");
        QTest::addRow("hash extended") << Words {"HSET", "k", "a", "b"}
                                       << QByteArray("extend token k --token t --lease 5s")
                                       << QByteArray(
                                              "extend token \"k\": the key holds a value of another type (\"WRONGTYPE");
        QTest::addRow("no permission")
            << Words {"ACL", "SETUSER", "default", "-set"} << QByteArray("acquire basic k")
            << QByteArray("acquire basic \"k\": the server's ACL does not permit this user to do that (\"NOPERM");
        QTest::addRow("out of memory") << Words {"CONFIG", "SET", "maxmemory", "1"} << QByteArray("acquire basic k")
                                       << QByteArray(
                                              "acquire basic \"k\": the server has reached its memory limit (\"OOM");
        QTest::addRow("read-only replica")
            << Words {"REPLICAOF", "127.0.0.1", "1"} << QByteArray("acquire basic k")
            << QByteArray("acquire basic \"k\": the server is a read-only replica (\"READONLY");
    }
    void serverTrouble_isOneSentenceAndExitsWith3()
    {
        QFETCH(QList<QByteArray>, preparation);
        QFETCH(QByteArray, words);
        QFETCH(QByteArray, errors);
        if (preparation.size() == 3)
            QVERIFY(!(*server)({preparation[0], preparation[1], preparation[2]}).isError());
        else if (preparation.size() == 4)
            QVERIFY(!(*server)({preparation[0], preparation[1], preparation[2], preparation[3]}).isError());
        const Outcome outcome = run(words.constData());
        QVERIFY2(outcome.errors.startsWith("latchkey-cli: " + errors), outcome.errors.constData());
        QCOMPARE(outcome.errors.count('\n'), 1);
        QCOMPARE(outcome.exitCode, 3);
        QCOMPARE(outcome.output, QByteArray());
        const qint64 keys = preparation.isEmpty() || preparation[1] != "k" ? 0 : 1;
        QVERIFY2((*server)({"DBSIZE"}).isInteger(keys), "nothing was written and nothing is lost");
        QVERIFY2((*server)({"PTTL", "k"}).toInteger() < 0, "nothing will be lost");
    }

    void answerThatCannotBeWritten_isAnError_data()
    {
        QTest::addColumn<QByteArray>("words");
        for (const char *words : {"recipes", "ls", "get set-ex k", "--help", "ls --json"})
            QTest::addRow("%s", words) << QByteArray(words);
    }
    void answerThatCannotBeWritten_isAnError()
    {
        QFETCH(QByteArray, words);
        QVERIFY((*server)({"SET", "k", "v"}).isOk());
        QProcess process;
        process.setProcessEnvironment(environment);
        process.setStandardOutputFile(QStringLiteral("/dev/full"));
        process.start(QStringLiteral(LATCHKEY_CLI), QString::fromLatin1(words).split(u' '));
        const Outcome outcome = test::outcomeOf(process);
        QCOMPARE(outcome.exitCode, 3);
        QCOMPARE(
            outcome.errors,
            QByteArray("latchkey-cli: cannot write the answer to standard output; the command itself was executed\n"));
    }

    /// A JSON that says no is an answer as well.
    void refusalThatCannotBeWritten_isAnError_data()
    {
        QTest::addColumn<QByteArray>("words");
        for (const char *words : {"acquire token k --json", "release token k --token t --json",
                                  "extend token k --token t --lease 30s --json", "get set-ex missing --json"})
            QTest::addRow("%s", words) << QByteArray(words);
    }
    void refusalThatCannotBeWritten_isAnError()
    {
        QFETCH(QByteArray, words);
        QVERIFY((*server)({"SET", "k", "v", "PX", "60000"}).isOk());
        QCOMPARE(run(words.constData()).exitCode, 1);
        QProcess process;
        process.setProcessEnvironment(environment);
        process.setStandardOutputFile(QStringLiteral("/dev/full"));
        process.start(QStringLiteral(LATCHKEY_CLI), QString::fromLatin1(words).split(u' '));
        const Outcome outcome = test::outcomeOf(process);
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(outcome.errors.contains("cannot write the answer to standard output"), outcome.errors.constData());
    }

    void emptyPattern_isRefused_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addRow("ls") << QStringList {QStringLiteral("ls"), QString()};
        QTest::addRow("second pattern") << QStringList {QStringLiteral("ls"), QStringLiteral("a*"), QString()};
        QTest::addRow("watch") << QStringList {QStringLiteral("watch"), QString(), QStringLiteral("--for"),
                                               QStringLiteral("1s")};
    }
    void emptyPattern_isRefused()
    {
        QFETCH(QStringList, words);
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(LATCHKEY_CLI), words);
        const Outcome outcome = test::outcomeOf(process);
        QCOMPARE(outcome.exitCode, 2);
        QVERIFY2(outcome.errors.contains("GLOB is empty"), outcome.errors.constData());
        QVERIFY(outcome.output.isEmpty());
    }

    void clusterNodeThatServesOthers_isReported()
    {
        test::TestServer node({QStringLiteral("--cluster-enabled"), QStringLiteral("yes"), QStringLiteral("--port"),
                               QString::number(test::freeClusterPort()), QStringLiteral("--bind"),
                               QStringLiteral("127.0.0.1")});
        environment.insert(QStringLiteral("LATCHKEY_URL"), node.url());
        // No slot is served at all; a slot of another node would be answered with MOVED.
        const Outcome down = run("acquire token k");
        QCOMPARE(down.exitCode, 3);
        QVERIFY2(down.errors.contains("the server's cluster is down (\"CLUSTERDOWN"), down.errors.constData());
    }

    /// The lock may exist, so the data to release it must be printed.
    void lostReply_isUnknownAndPrintsTheDataForTheCleanUp_data()
    {
        QTest::addColumn<QByteArray>("words");
        QTest::addColumn<QString>("token"); ///< Pattern of the token in the JSON; empty without a token.
        QTest::addColumn<QJsonValue>("lease");
        QTest::addColumn<QString>("end"); ///< Pattern of the end of the message.
        const QString start = QStringLiteral("the outcome is unknown: if it was acquired, it is held ");
        QTest::addRow("a token of its own")
            << QByteArray("acquire token k --lease 5s") << QStringLiteral("[0-9a-f]{32}") << QJsonValue(5000)
            << start + QStringLiteral("for 5s, with the token [0-9a-f]{32}");
        QTest::addRow("the user's token, which is a secret")
            << QByteArray("acquire token k --token pass-word") << QStringLiteral("pass-word") << QJsonValue(30'000)
            << start + QStringLiteral("for 30s, with your token");
        QTest::addRow("a deadline") << QByteArray("acquire timestamp-getset k --lease 5s")
                                    << QStringLiteral("[0-9]{10}") << QJsonValue(5000)
                                    << start + QStringLiteral("for 5s, with the token [0-9]{10}");
        QTest::addRow("no token") << QByteArray("acquire auto-release k --lease 5s") << QString() << QJsonValue(5000)
                                  << start + QStringLiteral("for 5s");
        QTest::addRow("no lease") << QByteArray("acquire basic k") << QString() << QJsonValue()
                                  << start + QStringLiteral("until it is released");
        // The EXPIRE was not sent, so the lock would stay forever.
        QTest::addRow("a lease by a second command")
            << QByteArray("acquire setnx-then-expire k --lease 5s") << QString() << QJsonValue()
            << QStringLiteral(
                   "the outcome is unknown: if it was acquired, it may be held until it is released, because "
                   "its lease is set by a second command");
        QTest::addRow("run") << QByteArray("run token k --lease 5s -- true") << QString() << QJsonValue()
                             << start + QStringLiteral("for 5s, with the token [0-9a-f]{32}");
        QTest::addRow("release") << QByteArray("release token k --token t") << QString() << QJsonValue()
                                 << QStringLiteral("the outcome is unknown");
    }
    void lostReply_isUnknownAndPrintsTheDataForTheCleanUp()
    {
        QFETCH(QByteArray, words);
        QByteArray asked;
        const test::FakeServer silent(test::FakeServer::closesOnCommand(&asked));
        environment.insert(QStringLiteral("LATCHKEY_URL"), silent.url());
        const bool hasJson = !words.startsWith("run");
        const Outcome outcome = run(QByteArray(words + (hasJson ? " --json" : "")).constData());
        QCOMPARE(outcome.exitCode, 3);

        QFETCH(QString, end);
        const QString errors = QString::fromUtf8(outcome.errors).trimmed();
        QVERIFY2(errors.contains(QRegularExpression(end + u'$')) && !errors.contains(u'\n'), qPrintable(errors));
        QCOMPARE(outcome.output.isEmpty(), !hasJson);
        if (!hasJson)
            return;
        const QJsonObject object = outcome.object();
        QCOMPARE(object[QStringLiteral("outcome")].toString(), QStringLiteral("unknown"));
        QTEST(object[QStringLiteral("lease_ms")].isUndefined() ? QJsonValue() : object[QStringLiteral("lease_ms")],
              "lease");
        QFETCH(QString, token);
        const QString told = object[QStringLiteral("token")].toString();
        QVERIFY2(QRegularExpression(QRegularExpression::anchoredPattern(token)).match(told).hasMatch(),
                 qPrintable(told));
        QVERIFY2(asked.contains(told.toUtf8()), "it is the one that was sent");
    }

    void emptyKey_isRefusedUnlessItIsMeant()
    {
        const QStringList commands[] {
            {QStringLiteral("acquire"), QStringLiteral("basic"), QString()},
            {QStringLiteral("release"), QStringLiteral("basic"), QString()},
            {QStringLiteral("run"), QStringLiteral("basic"), QString(), QStringLiteral("--"), QStringLiteral("true")},
            {QStringLiteral("put"), QStringLiteral("set-ex"), QString(), QStringLiteral("v"), QStringLiteral("--ttl"),
             QStringLiteral("5s")},
            {QStringLiteral("get"), QStringLiteral("set-ex"), QString()},
        };
        for (const QStringList &command : commands) {
            const Outcome refused = run(command);
            QVERIFY2(refused.errors.startsWith("latchkey-cli: the key is empty: is a variable not set?"),
                     refused.errors.constData());
            QCOMPARE(refused.exitCode, 2);
            QVERIFY((*server)({"DBSIZE"}).isInteger(0));
        }
        for (const QStringList &command : commands)
            QCOMPARE(
                run(QStringList {command.first(), QStringLiteral("--allow-empty-key")} + command.sliced(1)).exitCode,
                0);
    }

    void password_isOneOfOneRank()
    {
        QVERIFY((*server)({"CONFIG", "SET", "requirepass", "right"}).isOk());
        const QString path = server->endpoint().path;
        const QString withRight = QStringLiteral("unix://:right@") + path;
        const QString withWrong = QStringLiteral("unix://:wrong@") + path;
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("password")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("right\n");
        file.close();
        const QStringList fromFile {QStringLiteral("--password-file"), file.fileName()};
        const auto ls = [this](const QStringList &options) {
            return run(options + QStringList {QStringLiteral("ls")});
        };

        environment.insert(QStringLiteral("LATCHKEY_URL"), withWrong);
        QCOMPARE(ls({}).exitCode, 3);
        QCOMPARE(ls(fromFile).exitCode, 0);
        QCOMPARE(ls({QStringLiteral("--url"), withRight}).exitCode, 0);
        environment.insert(QStringLiteral("LATCHKEY_PASSWORD"), QStringLiteral("right"));
        const Outcome set = ls({});
        QCOMPARE(set.exitCode, 2);
        QVERIFY2(set.errors.endsWith("is given twice and differs: in LATCHKEY_URL and in LATCHKEY_PASSWORD\n"),
                 set.errors.constData());
        const Outcome typed = ls(fromFile + QStringList {QStringLiteral("--url"), withWrong});
        QCOMPARE(typed.exitCode, 2);
        QVERIFY2(typed.errors.endsWith("is given twice and differs: in the URL and in --password-file\n"),
                 typed.errors.constData());
    }

    void lineSeparators_areEscaped()
    {
        QVERIFY((*server)({"SET", "a\u2028b\u0085c", "v"}).isOk());
        const QByteArray text = run("ls").output;
        QVERIFY2(text.contains("a\\xe2\\x80\\xa8b\\xc2\\x85c"), text.constData());
        const QByteArray json = run("ls --json").output;
        QVERIFY2(json.contains("\"a\\u2028b\\u0085c\""), json.constData());
    }

    void help_hasAnExampleForEveryCommand()
    {
        const Outcome help = run("--help");
        QCOMPARE(help.exitCode, 0);
        QVERIFY(run("-h").output == help.output);
        static const QRegularExpression command(QStringLiteral("^  ([a-z]+) +"), QRegularExpression::MultilineOption);
        const QString list = QString::fromUtf8(help.output)
                                 .section(QStringLiteral("Commands:"), 1)
                                 .section(QStringLiteral("Options"), 0, 0);
        int seen = 0;
        for (auto match = command.globalMatch(list); match.hasNext(); ++seen) {
            const QString name = match.next().captured(1);
            const Outcome own = run({name, QStringLiteral("--help")});
            QCOMPARE(own.exitCode, 0);
            QVERIFY2(own.output.startsWith("Usage: latchkey-cli " + name.toLatin1()), own.output.constData());
            QVERIFY2(own.output.contains("Example"), own.output.constData());
            QVERIFY2(own.output.count("latchkey-cli " + name.toLatin1()) >= 2 || name == u"actor",
                     own.output.constData());
        }
        QVERIFY(seen >= 6);
        QVERIFY(run("--version").output.startsWith("latchkey-cli 0."));
    }

    void helpAndVersion_areCommandsToo()
    {
        for (const auto &[words, option] :
             {std::pair("help", "--help"), std::pair("help ls", "ls --help"), std::pair("-h ls", "ls --help"),
              std::pair("ls -h", "ls --help"), std::pair("ls -h --json", "ls --help"),
              std::pair("--help ls", "ls --help"), std::pair("help help", "help --help"),
              std::pair("version", "--version"), std::pair("-V", "--version"), std::pair("-v", "--version")}) {
            const Outcome outcome = run(words);
            QCOMPARE(outcome.exitCode, 0);
            QCOMPARE(outcome.errors, QByteArray());
            QVERIFY(!outcome.output.isEmpty());
            QCOMPARE(outcome.output, run(option).output);
        }
    }

    void manualPage_hasTheOptionsAndIsValid_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("title");
        QTest::addColumn<QByteArray>("option");
        QTest::addRow("program") << QString() << QByteArray("latchkey-cli") << QByteArray("-p, --port PORT");
        QTest::addRow("ls") << QStringLiteral("ls") << QByteArray("latchkey-cli-ls") << QByteArray("--expiring");
        QTest::addRow("explore") << QStringLiteral("explore") << QByteArray("latchkey-cli-explore")
                                 << QByteArray("--lost-replies N");
    }
    void manualPage_hasTheOptionsAndIsValid()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, title);
        QFETCH(QByteArray, option);
        const Outcome page =
            run(QStringList {QStringLiteral("help"), QStringLiteral("--man"), name}.mid(0, name.isEmpty() ? 2 : 3));
        QCOMPARE(page.exitCode, 0);
        const auto written = [](QByteArray text) { return text.replace('-', "\\-"); };
        QVERIFY(page.output.startsWith(".TH \"" + title + "\" 1 "));
        QVERIFY2(page.output.contains("\n.TP\n\\fB" + written(option) + "\\fR\n"), page.output.constData());
        QVERIFY(!page.output.contains("{options"));
        const QString groff = QStandardPaths::findExecutable(QStringLiteral("groff"));
        if (groff.isEmpty())
            QSKIP("groff is not installed");
        QProcess formatter;
        formatter.start(
            groff, {QStringLiteral("-man"), QStringLiteral("-Tutf8"), QStringLiteral("-Kutf8"), QStringLiteral("-ww")});
        formatter.write(page.output);
        formatter.closeWriteChannel();
        QVERIFY(formatter.waitForFinished());
        QCOMPARE(formatter.readAllStandardError(), QByteArray());
        QCOMPARE(formatter.exitCode(), 0);
    }

    void help_isAsWideAsColumnsOrEighty_data()
    {
        QTest::addColumn<QString>("columns");
        QTest::addColumn<qsizetype>("width");
        QTest::addRow("nothing said") << QString() << qsizetype(80);
        QTest::addRow("narrow") << QStringLiteral("60") << qsizetype(60);
        QTest::addRow("wide") << QStringLiteral("132") << qsizetype(132);
        QTest::addRow("nonsense") << QStringLiteral("-1") << qsizetype(80);
    }
    void help_isAsWideAsColumnsOrEighty()
    {
        QFETCH(QString, columns);
        QFETCH(qsizetype, width);
        // Lines may break at other places; only a comment may be before its example instead of after it.
        const auto letters = [](QByteArray text) {
            text.replace("\\\n", "\n").replace(' ', "").replace('\n', "");
            std::ranges::sort(text);
            return text;
        };
        const auto helpOf = [&](const QString &command, const QString &columnsThen) {
            environment.insert(QStringLiteral("COLUMNS"), columnsThen);
            return run(QStringList {command, QStringLiteral("--help")}).output;
        };
        for (const char *name : {"", "recipes", "acquire", "release", "extend", "run", "put", "get", "ls", "explore",
                                 "actor", "completion"}) {
            const QString command = QLatin1String(name);
            const QByteArray help = *name == 0
                                      ? (environment.insert(QStringLiteral("COLUMNS"), columns), run("--help").output)
                                      : helpOf(command, columns);
            for (const QByteArray &line : help.split('\n')) {
                // Lines that cannot be broken may be longer.
                const bool isWhole = line.count('\'') == 2 || !line.trimmed().contains(' ');
                QVERIFY2(QString::fromUtf8(line).size() <= width || isWhole, line.constData());
            }
            if (*name != 0)
                QCOMPARE(letters(help), letters(helpOf(command, QStringLiteral("1000"))));
        }
    }

    void environmentWithoutALocale_isNotComplainedOf()
    {
        for (const char *locale : {"C", "xx_XX.ISO-8859-1"}) {
            environment.insert(QStringLiteral("LC_ALL"), QString::fromLatin1(locale));
            const Outcome outcome =
                run({QStringLiteral("acquire"), QStringLiteral("token"), QStringLiteral("Schlüssel")});
            QCOMPARE(outcome.errors, QByteArray());
            QCOMPARE(outcome.exitCode, 0);
            QVERIFY((*server)({"DEL", "Schlüssel"}).isInteger(1));
        }
        environment.remove(QStringLiteral("LC_ALL"));
        environment.insert(QStringLiteral("LANG"), QStringLiteral("C"));
        QCOMPARE(run("recipes").errors, QByteArray());
    }

    void window_reportsInvalidArguments()
    {
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        const Outcome url = runProgram(QStringLiteral(LATCHKEY_WINDOW), {QStringLiteral("localhost")});
        QCOMPARE(url.exitCode, 2);
        QVERIFY2(url.errors.contains("latchkey: the URL \"localhost\" lacks a scheme: write redis://localhost\n"),
                 url.errors.constData());
        const Outcome option = runProgram(QStringLiteral(LATCHKEY_WINDOW), {QStringLiteral("--\x1b[31m")});
        QCOMPARE(option.exitCode, 2);
        QVERIFY2(option.errors.contains("\\x1b[31m") && !option.errors.contains('\x1b'), option.errors.constData());
        environment.insert(QStringLiteral("LATCHKEY_URL"), QStringLiteral("redis://:one@127.0.0.1:1"));
        environment.insert(QStringLiteral("LATCHKEY_PASSWORD"), QStringLiteral("two"));
        const Outcome twice = runProgram(QStringLiteral(LATCHKEY_WINDOW), QStringList());
        QCOMPARE(twice.exitCode, 2);
        QVERIFY2(twice.errors.contains("the password for redis://127.0.0.1:1 is given twice and differs"),
                 twice.errors.constData());
        // Text output needs no display.
        for (const char *name : {"QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"})
            environment.remove(QString::fromLatin1(name));
        QCOMPARE(runProgram(QStringLiteral(LATCHKEY_WINDOW), {QStringLiteral("--version")}).exitCode, 0);
        const QByteArray help = runProgram(QStringLiteral(LATCHKEY_WINDOW), {QStringLiteral("--help")}).output;
        for (const char *word : {"latchkey --demo", "LATCHKEY_URL", "LATCHKEY_PASSWORD", "LATCHKEY_REDIS_SERVER"})
            QVERIFY2(help.contains(word), word);
        for (const char *example : {"  latchkey\n", "  latchkey redis://127.0.0.1:6379/2\n", "  latchkey --demo\n"})
            QVERIFY2(help.contains(example), example);
        for (const int width : {50, 80, 120}) {
            environment.insert(QStringLiteral("COLUMNS"), QString::number(width));
            const QByteArray narrow = runProgram(QStringLiteral(LATCHKEY_WINDOW), {QStringLiteral("--help")}).output;
            for (const QByteArray &line : narrow.split('\n'))
                QVERIFY2(line.size() <= width || !line.trimmed().contains(' '), line.constData());
            QCOMPARE(narrow.simplified().contains("else the last one, else the local one"), true);
        }
    }
};

LATCHKEY_TEST(TestCommandLine)

} // namespace tst_commandline

#include "tst_commandline.moc"
