#include "tests/support/mainwindowfixture.h"
#include "tests/support/testprogram.h"
#include "ui/shell/shell/serverurledit.h"

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

bool isSomethingSaid(const MainWindowFixture &fixture)
{
    return std::ranges::any_of(fixture.window.findChildren<Banner *>(),
                               [](const Banner *banner) { return banner->isVisible(); });
}

} // namespace

/// Tests of the URL field with its list of recent servers, operated by keyboard. Field, title and connection must
/// always name the same server.
class TestServerUrl final : public QObject
{
    Q_OBJECT

    std::unique_ptr<TestServer> server;

    void openServer(MainWindowFixture &fixture)
    {
        fixture.workspace.open(server->endpoint());
        LATCHKEY_AWAIT(fixture.workspace.inspected()->session().state() == Session::State::Ready);
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
    QLineEdit &editUrl(MainWindowFixture &fixture)
    {
        fixture.window.activateWindow();
        for (int database = 1; database <= 3; ++database)
            fixture.settings.rememberServer(server->url() + QStringLiteral("?db=%1").arg(database));
        [&] { openServer(fixture); }();
        [&] { LATCHKEY_AWAIT(fixture.window.isActiveWindow()); }();
        QTest::keyClick(&fixture.window, Qt::Key_L, Qt::ControlModifier);
        return fixture.widget<QLineEdit>("serverUrl");
    }
    /// Verifies that field, title and connection name the same server.
    void verifyConnectedTo(const MainWindowFixture &fixture, const QString &url) const
    {
        LATCHKEY_AWAIT(fixture.workspace.inspected()->session().state() == Session::State::Ready);
        QCOMPARE(fixture.workspace.inspected()->endpoint().display(), url);
        QCOMPARE(fixture.widget<QLineEdit>("serverUrl").text(), url);
        QVERIFY(fixture.window.windowTitle().startsWith(url + u' '));
        QVERIFY(QApplication::activePopupWidget() == nullptr);
    }

private Q_SLOTS:
    void init() { server = std::make_unique<TestServer>(); }
    void cleanup() { server.reset(); }

    /// The end of a URL has the port and the database.
    void longUrl_isElidedInTheMiddle()
    {
        MainWindowFixture fixture;
        fixture.window.resize(960, 560);
        const QString url = QStringLiteral("redis://inspector@redis-locks.production.eu-central-1.invalid:16379/12");
        fixture.workspace.open(net::Endpoint::fromUrl(url).value());
        const auto &field = fixture.widget<ui::shell::ServerUrlEdit>("serverUrl");
        LATCHKEY_AWAIT(field.text() == url && !field.hasFocus());
        LATCHKEY_AWAIT(field.shownText() != url);
        QVERIFY(field.shownText().startsWith(QStringLiteral("redis://")));
        QVERIFY2(field.shownText().endsWith(QStringLiteral(":16379/12")), qPrintable(field.shownText()));
        QVERIFY(field.fontMetrics().horizontalAdvance(field.shownText()) <= field.width());
        QVERIFY(field.toolTip().contains(QStringLiteral("production.eu-central-1")));
        fixture.window.activateWindow();
        LATCHKEY_AWAIT(fixture.window.isActiveWindow());
        QTest::keyClick(&fixture.window, Qt::Key_L, Qt::ControlModifier);
        LATCHKEY_AWAIT(field.hasFocus());
        QCOMPARE(field.shownText(), url);
    }

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
        MainWindowFixture fixture;
        QLineEdit &url = editUrl(fixture);
        type(server->url().chopped(1)); // The list is open now.
        QVERIFY(QApplication::activePopupWidget() != nullptr);
        type(server->url().last(1) + typed);
        QCOMPARE(url.text(), server->url() + typed);
        press(Qt::Key_Return);
        verifyConnectedTo(fixture, server->url() + typed);
    }

    void recentUrlThatIsChosenWithArrows_isOpened()
    {
        MainWindowFixture fixture;
        QLineEdit &url = editUrl(fixture);
        type(QStringLiteral("u"));
        LATCHKEY_AWAIT(QApplication::activePopupWidget() != nullptr);
        while (url.text() != server->url() + QStringLiteral("?db=2"))
            press(Qt::Key_Down);
        press(Qt::Key_Return);
        verifyConnectedTo(fixture, server->url() + QStringLiteral("?db=2"));
    }

    void recentUrlThatIsClicked_isOpened()
    {
        MainWindowFixture fixture;
        (void)editUrl(fixture);
        type(QStringLiteral("u"));
        LATCHKEY_AWAIT(QApplication::activePopupWidget() != nullptr);
        auto *list = qobject_cast<QAbstractItemView *>(QApplication::activePopupWidget());
        const QModelIndexList found =
            list->model()->match(list->model()->index(0, 0), Qt::DisplayRole, server->url() + QStringLiteral("?db=2"));
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(found.front()).center());
        verifyConnectedTo(fixture, server->url() + QStringLiteral("?db=2"));
    }

    void tabWhileTheListIsOpen_connectsNowhere()
    {
        MainWindowFixture fixture;
        (void)editUrl(fixture);
        type(server->url().chopped(1));
        QVERIFY(QApplication::activePopupWidget() != nullptr);
        press(Qt::Key_Tab);
        verifyConnectedTo(fixture, server->url());
    }

    void urlThatIsNotEntered_isDropped()
    {
        MainWindowFixture fixture;
        QLineEdit &url = editUrl(fixture);
        type(QStringLiteral("unix:///elsewhere"));
        QCOMPARE(url.property("kind").toString(), QStringLiteral("draft"));
        press(Qt::Key_Escape);
        verifyConnectedTo(fixture, server->url());
        QCOMPARE(url.property("kind").toString(), QString());

        type(QStringLiteral("elsewhere"));
        press(Qt::Key_Return);
        LATCHKEY_AWAIT(isSomethingSaid(fixture)); // The invalid text stays, so that the user can correct it.
        QCOMPARE(url.text(), QStringLiteral("elsewhere"));
        fixture.table().setFocus();
        verifyConnectedTo(fixture, server->url());
        QVERIFY(!isSomethingSaid(fixture));
    }
};

LATCHKEY_WINDOW_TEST(TestServerUrl)

} // namespace tst_serverurl

#include "tst_serverurl.moc"
