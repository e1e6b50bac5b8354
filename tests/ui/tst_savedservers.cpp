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

    static QDialog *openSwitcher(MainWindowFixture &bench)
    {
        if (!QTest::qWaitForWindowActive(&bench.window))
            return nullptr;
        QTest::keyClick(&bench.window, Qt::Key_K, Qt::ControlModifier);
        return bench.dialog<QDialog>("serverSwitcher");
    }
    /// Returns the texts in a column of the list, without hidden servers.
    static QStringList listed(const MainWindowFixture &bench, int column)
    {
        QStringList texts;
        for (QTreeWidgetItemIterator item(&bench.widget<QTreeWidget>("serverList"), QTreeWidgetItemIterator::NotHidden);
             *item != nullptr; ++item) {
            if ((*item)->parent() != nullptr)
                texts += (*item)->text(column);
        }
        return texts;
    }
    void keep(MainWindowFixture &bench, const QString &name, const net::Endpoint &endpoint,
              Environment environment = Environment::Unspecified) const
    {
        QVERIFY(bench.workspace.servers().put({name, endpoint, environment}));
    }

private Q_SLOTS:
    void init() { server = std::make_unique<TestServer>(); }
    void cleanup() { server.reset(); }

    void newServer_isTriedKeptAndOpened()
    {
        QVERIFY((*server)({"CONFIG", "SET", "requirepass", "s3cret"}).isOk());
        MainWindowFixture bench;
        QVERIFY(openSwitcher(bench) != nullptr);
        QVERIFY(listed(bench, 0).isEmpty());
        bench.click("serverNew");
        LATCHKEY_AWAIT(bench.dialog<QDialog>("serverDialog"));
        bench.widget<QLineEdit>("keptName").setText(QStringLiteral("mine"));
        auto &place = bench.widget<QLineEdit>("serverPlace");
        auto &result = bench.widget<QLabel>("serverResult");
        place.setText(QStringLiteral("redis-cli -a wrong -s ") + server->endpoint().path);
        bench.click("serverTest");
        LATCHKEY_AWAIT(result.property("tone").toString() == u"critical");
        QVERIFY2(result.text().contains(QStringLiteral("password")), qPrintable(result.text()));
        place.setText(QStringLiteral("redis-cli -a s3cret -s ") + server->endpoint().path);
        QVERIFY(result.text().isEmpty());
        bench.click("serverTest");
        LATCHKEY_AWAIT(result.property("tone").toString() == u"good");
        QVERIFY2(result.text().contains(QStringLiteral(" answers within ")), qPrintable(result.text()));
        bench.widget<QComboBox>("serverEnvironment").setCurrentIndex(static_cast<int>(Environment::Staging));
        bench.click("serverSave");
        LATCHKEY_AWAIT(bench.dialog<QDialog>("serverDialog") == nullptr);
        QCOMPARE(listed(bench, 0), QStringList {QStringLiteral("mine")});
        QCOMPARE(listed(bench, 1), QStringList {QStringLiteral("staging")});
        QFile file(bench.settings.serversFile());
        QVERIFY(file.open(QIODevice::ReadOnly) && !file.readAll().contains("s3cret"));

        QTest::keyClick(&bench.widget<QLineEdit>("serverFilter"), Qt::Key_Return);
        LATCHKEY_AWAIT(bench.dialog<QDialog>("serverSwitcher") == nullptr);
        QCOMPARE(bench.workspace.inspected()->endpoint().path, server->endpoint().path);
        QCOMPARE(bench.button("serverKept").text(), QStringLiteral("mine"));
    }

    void urlAndFields_followEachOther()
    {
        MainWindowFixture bench;
        QVERIFY(openSwitcher(bench) != nullptr);
        bench.click("serverNew");
        LATCHKEY_AWAIT(bench.dialog<QDialog>("serverDialog"));
        auto &url = bench.widget<QLineEdit>("serverPlace");
        const auto field = [&](const char *name) -> QLineEdit & { return bench.widget<QLineEdit>(name); };
        url.setText(QStringLiteral("rediss://ann:s3cret@db.example:7000/4?ssh=bo@bastion:2222&sni=db"));
        QCOMPARE(bench.widget<QComboBox>("serverTransport").currentIndex(), 0);
        QCOMPARE(field("serverHost").text(), QStringLiteral("db.example"));
        QCOMPARE(bench.widget<QSpinBox>("serverPort").value(), 7000);
        QCOMPARE(bench.widget<QSpinBox>("serverDatabase").value(), 4);
        QCOMPARE(field("serverUser").text(), QStringLiteral("ann"));
        QCOMPARE(field("serverPassword").text(), QStringLiteral("s3cret"));
        QCOMPARE(field("serverSsh").text(), QStringLiteral("bo@bastion:2222"));
        QVERIFY(bench.widget<QCheckBox>("serverTls").isChecked());

        // The part without a field stays, and the password leaves the line.
        bench.widget<QSpinBox>("serverDatabase").setValue(5);
        QCOMPARE(net::Endpoint::fromUrl(url.text())->database, 5);
        QCOMPARE(net::Endpoint::fromUrl(url.text())->tls->serverName, QStringLiteral("db"));
        QVERIFY2(!url.text().contains(QStringLiteral("s3cret")), qPrintable(url.text()));
        QCOMPARE(field("serverPassword").text(), QStringLiteral("s3cret"));
        field("serverSsh").clear();
        field("serverProxy").setText(QStringLiteral("socks5://gate:1080"));
        QCOMPARE(net::Endpoint::fromUrl(url.text())->proxy->host, QStringLiteral("gate"));
        bench.widget<QCheckBox>("serverTls").setChecked(false);
        QVERIFY2(url.text().startsWith(QStringLiteral("redis://")), qPrintable(url.text()));

        // A wrong field is said, and saves nothing.
        field("keptName").setText(QStringLiteral("mine"));
        QVERIFY(bench.button("serverSave").isEnabled());
        field("serverProxy").setText(QStringLiteral("gate"));
        QVERIFY(!bench.button("serverSave").isEnabled());
        field("serverProxy").clear();
        QVERIFY(bench.button("serverSave").isEnabled());

        bench.widget<QComboBox>("serverTransport").setCurrentIndex(1);
        QVERIFY(!bench.button("serverSave").isEnabled());
        field("serverSocket").setText(QStringLiteral("/run/my redis.sock"));
        QCOMPARE(net::Endpoint::fromUrl(url.text())->path, QStringLiteral("/run/my redis.sock"));
        QVERIFY(!field("serverHost").isVisible() && field("serverSocket").isVisible());
    }

    /// A line with a password shows it only until the user leaves it.
    void passwordInTheUrl_leavesTheLine()
    {
        MainWindowFixture bench;
        QVERIFY(openSwitcher(bench) != nullptr);
        bench.click("serverNew");
        LATCHKEY_AWAIT(bench.dialog<QDialog>("serverDialog"));
        auto &url = bench.widget<QLineEdit>("serverPlace");
        url.setText(QStringLiteral("redis-cli -h db.example -a s3cret"));
        Q_EMIT url.editingFinished(); // The user leaves the line.
        QVERIFY2(url.text().startsWith(QStringLiteral("redis://db.example")), qPrintable(url.text()));
        QVERIFY2(!url.text().contains(QStringLiteral("s3cret")), qPrintable(url.text()));
        QCOMPARE(bench.widget<QLineEdit>("serverPassword").text(), QStringLiteral("s3cret"));
    }

    void test_reportsRolePermissionsAndEvents()
    {
        QVERIFY((*server)({"ACL", "SETUSER", "eye", "on", "nopass", "~*", "&*", "+@read", "+@connection", "+info",
                           "+client", "-scan", "+acl|whoami", "+acl|dryrun"})
                    .isOk());
        MainWindowFixture bench;
        QVERIFY(openSwitcher(bench) != nullptr);
        bench.click("serverNew");
        LATCHKEY_AWAIT(bench.dialog<QDialog>("serverDialog"));
        auto &result = bench.widget<QLabel>("serverResult");
        bench.widget<QLineEdit>("serverPlace").setText(server->url());
        bench.click("serverTest");
        LATCHKEY_AWAIT(result.property("tone").toString() == u"good");
        QVERIFY2(result.text().contains(QStringLiteral("Role: master without replicas.")), qPrintable(result.text()));
        QVERIFY2(result.text().contains(QStringLiteral("DEL and PEXPIRE are permitted.")), qPrintable(result.text()));
        QVERIFY2(result.text().contains(QStringLiteral("Events: client tracking.")), qPrintable(result.text()));
        bench.widget<QLineEdit>("serverUser").setText(QStringLiteral("eye"));
        bench.widget<QLineEdit>("serverPassword").setText(QStringLiteral("any"));
        bench.click("serverTest");
        LATCHKEY_AWAIT(result.property("tone").toString() == u"warning");
        QVERIFY2(result.text().contains(QStringLiteral("Refused: SCAN.")), qPrintable(result.text()));
        QVERIFY2(result.text().contains(QStringLiteral("DEL or PEXPIRE is refused.")), qPrintable(result.text()));
        QVERIFY2(result.text().contains(QStringLiteral("Possible: watching, but incomplete.")),
                 qPrintable(result.text()));
    }

    void savedServer_isSelectedAndOpenedWithReturn()
    {
        MainWindowFixture bench;
        keep(bench, QStringLiteral("alpha"), net::Endpoint::local());
        QVERIFY(openSwitcher(bench) != nullptr);
        QTest::keyClicks(&bench.widget<QLineEdit>("serverFilter"), QStringLiteral("alp"));
        bench.click("serverNew");
        LATCHKEY_AWAIT(bench.dialog<QDialog>("serverDialog"));
        bench.widget<QLineEdit>("serverPlace").setText(server->url());
        bench.widget<QLineEdit>("keptName").setText(QStringLiteral("zeta"));
        QTest::keyClick(&bench.widget<QLineEdit>("keptName"), Qt::Key_Return);
        LATCHKEY_AWAIT(bench.dialog<QDialog>("serverDialog") == nullptr);
        QCOMPARE(bench.widget<QTreeWidget>("serverList").currentItem()->text(0), QStringLiteral("zeta"));
        QVERIFY(bench.dialog<QDialog>("serverSwitcher")->focusWidget() == &bench.widget<QLineEdit>("serverFilter"));
        QTest::keyClick(&bench.widget<QLineEdit>("serverFilter"), Qt::Key_Return);
        LATCHKEY_AWAIT(bench.workspace.inspected() != nullptr);
        QCOMPARE(bench.workspace.inspected()->endpoint().path, server->endpoint().path);
    }

    void placeThatLeadsNowhere_isReportedAtOnce()
    {
        MainWindowFixture bench;
        QVERIFY(openSwitcher(bench) != nullptr);
        bench.click("serverNew");
        LATCHKEY_AWAIT(bench.dialog<QDialog>("serverDialog"));
        bench.widget<QLineEdit>("keptName").setText(QStringLiteral("mine"));
        QVERIFY(bench.button("serverSave").isEnabled());
        bench.widget<QLineEdit>("serverPlace").setText(QStringLiteral("redis-cli --tls --insecure"));
        QVERIFY(!bench.button("serverSave").isEnabled() && !bench.button("serverTest").isEnabled());
    }

    /// A production server is armed by typing its name, and looks different.
    void production_isArmedByItsName()
    {
        MainWindowFixture bench;
        keep(bench, QStringLiteral("orders"), server->endpoint(), Environment::Production);
        openServer(bench, server->endpoint());
        auto &bar = bench.widget<QFrame>("connectionBar");
        QCOMPARE(bar.property("tone").toString(), QStringLiteral("production"));
        QVERIFY2(!bench.workspace.inspected()->watcher().hasFastFirstScan(), "its first scan has a limit");
        bench.click("armWrites");
        LATCHKEY_AWAIT(bench.dialog<QDialog>("armDialog"));
        QVERIFY(!bench.button("armConfirm").isEnabled());
        QTest::keyClicks(&bench.widget<QLineEdit>("armName"), QStringLiteral("order"));
        QVERIFY(!bench.button("armConfirm").isEnabled());
        QTest::keyClicks(&bench.widget<QLineEdit>("armName"), QStringLiteral("s"));
        bench.click("armConfirm");
        LATCHKEY_AWAIT(bench.workspace.inspected()->isArmed());
        QCOMPARE(bar.property("tone").toString(), QStringLiteral("armed"));
        QVERIFY(bench.button("armWrites").text().startsWith(QStringLiteral("Production armed: ")));
        bench.click("armWrites");
        QCOMPARE(bar.property("tone").toString(), QStringLiteral("production"));
        // Another server is armed and displayed as usual.
        keep(bench, QStringLiteral("other"), net::Endpoint::local());
        QVERIFY(bench.workspace.servers().remove(QStringLiteral("orders")));
        QCOMPARE(bar.property("tone").toString(), QString());
        bench.click("armWrites");
        LATCHKEY_AWAIT(bench.dialog<QDialog>("armDialog"));
        QVERIFY(bench.button("armConfirm").isEnabled());
    }

    /// When another server is opened, the first stays watched with its password, and is disarmed.
    void serverThatIsLeft_isStillWatched()
    {
        QVERIFY((*server)({"CONFIG", "SET", "requirepass", "s3cret"}).isOk());
        const TestServer second;
        MainWindowFixture bench;
        keep(bench, QStringLiteral("first"), server->endpoint());
        keep(bench, QStringLiteral("second"), second.endpoint());
        net::Endpoint withPassword = server->endpoint();
        withPassword.password = QStringLiteral("s3cret");
        openServer(bench, withPassword);
        bench.workspace.inspected()->setArmed(true);
        openServer(bench, second.endpoint());
        auto *first = bench.workspace.watched(server->endpoint());
        QVERIFY(first != nullptr && first != bench.workspace.inspected());
        QVERIFY(!first->isArmed());
        QVERIFY(openSwitcher(bench) != nullptr);
        LATCHKEY_AWAIT(
            listed(bench, 2)
            == QStringList({QStringLiteral("connected, no findings"), QStringLiteral("connected, no findings")}));
        QTest::keyClicks(&bench.widget<QLineEdit>("serverFilter"), QStringLiteral("fir"));
        QCOMPARE(listed(bench, 0), QStringList {QStringLiteral("first")});
        QTest::keyClick(&bench.widget<QLineEdit>("serverFilter"), Qt::Key_Return);
        LATCHKEY_AWAIT(bench.workspace.inspected() == first);
        QCOMPARE(first->session().state(), net::Session::State::Ready);
        QVERIFY(bench.workspace.watched(second.endpoint()) != nullptr);
        // A removed connection is no longer watched.
        QVERIFY(bench.workspace.servers().remove(QStringLiteral("second")));
        QVERIFY(bench.workspace.watched(second.endpoint()) == nullptr);
    }

    void silentServer_isNotListedAsConnected()
    {
        MainWindowFixture bench;
        keep(bench, QStringLiteral("one"), server->endpoint());
        openServer(bench, server->endpoint());
        QVERIFY(openSwitcher(bench) != nullptr);
        LATCHKEY_AWAIT(listed(bench, 2) == QStringList {QStringLiteral("connected, no findings")});
        const auto pid = static_cast<pid_t>(server->process().processId());
        ::kill(pid, SIGSTOP);
        const auto resume = qScopeGuard([pid] { ::kill(pid, SIGCONT); });
        LATCHKEY_AWAIT(listed(bench, 2) == QStringList {QStringLiteral("does not answer")});
        QCOMPARE(bench.workspace.inspected()->session().state(), net::Session::State::Ready);
    }

    void removal_takesTwoClicks()
    {
        MainWindowFixture bench;
        keep(bench, QStringLiteral("one"), server->endpoint());
        QVERIFY(openSwitcher(bench) != nullptr);
        QCOMPARE(listed(bench, 0).size(), 1);
        bench.click("serverRemove");
        QCOMPARE(listed(bench, 0).size(), 1);
        bench.click("serverRemove");
        QVERIFY(listed(bench, 0).isEmpty());
    }

    void visitedOnes_canBeKept()
    {
        MainWindowFixture bench;
        bench.settings.rememberServer(server->url());
        QVERIFY(openSwitcher(bench) != nullptr);
        QCOMPARE(listed(bench, 2), QStringList {QStringLiteral("not watched")});
        QVERIFY(!bench.button("serverRemove").isEnabled());
        bench.click("serverEdit");
        LATCHKEY_AWAIT(bench.dialog<QDialog>("serverDialog"));
        bench.widget<QLineEdit>("keptName").setText(QStringLiteral("kept"));
        bench.click("serverSave");
        QCOMPARE(listed(bench, 0), QStringList {QStringLiteral("kept")});
    }
};

LATCHKEY_WINDOW_TEST(TestSavedServers)

} // namespace tst_savedservers

#include "tst_savedservers.moc"
