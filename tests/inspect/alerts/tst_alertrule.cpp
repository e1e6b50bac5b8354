#include "core/inspect/alerts/alertrule.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_alertrule {

using namespace latchkey;
using alerts::AlertRule;
using alerts::parseAlertRule;
using findings::FindingKind;
using Condition = AlertRule::Condition;

/// Tests of the parser of alert rules.
class TestAlertRule final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void rule_isUnderstood_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("condition");
        QTest::addColumn<int>("limit");
        QTest::addColumn<QByteArray>("glob");
        const auto row = [](const char *name, const char *text, Condition condition, int limit,
                            const QByteArray &glob) {
            QTest::addRow("%s", name) << QString::fromUtf8(text) << int(condition) << limit << glob;
        };
        row("all keys", "no-expiry", Condition::NoExpiry, 0, "");
        row("a pattern", "no-expiry lock:*", Condition::NoExpiry, 0, "lock:*");
        row("blanks", "  two-holders   a b* ", Condition::TwoHolders, 0, "a b*");
        row("a time", "older-than=20m job:*", Condition::OlderThan, 1'200'000, "job:*");
        row("an equals sign in the pattern", "no-expiry a=b", Condition::NoExpiry, 0, "a=b");
        row("blind", "blind", Condition::Blind, 0, "");
        row("blind for a time", "blind=30s", Condition::Blind, 30'000, "");
        row("a finding", "finding=holder-gone", Condition::Finding, 0, "");
    }
    void rule_isUnderstood()
    {
        QFETCH(QString, text);
        const auto rule = parseAlertRule(text);
        LATCHKEY_VERIFY_RESULT(rule);
        QCOMPARE(rule->text, text.trimmed());
        QTEST(int(rule->condition), "condition");
        QTEST(int(rule->limit.count()), "limit");
        QTEST(rule->glob.pattern(), "glob");
    }

    void finding_isFoundByItsId()
    {
        for (int i = 0; i < findings::kindCount; ++i) {
            const auto kind = static_cast<FindingKind>(i);
            const auto rule = parseAlertRule(QStringLiteral("finding=") + findings::kindId(kind));
            LATCHKEY_VERIFY_RESULT(rule);
            QCOMPARE(rule->finding, kind);
        }
    }

    void badRule_isRefusedWithItsPlace_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        const auto row = [](const char *text, const char *message) {
            QTest::addRow("%s", text) << QString::fromUtf8(text) << QString::fromUtf8(message);
        };
        row("", "at character 1: unknown condition \"\"; there are no-expiry, two-holders, older-than, finding, blind");
        row(" old",
            "at character 2: unknown condition \"old\"; there are no-expiry, two-holders, older-than, finding, blind");
        row("no-expiry=3s", "at character 10: no-expiry takes no value");
        row("older-than", "at character 11: older-than needs a value, such as older-than=20m");
        row("older-than lock:*", "at character 11: older-than needs a value, such as older-than=20m");
        row("finding", "at character 8: finding needs a value, such as finding=no-fencing");
        row("older-than=20", "at character 12: the duration \"20\" lacks a unit; write 20ms or 20s");
        row("older-than=0s", "at character 12: the time must be longer than zero");
        row("blind=1s a*", "at character 10: blind is about the whole server and takes no pattern");
    }
    void badRule_isRefusedWithItsPlace()
    {
        QFETCH(QString, text);
        const auto rule = parseAlertRule(text);
        QVERIFY(!rule);
        QCOMPARE(rule.error().kind, base::ErrorKind::Usage);
        QTEST(rule.error().message(), "message");
    }
};

LATCHKEY_TEST(TestAlertRule)

} // namespace tst_alertrule

#include "tst_alertrule.moc"
