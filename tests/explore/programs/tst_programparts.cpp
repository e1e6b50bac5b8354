#include "core/explore/programs/commandproxy.h"
#include "core/explore/programs/keyaccess.h"
#include "core/explore/programs/localreplies.h"
#include "core/explore/programs/tokensubstitution.h"
#include "core/explore/races/schedule.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"

#include <QJsonDocument>
#include <QTcpSocket>
#include <QTest>

namespace tst_programparts {

using namespace latchkey;
using namespace latchkey::programs;
using races::Offer;
using resp::Command;
using resp::Reply;

/// Tests the parts that need no process.
class TestProgramParts final : public QObject
{
    Q_OBJECT

    static std::vector<Offer> offer(const Command &command) { return {{0, {command}}}; }

private Q_SLOTS:
    /// A process that reads two replies one after the other may act between them. So they must arrive together.
    void localReplyBehindAnAnswer_isSentWithIt()
    {
        auto listener = Listener::onPort();
        LATCHKEY_VERIFY_RESULT(listener);
        const quint16 port = listener->port();
        std::vector<Listener> listeners;
        listeners.push_back(std::move(*listener));
        CommandProxy proxy(std::move(listeners), 1);
        QTcpSocket client;
        client.connectToHost(QStringLiteral("127.0.0.1"), port);
        QVERIFY(client.waitForConnected());
        const QByteArray digest(40, '0');
        client.write("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n*3\r\n$7\r\nEVALSHA\r\n$40\r\n" + digest
                     + "\r\n$1\r\n0\r\n");
        client.flush();
        LATCHKEY_AWAIT(proxy.readInput() && !proxy.offers().empty());
        LATCHKEY_VERIFY_RESULT(proxy.numberConversations());
        QCOMPARE(proxy.offers().size(), 1U);
        proxy.answer(0, Reply::status("OK"));
        QVERIFY(client.waitForReadyRead());
        const QByteArray replies = client.readAll();
        QVERIFY2(replies.startsWith("+OK\r\n-NOSCRIPT "), replies.constData());
    }

    void differingWords_becomeTokens()
    {
        QList<QByteArray> ours;
        QList<QByteArray> theirs;
        const auto common = commonOffers(offer({"SET", "lock:12345678", "aaaaaaaa"}), ours,
                                         offer({"SET", "lock:12345678", "bbbbbbbb"}), theirs);
        QVERIFY(common);
        QCOMPARE(ours, QList<QByteArray> {"aaaaaaaa"});
        QCOMPARE(theirs, QList<QByteArray> {"bbbbbbbb"});
        QCOMPARE(common->front().commands.front(), (Command {"SET", "lock:12345678", tokenPlaceholder(0)}));
        QCOMPARE(withValues(Reply::bulk("<" + tokenPlaceholder(0) + ">"), ours), Reply::bulk("<aaaaaaaa>"));
        QList<QByteArray> third;
        QVERIFY(learnValues(offer({"SET", "lock:12345678", "cccccccc"}), *common, third));
        QCOMPARE(third, QList<QByteArray> {"cccccccc"});
        QVERIFY(!learnValues(offer({"SET", "lock:87654321", "cccccccc"}), *common, third));
    }
    /// A script in the server can read a document only if its form is left.
    void documents_keepTheirForm()
    {
        const QByteArray our = R"({"owner": "aaaaaaaa-1111", "host": "x", "id": "aaaaaaaa-1111", "by": "cccccccc"})";
        const QByteArray their = R"({"owner": "bbbbbbbb-2222", "host": "x", "id": "bbbbbbbb-2222", "by": "dddddddd"})";
        QList<QByteArray> ours;
        QList<QByteArray> theirs;
        const auto common = commonOffers(offer({"SET", "k", our}), ours, offer({"SET", "k", their}), theirs);
        QVERIFY(common);
        QCOMPARE(ours, (QList<QByteArray> {"aaaaaaaa-1111", "cccccccc"}));
        QCOMPARE(theirs, (QList<QByteArray> {"bbbbbbbb-2222", "dddddddd"}));
        QByteArray form = our;
        form.replace("aaaaaaaa-1111", tokenPlaceholder(0)).replace("cccccccc", tokenPlaceholder(1));
        QCOMPARE(common->front().commands.front(), (Command {"SET", "k", form}));

        QByteArray sent = our;
        sent.replace("aaaaaaaa-1111", "eeeeeeee-3333").replace("cccccccc", "ffffffff");
        QList<QByteArray> third;
        QVERIFY(learnValues(offer({"SET", "k", sent}), *common, third));
        QCOMPARE(third, (QList<QByteArray> {"eeeeeeee-3333", "ffffffff"}));
        QList<QByteArray> fourth;
        QVERIFY(!learnValues(offer({"SET", "k", QByteArray(sent).replace("\"x\"", "\"y\"")}), *common, fourth));
        fourth = {};
        QVERIFY(!learnValues(offer({"SET", "k", QByteArray(our).replace("cccccccc", "c")}), *common, fourth));
    }
    void documentsWithKnownValues_haveOnlyTheOthersToLearn()
    {
        QList<QByteArray> ours {"aaaaaaaa"};
        QList<QByteArray> theirs {"bbbbbbbb"};
        const auto common = commonOffers(offer({"SET", "k", R"(["aaaaaaaa", "cccccccc"])"}), ours,
                                         offer({"SET", "k", R"(["bbbbbbbb", "dddddddd"])"}), theirs);
        QVERIFY(common);
        QCOMPARE(ours, (QList<QByteArray> {"aaaaaaaa", "cccccccc"}));
    }
    /// A number in a document cannot be replaced by a name, nor a short part, nor a document of another form.
    void otherDocuments_areTokensAsAWhole_data()
    {
        QTest::addColumn<QByteArray>("our");
        QTest::addColumn<QByteArray>("their");
        QTest::addRow("time of day") << QByteArray(R"({"at": 1795441463.42, "by": "aaaaaaaa"})")
                                     << QByteArray(R"({"at": 1795441464.53, "by": "bbbbbbbb"})");
        QTest::addRow("random number") << QByteArray(R"({"id": 8265310027736471})")
                                       << QByteArray(R"({"id": 1795441463531212})");
        QTest::addRow("short part") << QByteArray(R"({"pid": "17", "by": "aaaaaaaa"})")
                                    << QByteArray(R"({"pid": "18", "by": "bbbbbbbb"})");
        QTest::addRow("other form") << QByteArray(R"({"by": "aaaaaaaa"})") << QByteArray(R"({"by": "bbbbbbbb",})");
        QTest::addRow("other count") << QByteArray(R"(["aaaaaaaa"])") << QByteArray(R"(["bbbbbbbb", "cccccccc"])");
        QTest::addRow("binary") << QByteArray("aaaaaaaa:\x02zz") << QByteArray("bbbbbbbb:\x02zz");
    }
    void otherDocuments_areTokensAsAWhole()
    {
        QFETCH(const QByteArray, our);
        QFETCH(const QByteArray, their);
        QList<QByteArray> ours;
        QList<QByteArray> theirs;
        const auto common = commonOffers(offer({"SET", "k", our}), ours, offer({"SET", "k", their}), theirs);
        QVERIFY(common);
        QCOMPARE(ours, QList<QByteArray> {our});
        QCOMPARE(common->front().commands.front(), (Command {"SET", "k", tokenPlaceholder(0)}));
    }
    /// An id is one token, whether the program sends it alone, behind a prefix, or with other ids in one word.
    void token_isTheDifferingPartOfAWord_data()
    {
        QTest::addColumn<QByteArray>("our");
        QTest::addColumn<QByteArray>("their");
        QTest::addColumn<QList<QByteArray>>("tokens");
        QTest::addRow("prefix") << QByteArray("data:aaaaaaaa") << QByteArray("data:bbbbbbbb")
                                << QList<QByteArray> {"aaaaaaaa"};
        QTest::addRow("prefix in a part")
            << QByteArray("worker-aaaaaaaa") << QByteArray("worker-bbbbbbbb") << QList<QByteArray> {"aaaaaaaa"};
        QTest::addRow("suffix") << QByteArray("aaaaaaaa:1") << QByteArray("bbbbbbbb:1")
                                << QList<QByteArray> {"aaaaaaaa"};
        QTest::addRow("suffix in a part")
            << QByteArray("aaaaaaaa-1111-1") << QByteArray("bbbbbbbb-2222-1") << QList<QByteArray> {"aaaaaaaa-1111"};
        QTest::addRow("hash tag") << QByteArray("lock:{aaaaaaaa}") << QByteArray("lock:{bbbbbbbb}")
                                  << QList<QByteArray> {"aaaaaaaa"};
        QTest::addRow("two") << QByteArray("aaaaaaaa:cccccccc") << QByteArray("bbbbbbbb:dddddddd")
                             << QList<QByteArray> {"aaaaaaaa", "cccccccc"};
        QTest::addRow("short part") << QByteArray("host-1:17:aaaaaaaa") << QByteArray("host-1:18:bbbbbbbb")
                                    << QList<QByteArray> {"host-1:17:aaaaaaaa"};
        QTest::addRow("text of a script")
            << QByteArray("return redis.call('get', 'aaaaaaaa')") << QByteArray("return redis.call('get', 'bbbbbbbb')")
            << QList<QByteArray> {"aaaaaaaa"};
    }
    void token_isTheDifferingPartOfAWord()
    {
        QFETCH(const QByteArray, our);
        QFETCH(const QByteArray, their);
        QFETCH(const QList<QByteArray>, tokens);
        QList<QByteArray> ours;
        QList<QByteArray> theirs;
        const auto common = commonOffers(offer({"SET", "k", our}), ours, offer({"SET", "k", their}), theirs);
        QVERIFY(common);
        QCOMPARE(ours, tokens);
        QList<QByteArray> third;
        const QByteArray sent =
            QByteArray(our).replace("aaaaaaaa", "eeee-555").replace("1111-1", "6666-1").replace("cccccccc", "ffffffff");
        QVERIFY(learnValues(offer({"SET", "k", sent}), *common, third));
        QCOMPARE(withValues(Reply::bulk(common->front().commands.front().words()[2]), third), Reply::bulk(sent));
        QVERIFY(!learnValues(offer({"SET", "k", sent + "x"}), *common, third));
    }
    void shortDifferingWords_areNoTokens()
    {
        QList<QByteArray> ours;
        QList<QByteArray> theirs;
        QVERIFY(!commonOffers(offer({"SET", "k", "1234567"}), ours, offer({"SET", "k", "7654321"}), theirs));
    }

    /// Close numbers may be times of a real clock, with which other clients calculate.
    void closeNumbers_areNoTokens()
    {
        QList<QByteArray> ours;
        QList<QByteArray> theirs;
        const auto common = [&](const QByteArray &our, const QByteArray &their) {
            return commonOffers(offer({"SET", "k", our}), ours, offer({"SET", "k", their}), theirs).has_value();
        };
        QVERIFY(!common("1795441463.4298046", "1795441463.5312"));
        QVERIFY(!common("1795441463429", "1795441463531"));
        QVERIFY(common("8265310027736471", "1795441463531212"));
    }
    /// The common part of a key's name stays readable, also for patterns and scripts in the server.
    void prefixOfATokenName_isTheCommonPart_data()
    {
        QTest::addColumn<QByteArray>("one");
        QTest::addColumn<QByteArray>("other");
        QTest::addColumn<QByteArray>("prefix");
        QTest::addRow("key with a pid") << QByteArray("lock:user:7:12345") << QByteArray("lock:user:7:12399")
                                        << QByteArray("lock:user:7:");
        QTest::addRow("random") << QByteArray("7701f79d-c378") << QByteArray("7751f79d-c378") << QByteArray();
        QTest::addRow("one longer") << QByteArray("lock:user") << QByteArray("lock:user:7") << QByteArray("lock:");
        QTest::addRow("document") << QByteArray(R"({"a:": 1})") << QByteArray(R"({"a:": 2})") << QByteArray();
        QTest::addRow("another's token") << QByteArray("token-of-B:12345") << QByteArray("token-of-B:67890")
                                         << QByteArray();
    }
    void prefixOfATokenName_isTheCommonPart()
    {
        QFETCH(const QByteArray, one);
        QFETCH(const QByteArray, other);
        QTEST(commonPrefix(one, other), "prefix");
    }
    /// A name that is a part of another one must not be replaced in it.
    void namesOfOtherTokens_areReplacedAsAWhole()
    {
        TokenSubstitution substitution;
        const QByteArray one = "lock:aaaaaaaaaaaaaaaa";
        const QByteArray other = "lock:bbbbbbbbbbbbbbbb";
        substitution.add({one, "cccccccccccccccc"}, {other, "dddddddddddddddd"}, {"lock:", ""});
        const QByteArray second = similarToken("cccccccccccccccc", "dddddddddddddddd", 1).value();
        QCOMPARE(substitution.shown(Reply::bulk("lock:token-of-B")), Reply::bulk(similarToken(one, other, 1).value()));
        QCOMPARE(substitution.shown(Reply::bulk("lock:token-of-B-2")), Reply::bulk("lock:" + second));
        QCOMPARE(substitution.named(offer({"GET", similarToken(one, other, 1).value()})),
                 offer({"GET", "lock:token-of-B"}));
    }
    void tokenSubstitutes_haveThePartsOfBothAndEqualNeither()
    {
        const QByteArray one = R"({"owner": "7701f79d-c378-4890-8656-9ef5336f3e8c"})";
        const QByteArray other = R"({"owner": "35ab2c40-9df1-4b2e-a0c9-0d11aa7744b5"})";
        QSet<QByteArray> all {one, other};
        for (int which = 0; which < races::maxClients; ++which) {
            const auto value = similarToken(one, other, which);
            QVERIFY(value);
            QVERIFY(QJsonDocument::fromJson(*value).isObject());
            for (qsizetype i = 0; i < one.size(); ++i)
                QVERIFY(value->at(i) == one[i] || value->at(i) == other[i]);
            all.insert(*value);
        }
        QCOMPARE(all.size(), 2 + races::maxClients);
        QVERIFY(!similarToken("host-1234", "host-1235", 0)); // The next process may be host-1236.
    }

    void touches_areWhatTheyAre_data()
    {
        QTest::addColumn<QByteArrayList>("words");
        QTest::addColumn<QString>("reply"); // ok, nil, one, none, error
        QTest::addColumn<bool>("hasChanged");
        QTest::addColumn<QByteArray>("text"); // Content of the key after the command.
        QTest::addColumn<QString>("touch");   // r, w, o
        QTest::addRow("a look") << QByteArrayList {"GET", "k"} << "nil" << false << QByteArray("1") << "r";
        QTest::addRow("another key") << QByteArrayList {"GET", "l"} << "nil" << false << QByteArray("1") << "";
        QTest::addRow("a write") << QByteArrayList {"SET", "k", "1"} << "ok" << true << QByteArray("1") << "wo";
        QTest::addRow("the value that is there")
            << QByteArrayList {"SET", "k", "1"} << "ok" << false << QByteArray("1") << "wo";
        QTest::addRow("NX in vain") << QByteArrayList {"SET", "k", "1", "NX"} << "nil" << false << QByteArray("1")
                                    << "";
        QTest::addRow("an error") << QByteArrayList {"SET", "k", "1", "XY"} << "error" << false << QByteArray("1")
                                  << "";
        QTest::addRow("an increment") << QByteArrayList {"INCR", "k"} << "one" << true << QByteArray("1") << "rw";
        QTest::addRow("a key that was free")
            << QByteArrayList {"SET", "k", "1", "NX"} << "ok" << true << QByteArray("1") << "w";
        QTest::addRow("an element of its own")
            << QByteArrayList {"ZADD", "k", "5", "token-of-A"} << "one" << true << QByteArray() << "rw";
        QTest::addRow("an element of all")
            << QByteArrayList {"ZADD", "k", "5", "m"} << "one" << true << QByteArray() << "rwo";
        QTest::addRow("an addition to a score")
            << QByteArrayList {"ZADD", "k", "INCR", "5", "m"} << "one" << true << QByteArray() << "rw";
        QTest::addRow("a move of the value")
            << QByteArrayList {"RENAME", "k", "l"} << "ok" << true << QByteArray() << "rw";
        QTest::addRow("a move to the key")
            << QByteArrayList {"RENAME", "l", "k"} << "ok" << true << QByteArray("1") << "rwo";
        QTest::addRow("a search for its name")
            << QByteArrayList {"KEYS", "?"} << "none" << false << QByteArray("1") << "r";
        QTest::addRow("a search for another name")
            << QByteArrayList {"SCAN", "0", "MATCH", "l*"} << "none" << false << QByteArray("1") << "";
        QTest::addRow("a script that changed nothing")
            << QByteArrayList {"EVAL", "…", "1", "k"} << "none" << false << QByteArray("1") << "r";
        QTest::addRow("a script that increments")
            << QByteArrayList {"EVAL", "…", "1", "k", "token-of-A"} << "one" << true << QByteArray("7") << "rw";
        QTest::addRow("a script that stores what it was given")
            << QByteArrayList {"EVAL", "…", "1", "k", "7"} << "one" << true << QByteArray("7") << "rwo";
    }
    void touches_areWhatTheyAre()
    {
        QFETCH(const QByteArrayList, words);
        QFETCH(const QString, reply);
        QFETCH(const bool, hasChanged);
        QFETCH(const QByteArray, text);
        QFETCH(const QString, touch);
        const QHash<QString, Reply> replies {{QStringLiteral("ok"), Reply::status("OK")},
                                             {QStringLiteral("nil"), Reply::nil()},
                                             {QStringLiteral("one"), Reply::integer(1)},
                                             {QStringLiteral("none"), Reply::integer(0)},
                                             {QStringLiteral("error"), Reply::error("ERR syntax error")}};
        Command command;
        for (const QByteArray &word : words)
            command << word;
        const races::ResourceAccess is =
            accessOf("k", command, replies.value(reply), hasChanged, text, {.isKnown = false});
        QCOMPARE((is.reads ? QStringLiteral("r") : QString()) + (is.writes ? QStringLiteral("w") : QString())
                     + (is.overwrites ? QStringLiteral("o") : QString()),
                 touch);
    }

    void scripts_areKnownToWhoHasLoadedThem()
    {
        LocalReplies mine;
        LocalReplies::Connection connection;
        const QByteArray source = "return 1";
        const auto digest = mine.answerTo({"SCRIPT", "LOAD", source}, connection);
        QVERIFY(digest && digest->isBulk());
        QVERIFY(!mine.answerTo({"EVALSHA", digest->bytes(), "0"}, connection)); // The command is a step.
        QCOMPARE(mine.withScriptSource({"EVALSHA", digest->bytes(), "0"}), (Command {"EVAL", source, "0"}));
        QCOMPARE(mine.withScriptSource({"evalsha", digest->bytes(), "0"}), (Command {"EVAL", source, "0"}));
        QCOMPARE(mine.withScriptSource({"eval", source, "0"}), (Command {"EVAL", source, "0"}));
        QCOMPARE(mine.withScriptSource({"EVALSHA_RO", digest->bytes(), "0"}), (Command {"EVAL_RO", source, "0"}));
        LocalReplies others;
        const auto unknown = others.answerTo({"EVALSHA", digest->bytes(), "0"}, connection);
        QVERIFY(unknown && unknown->bytes().startsWith("NOSCRIPT"));
    }

    /// A connection keeps its name, and the settings of a new server are its defaults.
    void localReplies_areThoseOfAServer_data()
    {
        QTest::addColumn<QList<QByteArray>>("words");
        QTest::addColumn<QByteArray>("reply");
        QTest::addRow("name") << QList<QByteArray> {"CLIENT", "GETNAME"} << QByteArray("\"worker\"");
        QTest::addRow("id") << QList<QByteArray> {"CLIENT", "ID"} << QByteArray("(integer) 123456789");
        QTest::addRow("setting") << QList<QByteArray> {"CONFIG", "GET", "maxmemory-p*"}
                                 << QByteArray("[\"maxmemory-policy\", \"noeviction\"]");
        QTest::addRow("unknown script") << QList<QByteArray> {"EVALSHA_RO", "00", "0"}
                                        << QByteArray("(error) NOSCRIPT No matching script. Please use EVAL.");
    }
    void localReplies_areThoseOfAServer()
    {
        QFETCH(const QList<QByteArray>, words);
        LocalReplies replies;
        LocalReplies::Connection connection {123'456'789, 2, {}};
        QVERIFY(replies.answerTo({"CLIENT", "SETNAME", "worker"}, connection));
        Command command;
        for (const QByteArray &word : words)
            command << word;
        const auto reply = replies.answerTo(command, connection);
        QVERIFY(reply);
        QTEST(reply->toText().toUtf8(), "reply");
    }
};

LATCHKEY_TEST(TestProgramParts)

} // namespace tst_programparts

#include "tst_programparts.moc"
