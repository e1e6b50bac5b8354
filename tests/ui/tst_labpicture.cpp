#include "tests/support/testprogram.h"
#include "ui/pages/lab/forecastview.h"
#include "ui/pages/lab/histogramgeometry.h"
#include "ui/pages/lab/histogramview.h"

#include <QApplication>
#include <QTest>

namespace tst_labpicture {

using namespace latchkey;
using namespace std::chrono_literals;
using latchkey::lab::DelayStatistics;
using ui::lab::ForecastView;
using ui::lab::HistogramGeometry;
using ui::lab::HistogramView;

namespace {

/// Returns the number of pixels of a widget with a similar colour.
int pixelsOf(QWidget &widget, const QColor &colour)
{
    const QImage image = widget.grab().toImage();
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x)
            count += image.pixelColor(x, y) == colour ? 1 : 0;
    }
    return count;
}

} // namespace

/// Tests of the charts of the lab: layout and painting.
class TestLabPicture final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void bars_standOnTheFloorAndFillTheWidth()
    {
        const QRectF plot(10, 20, 200, 100);
        const HistogramGeometry geometry({1ms, {0, 50, 100, 1}, 0}, plot);
        QCOMPARE(geometry.bar(0).height(), 0.0);
        QCOMPARE(geometry.bar(1).height(), 50.0);
        QCOMPARE(geometry.bar(2).top(), 20.0);
        QVERIFY2(geometry.bar(3).height() >= 1, "what is there is seen");
        for (std::size_t i = 0; i < 4; ++i) {
            QCOMPARE(geometry.bar(i).bottom(), 120.0);
            QVERIFY(plot.contains(geometry.bar(i).center()) || geometry.bar(i).height() == 0);
        }
        QCOMPARE(geometry.x(0ns), 10.0);
        QCOMPARE(geometry.x(2ms), 110.0);
        QCOMPARE(geometry.x(1h), 210.0);
    }

    void ticks_areRoundAndFew_data()
    {
        QTest::addColumn<int>("most");
        QTest::addColumn<int>("last");
        QTest::addColumn<int>("count");
        QTest::addRow("one") << 1 << 1 << 2;
        QTest::addRow("seven") << 7 << 8 << 5;
        QTest::addRow("a thousand") << 1'000 << 1'000 << 3;
        QTest::addRow("odd") << 1'234 << 1'500 << 4;
    }
    void ticks_areRoundAndFew()
    {
        QFETCH(int, most);
        QFETCH(int, last);
        QFETCH(int, count);
        const HistogramGeometry geometry({1ms, {most}, 0}, QRectF(0, 0, 100, 100));
        QCOMPARE(geometry.countTicks().back(), last);
        QCOMPARE(int(geometry.countTicks().size()), count);
        QVERIFY(geometry.y(last) >= 0);
    }

    void histogram_isPaintedAndAccessible_data()
    {
        QTest::addColumn<ui::theme::Appearance::Mode>("mode");
        QTest::addRow("light") << ui::theme::Appearance::Mode::Light;
        QTest::addRow("dark") << ui::theme::Appearance::Mode::Dark;
    }
    void histogram_isPaintedAndAccessible()
    {
        QFETCH(ui::theme::Appearance::Mode, mode);
        ui::theme::Appearance appearance(*qobject_cast<QApplication *>(QCoreApplication::instance()));
        appearance.setMode(mode);
        QWidget parent;
        HistogramView view(QStringLiteral("Late"), appearance, &parent);
        view.resize(400, 200);
        view.setLateness({}, QStringLiteral("nothing yet"));
        QCOMPARE(view.accessibleDescription(), QStringLiteral("nothing yet"));
        QCOMPARE(pixelsOf(view, appearance.theme().accent), 0);
        DelayStatistics lateness;
        for (int i = 1; i <= 100; ++i)
            lateness.add(std::chrono::milliseconds(i));
        view.setLateness(lateness, {});
        QVERIFY2(pixelsOf(view, appearance.theme().accent) > 1000, "there are bars");
        QVERIFY2(pixelsOf(view, appearance.theme().warning) > 20, "and the lines of the percentiles");
        QVERIFY2(view.accessibleDescription().contains(QStringLiteral("half within 50 ms, 90 % within 90")),
                 qPrintable(view.accessibleDescription()));
    }

    void forecast_isPaintedAndAccessible()
    {
        ui::theme::Appearance appearance(*qobject_cast<QApplication *>(QCoreApplication::instance()));
        ForecastView view(appearance);
        view.resize(800, 300);
        QVERIFY(view.room() >= 3);
        rows::Forecast forecast;
        forecast.all = {10, 20, 30, 40, 50};
        forecast.groups = {{"session:", {10, 20, 0, 40, 0}}, {{}, {0, 0, 30, 0, 50}}};
        view.setForecast(forecast);
        QVERIFY(pixelsOf(view, appearance.theme().critical) > 200);
        QVERIFY(pixelsOf(view, appearance.theme().good) > 200);
        const QString received = view.accessibleDescription();
        QVERIFY2(
            received.startsWith(QStringLiteral("10 in the next second, 30 in the next minute, 60 in the next hour")),
            qPrintable(received));
        QVERIFY2(received.contains(QStringLiteral("30 of session: in the next hour, 30 of no prefix in the next hour")),
                 qPrintable(received));
    }
};

LATCHKEY_WINDOW_TEST(TestLabPicture)

} // namespace tst_labpicture

#include "tst_labpicture.moc"
