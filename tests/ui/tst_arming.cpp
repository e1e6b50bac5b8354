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

    void keep(MainWindowFixture &fixture, Environment environment)
    {
        connections::SavedConnection saved {QStringLiteral("orders"), server->endpoint()};
        saved.environment = environment;
        QVERIFY(fixture.workspace.servers().put(saved));
    }
    /// Arms the server by the dialog, with the keyboard.
    static void arm(MainWindowFixture &fixture, const QString &name)
    {
        fixture.click("armWrites");
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("armDialog"));
        QTest::keyClicks(&fixture.widget<QLineEdit>("armName"), name);
        QTest::keyClick(&fixture.widget<QLineEdit>("armName"), Qt::Key_Return);
    }

private Q_SLOTS:
    void init() { server = std::make_unique<TestServer>(); }
    void cleanup() { server.reset(); }

    void lastMinute_isCountedThenWritingIsDisarmedWithAReason()
    {
        test::AdjustableClock clock;
        MainWindowFixture fixture(clock);
        keep(fixture, Environment::Production);
        openServer(fixture, server->endpoint());
        arm(fixture, QStringLiteral("orders"));
        auto &button = fixture.button("armWrites");
        LATCHKEY_AWAIT(fixture.workspace.inspected()->isArmed());
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("armDialog") == nullptr);
        QVERIFY2(button.text().contains(QStringLiteral("Production armed: ")), qPrintable(button.text()));
        QVERIFY2(button.text().contains(QStringLiteral("15 min")), qPrintable(button.text()));
        QCOMPARE(button.accessibleName(), QStringLiteral("Writes armed: production, disarmed within 15 minutes"));

        fixture.window.resize(960, 560); // There is room for the time left in every window.
        QCoreApplication::processEvents();
        QVERIFY2(button.text().contains(QStringLiteral("15 min")), qPrintable(button.text()));
        QVERIFY(button.width() >= button.minimumSizeHint().width());
        clock.putForward(14min + 10s);
        LATCHKEY_AWAIT(button.text().contains(QStringLiteral(" s")));
        QCoreApplication::processEvents();
        for (const char *name : {"armWrites", "commandsPerSecond", "pausePolling", "serverKept"})
            QVERIFY2(fixture.button(name).width() >= fixture.button(name).minimumSizeHint().width(), name);
        QCOMPARE(button.accessibleName(), QStringLiteral("Writes armed: production, disarmed within a minute"));
        clock.putForward(1min);
        LATCHKEY_AWAIT(!fixture.workspace.inspected()->isArmed());
        LATCHKEY_AWAIT(button.text() == u"Read-only: production");
        QCOMPARE(bannerText(fixture), QStringLiteral("Writing to orders was disarmed automatically after 15 min."));

        QCOMPARE(bannerAction(fixture)->text(), QStringLiteral("Arm again…"));
        QTest::mouseClick(bannerAction(fixture), Qt::LeftButton);
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("armDialog"));
        QTest::keyClicks(&fixture.widget<QLineEdit>("armName"), QStringLiteral("orders"));
        QTest::keyClick(&fixture.widget<QLineEdit>("armName"), Qt::Key_Return);
        LATCHKEY_AWAIT(fixture.workspace.inspected()->isArmed());
        QVERIFY(bannerText(fixture).isEmpty());
    }

    void chosenTime_isKeptForTheProgram()
    {
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        fixture.click("armWrites");
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("armDialog"));
        auto &time = fixture.widget<QComboBox>("armTime");
        QCOMPARE(time.currentText(), QStringLiteral("15 min"));
        QCOMPARE(time.count(), 3);
        time.setCurrentIndex(0);
        fixture.click("armConfirm");
        LATCHKEY_AWAIT(fixture.workspace.inspected()->isArmed());
        QVERIFY(fixture.workspace.inspected()->armedLeft() <= 5min);
        QCOMPARE(fixture.settings.armedTime(), 5min);
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("armDialog") == nullptr);
        fixture.click("armWrites");
        QVERIFY(!fixture.workspace.inspected()->isArmed());
        fixture.click("armWrites");
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("armDialog"));
        LATCHKEY_AWAIT(fixture.window.findChildren<QComboBox *>(QStringLiteral("armTime")).size() == 1);
        QCOMPARE(fixture.widget<QComboBox>("armTime").currentText(), QStringLiteral("5 min"));
    }

    /// Return arms only after the right name, and never closes the dialog after a wrong one.
    void wrongName_isReportedAndArmsNothing()
    {
        MainWindowFixture fixture;
        keep(fixture, Environment::Production);
        openServer(fixture, server->endpoint());
        arm(fixture, QStringLiteral("order"));
        QVERIFY(fixture.dialog<QDialog>("armDialog") != nullptr);
        QVERIFY(!fixture.workspace.inspected()->isArmed());
        QCOMPARE(fixture.widget<QLabel>("armNameHint").text(), QStringLiteral("This is not the name of the server."));
        QTest::keyClicks(&fixture.widget<QLineEdit>("armName"), QStringLiteral("s"));
        QVERIFY(fixture.widget<QLabel>("armNameHint").text().isEmpty());
        QTest::keyClick(&fixture.widget<QLineEdit>("armName"), Qt::Key_Return);
        LATCHKEY_AWAIT(fixture.workspace.inspected()->isArmed());
    }

    /// A habitual Return keeps a server read-only that needs no name.
    void returnWithoutAName_keepsReadOnly()
    {
        MainWindowFixture fixture;
        keep(fixture, Environment::Staging);
        openServer(fixture, server->endpoint());
        fixture.click("armWrites");
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("armDialog"));
        QTest::keyClick(fixture.dialog<QDialog>("armDialog"), Qt::Key_Return);
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("armDialog") == nullptr);
        QVERIFY(!fixture.workspace.inspected()->isArmed());
    }
};

LATCHKEY_WINDOW_TEST(TestArming)

} // namespace tst_arming

#include "tst_arming.moc"
