#include "tests/support/mainwindowfixture.h"
#include "tests/support/testprogram.h"
#include "tests/ui/wholewidgets.h"
#include "ui/pages/detail/detailpanel.h"
#include "ui/pages/playground/clientcard.h"

#include <QAction>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QTest>
#include <QToolButton>

namespace tst_hostile {

using namespace latchkey;
using playground::ClientProcess;
using test::checkWindow;
using test::isDangerous;
using test::MainWindowFixture;
using test::TestServer;
using ui::playground::ClientCard;
using ui::widgets::Banner;
using watching::Watcher;

namespace {

/// Part of every hostile text: a widget that interprets it as HTML loads the file.
const QByteArray image = "<img src=\"/etc/passwd\">";

struct Hostile
{
    const char *name;
    QByteArray bytes;
};

const std::vector<Hostile> &hostiles()
{
    static const std::vector<Hostile> all {
        {"html", image + "<b>bold</b>"},
        {"binary", image + QByteArray("\x00\xff\x1b[31m\n", 8)},
        {"long", image + QByteArray(65'536, 'x')},
        {"chinese", image + QByteArray("锁：订单四千七百一十一").repeated(4)},
        {"right to left", image + QByteArray("קופה:שלום ") + QByteArray("عربة:سلة").repeated(3)},
        {"turned", image + QByteArray("\u202eevil\u2066")},
        {"percent", image + "%1 %n %2 %L1"},
    };
    return all;
}

void checkToolTips(const QAbstractItemModel &model)
{
    for (int row = 0; row < model.rowCount(); ++row) {
        for (int column = 0; column < model.columnCount(); ++column)
            QVERIFY(!isDangerous(model.index(row, column).data(Qt::ToolTipRole).toString()));
    }
}

} // namespace

/// Tests of the window at its smallest size with hostile keys and values. CTest runs them three times: normally, at
/// double size, and from right to left.
class TestHostile final : public QObject
{
    Q_OBJECT

    static void addHostiles()
    {
        QTest::addColumn<QByteArray>("bytes");
        for (const Hostile &hostile : hostiles())
            QTest::addRow("%s", hostile.name) << hostile.bytes;
    }

private Q_SLOTS:
    void playground_showsItAsText_data() { addHostiles(); }
    void playground_showsItAsText()
    {
        QFETCH(QByteArray, bytes);
        MainWindowFixture fixture;
        fixture.window.resize(960, 560);
        QTest::mouseClick(&fixture.widget<QToolButton>("playgroundButton"), Qt::LeftButton);
        LATCHKEY_AWAIT(fixture.button("addClient").isEnabled());
        fixture.click("addClient");
        fixture.click("addClient");
        const QList<ClientCard *> cards = fixture.window.findChildren<ClientCard *>();
        for (const ClientCard *card : cards)
            LATCHKEY_AWAIT(card->client().state() == ClientProcess::State::Idle);
        locks::LockOptions options;
        options.key = base::Key(bytes);
        options.token = base::OwnerToken(bytes);
        cards[0]->client().acquire(QStringLiteral("token"), options);
        LATCHKEY_AWAIT(cards[0]->client().state() == ClientProcess::State::Holding);
        cards[1]->client().acquire(QStringLiteral("token"), options);
        LATCHKEY_AWAIT(!cards[1]->findChild<QLabel *>(QStringLiteral("clientMessage"))->text().isEmpty());
        LATCHKEY_AWAIT(fixture.workspace.playgroundServer()->store().liveCount() > 0);
        QCOMPARE(fixture.window.size(), QSize(960, 560));
        checkWindow(fixture.window);
        checkToolTips(*fixture.widget<QListView>("wire").model());
        cards[0]->client().crash();
        LATCHKEY_AWAIT(cards[0]->client().state() == ClientProcess::State::Dead);
        checkWindow(fixture.window);
    }

    void inspector_showsItAsText_data() { addHostiles(); }
    void inspector_showsItAsText()
    {
        QFETCH(QByteArray, bytes);
        TestServer server;
        QVERIFY(server({"SET", bytes, bytes, "PX", "600000"}).isOk());
        QVERIFY(!server({"HSET", bytes + ":hash", bytes, bytes}).isError());
        MainWindowFixture fixture;
        fixture.window.resize(960, 560);
        fixture.workspace.open(server.endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 2);
        LATCHKEY_AWAIT(!fixture.cell(0, ui::keytable::KeyTableModel::ValueColumn).isEmpty());
        // selectRow() selects nothing in a right-to-left window.
        fixture.table().selectionModel()->select(fixture.table().model()->index(0, 0),
                                                 QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
        checkWindow(fixture.window);
        checkToolTips(*fixture.table().model());
        fixture.workspace.inspected()->setArmed(true);
        LATCHKEY_AWAIT(fixture.button("deleteKey").isEnabled());
        fixture.click("deleteKey");
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("deleteDialog"));
        checkWindow(*fixture.dialog<QDialog>("deleteDialog"));
        fixture.click("deleteConfirm");
        LATCHKEY_AWAIT(fixture.rows() < 2 || !fixture.window.findChildren<Banner *>().isEmpty());
        checkWindow(fixture.window);
    }

    void panelsAndDialogs_showItAsText_data() { addHostiles(); }
    void panelsAndDialogs_showItAsText()
    {
        QFETCH(QByteArray, bytes);
        TestServer server;
        const QByteArray key = "lock:" + bytes;
        QVERIFY(server({"SET", key, bytes, "PX", "600000"}).isOk());
        MainWindowFixture fixture;
        fixture.window.resize(960, 560);
        fixture.workspace.open(server.endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 1);
        fixture.click("showDetails");
        fixture.click("showTimeline");
        fixture.table().selectionModel()->setCurrentIndex(
            fixture.table().model()->index(0, 0), QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
        const auto *detail = fixture.window.findChild<ui::detail::DetailPanel *>();
        LATCHKEY_AWAIT(detail->shown() && detail->shown()->value);
        QVERIFY(server({"SET", key, bytes + "2", "PX", "600000"}).isOk()); // The previous hold becomes history.
        LATCHKEY_AWAIT(detail->shown() && detail->shown()->value && detail->shown()->value->bytes() != bytes);
        const auto &wire = fixture.widget<QListView>("detailWireLog");
        LATCHKEY_AWAIT(wire.isVisible() && fixture.widget<QWidget>("leaseChart").isVisible());
        checkWindow(fixture.window);
        checkToolTips(*wire.model());

        const auto check = [&](const char *name) {
            LATCHKEY_AWAIT(fixture.dialog<QDialog>(name));
            checkWindow(*fixture.dialog<QDialog>(name));
            fixture.dialog<QDialog>(name)->reject();
            LATCHKEY_AWAIT(!fixture.dialog<QDialog>(name));
        };
        const auto trigger = [&](const QKeySequence &shortcut) {
            for (QAction *action : fixture.table().actions()) {
                if (action->shortcut() == shortcut)
                    return action->trigger();
            }
            QFAIL(qPrintable(shortcut.toString()));
        };
        trigger(Qt::CTRL | Qt::SHIFT | Qt::Key_T);
        check("traceDialog");
        fixture.click("armWrites");
        check("armDialog");
        fixture.workspace.inspected()->setArmed(true);
        LATCHKEY_AWAIT(fixture.button("setEnd").isEnabled());
        fixture.click("setEnd");
        check("endDialog");
        for (const char *name : {"thisIsALock", "ownPatterns"}) {
            auto *action = fixture.window.findChild<QAction *>(QLatin1String(name));
            QVERIFY2(action != nullptr && action->isEnabled(), name);
            action->trigger();
            check(*name == 't' ? "lockPatternDialog" : "ownPatternsDialog");
        }
    }

    void message_isText_data() { addHostiles(); }
    void message_isText()
    {
        QFETCH(QByteArray, bytes);
        MainWindowFixture fixture;
        fixture.window.resize(960, 560);
        auto &url = fixture.widget<QLineEdit>("serverUrl");
        url.setFocus();
        url.setText(QString::fromUtf8(bytes));
        QTest::keyClick(&url, Qt::Key_Return);
        LATCHKEY_AWAIT(!fixture.window.findChildren<Banner *>().isEmpty());
        checkWindow(fixture.window);
    }

    void bar_keepsItsPositionWithAnyText()
    {
        MainWindowFixture fixture;
        fixture.window.resize(960, 560);
        fixture.workspace.open(*net::Endpoint::fromUrl(QStringLiteral("redis://127.0.0.1:1")));
        LATCHKEY_AWAIT(fixture.button("connectionRemedy").isVisible());
        QCOMPARE(fixture.window.size(), QSize(960, 560));
        checkWindow(fixture.window);
        TestServer server;
        QVERIFY(server({"CONFIG", "SET", "requirepass", "secret"}).isOk());
        fixture.workspace.open(server.endpoint());
        LATCHKEY_AWAIT(!fixture.window.findChildren<Banner *>().isEmpty());
        QCOMPARE(fixture.window.size(), QSize(960, 560));
        checkWindow(fixture.window);
    }
};

LATCHKEY_WINDOW_TEST(TestHostile)

} // namespace tst_hostile

#include "tst_hostile.moc"
