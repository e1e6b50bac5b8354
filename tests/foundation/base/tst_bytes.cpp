#include "core/foundation/base/bytes.h"
#include "tests/support/testprogram.h"

#include <QRandomGenerator>
#include <QSet>
#include <QTest>

namespace tst_bytes {

using namespace latchkey::base;

class TestBytes final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void printable_showsTextAndEscapesTheRest_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("text");
        QTest::addRow("plain") << QByteArray("lock:orders") << QStringLiteral("lock:orders");
        QTest::addRow("empty") << QByteArray() << QString();
        QTest::addRow("UTF-8") << QByteArray("lock:\xc3\xa9\xe9\x94\x81") << QStringLiteral("lock:é锁");
        QTest::addRow("four-byte UTF-8") << QByteArray("\xf0\x9f\x94\x92") << QStringLiteral("🔒");
        QTest::addRow("NUL") << QByteArray("a\0b", 3) << QStringLiteral("a\\x00b");
        QTest::addRow("invalid UTF-8") << QByteArray("\xff\xfe") << QStringLiteral("\\xff\\xfe");
        QTest::addRow("overlong UTF-8") << QByteArray("\xc0\x80") << QStringLiteral("\\xc0\\x80");
        QTest::addRow("surrogate") << QByteArray("\xed\xa0\x80") << QStringLiteral("\\xed\\xa0\\x80");
        QTest::addRow("cut off") << QByteArray("x\xe9\x94") << QStringLiteral("x\\xe9\\x94");
        QTest::addRow("backslash") << QByteArray("App\\Jobs\\") << QStringLiteral("App\\Jobs\\");
        QTest::addRow("two backslashes") << QByteArray("a\\\\b") << QStringLiteral("a\\\\b");
        QTest::addRow("no escape, only its beginning") << QByteArray("a\\x0g\\x") << QStringLiteral("a\\x0g\\x");
        QTest::addRow("what would read as an escape") << QByteArray("a\\x00") << QStringLiteral("a\\x5cx00");
        QTest::addRow("the same in capitals") << QByteArray("\\xFF") << QStringLiteral("\\x5cxFF");
        QTest::addRow("backslash before an escape") << QByteArray("\\\xff") << QStringLiteral("\\\\xff");
        QTest::addRow("line separator") << QByteArray("\xe2\x80\xa8") << QStringLiteral("\\xe2\\x80\\xa8");
        QTest::addRow("invisible, of four bytes")
            << QByteArray("\xf3\xa0\x81\x81") << QStringLiteral("\\xf3\\xa0\\x81\\x81");
        QTest::addRow("line end") << QByteArray("a\nb") << QStringLiteral("a\\x0ab");
        QTest::addRow("right-to-left override") << QByteArray("\xe2\x80\xae") << QStringLiteral("\\xe2\\x80\\xae");
    }
    void printable_showsTextAndEscapesTheRest()
    {
        QFETCH(QByteArray, bytes);
        QTEST(printable(bytes), "text");
    }

    /// So two different keys never have the same text.
    void fromPrintable_readsBackWhatIsShown_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addRow("nothing") << QByteArray();
        QTest::addRow("escape as text") << QByteArray("\\x00\\x5c\\xAB");
        QTest::addRow("escape in an escape") << QByteArray("\\x5cx00");
        QTest::addRow("Chinese") << QByteArray("\xe9\x94\x81\\\xe9");
        QTest::addRow("NUL") << QByteArray("a\0b", 3);
        QRandomGenerator random(3);
        const QByteArray alphabet("\\x0aF5c\x00\xff\xe9\x94\x81", 12);
        for (int i = 0; i < 200; ++i) {
            QByteArray bytes;
            for (int length = random.bounded(1, 12); length > 0; --length)
                bytes += alphabet[random.bounded(alphabet.size())];
            QTest::addRow("random %d", i) << bytes;
        }
    }
    void fromPrintable_readsBackWhatIsShown()
    {
        QFETCH(QByteArray, bytes);
        QCOMPARE(fromPrintable(printable(bytes)), bytes);
    }

    void printable_givesDifferentKeysDifferentTexts()
    {
        QSet<QString> texts;
        for (int a = 0; a < 256; ++a) {
            for (int b = 0; b < 256; ++b) {
                const char bytes[] = {static_cast<char>(a), static_cast<char>(b)};
                texts.insert(printable(QByteArrayView(bytes, 2)));
            }
        }
        QCOMPARE(texts.size(), 256 * 256);
    }

    void printable_truncatesLongTextAndMarksIt_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("text");
        QTest::addRow("fits") << QByteArray("12345678") << QStringLiteral("12345678");
        QTest::addRow("one too long") << QByteArray("123456789") << QStringLiteral("1234567…");
        QTest::addRow("huge") << QByteArray(10'000'000, 'x') << QStringLiteral("xxxxxxx…");
        QTest::addRow("no half of a pair") << QByteArray("123456\xf0\x9f\x94\x92zz") << QStringLiteral("123456…");
    }
    void printable_truncatesLongTextAndMarksIt()
    {
        QFETCH(QByteArray, bytes);
        QTEST(printable(bytes, 8), "text");
    }

    void roles_doNotMix()
    {
        static_assert(!std::is_convertible_v<Key, OwnerToken>);
        static_assert(!std::is_constructible_v<OwnerToken, Key>);
        static_assert(!std::is_convertible_v<QByteArray, Key>);
        QVERIFY(Key("a") == Key("a"));
        QVERIFY(Key("a") < Key("b"));
    }
};

LATCHKEY_TEST(TestBytes)

} // namespace tst_bytes

#include "tst_bytes.moc"
