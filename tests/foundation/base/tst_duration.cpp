#include "core/foundation/base/duration.h"
#include "core/foundation/base/timetext.h"
#include "tests/support/testprogram.h"

#include <QTest>

namespace tst_duration {

using namespace latchkey::base;
using std::chrono::milliseconds;

class TestDuration final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void parse_readsNumberAndUnit_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("expected");
        QTest::addRow("ms") << QStringLiteral("500ms") << qint64(500);
        QTest::addRow("s") << QStringLiteral("5s") << qint64(5000);
        QTest::addRow("m") << QStringLiteral("2m") << qint64(120'000);
        QTest::addRow("h") << QStringLiteral("1h") << qint64(3'600'000);
        QTest::addRow("d") << QStringLiteral("7d") << qint64(604'800'000);
        QTest::addRow("zero") << QStringLiteral("0s") << qint64(0);
        QTest::addRow("negative") << QStringLiteral("-5s") << qint64(-5000);
    }
    void parse_readsNumberAndUnit()
    {
        QFETCH(QString, text);
        const auto duration = parseDuration(text);
        QVERIFY(duration);
        QTEST(static_cast<qint64>(duration->count()), "expected");
    }

    void parse_refusesWithOneSentence_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        QTest::addRow("no unit") << QStringLiteral("500")
                                 << QStringLiteral("the duration \"500\" lacks a unit; write 500ms or 500s");
        QTest::addRow("unknown unit") << QStringLiteral(
            "5w") << QStringLiteral("unknown unit \"w\" in the duration \"5w\"; the units are ms, s, m, h and d");
        QTest::addRow("no number") << QStringLiteral("soon")
                                   << QStringLiteral("\"soon\" is not a duration; write it like 500ms, 5s or 2m");
        QTest::addRow("empty") << QString() << QStringLiteral("\"\" is not a duration; write it like 500ms, 5s or 2m");
        QTest::addRow("fraction")
            << QStringLiteral("1.5s")
            << QStringLiteral("the duration \"1.5s\" is no whole number; write it in a smaller unit, as 1500ms");
        QTest::addRow("space") << QStringLiteral(
            "5 s") << QStringLiteral("unknown unit \" s\" in the duration \"5 s\"; the units are ms, s, m, h and d");
        QTest::addRow("overflow by the number")
            << QStringLiteral("99999999999999999999ms")
            << QStringLiteral("the duration \"99999999999999999999ms\" is too large");
        QTest::addRow("overflow by the unit") << QStringLiteral("9223372036854775807d")
                                              << QStringLiteral("the duration \"9223372036854775807d\" is too large");
    }
    void parse_refusesWithOneSentence()
    {
        QFETCH(QString, text);
        const auto duration = parseDuration(text);
        QVERIFY(!duration);
        QCOMPARE(duration.error().kind, ErrorKind::Usage);
        QTEST(duration.error().message(), "message");
    }

    void millisecondsText_isPreciseBelowTen_data()
    {
        QTest::addColumn<qint64>("microseconds");
        QTest::addColumn<QString>("text");
        QTest::addRow("below ten") << qint64(234) << QStringLiteral("0.23 ms");
        QTest::addRow("ten") << qint64(10'000) << QStringLiteral("10 ms");
        QTest::addRow("above ten") << qint64(120'400) << QStringLiteral("120 ms");
    }
    void millisecondsText_isPreciseBelowTen()
    {
        QFETCH(qint64, microseconds);
        QTEST(millisecondsText(std::chrono::microseconds(microseconds)), "text");
    }

    void wholeDuration_hasOneUnit_data()
    {
        QTest::addColumn<qint64>("count");
        QTest::addColumn<QString>("text");
        const auto row = [](qint64 count, const char *text) {
            QTest::addRow("%s", text) << count << QString(QLatin1String(text));
        };
        row(999, "less than 1 s");
        row(1000, "1 s");
        row(119'999, "119 s");
        row(120'000, "2 min");
        row(7'199'999, "119 min");
        row(7'200'000, "2 h");
        row(48 * 3'600'000 - 1, "47 h");
        row(48 * 3'600'000, "2 d");
    }
    void wholeDuration_hasOneUnit()
    {
        QFETCH(qint64, count);
        QTEST(wholeDuration(std::chrono::milliseconds(count)), "text");
    }

    void spokenDuration_isOneFormat_data()
    {
        QTest::addColumn<qint64>("count");
        QTest::addColumn<QString>("text");
        QTest::addRow("negative") << qint64(-5) << QStringLiteral("0.000 s");
        QTest::addRow("milliseconds") << qint64(1549) << QStringLiteral("1.549 s");
        QTest::addRow("seconds") << qint64(61'400) << QStringLiteral("61 s");
        QTest::addRow("minutes") << qint64(150'000) << QStringLiteral("2 min");
        QTest::addRow("hours") << qint64(7'200'000) << QStringLiteral("2 h");
    }
    void spokenDuration_isOneFormat()
    {
        QFETCH(qint64, count);
        QTEST(displayDuration(milliseconds(count)), "text");
    }

    void ceilMilliseconds_roundsUp()
    {
        QCOMPARE(ceilMilliseconds(std::chrono::nanoseconds(0)), 0);
        QCOMPARE(ceilMilliseconds(std::chrono::nanoseconds(1)), 1);
        QCOMPARE(ceilMilliseconds(milliseconds(7)), 7);
        QCOMPARE(ceilMilliseconds(-std::chrono::nanoseconds(1)), 0);
    }

    void timeOfDay_isThatOfTheLocalTimeZone()
    {
        const QDateTime local(QDate(2026, 3, 1), QTime(7, 2, 9, 5));
        const WallTime time {milliseconds(local.toMSecsSinceEpoch())};
        QCOMPARE(localTime(time), local);
        QCOMPARE(timeOfDay(time), QStringLiteral("07:02:09"));
        QCOMPARE(preciseTimeOfDay(time), QStringLiteral("07:02:09.005"));
    }

    void format_isReadBack()
    {
        for (const qint64 count : {qint64(0), qint64(1), qint64(999), qint64(1000), qint64(1500), qint64(60'000),
                                   qint64(61'000), qint64(86'400'000), qint64(-2000)}) {
            const auto duration = parseDuration(formatDuration(milliseconds(count)));
            QVERIFY(duration);
            QCOMPARE(static_cast<qint64>(duration->count()), count);
        }
        QCOMPARE(formatDuration(milliseconds(90'000)), QStringLiteral("90s"));
    }
};

LATCHKEY_TEST(TestDuration)

} // namespace tst_duration

#include "tst_duration.moc"
