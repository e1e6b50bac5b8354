#include "tests/support/testprogram.h"
#include "tests/ui/cards.h"
#include "tests/ui/wholewidgets.h"
#include "ui/kit/widgets/presenting.h"
#include "ui/views/diagram/diagramview.h"

#include <QFontInfo>
#include <QListWidget>
#include <QScreen>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTest>

namespace tst_presenting {

using namespace latchkey;
using playground::ClientProcess;
using test::MainWindowFixture;
using Page = ui::shell::MainWindow::Page;

/// Tests of everything that is shown in front of a class: presets, presenting, and the size of the text.
class TestPresenting final : public QObject
{
    Q_OBJECT

    /// The least size of a text that can be read at three metres, at 1280 x 720.
    static constexpr int readable = 28;

    static void open(MainWindowFixture &fixture, int page)
    {
        fixture.window.resize(1280, 720);
        fixture.window.showPage(page);
        QVERIFY(QTest::qWaitForWindowActive(&fixture.window));
    }
    static int pixelsOf(const QWidget &widget) { return QFontInfo(widget.font()).pixelSize(); }
    static void press(MainWindowFixture &fixture, Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        QTest::keyClick(QApplication::focusWidget() == nullptr ? &fixture.window : QApplication::focusWidget(), key,
                        modifiers);
    }
    /// Presents the current page. The screen of the tests is smaller than a usual one.
    static void present(MainWindowFixture &fixture)
    {
        press(fixture, Qt::Key_F11);
        fixture.window.resize(1280, 720);
    }

private Q_SLOTS:
    void presentation_isFullScreenAndReturns_data()
    {
        QTest::addColumn<int>("page");
        QTest::newRow("Playground") << int(Page::PlaygroundIndex);
        QTest::newRow("Stories") << int(Page::StoriesIndex);
    }
    void presentation_isFullScreenAndReturns()
    {
        QFETCH(int, page);
        MainWindowFixture fixture;
        open(fixture, page);
        const auto *rail = fixture.window.findChild<ui::shell::NavigationRail *>();
        press(fixture, Qt::Key_F11);
        LATCHKEY_AWAIT(fixture.window.isFullScreen());
        QVERIFY(!rail->isVisible());
        LATCHKEY_AWAIT(fixture.window.size() == fixture.window.screen()->geometry().size());
        press(fixture, Qt::Key_Escape);
        LATCHKEY_AWAIT(!fixture.window.isFullScreen());
        QVERIFY(rail->isVisible());
        LATCHKEY_AWAIT(fixture.window.size() == QSize(1280, 720));
        QCOMPARE(fixture.widget<QStackedWidget>("pages").currentIndex(), page);
    }

    void otherPages_areFullScreenAsTheyAre_data()
    {
        QTest::addColumn<int>("page");
        QTest::newRow("Inspector") << int(Page::InspectorIndex);
        QTest::newRow("Expiry lab") << int(Page::LabIndex);
    }
    void otherPages_areFullScreenAsTheyAre()
    {
        QFETCH(int, page);
        MainWindowFixture fixture;
        open(fixture, page);
        press(fixture, Qt::Key_F11);
        LATCHKEY_AWAIT(fixture.window.isFullScreen());
        QVERIFY(fixture.window.findChild<ui::shell::NavigationRail *>()->isVisible());
        QCOMPARE(fixture.widget<QStackedWidget>("pages").currentIndex(), page);
        press(fixture, Qt::Key_F11);
        LATCHKEY_AWAIT(!fixture.window.isFullScreen());
    }

    /// A window that was full screen before stays full screen.
    void endOfAPresentation_keepsTheFormerState()
    {
        MainWindowFixture fixture;
        open(fixture, Page::InspectorIndex);
        press(fixture, Qt::Key_F11);
        fixture.window.showPage(Page::StoriesIndex);
        press(fixture, Qt::Key_F11);
        LATCHKEY_AWAIT(!fixture.window.findChild<ui::shell::NavigationRail *>()->isVisible());
        press(fixture, Qt::Key_Escape);
        LATCHKEY_AWAIT(fixture.window.findChild<ui::shell::NavigationRail *>()->isVisible());
        QVERIFY(fixture.window.isFullScreen());
    }

    void changeOfThePage_endsThePresentation()
    {
        MainWindowFixture fixture;
        open(fixture, Page::StoriesIndex);
        press(fixture, Qt::Key_F11);
        LATCHKEY_AWAIT(fixture.window.isFullScreen());
        press(fixture, Qt::Key_F, Qt::ControlModifier); // Filters the keys, on the page Inspector.
        LATCHKEY_AWAIT(!fixture.window.isFullScreen());
        QVERIFY(fixture.window.findChild<ui::shell::NavigationRail *>()->isVisible());
    }

    void shortcutOfAPage_leavesThePresentation_data()
    {
        QTest::addColumn<int>("key");
        QTest::addColumn<int>("page");
        QTest::newRow("another page") << int(Qt::Key_1) << int(Page::InspectorIndex);
        QTest::newRow("the presented page") << int(Qt::Key_3) << int(Page::StoriesIndex);
    }
    void shortcutOfAPage_leavesThePresentation()
    {
        QFETCH(int, key);
        QFETCH(int, page);
        MainWindowFixture fixture;
        open(fixture, Page::StoriesIndex);
        present(fixture);
        const auto &rail = fixture.widget<QToolButton>("storiesButton");
        QVERIFY(!rail.isVisible());
        press(fixture, static_cast<Qt::Key>(key), Qt::ControlModifier);
        QVERIFY(rail.isVisible() && !fixture.window.isFullScreen());
        const auto pageIs = [&](int wanted) {
            return fixture.window.findChild<QStackedWidget *>()->currentIndex() == wanted;
        };
        QVERIFY(pageIs(page));
        press(fixture, Qt::Key_2, Qt::ControlModifier); // The rail has its shortcuts again.
        LATCHKEY_AWAIT(pageIs(Page::PlaygroundIndex));
    }

    void alerts_openDuringAPresentation()
    {
        MainWindowFixture fixture;
        open(fixture, Page::PlaygroundIndex);
        present(fixture);
        LATCHKEY_AWAIT(fixture.window.isFullScreen());
        press(fixture, Qt::Key_A, Qt::ControlModifier | Qt::ShiftModifier);
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("alertsDialog") != nullptr);
        fixture.dialog<QDialog>("alertsDialog")->close();
        QVERIFY(fixture.window.isFullScreen());
        fixture.window.showPage(Page::InspectorIndex);
        LATCHKEY_AWAIT(!fixture.window.isFullScreen());
        press(fixture, Qt::Key_A, Qt::ControlModifier | Qt::ShiftModifier); // Not ambiguous.
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("alertsDialog") != nullptr);
    }

    void nextRun_isNotFullScreen()
    {
        MainWindowFixture fixture;
        open(fixture, Page::InspectorIndex);
        press(fixture, Qt::Key_F11);
        LATCHKEY_AWAIT(fixture.window.isFullScreen());
        fixture.window.close();
        ui::shell::MainWindow next(fixture.workspace, fixture.appearance, fixture.languageSwitcher);
        QVERIFY(!next.isFullScreen());
    }

    void stories_arePresentedReadably()
    {
        MainWindowFixture fixture;
        open(fixture, Page::StoriesIndex);
        present(fixture);
        LATCHKEY_AWAIT(!fixture.widget<QListWidget>("stories").isVisible());
        QVERIFY(!fixture.window.findChild<ui::shell::NavigationRail *>()->isVisible());
        QVERIFY(fixture.button("storyPlay").isVisible() && fixture.button("storyStep").isVisible());
        const auto sentences = fixture.window.findChildren<QLabel *>(QStringLiteral("storySentence"));
        QCOMPARE(sentences.size(), 2);
        for (const QLabel *sentence : sentences)
            LATCHKEY_AWAIT(pixelsOf(*sentence) >= readable);
        for (const char *name : {"sectionTitle", "stepCount"})
            QVERIFY2(pixelsOf(*sentences.front()->parentWidget()->findChild<QLabel *>(QLatin1String(name))) >= readable,
                     name);
        QVERIFY(pixelsOf(fixture.widget<QLabel>("storyQuestion")) >= readable);
        for (const auto *diagram : fixture.window.findChildren<ui::diagram::DiagramView *>()) {
            if (diagram->isVisible())
                QVERIFY(QFontInfo(diagram->textFont()).pixelSize() >= readable);
        }
        test::checkOverlaps(fixture.window);
        press(fixture, Qt::Key_Escape);
        LATCHKEY_AWAIT(fixture.widget<QListWidget>("stories").isVisible());
        LATCHKEY_AWAIT(pixelsOf(*sentences.front()) < readable);
    }

    void playground_isPresentedReadably()
    {
        MainWindowFixture fixture;
        open(fixture, Page::PlaygroundIndex);
        LATCHKEY_AWAIT(fixture.button("addClient").isEnabled());
        present(fixture);
        for (const char *name : {"sentence", "insideWho"})
            LATCHKEY_AWAIT(pixelsOf(fixture.widget<QWidget>(name)) >= readable);
        QVERIFY(QFontInfo(fixture.widget<ui::diagram::DiagramView>("diagram").textFont()).pixelSize() >= readable);
        press(fixture, Qt::Key_Escape);
        LATCHKEY_AWAIT(fixture.button("addClient").isVisible());
    }

    /// A class sees the crash of the holder without leaving the presentation.
    void presentedClients_haveTheirButtons()
    {
        MainWindowFixture fixture;
        open(fixture, Page::PlaygroundIndex);
        LATCHKEY_AWAIT(fixture.window.findChild<QPushButton *>(QStringLiteral("start-two-clients")) != nullptr);
        fixture.click("start-two-clients");
        playground::ClientPool &clients = fixture.workspace.clientPool();
        LATCHKEY_AWAIT(clients.size() == 2 && clients.at(0).state() == ClientProcess::State::Holding);
        present(fixture);
        const auto buttons = [&](const char *name) {
            QList<QPushButton *> shown = fixture.window.findChildren<QPushButton *>(QLatin1String(name));
            shown.removeIf([](const QPushButton *button) { return !button->isVisible(); });
            return shown;
        };
        QCOMPARE(buttons("presented-crash").size(), 2);
        LATCHKEY_AWAIT(buttons("presented-acquire").isEmpty()); // The second client has its order too.
        test::checkOverlaps(fixture.window);
        // The screen may be smaller than the one for which 28 pixels are promised.
        for (const char *name : {"presentedName", "sentence", "insideWho"})
            LATCHKEY_AWAIT(pixelsOf(fixture.widget<QWidget>(name))
                           >= ui::widgets::presentedPixels(fixture.window.size()));
        QTest::mouseClick(buttons("presented-crash").front(), Qt::LeftButton);
        LATCHKEY_AWAIT(clients.at(0).state() == ClientProcess::State::Dead);
        LATCHKEY_AWAIT(buttons("presented-restart").size() == 1 && buttons("presented-crash").size() == 1);
        LATCHKEY_AWAIT(clients.at(1).state() == ClientProcess::State::Holding); // When the lease is over.
    }

    /// The second preset shows its own explanation, and no lane of the first.
    void secondPreset_replacesTheFirst()
    {
        MainWindowFixture fixture;
        open(fixture, Page::PlaygroundIndex);
        LATCHKEY_AWAIT(fixture.window.findChild<QPushButton *>(QStringLiteral("start-redlock")) != nullptr);
        fixture.click("start-redlock");
        const auto &diagram = fixture.widget<ui::diagram::DiagramView>("diagram");
        LATCHKEY_AWAIT(diagram.sequence()->lanes().size() == 7);
        fixture.widget<QAction>("preset-watchdog").trigger();
        const playground::ClientPool &clients = fixture.workspace.clientPool();
        LATCHKEY_AWAIT(clients.size() == 2 && clients.at(0).state() == ClientProcess::State::Holding);
        QCOMPARE(diagram.sequence()->lanes().size(), std::size_t(3));
        const auto labels = fixture.window.findChild<ui::playground::PlaygroundPage *>()->findChildren<QLabel *>();
        QVERIFY(std::ranges::any_of(labels, [](const QLabel *label) {
            return label->isVisible() && label->text().startsWith(QLatin1String("The holder renews its lease."));
        }));
    }

    void controlAndPlus_workOnEveryPage_data()
    {
        QTest::addColumn<int>("page");
        QTest::addColumn<QString>("click");
        QTest::addColumn<QString>("label");
        QTest::newRow("Inspector") << int(Page::InspectorIndex) << QString() << "pageTitle";
        QTest::newRow("Playground") << int(Page::PlaygroundIndex) << QString() << "pageTitle";
        QTest::newRow("Stories") << int(Page::StoriesIndex) << QString() << "storySentence";
        QTest::newRow("race finder") << int(Page::StoriesIndex) << "exploreProgram" << "pageTitle";
        QTest::newRow("experiment") << int(Page::LabIndex) << "labExperiment" << "pageTitle";
        QTest::newRow("expectations") << int(Page::LabIndex) << "labExpectations" << "pageTitle";
        QTest::newRow("forecast") << int(Page::LabIndex) << "labForecast" << "pageTitle";
    }
    void controlAndPlus_workOnEveryPage()
    {
        QFETCH(int, page);
        QFETCH(QString, click);
        QFETCH(QString, label);
        MainWindowFixture fixture;
        open(fixture, page);
        if (!click.isEmpty())
            fixture.click(qPrintable(click));
        const auto shown = [&] {
            for (const QLabel *each : fixture.window.findChildren<QLabel *>(label)) {
                if (each->isVisible())
                    return pixelsOf(*each);
            }
            return 0;
        };
        LATCHKEY_AWAIT(shown() > 0);
        const int usual = shown();
        press(fixture, Qt::Key_Plus, Qt::ControlModifier);
        LATCHKEY_AWAIT(shown() > usual);
        test::checkWindow(fixture.window);
        press(fixture, Qt::Key_0, Qt::ControlModifier);
        LATCHKEY_AWAIT(shown() == usual);
        press(fixture, Qt::Key_Minus, Qt::ControlModifier);
        LATCHKEY_AWAIT(shown() < usual);
    }

    /// Larger text never leads to a page that is wider or higher than the window.
    void text_growsAsFarAsTheWindowAllows()
    {
        MainWindowFixture fixture;
        open(fixture, Page::InspectorIndex);
        for (int i = 0; i < 12; ++i)
            press(fixture, Qt::Key_Plus, Qt::ControlModifier);
        QVERIFY(fixture.appearance.textScale() > 1);
        test::checkOverlaps(fixture.window);
        QCOMPARE(fixture.window.size(), QSize(1280, 720));
    }

    void preset_isOneClickWithoutScrolling_data()
    {
        QTest::addColumn<QString>("id");
        for (const char *id : {"two-clients", "watchdog", "redlock", "paused-holder"})
            QTest::newRow(id) << QString::fromLatin1(id);
    }
    void preset_isOneClickWithoutScrolling()
    {
        QFETCH(QString, id);
        MainWindowFixture fixture;
        open(fixture, Page::PlaygroundIndex);
        LATCHKEY_AWAIT(fixture.window.findChild<QPushButton *>(QStringLiteral("start-") + id) != nullptr);
        fixture.click(qPrintable(QStringLiteral("start-") + id));
        const auto cards = [&] { return fixture.window.findChildren<ui::playground::ClientCard *>(); };
        LATCHKEY_AWAIT(cards().size() == 2);
        LATCHKEY_AWAIT(std::ranges::any_of(
            cards(), [](const auto *card) { return card->client().state() == ClientProcess::State::Holding; }));
        LATCHKEY_AWAIT(cards()[0]->y() == cards()[1]->y() && cards()[0]->height() == cards()[1]->height());
        const auto *page = fixture.window.findChild<ui::playground::PlaygroundPage *>();
        const auto *scroll = page->findChild<QScrollArea *>(QStringLiteral("pageScroll"));
        LATCHKEY_AWAIT(!scroll->verticalScrollBar()->isVisible());
        test::checkOverlaps(fixture.window);
    }
};

LATCHKEY_WINDOW_TEST(TestPresenting)

} // namespace tst_presenting

#include "tst_presenting.moc"
