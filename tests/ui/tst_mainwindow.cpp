#include "tests/support/windowbench.h"
#include "ui/inspector/deletedialog.h"

#include <QClipboard>
#include <QDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScreen>
#include <QTest>
#include <QToolButton>

#include <csignal>

using namespace latchkey;
using resp::Session;
using test::TestServer;
using test::WindowBench;
using ui::keytable::KeyTableModel;
using ui::widgets::Banner;
using ui::widgets::Pill;

namespace {

QString labelText(const WindowBench &bench, const char *testName)
{
    for (const QLabel *label : bench.window.findChildren<QLabel *>()) {
        if (label->property("testName").toString() == QLatin1String(testName))
            return label->text();
    }
    return {};
}

QString counts(const WindowBench &bench)
{
    return labelText(bench, "counts");
}

/// The text of whichever banner is open.
QString bannerText(const WindowBench &bench)
{
    for (const Banner *banner : bench.window.findChildren<Banner *>()) {
        if (banner->isVisible())
            return banner->text();
    }
    return {};
}

QPushButton *bannerAction(const WindowBench &bench)
{
    for (Banner *banner : bench.window.findChildren<Banner *>()) {
        if (banner->isVisible())
            return banner->findChild<QPushButton *>(QStringLiteral("bannerAction"));
    }
    return nullptr;
}

} // namespace

class TestMainWindow final : public QObject
{
    Q_OBJECT

    std::unique_ptr<TestServer> server;

    resp::Reply redis(std::initializer_list<QByteArray> command) { return (*server)(command); }
    void openServer(WindowBench &bench)
    {
        bench.workspace.open(server->endpoint());
        LATCHKEY_AWAIT(bench.workspace.inspected()->watcher().phase() == keyspace::Watcher::Phase::Watching);
    }

private Q_SLOTS:
    void init() { server = std::make_unique<TestServer>(); }
    void cleanup() { server.reset(); }

    void realLocks_areShownWithEverythingThatIsKnown()
    {
        QVERIFY(redis({"SET", "lock:orders", "token-of-ann", "PX", "60000"}).isOk());
        QVERIFY(!redis({"HSET", "cart", "item", "book"}).isError());
        WindowBench bench;
        openServer(bench);
        LATCHKEY_AWAIT(bench.rows() == 2);
        LATCHKEY_AWAIT(bench.cell(0, KeyTableModel::ValueColumn) == u"token-of-ann");
        QCOMPARE(bench.keys(), (QStringList {QStringLiteral("lock:orders"), QStringLiteral("cart")}));
        QCOMPARE(bench.cell(0, KeyTableModel::TypeColumn), QStringLiteral("string"));
        QVERIFY(bench.cell(0, KeyTableModel::TimeLeftColumn).endsWith(QStringLiteral(" s")));
        QVERIFY(!bench.cell(0, KeyTableModel::EndColumn).isEmpty());
        QCOMPARE(bench.cell(1, KeyTableModel::TypeColumn), QStringLiteral("hash"));
        QCOMPARE(bench.cell(1, KeyTableModel::ValueColumn), QStringLiteral("1 field: item: book"));
        QCOMPARE(bench.cell(1, KeyTableModel::TimeLeftColumn), QStringLiteral("no expiry"));
        LATCHKEY_AWAIT(counts(bench) == u"2 keys  ·  1 without expiry");

        QCOMPARE(bench.widget<Pill>("connectionState").text(), QStringLiteral("connected"));
        QVERIFY(bench.widget<QLabel>("serverVersion").text().startsWith(QStringLiteral("Redis ")));
        LATCHKEY_AWAIT(bench.widget<QLabel>("roundTrip").text().endsWith(QStringLiteral(" ms")));
        LATCHKEY_AWAIT(!bench.button("commandsPerSecond").text().startsWith(QStringLiteral("0 ")));
        QVERIFY(bench.window.windowTitle().startsWith(server->url()));
    }

    void releasedLock_goesAtOnceAndIsNamed()
    {
        QVERIFY(redis({"SET", "lock", "v", "PX", "60000"}).isOk());
        WindowBench bench;
        openServer(bench);
        LATCHKEY_AWAIT(bench.rows() == 1);
        QVERIFY(redis({"DEL", "lock"}).isInteger(1));
        LATCHKEY_AWAIT(bench.rows() == 0);
        LATCHKEY_AWAIT(
            labelText(bench, "goneSummary").startsWith(QStringLiteral("1 gone within the last minute: lock removed ")));
    }

    void filter_byTextPatternAndExpiry()
    {
        for (const char *key : {"lock:a", "lock:b", "cache:a"})
            QVERIFY(redis({"SET", key, "v", "PX", "60000"}).isOk());
        QVERIFY(redis({"SET", "lock:stuck", "v"}).isOk());
        WindowBench bench;
        openServer(bench);
        LATCHKEY_AWAIT(bench.rows() == 4);
        auto &filter = bench.widget<QLineEdit>("filter");
        QTest::keyClicks(&filter, QStringLiteral("lock"));
        LATCHKEY_AWAIT(bench.rows() == 3);
        LATCHKEY_AWAIT(counts(bench).endsWith(QStringLiteral("3 shown")));
        bench.click("showPersistent");
        LATCHKEY_AWAIT(bench.keys() == QStringList {QStringLiteral("lock:stuck")});
        bench.click("showExpiring");
        LATCHKEY_AWAIT(bench.rows() == 2);
        QTest::keyClick(&filter, Qt::Key_Escape);
        LATCHKEY_AWAIT(bench.rows() == 3);
        bench.click("showAll");
        QTest::keyClicks(&filter, QStringLiteral("*:[b-z]*"));
        LATCHKEY_AWAIT(bench.keys() == (QStringList {QStringLiteral("lock:b"), QStringLiteral("lock:stuck")}));
        filter.setText(QStringLiteral("nothing like it"));
        LATCHKEY_AWAIT(bench.rows() == 0);
        LATCHKEY_AWAIT(bench.button("emptyAction").isVisible());
        bench.click("emptyAction");
        LATCHKEY_AWAIT(bench.rows() == 4);
    }

    void everyColumn_sortsByAClickOnItsHeader()
    {
        QVERIFY(redis({"SET", "b", "alpha", "PX", "90000"}).isOk());
        QVERIFY(redis({"SET", "a", "gamma", "PX", "60000"}).isOk());
        QVERIFY(!redis({"RPUSH", "c", "beta"}).isError());
        WindowBench bench;
        openServer(bench);
        LATCHKEY_AWAIT(bench.rows() == 3);
        const auto clickHeader = [&](int column) {
            QHeaderView &header = *bench.table().horizontalHeader();
            QTest::mouseClick(header.viewport(), Qt::LeftButton, {},
                              QPoint(header.sectionViewportPosition(column) + 20, 10));
        };
        const auto order = [&] { return bench.keys().join(QString()); };
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
        WindowBench bench;
        openServer(bench);
        LATCHKEY_AWAIT(bench.rows() == 1);
        QVERIFY(!bench.button("copyKey").isEnabled());
        bench.choose(QStringLiteral("lock:orders"));
        bench.click("copyKey");
        QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("lock:orders"));
        bench.click("copyCommand");
        QCOMPARE(QGuiApplication::clipboard()->text(),
                 QStringLiteral("redis-cli -s %1 PTTL lock:orders").arg(server->endpoint().path));
        QGuiApplication::clipboard()->clear();
        bench.table().setFocus();
        QTest::keySequence(&bench.window, QKeySequence::Copy);
        QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("lock:orders"));
    }

    void stuckKey_isDeletedOnceArmed()
    {
        QVERIFY(redis({"SET", "lock:stuck", "locking"}).isOk());
        WindowBench bench;
        openServer(bench);
        LATCHKEY_AWAIT(bench.rows() == 1);
        QCOMPARE(bench.button("armWrites").text(), QStringLiteral("Watching only"));
        bench.choose(QStringLiteral("lock:stuck"));

        // Not armed: asks first, and nothing happens if the answer is no.
        bench.click("deleteKey");
        LATCHKEY_AWAIT(bench.dialog<QDialog>("armDialog"));
        bench.dialog<QDialog>("armDialog")->reject();
        QVERIFY(!bench.workspace.inspected()->isArmed());
        QVERIFY(redis({"EXISTS", "lock:stuck"}).isInteger(1));

        bench.click("armWrites");
        LATCHKEY_AWAIT(bench.dialog<QDialog>("armDialog"));
        bench.click("armConfirm");
        LATCHKEY_AWAIT(bench.button("armWrites").text() == u"Writes armed");

        bench.click("deleteKey");
        LATCHKEY_AWAIT(bench.dialog<QDialog>("deleteDialog"));
        QCOMPARE(bench.widget<QLabel>("deleteKey").text(), QStringLiteral("lock:stuck"));
        QCOMPARE(bench.widget<QLabel>("deleteValue").text(), QStringLiteral("locking"));
        QCOMPARE(bench.widget<QLabel>("deleteTimeLeft").text(), QStringLiteral("no expiry"));
        bench.click("deleteConfirm");
        LATCHKEY_AWAIT(bannerText(bench) == u"lock:stuck was deleted.");
        QVERIFY(redis({"EXISTS", "lock:stuck"}).isInteger(0));

        bench.click("armWrites");
        LATCHKEY_AWAIT(!bench.workspace.inspected()->isArmed());
    }

    void keyThatHasChanged_isNotDeleted()
    {
        QVERIFY(redis({"SET", "lock", "ann", "PX", "60000"}).isOk());
        WindowBench bench;
        openServer(bench);
        LATCHKEY_AWAIT(bench.rows() == 1);
        bench.workspace.inspected()->setArmed(true);
        bench.choose(QStringLiteral("lock"));
        bench.click("deleteKey");
        LATCHKEY_AWAIT(bench.dialog<QDialog>("deleteDialog"));
        QVERIFY(redis({"SET", "lock", "bob", "PX", "60000"}).isOk());
        bench.click("deleteConfirm");
        LATCHKEY_AWAIT(bannerText(bench) == u"lock was not deleted: it is not what it was when you looked.");
        QVERIFY(redis({"GET", "lock"}).isBulk("bob"));
    }

    /// A real server counts every command: a window that only watches must not send one that writes.
    void watching_writesNothing()
    {
        for (int i = 0; i < 50; ++i)
            QVERIFY(redis({"SET", "k" + QByteArray::number(i), "v", "PX", QByteArray::number(60'000 + i)}).isOk());
        QVERIFY(redis({"CONFIG", "RESETSTAT"}).isOk());
        WindowBench bench;
        openServer(bench);
        LATCHKEY_AWAIT(bench.rows() == 50);
        bench.choose(QStringLiteral("k7"));
        bench.click("copyKey");
        bench.table().sortByColumn(KeyTableModel::ValueColumn, Qt::AscendingOrder);
        LATCHKEY_AWAIT(bench.cell(0, KeyTableModel::ValueColumn) == u"v");
        const QByteArray statistics = redis({"INFO", "commandstats"}).bytes();
        static const QRegularExpression name(QStringLiteral("cmdstat_([^:]+):"));
        const QSet<QString> reading {QStringLiteral("scan"), QStringLiteral("pttl"), QStringLiteral("type"),
                                     QStringLiteral("strlen"), QStringLiteral("getrange"), QStringLiteral("dbsize"),
                                     QStringLiteral("info"), QStringLiteral("ping"), QStringLiteral("client|setname"),
                                     QStringLiteral("config|resetstat"),
                                     // To be told of changes, without a setting being changed.
                                     QStringLiteral("client|id"), QStringLiteral("client|tracking"),
                                     QStringLiteral("config|get"), QStringLiteral("subscribe")};
        for (auto match = name.globalMatch(QString::fromLatin1(statistics)); match.hasNext();) {
            const QString command = match.next().captured(1);
            QVERIFY2(reading.contains(command), qPrintable(command));
        }
    }

    void unreadableUrl_isRefusedAndNothingChanges()
    {
        WindowBench bench;
        openServer(bench);
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
        WindowBench bench;
        bench.window.activateWindow();
        auto &url = bench.widget<QLineEdit>("serverUrl");
        url.setText(server->url() + QStringLiteral("?db=3"));
        QTest::keyClick(&url, Qt::Key_Return);
        LATCHKEY_AWAIT(bench.workspace.inspected()
                       && bench.workspace.inspected()->session().state() == Session::State::Ready);
        QCOMPARE(bench.workspace.inspected()->endpoint().database, 3);
        QCOMPARE(bench.settings.lastServer(), server->url() + QStringLiteral("?db=3"));
    }

    void message_movesNothing()
    {
        QVERIFY(redis({"SET", "lock", "v"}).isOk());
        WindowBench bench;
        openServer(bench);
        LATCHKEY_AWAIT(bench.rows() == 1);
        const auto place = [&] { return QRect(bench.table().mapTo(&bench.window, QPoint()), bench.table().size()); };
        const QRect before = place();
        auto &url = bench.widget<QLineEdit>("serverUrl");
        url.setFocus();
        url.setText(QStringLiteral("elsewhere"));
        QTest::keyClick(&url, Qt::Key_Return);
        LATCHKEY_AWAIT(!bannerText(bench).isEmpty());
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        QCOMPARE(place(), before);
    }

    void window_opensNoLargerThanTheScreen()
    {
        WindowBench bench;
        ui::shell::MainWindow window(bench.workspace, bench.appearance);
        const QSize available = window.screen()->availableGeometry().size();
        QVERIFY(window.width() <= available.width() && window.height() <= available.height());
    }

    void serverThatStopsAnswering_isSaidSinceWhen()
    {
        WindowBench bench;
        openServer(bench);
        QVERIFY(redis({"CLIENT", "PAUSE", "4000"}).isOk());
        LATCHKEY_AWAIT(bench.widget<Pill>("connectionState").text().startsWith(QStringLiteral("no answer since ")));
        LATCHKEY_AWAIT(bench.widget<Pill>("connectionState").text() == u"connected");
    }

    void refusedConnection_isSaidAndKeptTrying()
    {
        WindowBench bench;
        bench.workspace.open(resp::Endpoint::fromUrl(QStringLiteral("redis://127.0.0.1:1")).value());
        LATCHKEY_AWAIT(bench.widget<Pill>("connectionState").text() == u"no connection");
        LATCHKEY_AWAIT(bench.widget<QLabel>("emptyTitle").isVisible());
        LATCHKEY_AWAIT(bench.button("connectionRemedy").isEnabled());
        QCOMPARE(bench.button("connectionRemedy").text(), QStringLiteral("Try now"));
        QCOMPARE(bench.settings.lastServer(), QString());
    }

    void serverThatGoesAway_keepsTheView()
    {
        QVERIFY(redis({"SET", "lock", "v", "PX", "600000"}).isOk());
        WindowBench bench;
        openServer(bench);
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
        WindowBench bench;
        bench.workspace.open(server->endpoint());
        LATCHKEY_AWAIT(bannerAction(bench) && bannerAction(bench)->text() == u"Enter password…");
        QCOMPARE(bench.button("connectionRemedy").text(), QStringLiteral("Enter password…"));
        QCOMPARE(bench.button("connectionRemedy").property("kind").toString(), QStringLiteral("primary"));
        QCOMPARE(bench.workspace.inspected()->session().nextAttempt(), base::MonotonicTime::max());
        QTest::mouseClick(bannerAction(bench), Qt::LeftButton);
        LATCHKEY_AWAIT(bench.dialog<QDialog>("passwordDialog"));
        QTest::keyClicks(&bench.widget<QLineEdit>("password"), QStringLiteral("hunter2"));
        QTest::keyClick(&bench.widget<QLineEdit>("password"), Qt::Key_Return);
        LATCHKEY_AWAIT(bench.rows() == 1);
        QVERIFY(bannerText(bench).isEmpty()); // Its cause is over.
        QVERIFY(!bench.button("connectionRemedy").isVisible());
        QVERIFY(!bench.window.windowTitle().contains(QStringLiteral("hunter2")));
        QVERIFY(!bench.widget<QLineEdit>("serverUrl").text().contains(QStringLiteral("hunter2")));
        QFile kept(bench.folder.filePath(QStringLiteral("latchkey.ini")));
        bench.window.close();
        if (kept.open(QIODevice::ReadOnly))
            QVERIFY(!kept.readAll().contains("hunter2"));
    }

    void noServerAnywhere_startsAPrivateOneAndSaysSo()
    {
        WindowBench bench;
        bench.settings.rememberServer(QStringLiteral("redis://127.0.0.1:1"));
        bench.workspace.openUsual();
        LATCHKEY_AWAIT(bench.workspace.inspected()->isPrivate()
                       && bench.workspace.inspected()->session().state() == Session::State::Ready);
        QVERIFY2(bannerText(bench).startsWith(
                     QStringLiteral("No server answers at redis://127.0.0.1:1, so Latchkey has started a private one")),
                 qPrintable(bannerText(bench)));
        QCOMPARE(bench.button("armWrites").text(), QStringLiteral("Writes allowed"));
        QCOMPARE(bench.settings.lastServer(), QStringLiteral("redis://127.0.0.1:1"));
        LATCHKEY_AWAIT(bench.button("emptyAction").isVisible());
        QCOMPARE(bench.button("emptyAction").text(), QStringLiteral("Go to the Playground"));
    }

    void paused_asksNothing()
    {
        QVERIFY(redis({"SET", "lock", "v", "PX", "600000"}).isOk());
        WindowBench bench;
        openServer(bench);
        LATCHKEY_AWAIT(bench.rows() == 1);
        bench.click("pausePolling");
        QCOMPARE(bench.widget<Pill>("connectionState").text(), QStringLiteral("paused"));
        QVERIFY(bench.workspace.inspected()->watcher().isPaused());
        bench.click("pausePolling");
        QVERIFY(!bench.workspace.inspected()->watcher().isPaused());
    }

    void colours_areChosenAtTheRail()
    {
        WindowBench bench;
        auto &mode = bench.widget<QToolButton>("appearanceMode");
        QTest::mouseClick(&mode, Qt::LeftButton);
        QCOMPARE(bench.appearance.mode(), ui::theme::Appearance::Mode::Light);
        QTest::mouseClick(&mode, Qt::LeftButton);
        QCOMPARE(bench.appearance.mode(), ui::theme::Appearance::Mode::Dark);
        QCOMPARE(bench.settings.appearanceMode(), ui::theme::Appearance::Mode::Dark);
        QTest::mouseClick(&mode, Qt::LeftButton);
    }

    void deleteDialog_fitsTheScreenWhateverTheKey()
    {
        WindowBench bench;
        keyspace::KeySnapshot snapshot;
        snapshot.key = base::Key(QByteArray(512, 'k'));
        snapshot.type = keys::KeyType::String;
        snapshot.value = {keys::KeyType::String, 300, {QByteArray(300, 'v')}};
        ui::inspector::DeleteDialog dialog(bench.appearance, base::SystemClock::instance(), snapshot,
                                           QStringLiteral("redis://127.0.0.1:6379"), &bench.window);
        QVERIFY2(dialog.sizeHint().width() < 800, qPrintable(QString::number(dialog.sizeHint().width())));
        dialog.show();
        const auto *key = dialog.findChild<QLabel *>(QStringLiteral("deleteKey"));
        const auto *type = dialog.findChild<QLabel *>(QStringLiteral("deleteType"));
        QVERIFY(key->height() >= 8 * key->fontMetrics().lineSpacing());
        QVERIFY(type->y() >= key->geometry().bottom());
    }

    void tab_goesEverywhereInTheOrderOfTheEye()
    {
        WindowBench bench;
        openServer(bench);
        bench.window.activateWindow();
        LATCHKEY_AWAIT(bench.window.isActiveWindow());
        bench.widget<QLineEdit>("serverUrl").setFocus();
        QStringList met;
        for (int i = 0; i < 20; ++i) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
            met += QApplication::focusWidget()->objectName();
        }
        const QString inspector = QStringLiteral("showAll filter leaseTable");
        QVERIFY2(met.join(u' ').contains(inspector), qPrintable(met.join(u' ')));
    }

    void everyControl_hasAName()
    {
        WindowBench bench;
        openServer(bench);
        QTest::mouseClick(&bench.widget<QToolButton>("playgroundButton"), Qt::LeftButton);
        for (const QAbstractButton *button : bench.window.findChildren<QAbstractButton *>()) {
            const bool isQts = button->objectName().startsWith(QStringLiteral("qt_"))
                            || button->parent()->inherits("QLineEdit") || button->parent()->inherits("QTableView")
                            || button->parent()->inherits("QSpinBox");
            QVERIFY2(isQts || !button->objectName().isEmpty(), qPrintable(button->text()));
            QVERIFY2(isQts || !button->accessibleName().isEmpty() || !button->text().isEmpty() || !button->isVisible(),
                     qPrintable(button->objectName()));
        }
        for (const QLineEdit *edit : bench.window.findChildren<QLineEdit *>())
            QVERIFY2(!edit->accessibleName().isEmpty() || edit->objectName().startsWith(QStringLiteral("qt_")),
                     qPrintable(edit->objectName()));
    }
};

QTEST_MAIN(TestMainWindow)
#include "tst_mainwindow.moc"
