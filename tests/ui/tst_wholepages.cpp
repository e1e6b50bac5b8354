#include "tests/support/testprogram.h"
#include "tests/ui/wholewidgets.h"
#include "tests/ui/windowwords.h"

#include <QListWidget>
#include <QScrollArea>
#include <QScrollBar>
#include <QTest>
#include <QToolButton>

namespace tst_wholepages {

using namespace latchkey;
using test::TestServer;
using test::WindowBench;
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
    static void open(WindowBench &bench)
    {
        QFETCH(const QSize, size);
        QFETCH(const bool, isChinese);
        bench.languageSwitcher.choose(isChinese ? Choice::Chinese : Choice::English);
        bench.window.resize(size);
        QVERIFY(QTest::qWaitForWindowExposed(&bench.window));
        QCOMPARE(bench.window.size(), size);
    }
    static void turn(const WindowBench &bench, const char *page)
    {
        QTest::mouseClick(&bench.widget<QToolButton>(page), Qt::LeftButton);
        QCoreApplication::processEvents();
    }
    static void check(const WindowBench &bench, const QString &what)
    {
        test::checkWindow(bench.window);
        if (!QTest::currentTestFailed())
            test::checkOverlaps(bench.window);
        if (QTest::currentTestFailed())
            qWarning("%s", qPrintable(what));
    }

private Q_SLOTS:
    void inspector_isWhole_data() { addSizes(); }
    void inspector_isWhole()
    {
        TestServer server;
        QVERIFY(server({"SET", "lock:import", "7f0c1d2e-3b4a-4c5d-8e6f-000000000001", "PX", "600000"}).isOk());
        QVERIFY(server({"SET", "mutex:search-index", "1"}).isOk());
        WindowBench bench;
        open(bench);
        check(bench, QStringLiteral("no server"));
        openServer(bench, server.endpoint());
        LATCHKEY_AWAIT(bench.rows() == 2);
        check(bench, QStringLiteral("keys"));
    }

    void playground_isWhole_data() { addSizes(); }
    void playground_isWhole()
    {
        WindowBench bench;
        open(bench);
        turn(bench, "playgroundButton");
        LATCHKEY_AWAIT(bench.button("addClient").isEnabled());
        const auto *page = bench.window.findChild<ui::playground::PlaygroundPage *>();
        LATCHKEY_AWAIT(
            std::ranges::any_of(page->findChildren<QPushButton *>(QStringLiteral("emptyAction")), &QWidget::isVisible));
        check(bench, QStringLiteral("no clients"));
    }

    void stories_areWhole_data() { addSizes(); }
    void stories_areWhole()
    {
        WindowBench bench;
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

    void lab_isWhole_data() { addSizes(); }
    void lab_isWhole()
    {
        WindowBench bench;
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
