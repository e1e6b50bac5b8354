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
        MainWindowFixture bench;
        openServer(bench, server->endpoint());
        auto &url = bench.widget<QLineEdit>("serverUrl");
        url.setText(QStringLiteral("redis://:hunter2@localhost:port"));
        QTest::keyClick(&url, Qt::Key_Return);
        LATCHKEY_AWAIT(!bannerText(bench).isEmpty());
        QVERIFY2(bannerText(bench).startsWith(QStringLiteral("The URL \"redis://(hidden)@localhost:port\"")),
                 qPrintable(bannerText(bench)));
        QCOMPARE(bench.workspace.inspected()->session().state(), Session::State::Ready);
        QCOMPARE(bench.workspace.inspected()->endpoint(), server->endpoint());
    }

    void enteredUrl_isOpenedAndRemembered()
    {
        MainWindowFixture bench;
        bench.window.activateWindow();
        auto &url = bench.widget<QLineEdit>("serverUrl");
        url.setText(server->url() + QStringLiteral("?db=3"));
        QTest::keyClick(&url, Qt::Key_Return);
        LATCHKEY_AWAIT(bench.workspace.inspected()
                       && bench.workspace.inspected()->session().state() == Session::State::Ready);
        QCOMPARE(bench.workspace.inspected()->endpoint().database, 3);
        QCOMPARE(bench.settings.lastServer(), server->url() + QStringLiteral("?db=3"));
    }

    void refusedConnection_isReportedAndKeptTrying()
    {
        MainWindowFixture bench;
        bench.workspace.open(net::Endpoint::fromUrl(QStringLiteral("redis://127.0.0.1:1")).value());
        LATCHKEY_AWAIT(bench.widget<Pill>("connectionState").text() == u"no connection");
        LATCHKEY_AWAIT(bench.widget<QLabel>("emptyTitle").isVisible());
        LATCHKEY_AWAIT(bench.button("connectionRemedy").isEnabled());
        QCOMPARE(bench.button("connectionRemedy").text(), QStringLiteral("Try now"));
        QCOMPARE(bench.settings.lastServer(), QString());
    }

    void serverThatStopsAnswering_isReportedSinceWhen()
    {
        MainWindowFixture bench;
        openServer(bench, server->endpoint());
        QVERIFY(redis({"CLIENT", "PAUSE", "4000"}).isOk());
        LATCHKEY_AWAIT(bench.widget<Pill>("connectionState").text().startsWith(QStringLiteral("no answer since ")));
        LATCHKEY_AWAIT(bench.widget<Pill>("connectionState").text() == u"connected");
    }

    void serverThatGoesAway_keepsTheView()
    {
        QVERIFY(redis({"SET", "lock", "v", "PX", "600000"}).isOk());
        MainWindowFixture bench;
        openServer(bench, server->endpoint());
        LATCHKEY_AWAIT(bench.rows() == 1);
        QVERIFY(redis({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"}).isInteger(1));
        LATCHKEY_AWAIT(bench.workspace.inspected()->session().state() != Session::State::Ready);
        QCOMPARE(bench.keys(), QStringList {QStringLiteral("lock")});
        LATCHKEY_AWAIT(bench.workspace.inspected()->session().state() == Session::State::Ready);
        QCOMPARE(bench.rows(), 1);
    }

    void password_isAskedForAndNeverKept()
    {
        QVERIFY(redis({"SET", "lock", "v"}).isOk());
        QVERIFY(redis({"CONFIG", "SET", "requirepass", "hunter2"}).isOk());
        MainWindowFixture bench;
        bench.workspace.open(server->endpoint());
        LATCHKEY_AWAIT(bannerAction(bench) && bannerAction(bench)->text() == u"Enter password…");
        QCOMPARE(bench.button("connectionRemedy").text(), QStringLiteral("Enter password…"));
        QCOMPARE(bench.button("connectionRemedy").property("kind").toString(), QStringLiteral("primary"));
        // Access may be granted later, so the session retries after a while.
        QVERIFY(bench.workspace.inspected()->session().nextAttempt() < base::MonotonicTime::max());
        QTest::mouseClick(bannerAction(bench), Qt::LeftButton);
        LATCHKEY_AWAIT(bench.dialog<QDialog>("passwordDialog"));
        QTest::keyClicks(&bench.widget<QLineEdit>("password"), QStringLiteral("hunter2"));
        QTest::keyClick(&bench.widget<QLineEdit>("password"), Qt::Key_Return);
        LATCHKEY_AWAIT(bench.rows() == 1);
        QVERIFY(bannerText(bench).isEmpty()); // The cause of the message is over.
        QVERIFY(!bench.button("connectionRemedy").isVisible());
        QVERIFY(!bench.window.windowTitle().contains(QStringLiteral("hunter2")));
        QVERIFY(!bench.widget<QLineEdit>("serverUrl").text().contains(QStringLiteral("hunter2")));
        QFile kept(bench.folder.filePath(QStringLiteral("latchkey.ini")));
        bench.window.close();
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
        MainWindowFixture bench;
        bench.workspace.open(endpoint);
        for (const char *typed : {"wrong", "hunter2"}) {
            LATCHKEY_AWAIT(bannerAction(bench) && bannerAction(bench)->text() == u"Enter password…");
            QVERIFY2(bannerText(bench).contains(QLatin1String("the proxy ")), qPrintable(bannerText(bench)));
            // Access may be granted later, so the session retries after a while.
            QVERIFY(bench.workspace.inspected()->session().nextAttempt() < base::MonotonicTime::max());
            QTest::mouseClick(bannerAction(bench), Qt::LeftButton);
            LATCHKEY_AWAIT(bench.dialog<QDialog>("passwordDialog"));
            auto &field = bench.widget<QLineEdit>("proxyPassword");
            QCOMPARE(field.echoMode(), QLineEdit::Password);
            QVERIFY2(bench.widget<QLabel>("passwordReason").text().contains(proxy.proxy().display()),
                     qPrintable(bench.widget<QLabel>("passwordReason").text()));
            QVERIFY(bench.dialog<QDialog>("passwordDialog")->focusWidget() == &field);
            field.clear();
            QTest::keyClicks(&field, QString::fromLatin1(typed));
            QTest::keyClick(&field, Qt::Key_Return);
            LATCHKEY_AWAIT(bench.dialog<QDialog>("passwordDialog") == nullptr);
            LATCHKEY_AWAIT(bench.workspace.inspected()->session().state() == Session::State::Ready
                           || bench.workspace.inspected()->session().state() == Session::State::Waiting);
        }
        LATCHKEY_AWAIT(bench.rows() == 1);
        QVERIFY(proxy.relayed() > 0);
        QVERIFY(bannerText(bench).isEmpty());
        QFile commandLine(QStringLiteral("/proc/self/cmdline"));
        QFile kept(bench.folder.filePath(QStringLiteral("latchkey.ini")));
        QString shown = bench.window.windowTitle() + bench.widget<QLineEdit>("serverUrl").text() + log;
        for (const QLabel *label : bench.window.findChildren<QLabel *>())
            shown += label->text() + label->toolTip();
        bench.window.close();
        for (QFile *file : {&commandLine, &kept}) {
            if (file->open(QIODevice::ReadOnly))
                shown += QString::fromUtf8(file->readAll());
        }
        QVERIFY2(shown.contains(proxy.proxy().display()), qPrintable(shown));
        QVERIFY(!shown.contains(QLatin1String("hunter2")) && !shown.contains(QLatin1String("wrong\n")));
    }

    void noServerAnywhere_startsAPrivateOneAndReportsIt()
    {
        MainWindowFixture bench;
        bench.settings.rememberServer(QStringLiteral("redis://127.0.0.1:1"));
        bench.workspace.openUsual();
        LATCHKEY_AWAIT(bench.workspace.inspected()->isPrivate()
                       && bench.workspace.inspected()->session().state() == Session::State::Ready);
        QVERIFY2(bannerText(bench).startsWith(
                     QStringLiteral("No server answers at redis://127.0.0.1:1. Latchkey has started a private one")),
                 qPrintable(bannerText(bench)));
        QCOMPARE(bench.button("armWrites").text(), QStringLiteral("Writes allowed"));
        QCOMPARE(bench.settings.lastServer(), QStringLiteral("redis://127.0.0.1:1"));
        LATCHKEY_AWAIT(bench.button("emptyAction").isVisible());
        QCOMPARE(bench.button("emptyAction").text(), QStringLiteral("Go to the Playground"));
    }

    void paused_asksNothing()
    {
        QVERIFY(redis({"SET", "lock", "v", "PX", "600000"}).isOk());
        MainWindowFixture bench;
        openServer(bench, server->endpoint());
        LATCHKEY_AWAIT(bench.rows() == 1);
        bench.click("pausePolling");
        QCOMPARE(bench.widget<Pill>("connectionState").text(), QStringLiteral("paused"));
        QVERIFY(bench.workspace.inspected()->watcher().isPaused());
        bench.click("pausePolling");
        QVERIFY(!bench.workspace.inspected()->watcher().isPaused());
    }

    void fullSpeedAtFirst_isChosenWithWhatTheLimitWouldTake()
    {
        QVERIFY(redis({"ACL", "SETUSER", "default", "-info"}).isOk()); // So the limit is one of commands per second.
        QVERIFY(redis({"EVAL", "for i = 1, 20000 do redis.call('SET', 'k' .. i, 'v') end return 1", "0"}).isInteger(1));
        MainWindowFixture bench;
        bench.settings.setCommandsPerSecond(100);
        openServer(bench, server->endpoint());
        LATCHKEY_AWAIT(bench.workspace.inspected()->watcher().databaseSize() == 20'000);
        auto &menu = *bench.button("commandsPerSecond").menu();
        auto &fast = bench.widget<QAction>("fastFirstScan");
        menu.popup(QPoint());
        QVERIFY(menu.actions().contains(&fast) && fast.isEnabled() && fast.isChecked());
        QCOMPARE(fast.text(),
                 QStringLiteral("Read all keys at full speed on connect and for sorting (within the limit: 4 s)"));

        fast.trigger();
        menu.close();
        QVERIFY(!bench.workspace.inspected()->watcher().hasFastFirstScan());
        QCOMPARE(bench.settings.fastFirstScan(), std::optional(false));
        const TestServer other;
        openServer(bench, other.endpoint());
        QVERIFY2(!bench.workspace.inspected()->watcher().hasFastFirstScan(), "the next server is asked as gently");
        menu.popup(QPoint());
        QVERIFY(!fast.isChecked());
        QCOMPARE(fast.text(), QStringLiteral("Read all keys at full speed on connect and for sorting"));
        menu.close();
    }

    void cost_isShownAsAShareOfTheServersCore()
    {
        QVERIFY(redis({"SET", "lock", "v", "PX", "600000"}).isOk());
        MainWindowFixture bench;
        openServer(bench, server->endpoint());
        auto &cost = bench.button("commandsPerSecond");
        LATCHKEY_AWAIT(cost.text().contains(QStringLiteral(" %"))
                       && cost.text().contains(QStringLiteral("commands/s")));
        QVERIFY(cost.toolTip().contains(QStringLiteral("INFO commandstats")));
        auto &menu = *cost.menu();
        menu.popup(QPoint());
        QCOMPARE(menu.actions().at(1)->text(), QStringLiteral("At most 0.3 % of the server's core"));
        menu.actions().at(1)->trigger();
        menu.close();
        QVERIFY(bench.workspace.inspected()->watcher().limit() == budget::CommandLimit::ofShare(0.003));
        QCOMPARE(bench.settings.commandsPerSecond(), 300);

        TestServer other;
        QVERIFY(other({"ACL", "SETUSER", "default", "-info"}).isOk());
        openServer(bench, other.endpoint());
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
            MainWindowFixture bench;
            openServer(bench, second.endpoint());
            QCOMPARE(bench.widget<Pill>("connectionState").text(), QStringLiteral("connected")); // A cluster of a
                                                                                                 // single node.
        }
        QVERIFY(second({"CLUSTER", "MEET", "127.0.0.1", QByteArray::number(port)}).isOk());
        LATCHKEY_AWAIT(second({"CLUSTER", "INFO"}).bytes().contains("cluster_state:ok"));

        MainWindowFixture bench;
        openServer(bench, second.endpoint());
        auto &pill = bench.widget<Pill>("connectionState");
        LATCHKEY_AWAIT(pill.text() == u"node 2 of 2");
        QCOMPARE(pill.accessibleDescription(),
                 QStringLiteral("This server is one node of a cluster: the keys of the other nodes are not shown."));
        openServer(bench, server->endpoint());
        LATCHKEY_AWAIT(pill.text() == u"connected");
    }
};

LATCHKEY_WINDOW_TEST(TestConnectionBar)

} // namespace tst_connectionbar

#include "tst_connectionbar.moc"
