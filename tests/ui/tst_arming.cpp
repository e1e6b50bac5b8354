#include "tests/support/adjustableclock.h"
#include "tests/support/testprogram.h"
#include "tests/ui/windowwords.h"

#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QTest>

namespace tst_arming {

using namespace latchkey;
using namespace std::chrono_literals;
using connections::Environment;
using test::bannerAction;
using test::bannerText;
using test::MainWindowFixture;
using test::openServer;
using test::TestServer;

/// Tests of arming in the window: the time limit with its countdown and its reason, and the name of a production
/// server.
class TestArming final : public QObject
{
    Q_OBJECT

    std::unique_ptr<TestServer> server;

    void keep(MainWindowFixture &bench, Environment environment)
    {
        connections::SavedConnection kept {QStringLiteral("orders"), server->endpoint()};
        kept.environment = environment;
        QVERIFY(bench.workspace.servers().put(kept));
    }
    /// Arms the server by the dialog, with the keyboard.
    static void arm(MainWindowFixture &bench, const QString &name)
    {
        bench.click("armWrites");
        LATCHKEY_AWAIT(bench.dialog<QDialog>("armDialog"));
        QTest::keyClicks(&bench.widget<QLineEdit>("armName"), name);
        QTest::keyClick(&bench.widget<QLineEdit>("armName"), Qt::Key_Return);
    }

private Q_SLOTS:
    void init() { server = std::make_unique<TestServer>(); }
    void cleanup() { server.reset(); }

    void lastMinute_isCountedThenWritingIsDisarmedWithAReason()
    {
        test::AdjustableClock clock;
        MainWindowFixture bench(clock);
        keep(bench, Environment::Production);
        openServer(bench, server->endpoint());
        arm(bench, QStringLiteral("orders"));
        auto &button = bench.button("armWrites");
        LATCHKEY_AWAIT(bench.workspace.inspected()->isArmed());
        LATCHKEY_AWAIT(bench.dialog<QDialog>("armDialog") == nullptr);
        QVERIFY2(button.text().contains(QStringLiteral("Production armed: ")), qPrintable(button.text()));
        QVERIFY2(button.text().contains(QStringLiteral("15 min")), qPrintable(button.text()));
        QCOMPARE(button.accessibleName(), QStringLiteral("Writes armed: production, disarmed within 15 minutes"));

        bench.window.resize(960, 560); // There is room for the time left in every window.
        QCoreApplication::processEvents();
        QVERIFY2(button.text().contains(QStringLiteral("15 min")), qPrintable(button.text()));
        QVERIFY(button.width() >= button.minimumSizeHint().width());
        clock.putForward(14min + 10s);
        LATCHKEY_AWAIT(button.text().contains(QStringLiteral(" s")));
        QCoreApplication::processEvents();
        for (const char *name : {"armWrites", "commandsPerSecond", "pausePolling", "serverKept"})
            QVERIFY2(bench.button(name).width() >= bench.button(name).minimumSizeHint().width(), name);
        QCOMPARE(button.accessibleName(), QStringLiteral("Writes armed: production, disarmed within a minute"));
        clock.putForward(1min);
        LATCHKEY_AWAIT(!bench.workspace.inspected()->isArmed());
        LATCHKEY_AWAIT(button.text() == u"Read-only: production");
        QCOMPARE(bannerText(bench), QStringLiteral("Writing to orders was disarmed automatically after 15 min."));

        QCOMPARE(bannerAction(bench)->text(), QStringLiteral("Arm again…"));
        QTest::mouseClick(bannerAction(bench), Qt::LeftButton);
        LATCHKEY_AWAIT(bench.dialog<QDialog>("armDialog"));
        QTest::keyClicks(&bench.widget<QLineEdit>("armName"), QStringLiteral("orders"));
        QTest::keyClick(&bench.widget<QLineEdit>("armName"), Qt::Key_Return);
        LATCHKEY_AWAIT(bench.workspace.inspected()->isArmed());
        QVERIFY(bannerText(bench).isEmpty());
    }

    void chosenTime_isKeptForTheProgram()
    {
        MainWindowFixture bench;
        openServer(bench, server->endpoint());
        bench.click("armWrites");
        LATCHKEY_AWAIT(bench.dialog<QDialog>("armDialog"));
        auto &time = bench.widget<QComboBox>("armTime");
        QCOMPARE(time.currentText(), QStringLiteral("15 min"));
        QCOMPARE(time.count(), 3);
        time.setCurrentIndex(0);
        bench.click("armConfirm");
        LATCHKEY_AWAIT(bench.workspace.inspected()->isArmed());
        QVERIFY(bench.workspace.inspected()->armedLeft() <= 5min);
        QCOMPARE(bench.settings.armedTime(), 5min);
        LATCHKEY_AWAIT(bench.dialog<QDialog>("armDialog") == nullptr);
        bench.click("armWrites");
        QVERIFY(!bench.workspace.inspected()->isArmed());
        bench.click("armWrites");
        LATCHKEY_AWAIT(bench.dialog<QDialog>("armDialog"));
        LATCHKEY_AWAIT(bench.window.findChildren<QComboBox *>(QStringLiteral("armTime")).size() == 1);
        QCOMPARE(bench.widget<QComboBox>("armTime").currentText(), QStringLiteral("5 min"));
    }

    /// Return arms only after the right name, and never closes the dialog after a wrong one.
    void wrongName_isReportedAndArmsNothing()
    {
        MainWindowFixture bench;
        keep(bench, Environment::Production);
        openServer(bench, server->endpoint());
        arm(bench, QStringLiteral("order"));
        QVERIFY(bench.dialog<QDialog>("armDialog") != nullptr);
        QVERIFY(!bench.workspace.inspected()->isArmed());
        QCOMPARE(bench.widget<QLabel>("armNameHint").text(), QStringLiteral("This is not the name of the server."));
        QTest::keyClicks(&bench.widget<QLineEdit>("armName"), QStringLiteral("s"));
        QVERIFY(bench.widget<QLabel>("armNameHint").text().isEmpty());
        QTest::keyClick(&bench.widget<QLineEdit>("armName"), Qt::Key_Return);
        LATCHKEY_AWAIT(bench.workspace.inspected()->isArmed());
    }

    /// A habitual Return keeps a server read-only that needs no name.
    void returnWithoutAName_keepsReadOnly()
    {
        MainWindowFixture bench;
        keep(bench, Environment::Staging);
        openServer(bench, server->endpoint());
        bench.click("armWrites");
        LATCHKEY_AWAIT(bench.dialog<QDialog>("armDialog"));
        QTest::keyClick(bench.dialog<QDialog>("armDialog"), Qt::Key_Return);
        LATCHKEY_AWAIT(bench.dialog<QDialog>("armDialog") == nullptr);
        QVERIFY(!bench.workspace.inspected()->isArmed());
    }
};

LATCHKEY_WINDOW_TEST(TestArming)

} // namespace tst_arming

#include "tst_arming.moc"
