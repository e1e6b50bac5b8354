#include "tests/support/commandlinetest.h"
#include "tests/support/fieldlifetimes.h"
#include "tests/support/testprogram.h"

#include <QRegularExpression>
#include <QTest>

namespace tst_fields {

using namespace latchkey;
using test::Outcome;

namespace {

/// Returns the listed key of this name.
QJsonObject keyIn(const Outcome &outcome, const char *key)
{
    for (const QJsonValue &row : QJsonDocument::fromJson(outcome.output).array()) {
        if (row[QLatin1String("key")] == QLatin1String(key))
            return row.toObject();
    }
    return {};
}

} // namespace

/// Tests of hash field expiries in ls and why.
class TestFields final : public test::CommandLineTest
{
    Q_OBJECT

private Q_SLOTS:
    void hash_tellsItsFirstFields()
    {
        auto &s = *server;
        LATCHKEY_NEED_FIELD_LIFETIMES(s);
        const QByteArray binary("\xff\x1b[31m\n", 7);
        const QByteArray chinese = "字段";
        const QByteArray html = "<b>bold</b>";
        QVERIFY(!s({"HSET", "session", binary, "1", chinese, "2", html, "3", "stays", "4"}).isError());
        QVERIFY(!s({"HPEXPIRE", "session", "300000", "FIELDS", "1", binary}).isError());
        QVERIFY(!s({"HPEXPIRE", "session", "400000", "FIELDS", "1", chinese}).isError());
        QVERIFY(!s({"HPEXPIRE", "session", "500000", "FIELDS", "1", html}).isError());
        QVERIFY(!s({"HSET", "plain", "a", "1"}).isError());

        const Outcome listed = run("ls --json");
        QCOMPARE(listed.exitCode, 0);
        const QJsonObject row = keyIn(listed, "session");
        QCOMPARE(row[QLatin1String("pttl_ms")].toInt(), -1); // The key has no TTL.
        const QJsonObject fields = row[QLatin1String("fields")].toObject();
        QCOMPARE(fields[QLatin1String("size")].toInt(), 4);
        QCOMPARE(fields[QLatin1String("asked")].toInt(), 4);
        QCOMPARE(fields[QLatin1String("ending")].toInt(), 3);
        QVERIFY(fields[QLatin1String("whole")].toBool());
        const QJsonArray first = fields[QLatin1String("first")].toArray();
        QCOMPARE(first.size(), 3);
        QCOMPARE(QByteArray::fromBase64(first[0][QLatin1String("field_base64")].toString().toLatin1()), binary);
        QCOMPARE(first[1][QLatin1String("field")].toString().toUtf8(), chinese);
        QCOMPARE(first[2][QLatin1String("field")].toString().toUtf8(), html);
        QVERIFY(first[0][QLatin1String("pttl_ms")].toInteger() > 200'000);
        QVERIFY(first[0][QLatin1String("pttl_ms")].toInteger() <= 300'000);
        QVERIFY(!keyIn(listed, "plain").contains(QLatin1String("fields")));

        const Outcome text = run("ls session");
        static const QRegularExpression shown(QStringLiteral("^hash +field [45] min "));
        QVERIFY2(shown.match(QString::fromUtf8(text.output)).hasMatch() && !text.output.contains("no expiry"),
                 text.output.constData());
        const Outcome why = run("why session");
        QVERIFY2(why.output.contains("\\xff\\x1b[31m") && !why.output.contains('\x1b'), why.output.constData());
        QVERIFY(why.output.indexOf(chinese) > why.output.indexOf("\\xff"));
        QVERIFY(why.output.indexOf(html) > why.output.indexOf(chinese));
        QCOMPARE(why.output.count("field "), 3);
    }

    void expiring_includesHashesWithExpiringFields()
    {
        auto &s = *server;
        LATCHKEY_NEED_FIELD_LIFETIMES(s);
        QVERIFY(!s({"HSET", "ends", "a", "1", "b", "2"}).isError());
        QVERIFY(!s({"HPEXPIRE", "ends", "300000", "FIELDS", "1", "a"}).isError());
        QVERIFY(!s({"HSET", "stays", "a", "1"}).isError());
        const Outcome listed = run("ls --expiring --json");
        QVERIFY(!keyIn(listed, "ends").isEmpty() && keyIn(listed, "stays").isEmpty());
    }

    /// A lock in a hash that expires with its fields is not endless; with one persistent field, it is.
    void lockThatEndsWithItsFields_isNotFoundEndless_data()
    {
        QTest::addColumn<bool>("areAllEnding");
        QTest::addRow("all end") << true;
        QTest::addRow("one stays") << false;
    }
    void lockThatEndsWithItsFields_isNotFoundEndless()
    {
        QFETCH(const bool, areAllEnding);
        auto &s = *server;
        LATCHKEY_NEED_FIELD_LIFETIMES(s);
        const QByteArray holder = "57cdb4f8-2bd9-4b4a-9e11-1c2d3e4f5a6b:47:write";
        QVERIFY(!s({"HSET", "lock:orders", holder, "1", "mode", "write"}).isError());
        QVERIFY(!s({"HPEXPIRE", "lock:orders", "300000", "FIELDS", "1", holder}).isError());
        if (areAllEnding)
            QVERIFY(!s({"HPEXPIRE", "lock:orders", "300000", "FIELDS", "1", "mode"}).isError());
        const auto hasFinding = [](const QJsonObject &key) {
            for (const QJsonValue &finding : key[QLatin1String("findings")].toArray()) {
                if (finding == QLatin1String("no-expiry") || finding[QLatin1String("id")] == QLatin1String("no-expiry"))
                    return true;
            }
            return false;
        };
        QCOMPARE(hasFinding(keyIn(run("ls --json"), "lock:orders")), !areAllEnding);
        QCOMPARE(hasFinding(run("why lock:orders --json").object()), !areAllEnding);
    }

    void largeHash_tellsHowMuchWasNotAsked()
    {
        auto &s = *server;
        LATCHKEY_NEED_FIELD_LIFETIMES(s);
        QVERIFY(s({"EVAL",
                   "for i = 1, 20000 do redis.call('HSET', KEYS[1], 'f' .. i, i) "
                   "redis.call('HPEXPIRE', KEYS[1], 300000 + i, 'FIELDS', 1, 'f' .. i) end return 1",
                   "1", "large"})
                    .isInteger(1));
        const QJsonObject fields = keyIn(run("ls --json"), "large")[QLatin1String("fields")].toObject();
        QCOMPARE(fields[QLatin1String("size")].toInt(), 20'000);
        QVERIFY(fields[QLatin1String("asked")].toInt() <= 500);
        QCOMPARE(fields[QLatin1String("first")].toArray().size(), 100);
        QVERIFY(!fields[QLatin1String("whole")].toBool());
        const Outcome why = run("why large");
        QVERIFY2(why.output.contains(" more\n") && why.output.contains(" of 20,000 fields were not checked\n"),
                 why.output.constData());
    }

    /// An unsupported or forbidden question leaves out its data only.
    void serverThatDoesNotTell_isListedWithoutIt()
    {
        auto &s = *server;
        QVERIFY(!s({"HSET", "session", "a", "1"}).isError());
        const bool isDenied = test::hasFieldLifetimes(s);
        if (isDenied) {
            QVERIFY(!s({"HPEXPIRE", "session", "300000", "FIELDS", "1", "a"}).isError());
            QVERIFY(s({"ACL", "SETUSER", "default", "-hpttl"}).isOk());
        }
        const Outcome listed = run("ls --json");
        QCOMPARE(listed.exitCode, 0);
        // Once, and only if the server supports field expiries.
        QCOMPARE(listed.errors.count("expiry of hash fields unknown: "), isDenied ? 1 : 0);
        QCOMPARE(listed.errors.count('\n'), isDenied ? 1 : 0);
        QVERIFY(!keyIn(listed, "session").isEmpty() && !keyIn(listed, "session").contains(QLatin1String("fields")));
        const Outcome why = run("why session");
        QCOMPARE(why.exitCode, 0);
        QVERIFY(why.output.contains("no expiry"));
        QCOMPARE(why.output.contains("expiry of its fields: "), isDenied);
        QCOMPARE(run("why session --json").object()[QLatin1String("denied")].toArray().isEmpty(), !isDenied);
    }
};

LATCHKEY_TEST(TestFields)

} // namespace tst_fields

#include "tst_fields.moc"
