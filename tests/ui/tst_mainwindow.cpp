#include "tests/support/testprogram.h"
#include "tests/ui/windowwords.h"

#include <QClipboard>
#include <QHeaderView>
#include <QLineEdit>
#include <QScreen>
#include <QTest>
#include <QToolButton>

namespace tst_mainwindow {

using namespace latchkey;
using test::bannerText;
using test::labelText;
using test::MainWindowFixture;
using test::openServer;
using test::TestServer;
using ui::keytable::KeyTableModel;
using ui::widgets::Pill;

/// Tests of the window's display of a server.
class TestMainWindow final : public QObject
{
    Q_OBJECT

    std::unique_ptr<TestServer> server;

    resp::Reply redis(std::initializer_list<QByteArray> command) { return (*server)(command); }

private Q_SLOTS:
    void init() { server = std::make_unique<TestServer>(); }
    void cleanup() { server.reset(); }

    void realLocks_areShownWithEverythingThatIsKnown()
    {
        QVERIFY(redis({"SET", "lock:orders", "token-of-ann", "PX", "60000"}).isOk());
        QVERIFY(!redis({"HSET", "cart", "item", "book"}).isError());
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 2);
        LATCHKEY_AWAIT(fixture.cell(0, KeyTableModel::ValueColumn) == u"token-of-ann");
        QCOMPARE(fixture.keys(), (QStringList {QStringLiteral("lock:orders"), QStringLiteral("cart")}));
        QCOMPARE(fixture.cell(0, KeyTableModel::TypeColumn), QStringLiteral("string"));
        QVERIFY(fixture.cell(0, KeyTableModel::TimeLeftColumn).endsWith(QStringLiteral(" s")));
        QVERIFY(!fixture.cell(0, KeyTableModel::EndColumn).isEmpty());
        QCOMPARE(fixture.cell(1, KeyTableModel::TypeColumn), QStringLiteral("hash"));
        QCOMPARE(fixture.cell(1, KeyTableModel::ValueColumn), QStringLiteral("1 field: item: book"));
        QCOMPARE(fixture.cell(1, KeyTableModel::TimeLeftColumn), QStringLiteral("no expiry"));
        LATCHKEY_AWAIT(labelText(fixture, "counts") == u"2 keys  ·  1 without expiry");

        QCOMPARE(fixture.widget<Pill>("connectionState").text(), QStringLiteral("connected"));
        QVERIFY(fixture.widget<QLabel>("serverVersion").text().startsWith(QStringLiteral("Redis ")));
        LATCHKEY_AWAIT(fixture.widget<QLabel>("roundTrip").text().endsWith(QStringLiteral(" ms")));
        LATCHKEY_AWAIT(!fixture.button("commandsPerSecond").text().startsWith(QStringLiteral("0 ")));
        QVERIFY(fixture.window.windowTitle().startsWith(server->url()));
    }

    void releasedLock_disappearsImmediatelyAndIsNamed()
    {
        QVERIFY(redis({"SET", "lock", "v", "PX", "60000"}).isOk());
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 1);
        QVERIFY(redis({"DEL", "lock"}).isInteger(1));
        LATCHKEY_AWAIT(fixture.rows() == 0);
        LATCHKEY_AWAIT(
            labelText(fixture, "goneSummary")
                .startsWith(QStringLiteral("At least 1 of all keys ended within the last minute: lock removed ")));
    }

    void filter_byTextPatternAndExpiry()
    {
        for (const char *key : {"lock:a", "lock:b", "cache:a"})
            QVERIFY(redis({"SET", key, "v", "PX", "60000"}).isOk());
        QVERIFY(redis({"SET", "lock:stuck", "v"}).isOk());
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 4);
        auto &filter = fixture.widget<QLineEdit>("filter");
        QTest::keyClicks(&filter, QStringLiteral("lock"));
        LATCHKEY_AWAIT(fixture.rows() == 3);
        LATCHKEY_AWAIT(labelText(fixture, "counts").endsWith(QStringLiteral("3 shown")));
        fixture.click("showPersistent");
        LATCHKEY_AWAIT(fixture.keys() == QStringList {QStringLiteral("lock:stuck")});
        fixture.click("showExpiring");
        LATCHKEY_AWAIT(fixture.rows() == 2);
        QTest::keyClick(&filter, Qt::Key_Escape);
        LATCHKEY_AWAIT(fixture.rows() == 3);
        fixture.click("showAll");
        QTest::keyClicks(&filter, QStringLiteral("*:[b-z]*"));
        LATCHKEY_AWAIT(fixture.keys() == (QStringList {QStringLiteral("lock:b"), QStringLiteral("lock:stuck")}));
        filter.setText(QStringLiteral("nothing like it"));
        LATCHKEY_AWAIT(fixture.rows() == 0);
        LATCHKEY_AWAIT(fixture.button("emptyAction").isVisible());
        fixture.click("emptyAction");
        LATCHKEY_AWAIT(fixture.rows() == 4);
    }

    void everyColumn_sortsByAClickOnItsHeader()
    {
        QVERIFY(redis({"SET", "b", "alpha", "PX", "90000"}).isOk());
        QVERIFY(redis({"SET", "a", "gamma", "PX", "60000"}).isOk());
        QVERIFY(!redis({"RPUSH", "c", "beta"}).isError());
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 3);
        const auto clickHeader = [&](int column) {
            QHeaderView &header = *fixture.table().horizontalHeader();
            QTest::mouseClick(header.viewport(), Qt::LeftButton, {},
                              QPoint(header.sectionViewportPosition(column) + 20, 10));
        };
        const auto order = [&] { return fixture.keys().join(QString()); };
        QCOMPARE(order(), QStringLiteral("abc"));
        clickHeader(KeyTableModel::TimeLeftColumn);
        LATCHKEY_AWAIT(order() == u"cba");
        clickHeader(KeyTableModel::KeyColumn);
        LATCHKEY_AWAIT(order() == u"abc");
        clickHeader(KeyTableModel::KeyColumn);
        LATCHKEY_AWAIT(order() == u"cba");
        clickHeader(KeyTableModel::TypeColumn);
        LATCHKEY_AWAIT(order() == u"cab");
        clickHeader(KeyTableModel::ValueColumn);
        LATCHKEY_AWAIT(order() == u"bca"); // alpha, beta, gamma
        clickHeader(KeyTableModel::EndColumn);
        LATCHKEY_AWAIT(order() == u"abc");
    }

    void keyAndCommand_areCopied()
    {
        QVERIFY(redis({"SET", "lock:orders", "v", "PX", "60000"}).isOk());
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 1);
        QVERIFY(!fixture.button("copyKey").isEnabled());
        fixture.choose(QStringLiteral("lock:orders"));
        fixture.click("copyKey");
        QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("lock:orders"));
        fixture.click("copyCommand");
        QCOMPARE(QGuiApplication::clipboard()->text(),
                 QStringLiteral("redis-cli -s %1 PTTL lock:orders").arg(server->endpoint().path));
        QGuiApplication::clipboard()->clear();
        fixture.table().setFocus();
        QTest::keySequence(&fixture.window, QKeySequence::Copy);
        QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("lock:orders"));
    }

    /// A real server counts all commands: a window that only watches must not send a write command.
    void watching_writesNothing()
    {
        for (int i = 0; i < 50; ++i)
            QVERIFY(redis({"SET", "k" + QByteArray::number(i), "v", "PX", QByteArray::number(60'000 + i)}).isOk());
        QVERIFY(redis({"CONFIG", "RESETSTAT"}).isOk());
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 50);
        fixture.choose(QStringLiteral("k7"));
        fixture.click("copyKey");
        fixture.table().sortByColumn(KeyTableModel::ValueColumn, Qt::AscendingOrder);
        LATCHKEY_AWAIT(fixture.cell(0, KeyTableModel::ValueColumn) == u"v");
        const QByteArray statistics = redis({"INFO", "commandstats"}).bytes();
        static const QRegularExpression name(QStringLiteral("cmdstat_([^:]+):"));
        const QSet<QString> reading {
            QStringLiteral("scan"), QStringLiteral("pttl"), QStringLiteral("type"), QStringLiteral("strlen"),
            QStringLiteral("getrange"), QStringLiteral("dbsize"), QStringLiteral("info"), QStringLiteral("ping"),
            QStringLiteral("client|setname"), QStringLiteral("config|resetstat"),
            // Commands that receive changes without changing a setting.
            QStringLiteral("client|id"), QStringLiteral("client|tracking"), QStringLiteral("client|no-touch"),
            QStringLiteral("config|get"), QStringLiteral("subscribe"),
            // Commands that ask for permissions.
            QStringLiteral("command|list")};
        for (auto match = name.globalMatch(QString::fromLatin1(statistics)); match.hasNext();) {
            const QString command = match.next().captured(1);
            QVERIFY2(reading.contains(command), qPrintable(command));
        }
    }

    void message_movesNothing()
    {
        QVERIFY(redis({"SET", "lock", "v"}).isOk());
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 1);
        const auto place = [&] {
            return QRect(fixture.table().mapTo(&fixture.window, QPoint()), fixture.table().size());
        };
        const QRect before = place();
        auto &url = fixture.widget<QLineEdit>("serverUrl");
        url.setFocus();
        url.setText(QStringLiteral("elsewhere"));
        QTest::keyClick(&url, Qt::Key_Return);
        LATCHKEY_AWAIT(!bannerText(fixture).isEmpty());
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        QCOMPARE(place(), before);
    }

    void window_opensNoLargerThanTheScreen()
    {
        MainWindowFixture fixture;
        ui::shell::MainWindow window(fixture.workspace, fixture.appearance, fixture.languageSwitcher);
        const QSize available = window.screen()->availableGeometry().size();
        QVERIFY(window.width() <= available.width() && window.height() <= available.height());
    }

    void colours_areChosenAtTheRail()
    {
        MainWindowFixture fixture;
        auto &mode = fixture.widget<QToolButton>("appearanceMode");
        QTest::mouseClick(&mode, Qt::LeftButton);
        QCOMPARE(fixture.appearance.mode(), ui::theme::Appearance::Mode::Light);
        QTest::mouseClick(&mode, Qt::LeftButton);
        QCOMPARE(fixture.appearance.mode(), ui::theme::Appearance::Mode::Dark);
        QCOMPARE(fixture.settings.appearanceMode(), ui::theme::Appearance::Mode::Dark);
        QTest::mouseClick(&mode, Qt::LeftButton);
    }

    void tab_visitsAllFieldsInVisualOrder()
    {
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        fixture.window.activateWindow();
        LATCHKEY_AWAIT(fixture.window.isActiveWindow());
        fixture.widget<QLineEdit>("serverUrl").setFocus();
        QStringList met;
        for (int i = 0; i < 20; ++i) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
            met += QApplication::focusWidget()->objectName();
        }
        const QString inspector = QStringLiteral("showAll filter recordButton exportButton tellingNote groupKeys "
                                                 "showTimeline showDetails leaseTable");
        QVERIFY2(met.join(u' ').contains(inspector), qPrintable(met.join(u' ')));
    }

    void barAndTitle_nameTheServerOfThePage()
    {
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        auto &url = fixture.widget<QLineEdit>("serverUrl");
        fixture.click("pausePolling");
        QTest::mouseClick(&fixture.widget<QToolButton>("playgroundButton"), Qt::LeftButton);
        LATCHKEY_AWAIT(fixture.workspace.playgroundServer() != nullptr);
        const QString privateServer = fixture.workspace.playgroundServer()->endpoint().display();
        QVERIFY(privateServer != server->url());
        QCOMPARE(url.text(), privateServer);
        QVERIFY(fixture.window.windowTitle().startsWith(privateServer));
        LATCHKEY_AWAIT(fixture.widget<Pill>("connectionState").text() == u"private server");
        QVERIFY(!fixture.button("pausePolling").isChecked());
        QVERIFY(!fixture.workspace.playgroundServer()->watcher().isPaused());

        QTest::mouseClick(&fixture.widget<QToolButton>("inspectorButton"), Qt::LeftButton);
        QCOMPARE(url.text(), server->url());
        QVERIFY(fixture.window.windowTitle().startsWith(server->url()));
        QVERIFY(fixture.button("pausePolling").isChecked());
        QVERIFY(fixture.workspace.inspected()->watcher().isPaused());

        // A URL entered in the bar opens in the Inspector, whatever the current page.
        const TestServer another;
        QTest::mouseClick(&fixture.widget<QToolButton>("playgroundButton"), Qt::LeftButton);
        url.selectAll();
        QTest::keyClicks(&url, another.url());
        QTest::keyClick(&url, Qt::Key_Return);
        LATCHKEY_AWAIT(fixture.window.windowTitle().startsWith(another.url()));
        QVERIFY(fixture.widget<QToolButton>("inspectorButton").isChecked());
        QCOMPARE(url.text(), another.url());
    }

    /// As the command line and a double click open it.
    void storyFile_isShownOnItsPage()
    {
        MainWindowFixture fixture;
        fixture.window.openStory(QStringLiteral(LATCHKEY_SOURCE_DIR "/resources/stories/02-free-after-the-lease.json"));
        QVERIFY(fixture.widget<QWidget>("stories").isVisible());
        QCOMPARE(fixture.widget<QLabel>("storyOrigin").text(), QStringLiteral("File 02-free-after-the-lease.json"));
        fixture.window.openStory(QStringLiteral("/nowhere/none.json"));
        QVERIFY(fixture.widget<QLabel>("storyProblem").text().contains(QStringLiteral("No such file")));
    }

    void everyControl_hasAName()
    {
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        QTest::mouseClick(&fixture.widget<QToolButton>("playgroundButton"), Qt::LeftButton);
        for (const QAbstractButton *button : fixture.window.findChildren<QAbstractButton *>()) {
            const bool isQts = button->objectName().startsWith(QStringLiteral("qt_"))
                            || button->parent()->inherits("QLineEdit") || button->parent()->inherits("QTableView")
                            || button->parent()->inherits("QSpinBox");
            QVERIFY2(isQts || !button->objectName().isEmpty(), qPrintable(button->text()));
            QVERIFY2(isQts || !button->accessibleName().isEmpty() || !button->text().isEmpty() || !button->isVisible(),
                     qPrintable(button->objectName()));
        }
        for (const QLineEdit *edit : fixture.window.findChildren<QLineEdit *>())
            QVERIFY2(!edit->accessibleName().isEmpty() || edit->objectName().startsWith(QStringLiteral("qt_")),
                     qPrintable(edit->objectName()));
    }
};

LATCHKEY_WINDOW_TEST(TestMainWindow)

} // namespace tst_mainwindow

#include "tst_mainwindow.moc"
