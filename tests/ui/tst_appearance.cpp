#include "ui/theme/appearance.h"
#include "ui/theme/stylesheet.h"

#include <QApplication>
#include <QDirIterator>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>

using namespace latchkey::ui::theme;

namespace {

/// Relative luminance and contrast as WCAG 2 defines them.
double luminance(const QColor &colour)
{
    const auto channel = [](double value) {
        return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * channel(colour.redF()) + 0.7152 * channel(colour.greenF()) + 0.0722 * channel(colour.blueF());
}

double contrast(const QColor &a, const QColor &b)
{
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

} // namespace

class TestAppearance final : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void text_canBeReadOnWhatItStandsOn_data()
    {
        QTest::addColumn<Scheme>("scheme");
        QTest::addRow("light") << Scheme::Light;
        QTest::addRow("dark") << Scheme::Dark;
    }
    void text_canBeReadOnWhatItStandsOn()
    {
        QFETCH(Scheme, scheme);
        const Theme &t = theme(scheme);
        for (const QColor &background : {t.window, t.surface, t.raised, t.accentSoft}) {
            QVERIFY(contrast(t.text, background) >= 7);
            QVERIFY(contrast(t.muted, background) >= 4.5);
        }
        for (const QColor &colour : {t.accent, t.good, t.warning, t.critical, t.endless})
            QVERIFY2(contrast(colour, t.surface) >= 3.9, qPrintable(colour.name()));
        QVERIFY(contrast(t.onAccent, t.accent) >= 4.5);
    }

    void styleSheet_namesOnlyColoursThatExist()
    {
        for (const Scheme scheme : {Scheme::Light, Scheme::Dark})
            QVERIFY(!styleSheet(theme(scheme)).contains(u'$'));
        QVERIFY(styleSheet(theme(Scheme::Light)) != styleSheet(theme(Scheme::Dark)));
    }

    void mode_changesWhatIsSeen()
    {
        Appearance appearance(*qobject_cast<QApplication *>(QCoreApplication::instance()));
        appearance.setMode(Appearance::Mode::Light);
        QSignalSpy changed(&appearance, &Appearance::changed);
        appearance.setMode(Appearance::Mode::Dark);
        QCOMPARE(changed.size(), 1);
        QCOMPARE(QApplication::palette().color(QPalette::Window), theme(Scheme::Dark).window);
        appearance.setMode(Appearance::Mode::Dark);
        QCOMPARE(changed.size(), 1);
        appearance.setMode(Appearance::Mode::Light);
        QCOMPARE(QApplication::palette().color(QPalette::Window), theme(Scheme::Light).window);
    }

    void icons_areDrawnInTheColourAskedFor()
    {
        Appearance appearance(*qobject_cast<QApplication *>(QCoreApplication::instance()));
        QDirIterator files(QStringLiteral(":/latchkey/icons"));
        int seen = 0;
        while (files.hasNext()) {
            const QString name = QFileInfo(files.next()).completeBaseName();
            const QImage image = appearance.pixmap(name, QColor(Qt::red), 24, 1.0).toImage();
            bool drawn = false;
            for (int y = 0; y < image.height(); ++y) {
                for (int x = 0; x < image.width(); ++x)
                    drawn = drawn || qAlpha(image.pixel(x, y)) > 128;
            }
            QVERIFY2(drawn, qPrintable(name));
            ++seen;
        }
        QVERIFY(seen > 15);
    }

    /// Colours are named in the theme alone.
    void noOtherSource_namesAColour()
    {
        static const QRegularExpression colour(
            QStringLiteral("QColor\\(0x|Qt::(red|green|blue|yellow|white|black|gray)|#[0-9a-fA-F]{6}"));
        QDirIterator files(QStringLiteral(LATCHKEY_SOURCE_DIR "/ui"), {QStringLiteral("*.cpp"), QStringLiteral("*.h")},
                           QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            QFile file(files.next());
            if (file.fileName().endsWith(QStringLiteral("theme/theme.cpp")))
                continue;
            QVERIFY(file.open(QIODevice::ReadOnly));
            const auto match = colour.match(QString::fromUtf8(file.readAll()));
            QVERIFY2(!match.hasMatch(), qPrintable(file.fileName() + u' ' + match.captured(0)));
        }
    }
};

QTEST_MAIN(TestAppearance)
#include "tst_appearance.moc"
