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

    static void openSwitcher(MainWindowFixture &bench)
    {
        bench.window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&bench.window));
        QTest::keyClick(&bench.window, Qt::Key_K, Qt::ControlModifier);
        LATCHKEY_AWAIT(bench.dialog<QDialog>("serverSwitcher"));
    }
    static void openDialog(MainWindowFixture &bench, const char *button)
    {
        bench.click(button);
        LATCHKEY_AWAIT(bench.dialog<QDialog>("serverDialog"));
    }
    static void save(MainWindowFixture &bench)
    {
        bench.click("serverSave");
        LATCHKEY_AWAIT(bench.dialog<QDialog>("serverDialog") == nullptr);
    }
    /// Saves the test's server like a user.
    void keepMine(MainWindowFixture &bench, const QString &password) const
    {
        openSwitcher(bench);
        openDialog(bench, "serverNew");
        bench.widget<QLineEdit>("keptName").setText(QStringLiteral("mine"));
        bench.widget<QLineEdit>("serverPlace").setText(server->url());
        bench.widget<QLineEdit>("serverPassword").setText(password);
        auto &keep = bench.widget<QCheckBox>("serverKeepPassword");
        QVERIFY(keep.isEnabled() && !keep.isChecked()); // Passwords are saved only on request.
        keep.click();
        save(bench);
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
    [[nodiscard]] static bool isReady(MainWindowFixture &bench)
    {
        auto *inspected = bench.workspace.inspected();
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
        MainWindowFixture bench;
        keepMine(bench, QStringLiteral("s3cret"));
        QVERIFY(inKeychain("mine") == Secrets({QStringLiteral("s3cret"), {}}));
        QFile file(bench.settings.serversFile());
        QVERIFY(file.open(QIODevice::ReadOnly) && !file.readAll().contains("s3cret"));

        // The saved password opens the server, also in another window.
        QTest::keyClick(&bench.widget<QLineEdit>("serverFilter"), Qt::Key_Return);
        LATCHKEY_AWAIT(isReady(bench));
        QVERIFY(!bench.window.windowTitle().contains(QStringLiteral("s3cret")));
        LATCHKEY_AWAIT(!bench.settings.lastServer().isEmpty());
        ui::shell::Workspace next(bench.settings, QStringLiteral(LATCHKEY_CLI), base::SystemClock::instance(),
                                  base::SystemRandom::instance());
        next.openUsual();
        LATCHKEY_AWAIT(next.inspected() && next.inspected()->session().state() == net::Session::State::Ready);
        QCOMPARE(next.inspected()->endpoint().path, server->endpoint().path);
    }

    void change_testsWithTheKeptPasswordAndForgetsIt()
    {
        MainWindowFixture bench;
        keepMine(bench, QStringLiteral("s3cret"));
        openDialog(bench, "serverEdit");
        QVERIFY(bench.widget<QLineEdit>("serverPassword").text().isEmpty());
        QVERIFY(bench.widget<QCheckBox>("serverKeepPassword").isChecked());
        auto &result = bench.widget<QLabel>("serverResult");
        bench.click("serverTest");
        LATCHKEY_AWAIT(result.property("tone").toString() == u"good");
        // Renaming keeps the password.
        bench.widget<QLineEdit>("keptName").setText(QStringLiteral("yours"));
        save(bench);
        QVERIFY(!inKeychain("mine"));
        QVERIFY(inKeychain("yours") == Secrets({QStringLiteral("s3cret"), {}}));
        // Without the check mark, the password is removed.
        openDialog(bench, "serverEdit");
        bench.widget<QCheckBox>("serverKeepPassword").click();
        save(bench);
        QVERIFY(!inKeychain("yours"));
        QVERIFY(!bench.workspace.servers().find(QStringLiteral("yours"))->hasSecrets);
    }

    void removal_takesThePasswordOutOfTheKeychain()
    {
        MainWindowFixture bench;
        keepMine(bench, QStringLiteral("s3cret"));
        bench.click("serverRemove");
        QVERIFY(inKeychain("mine"));
        bench.click("serverRemove");
        LATCHKEY_AWAIT(!inKeychain("mine"));
        QVERIFY(bench.workspace.servers().servers().empty());
    }

    void proxysPassword_hasAFieldWhereThereIsAProxy()
    {
        MainWindowFixture bench;
        openSwitcher(bench);
        openDialog(bench, "serverNew");
        auto &place = bench.widget<QLineEdit>("serverPlace");
        const auto &proxy = bench.widget<QLineEdit>("serverProxyPassword");
        place.setText(QStringLiteral("redis://db"));
        QVERIFY(!proxy.isVisible());
        place.setText(QStringLiteral("redis://db?proxy=socks5://me@127.0.0.1:1"));
        QVERIFY(proxy.isVisible());
    }

    /// A slow keychain, as while it asks its user, blocks nothing, and the server can be opened without it.
    void slowKeychain_isNotWaitedFor()
    {
        MainWindowFixture bench;
        keepMine(bench, QStringLiteral("s3cret"));
        QVERIFY(::kill(KeychainSetup::daemonHere(), SIGSTOP) == 0);
        QTest::keyClick(&bench.widget<QLineEdit>("serverFilter"), Qt::Key_Return);
        LATCHKEY_AWAIT(test::bannerText(bench).contains(QStringLiteral("with the password of \"mine\"")));
        QVERIFY(bench.workspace.inspected() == nullptr);
        QCOMPARE(test::bannerAction(bench)->text(), QStringLiteral("Continue without"));
        QTest::mouseClick(test::bannerAction(bench), Qt::LeftButton);
        LATCHKEY_AWAIT(bench.workspace.inspected() != nullptr);
        LATCHKEY_AWAIT(test::bannerText(bench).contains(QStringLiteral("password")) && !isReady(bench));
        // Its late reply has no effect.
        const auto *inspected = bench.workspace.inspected();
        QVERIFY(::kill(KeychainSetup::daemonHere(), SIGCONT) == 0);
        QVERIFY(inKeychain("mine"));
        QVERIFY(bench.workspace.inspected() == inspected);
        QVERIFY(!isReady(bench));
    }

    // In the following tests, the keychain is locked.

    void lockedKeychain_isReportedAndThePasswordCanBeTyped()
    {
        MainWindowFixture bench;
        keepMine(bench, QStringLiteral("s3cret"));
        QVERIFY(KeychainSetup::lockHere());
        QTest::keyClick(&bench.widget<QLineEdit>("serverFilter"), Qt::Key_Return);
        LATCHKEY_AWAIT(
            test::bannerText(bench).contains(QStringLiteral("the keychain is locked; unlock it and try again")));
        LATCHKEY_AWAIT(bench.workspace.inspected() != nullptr);
        net::Endpoint typed = server->endpoint();
        typed.password = QStringLiteral("s3cret");
        bench.workspace.open(typed);
        LATCHKEY_AWAIT(isReady(bench));

        // A failed save is reported in the dialog, and the server can be saved without the password.
        openSwitcher(bench);
        openDialog(bench, "serverNew");
        bench.widget<QLineEdit>("keptName").setText(QStringLiteral("another"));
        bench.widget<QLineEdit>("serverPlace").setText(QStringLiteral("redis://another"));
        bench.widget<QLineEdit>("serverPassword").setText(QStringLiteral("n3w"));
        bench.widget<QCheckBox>("serverKeepPassword").click();
        bench.click("serverSave");
        const auto &result = bench.widget<QLabel>("serverResult");
        LATCHKEY_AWAIT(result.property("tone").toString() == u"critical");
        QVERIFY2(result.text().startsWith(QStringLiteral("Keeping the password of \"another\" in the keychain")),
                 qPrintable(result.text()));
        QVERIFY(bench.workspace.servers().find(QStringLiteral("another")) == nullptr);
        bench.widget<QCheckBox>("serverKeepPassword").click();
        save(bench);
        QVERIFY(bench.workspace.servers().find(QStringLiteral("another")) != nullptr);
    }
};

LATCHKEY_WINDOW_TEST(TestSavedSecrets)

} // namespace tst_savedsecrets

#include "tst_savedsecrets.moc"
