#include "tests/support/testprogram.h"
#include "tests/ui/cards.h"
#include "tests/ui/wholewidgets.h"
#include "tests/ui/windowwords.h"

#include <QComboBox>
#include <QHeaderView>
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
    static void open(MainWindowFixture &bench)
    {
        QFETCH(const QSize, size);
        QFETCH(const bool, isChinese);
        bench.languageSwitcher.choose(isChinese ? Choice::Chinese : Choice::English);
        bench.window.resize(size);
        QVERIFY(QTest::qWaitForWindowExposed(&bench.window));
        QCOMPARE(bench.window.size(), size);
    }
    static void turn(const MainWindowFixture &bench, const char *page)
    {
        QTest::mouseClick(&bench.widget<QToolButton>(page), Qt::LeftButton);
        QCoreApplication::processEvents();
    }
    static void check(const MainWindowFixture &bench, const QString &what)
    {
        test::checkWindow(bench.window);
        if (!QTest::currentTestFailed())
            test::checkOverlaps(bench.window);
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
        MainWindowFixture bench;
        open(bench);
        check(bench, QStringLiteral("no server"));
        openServer(bench, server.endpoint());
        LATCHKEY_AWAIT(bench.rows() == 2);
        check(bench, QStringLiteral("keys"));
    }

    void playground_isWhole_data() { addSizes(); }
    void playground_isWhole()
    {
        MainWindowFixture bench;
        open(bench);
        turn(bench, "playgroundButton");
        LATCHKEY_AWAIT(bench.button("addClient").isEnabled());
        const auto *page = bench.window.findChild<ui::playground::PlaygroundPage *>();
        LATCHKEY_AWAIT(
            std::ranges::any_of(page->findChildren<QPushButton *>(QStringLiteral("emptyAction")), &QWidget::isVisible));
        check(bench, QStringLiteral("no clients"));
        for (int client = 0; client < 5; ++client)
            bench.click("addClient");
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
        MainWindowFixture bench;
        open(bench);
        turn(bench, "storiesButton");
        auto &stories = bench.widget<QListWidget>("stories");
        QVERIFY(stories.count() > 0);
        for (int story = 0; story < stories.count() && !QTest::currentTestFailed(); ++story) {
            stories.setCurrentRow(story);
            QCoreApplication::processEvents();
            check(bench, stories.item(story)->text());
            const auto *lanes = bench.window.findChild<ui::stories::StoriesPage *>()->findChild<QScrollArea *>(
                QStringLiteral("pageScroll"));
            QVERIFY2(!lanes->horizontalScrollBar()->isVisible() && !lanes->verticalScrollBar()->isVisible(),
                     qPrintable(stories.item(story)->text()));
        }
        if (QTest::currentTestFailed())
            return;
        bench.click("exploreProgram");
        QCoreApplication::processEvents();
        check(bench, QStringLiteral("race finder for a program"));
    }

    void cells_areUnderTheirHeaders()
    {
        MainWindowFixture bench;
        bench.window.resize(1280, 720);
        QVERIFY(QTest::qWaitForWindowExposed(&bench.window));
        turn(bench, "labButton");
        checkAlignment(bench.widget<QTreeView>("labRecipes"));
        if (QTest::currentTestFailed())
            return;
        turn(bench, "storiesButton");
        auto &stories = bench.widget<QListWidget>("stories");
        for (int row = 0; bench.button("findRace").menu() == nullptr && row < stories.count(); ++row)
            stories.setCurrentRow(row);
        bench.button("findRace").menu()->actions().front()->trigger();
        LATCHKEY_AWAIT(bench.widget<QComboBox>("raceFaults").isEnabled());
        checkAlignment(bench.widget<QTreeView>("raceAnswers"));
    }

    /// The indented cell takes a click where its check box is painted.
    void checkBox_isWhereItIsPainted()
    {
        MainWindowFixture bench;
        bench.window.resize(1280, 720);
        QVERIFY(QTest::qWaitForWindowExposed(&bench.window));
        turn(bench, "labButton");
        auto &recipes = bench.widget<QTreeView>("labRecipes");
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
        MainWindowFixture bench;
        open(bench);
        turn(bench, "labButton");
        for (const char *part : {"labExperiment", "labExpectations", "labForecast"}) {
            bench.click(part);
            QCoreApplication::processEvents();
            check(bench, QLatin1String(part));
        }
    }
};

LATCHKEY_WINDOW_TEST(TestWholePages)

} // namespace tst_wholepages

#include "tst_wholepages.moc"
