#include "core/recipes/caches/catalogue.h"
#include "core/recipes/caches/content.h"
#include "core/recipes/caches/foreigntype.h"
#include "core/recipes/caches/guarded.h"
#include "core/redis/exchange/stepper.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"

#include <QSet>
#include <QTest>

namespace tst_cachecatalogue {

using namespace latchkey;
using namespace latchkey::caches;
using base::ErrorKind;
using base::Lease;
using exchange::Stepper;
using namespace std::chrono_literals;

class TestCacheCatalogue final : public QObject
{
    Q_OBJECT

    static const Recipe &recipe(const QString &id) { return *findRecipe(id).value(); }
    static CacheOptions options()
    {
        CacheOptions result;
        result.key = base::Key("k");
        return result;
    }
    static Content contentFor(const Recipe &recipe)
    {
        return recipe.holdsFields ? Content::ofFields({{"f", "v"}}) : Content::ofValue("v");
    }

private Q_SLOTS:
    void everyRecipe_hasADescription()
    {
        QSet<QString> ids;
        for (const Recipe &entry : recipes()) {
            QVERIFY2(!entry.title.isEmpty() && !entry.summary.isEmpty() && !entry.promises.empty(),
                     qPrintable(entry.id));
            QVERIFY2(!ids.contains(entry.id), qPrintable(entry.id));
            ids.insert(entry.id);
            QVERIFY2(makeCache(entry, options()), qPrintable(entry.id));
        }
    }

    void unknownRecipe_isAnErrorThatListsTheOnesThereAre()
    {
        const auto found = findRecipe(u"memo");
        QVERIFY(!found);
        QCOMPARE(found.error().kind, ErrorKind::Usage);
        QVERIFY2(
            found.error().message().startsWith(QStringLiteral("unknown recipe \"memo\"; there are set-then-expire, ")),
            qPrintable(found.error().message()));
    }

    void optionsARecipeHasNoUseFor_areRefused_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("option");
        QTest::addColumn<QString>("message");
        const auto row = [](const char *id, const char *option, const char *message) {
            QTest::addRow("%s, %s", id, option)
                << QString::fromLatin1(id) << QString::fromLatin1(option) << QString::fromLatin1(message);
        };
        row("set-then-expire", "unit", "");
        row("set-ex", "unit", "");
        row("setex", "unit", "");
        row("hash-then-expire", "unit",
            "the recipe hash-then-expire does not accept a unit: its lifetimes travel in seconds");
        row("hash-lua", "unit", "the recipe hash-lua does not accept a unit: its lifetimes travel in milliseconds");
        row("hash-hsetex", "unit",
            "the recipe hash-hsetex does not accept a unit: its lifetimes travel in milliseconds");
        row("hash-multi", "unit", "the recipe hash-multi does not accept a unit: its lifetimes travel in milliseconds");
        row("guarded", "unit", "the recipe guarded does not accept a unit: its lifetimes travel in milliseconds");
        row("guarded", "guard", "");
        row("guarded", "negative wait", "a wait cannot be negative");
        row("set-ex", "guard", "the recipe set-ex does not accept a guard");
        row("guarded", "if absent", "the recipe guarded does not accept writing only if the key is absent");
        row("set-ex", "if absent", "");
        row("set-then-expire", "if absent",
            "the recipe set-then-expire does not accept writing only if the key is absent");
        row("setex", "if absent", "the recipe setex does not accept writing only if the key is absent");
        row("hash-lua", "if absent", "the recipe hash-lua does not accept writing only if the key is absent");
    }
    void optionsARecipeHasNoUseFor_areRefused()
    {
        QFETCH(QString, id);
        QFETCH(QString, option);
        CacheOptions given = options();
        if (option == u"unit")
            given.unit = LifetimeUnit::Seconds;
        else if (option == u"if absent")
            given.onlyIfAbsent = true;
        else
            given.guard = GuardOptions();
        if (option == u"negative wait")
            given.guard->wait = -1ms;
        const auto made = makeCache(recipe(id), given);
        QTEST(made ? QString() : made.error().message(), "message");
        QVERIFY(made || made.error().kind == ErrorKind::Usage);
    }

    void seconds_wantWholeOnes()
    {
        CacheOptions given = options();
        given.lifetime = Lease::of(1500ms).value();
        QVERIFY(makeCache(recipe(QStringLiteral("set-ex")), given));
        QVERIFY(makeCache(recipe(QStringLiteral("hash-multi")), given));
        const auto made = makeCache(recipe(QStringLiteral("hash-placeholder")), given);
        QVERIFY(!made);
        QCOMPARE(made.error().message(),
                 QStringLiteral("a lifetime of 1500ms is not whole seconds, in which hash-placeholder counts"));
        given.unit = LifetimeUnit::Seconds;
        QCOMPARE(makeCache(recipe(QStringLiteral("set-ex")), given).error().message(),
                 QStringLiteral("a lifetime of 1500ms is not whole seconds, in which the unit s counts"));
    }

    void firstCommand_isTheOneThatTheTableNames_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("unit");
        QTest::addColumn<bool>("onlyIfAbsent");
        QTest::addColumn<QString>("command");
        const auto row = [](const char *id, const char *unit, bool onlyIfAbsent, const char *command) {
            QTest::addRow("%s %s%s", id, unit, onlyIfAbsent ? " NX" : "")
                << QString::fromLatin1(id) << QString::fromLatin1(unit) << onlyIfAbsent << QString::fromUtf8(command);
        };
        row("set-then-expire", "ms", false, "SET k v");
        row("set-then-expire", "s", false, "SET k v");
        row("set-ex", "ms", false, "SET k v PX 7000");
        row("set-ex", "s", false, "SET k v EX 7");
        row("set-ex", "ms", true, "SET k v NX PX 7000");
        row("set-ex", "s", true, "SET k v NX EX 7");
        row("setex", "ms", false, "PSETEX k 7000 v");
        row("setex", "s", false, "SETEX k 7 v");
        row("hash-then-expire", "", false, "HSET k f v");
        row("hash-lua", "", false, "EVALSHA ");
        row("hash-hsetex", "", false, "HSETEX k PX 7000 FIELDS 1 f v");
        row("hash-multi", "", false, "MULTI | HSET k f v | PEXPIRE k 7000 | EXEC");
        row("hash-placeholder", "", false, "HSET k latchkey:placeholder latchkey:placeholder");
        row("guarded", "", false, "GET k");
    }
    void firstCommand_isTheOneThatTheTableNames()
    {
        QFETCH(QString, id);
        QFETCH(QString, unit);
        QFETCH(bool, onlyIfAbsent);
        QFETCH(QString, command);
        CacheOptions given = options();
        given.lifetime = Lease::of(7s).value();
        if (!unit.isEmpty())
            given.unit = unit == u"s" ? LifetimeUnit::Seconds : LifetimeUnit::Milliseconds;
        given.onlyIfAbsent = onlyIfAbsent;
        const auto cache = makeCache(recipe(id), given).value();
        const Stepper stepper(cache->write(contentFor(recipe(id))));
        const QString first = exchange::toText(stepper.step());
        QVERIFY2(first == command || (command.endsWith(u' ') && first.startsWith(command)), qPrintable(first));
    }

    void contentOfTheOtherKind_isRefusedBeforeAnythingIsSent()
    {
        for (const Recipe &entry : recipes()) {
            const auto cache = makeCache(entry, options()).value();
            Stepper stepper(cache->write(entry.holdsFields ? Content::ofValue("v") : Content::ofFields({{"f", "v"}})));
            QVERIFY2(stepper.isFinished(), qPrintable(entry.id));
            QCOMPARE(stepper.takeResult().error().kind, ErrorKind::Usage);
        }
    }

    void noFields_sendNothing()
    {
        for (const Recipe &entry : recipes()) {
            if (!entry.holdsFields)
                continue;
            const auto cache = makeCache(entry, options()).value();
            Stepper stepper(cache->write(Content::ofFields({})));
            QVERIFY2(stepper.isFinished(), qPrintable(entry.id));
            QCOMPARE(stepper.takeResult().value(), WriteOutcome::Nothing);
        }
    }

    void guard_isTheOneThatWasAskedFor()
    {
        CacheOptions asked = options();
        asked.guard = GuardOptions();
        asked.guard->policy = GuardPolicy::None;
        asked.guard->wait = 0ms;
        GuardedCache cache(asked.key, Lease::of(20s).value(), *asked.guard);
        for (const bool isMade : {false, true}) {
            const auto made = makeCache(recipe(QStringLiteral("guarded")), asked);
            LATCHKEY_VERIFY_RESULT(made);
            auto *guarded = isMade ? dynamic_cast<GuardedCache *>(made->get()) : &cache;
            QVERIFY(guarded != nullptr);
            // Without a guard, a miss is one command.
            Stepper stepper(guarded->lookup());
            QCOMPARE(exchange::toText(stepper.step()), QStringLiteral("GET k"));
            stepper.grant(resp::Reply::nil());
            QVERIFY(stepper.isFinished());
            QCOMPARE(stepper.takeResult()->outcome, LookupOutcome::MustRecompute);
        }
        asked.guard->wait = -1ms;
        QCOMPARE(makeCache(recipe(QStringLiteral("guarded")), asked).error().kind, ErrorKind::Usage);
    }

    void keyOfTheOtherType_isRefused()
    {
        const auto isRefused = [](const char *type, bool holdsFields) {
            Stepper stepper(refuseForeignType(base::Key("k"), holdsFields));
            stepper.grant(exchange::Answers {resp::Reply::status(type)});
            const auto result = stepper.takeResult();
            return !result && result.error().kind == ErrorKind::WrongType;
        };
        for (const bool holdsFields : {false, true}) {
            QVERIFY(!isRefused("none", holdsFields));
            QCOMPARE(isRefused("string", holdsFields), holdsFields);
            QCOMPARE(isRefused("hash", holdsFields), !holdsFields);
            QVERIFY(isRefused("list", holdsFields));
        }
    }

    /// The first field that ends decides, if the key has no lifetime of its own.
    void lifetimeOfFields_isThatOfTheFirstToEnd()
    {
        const auto left = [](qint64 ofKey, const Fields &fields, const std::vector<qint64> &ofFields) -> qint64 {
            Stepper stepper(readLifetime(base::Key("k"), fields));
            stepper.grant(resp::Reply::integer(ofKey));
            if (!stepper.isFinished()) {
                resp::Replies ends;
                for (const qint64 each : ofFields)
                    ends.push_back(resp::Reply::integer(each));
                stepper.grant(resp::Reply::array(std::move(ends)));
            } else if (!ofFields.empty()) {
                return -2; // The fields were not asked for.
            }
            const auto lifetime = stepper.takeResult().value();
            return lifetime.left ? lifetime.left->count() : -1;
        };
        const Fields fields {{"a", "1"}, {"b", "2"}, {"c", "3"}};
        QCOMPARE(left(-1, fields, {500, -1, 20}), 20);
        QCOMPARE(left(-1, fields, {20, 500, -1}), 20);
        QCOMPARE(left(-1, fields, {-1, 0, 20}), 0);
        QCOMPARE(left(-1, fields, {-1, -1, -2}), -1);
        QCOMPARE(left(-1, {}, {}), -1);
        QCOMPARE(left(300, fields, {20}), -2);
        QCOMPARE(left(300, fields, {}), 300);
    }

    void fieldWithoutAValue_isLeftOut()
    {
        const auto reply = resp::Reply::array({resp::Reply::bulk("a"), resp::Reply::bulk("1"), resp::Reply::bulk("b")});
        QVERIFY(*foundFields(reply).content == Content::ofFields({{"a", "1"}}));
        QVERIFY(!foundFields(resp::Reply::array({resp::Reply::bulk("a")})).isHit());
    }

    void placeholder_isNoData()
    {
        const auto isData = recipe(QStringLiteral("hash-placeholder")).isData;
        const QByteArray word("latchkey:placeholder");
        QVERIFY(!isData({}));
        QVERIFY(!isData({word}));
        QVERIFY(isData({"a"}));
        QVERIFY(isData({word, "a"}));
    }

    void placeholder_cannotBeWrittenAsData()
    {
        const QByteArray word("latchkey:placeholder");
        const auto cache = makeCache(recipe(QStringLiteral("hash-placeholder")), options()).value();
        for (const Fields &fields :
             {Fields {{"a", "1"}, {word, "2"}}, Fields {{"a", word}}, Fields {{word, word}, {"b", "2"}}}) {
            Stepper stepper(cache->write(Content::ofFields(fields)));
            QVERIFY(stepper.isFinished());
            QCOMPARE(stepper.takeResult().error().kind, ErrorKind::Usage);
        }
    }
};

LATCHKEY_TEST(TestCacheCatalogue)

} // namespace tst_cachecatalogue

#include "tst_cachecatalogue.moc"
