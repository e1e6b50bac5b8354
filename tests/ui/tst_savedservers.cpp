#include "tests/support/testprogram.h"
#include "tests/ui/windowwords.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QScopeGuard>
#include <QSpinBox>
#include <QTreeWidget>

#include <csignal>

namespace tst_savedservers {

using namespace latchkey;
using latchkey::connections::Environment;
using latchkey::connections::SavedConnection;
using test::MainWindowFixture;
using test::openServer;
using test::TestServer;

/// Tests of saved connections in the real window.
class TestSavedServers final : public QObject
{
    Q_OBJECT

    std::unique_ptr<TestServer> server;

    static QDialog *openSwitcher(MainWindowFixture &fixture)
    {
        if (!QTest::qWaitForWindowActive(&fixture.window))
            return nullptr;
        QTest::keyClick(&fixture.window, Qt::Key_K, Qt::ControlModifier);
        return fixture.dialog<QDialog>("serverSwitcher");
    }
    /// Returns the texts in a column of the list, without hidden servers.
    static QStringList listed(const MainWindowFixture &fixture, int column)
    {
        QStringList texts;
        for (QTreeWidgetItemIterator item(&fixture.widget<QTreeWidget>("serverList"),
                                          QTreeWidgetItemIterator::NotHidden);
             *item != nullptr; ++item) {
            if ((*item)->parent() != nullptr)
                texts += (*item)->text(column);
        }
        return texts;
    }
    void keep(MainWindowFixture &fixture, const QString &name, const net::Endpoint &endpoint,
              Environment environment = Environment::Unspecified) const
    {
        QVERIFY(fixture.workspace.servers().put({name, endpoint, environment}));
    }

private Q_SLOTS:
    void init() { server = std::make_unique<TestServer>(); }
    void cleanup() { server.reset(); }

    void newServer_isTriedKeptAndOpened()
    {
        QVERIFY((*server)({"CONFIG", "SET", "requirepass", "s3cret"}).isOk());
        MainWindowFixture fixture;
        QVERIFY(openSwitcher(fixture) != nullptr);
        QVERIFY(listed(fixture, 0).isEmpty());
        fixture.click("serverNew");
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("serverDialog"));
        fixture.widget<QLineEdit>("keptName").setText(QStringLiteral("mine"));
        auto &place = fixture.widget<QLineEdit>("serverPlace");
        auto &result = fixture.widget<QLabel>("serverResult");
        place.setText(QStringLiteral("redis-cli -a wrong -s ") + server->endpoint().path);
        fixture.click("serverTest");
        LATCHKEY_AWAIT(result.property("tone").toString() == u"critical");
        QVERIFY2(result.text().contains(QStringLiteral("password")), qPrintable(result.text()));
        place.setText(QStringLiteral("redis-cli -a s3cret -s ") + server->endpoint().path);
        QVERIFY(result.text().isEmpty());
        fixture.click("serverTest");
        LATCHKEY_AWAIT(result.property("tone").toString() == u"good");
        QVERIFY2(result.text().contains(QStringLiteral(" answers within ")), qPrintable(result.text()));
        fixture.widget<QComboBox>("serverEnvironment").setCurrentIndex(static_cast<int>(Environment::Staging));
        fixture.click("serverSave");
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("serverDialog") == nullptr);
        QCOMPARE(listed(fixture, 0), QStringList {QStringLiteral("mine")});
        QCOMPARE(listed(fixture, 1), QStringList {QStringLiteral("staging")});
        QFile file(fixture.settings.serversFile());
        QVERIFY(file.open(QIODevice::ReadOnly) && !file.readAll().contains("s3cret"));

        QTest::keyClick(&fixture.widget<QLineEdit>("serverFilter"), Qt::Key_Return);
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("serverSwitcher") == nullptr);
        QCOMPARE(fixture.workspace.inspected()->endpoint().path, server->endpoint().path);
        QCOMPARE(fixture.button("serverKept").text(), QStringLiteral("mine"));
    }

    void urlAndFields_followEachOther()
    {
        MainWindowFixture fixture;
        QVERIFY(openSwitcher(fixture) != nullptr);
        fixture.click("serverNew");
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("serverDialog"));
        auto &url = fixture.widget<QLineEdit>("serverPlace");
        const auto field = [&](const char *name) -> QLineEdit & { return fixture.widget<QLineEdit>(name); };
        url.setText(QStringLiteral("rediss://ann:s3cret@db.example:7000/4?ssh=bo@bastion:2222&sni=db"));
        QCOMPARE(fixture.widget<QComboBox>("serverTransport").currentIndex(), 0);
        QCOMPARE(field("serverHost").text(), QStringLiteral("db.example"));
        QCOMPARE(fixture.widget<QSpinBox>("serverPort").value(), 7000);
        QCOMPARE(fixture.widget<QSpinBox>("serverDatabase").value(), 4);
        QCOMPARE(field("serverUser").text(), QStringLiteral("ann"));
        QCOMPARE(field("serverPassword").text(), QStringLiteral("s3cret"));
        QCOMPARE(field("serverSsh").text(), QStringLiteral("bo@bastion:2222"));
        QVERIFY(fixture.widget<QCheckBox>("serverTls").isChecked());

        // The part without a field stays, and the password leaves the line.
        fixture.widget<QSpinBox>("serverDatabase").setValue(5);
        QCOMPARE(net::Endpoint::fromUrl(url.text())->database, 5);
        QCOMPARE(net::Endpoint::fromUrl(url.text())->tls->serverName, QStringLiteral("db"));
        QVERIFY2(!url.text().contains(QStringLiteral("s3cret")), qPrintable(url.text()));
        QCOMPARE(field("serverPassword").text(), QStringLiteral("s3cret"));
        field("serverSsh").clear();
        field("serverProxy").setText(QStringLiteral("socks5://gate:1080"));
        QCOMPARE(net::Endpoint::fromUrl(url.text())->proxy->host, QStringLiteral("gate"));
        fixture.widget<QCheckBox>("serverTls").setChecked(false);
        QVERIFY2(url.text().startsWith(QStringLiteral("redis://")), qPrintable(url.text()));

        // An invalid field is reported, and nothing is saved.
        field("keptName").setText(QStringLiteral("mine"));
        QVERIFY(fixture.button("serverSave").isEnabled());
        field("serverProxy").setText(QStringLiteral("gate"));
        QVERIFY(!fixture.button("serverSave").isEnabled());
        field("serverProxy").clear();
        QVERIFY(fixture.button("serverSave").isEnabled());
        field("serverMap").setText(QStringLiteral("10.0.0.1:7000"));
        QVERIFY(!fixture.button("serverSave").isEnabled());
        field("serverMap").setText(QStringLiteral("10.0.0.1:7000=localhost:17000"));
        QVERIFY2(url.text().endsWith(QStringLiteral("?map=10.0.0.1:7000=localhost:17000")), qPrintable(url.text()));
        QVERIFY(fixture.button("serverSave").isEnabled());
        url.setText(QStringLiteral("redis://db.example?map=a=b"));
        QCOMPARE(field("serverMap").text(), QStringLiteral("a=b"));
        field("serverMap").clear();
        QVERIFY2(!url.text().contains(QStringLiteral("map")), qPrintable(url.text()));

        fixture.widget<QComboBox>("serverTransport").setCurrentIndex(1);
        QVERIFY(!fixture.button("serverSave").isEnabled());
        field("serverSocket").setText(QStringLiteral("/run/my redis.sock"));
        QCOMPARE(net::Endpoint::fromUrl(url.text())->path, QStringLiteral("/run/my redis.sock"));
        QVERIFY(!field("serverHost").isVisible() && field("serverSocket").isVisible());
    }

    /// A line with a password shows it only until the user leaves it.
    void passwordInTheUrl_leavesTheLine()
    {
        MainWindowFixture fixture;
        QVERIFY(openSwitcher(fixture) != nullptr);
        fixture.click("serverNew");
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("serverDialog"));
        auto &url = fixture.widget<QLineEdit>("serverPlace");
        url.setText(QStringLiteral("redis-cli -h db.example -a s3cret"));
        Q_EMIT url.editingFinished(); // The user leaves the line.
        QVERIFY2(url.text().startsWith(QStringLiteral("redis://db.example")), qPrintable(url.text()));
        QVERIFY2(!url.text().contains(QStringLiteral("s3cret")), qPrintable(url.text()));
        QCOMPARE(fixture.widget<QLineEdit>("serverPassword").text(), QStringLiteral("s3cret"));
    }

    void test_reportsRolePermissionsAndEvents()
    {
        QVERIFY((*server)({"ACL", "SETUSER", "eye", "on", "nopass", "~*", "&*", "+@read", "+@connection", "+info",
                           "+client", "-scan", "+acl|whoami", "+acl|dryrun"})
                    .isOk());
        MainWindowFixture fixture;
        QVERIFY(openSwitcher(fixture) != nullptr);
        fixture.click("serverNew");
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("serverDialog"));
        auto &result = fixture.widget<QLabel>("serverResult");
        fixture.widget<QLineEdit>("serverPlace").setText(server->url());
        fixture.click("serverTest");
        LATCHKEY_AWAIT(result.property("tone").toString() == u"good");
        QVERIFY2(result.text().contains(QStringLiteral("Role: master without replicas.")), qPrintable(result.text()));
        QVERIFY2(result.text().contains(QStringLiteral("DEL and PEXPIRE are permitted.")), qPrintable(result.text()));
        QVERIFY2(result.text().contains(QStringLiteral("Events: client tracking.")), qPrintable(result.text()));
        fixture.widget<QLineEdit>("serverUser").setText(QStringLiteral("eye"));
        fixture.widget<QLineEdit>("serverPassword").setText(QStringLiteral("any"));
        fixture.click("serverTest");
        LATCHKEY_AWAIT(result.property("tone").toString() == u"warning");
        QVERIFY2(result.text().contains(QStringLiteral("Refused: SCAN.")), qPrintable(result.text()));
        QVERIFY2(result.text().contains(QStringLiteral("DEL or PEXPIRE is refused.")), qPrintable(result.text()));
        QVERIFY2(result.text().contains(QStringLiteral("Possible: watching, but incomplete.")),
                 qPrintable(result.text()));
    }

    void savedServer_isSelectedAndOpenedWithReturn()
    {
        MainWindowFixture fixture;
        keep(fixture, QStringLiteral("alpha"), net::Endpoint::local());
        QVERIFY(openSwitcher(fixture) != nullptr);
        QTest::keyClicks(&fixture.widget<QLineEdit>("serverFilter"), QStringLiteral("alp"));
        fixture.click("serverNew");
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("serverDialog"));
        fixture.widget<QLineEdit>("serverPlace").setText(server->url());
        fixture.widget<QLineEdit>("keptName").setText(QStringLiteral("zeta"));
        QTest::keyClick(&fixture.widget<QLineEdit>("keptName"), Qt::Key_Return);
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("serverDialog") == nullptr);
        QCOMPARE(fixture.widget<QTreeWidget>("serverList").currentItem()->text(0), QStringLiteral("zeta"));
        QVERIFY(fixture.dialog<QDialog>("serverSwitcher")->focusWidget() == &fixture.widget<QLineEdit>("serverFilter"));
        QTest::keyClick(&fixture.widget<QLineEdit>("serverFilter"), Qt::Key_Return);
        LATCHKEY_AWAIT(fixture.workspace.inspected() != nullptr);
        QCOMPARE(fixture.workspace.inspected()->endpoint().path, server->endpoint().path);
    }

    void placeThatLeadsNowhere_isReportedAtOnce()
    {
        MainWindowFixture fixture;
        QVERIFY(openSwitcher(fixture) != nullptr);
        fixture.click("serverNew");
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("serverDialog"));
        fixture.widget<QLineEdit>("keptName").setText(QStringLiteral("mine"));
        QVERIFY(fixture.button("serverSave").isEnabled());
        fixture.widget<QLineEdit>("serverPlace").setText(QStringLiteral("redis-cli --tls --insecure"));
        QVERIFY(!fixture.button("serverSave").isEnabled() && !fixture.button("serverTest").isEnabled());
    }

    /// A production server is armed by typing its name, and looks different.
    void production_isArmedByItsName()
    {
        MainWindowFixture fixture;
        keep(fixture, QStringLiteral("orders"), server->endpoint(), Environment::Production);
        openServer(fixture, server->endpoint());
        auto &bar = fixture.widget<QFrame>("connectionBar");
        QCOMPARE(bar.property("tone").toString(), QStringLiteral("production"));
        QVERIFY2(!fixture.workspace.inspected()->watcher().hasFastFirstScan(), "its first scan has a limit");
        fixture.click("armWrites");
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("armDialog"));
        QVERIFY(!fixture.button("armConfirm").isEnabled());
        QTest::keyClicks(&fixture.widget<QLineEdit>("armName"), QStringLiteral("order"));
        QVERIFY(!fixture.button("armConfirm").isEnabled());
        QTest::keyClicks(&fixture.widget<QLineEdit>("armName"), QStringLiteral("s"));
        fixture.click("armConfirm");
        LATCHKEY_AWAIT(fixture.workspace.inspected()->isArmed());
        QCOMPARE(bar.property("tone").toString(), QStringLiteral("armed"));
        QVERIFY(fixture.button("armWrites").text().startsWith(QStringLiteral("Production armed: ")));
        fixture.click("armWrites");
        QCOMPARE(bar.property("tone").toString(), QStringLiteral("production"));
        // Another server is armed and displayed as usual.
        keep(fixture, QStringLiteral("other"), net::Endpoint::local());
        QVERIFY(fixture.workspace.servers().remove(QStringLiteral("orders")));
        QCOMPARE(bar.property("tone").toString(), QString());
        fixture.click("armWrites");
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("armDialog"));
        QVERIFY(fixture.button("armConfirm").isEnabled());
    }

    /// When another server is opened, the first stays watched with its password, and is disarmed.
    void serverThatIsLeft_isStillWatched()
    {
        QVERIFY((*server)({"CONFIG", "SET", "requirepass", "s3cret"}).isOk());
        const TestServer second;
        MainWindowFixture fixture;
        keep(fixture, QStringLiteral("first"), server->endpoint());
        keep(fixture, QStringLiteral("second"), second.endpoint());
        net::Endpoint withPassword = server->endpoint();
        withPassword.password = QStringLiteral("s3cret");
        openServer(fixture, withPassword);
        fixture.workspace.inspected()->setArmed(true);
        openServer(fixture, second.endpoint());
        auto *first = fixture.workspace.watched(server->endpoint());
        QVERIFY(first != nullptr && first != fixture.workspace.inspected());
        QVERIFY(!first->isArmed());
        QVERIFY(openSwitcher(fixture) != nullptr);
        LATCHKEY_AWAIT(
            listed(fixture, 2)
            == QStringList({QStringLiteral("connected, no findings"), QStringLiteral("connected, no findings")}));
        QTest::keyClicks(&fixture.widget<QLineEdit>("serverFilter"), QStringLiteral("fir"));
        QCOMPARE(listed(fixture, 0), QStringList {QStringLiteral("first")});
        QTest::keyClick(&fixture.widget<QLineEdit>("serverFilter"), Qt::Key_Return);
        LATCHKEY_AWAIT(fixture.workspace.inspected() == first);
        QCOMPARE(first->session().state(), net::Session::State::Ready);
        QVERIFY(fixture.workspace.watched(second.endpoint()) != nullptr);
        // A removed connection is no longer watched.
        QVERIFY(fixture.workspace.servers().remove(QStringLiteral("second")));
        QVERIFY(fixture.workspace.watched(second.endpoint()) == nullptr);
    }

    void silentServer_isNotListedAsConnected()
    {
        MainWindowFixture fixture;
        keep(fixture, QStringLiteral("one"), server->endpoint());
        openServer(fixture, server->endpoint());
        QVERIFY(openSwitcher(fixture) != nullptr);
        LATCHKEY_AWAIT(listed(fixture, 2) == QStringList {QStringLiteral("connected, no findings")});
        const auto pid = static_cast<pid_t>(server->process().processId());
        ::kill(pid, SIGSTOP);
        const auto resume = qScopeGuard([pid] { ::kill(pid, SIGCONT); });
        LATCHKEY_AWAIT(listed(fixture, 2) == QStringList {QStringLiteral("does not answer")});
        QCOMPARE(fixture.workspace.inspected()->session().state(), net::Session::State::Ready);
    }

    void removal_takesTwoClicks()
    {
        MainWindowFixture fixture;
        keep(fixture, QStringLiteral("one"), server->endpoint());
        QVERIFY(openSwitcher(fixture) != nullptr);
        QCOMPARE(listed(fixture, 0).size(), 1);
        fixture.click("serverRemove");
        QCOMPARE(listed(fixture, 0).size(), 1);
        fixture.click("serverRemove");
        QVERIFY(listed(fixture, 0).isEmpty());
    }

    void visitedOnes_canBeKept()
    {
        MainWindowFixture fixture;
        fixture.settings.rememberServer(server->url());
        QVERIFY(openSwitcher(fixture) != nullptr);
        QCOMPARE(listed(fixture, 2), QStringList {QStringLiteral("not watched")});
        QVERIFY(!fixture.button("serverRemove").isEnabled());
        fixture.click("serverEdit");
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("serverDialog"));
        fixture.widget<QLineEdit>("keptName").setText(QStringLiteral("kept"));
        fixture.click("serverSave");
        QCOMPARE(listed(fixture, 0), QStringList {QStringLiteral("kept")});
    }
};

LATCHKEY_WINDOW_TEST(TestSavedServers)

} // namespace tst_savedservers

#include "tst_savedservers.moc"
