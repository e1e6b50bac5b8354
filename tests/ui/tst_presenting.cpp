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

    static void open(MainWindowFixture &bench, int page)
    {
        bench.window.resize(1280, 720);
        bench.window.showPage(page);
        QVERIFY(QTest::qWaitForWindowActive(&bench.window));
    }
    static int pixelsOf(const QWidget &widget) { return QFontInfo(widget.font()).pixelSize(); }
    static void press(MainWindowFixture &bench, Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        QTest::keyClick(QApplication::focusWidget() == nullptr ? &bench.window : QApplication::focusWidget(), key,
                        modifiers);
    }
    /// Presents the current page. The screen of the tests is smaller than a usual one.
    static void present(MainWindowFixture &bench)
    {
        press(bench, Qt::Key_F11);
        bench.window.resize(1280, 720);
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
        MainWindowFixture bench;
        open(bench, page);
        const auto *rail = bench.window.findChild<ui::shell::NavigationRail *>();
        press(bench, Qt::Key_F11);
        LATCHKEY_AWAIT(bench.window.isFullScreen());
        QVERIFY(!rail->isVisible());
        LATCHKEY_AWAIT(bench.window.size() == bench.window.screen()->geometry().size());
        press(bench, Qt::Key_Escape);
        LATCHKEY_AWAIT(!bench.window.isFullScreen());
        QVERIFY(rail->isVisible());
        LATCHKEY_AWAIT(bench.window.size() == QSize(1280, 720));
        QCOMPARE(bench.widget<QStackedWidget>("pages").currentIndex(), page);
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
        MainWindowFixture bench;
        open(bench, page);
        press(bench, Qt::Key_F11);
        LATCHKEY_AWAIT(bench.window.isFullScreen());
        QVERIFY(bench.window.findChild<ui::shell::NavigationRail *>()->isVisible());
        QCOMPARE(bench.widget<QStackedWidget>("pages").currentIndex(), page);
        press(bench, Qt::Key_F11);
        LATCHKEY_AWAIT(!bench.window.isFullScreen());
    }

    /// A window that was full screen before stays full screen.
    void endOfAPresentation_keepsTheFormerState()
    {
        MainWindowFixture bench;
        open(bench, Page::InspectorIndex);
        press(bench, Qt::Key_F11);
        bench.window.showPage(Page::StoriesIndex);
        press(bench, Qt::Key_F11);
        LATCHKEY_AWAIT(!bench.window.findChild<ui::shell::NavigationRail *>()->isVisible());
        press(bench, Qt::Key_Escape);
        LATCHKEY_AWAIT(bench.window.findChild<ui::shell::NavigationRail *>()->isVisible());
        QVERIFY(bench.window.isFullScreen());
    }

    void changeOfThePage_endsThePresentation()
    {
        MainWindowFixture bench;
        open(bench, Page::StoriesIndex);
        press(bench, Qt::Key_F11);
        LATCHKEY_AWAIT(bench.window.isFullScreen());
        press(bench, Qt::Key_F, Qt::ControlModifier); // Filters the keys, on the page Inspector.
        LATCHKEY_AWAIT(!bench.window.isFullScreen());
        QVERIFY(bench.window.findChild<ui::shell::NavigationRail *>()->isVisible());
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
        MainWindowFixture bench;
        open(bench, Page::StoriesIndex);
        present(bench);
        const auto &rail = bench.widget<QToolButton>("storiesButton");
        QVERIFY(!rail.isVisible());
        press(bench, static_cast<Qt::Key>(key), Qt::ControlModifier);
        QVERIFY(rail.isVisible() && !bench.window.isFullScreen());
        const auto pageIs = [&](int wanted) {
            return bench.window.findChild<QStackedWidget *>()->currentIndex() == wanted;
        };
        QVERIFY(pageIs(page));
        press(bench, Qt::Key_2, Qt::ControlModifier); // The rail has its shortcuts again.
        LATCHKEY_AWAIT(pageIs(Page::PlaygroundIndex));
    }

    void nextRun_isNotFullScreen()
    {
        MainWindowFixture bench;
        open(bench, Page::InspectorIndex);
        press(bench, Qt::Key_F11);
        LATCHKEY_AWAIT(bench.window.isFullScreen());
        bench.window.close();
        ui::shell::MainWindow next(bench.workspace, bench.appearance, bench.languageSwitcher);
        QVERIFY(!next.isFullScreen());
    }

    void stories_arePresentedReadably()
    {
        MainWindowFixture bench;
        open(bench, Page::StoriesIndex);
        present(bench);
        LATCHKEY_AWAIT(!bench.widget<QListWidget>("stories").isVisible());
        QVERIFY(!bench.window.findChild<ui::shell::NavigationRail *>()->isVisible());
        QVERIFY(bench.button("storyPlay").isVisible() && bench.button("storyStep").isVisible());
        const auto sentences = bench.window.findChildren<QLabel *>(QStringLiteral("storySentence"));
        QCOMPARE(sentences.size(), 2);
        for (const QLabel *sentence : sentences)
            LATCHKEY_AWAIT(pixelsOf(*sentence) >= readable);
        for (const char *name : {"sectionTitle", "stepCount"})
            QVERIFY2(pixelsOf(*sentences.front()->parentWidget()->findChild<QLabel *>(QLatin1String(name))) >= readable,
                     name);
        QVERIFY(pixelsOf(bench.widget<QLabel>("storyQuestion")) >= readable);
        for (const auto *diagram : bench.window.findChildren<ui::diagram::DiagramView *>()) {
            if (diagram->isVisible())
                QVERIFY(QFontInfo(diagram->textFont()).pixelSize() >= readable);
        }
        test::checkOverlaps(bench.window);
        press(bench, Qt::Key_Escape);
        LATCHKEY_AWAIT(bench.widget<QListWidget>("stories").isVisible());
        LATCHKEY_AWAIT(pixelsOf(*sentences.front()) < readable);
    }

    void playground_isPresentedReadably()
    {
        MainWindowFixture bench;
        open(bench, Page::PlaygroundIndex);
        LATCHKEY_AWAIT(bench.button("addClient").isEnabled());
        present(bench);
        for (const char *name : {"sentence", "insideWho"})
            LATCHKEY_AWAIT(pixelsOf(bench.widget<QWidget>(name)) >= readable);
        QVERIFY(QFontInfo(bench.widget<ui::diagram::DiagramView>("diagram").textFont()).pixelSize() >= readable);
        press(bench, Qt::Key_Escape);
        LATCHKEY_AWAIT(bench.button("addClient").isVisible());
    }

    /// A class sees the crash of the holder without leaving the presentation.
    void presentedClients_haveTheirButtons()
    {
        MainWindowFixture bench;
        open(bench, Page::PlaygroundIndex);
        LATCHKEY_AWAIT(bench.window.findChild<QPushButton *>(QStringLiteral("start-two-clients")) != nullptr);
        bench.click("start-two-clients");
        playground::ClientPool &clients = bench.workspace.clientPool();
        LATCHKEY_AWAIT(clients.size() == 2 && clients.at(0).state() == ClientProcess::State::Holding);
        present(bench);
        const auto buttons = [&](const char *name) {
            QList<QPushButton *> shown = bench.window.findChildren<QPushButton *>(QLatin1String(name));
            shown.removeIf([](const QPushButton *button) { return !button->isVisible(); });
            return shown;
        };
        QCOMPARE(buttons("presented-crash").size(), 2);
        LATCHKEY_AWAIT(buttons("presented-acquire").isEmpty()); // The second client has its order too.
        test::checkOverlaps(bench.window);
        // The screen may be smaller than the one for which 28 pixels are promised.
        for (const char *name : {"presentedName", "sentence", "insideWho"})
            LATCHKEY_AWAIT(pixelsOf(bench.widget<QWidget>(name)) >= ui::widgets::presentedPixels(bench.window.size()));
        QTest::mouseClick(buttons("presented-crash").front(), Qt::LeftButton);
        LATCHKEY_AWAIT(clients.at(0).state() == ClientProcess::State::Dead);
        LATCHKEY_AWAIT(buttons("presented-restart").size() == 1 && buttons("presented-crash").size() == 1);
        LATCHKEY_AWAIT(clients.at(1).state() == ClientProcess::State::Holding); // When the lease is over.
    }

    /// The second preset shows its own explanation, and no lane of the first.
    void secondPreset_replacesTheFirst()
    {
        MainWindowFixture bench;
        open(bench, Page::PlaygroundIndex);
        LATCHKEY_AWAIT(bench.window.findChild<QPushButton *>(QStringLiteral("start-redlock")) != nullptr);
        bench.click("start-redlock");
        const auto &diagram = bench.widget<ui::diagram::DiagramView>("diagram");
        LATCHKEY_AWAIT(diagram.sequence()->lanes().size() == 7);
        bench.widget<QAction>("preset-watchdog").trigger();
        const playground::ClientPool &clients = bench.workspace.clientPool();
        LATCHKEY_AWAIT(clients.size() == 2 && clients.at(0).state() == ClientProcess::State::Holding);
        QCOMPARE(diagram.sequence()->lanes().size(), std::size_t(3));
        const auto labels = bench.window.findChild<ui::playground::PlaygroundPage *>()->findChildren<QLabel *>();
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
        MainWindowFixture bench;
        open(bench, page);
        if (!click.isEmpty())
            bench.click(qPrintable(click));
        const auto shown = [&] {
            for (const QLabel *each : bench.window.findChildren<QLabel *>(label)) {
                if (each->isVisible())
                    return pixelsOf(*each);
            }
            return 0;
        };
        LATCHKEY_AWAIT(shown() > 0);
        const int usual = shown();
        press(bench, Qt::Key_Plus, Qt::ControlModifier);
        LATCHKEY_AWAIT(shown() > usual);
        test::checkWindow(bench.window);
        press(bench, Qt::Key_0, Qt::ControlModifier);
        LATCHKEY_AWAIT(shown() == usual);
        press(bench, Qt::Key_Minus, Qt::ControlModifier);
        LATCHKEY_AWAIT(shown() < usual);
    }

    /// Larger text never leads to a page that is wider or higher than the window.
    void text_growsAsFarAsTheWindowAllows()
    {
        MainWindowFixture bench;
        open(bench, Page::InspectorIndex);
        for (int i = 0; i < 12; ++i)
            press(bench, Qt::Key_Plus, Qt::ControlModifier);
        QVERIFY(bench.appearance.textScale() > 1);
        test::checkOverlaps(bench.window);
        QCOMPARE(bench.window.size(), QSize(1280, 720));
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
        MainWindowFixture bench;
        open(bench, Page::PlaygroundIndex);
        LATCHKEY_AWAIT(bench.window.findChild<QPushButton *>(QStringLiteral("start-") + id) != nullptr);
        bench.click(qPrintable(QStringLiteral("start-") + id));
        const auto cards = [&] { return bench.window.findChildren<ui::playground::ClientCard *>(); };
        LATCHKEY_AWAIT(cards().size() == 2);
        LATCHKEY_AWAIT(std::ranges::any_of(
            cards(), [](const auto *card) { return card->client().state() == ClientProcess::State::Holding; }));
        LATCHKEY_AWAIT(cards()[0]->y() == cards()[1]->y() && cards()[0]->height() == cards()[1]->height());
        const auto *page = bench.window.findChild<ui::playground::PlaygroundPage *>();
        const auto *scroll = page->findChild<QScrollArea *>(QStringLiteral("pageScroll"));
        LATCHKEY_AWAIT(!scroll->verticalScrollBar()->isVisible());
        test::checkOverlaps(bench.window);
    }
};

LATCHKEY_WINDOW_TEST(TestPresenting)

} // namespace tst_presenting

#include "tst_presenting.moc"
