#include "tests/support/mainwindowfixture.h"
#include "tests/support/testprogram.h"

#include <QAbstractItemView>
#include <QLineEdit>
#include <QTest>

namespace tst_serverurl {

using namespace latchkey;
using net::Session;
using test::MainWindowFixture;
using test::TestServer;
using ui::widgets::Banner;

namespace {

bool isSomethingSaid(const MainWindowFixture &bench)
{
    return std::ranges::any_of(bench.window.findChildren<Banner *>(),
                               [](const Banner *banner) { return banner->isVisible(); });
}

} // namespace

/// Tests of the URL field with its list of recent servers, operated by keyboard. Field, title and connection must
/// always name the same server.
class TestServerUrl final : public QObject
{
    Q_OBJECT

    std::unique_ptr<TestServer> server;

    void openServer(MainWindowFixture &bench)
    {
        bench.workspace.open(server->endpoint());
        LATCHKEY_AWAIT(bench.workspace.inspected()->session().state() == Session::State::Ready);
    }
    /// Sends a key to the open list, as a desktop does, or else to the field.
    static void press(int key)
    {
        QWidget *list = QApplication::activePopupWidget();
        QTest::keyClick(list != nullptr ? list : QApplication::focusWidget(), static_cast<Qt::Key>(key));
    }
    static void type(const QString &text)
    {
        for (const QChar c : text) {
            QWidget *list = QApplication::activePopupWidget();
            QTest::keyClick(list != nullptr ? list : QApplication::focusWidget(), c.toLatin1());
        }
    }
    /// Presses Ctrl+L with a filled list of recent servers: databases 1 to 3 of the server.
    QLineEdit &editUrl(MainWindowFixture &bench)
    {
        bench.window.activateWindow();
        for (int database = 1; database <= 3; ++database)
            bench.settings.rememberServer(server->url() + QStringLiteral("?db=%1").arg(database));
        [&] { openServer(bench); }();
        [&] { LATCHKEY_AWAIT(bench.window.isActiveWindow()); }();
        QTest::keyClick(&bench.window, Qt::Key_L, Qt::ControlModifier);
        return bench.widget<QLineEdit>("serverUrl");
    }
    /// Verifies that field, title and connection name the same server.
    void verifyConnectedTo(const MainWindowFixture &bench, const QString &url) const
    {
        LATCHKEY_AWAIT(bench.workspace.inspected()->session().state() == Session::State::Ready);
        QCOMPARE(bench.workspace.inspected()->endpoint().display(), url);
        QCOMPARE(bench.widget<QLineEdit>("serverUrl").text(), url);
        QVERIFY(bench.window.windowTitle().startsWith(url + u' '));
        QVERIFY(QApplication::activePopupWidget() == nullptr);
    }

private Q_SLOTS:
    void init() { server = std::make_unique<TestServer>(); }
    void cleanup() { server.reset(); }

    void recentUrlThatIsTyped_isTheOneThatTheFieldShows_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::addRow("the latest") << QStringLiteral("?db=3");
        QTest::addRow("an older one") << QStringLiteral("?db=1");
        QTest::addRow("the beginning of all of them") << QString();
        QTest::addRow("none of them") << QStringLiteral("?db=7");
    }
    void recentUrlThatIsTyped_isTheOneThatTheFieldShows()
    {
        QFETCH(QString, typed);
        MainWindowFixture bench;
        QLineEdit &url = editUrl(bench);
        type(server->url().chopped(1)); // The list is open now.
        QVERIFY(QApplication::activePopupWidget() != nullptr);
        type(server->url().last(1) + typed);
        QCOMPARE(url.text(), server->url() + typed);
        press(Qt::Key_Return);
        verifyConnectedTo(bench, server->url() + typed);
    }

    void recentUrlThatIsChosenWithArrows_isOpened()
    {
        MainWindowFixture bench;
        QLineEdit &url = editUrl(bench);
        type(QStringLiteral("u"));
        LATCHKEY_AWAIT(QApplication::activePopupWidget() != nullptr);
        while (url.text() != server->url() + QStringLiteral("?db=2"))
            press(Qt::Key_Down);
        press(Qt::Key_Return);
        verifyConnectedTo(bench, server->url() + QStringLiteral("?db=2"));
    }

    void recentUrlThatIsClicked_isOpened()
    {
        MainWindowFixture bench;
        (void)editUrl(bench);
        type(QStringLiteral("u"));
        LATCHKEY_AWAIT(QApplication::activePopupWidget() != nullptr);
        auto *list = qobject_cast<QAbstractItemView *>(QApplication::activePopupWidget());
        const QModelIndexList found =
            list->model()->match(list->model()->index(0, 0), Qt::DisplayRole, server->url() + QStringLiteral("?db=2"));
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(found.front()).center());
        verifyConnectedTo(bench, server->url() + QStringLiteral("?db=2"));
    }

    void tabWhileTheListIsOpen_connectsNowhere()
    {
        MainWindowFixture bench;
        (void)editUrl(bench);
        type(server->url().chopped(1));
        QVERIFY(QApplication::activePopupWidget() != nullptr);
        press(Qt::Key_Tab);
        verifyConnectedTo(bench, server->url());
    }

    void urlThatIsNotEntered_isDropped()
    {
        MainWindowFixture bench;
        QLineEdit &url = editUrl(bench);
        type(QStringLiteral("unix:///elsewhere"));
        QCOMPARE(url.property("kind").toString(), QStringLiteral("draft"));
        press(Qt::Key_Escape);
        verifyConnectedTo(bench, server->url());
        QCOMPARE(url.property("kind").toString(), QString());

        type(QStringLiteral("elsewhere"));
        press(Qt::Key_Return);
        LATCHKEY_AWAIT(isSomethingSaid(bench)); // The invalid text stays, so that the user can correct it.
        QCOMPARE(url.text(), QStringLiteral("elsewhere"));
        bench.table().setFocus();
        verifyConnectedTo(bench, server->url());
        QVERIFY(!isSomethingSaid(bench));
    }
};

LATCHKEY_WINDOW_TEST(TestServerUrl)

} // namespace tst_serverurl

#include "tst_serverurl.moc"
