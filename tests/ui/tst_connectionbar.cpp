#include "tests/support/freeport.h"
#include "tests/support/testprogram.h"
#include "tests/support/testproxy.h"
#include "tests/ui/windowwords.h"

#include <QDialog>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTest>

namespace tst_connectionbar {

using namespace latchkey;
using net::Session;
using test::bannerAction;
using test::bannerText;
using test::MainWindowFixture;
using test::openServer;
using test::TestServer;
using ui::widgets::Pill;

/// Tests of the connection display: server, state, and remedies.
class TestConnectionBar final : public QObject
{
    Q_OBJECT

    std::unique_ptr<TestServer> server;

    resp::Reply redis(std::initializer_list<QByteArray> command) { return (*server)(command); }

private Q_SLOTS:
    void init() { server = std::make_unique<TestServer>(); }
    void cleanup() { server.reset(); }

    void unreadableUrl_isRefusedAndNothingChanges()
    {
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        auto &url = fixture.widget<QLineEdit>("serverUrl");
        url.setText(QStringLiteral("redis://:hunter2@localhost:port"));
        QTest::keyClick(&url, Qt::Key_Return);
        LATCHKEY_AWAIT(!bannerText(fixture).isEmpty());
        QVERIFY2(bannerText(fixture).startsWith(QStringLiteral("The URL \"redis://(hidden)@localhost:port\"")),
                 qPrintable(bannerText(fixture)));
        QCOMPARE(fixture.workspace.inspected()->session().state(), Session::State::Ready);
        QCOMPARE(fixture.workspace.inspected()->endpoint(), server->endpoint());
    }

    void enteredUrl_isOpenedAndRemembered()
    {
        MainWindowFixture fixture;
        fixture.window.activateWindow();
        auto &url = fixture.widget<QLineEdit>("serverUrl");
        url.setText(server->url() + QStringLiteral("?db=3"));
        QTest::keyClick(&url, Qt::Key_Return);
        LATCHKEY_AWAIT(fixture.workspace.inspected()
                       && fixture.workspace.inspected()->session().state() == Session::State::Ready);
        QCOMPARE(fixture.workspace.inspected()->endpoint().database, 3);
        QCOMPARE(fixture.settings.lastServer(), server->url() + QStringLiteral("?db=3"));
    }

    void refusedConnection_isReportedAndKeptTrying()
    {
        MainWindowFixture fixture;
        fixture.workspace.open(net::Endpoint::fromUrl(QStringLiteral("redis://127.0.0.1:1")).value());
        LATCHKEY_AWAIT(fixture.widget<Pill>("connectionState").text() == u"no connection");
        LATCHKEY_AWAIT(fixture.widget<QLabel>("emptyTitle").isVisible());
        LATCHKEY_AWAIT(fixture.button("connectionRemedy").isEnabled());
        QCOMPARE(fixture.button("connectionRemedy").text(), QStringLiteral("Try now"));
        QCOMPARE(fixture.settings.lastServer(), QString());
    }

    void serverThatStopsAnswering_isReportedSinceWhen()
    {
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        QVERIFY(redis({"CLIENT", "PAUSE", "4000"}).isOk());
        LATCHKEY_AWAIT(fixture.widget<Pill>("connectionState").text().startsWith(QStringLiteral("no answer since ")));
        LATCHKEY_AWAIT(fixture.widget<Pill>("connectionState").text() == u"connected");
    }

    void serverThatGoesAway_keepsTheView()
    {
        QVERIFY(redis({"SET", "lock", "v", "PX", "600000"}).isOk());
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 1);
        QVERIFY(redis({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"}).isInteger(1));
        LATCHKEY_AWAIT(fixture.workspace.inspected()->session().state() != Session::State::Ready);
        QCOMPARE(fixture.keys(), QStringList {QStringLiteral("lock")});
        LATCHKEY_AWAIT(fixture.workspace.inspected()->session().state() == Session::State::Ready);
        QCOMPARE(fixture.rows(), 1);
    }

    void password_isAskedForAndNeverKept()
    {
        QVERIFY(redis({"SET", "lock", "v"}).isOk());
        QVERIFY(redis({"CONFIG", "SET", "requirepass", "hunter2"}).isOk());
        MainWindowFixture fixture;
        fixture.workspace.open(server->endpoint());
        LATCHKEY_AWAIT(bannerAction(fixture) && bannerAction(fixture)->text() == u"Enter password…");
        QCOMPARE(fixture.button("connectionRemedy").text(), QStringLiteral("Enter password…"));
        QCOMPARE(fixture.button("connectionRemedy").property("kind").toString(), QStringLiteral("primary"));
        // Access may be granted later, so the session retries after a while.
        QVERIFY(fixture.workspace.inspected()->session().nextAttempt() < base::MonotonicTime::max());
        QTest::mouseClick(bannerAction(fixture), Qt::LeftButton);
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("passwordDialog"));
        QTest::keyClicks(&fixture.widget<QLineEdit>("password"), QStringLiteral("hunter2"));
        QTest::keyClick(&fixture.widget<QLineEdit>("password"), Qt::Key_Return);
        LATCHKEY_AWAIT(fixture.rows() == 1);
        QVERIFY(bannerText(fixture).isEmpty()); // The cause of the message is over.
        QVERIFY(!fixture.button("connectionRemedy").isVisible());
        QVERIFY(!fixture.window.windowTitle().contains(QStringLiteral("hunter2")));
        QVERIFY(!fixture.widget<QLineEdit>("serverUrl").text().contains(QStringLiteral("hunter2")));
        QFile kept(fixture.folder.filePath(QStringLiteral("latchkey.ini")));
        fixture.window.close();
        if (kept.open(QIODevice::ReadOnly))
            QVERIFY(!kept.readAll().contains("hunter2"));
    }

    /// The password of a proxy is requested, and kept secret, like that of a server.
    void proxysPassword_isAskedForAndNeverKept_data()
    {
        QTest::addColumn<net::Proxy::Kind>("kind");
        QTest::addRow("SOCKS5") << net::Proxy::Kind::Socks5;
        QTest::addRow("HTTP") << net::Proxy::Kind::Http;
    }
    void proxysPassword_isAskedForAndNeverKept()
    {
        QFETCH(const net::Proxy::Kind, kind);
        static QString log;
        log.clear();
        const quint16 port = test::freeClusterPort();
        TestServer behind({QStringLiteral("--port"), QString::number(port)});
        QVERIFY(behind({"SET", "lock", "v"}).isOk());
        const test::TestProxy proxy(kind, QStringLiteral("hunter2"));
        net::Endpoint endpoint;
        endpoint.port = port;
        endpoint.proxy = proxy.proxy();
        endpoint.proxy->password.clear();
        const QtMessageHandler before = qInstallMessageHandler(
            [](QtMsgType, const QMessageLogContext &, const QString &message) { log += message + u'\n'; });
        const auto restore = qScopeGuard([before] { qInstallMessageHandler(before); });
        MainWindowFixture fixture;
        fixture.workspace.open(endpoint);
        for (const char *typed : {"wrong", "hunter2"}) {
            LATCHKEY_AWAIT(bannerAction(fixture) && bannerAction(fixture)->text() == u"Enter password…");
            QVERIFY2(bannerText(fixture).contains(QLatin1String("the proxy ")), qPrintable(bannerText(fixture)));
            // Access may be granted later, so the session retries after a while.
            QVERIFY(fixture.workspace.inspected()->session().nextAttempt() < base::MonotonicTime::max());
            QTest::mouseClick(bannerAction(fixture), Qt::LeftButton);
            LATCHKEY_AWAIT(fixture.dialog<QDialog>("passwordDialog"));
            auto &field = fixture.widget<QLineEdit>("proxyPassword");
            QCOMPARE(field.echoMode(), QLineEdit::Password);
            QVERIFY2(fixture.widget<QLabel>("passwordReason").text().contains(proxy.proxy().display()),
                     qPrintable(fixture.widget<QLabel>("passwordReason").text()));
            QVERIFY(fixture.dialog<QDialog>("passwordDialog")->focusWidget() == &field);
            field.clear();
            QTest::keyClicks(&field, QString::fromLatin1(typed));
            QTest::keyClick(&field, Qt::Key_Return);
            LATCHKEY_AWAIT(fixture.dialog<QDialog>("passwordDialog") == nullptr);
            LATCHKEY_AWAIT(fixture.workspace.inspected()->session().state() == Session::State::Ready
                           || fixture.workspace.inspected()->session().state() == Session::State::Waiting);
        }
        LATCHKEY_AWAIT(fixture.rows() == 1);
        QVERIFY(proxy.relayed() > 0);
        QVERIFY(bannerText(fixture).isEmpty());
        QFile commandLine(QStringLiteral("/proc/self/cmdline"));
        QFile kept(fixture.folder.filePath(QStringLiteral("latchkey.ini")));
        QString shown = fixture.window.windowTitle() + fixture.widget<QLineEdit>("serverUrl").text() + log;
        for (const QLabel *label : fixture.window.findChildren<QLabel *>())
            shown += label->text() + label->toolTip();
        fixture.window.close();
        for (QFile *file : {&commandLine, &kept}) {
            if (file->open(QIODevice::ReadOnly))
                shown += QString::fromUtf8(file->readAll());
        }
        QVERIFY2(shown.contains(proxy.proxy().display()), qPrintable(shown));
        QVERIFY(!shown.contains(QLatin1String("hunter2")) && !shown.contains(QLatin1String("wrong\n")));
    }

    void noServerAnywhere_startsAPrivateOneAndReportsIt()
    {
        MainWindowFixture fixture;
        fixture.settings.rememberServer(QStringLiteral("redis://127.0.0.1:1"));
        fixture.workspace.openUsual();
        LATCHKEY_AWAIT(fixture.workspace.inspected()->isPrivate()
                       && fixture.workspace.inspected()->session().state() == Session::State::Ready);
        QVERIFY2(bannerText(fixture).startsWith(
                     QStringLiteral("No server answers at redis://127.0.0.1:1. Latchkey has started a private one")),
                 qPrintable(bannerText(fixture)));
        QCOMPARE(fixture.button("armWrites").text(), QStringLiteral("Writes allowed"));
        QCOMPARE(fixture.settings.lastServer(), QStringLiteral("redis://127.0.0.1:1"));
        LATCHKEY_AWAIT(fixture.button("emptyAction").isVisible());
        QCOMPARE(fixture.button("emptyAction").text(), QStringLiteral("Go to the Playground"));
    }

    void paused_asksNothing()
    {
        QVERIFY(redis({"SET", "lock", "v", "PX", "600000"}).isOk());
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 1);
        fixture.click("pausePolling");
        QCOMPARE(fixture.widget<Pill>("connectionState").text(), QStringLiteral("paused"));
        QVERIFY(fixture.workspace.inspected()->watcher().isPaused());
        fixture.click("pausePolling");
        QVERIFY(!fixture.workspace.inspected()->watcher().isPaused());
    }

    void fullSpeedAtFirst_isChosenWithWhatTheLimitWouldTake()
    {
        QVERIFY(redis({"ACL", "SETUSER", "default", "-info"}).isOk()); // So the limit is one of commands per second.
        QVERIFY(redis({"EVAL", "for i = 1, 20000 do redis.call('SET', 'k' .. i, 'v') end return 1", "0"}).isInteger(1));
        MainWindowFixture fixture;
        fixture.settings.setCommandsPerSecond(100);
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.workspace.inspected()->watcher().databaseSize() == 20'000);
        auto &menu = *fixture.button("commandsPerSecond").menu();
        auto &fast = fixture.widget<QAction>("fastFirstScan");
        menu.popup(QPoint());
        QVERIFY(menu.actions().contains(&fast) && fast.isEnabled() && fast.isChecked());
        QCOMPARE(fast.text(),
                 QStringLiteral("Read all keys at full speed on connect and for sorting (within the limit: 4 s)"));

        fast.trigger();
        menu.close();
        QVERIFY(!fixture.workspace.inspected()->watcher().hasFastFirstScan());
        QCOMPARE(fixture.settings.fastFirstScan(), std::optional(false));
        const TestServer other;
        openServer(fixture, other.endpoint());
        QVERIFY2(!fixture.workspace.inspected()->watcher().hasFastFirstScan(), "the next server is asked as gently");
        menu.popup(QPoint());
        QVERIFY(!fast.isChecked());
        QCOMPARE(fast.text(), QStringLiteral("Read all keys at full speed on connect and for sorting"));
        menu.close();
    }

    void cost_isShownAsAShareOfTheServersCore()
    {
        QVERIFY(redis({"SET", "lock", "v", "PX", "600000"}).isOk());
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        auto &cost = fixture.button("commandsPerSecond");
        LATCHKEY_AWAIT(cost.text().contains(QStringLiteral(" %"))
                       && cost.text().contains(QStringLiteral("commands/s")));
        QVERIFY(cost.toolTip().contains(QStringLiteral("INFO commandstats")));
        auto &menu = *cost.menu();
        menu.popup(QPoint());
        QCOMPARE(menu.actions().at(1)->text(), QStringLiteral("At most 0.3 % of the server's core"));
        menu.actions().at(1)->trigger();
        menu.close();
        QVERIFY(fixture.workspace.inspected()->watcher().limit() == budget::CommandLimit::ofShare(0.003));
        QCOMPARE(fixture.settings.commandsPerSecond(), 300);

        TestServer other;
        QVERIFY(other({"ACL", "SETUSER", "default", "-info"}).isOk());
        openServer(fixture, other.endpoint());
        LATCHKEY_AWAIT(!cost.text().contains(u'%') && cost.text().contains(QStringLiteral("commands/s")));
        menu.popup(QPoint());
        QCOMPARE(menu.actions().at(1)->text(), QStringLiteral("At most 300 commands per second"));
        menu.close();
    }

    void clusterNode_isReportedAsOneOfSeveral()
    {
        const QStringList asNode {QStringLiteral("--cluster-enabled"), QStringLiteral("yes"), QStringLiteral("--bind"),
                                  QStringLiteral("127.0.0.1"), QStringLiteral("--port")};
        const quint16 port = test::freeClusterPort();
        TestServer first(asNode + QStringList {QString::number(port)});
        TestServer second(asNode + QStringList {QString::number(test::freeClusterPort())});
        QVERIFY(first({"CLUSTER", "ADDSLOTSRANGE", "0", "8191"}).isOk());
        QVERIFY(second({"CLUSTER", "ADDSLOTSRANGE", "8192", "16383"}).isOk());
        {
            MainWindowFixture fixture;
            openServer(fixture, second.endpoint());
            QCOMPARE(fixture.widget<Pill>("connectionState").text(), QStringLiteral("connected")); // A cluster of a
                                                                                                   // single node.
        }
        QVERIFY(second({"CLUSTER", "MEET", "127.0.0.1", QByteArray::number(port)}).isOk());
        LATCHKEY_AWAIT(second({"CLUSTER", "INFO"}).bytes().contains("cluster_state:ok"));

        MainWindowFixture fixture;
        openServer(fixture, second.endpoint());
        auto &pill = fixture.widget<Pill>("connectionState");
        LATCHKEY_AWAIT(pill.text() == u"node 2 of 2");
        QCOMPARE(pill.accessibleDescription(),
                 QStringLiteral("This server is one node of a cluster: the keys of the other nodes are not shown."));
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(pill.text() == u"connected");
    }
};

LATCHKEY_WINDOW_TEST(TestConnectionBar)

} // namespace tst_connectionbar

#include "tst_connectionbar.moc"
