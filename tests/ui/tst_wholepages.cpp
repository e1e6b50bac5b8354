#include "tests/support/testprogram.h"
#include "tests/ui/cards.h"
#include "tests/ui/wholewidgets.h"
#include "tests/ui/windowwords.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QScrollArea>
#include <QScrollBar>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

namespace tst_wholepages {

using namespace latchkey;
using test::MainWindowFixture;
using test::TestServer;
using Choice = ui::i18n::LanguageSwitcher::Choice;

/// Tests that every page fits the window at its smallest and at a usual size, in both languages: no text is cut, no
/// control is outside its parent and none covers another one.
class TestWholePages final : public QObject
{
    Q_OBJECT

    static void addSizes()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<bool>("isChinese");
        for (const QSize size : {QSize(960, 560), QSize(1280, 720)}) {
            for (const bool isChinese : {false, true})
                QTest::addRow("%d x %d %s", size.width(), size.height(), isChinese ? "zh_CN" : "en")
                    << size << isChinese;
        }
    }
    /// Prepares the window of a row.
    static void open(MainWindowFixture &fixture)
    {
        QFETCH(const QSize, size);
        QFETCH(const bool, isChinese);
        fixture.languageSwitcher.choose(isChinese ? Choice::Chinese : Choice::English);
        fixture.window.resize(size);
        QVERIFY(QTest::qWaitForWindowExposed(&fixture.window));
        QCOMPARE(fixture.window.size(), size);
    }
    static void turn(const MainWindowFixture &fixture, const char *page)
    {
        QTest::mouseClick(&fixture.widget<QToolButton>(page), Qt::LeftButton);
        QCoreApplication::processEvents();
    }
    static void check(const MainWindowFixture &fixture, const QString &what)
    {
        test::checkWindow(fixture.window);
        if (!QTest::currentTestFailed())
            test::checkOverlaps(fixture.window);
        if (QTest::currentTestFailed())
            qWarning("%s", qPrintable(what));
    }

    /// Returns the position of the first column of pixels with another colour than the background.
    static int inkIn(const QImage &image)
    {
        const int middle = image.height() / 2;
        const auto isInk = [&image](int x, int y) {
            return std::abs(qGray(image.pixel(x, y)) - qGray(image.pixel(0, y))) > 40;
        };
        for (int x = 0; x < image.width(); ++x) {
            for (int y = middle - 6; y < middle + 6; ++y) {
                if (isInk(x, y))
                    return x;
            }
        }
        return -1;
    }
    static void checkAlignment(const QTreeView &list)
    {
        const QModelIndex index = list.model()->index(1, 0); // The first row may be selected.
        const QHeaderView &header = *list.header();
        const QRect title(header.sectionViewportPosition(0), 0, header.sectionSize(0), header.height());
        const int titleInk = inkIn(list.header()->viewport()->grab(title).toImage());
        const int cellInk = inkIn(list.viewport()->grab(list.visualRect(index)).toImage());
        QVERIFY(titleInk > 0 && cellInk > 0);
        QVERIFY2(std::abs(titleInk - cellInk) <= 3,
                 qPrintable(QStringLiteral("%1: %2, not %3").arg(list.objectName()).arg(cellInk).arg(titleInk)));
    }

private Q_SLOTS:
    void inspector_isWhole_data() { addSizes(); }
    void inspector_isWhole()
    {
        TestServer server;
        QVERIFY(server({"SET", "lock:import", "7f0c1d2e-3b4a-4c5d-8e6f-000000000001", "PX", "600000"}).isOk());
        QVERIFY(server({"SET", "mutex:search-index", "1"}).isOk());
        MainWindowFixture fixture;
        open(fixture);
        check(fixture, QStringLiteral("no server"));
        openServer(fixture, server.endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 2);
        check(fixture, QStringLiteral("keys"));
    }

    /// On a screen of 1280 x 800 pixels with a scale of 200 %, the window is smaller than its pages.
    void windowOf640x400_scrolls()
    {
        TestServer server;
        QVERIFY(server({"SET", "mutex:search-index", "1"}).isOk());
        MainWindowFixture fixture;
        fixture.window.setMinimumSize(640, 400);
        fixture.window.resize(640, 400);
        QVERIFY(QTest::qWaitForWindowExposed(&fixture.window));
        openServer(fixture, server.endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 1);
        const auto &content = fixture.widget<QScrollArea>("content");
        LATCHKEY_AWAIT(content.viewport()->width() <= 640 && content.widget()->width() > 640);
        for (const char *page : {"inspectorButton", "storiesButton", "labButton"}) {
            turn(fixture, page);
            test::checkWindow(*content.widget());
            test::checkOverlaps(*content.widget());
        }
        QVERIFY(content.horizontalScrollBar()->isVisible() && content.verticalScrollBar()->isVisible());
        // The keyboard reaches a field at the far side: its cursor scrolls into view.
        turn(fixture, "inspectorButton");
        fixture.window.activateWindow();
        auto &filter = fixture.widget<QLineEdit>("filter");
        const auto isInView = [&] {
            return content.viewport()->rect().contains(
                filter.mapTo(content.viewport(), QPoint(0, filter.height() / 2)));
        };
        QVERIFY(!isInView());
        for (int tabs = 0; tabs < 40 && !filter.hasFocus(); ++tabs)
            QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : &fixture.window, Qt::Key_Tab);
        QVERIFY(filter.hasFocus());
        QVERIFY(isInView());
    }

    void playground_isWhole_data() { addSizes(); }
    void playground_isWhole()
    {
        MainWindowFixture fixture;
        open(fixture);
        turn(fixture, "playgroundButton");
        LATCHKEY_AWAIT(fixture.button("addClient").isEnabled());
        const auto *page = fixture.window.findChild<ui::playground::PlaygroundPage *>();
        LATCHKEY_AWAIT(
            std::ranges::any_of(page->findChildren<QPushButton *>(QStringLiteral("emptyAction")), &QWidget::isVisible));
        check(fixture, QStringLiteral("no clients"));
        for (int client = 0; client < 5; ++client)
            fixture.click("addClient");
        const auto cards = page->findChildren<ui::playground::ClientCard *>();
        QCOMPARE(cards.size(), 5);
        LATCHKEY_AWAIT(std::ranges::all_of(cards, [](const ui::playground::ClientCard *card) {
            return card->client().state() == playground::ClientProcess::State::Idle;
        }));
        const auto *area = page->findChild<QScrollArea *>(QStringLiteral("pageScroll"));
        const auto isWhole = [area] { return area->widget()->minimumSizeHint().width() <= area->viewport()->width(); };
        LATCHKEY_AWAIT(isWhole());
        // The texts of a card become longer in another state.
        auto *acquire = cards.front()->findChild<QPushButton *>(QStringLiteral("acquire"));
        const int before = area->widget()->minimumSizeHint().width();
        acquire->setText(acquire->text() + QString(14, u'm'));
        LATCHKEY_AWAIT(area->widget()->minimumSizeHint().width() > before);
        LATCHKEY_AWAIT(isWhole());
    }

    void stories_areWhole_data() { addSizes(); }
    void stories_areWhole()
    {
        MainWindowFixture fixture;
        open(fixture);
        turn(fixture, "storiesButton");
        auto &stories = fixture.widget<QListWidget>("stories");
        QVERIFY(stories.count() > 0);
        for (int story = 0; story < stories.count() && !QTest::currentTestFailed(); ++story) {
            stories.setCurrentRow(story);
            QCoreApplication::processEvents();
            check(fixture, stories.item(story)->text());
            const auto *lanes = fixture.window.findChild<ui::stories::StoriesPage *>()->findChild<QScrollArea *>(
                QStringLiteral("pageScroll"));
            QVERIFY2(!lanes->horizontalScrollBar()->isVisible() && !lanes->verticalScrollBar()->isVisible(),
                     qPrintable(stories.item(story)->text()));
        }
        if (QTest::currentTestFailed())
            return;
        fixture.click("exploreProgram");
        QCoreApplication::processEvents();
        check(fixture, QStringLiteral("race finder for a program"));
    }

    void cells_areUnderTheirHeaders()
    {
        MainWindowFixture fixture;
        fixture.window.resize(1280, 720);
        QVERIFY(QTest::qWaitForWindowExposed(&fixture.window));
        turn(fixture, "labButton");
        checkAlignment(fixture.widget<QTreeView>("labRecipes"));
        if (QTest::currentTestFailed())
            return;
        turn(fixture, "storiesButton");
        auto &stories = fixture.widget<QListWidget>("stories");
        for (int row = 0; fixture.button("findRace").menu() == nullptr && row < stories.count(); ++row)
            stories.setCurrentRow(row);
        fixture.button("findRace").menu()->actions().front()->trigger();
        LATCHKEY_AWAIT(fixture.widget<QComboBox>("raceFaults").isEnabled());
        checkAlignment(fixture.widget<QTreeView>("raceAnswers"));
    }

    /// The indented cell takes a click where its check box is painted.
    void checkBox_isWhereItIsPainted()
    {
        MainWindowFixture fixture;
        fixture.window.resize(1280, 720);
        QVERIFY(QTest::qWaitForWindowExposed(&fixture.window));
        turn(fixture, "labButton");
        auto &recipes = fixture.widget<QTreeView>("labRecipes");
        const QModelIndex last = recipes.model()->index(recipes.model()->rowCount() - 1, 0);
        QCOMPARE(last.data(Qt::CheckStateRole).toInt(), int(Qt::Checked));
        const QRect cell = recipes.visualRect(last);
        const int box = inkIn(recipes.viewport()->grab(cell).toImage());
        QTest::mouseClick(recipes.viewport(), Qt::LeftButton, {}, {cell.left() + box + 14, cell.center().y()});
        QCOMPARE(last.data(Qt::CheckStateRole).toInt(), int(Qt::Unchecked));
    }

    void lab_isWhole_data() { addSizes(); }
    void lab_isWhole()
    {
        MainWindowFixture fixture;
        open(fixture);
        turn(fixture, "labButton");
        for (const char *part : {"labExperiment", "labExpectations", "labForecast"}) {
            fixture.click(part);
            QCoreApplication::processEvents();
            check(fixture, QLatin1String(part));
        }
    }
};

LATCHKEY_WINDOW_TEST(TestWholePages)

} // namespace tst_wholepages

#include "tst_wholepages.moc"
