#include "tests/support/testprogram.h"
#include "ui/kit/widgets/plaintext.h"
#include "ui/views/keytable/keytablemodel.h"
#include "ui/views/keytable/keytext.h"

#include <QTest>

namespace tst_keytext {

using namespace latchkey;
using namespace latchkey::ui::keytable;
using base::Deadline;
using base::MonotonicTime;
using keys::KeyState;
using keys::KeyType;
using namespace std::chrono_literals;

class TestKeyText final : public QObject
{
    Q_OBJECT

    const MonotonicTime now {1000h};

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void durationText_hasMillisecondsBelowTenSeconds_data()
    {
        QTest::addColumn<qint64>("milliseconds");
        QTest::addColumn<QString>("text");
        const auto row = [](qint64 milliseconds, const char *text) {
            QTest::addRow("%s", text) << milliseconds << QString::fromLatin1(text);
        };
        row(0, "0.000 s");
        row(1, "0.001 s");
        row(457, "0.457 s");
        row(9999, "9.999 s");
        row(10'000, "10 s");
        row(59'999, "59 s");
        row(60'000, "1 min 00 s");
        row(3'599'000, "59 min 59 s");
        row(3'600'000, "1 h 00 min");
        row(86'399'000, "23 h 59 min");
        row(86'400'000, "1 d 00 h");
        row(30LL * 86'400'000, "30 d 00 h");
        row(1000LL * 86'400'000 - 1, "999 d 23 h");
        row(1000LL * 86'400'000 + 7'200'000, "1000 d");
        row(36'499LL * 86'400'000, "36499 d");
        row(1LL << 43, "> 100 years");
    }
    void durationText_hasMillisecondsBelowTenSeconds()
    {
        QFETCH(qint64, milliseconds);
        QString text = durationText(std::chrono::milliseconds(milliseconds));
        QTEST(text.remove(u','), "text");
    }

    void lengths_areRoundedAndPrintedOnceIfEqual()
    {
        QCOMPARE(lengthText(29'998ms), QStringLiteral("30 s"));
        QCOMPARE(lengthText(9'998ms), QStringLiteral("9.998 s"));
        QCOMPARE(rangeText(10'002ms, 10'030ms), QStringLiteral("10 s"));
        QCOMPARE(rangeText(9'750ms, 14'400ms), QStringLiteral("9.750 s to 14 s"));
        const ui::keytable::Renewals once {1, 30s, 10s, 10s};
        QCOMPARE(renewalsText(once), QStringLiteral("renewed once"));
        const ui::keytable::Renewals often {5, 30s, 10'001ms, 10'030ms};
        QCOMPARE(renewalsText(often), QStringLiteral("renewed 5 times, every 10 s"));
    }

    /// A countdown must never exceed the remaining time, nor increase.
    void durationText_neverShowsMoreThanThereIs()
    {
        for (qint64 exponent = 0; exponent < 41; ++exponent) {
            for (const qint64 offset : {-1, 0, 1}) {
                const qint64 milliseconds = std::max<qint64>(0, (1LL << exponent) + offset);
                const QString text = durationText(std::chrono::milliseconds(milliseconds));
                static const QRegularExpression part(QStringLiteral("([0-9.,]+) (min|s|h|d)"));
                double shown = 0;
                for (auto match = part.globalMatch(text); match.hasNext();) {
                    const auto found = match.next();
                    const QString unit = found.captured(2);
                    const double factor = unit == u"s" ? 1e3 : unit == u"min" ? 6e4 : unit == u"h" ? 3.6e6 : 8.64e7;
                    shown += found.captured(1).remove(u',').toDouble() * factor;
                }
                QVERIFY2(shown <= static_cast<double>(milliseconds) + 1e-6, qPrintable(text));
                // Two units are displayed, so the error is less than one of the smaller unit. Beside years, hours are
                // ignored.
                const double smaller = text.contains(u'h') || shown < 8.64e7 ? 3.6e6 : 8.64e7;
                QVERIFY2(static_cast<double>(milliseconds) - shown < smaller, qPrintable(text));
            }
        }
    }

    void timeLeftText_describesWhatIsKnown_data()
    {
        QTest::addColumn<Deadline>("deadline");
        QTest::addColumn<KeyState>("state");
        QTest::addColumn<QString>("text");
        QTest::addRow("running") << Deadline(now + 5s, 1ms) << KeyState::Live << QStringLiteral("5.000 s");
        QTest::addRow("passed, not confirmed") << Deadline(now - 1ms, 1ms) << KeyState::Live << QStringLiteral("due");
        QTest::addRow("no expiry") << Deadline::never() << KeyState::Live << QStringLiteral("no expiry");
        QTest::addRow("expired") << Deadline(now - 1s, 1ms) << KeyState::Expired << QStringLiteral("expired");
        QTest::addRow("removed") << Deadline(now + 5s, 1ms) << KeyState::Removed << QStringLiteral("removed");
    }
    void timeLeftText_describesWhatIsKnown()
    {
        QFETCH(Deadline, deadline);
        QFETCH(KeyState, state);
        QTEST(timeLeftText(deadline, state, now), "text");
    }

    void endText_isALocalTime()
    {
        const QDateTime wall(QDate(2026, 11, 21), QTime(14, 0, 0));
        QCOMPARE(endText(Deadline(now + 1500ms, 0ns), now, wall), QStringLiteral("14:00:01.500"));
        QCOMPARE(endText(Deadline(now + 24h, 0ns), now, wall), QStringLiteral("2026-11-22 14:00:00"));
        QCOMPARE(endText(Deadline::never(), now, wall), QString());
        QVERIFY(!endText(Deadline(now + std::chrono::hours(24 * 365 * 200), 0ns), now, wall).isEmpty());
    }

    void endSentence_describesWhatIsKnown_data()
    {
        QTest::addColumn<Deadline>("deadline");
        QTest::addColumn<KeyState>("state");
        QTest::addColumn<QString>("text");
        QTest::addRow("running") << Deadline(now + 5s, 1500us) << KeyState::Live
                                 << QStringLiteral("Expires: 14:00:05.000, ±2 ms");
        QTest::addRow("no expiry") << Deadline::never() << KeyState::Live << QStringLiteral("No expiry");
        QTest::addRow("expired") << Deadline(now - 1s, 1ms) << KeyState::Expired << QStringLiteral("It expired");
        QTest::addRow("removed") << Deadline(now + 5s, 1ms) << KeyState::Removed
                                 << QStringLiteral("It was removed before its expiry");
    }
    void endSentence_describesWhatIsKnown()
    {
        QFETCH(Deadline, deadline);
        QFETCH(KeyState, state);
        const QDateTime wall(QDate(2026, 11, 21), QTime(14, 0, 0));
        QTEST(endSentence(deadline, state, endText(deadline, now, wall)), "text");
    }

    void keyText_isTheKeyOrItsBeginning()
    {
        QCOMPARE(keyText("App\\Jobs"), QStringLiteral("App\\Jobs"));
        QCOMPARE(keyText(""), QStringLiteral("(empty key)"));
        QVERIFY(keyText(QByteArray(65'536, 'k')).size() <= 600);
        QVERIFY(keyText(QByteArray(100, 'k'), 20).endsWith(QChar(0x2026)));
    }

    void toolTip_isBrokenIntoLines()
    {
        const QString toolTip = ui::widgets::toolTipText(QString(200, u'k'));
        QCOMPARE(toolTip.count(u'\n'), 2);
        QCOMPARE(ui::widgets::toolTipText(QString()), QString());
        QVERIFY(ui::widgets::toolTipText(QStringLiteral("a<b")).contains(QStringLiteral("a&lt;b")));
    }

    void valueText_describesTheValue_data()
    {
        QTest::addColumn<QList<QByteArray>>("parts");
        QTest::addColumn<qint64>("size");
        QTest::addColumn<KeyType>("type");
        QTest::addColumn<QString>("expected");
        using Parts = QList<QByteArray>;
        const auto row = [](const char *name, KeyType type, qint64 size, const Parts &parts, const QString &expected) {
            QTest::addRow("%s", name) << parts << size << type << expected;
        };
        row("string", KeyType::String, 5, {"token"}, QStringLiteral("token"));
        row("empty string", KeyType::String, 0, {""}, QStringLiteral("(empty)"));
        row("cut string", KeyType::String, 9000, {"abc"}, QStringLiteral("abc…"));
        row("binary", KeyType::String, 2, {"\x01\xff"}, QStringLiteral("\\x01\\xff"));
        row("hash", KeyType::Hash, 1, {"a", "1"}, QStringLiteral("1 field: a: 1"));
        row("list", KeyType::List, 2, {"a", "b"}, QStringLiteral("2 elements: a, b"));
        row("long list", KeyType::List, 9, {"a", "b", "c", "d", "e", "f", "g", "h"},
            QStringLiteral("9 elements: a, b, c, d, …"));
        row("sorted set", KeyType::SortedSet, 2, {"low", "1.5", "high", "2"},
            QStringLiteral("2 elements: low: 1.5, high: 2"));
        row("binary element", KeyType::Set, 1, {"\xff"}, QStringLiteral("1 element: \\xff"));
        row("stream", KeyType::Stream, 7, {}, QStringLiteral("7 entries"));
    }
    void valueText_describesTheValue()
    {
        QFETCH(QList<QByteArray>, parts);
        QFETCH(qint64, size);
        QFETCH(KeyType, type);
        QTEST(valueText({type, size, parts}), "expected");
    }
};

LATCHKEY_TEST(TestKeyText)

} // namespace tst_keytext

#include "tst_keytext.moc"
