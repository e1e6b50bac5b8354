#include "core/recipes/caches/catalogue.h"
#include "core/recipes/caches/hashplaceholder.h"
#include "tests/support/await.h"
#include "tests/support/singlecommands.h"
#include "tests/support/steppedclient.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QTest>

namespace tst_cacheflaws {

using namespace latchkey;
using namespace latchkey::caches;
using base::Key;
using base::Lease;
using namespace std::chrono_literals;
using Writer = test::SteppedClient<WriteOutcome>;
using Reader = test::SteppedClient<Found>;

namespace {

/// A cache that writes each field with a separate command, which no recipe does.
class FieldByFieldCache final : public Cache
{
public:
    exchange::Exchange<WriteOutcome> write(Content content) & override
    {
        for (const Field &field : content.fields()) {
            (void)co_await hsetOf(Key("k"), Fields(1, field));
        }
        co_return WriteOutcome::Written;
    }
    exchange::Exchange<Found> read() & override
    {
        const resp::Reply reply = co_await resp::hgetall(Key("k"));
        co_return foundFields(reply);
    }
};

} // namespace

/// The properties in the table of recipes, tested command by command on a real server: crashes between any two
/// commands, and interleavings without a crash.
class TestCacheFlaws final : public QObject
{
    Q_OBJECT

    std::unique_ptr<test::TestServer> server;
    test::ScriptedRandom random;
    std::unique_ptr<Cache> cache;

    void use(const QString &id)
    {
        CacheOptions options;
        options.key = Key("k");
        options.lifetime = Lease::of(20s).value();
        cache = makeCache(*findRecipe(id).value(), options).value();
    }

    std::unique_ptr<Writer> writer(const Content &content)
    {
        return std::make_unique<Writer>(server->endpoint(), cache->write(content), random);
    }
    std::unique_ptr<Reader> reader() { return std::make_unique<Reader>(server->endpoint(), cache->read(), random); }

    static Content contentFor(const Recipe &recipe)
    {
        return recipe.holdsFields ? Content::ofFields({{"a", "1"}, {"b", "2"}}) : Content::ofValue("v");
    }

    qint64 pttl() { return (*server)({"PTTL", "k"}).toInteger(); }

    /// Returns what a client leaves in the server if it crashes after this number of steps: `nothing`, `lifetime`,
    /// `immortal data` or `immortal key`. Returns `finished` if the client has finished before.
    QString leftByACrashAfter(int commands, const Content &content)
    {
        {
            const auto client = writer(content);
            for (int i = 0; i < commands; ++i) {
                if (!client->step())
                    return QStringLiteral("finished");
            }
        }
        // The server notices the crash by the closed connection, and discards the queued commands of a transaction.
        QString left = QStringLiteral("nothing");
        const resp::Reply keys = (*server)({"KEYS", "*"});
        for (const resp::Reply &key : keys.elements()) {
            left = QStringLiteral("lifetime");
            if (!(*server)({"PTTL", key.bytes()}).isInteger(-1))
                continue;
            const bool hasData = (*server)({"TYPE", key.bytes()}).bytes() == "string"
                              || (*server)({"HEXISTS", key.bytes(), "a"}).isInteger(1);
            return hasData ? QStringLiteral("immortal data") : QStringLiteral("immortal key");
        }
        return left;
    }

    struct Reads
    {
        int whole = 0;
        int torn = 0;
    };

    /// Two writers of the same fields alternate and a reader reads once. Runs once for each moment of the read.
    Reads readBetweenTwoWriters()
    {
        Reads reads;
        for (int moment = 0, last = 1; moment <= last; ++moment) {
            (void)(*server)({"FLUSHALL"});
            const auto first = writer(Content::ofFields({{"a", "1"}, {"b", "1"}}));
            const auto second = writer(Content::ofFields({{"a", "2"}, {"b", "2"}}));
            int now = 0;
            for (; !first->isFinished() || !second->isFinished(); ++now) {
                if (now == moment)
                    count(reads, reader()->finish().value());
                Writer &next = (now % 2 == 0 && !first->isFinished()) || second->isFinished() ? *first : *second;
                next.step();
            }
            if (now == moment)
                count(reads, reader()->finish().value());
            last = now;
        }
        return reads;
    }

    static void count(Reads &reads, const Found &found)
    {
        if (!found.isHit())
            return;
        const Fields &fields = found.content->fields();
        const bool isWhole = fields.size() == 2 && fields[0].value == fields[1].value;
        ++(isWhole ? reads.whole : reads.torn);
    }

private Q_SLOTS:
    void initTestCase() { server = std::make_unique<test::TestServer>(); }
    void cleanup()
    {
        cache.reset();
        QVERIFY((*server)({"FLUSHALL"}).isOk());
    }

    void crash_leavesTheKeysOfTheTable_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QStringList>("left"); // After zero, one, two … steps, until the client has finished.
        const auto row = [](const char *id, const char *left) {
            QTest::addRow("%s", id) << QString::fromLatin1(id) << QString::fromLatin1(left).split(QStringLiteral(", "));
        };
        row("set-then-expire", "nothing, immortal data, finished");
        row("set-ex", "nothing, finished");
        row("setex", "nothing, finished");
        row("hash-then-expire", "nothing, immortal data, finished");
        row("hash-lua", "nothing, nothing, finished"); // EVALSHA, unknown to the server, and EVAL.
        // HSETEX; if the server does not know HSETEX, the same two commands follow.
        row("hash-hsetex", test::hasHsetex() ? "nothing, finished" : "nothing, nothing, nothing, finished");
        row("hash-multi", "nothing, nothing, nothing, nothing, finished");
        row("hash-placeholder", "nothing, immortal key, lifetime, lifetime, finished");
        // Steps: GET, a token, EVALSHA, EVAL, a token, the clock, SET of the guard, the clock, GET, EVALSHA.
        row("guarded", "nothing, nothing, nothing, nothing, nothing, nothing, nothing, lifetime, lifetime, lifetime, "
                       "finished");
    }
    void crash_leavesTheKeysOfTheTable()
    {
        QFETCH(QString, id);
        QFETCH(QStringList, left);
        use(id);
        QStringList found;
        do {
            QVERIFY((*server)({"FLUSHALL"}).isOk());
            QVERIFY((*server)({"SCRIPT", "FLUSH"}).isOk());
            found += leftByACrashAfter(static_cast<int>(found.size()), contentFor(*findRecipe(id).value()));
        } while (found.back() != u"finished");
        QCOMPARE(found, left);
    }

    void keyThatExpiresBetweenTheSteps_comesBackWithoutALifetime()
    {
        use(QStringLiteral("hash-placeholder"));
        const auto client = writer(Content::ofFields({{"a", "1"}}));
        QVERIFY(client->stepUntil(QLatin1String("HSET k a")));
        QVERIFY((*server)({"PEXPIRE", "k", "1"}).isInteger(1));
        LATCHKEY_AWAIT(pttl() == -2);
        QCOMPARE(client->finish().value(), WriteOutcome::Written);
        QCOMPARE(pttl(), qint64(-1));
        QVERIFY((*server)({"HGET", "k", "a"}).isBulk("1"));
    }

    void readerThatTidiesUp_makesTheDataImmortal()
    {
        use(QStringLiteral("hash-placeholder"));
        const auto client = writer(Content::ofFields({{"a", "1"}}));
        QVERIFY(client->stepUntil(QLatin1String("HSET k a")));
        QCOMPARE(reader()->finish().value(), Found::miss());
        QCOMPARE(pttl(), qint64(-2)); // Its TTL was deleted with the key.
        QCOMPARE(client->finish().value(), WriteOutcome::Written);
        QCOMPARE(pttl(), qint64(-1));
    }

    /// A script or a transaction has no moment between its commands, so a reader cannot interfere.
    void readerBetweenTheSteps_changesNothingForSoundRecipes_data()
    {
        QTest::addColumn<QString>("id");
        for (const char *id : {"hash-lua", "hash-multi"})
            QTest::addRow("%s", id) << QString::fromLatin1(id);
    }
    void readerBetweenTheSteps_changesNothingForSoundRecipes()
    {
        QFETCH(QString, id);
        use(id);
        const Content content = Content::ofFields({{"a", "1"}});
        const auto client = writer(content);
        while (!client->isFinished()) {
            const auto found = reader()->finish();
            QVERIFY(found.value() == Found::miss());
            client->step();
        }
        QVERIFY(reader()->finish().value() == Found {content});
        QVERIFY(pttl() > 0);
    }

    void leftoverPlaceholder_isNoPartOfTheAnswerAndIsRemoved_data()
    {
        QTest::addColumn<QByteArray>("field");
        QTest::addColumn<QByteArray>("value");
        const QByteArray word = HashPlaceholderCache::placeholder();
        QTest::addRow("by field") << word << QByteArray("anything");
        QTest::addRow("by value") << QByteArray("anything") << word;
        QTest::addRow("both") << word << word;
    }
    void leftoverPlaceholder_isNoPartOfTheAnswerAndIsRemoved()
    {
        QFETCH(QByteArray, field);
        QFETCH(QByteArray, value);
        use(QStringLiteral("hash-placeholder"));
        QVERIFY((*server)({"HSET", "k", field, value, "a", "1"}).isInteger(2));
        QVERIFY(reader()->finish().value() == Found {Content::ofFields({{"a", "1"}})});
        QVERIFY((*server)({"HLEN", "k"}).isInteger(1));

        QVERIFY((*server)({"FLUSHALL"}).isOk());
        QVERIFY((*server)({"HSET", "k", field, value}).isInteger(1));
        QVERIFY(reader()->finish().value() == Found::miss());
        QVERIFY((*server)({"EXISTS", "k"}).isInteger(0));
    }

    void placeholderWithoutItsLifetime_isRemovedAndNoDataWritten()
    {
        use(QStringLiteral("hash-placeholder"));
        const auto client = writer(Content::ofFields({{"a", "1"}}));
        QVERIFY(client->stepUntil(QLatin1String("EXPIRE")));
        QVERIFY((*server)({"DEL", "k"}).isInteger(1));
        client->step();
        QCOMPARE(client->next(), QStringLiteral("HDEL k latchkey:placeholder"));
        QCOMPARE(client->finish().value(), WriteOutcome::Gone);
        QCOMPARE(pttl(), qint64(-2));
    }

    void keyThatEndsBeforeItsTtl_isReportedAsGone_data()
    {
        QTest::addColumn<QString>("id");
        for (const char *id : {"set-then-expire", "hash-then-expire"})
            QTest::addRow("%s", id) << QString::fromLatin1(id);
    }
    void keyThatEndsBeforeItsTtl_isReportedAsGone()
    {
        QFETCH(QString, id);
        use(id);
        const auto client = writer(contentFor(*findRecipe(id).value()));
        client->step();
        QVERIFY((*server)({"DEL", "k"}).isInteger(1));
        QCOMPARE(client->finish().value(), WriteOutcome::Gone);
        QCOMPARE(pttl(), qint64(-2));
    }

    /// HSET writes all fields in one step, so that even the flawed recipes are never read partly.
    void twoWritersAndAReader_neverTear_data()
    {
        QTest::addColumn<QString>("id");
        for (const Recipe &recipe : recipes()) {
            if (recipe.holdsFields)
                QTest::addRow("%s", qPrintable(recipe.id)) << recipe.id;
        }
    }
    void twoWritersAndAReader_neverTear()
    {
        QFETCH(QString, id);
        use(id);
        const Reads reads = readBetweenTwoWriters();
        QVERIFY(reads.whole > 0);
        QCOMPARE(reads.torn, 0);
    }

    void fieldByField_tears()
    {
        cache = std::make_unique<FieldByFieldCache>();
        QVERIFY(readBetweenTwoWriters().torn > 0);
    }
};

LATCHKEY_TEST(TestCacheFlaws)

} // namespace tst_cacheflaws

#include "tst_cacheflaws.moc"
