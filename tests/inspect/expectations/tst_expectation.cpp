#include "core/inspect/expectations/expectation.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_expectation {

using namespace latchkey;
using expectations::Expectation;
using expectations::parseExpectation;
using expectations::parseExpectations;
using Kind = Expectation::Kind;

/// Tests of the parser of expectations.
class TestExpectation final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void sentences_areUnderstood_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("from");
        QTest::addColumn<int>("until");
        QTest::addColumn<bool>("isAfterWriting");
        const auto row = [](const char *name, const char *text, const QByteArray &key, Kind kind, int from, int until,
                            bool isAfterWriting = false) {
            QTest::addRow("%s", name) << QString::fromUtf8(text) << key << int(kind) << from << until << isAfterWriting;
        };
        row("gone", "lock:a gone between 1s and 2s", "lock:a", Kind::Gone, 1000, 2000);
        row("gone at once", "a gone between 0ms and 5ms", "a", Kind::Gone, 0, 5);
        row("decimals, one unit", "a gone between 4.9 and 5.2 s after writing", "a", Kind::Gone, 4900, 5200, true);
        row("decimals, own units", "a gone between 0.5s and 1.5m", "a", Kind::Gone, 500, 90'000);
        row("units apart", "a gone between 5 ms and 1 h", "a", Kind::Gone, 5, 3'600'000);
        row("exists", "a exists until 5s", "a", Kind::Exists, 0, 5000);
        row("exists after writing", "a exists until 5s after writing", "a", Kind::Exists, 0, 5000, true);
        row("renewed", "a renewed at least every 10s", "a", Kind::Renewed, 0, 10'000);
        row("never", "a never without expiry", "a", Kind::Expiring, 0, 0);
        row("blanks in the key", "a key  of mine exists until 5s", "a key  of mine", Kind::Exists, 0, 5000);
        row("a word of its own in the key", "gone never gone between 1s and 2s", "gone never", Kind::Gone, 1000, 2000);
        row("bytes", "a\\xff\\x20 exists until 5s", "a\xff ", Kind::Exists, 0, 5000);
        row("brackets alone", "a[1] exists until 5s", "a[1]", Kind::Exists, 0, 5000);
        row("escaped pattern", "lock:\\*\\[a\\] exists until 5s", "lock:*[a]", Kind::Exists, 0, 5000);
        row("escaped question mark", "a\\?\\\\b exists until 5s", "a?\\b", Kind::Exists, 0, 5000);
        row("star as a byte", "a\\x2ab exists until 5s", "a*b", Kind::Exists, 0, 5000);
        row("backslash alone", "a\\b exists until 5s", "a\\b", Kind::Exists, 0, 5000);
        row("blanks around", "  a   exists  until 5s ", "a", Kind::Exists, 0, 5000);
    }
    void sentences_areUnderstood()
    {
        QFETCH(QString, text);
        const auto read = parseExpectation(text);
        LATCHKEY_VERIFY_RESULT(read);
        QCOMPARE(read->text, text.trimmed());
        QTEST(read->key, "key");
        QTEST(int(read->kind), "kind");
        QTEST(int(read->from.count()), "from");
        QTEST(int(read->until.count()), "until");
        QTEST(read->isAfterWriting, "isAfterWriting");
        QVERIFY(!read->isPattern);
        QVERIFY(read->matches(read->key));
        QVERIFY(!read->matches(read->key + 'x'));
    }

    void mistakes_areReportedWithTheirPlace_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("character");
        QTest::addColumn<QString>("part");
        const auto row = [](const char *name, const char *text, int character, const char *part) {
            QTest::addRow("%s", name) << QString::fromUtf8(text) << character << QString::fromUtf8(part);
        };
        row("nothing", "", 1, "missing");
        row("a key alone", "lock:a", 7, "what is expected is missing");
        row("another verb", "lock:a vanishes soon", 8, "what is expected is missing");
        row("no key", "exists until 5s", 1, "the key is missing");
        row("misspelt", "lock:a gone betwen 1s and 2s", 13, "\"betwen\"");
        row("cut off", "lock:a gone between 1s and", 27, "a time is missing");
        row("no unit", "lock:a exists until 5", 21, "lacks a unit");
        row("unknown unit", "lock:a exists until 5w", 21, "\"5w\"");
        row("no number", "lock:a exists until soon", 21, "soon");
        row("less than a millisecond", "lock:a exists until 0.0001s", 21, "whole milliseconds");
        row("two points", "lock:a exists until 1.2.3s", 21, "whole milliseconds");
        row("never met", "lock:a gone between 2s and 1s", 28, "no key can meet it");
        row("zero", "lock:a renewed at least every 0s", 31, "longer than zero");
        row("too much", "lock:a never without expiry ever", 29, "\"ever\" is too much");
        row("after what", "lock:a exists until 5s after lunch", 30, "\"lunch\"");
        row("renewed after writing", "lock:a renewed at least every 5s after writing", 34,
            "\"after writing\" goes with");
    }
    void mistakes_areReportedWithTheirPlace()
    {
        QFETCH(QString, text);
        QFETCH(int, character);
        QFETCH(QString, part);
        const auto read = parseExpectation(text);
        QVERIFY(!read);
        QCOMPARE(read.error().kind, base::ErrorKind::Usage);
        const QString message = read.error().message();
        QVERIFY2(message.startsWith(QStringLiteral("at character %1: ").arg(character)), qPrintable(message));
        // base words a unit with straight quotation marks.
        QVERIFY2(message.contains(part) || message.contains(QStringLiteral("\"5w\"")), qPrintable(message));
    }

    /// The escapes are those of ls.
    void escapeInAPattern_isOneCharacter()
    {
        const auto read = parseExpectation(QStringLiteral("lock:\\*:* never without expiry"));
        LATCHKEY_VERIFY_RESULT(read);
        QVERIFY(read->isPattern);
        QVERIFY(read->matches("lock:*:a"));
        QVERIFY(!read->matches("lock:b:a"));
    }

    void patterns_matchWholeKeys()
    {
        const auto read = parseExpectation(QStringLiteral("lock:[ab]* exists until 5s"));
        LATCHKEY_VERIFY_RESULT(read);
        QVERIFY(read->isPattern);
        QVERIFY(read->matches("lock:a1"));
        QVERIFY(!read->matches("lock:c1"));
        QVERIFY(!read->matches("my lock:a1"));
        // A star in brackets is literal.
        const auto star = parseExpectation(QStringLiteral("a[*] exists until 5s"));
        LATCHKEY_VERIFY_RESULT(star);
        QVERIFY(star->matches("a*"));
        QVERIFY(!star->matches("ab"));
    }

    void files_haveOneInALine()
    {
        const auto read = parseExpectations(QStringLiteral("f"),
                                            "# what we promise\r\n\r\na exists until 5s\r\n  b never without expiry\n");
        LATCHKEY_VERIFY_RESULT(read);
        QCOMPARE(read->size(), std::size_t(2));
        QCOMPARE(read->at(0).key, QByteArrayLiteral("a"));
        QCOMPARE(read->at(1).text, QStringLiteral("b never without expiry"));
        const auto raw = parseExpectations(QStringLiteral("f"), "\xff exists until 5s");
        LATCHKEY_VERIFY_RESULT(raw);
        QCOMPARE(raw->front().key, QByteArrayLiteral("\xff"));
    }

    void mistakesInFiles_areReportedWithTheLine()
    {
        const auto read = parseExpectations(QStringLiteral("f.txt"), "a exists until 5s\n\n  b exist until 5s\n");
        QVERIFY(!read);
        QVERIFY2(read.error().message().startsWith(QStringLiteral("f.txt:3: at character 5: ")),
                 qPrintable(read.error().message()));
        const auto empty = parseExpectations(QStringLiteral("f.txt"), "# nothing\n");
        QVERIFY(!empty);
        QCOMPARE(empty.error().message(), QStringLiteral("f.txt: no expectation is in it"));
        const QByteArray line = "a exists until 5s\n";
        QVERIFY(parseExpectations(QStringLiteral("f.txt"), line.repeated(1000)));
        QVERIFY(!parseExpectations(QStringLiteral("f.txt"), line.repeated(1001)));
    }
};

LATCHKEY_TEST(TestExpectation)

} // namespace tst_expectation

#include "tst_expectation.moc"
