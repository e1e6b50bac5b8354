#include "core/foundation/base/glob.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"

#include <QRandomGenerator>
#include <QTest>

namespace tst_glob {

using namespace latchkey;
using base::Glob;

class TestGlob final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void matches_asRedisDoes_data()
    {
        QTest::addColumn<QByteArray>("pattern");
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<bool>("expected");
        const auto row = [](const char *pattern, const char *key, bool expected) {
            QTest::addRow("%s / %s", pattern, key) << QByteArray(pattern) << QByteArray(key) << expected;
        };
        row("lock:*", "lock:orders", true);
        row("lock:*", "xlock:orders", false);
        row("*:lock", "orders:lock", true);
        row("h?llo", "hello", true);
        row("h?llo", "hllo", false);
        row("h[ae]llo", "hallo", true);
        row("h[^e]llo", "hello", false);
        row("h[a-c]llo", "hbllo", true);
        row("h[c-a]llo", "hbllo", true);
        row("\\*", "*", true);
        row("\\*", "x", false);
        row("a*b*c", "a--b--b--c", true);
        row("a*b*c", "a--b--b--", false);
        row("**", "", true);
        row("?", "", false);
        row("[abc", "a", true);
        row("x\\", "x\\", true);
        row("", "anything", true);
    }
    void matches_asRedisDoes()
    {
        QFETCH(QByteArray, pattern);
        QFETCH(QByteArray, key);
        QTEST(Glob(pattern).matches(key), "expected");
    }

    /// The server is the reference: the filter matches the same random keys. The empty key is excluded, because `**`
    /// matches it only in some versions.
    void matches_asTheServerDoes()
    {
        test::TestServer server;
        QRandomGenerator random(7);
        const QByteArray alphabet("ab-[]^\\*?\0\xff", 11);
        const auto word = [&](int longest) {
            QByteArray bytes;
            for (int length = random.bounded(longest + 1); length > 0; --length)
                bytes += alphabet[random.bounded(alphabet.size())];
            return bytes;
        };
        QList<QByteArray> keys;
        for (int i = 0; i < 300; ++i) {
            keys += "k" + word(6);
            QVERIFY(server({"SET", keys.back(), "v"}).isOk());
        }
        int matched = 0;
        for (int round = 0; round < 1500; ++round) {
            const QByteArray pattern = (round % 2 ? "k" : "*") + word(6);
            QSet<QByteArray> expected;
            for (const resp::Reply &key : server({"KEYS", pattern}).takeElements())
                expected.insert(key.bytes());
            const Glob glob(pattern);
            for (const QByteArray &key : keys)
                QVERIFY2(glob.matches(key) == expected.contains(key),
                         qPrintable(QStringLiteral("%1 / %2").arg(base::printable(pattern), base::printable(key))));
            matched += static_cast<int>(expected.size());
        }
        QVERIFY2(matched > 1000, "most patterns must find something, else nothing is compared");
    }

    void matches_doesNotTakeForever()
    {
        const Glob glob(QByteArray("a*").repeated(40) + "b");
        QVERIFY(!glob.matches(QByteArray(512, 'a')));
    }

    void fromFilter_takesPlainTextAsAPart()
    {
        QVERIFY(Glob::fromFilter("order").matches("lock:orders:1"));
        QVERIFY(!Glob::fromFilter("order*").matches("lock:orders:1"));
        QVERIFY(Glob::fromFilter("").matchesEverything());
    }

    void fromFilter_takesWhatATableShows_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<bool>("found");
        QTest::addRow("backslash") << QByteArray("App\\Jobs") << QByteArray("queue:App\\Jobs\\Mail") << true;
        QTest::addRow("backslash is no escape") << QByteArray("App\\Jobs") << QByteArray("AppJobs") << false;
        QTest::addRow("backslash in a pattern") << QByteArray("App\\Jobs\\*") << QByteArray("App\\Jobs\\Mail") << true;
        QTest::addRow("backslash at the end") << QByteArray("App\\") << QByteArray("App\\Jobs") << true;
        QTest::addRow("brackets") << QByteArray("a[1]") << QByteArray("list:a[1]:x") << true;
        QTest::addRow("brackets are no set") << QByteArray("a[1]") << QByteArray("a1") << false;
        QTest::addRow("set in a pattern") << QByteArray("a[12]*") << QByteArray("a2:x") << true;
        QTest::addRow("a star itself") << QByteArray("*[*]*") << QByteArray("a*b") << true;
        QTest::addRow("nothing but the star") << QByteArray("*[*]*") << QByteArray("ab") << false;
    }
    void fromFilter_takesWhatATableShows()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, key);
        QTEST(Glob::fromFilter(text).matches(key), "found");
    }
};

LATCHKEY_TEST(TestGlob)

} // namespace tst_glob

#include "tst_glob.moc"
