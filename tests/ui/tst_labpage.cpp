#include "tests/support/mainwindowfixture.h"
#include "tests/support/testprogram.h"

#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QToolButton>
#include <QTreeView>

namespace tst_labpage {

using namespace latchkey;
using test::MainWindowFixture;
using test::TestServer;
using ui::lab::ForecastView;
using ui::lab::HistogramView;

namespace {

/// The window with a server, on the page of the lab.
struct LabFixture
{
    LabFixture()
    {
        workspace.open(server.endpoint());
        QTest::mouseClick(&widget<QToolButton>("labButton"), Qt::LeftButton);
    }
    template<typename Widget>
    [[nodiscard]] Widget &widget(const char *name) const
    {
        return fixture.widget<Widget>(name);
    }
    [[nodiscard]] QPushButton &button(const char *name) const { return fixture.button(name); }
    void click(const char *name) const { fixture.click(name); }
    [[nodiscard]] QString text(const char *name) const { return widget<QLabel>(name).text(); }
    [[nodiscard]] QString cell(const char *list, int row, int column) const
    {
        return widget<QTreeView>(list).model()->index(row, column).data().toString();
    }
    /// Starts a run with these expectations.
    void evaluate(const QString &sentences) const
    {
        click("labExpectations");
        widget<QPlainTextEdit>("expectations").setPlainText(sentences);
        click("expectStart");
    }
    /// Saves with the menu entry that has this ending.
    void save(const QString &ending, const QString &path) const
    {
        for (QAction *action : button("expectSave").menu()->actions()) {
            if (action->text().contains(ending))
                action->trigger();
        }
        auto &dialog = widget<QFileDialog>("expectSaveDialog");
        dialog.selectFile(path);
        QMetaObject::invokeMethod(&dialog, "accept");
    }

    TestServer server;
    MainWindowFixture fixture;
    ui::shell::Workspace &workspace = fixture.workspace;
};

} // namespace

/// Tests of the page of the Expiry lab, in the real window.
class TestLabPage final : public QObject
{
    Q_OBJECT

    static QByteArray contentsOf(const QString &path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

private Q_SLOTS:
    void experiment_showsWhatIsLeftAndHowLateTheOthersAre()
    {
        LabFixture lab;
        QVERIFY(lab.text("labStatus").startsWith(QStringLiteral("A process writes keys")));
        lab.widget<QSpinBox>("labKeys").setValue(20);
        lab.widget<QLineEdit>("labShortest").setText(QStringLiteral("500ms"));
        lab.widget<QLineEdit>("labLongest").setText(QStringLiteral("1s"));
        lab.click("labStart");
        LATCHKEY_AWAIT(lab.button("labStart").text() == u"Cancel");
        QVERIFY(!lab.widget<QSpinBox>("labKeys").isEnabled());
        LATCHKEY_AWAIT(lab.text("labStatus").contains(QStringLiteral("keys were planned")));
        QCOMPARE(lab.button("labStart").text(), QStringLiteral("Run"));
        // set-then-expire is the first recipe; the killed writer leaves what the race finder predicts.
        QCOMPARE(lab.cell("labRecipes", 0, 0), QStringLiteral("set-then-expire"));
        QCOMPARE(lab.cell("labRecipes", 0, 1), QStringLiteral("10"));
        QCOMPARE(lab.cell("labRecipes", 0, 2), QStringLiteral("not claimed, BROKEN"));
        QCOMPARE(lab.cell("labRecipes", 1, 1), QStringLiteral("0"));
        QCOMPARE(lab.cell("labRecipes", 1, 3), QStringLiteral("claimed, holds"));
        QVERIFY(
            lab.widget<HistogramView>("labToReader").accessibleDescription().contains(QStringLiteral("half within ")));
        QVERIFY(
            lab.widget<HistogramView>("labToEvent").accessibleDescription().contains(QStringLiteral("half within ")));
        auto &list = lab.widget<QTreeView>("labRecipes");
        list.setCurrentIndex(list.model()->index(0, 0));
        QVERIFY2(lab.text("labLeft").startsWith(QStringLiteral("10 keys without an expiry: latchkey:lab:")),
                 qPrintable(lab.text("labLeft")));
        // The experiment has not changed the connected server.
        QVERIFY(lab.server({"DBSIZE"}).isInteger(0));
    }

    void experimentOnTheConnectedServer_needsItArmedAndLeavesNothing()
    {
        LabFixture lab;
        LATCHKEY_AWAIT(lab.workspace.inspected()->session().state() == net::Session::State::Ready);
        auto &choice = lab.widget<QComboBox>("labServer");
        const auto canBeChosen = [&] {
            return qobject_cast<QStandardItemModel *>(choice.model())->item(1)->isEnabled();
        };
        QVERIFY(!canBeChosen());
        lab.workspace.inspected()->setArmed(true);
        QVERIFY(canBeChosen());
        choice.setCurrentIndex(1);
        lab.widget<QLineEdit>("labLongest").setText(QStringLiteral("1h"));
        lab.click("labStart");
        LATCHKEY_AWAIT(lab.server({"DBSIZE"}).toInteger() > 0);
        // On a disarmed server, the experiment must stop writing.
        lab.workspace.inspected()->setArmed(false);
        LATCHKEY_AWAIT(lab.text("labStatus") == u"Cancelled.");
        QVERIFY(lab.server({"DBSIZE"}).isInteger(0));
        QCOMPARE(choice.currentIndex(), 0);
    }

    void impossiblePlan_isReported()
    {
        LabFixture lab;
        lab.widget<QLineEdit>("labLongest").setText(QStringLiteral("1s"));
        lab.click("labStart");
        QVERIFY2(lab.text("labStatus").contains(QStringLiteral("the second is shorter")),
                 qPrintable(lab.text("labStatus")));
        QCOMPARE(lab.button("labStart").text(), QStringLiteral("Run"));
        auto *model = qobject_cast<QStandardItemModel *>(lab.widget<QTreeView>("labRecipes").model());
        for (int row = 0; row < model->rowCount(); ++row)
            model->item(row)->setCheckState(Qt::Unchecked);
        lab.click("labStart");
        QCOMPARE(lab.text("labStatus"), QStringLiteral("A recipe is missing."));
    }

    void expectations_areJudgedLive()
    {
        LabFixture lab;
        LATCHKEY_AWAIT(lab.workspace.inspected()->session().state() == net::Session::State::Ready);
        QVERIFY(lab.server({"SET", "stays", "1"}).isOk());
        QVERIFY(lab.server({"SET", "goes", "1", "PX", "60000"}).isOk());
        lab.evaluate(QStringLiteral("goes gone between 0ms and 1h\nstays never without expiry\n"));
        // Failures are listed first.
        LATCHKEY_AWAIT(lab.cell("expectFindings", 0, 0) == u"fails");
        QCOMPARE(lab.cell("expectFindings", 0, 2), QStringLiteral("stays"));
        QCOMPARE(lab.cell("expectFindings", 1, 0), QStringLiteral("open"));
        QVERIFY(lab.server({"DEL", "goes"}).isInteger(1));
        LATCHKEY_AWAIT(lab.cell("expectFindings", 1, 0) == u"holds");
        QVERIFY(lab.cell("expectFindings", 1, 3).contains(QStringLiteral("after the first look")));
        QCOMPARE(lab.button("expectStart").text(), QStringLiteral("Stop"));
        lab.click("expectStart");
        LATCHKEY_AWAIT(lab.button("expectStart").text() == u"Check");
        QCOMPARE(lab.text("expectStatus"), QStringLiteral("1 holds, 1 fails, 0 unknown."));
    }

    void verdicts_areSaved()
    {
        LabFixture lab;
        LATCHKEY_AWAIT(lab.workspace.inspected()->session().state() == net::Session::State::Ready);
        QVERIFY(!lab.button("expectSave").isEnabled());
        lab.evaluate(QStringLiteral("a exists until 1h"));
        LATCHKEY_AWAIT(lab.button("expectSave").isEnabled());
        const QString csv = lab.fixture.folder.filePath(QStringLiteral("out.csv"));
        lab.save(QStringLiteral("CSV"), csv);
        LATCHKEY_AWAIT(contentsOf(csv).startsWith("expectation,key,outcome,"));
        QVERIFY2(lab.text("expectStatus").endsWith(QStringLiteral("Saved as %1.").arg(csv)),
                 qPrintable(lab.text("expectStatus")));
        const QString nowhere = lab.fixture.folder.filePath(QStringLiteral("no/such/folder.xml"));
        lab.save(QStringLiteral("JUnit"), nowhere);
        LATCHKEY_AWAIT(lab.text("expectStatus")
                           .endsWith(QStringLiteral("annot write %1: No such file or directory").arg(nowhere)));
    }

    void mistake_isReportedWithItsLine()
    {
        LabFixture lab;
        lab.evaluate(QStringLiteral("a exists until 5s\nb gone soon"));
        QVERIFY2(lab.text("expectStatus").startsWith(QStringLiteral("Line:2: at character 8: ")),
                 qPrintable(lab.text("expectStatus")));
        QCOMPARE(lab.button("expectStart").text(), QStringLiteral("Check"));
    }

    void otherServer_endsTheJudging()
    {
        LabFixture lab;
        LATCHKEY_AWAIT(lab.workspace.inspected()->session().state() == net::Session::State::Ready);
        lab.evaluate(QStringLiteral("a exists until 1h"));
        QCOMPARE(lab.button("expectStart").text(), QStringLiteral("Stop"));
        TestServer another;
        lab.workspace.open(another.endpoint());
        QCOMPARE(lab.button("expectStart").text(), QStringLiteral("Check"));
        QVERIFY(!lab.button("expectSave").isEnabled());
    }

    void forecast_countsWhatEnds()
    {
        LabFixture lab;
        lab.click("labForecast");
        auto &view = lab.widget<ForecastView>("forecast");
        QVERIFY(!view.isVisible());
        for (int i = 0; i < 5; ++i)
            QVERIFY(lab.server({"SET", "session:" + QByteArray::number(i), "1", "EX", "1800"}).isOk());
        QVERIFY(lab.server({"SET", "plain", "1"}).isOk());
        using rows::Forecast;
        LATCHKEY_AWAIT(view.isVisible() && view.forecast().all[Forecast::Hour] == 5);
        QCOMPARE(view.forecast().all[Forecast::Never], 1);
        QCOMPARE(view.forecast().groups.front().prefix, QByteArrayLiteral("session:"));
        QVERIFY(lab.server({"PEXPIRE", "session:0", "50000"}).isInteger(1));
        LATCHKEY_AWAIT(view.forecast().all[Forecast::Minute] == 1);
    }

    void window_isLeftWithTheKeyboard()
    {
        LabFixture lab;
        lab.fixture.window.activateWindow();
        LATCHKEY_AWAIT(lab.fixture.window.isActiveWindow());
        QTest::keyClick(&lab.fixture.window, Qt::Key_1, Qt::ControlModifier);
        LATCHKEY_AWAIT(lab.fixture.table().isVisible()); // A shortcut presses its button for a moment.
        QTest::keyClick(&lab.fixture.window, Qt::Key_4, Qt::ControlModifier);
        LATCHKEY_AWAIT(lab.button("labExperiment").isVisible());
        QVERIFY(lab.button("labExperiment").hasFocus());
    }
};

LATCHKEY_WINDOW_TEST(TestLabPage)

} // namespace tst_labpage

#include "tst_labpage.moc"
