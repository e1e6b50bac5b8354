#include "tests/support/await.h"
#include "tests/support/clustersetup.h"
#include "tests/support/commandlinetest.h"
#include "tests/support/pseudoterminal.h"
#include "tests/support/testprogram.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>
#include <QUrl>

#include <algorithm>
#include <array>
#include <csignal>
#include <map>
#include <memory>

namespace tst_grouplisting {

using namespace latchkey;
using test::Outcome;

/// The votes for one lock, as the test counts them.
struct Count
{
    QByteArray holder;
    int votes = 0;
    QJsonValue majority;
    QStringList each {}; ///< The vote of each server, as in the JSON.
};

/// Tests of ls with several servers, as a process, with real servers.
class TestGroupListing final : public test::CommandLineTest
{
    Q_OBJECT

    static constexpr std::size_t groupSize = 5;

    std::vector<std::unique_ptr<test::TestServer>> servers;
    std::vector<bool> isReadable;
    std::map<QByteArray, std::vector<QByteArray>> expected; ///< Holders of each lock, one per server; empty: no key.

    [[nodiscard]] QStringList words(const char *command) const
    {
        QStringList all = QString::fromLatin1(command).split(u' ');
        for (const auto &one : servers)
            all << QStringLiteral("--url") << one->url();
        return all;
    }
    void set(std::size_t index, const QByteArray &key, const QByteArray &holder)
    {
        expected[key].resize(groupSize);
        expected[key][index] = holder;
        if (!holder.isEmpty())
            QVERIFY((*servers[index])({"SET", key, holder, "PX", "600000"}).isOk());
    }
    void signal(std::size_t index, int number)
    {
        ::kill(static_cast<pid_t>(servers[index]->process().processId()), number);
    }
    void expectSilence(std::size_t index) { isReadable[index] = false; }

    /// Counts the votes without LockVotes. The first server decides between holders with equal votes.
    [[nodiscard]] Count countOf(const std::vector<QByteArray> &holders) const
    {
        Count count;
        int silent = 0;
        for (std::size_t i = 0; i < groupSize; ++i) {
            if (!isReadable[i]) {
                ++silent;
                continue;
            }
            int same = 0;
            for (std::size_t other = 0; other < groupSize; ++other)
                same += isReadable[other] && holders[other] == holders[i] ? 1 : 0;
            if (!holders[i].isEmpty() && same > count.votes) {
                count.holder = holders[i];
                count.votes = same;
            }
        }
        if (count.votes >= 3)
            count.majority = true;
        else if (count.votes + silent < 3)
            count.majority = false;
        for (std::size_t i = 0; i < groupSize; ++i)
            count.each += QString::fromLatin1(!isReadable[i]               ? "unknown"
                                              : holders[i].isEmpty()       ? "no-key"
                                              : holders[i] == count.holder ? "holds"
                                                                           : "other-holder");
        return count;
    }
    /// Compares the printed locks with those of the test.
    void compare(const QByteArray &output) const
    {
        std::map<QByteArray, QJsonObject> printed;
        for (const QJsonValue &row : QJsonDocument::fromJson(output).array()) {
            const QJsonValue base64 = row[QStringLiteral("key_base64")];
            const QByteArray key = base64.isString() ? QByteArray::fromBase64(base64.toString().toLatin1())
                                                     : row[QStringLiteral("key")].toString().toUtf8();
            QVERIFY2(!printed.contains(key), key.constData());
            printed[key] = row.toObject();
        }
        std::size_t there = 0;
        for (const auto &[key, holders] : expected) {
            const Count count = countOf(holders);
            if (count.votes == 0)
                continue;
            ++there;
            QVERIFY2(printed.contains(key), key.constData());
            const QJsonObject &row = printed[key];
            const QJsonObject votes = row[QStringLiteral("votes")].toObject();
            QCOMPARE(votes[QStringLiteral("votes")].toInt(), count.votes);
            QCOMPARE(votes[QStringLiteral("servers")].toInt(), 5);
            QCOMPARE(votes[QStringLiteral("majority")], count.majority);
            const bool isHeld = count.majority == QJsonValue(true);
            QCOMPARE(row[QStringLiteral("holder")].toString().toUtf8(), isHeld ? count.holder : QByteArray());
            QCOMPARE(row[QStringLiteral("pttl_ms")].isNull(), !isHeld);
            QStringList each;
            for (const QJsonValue &one : row[QStringLiteral("servers")].toArray())
                each += one[QStringLiteral("vote")].toString();
            QCOMPARE(each, count.each);
        }
        QCOMPARE(printed.size(), there);
    }

private Q_SLOTS:
    void init()
    {
        CommandLineTest::init();
        for (std::size_t i = 0; i < groupSize; ++i)
            servers.push_back(std::make_unique<test::TestServer>());
        isReadable.assign(groupSize, true);
    }
    void cleanup()
    {
        servers.clear();
        expected.clear();
        CommandLineTest::cleanup();
    }

    /// One server asks for a password, and one has a token of another client.
    void locks_haveTheirVotes()
    {
        for (std::size_t i = 0; i < 3; ++i)
            set(i, "lock:a", token(1));
        set(3, "lock:a", token(2));
        set(0, "lock:b", token(3));
        const Outcome all = run(words("ls --locks --json"));
        QVERIFY2(all.exitCode == 0, all.errors.constData());
        compare(all.output);

        QVERIFY((*servers[4])({"CONFIG", "SET", "requirepass", "secret"}).isOk());
        expectSilence(4);
        const Outcome four = run(words("ls --locks --json"));
        QCOMPARE(four.exitCode, 3);
        compare(four.output);
        const QJsonObject missing = QJsonDocument::fromJson(four.errors).object();
        QCOMPARE(missing[QStringLiteral("server")].toString(), servers[4]->url());
        QCOMPARE(missing[QStringLiteral("complete")], QJsonValue(false));

        const Outcome table = run(words("ls --locks"));
        QCOMPARE(table.exitCode, 3);
        QCOMPARE(table.errors.count('\n'), 1);
        QVERIFY2(table.errors.contains(servers[4]->url().toUtf8()), table.errors.constData());
        const QByteArrayList lines = table.output.split('\n');
        QVERIFY2(lines[0].startsWith("3 of 5 ") && lines[0].endsWith("  lock:a")
                     && lines[0].contains("other holder: " + servers[3]->url().toUtf8()
                                          + "; not known: " + servers[4]->url().toUtf8() + ' '),
                 table.output.constData());
        QVERIFY2(lines[1].startsWith("1 of 5, no majority ") && lines[1].endsWith("  lock:b"),
                 table.output.constData());
    }

    /// Without a majority, every holder is named: there is none from which the others differ.
    void lockWithoutMajority_hasItsHolders()
    {
        set(0, "lock:a", "first-holder-of-the-lock");
        set(1, "lock:a", "second-holder-of-the-lock");
        set(2, "lock:a", "second-holder-of-the-lock");
        const QByteArray table = run(words("ls --locks")).output;
        const auto url = [this](std::size_t index) { return servers[index]->url().toUtf8(); };
        QVERIFY2(table.startsWith("2 of 5, no majority "), table.constData());
        QVERIFY2(table.contains("  first-holde\xe2\x80\xa6: " + url(0) + "; second-hold\xe2\x80\xa6: " + url(1) + ", "
                                + url(2) + "; no key: " + url(3) + ", " + url(4) + ' '),
                 table.constData());
        QVERIFY2(!table.contains("other holder"), table.constData());
        set(0, "lock:a", token(1));
        set(1, "lock:a", token(2));
        set(2, "lock:a", token(2));
        const QByteArray full = run(words("ls --locks")).output;
        QVERIFY2(full.contains(token(1) + ": " + url(0) + "; " + token(2) + ": " + url(1)), full.constData());
    }

    void rows_areInEachFormat()
    {
        for (std::size_t i = 0; i < groupSize; ++i)
            set(i, "lock:a", i < 4 ? token(1) : token(2));
        set(0, "lock:b", token(3));
        const QByteArray csv = run(words("ls --locks -o csv --sort votes")).output;
        const QByteArrayList lines = csv.split('\n');
        QCOMPARE(lines.size(), 4);
        QVERIFY2(lines[0].contains(",votes,servers,quorum,majority,valid_ms,other_holder,no_key,unknown"),
                 csv.constData());
        QVERIFY2(lines[1].startsWith("lock:b,") && lines[1].contains(",1,5,3,false,,,"), csv.constData());
        QVERIFY2(lines[2].startsWith("lock:a,") && lines[2].contains(",4,5,3,true,")
                     && lines[2].contains(servers[4]->url().toUtf8()),
                 csv.constData());
        QCOMPARE(run(words("ls --locks -o csv --sort votes --no-headers")).output.count('\n'), 2);
        const QByteArray jsonl = run(words("ls --locks -o jsonl --sort votes --reverse lock:*")).output;
        QCOMPARE(jsonl.count('\n'), 2);
        QVERIFY2(QJsonDocument::fromJson(jsonl.split('\n')[0])[QStringLiteral("key")].toString() == u"lock:a",
                 jsonl.constData());
    }

    /// Votes of locks that a random number of the servers hold for either of two holders. Key names may be any bytes.
    void manyLocks_haveTheVotesOfTheOracle()
    {
        QRandomGenerator random(28);
        QByteArrayList keys {"lock:\x1b[31m", "lock:\xff\xfe", "lock:\n", "lock:\"a\", b", "lock:  2 of 5", "lock:%1"};
        while (keys.size() < 2'000)
            keys += "lock:" + QByteArray::number(keys.size());
        for (int i = 0; i < keys.size(); ++i) {
            for (std::size_t index = 0; index < groupSize; ++index) {
                const quint32 dice = random.bounded(8U);
                set(index, keys[i], dice == 0 ? QByteArray() : token(2 * i + (dice == 1 ? 1 : 0)));
            }
        }
        const Outcome all = run(words("ls --locks --json"));
        QVERIFY2(all.exitCode == 0, all.errors.constData());
        compare(all.output);

        for (const std::size_t dead : {1U, 3U}) {
            signal(dead, SIGKILL);
            expectSilence(dead);
        }
        const Outcome three = run(words("ls --locks --json"));
        QCOMPARE(three.exitCode, 3);
        QCOMPARE(three.errors.count('\n'), 2);
        compare(three.output);
        const Outcome table = run(words("ls --locks"));
        QVERIFY(!table.output.contains('\x1b'));
    }

    /// The other servers are read while one does not answer, and it is read when it does.
    void silentServer_delaysNoOther()
    {
        for (std::size_t i = 0; i < groupSize; ++i)
            set(i, "lock:a", token(1));
        signal(0, SIGSTOP);
        QProcess process;
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(LATCHKEY_CLI), words("ls --locks --json --timeout 10m"));
        for (std::size_t i = 1; i < groupSize; ++i)
            LATCHKEY_AWAIT((*servers[i])({"INFO", "commandstats"}).bytes().contains("cmdstat_scan"));
        QCOMPARE(process.state(), QProcess::Running);
        signal(0, SIGCONT);
        const Outcome five = test::outcomeOf(process);
        QVERIFY2(five.exitCode == 0, five.errors.constData());
        compare(five.output);

        signal(2, SIGSTOP);
        expectSilence(2);
        const Outcome four = run(words("ls --locks --json --timeout 500ms"));
        signal(2, SIGCONT);
        QCOMPARE(four.exitCode, 3);
        compare(four.output);
    }

    /// A user who may not list the keys may still read one: its vote counts.
    void serverThatRefusesScan_stillVotes()
    {
        for (std::size_t i = 0; i < 3; ++i)
            set(i, "lock:a", token(1));
        QVERIFY((*servers[2])({"ACL", "SETUSER", "default", "-scan"}).isOk());
        const Outcome outcome = run(words("ls --locks --json"));
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(outcome.errors.contains(servers[2]->url().toUtf8()), outcome.errors.constData());
        compare(outcome.output);
    }

    /// The key is not cut, and each other line is as wide as the terminal at most.
    void table_isCutToTheTerminal()
    {
        for (std::size_t i = 0; i < groupSize; ++i)
            set(i, "lock:a", i < 3 ? token(1) : token(2));
        environment.insert(QStringLiteral("COLUMNS"), QStringLiteral("90"));
        const QString narrow = QString::fromUtf8(run(words("ls --locks")).output).chopped(1);
        QVERIFY2(narrow.size() == 90 && narrow.startsWith(u"3 of 5 ") && narrow.endsWith(u"  lock:a"),
                 qPrintable(narrow));
        QVERIFY2(narrow.contains(QString::fromLatin1(token(1))), qPrintable(narrow)); // The servers are cut first.
        environment.insert(QStringLiteral("COLUMNS"), QStringLiteral("20"));
        const QString narrowest = QString::fromUtf8(run(words("ls --locks")).output).chopped(1);
        QVERIFY2(narrowest.contains(QStringLiteral("  aaaaaaa…  other h…  lock:a")), qPrintable(narrowest));
        environment.remove(QStringLiteral("COLUMNS"));
        const QByteArray whole = run(words("ls --locks")).output;
        QVERIFY2(whole.contains(servers[4]->url().toUtf8() + "  lock:a"), whole.constData());
    }

    void progress_isOfAllServers()
    {
        LATCHKEY_NEEDS_TERMINAL();
        for (std::size_t i = 0; i < groupSize; ++i)
            set(i, "lock:a", token(1));
        signal(0, SIGSTOP);
        test::PseudoTerminal terminal;
        terminal.start(environment, QDir::tempPath(), QStringLiteral(LATCHKEY_CLI), words("ls --locks --timeout 10m"));
        LATCHKEY_AWAIT(terminal.output().contains("ls: 4 keys so far"));
        signal(0, SIGCONT);
        LATCHKEY_AWAIT(terminal.output().contains("5 of 5 "));
    }

    void keys_haveTheirServer()
    {
        QVERIFY((*servers[0])({"SET", "b", "1"}).isOk());
        QVERIFY((*servers[1])({"SET", "a", "1"}).isOk());
        QVERIFY((*servers[1])({"SET", "b", "1"}).isOk());
        const auto listed = [&](const char *command) {
            QStringList rows;
            for (const QJsonValue &row : QJsonDocument::fromJson(run(words(command)).output).array()) {
                const QString address = row[QStringLiteral("server")].toString();
                const auto place = std::ranges::find(servers, address, [](const auto &one) { return one->url(); });
                rows += row[QStringLiteral("key")].toString() + QString::number(place - servers.begin());
            }
            return rows.join(u' ');
        };
        QCOMPARE(listed("ls --json"), QStringLiteral("b0 a1 b1"));
        QCOMPARE(listed("ls --json --sort key"), QStringLiteral("a1 b0 b1"));
        QCOMPARE(listed("ls --json a*"), QStringLiteral("a1"));
        const QByteArray table = run(words("ls")).output;
        QVERIFY2(table.startsWith(servers[0]->url().toUtf8() + ' '), table.constData());
        QVERIFY(run(words("ls -o csv")).output.startsWith("server,key,"));
        const Outcome databases = run(words("ls --all-databases"));
        QCOMPARE(databases.exitCode, 2);
        QVERIFY2(databases.errors.contains("--all-databases: it needs a single --url"), databases.errors.constData());
    }

    /// A group that is saved in the window stands for the URLs of its servers.
    void savedGroup_standsForItsServers()
    {
        const QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("servers.ini")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("[first]\nurl=" + servers[0]->url().toUtf8() + "\n[five]\nserver1=first\n");
        for (std::size_t i = 1; i < groupSize; ++i)
            file.write(QStringLiteral("server%1=%2\n").arg(i + 1).arg(servers[i]->url()).toUtf8());
        file.write("[broken]\nserver1=first\nserver2=lost\n[single]\nserver1=first\n");
        file.close();
        environment.insert(QStringLiteral("LATCHKEY_SERVERS"), file.fileName());
        for (std::size_t i = 0; i < groupSize; ++i)
            set(i, "lock:a", i < 3 ? token(1) : token(2));
        const Outcome listed = run("ls --locks --server FIVE --json");
        QVERIFY2(listed.exitCode == 0, listed.errors.constData());
        compare(listed.output);
        const Outcome why = run("why lock:a --server five --json");
        QCOMPARE(why.exitCode, 0);
        QCOMPARE(QJsonDocument::fromJson(why.output)[QStringLiteral("servers")].toArray().size(), qsizetype(groupSize));
        const Outcome watched = run("watch --server five --event majority --once --for 20s --json");
        QVERIFY2(watched.output.contains("\"votes\":3"), (watched.output + watched.errors).constData());
        const Outcome single = run("status --server five");
        QVERIFY2(single.exitCode == 2 && single.errors.contains("one --url only"), single.errors.constData());
        QVERIFY2(
            single.errors.contains("\"five\" is a redlock group of 5 servers, and this command uses a single server")
                && single.errors.contains(servers[0]->url().toUtf8()),
            single.errors.constData());
        const Outcome twice = run("ls --server five --server first");
        QVERIFY2(twice.exitCode == 2 && twice.errors.contains("is given twice"), twice.errors.constData());
        const Outcome broken = run("ls --server broken");
        QVERIFY2(broken.exitCode == 2 && broken.errors.contains("the group \"broken\": no server is saved as \"lost\""),
                 broken.errors.constData());
        const Outcome alone = run("why lock:a --server single");
        QVERIFY2(alone.exitCode == 2 && alone.errors.contains("it needs at least two servers"),
                 alone.errors.constData());
        environment.remove(QStringLiteral("LATCHKEY_SERVERS"));
    }

    /// Two addresses of one server would count one vote twice.
    void dependentServers_areRefused()
    {
        const QTemporaryDir folder;
        const QString link = folder.filePath(QStringLiteral("link.sock"));
        QVERIFY(QFile::link(QUrl(server->url()).path(), link));
        const Outcome twice =
            run({QStringLiteral("ls"), QStringLiteral("--locks"), QStringLiteral("--json"), QStringLiteral("--url"),
                 server->url(), QStringLiteral("--url"), QStringLiteral("unix://") + link});
        QCOMPARE(twice.exitCode, 2);
        QCOMPARE(twice.output, QByteArray());
        QVERIFY2(twice.errors.contains("are the same server"), twice.errors.constData());
        const test::TestServer node(test::clusterNode());
        const Outcome cluster =
            run({QStringLiteral("ls"), QStringLiteral("--url"), server->url(), QStringLiteral("--url"), node.url()});
        QCOMPARE(cluster.exitCode, 2);
        QVERIFY2(cluster.errors.contains("is a node of a cluster"), cluster.errors.constData());
        // A cluster that is down says only that.
        const Outcome down = run({QStringLiteral("why"), QStringLiteral("lock:a"), QStringLiteral("--url"),
                                  server->url(), QStringLiteral("--url"), node.url()});
        QCOMPARE(down.exitCode, 2);
        QVERIFY2(down.errors.contains("is a node of a cluster"), down.errors.constData());
    }

    /// A lock on one server under two addresses would need fewer servers than it seems to.
    void dependentServers_areRefusedBeforeALockIsAcquired()
    {
        const QTemporaryDir folder;
        const QString link = folder.filePath(QStringLiteral("link.sock"));
        QVERIFY(QFile::link(QUrl(server->url()).path(), link));
        const QStringList urls {QStringLiteral("--url"),          server->url(),           QStringLiteral("--url"),
                                QStringLiteral("unix://") + link, QStringLiteral("--url"), servers[0]->url()};
        const Outcome acquired =
            run(QStringList {QStringLiteral("acquire"), QStringLiteral("redlock"), QStringLiteral("lock:a")} + urls);
        QCOMPARE(acquired.exitCode, 2);
        QCOMPARE(acquired.output, QByteArray());
        QVERIFY2(acquired.errors.contains("are the same server"), acquired.errors.constData());
        const Outcome ran = run(QStringList {QStringLiteral("run")} + urls
                                + QStringList {QStringLiteral("redlock"), QStringLiteral("lock:a"),
                                               QStringLiteral("--"), QStringLiteral("echo"), QStringLiteral("ran")});
        QCOMPARE(ran.exitCode, 2);
        QCOMPARE(ran.output, QByteArray());
        QVERIFY((*server)({"EXISTS", "lock:a"}).isInteger(0));
        QVERIFY((*servers[0])({"EXISTS", "lock:a"}).isInteger(0));
        // Each server that connects finds it again, but it is reported once.
        const Outcome watched =
            run(QStringList {QStringLiteral("watch"), QStringLiteral("--for"), QStringLiteral("20s")} + urls);
        QCOMPARE(watched.exitCode, 2);
        QCOMPARE(watched.errors.count("are the same server"), 1);
    }

    /// Without INFO, a subscription shows whether two addresses lead to one server.
    void serversThatRefuseInfo_areCompared()
    {
        const QTemporaryDir folder;
        const QString link = folder.filePath(QStringLiteral("link.sock"));
        QVERIFY(QFile::link(QUrl(server->url()).path(), link));
        const auto commands = [&](const QStringList &urls) {
            QStringList options;
            for (const QString &url : urls)
                options += {QStringLiteral("--url"), url};
            return std::array {run(QStringList {QStringLiteral("ls"), QStringLiteral("--locks")} + options),
                               run(QStringList {QStringLiteral("why"), QStringLiteral("lock:a")} + options)};
        };
        set(0, "lock:a", token(1));
        QVERIFY((*server)({"SET", "lock:a", token(1), "PX", "600000"}).isOk());
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-info"}).isOk());
        const QString twice = QStringLiteral("unix://") + link;
        for (const Outcome &outcome : commands({server->url(), servers[0]->url(), twice})) {
            QCOMPARE(outcome.exitCode, 2);
            QVERIFY2(outcome.errors.contains("are the same server"), outcome.errors.constData());
            QCOMPARE(outcome.output, QByteArray());
        }
        for (const Outcome &outcome : commands({server->url(), servers[0]->url()}))
            QVERIFY2(outcome.exitCode == 0, outcome.errors.constData());
        QVERIFY((*server)({"ACL", "SETUSER", "default", "resetchannels"}).isOk());
        for (const Outcome &outcome : commands({server->url(), servers[0]->url()})) {
            QCOMPARE(outcome.exitCode, 3);
            QVERIFY2(outcome.errors.contains("could not be told, because INFO is refused"), outcome.errors.constData());
            QVERIFY2(outcome.output.contains("lock:a"), outcome.output.constData());
        }
    }

    /// Without INFO, acquire compares the servers by a subscription, and watch names the uncertainty.
    void serversThatRefuseInfo_areNamedByAcquireAndWatch()
    {
        const QTemporaryDir folder;
        const QString link = folder.filePath(QStringLiteral("link.sock"));
        QVERIFY(QFile::link(QUrl(server->url()).path(), link));
        const auto runOn = [&](QStringList command, const QString &second) {
            for (const QString &url : {server->url(), second, servers[0]->url()})
                command += {QStringLiteral("--url"), url};
            return run(command);
        };
        const QStringList acquire {QStringLiteral("acquire"), QStringLiteral("redlock"), QStringLiteral("lock:a")};
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-info"}).isOk());
        const Outcome twice = runOn(acquire, QStringLiteral("unix://") + link);
        QCOMPARE(twice.exitCode, 2);
        QVERIFY2(twice.errors.contains("are the same server"), twice.errors.constData());
        QVERIFY((*server)({"EXISTS", "lock:a"}).isInteger(0));
        const Outcome watched =
            runOn({QStringLiteral("watch"), QStringLiteral("--for"), QStringLiteral("1s")}, servers[1]->url());
        QCOMPARE(watched.exitCode, 3);
        QCOMPARE(watched.errors.count("could not be told, because INFO is refused"), 1);
        const Outcome different = runOn(acquire, servers[1]->url());
        QVERIFY2(different.exitCode == 0 && different.errors.isEmpty(), different.errors.constData());
        QVERIFY((*server)({"DEL", "lock:a"}).isInteger(1));
        QVERIFY((*servers[0])({"DEL", "lock:a"}).isInteger(1));
        QVERIFY((*servers[1])({"DEL", "lock:a"}).isInteger(1));
        QVERIFY((*server)({"ACL", "SETUSER", "default", "resetchannels"}).isOk());
        const Outcome unknown = runOn(acquire, servers[1]->url());
        QCOMPARE(unknown.exitCode, 0);
        QVERIFY2(unknown.errors.contains("could not be told, because INFO is refused"), unknown.errors.constData());
    }
};

LATCHKEY_TEST(TestGroupListing)

} // namespace tst_grouplisting

#include "tst_grouplisting.moc"
