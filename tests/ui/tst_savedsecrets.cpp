#include "core/redis/connections/keychain.h"
#include "tests/support/keychainsetup.h"
#include "tests/support/testprogram.h"
#include "tests/ui/windowwords.h"

#include <QCheckBox>
#include <QDialog>
#include <QFile>
#include <QLabel>
#include <QLineEdit>

#include <csignal>

namespace tst_savedsecrets {

using namespace latchkey;
using connections::Secrets;
using test::KeychainSetup;
using test::MainWindowFixture;
using test::TestServer;

/// Tests of passwords that the window saves in a real keychain and uses to open servers.
class TestSavedSecrets final : public QObject
{
    Q_OBJECT

    std::unique_ptr<TestServer> server;

    static void openSwitcher(MainWindowFixture &fixture)
    {
        fixture.window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&fixture.window));
        QTest::keyClick(&fixture.window, Qt::Key_K, Qt::ControlModifier);
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("serverSwitcher"));
    }
    static void openDialog(MainWindowFixture &fixture, const char *button)
    {
        fixture.click(button);
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("serverDialog"));
    }
    static void save(MainWindowFixture &fixture)
    {
        fixture.click("serverSave");
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("serverDialog") == nullptr);
    }
    /// Saves the test's server like a user.
    void keepMine(MainWindowFixture &fixture, const QString &password) const
    {
        openSwitcher(fixture);
        openDialog(fixture, "serverNew");
        fixture.widget<QLineEdit>("keptName").setText(QStringLiteral("mine"));
        fixture.widget<QLineEdit>("serverPlace").setText(server->url());
        fixture.widget<QLineEdit>("serverPassword").setText(password);
        auto &keep = fixture.widget<QCheckBox>("serverKeepPassword");
        QVERIFY(keep.isEnabled() && !keep.isChecked()); // Passwords are saved only on request.
        keep.click();
        save(fixture);
    }
    [[nodiscard]] static base::Result<Secrets> inKeychain(const char *name)
    {
        std::optional<base::Result<Secrets>> found;
        QObject context;
        connections::readKeychain(QString::fromUtf8(name), context, [&](const auto &read) { found = read; });
        if (!test::waitFor([&] { return found.has_value(); }))
            qFatal("the keychain has not answered");
        return *found;
    }
    [[nodiscard]] static bool isReady(MainWindowFixture &fixture)
    {
        auto *inspected = fixture.workspace.inspected();
        return inspected != nullptr && inspected->session().state() == net::Session::State::Ready;
    }

public:
    static void initMain() { test::rerunInKeychainSetup(); }

private Q_SLOTS:
    void initTestCase()
    {
        if (!connections::isKeychainBuiltIn())
            QSKIP("built without QtKeychain");
        if (!KeychainSetup::obstacleHere().isEmpty())
            QSKIP(qPrintable(KeychainSetup::obstacleHere()));
    }
    void init()
    {
        server = std::make_unique<TestServer>();
        QVERIFY((*server)({"CONFIG", "SET", "requirepass", "s3cret"}).isOk());
    }
    void cleanup() { server.reset(); }

    void password_isSavedIfTheUserConfirms()
    {
        MainWindowFixture fixture;
        keepMine(fixture, QStringLiteral("s3cret"));
        QVERIFY(inKeychain("mine") == Secrets({QStringLiteral("s3cret"), {}}));
        QFile file(fixture.settings.serversFile());
        QVERIFY(file.open(QIODevice::ReadOnly) && !file.readAll().contains("s3cret"));

        // The saved password opens the server, also in another window.
        QTest::keyClick(&fixture.widget<QLineEdit>("serverFilter"), Qt::Key_Return);
        LATCHKEY_AWAIT(isReady(fixture));
        QVERIFY(!fixture.window.windowTitle().contains(QStringLiteral("s3cret")));
        LATCHKEY_AWAIT(!fixture.settings.lastServer().isEmpty());
        ui::shell::Workspace next(fixture.settings, QStringLiteral(LATCHKEY_CLI), base::SystemClock::instance(),
                                  base::SystemRandom::instance());
        next.openUsual();
        LATCHKEY_AWAIT(next.inspected() && next.inspected()->session().state() == net::Session::State::Ready);
        QCOMPARE(next.inspected()->endpoint().path, server->endpoint().path);
    }

    void change_testsWithTheKeptPasswordAndForgetsIt()
    {
        MainWindowFixture fixture;
        keepMine(fixture, QStringLiteral("s3cret"));
        openDialog(fixture, "serverEdit");
        QVERIFY(fixture.widget<QLineEdit>("serverPassword").text().isEmpty());
        QVERIFY(fixture.widget<QCheckBox>("serverKeepPassword").isChecked());
        auto &result = fixture.widget<QLabel>("serverResult");
        fixture.click("serverTest");
        LATCHKEY_AWAIT(result.property("tone").toString() == u"good");
        // Renaming keeps the password.
        fixture.widget<QLineEdit>("keptName").setText(QStringLiteral("yours"));
        save(fixture);
        QVERIFY(!inKeychain("mine"));
        QVERIFY(inKeychain("yours") == Secrets({QStringLiteral("s3cret"), {}}));
        // Without the check mark, the password is removed.
        openDialog(fixture, "serverEdit");
        fixture.widget<QCheckBox>("serverKeepPassword").click();
        save(fixture);
        QVERIFY(!inKeychain("yours"));
        QVERIFY(!fixture.workspace.servers().find(QStringLiteral("yours"))->hasSecrets);
    }

    void removal_takesThePasswordOutOfTheKeychain()
    {
        MainWindowFixture fixture;
        keepMine(fixture, QStringLiteral("s3cret"));
        fixture.click("serverRemove");
        QVERIFY(inKeychain("mine"));
        fixture.click("serverRemove");
        LATCHKEY_AWAIT(!inKeychain("mine"));
        QVERIFY(fixture.workspace.servers().servers().empty());
    }

    void proxysPassword_hasAFieldWhereThereIsAProxy()
    {
        MainWindowFixture fixture;
        openSwitcher(fixture);
        openDialog(fixture, "serverNew");
        auto &place = fixture.widget<QLineEdit>("serverPlace");
        const auto &proxy = fixture.widget<QLineEdit>("serverProxyPassword");
        place.setText(QStringLiteral("redis://db"));
        QVERIFY(!proxy.isVisible());
        place.setText(QStringLiteral("redis://db?proxy=socks5://me@127.0.0.1:1"));
        QVERIFY(proxy.isVisible());
    }

    /// A slow keychain, as while it asks its user, blocks nothing, and the server can be opened without it.
    void slowKeychain_isNotWaitedFor()
    {
        MainWindowFixture fixture;
        keepMine(fixture, QStringLiteral("s3cret"));
        QVERIFY(::kill(KeychainSetup::daemonHere(), SIGSTOP) == 0);
        QTest::keyClick(&fixture.widget<QLineEdit>("serverFilter"), Qt::Key_Return);
        LATCHKEY_AWAIT(test::bannerText(fixture).contains(QStringLiteral("with the password of \"mine\"")));
        QVERIFY(fixture.workspace.inspected() == nullptr);
        QCOMPARE(test::bannerAction(fixture)->text(), QStringLiteral("Continue without"));
        QTest::mouseClick(test::bannerAction(fixture), Qt::LeftButton);
        LATCHKEY_AWAIT(fixture.workspace.inspected() != nullptr);
        LATCHKEY_AWAIT(test::bannerText(fixture).contains(QStringLiteral("password")) && !isReady(fixture));
        // Its late reply has no effect.
        const auto *inspected = fixture.workspace.inspected();
        QVERIFY(::kill(KeychainSetup::daemonHere(), SIGCONT) == 0);
        QVERIFY(inKeychain("mine"));
        QVERIFY(fixture.workspace.inspected() == inspected);
        QVERIFY(!isReady(fixture));
    }

    // In the following tests, the keychain is locked.

    void lockedKeychain_isReportedAndThePasswordCanBeTyped()
    {
        MainWindowFixture fixture;
        keepMine(fixture, QStringLiteral("s3cret"));
        QVERIFY(KeychainSetup::lockHere());
        QTest::keyClick(&fixture.widget<QLineEdit>("serverFilter"), Qt::Key_Return);
        LATCHKEY_AWAIT(
            test::bannerText(fixture).contains(QStringLiteral("the keychain is locked; unlock it and try again")));
        LATCHKEY_AWAIT(fixture.workspace.inspected() != nullptr);
        net::Endpoint typed = server->endpoint();
        typed.password = QStringLiteral("s3cret");
        fixture.workspace.open(typed);
        LATCHKEY_AWAIT(isReady(fixture));

        // A failed save is reported in the dialog, and the server can be saved without the password.
        openSwitcher(fixture);
        openDialog(fixture, "serverNew");
        fixture.widget<QLineEdit>("keptName").setText(QStringLiteral("another"));
        fixture.widget<QLineEdit>("serverPlace").setText(QStringLiteral("redis://another"));
        fixture.widget<QLineEdit>("serverPassword").setText(QStringLiteral("n3w"));
        fixture.widget<QCheckBox>("serverKeepPassword").click();
        fixture.click("serverSave");
        const auto &result = fixture.widget<QLabel>("serverResult");
        LATCHKEY_AWAIT(result.property("tone").toString() == u"critical");
        QVERIFY2(result.text().startsWith(QStringLiteral("Keeping the password of \"another\" in the keychain")),
                 qPrintable(result.text()));
        QVERIFY(fixture.workspace.servers().find(QStringLiteral("another")) == nullptr);
        fixture.widget<QCheckBox>("serverKeepPassword").click();
        save(fixture);
        QVERIFY(fixture.workspace.servers().find(QStringLiteral("another")) != nullptr);
    }
};

LATCHKEY_WINDOW_TEST(TestSavedSecrets)

} // namespace tst_savedsecrets

#include "tst_savedsecrets.moc"
