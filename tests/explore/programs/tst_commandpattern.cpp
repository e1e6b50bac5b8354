#include "core/explore/schedules/commandpattern.h"
#include "tests/explore/programs/programfixture.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_commandpattern {

using namespace latchkey;
using resp::Reply;
using schedules::CommandPattern;

/// Tests of the patterns of commands that mark a critical section.
class TestCommandPattern final : public QObject
{
    Q_OBJECT

    static std::vector<CommandPattern> patterns(const QByteArray &text)
    {
        return {CommandPattern::parse(text).value()};
    }

private Q_SLOTS:
    void command_matchesWordByWord_data()
    {
        QTest::addColumn<QByteArray>("pattern");
        QTest::addColumn<QByteArray>("command");
        QTest::addColumn<bool>("matches");
        const auto row = [](const char *pattern, const char *command, bool matches) {
            QTest::addRow("%s, %s", pattern, command) << QByteArray(pattern) << QByteArray(command) << matches;
        };
        row("SET lock * NX", "SET lock t NX PX 10", true);
        row("SET lock * NX", "set lock t px 10 nx", true);
        row("SET lock * NX", "SET lock t PX 10", false);
        row("SET lock * NX", "SET other lock t NX", false);
        row("SET lock * NX", "SET Lock t NX", false);
        row("set lock:* * NX", "SET lock:1 t NX", true);
        row("SET lock * NX", "SET lock NX", false);
        row("DEL", "DEL lock", true);
        row("DEL lock", "DEL", false);
        row("EVALSHA * 1 lock", "EVALSHA abc 1 lock t", true);
        row("EVALSHA * 1 lock", "EVALSHA abc 1 other t", false);
        // The search replaces a call of a known script by its source.
        row("EVALSHA * 1 lock", "EVAL return 1 lock t", true);
        row("EVAL * 1 lock", "EVALSHA abc 1 lock t", false);
        row("SET lock", "SETNX lock", false);
        row("set lock nx", "SET lock t EX 9 NX", true);
        row("set lock NX ex", "SET lock t NX px 9", false);
        row("DEL nx", "DEL NX", false); // A key is no option.
    }
    void command_matchesWordByWord()
    {
        QFETCH(QByteArray, pattern);
        QFETCH(QByteArray, command);
        resp::Command sent;
        for (const QByteArray &word : command.split(' '))
            sent << word;
        QTEST(CommandPattern::parse(pattern).value().matches(sent), "matches");
    }

    void reply_isSuccessOrAsNamed()
    {
        const auto matches = [](const char *pattern, const Reply &reply) {
            return CommandPattern::parse(pattern).value().matches(reply);
        };
        for (const Reply &success : {Reply::status("OK"), Reply::integer(1), Reply::bulk("")}) {
            QVERIFY(matches("SET lock", success));
            QVERIFY(!matches("SET lock -> nil", success));
        }
        for (const Reply &failure : {Reply::nil(), Reply::integer(0), Reply::error("ERR"), Reply::array({})}) {
            QVERIFY(!matches("SET lock", failure));
            QVERIFY(matches("SET lock -> any", failure));
        }
        QVERIFY(matches("EVAL -> nil", Reply::nil()));
        QVERIFY(!matches("EVAL -> *", Reply::nil()));
        QVERIFY(matches("EVAL -> 0", Reply::integer(0)));
        QVERIFY(!matches("EVAL -> 0", Reply::integer(1)));
        QVERIFY(matches("EVAL -> got*", Reply::bulk("got it")));
        QVERIFY(!matches("EVAL -> *", Reply::error("ERR")));
    }

    void wrongPattern_isRefused()
    {
        for (const char *wrong : {"", " ", "-> nil", "SET lock ->", "SET lock -> a b"}) {
            const auto pattern = CommandPattern::parse(wrong);
            QVERIFY2(!pattern, wrong);
            QCOMPARE(pattern.error().kind, base::ErrorKind::Usage);
        }
    }

    /// Neither worker has to report with ECHO.
    void criticalSection_isMarkedByPatterns()
    {
        programs::Program careless = test::worker("readwrite");
        QCOMPARE(test::verdictsOf(test::explore(careless, {QStringLiteral("mutual-exclusion")}),
                                  {QStringLiteral("mutual-exclusion")}),
                 QStringLiteral("mutual-exclusion=not-applicable"));
        careless.entering = patterns("GET order:1 -> any");
        careless.leaving = patterns("SET order:1");
        QCOMPARE(test::verdictsOf(test::explore(careless, {QStringLiteral("mutual-exclusion")}),
                                  {QStringLiteral("mutual-exclusion")}),
                 QStringLiteral("mutual-exclusion=broken"));

        programs::Program careful = test::worker("getdel"); // A failed SET does not enter.
        careful.entering = patterns("SET lock * NX");
        careful.leaving = patterns("DEL lock -> any");
        QCOMPARE(test::verdictsOf(test::explore(careful, {QStringLiteral("mutual-exclusion")}),
                                  {QStringLiteral("mutual-exclusion")}),
                 QStringLiteral("mutual-exclusion=holds"));
        careful.entering = patterns("SET lock * NX -> any");
        QCOMPARE(test::verdictsOf(test::explore(careful, {QStringLiteral("mutual-exclusion")}),
                                  {QStringLiteral("mutual-exclusion")}),
                 QStringLiteral("mutual-exclusion=broken"));
    }
};

LATCHKEY_TEST(TestCommandPattern)

} // namespace tst_commandpattern

#include "tst_commandpattern.moc"
