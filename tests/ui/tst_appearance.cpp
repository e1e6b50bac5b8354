#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "ui/kit/theme/appearance.h"
#include "ui/kit/theme/stylesheet.h"

#include <QApplication>
#include <QDirIterator>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>

namespace tst_appearance {

using namespace latchkey::ui::theme;

namespace {

/// Relative luminance and contrast as defined by WCAG 2.
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
        for (const QColor &background : {t.window, t.surface, t.raised, t.accentSoft})
            QVERIFY(contrast(t.text, background) >= 7);
        const std::vector<std::pair<const char *, QColor>> colours {
            {"muted", t.muted},     {"faint", t.faint},       {"accent", t.accent},  {"good", t.good},
            {"warning", t.warning}, {"critical", t.critical}, {"endless", t.endless}};
        for (const auto &[name, colour] : colours) {
            // The selection uses accentSoft; a pill and a banner use a tint of their own colour.
            for (const QColor &background :
                 {t.window, t.surface, t.raised, t.accentSoft, tint(colour, t.surface, 0.16)})
                QVERIFY2(contrast(colour, background) >= 4.5,
                         qPrintable(QStringLiteral("%1 on %2: %3")
                                        .arg(QLatin1String(name), background.name())
                                        .arg(contrast(colour, background))));
        }
        for (const QColor &colour : {t.warning, t.critical})
            QVERIFY(contrast(t.text, tint(colour, t.surface, 0.12)) >= 4.5);
        QVERIFY(contrast(t.muted, t.rail) >= 4.5);
        QVERIFY(contrast(t.onAccent, t.accent) >= 4.5);
    }

    void focus_canBeSeenOnEveryButton_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<bool>("isChecked");
        QTest::addColumn<Appearance::Mode>("mode");
        for (const auto mode : {Appearance::Mode::Light, Appearance::Mode::Dark}) {
            for (const char *kind : {"", "primary", "danger", "quiet", "chip", "armed"}) {
                for (const bool isChecked : {false, true})
                    QTest::addRow("%s %s %s", mode == Appearance::Mode::Light ? "light" : "dark", kind,
                                  isChecked ? "checked" : "")
                        << QString::fromLatin1(kind) << isChecked << mode;
            }
        }
    }
    void focus_canBeSeenOnEveryButton()
    {
        QFETCH(QString, kind);
        QFETCH(bool, isChecked);
        QFETCH(Appearance::Mode, mode);
        Appearance appearance(*qobject_cast<QApplication *>(QCoreApplication::instance()));
        appearance.setMode(mode);
        QWidget window;
        window.resize(300, 100);
        QPushButton button(QStringLiteral("Button"), &window);
        QPushButton other(QStringLiteral("Other"), &window);
        other.move(150, 0);
        button.setProperty("kind", kind);
        button.setCheckable(true);
        button.setChecked(isChecked);
        window.show();
        window.activateWindow();
        LATCHKEY_AWAIT(window.isActiveWindow());
        other.setFocus();
        const QImage without = button.grab().toImage();
        button.setFocus();
        const QImage with = button.grab().toImage();
        QCOMPARE(with.size(), without.size()); // The neighbours do not move.
        int changed = 0;
        for (int y = 0; y < with.height(); ++y) {
            for (int x = 0; x < with.width(); ++x)
                changed += contrast(with.pixelColor(x, y), without.pixelColor(x, y)) >= 3 ? 1 : 0;
        }
        // At least the area of an outline one pixel wide, as WCAG 2.2 requires.
        QVERIFY2(changed >= 2 * (with.width() + with.height()) * 8 / 10, qPrintable(QString::number(changed)));
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

    /// Only the theme defines colours.
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

LATCHKEY_WINDOW_TEST(TestAppearance)

} // namespace tst_appearance

#include "tst_appearance.moc"
