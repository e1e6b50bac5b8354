#include "core/playground/lab/plan.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"

#include <QTest>

#include <functional>

namespace tst_labplan {

using namespace latchkey;
using namespace std::chrono_literals;
using lab::Plan;

namespace {

Plan plan()
{
    Plan plan;
    plan.recipes = {QStringLiteral("setex"), QStringLiteral("set-ex"), QStringLiteral("hash-placeholder")};
    plan.keysOfEach = 200;
    plan.shortest = 1500ms;
    plan.longest = 4500ms;
    plan.crashAfter = 1;
    plan.crashedPercent = 30;
    plan.prefix = Plan::freshPrefix();
    return plan;
}

} // namespace

/// Tests of the values that two processes derive from the same plan.
class TestLabPlan final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void plan_goesToTheWriterAndBack()
    {
        const auto read = lab::planFromJson(lab::toJson(plan()));
        LATCHKEY_VERIFY_RESULT(read);
        Plan expected = plan();
        expected.prefix = read->prefix;
        QCOMPARE(*read, expected);
        Plan without = plan();
        without.crashAfter.reset();
        const auto again = lab::planFromJson(lab::toJson(without));
        LATCHKEY_VERIFY_RESULT(again);
        QCOMPARE(*again, without);
    }

    void keys_areFoundByTheirNames()
    {
        const Plan some = plan();
        QCOMPARE(some.keyCount(), 600);
        QSet<QByteArray> names;
        for (int key = 0; key < some.keyCount(); ++key) {
            names.insert(some.keyOf(key).bytes());
            QCOMPARE(some.numberOf(some.keyOf(key).bytes()), std::optional(key));
        }
        QCOMPARE(names.size(), 600);
        for (const QByteArray &other :
             {QByteArray("x"), some.prefix, some.keyOf(0).bytes() + "0", some.keyOf(0).bytes() + ":guard",
              some.prefix + "setex:600", some.prefix + "set-ex:0", "x" + some.keyOf(0).bytes()})
            QVERIFY2(!some.numberOf(other), other.constData());
    }

    void lifetimes_areSpreadAndSuitTheRecipe()
    {
        const Plan some = plan();
        QCOMPARE(some.lifetimeOf(200).duration(), 1500ms);
        QCOMPARE(some.lifetimeOf(399).duration(), 4500ms);
        for (int key = 400; key < 600; ++key)
            QCOMPARE(some.lifetimeOf(key).duration().count() % 1000, 0);
    }

    void crashedOnes_areTheShareAndAmongBothHalves()
    {
        const Plan some = plan();
        int crashed = 0;
        int crashedAndRead = 0;
        for (int key = 0; key < 200; ++key) {
            crashed += some.isCrashed(key) ? 1 : 0;
            crashedAndRead += some.isCrashed(key) && Plan::isRead(key) ? 1 : 0;
        }
        QCOMPARE(crashed, 60);
        QVERIFY2(crashedAndRead >= 25 && crashedAndRead <= 35, QByteArray::number(crashedAndRead).constData());
        Plan none = plan();
        none.crashAfter.reset();
        QVERIFY(!none.isCrashed(3));
    }

    void plansThatCannotBe_areRefused_data()
    {
        QTest::addColumn<std::function<void(Plan &)>>("spoil");
        QTest::addColumn<QString>("said");
        const auto row = [](const char *name, std::function<void(Plan &)> spoil, const char *said) {
            QTest::addRow("%s", name) << std::move(spoil) << QString::fromLatin1(said);
        };
        row("no recipe", [](Plan &p) { p.recipes.clear(); }, "a recipe is missing");
        row("unknown recipe", [](Plan &p) { p.recipes += QStringLiteral("nonsense"); }, "nonsense");
        row("a lock", [](Plan &p) { p.recipes += QStringLiteral("token"); }, "token");
        row("twice", [](Plan &p) { p.recipes += QStringLiteral("setex"); }, "twice");
        row("no keys", [](Plan &p) { p.keysOfEach = 0; }, "0 keys");
        row("too many", [](Plan &p) { p.keysOfEach = Plan::maxKeys / 3 + 1; }, "at most 1000000");
        row("no time", [](Plan &p) { p.shortest = 0ms; }, "0ms");
        row("backwards", [](Plan &p) { p.longest = 1s; }, "the second is shorter");
        row("before anything", [](Plan &p) { p.crashAfter = 0; }, "one command or more");
        row("more than all", [](Plan &p) { p.crashedPercent = 101; }, "101 %");
    }
    void plansThatCannotBe_areRefused()
    {
        QFETCH(std::function<void(Plan &)>, spoil);
        QFETCH(QString, said);
        Plan some = plan();
        LATCHKEY_VERIFY_RESULT(some.check());
        spoil(some);
        const auto checked = some.check();
        QVERIFY(!checked);
        QVERIFY2(checked.error().message().contains(said), qPrintable(checked.error().message()));
        QVERIFY(!lab::planFromJson(lab::toJson(some)));
    }
};

LATCHKEY_TEST(TestLabPlan)

} // namespace tst_labplan

#include "tst_labplan.moc"
