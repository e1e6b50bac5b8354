#include "core/redis/net/dialer.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"
#include "ui/pages/detail/clienttext.h"
#include "ui/pages/inspector/inspectorpage.h"
#include "ui/pages/inspector/kindsigns.h"

#include <QAction>
#include <QApplication>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>

namespace tst_lockview {

using namespace latchkey;
using test::TestServer;
using ui::detail::DetailPanel;
using ui::inspector::InspectorPage;
using ui::keytable::KeyTableModel;
using ui::keytable::KeyTableView;
using namespace std::chrono_literals;

namespace {

const QByteArray token = "7f0c1d2e-3b4a-4c5d-8e6f-a1b2c3d4e5f6";

/// The page with locks, with a real server.
struct Fixture
{
    explicit Fixture(TestServer &testServer, int width = 1400)
        : server(testServer)
        , inspected(testServer.endpoint(), false, base::SystemClock::instance(), base::SystemRandom::instance())
    {
        page.resize(width, 700);
        page.show();
        page.activateWindow();
        page.setServer(&inspected);
        inspected.start();
    }

    [[nodiscard]] QPushButton &button(const char *name) const
    {
        auto *found = page.findChild<QPushButton *>(QString::fromLatin1(name));
        if (found == nullptr)
            qFatal("the page has no %s", name);
        return *found;
    }
    [[nodiscard]] KeyTableView &table() const { return *page.findChild<KeyTableView *>(); }
    [[nodiscard]] DetailPanel &detail() const { return *page.findChild<DetailPanel *>(); }
    [[nodiscard]] bool shows(int column) const { return !table().isColumnHidden(column); }
    [[nodiscard]] QString cell(int row, int column) const
    {
        return table().keyModel()->index(row, column).data().toString();
    }
    void set(const QByteArray &key, const QByteArray &value) const
    {
        QVERIFY(server({"SET", key, value, "PX", "600000"}).isOk());
    }

    TestServer &server;
    ui::theme::Appearance appearance {*qobject_cast<QApplication *>(QCoreApplication::instance())};
    ui::widgets::Messages messages;
    mutable inspection::InspectedServer inspected;
    InspectorPage page {appearance, messages, base::SystemClock::instance()};
};

} // namespace

class TestLockView final : public QObject
{
    Q_OBJECT

    std::unique_ptr<TestServer> server;

private Q_SLOTS:
    void init() { server = std::make_unique<TestServer>(); }
    void cleanup() { server.reset(); }

    void withoutLocks_nothingIsReportedAboutThem()
    {
        const Fixture fixture(*server);
        fixture.set("colour", "red");
        LATCHKEY_AWAIT(fixture.table().keyModel()->rowCount() == 1
                       && fixture.cell(0, KeyTableModel::ValueColumn) == u"red");
        QVERIFY(!fixture.shows(KeyTableModel::KindColumn));
        QVERIFY(!fixture.shows(KeyTableModel::HolderColumn));
        QVERIFY(!fixture.shows(KeyTableModel::FindingsColumn));
        QVERIFY(fixture.shows(KeyTableModel::TypeColumn));
        QCOMPARE(fixture.button("showLocks").text(), QStringLiteral("Locks"));
    }

    void lock_isNamedWithItsHolder()
    {
        const Fixture fixture(*server);
        fixture.set("lock:order", token);
        LATCHKEY_AWAIT(fixture.shows(KeyTableModel::KindColumn)
                       && !fixture.cell(0, KeyTableModel::KindColumn).isEmpty());
        QCOMPARE(fixture.cell(0, KeyTableModel::HolderColumn), QString::fromLatin1(token));
        QCOMPARE(fixture.button("showLocks").text(), QStringLiteral("Locks 1"));
    }

    void clientOfAHolder_isReportedWithItsGrounds_data()
    {
        using detection::ClientMatch;
        QTest::addColumn<detection::HolderClients::HolderClient>("matched");
        QTest::addColumn<QString>("text");
        const auto row = [](const char *name, auto &&change, const char *text) {
            detection::HolderClients::HolderClient matched;
            matched.match.clients = {{7, "127.0.0.1:52314", "worker-7", "redis-py", "5.0.1", 185s, 0s, "set"}};
            change(matched);
            QTest::addRow("%s", name) << matched << QString::fromUtf8(text);
        };
        row(
            "all", [](auto &) {},
            "127.0.0.1:52314, worker-7, redis-py 5.0.1, connected for 3 min (inferred from its name)");
        row(
            "an older server",
            [](auto &matched) {
                matched.match.clients.front().library.clear();
                matched.match.clients.front().libraryVersion.clear();
                matched.match.clients.front().age = 59s;
            },
            "127.0.0.1:52314, worker-7, connected for less than a minute (inferred from its name)");
        row(
            "without a name",
            [](auto &matched) {
                matched.match.criterion = ClientMatch::Criterion::Address;
                matched.match.clients.front() = {7, "[::1]:4000", "", "", "", 7200s, 0s, ""};
            },
            "[::1]:4000, connected for 2 h (inferred from its address)");
        row(
            "gone", [](auto &matched) { matched.isConnected = false; },
            "127.0.0.1:52314, worker-7, redis-py 5.0.1, no longer connected (inferred from its name)");
        row(
            "one of several",
            [](auto &matched) {
                matched.match.clients.insert(matched.match.clients.end(), 2, matched.match.clients.front());
                matched.match.clients.front().age = 72h;
                matched.match.criterion = ClientMatch::Criterion::HostAndPid;
            },
            "127.0.0.1:52314, worker-7, redis-py 5.0.1, connected for 3 d, and 2 more connections (inferred from the "
            "host and process in its name)");
        row(
            "hostile",
            [](auto &matched) {
                matched.match.clients.front().name = "\xff<b>\x1b";
                matched.match.clients.front().library.clear();
                matched.match.criterion = ClientMatch::Criterion::Id;
            },
            "127.0.0.1:52314, \\xff<b>\\x1b, connected for 3 min (inferred from its number)");
    }
    void clientOfAHolder_isReportedWithItsGrounds()
    {
        QFETCH(detection::HolderClients::HolderClient, matched);
        QTEST(ui::detail::clientText(matched), "text");
    }

    void clientOfTheHolder_standsInTheDetails()
    {
        const Fixture fixture(*server);
        fixture.button("showDetails").click();
        auto worker = net::dialBlocking(server->endpoint(), 30s);
        QVERIFY(worker && worker->connection->execute(resp::Command {"CLIENT", "SETNAME", "worker-<b>7"}, 30s));
        fixture.set("lock:order", "{\"owner\":\"worker-<b>7\"}");
        LATCHKEY_AWAIT(fixture.table().keyModel()->rowCount() == 1);
        fixture.table().selectRow(0);
        const auto client = [&] {
            const auto &shown = fixture.detail().shown();
            const QList<ui::detail::DetailRow> facts = shown ? shown->facts : QList<ui::detail::DetailRow>();
            const auto found = std::ranges::find(facts, QStringLiteral("Client"), &ui::detail::DetailRow::name);
            return found == facts.end() ? QString() : found->value;
        };
        LATCHKEY_AWAIT(client().contains(u"worker-<b>7, connected for less than a minute (inferred from its name)"));
        for (const QLabel *label : fixture.detail().findChildren<QLabel *>())
            QVERIFY(label->textFormat() == Qt::PlainText);
        worker->connection.reset();
        LATCHKEY_AWAIT(client().contains(u"no longer connected"));
        LATCHKEY_AWAIT(!fixture.detail().shown()->findings.isEmpty());
        QCOMPARE(fixture.detail().shown()->findings.front().title, QStringLiteral("its client has left"));
    }

    void deniedClientList_isShown()
    {
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-client|list"}).isOk());
        const Fixture fixture(*server);
        fixture.button("showDetails").click();
        fixture.set("lock:order", "worker-7");
        LATCHKEY_AWAIT(fixture.table().keyModel()->rowCount() == 1);
        fixture.table().selectRow(0);
        LATCHKEY_AWAIT(fixture.detail().shown()
                       && std::ranges::any_of(fixture.detail().shown()->facts, [](const auto &row) {
                              return row.name == u"Client" && row.value.contains(QLatin1String("NOPERM"));
                          }));
    }

    void chipOfTheLocks_showsNothingElse()
    {
        const Fixture fixture(*server);
        for (int i = 0; i < 20; ++i)
            fixture.set("colour:" + QByteArray::number(i), "red");
        fixture.set("lock:order", token);
        fixture.set("lock:stock", "1");
        LATCHKEY_AWAIT(fixture.inspected.locks().lockCount() == 2 && fixture.button("showLocks").text() == u"Locks 2");
        fixture.button("showLocks").click();
        LATCHKEY_AWAIT(fixture.table().keyModel()->rowCount() == 2);
        // A new lock appears automatically, and a gone lock disappears.
        fixture.set("lock:new", token);
        LATCHKEY_AWAIT(fixture.table().keyModel()->rowCount() == 3);
        QVERIFY((*server)({"DEL", "lock:new", "lock:order", "lock:stock"}).isInteger(3));
        LATCHKEY_AWAIT(fixture.table().keyModel()->rowCount() == 0);
        QVERIFY2(fixture.button("showLocks").isVisible(), "the chosen chip must not vanish under the user");
    }

    /// From no key to many, with locks and findings that appear and go.
    void chips_stayInPlaceWhenCountsChange()
    {
        const Fixture fixture(*server, 1500);
        LATCHKEY_AWAIT(fixture.inspected.watcher().phase() == watching::Watcher::Phase::Watching);
        const auto places = [&] {
            QList<QRect> result;
            for (const char *name : {"showAll", "showLocks", "showExpiring", "showPersistent", "showFindings"})
                result += fixture.button(name).isVisible() ? fixture.button(name).geometry() : QRect();
            return result;
        };
        const QList<QRect> before = places();
        const auto say = [&](const char *locks, const char *expiring) {
            return fixture.button("showLocks").text() == QLatin1String(locks)
                && fixture.button("showExpiring").text() == QLatin1String(expiring);
        };
        fixture.set("lock:order", token);
        LATCHKEY_AWAIT(say("Locks 1", "Expiring 1"));
        QCOMPARE(places(), before);
        for (int i = 0; i < 119; ++i)
            fixture.set("lock:" + QByteArray::number(i), "1");
        LATCHKEY_AWAIT(say("Locks 120", "Expiring 120"));
        QCOMPARE(places(), before);
        fixture.button("showExpiring").click();
        QVERIFY((*server)({"FLUSHDB"}).isOk());
        LATCHKEY_AWAIT(say("Locks", "Expiring"));
        QCOMPARE(places(), before);
    }

    /// A truncated count would be wrong.
    void counts_areWholeOrNotThere()
    {
        for (int i = 0; i < 120; ++i) {
            QVERIFY((*server)({"SET", "lock:" + QByteArray::number(i), "1"}).isOk()); // Each of them is also a finding.
            QVERIFY((*server)({"SET", "page:" + QByteArray::number(i), "x", "PX", "600000"}).isOk());
        }
        const Fixture fixture(*server, 1500);
        const auto &locks = fixture.button("showLocks");
        const auto &expiring = fixture.button("showExpiring");
        LATCHKEY_AWAIT(locks.text() == u"Locks 120" && expiring.text() == u"Expiring 120");
        const auto isWhole = [&] {
            for (const char *name : {"showAll", "showLocks", "showExpiring", "showPersistent", "showFindings"}) {
                const QPushButton &chip = fixture.button(name);
                if (chip.isVisible() && chip.width() < chip.sizeHint().width())
                    return false;
            }
            return true;
        };
        const auto resize = [&](int width) { const_cast<InspectorPage &>(fixture.page).resize(width, 500); };
        const int least = fixture.page.minimumSizeHint().width();
        for (const int width : {1500, 1100, 1000, 900, 864, least}) {
            resize(width);
            LATCHKEY_AWAIT(fixture.page.width() == width && isWhole());
        }
        QCOMPARE(expiring.text(), QStringLiteral("Expiring"));
        QCOMPARE(expiring.toolTip(), QStringLiteral("Expiring 120"));
        resize(1500);
        LATCHKEY_AWAIT(expiring.text() == u"Expiring 120" && expiring.toolTip().isEmpty());
    }

    void eachFamily_hasAnIconOfItsOwn()
    {
        QSet<QString> icons;
        ui::theme::Appearance appearance(*qApp);
        constexpr int families = static_cast<int>(recognition::Family::Presence) + 1;
        for (int family = 0; family < families; ++family) {
            const ui::keytable::KindSign sign = ui::inspector::kindSign(static_cast<recognition::Family>(family));
            QVERIFY(!sign.text.isEmpty());
            // A missing icon would end the program.
            QVERIFY(!appearance.pixmap(sign.icon, Qt::black, 16, 1).isNull());
            icons += sign.icon;
        }
        QCOMPARE(icons.size(), families);
    }

    void kindOfLock_isShownByItsIcon()
    {
        const Fixture fixture(*server);
        fixture.set("lock:order", token);
        QVERIFY(
            (*server)({"HSET", "orders", "mode", "read", "0f6a1b2c-3d4e-4f60-9182-93a4b5c6d7e8:17", "2"}).isInteger());
        LATCHKEY_AWAIT(fixture.inspected.locks().lockCount() == 2);
        const auto sign = [&](const QString &key, int role) {
            for (int row = 0; row < fixture.table().keyModel()->rowCount(); ++row) {
                if (fixture.cell(row, KeyTableModel::KeyColumn) == key)
                    return fixture.table().keyModel()->index(row, KeyTableModel::KindColumn).data(role).toString();
            }
            return QString();
        };
        LATCHKEY_AWAIT(sign(QStringLiteral("lock:order"), KeyTableModel::KindIconRole) == u"lock");
        LATCHKEY_AWAIT(sign(QStringLiteral("orders"), KeyTableModel::KindIconRole) == u"readwrite");
        QVERIFY(sign(QStringLiteral("orders"), Qt::ToolTipRole).contains(QLatin1String("many readers, or one writer")));
    }

    void constantValue_isReportedAsRecordingNoHolder()
    {
        const Fixture fixture(*server);
        fixture.set("lock:stock", "1");
        LATCHKEY_AWAIT(fixture.cell(0, KeyTableModel::HolderColumn) == u"not recorded");
    }

    void narrowTable_leavesTheKeysRoom()
    {
        const Fixture fixture(*server, 760);
        fixture.set("lock:order", token);
        LATCHKEY_AWAIT(fixture.shows(KeyTableModel::KindColumn));
        QVERIFY(!fixture.shows(KeyTableModel::ValueColumn));
        QVERIFY(!fixture.shows(KeyTableModel::TypeColumn));
        QVERIFY(fixture.table().columnWidth(KeyTableModel::KeyColumn) >= 120);
    }

    void tableWithoutRoom_keepsKeyAndTimeLeft()
    {
        const Fixture fixture(*server, 868); // The width in a window of 960 pixels.
        fixture.set("lock:order", token);
        QVERIFY((*server)({"SET", "lock:for:ever", "locked"}).isOk()); // This key has a finding.
        LATCHKEY_AWAIT(fixture.shows(KeyTableModel::FindingsColumn));
        fixture.button("showDetails").click();
        LATCHKEY_AWAIT(fixture.detail().isVisible() && !fixture.shows(KeyTableModel::HolderColumn));
        const auto isWhole = [&](int column) {
            const QHeaderView &header = *fixture.table().horizontalHeader();
            const int right = header.sectionViewportPosition(column) + header.sectionSize(column);
            return fixture.shows(column) && right <= fixture.table().viewport()->width();
        };
        for (int column = 0; column < KeyTableModel::ColumnCount; ++column)
            LATCHKEY_AWAIT(!fixture.shows(column) || isWhole(column));
        QVERIFY(isWhole(KeyTableModel::TimeLeftColumn));
        QVERIFY(fixture.table().columnWidth(KeyTableModel::KeyColumn) >= 110);
        fixture.button("showDetails").click();
        LATCHKEY_AWAIT(fixture.shows(KeyTableModel::HolderColumn)); // The column returns with the room.
    }

    void details_tellOfTheChosenKey()
    {
        const Fixture fixture(*server);
        fixture.set("lock:order", token);
        LATCHKEY_AWAIT(fixture.inspected.locks().lockCount() == 1 && fixture.table().keyModel()->rowCount() == 1);
        QVERIFY(!fixture.detail().isVisible());
        fixture.button("showDetails").click();
        QVERIFY(fixture.detail().isVisible());
        QVERIFY(!fixture.detail().shown().has_value());
        fixture.table().selectRow(0);
        LATCHKEY_AWAIT(fixture.detail().shown() && !fixture.detail().shown()->kind.isEmpty());
        const ui::detail::KeyDetail shown = *fixture.detail().shown();
        QCOMPARE(shown.key, QStringLiteral("lock:order"));
        QVERIFY(!shown.evidence.isEmpty());
        QCOMPARE(fixture.detail().findChild<QPlainTextEdit *>()->toPlainText(), QString::fromLatin1(token));
        // First another holder, then no lock.
        fixture.set("lock:order", "another");
        LATCHKEY_AWAIT(fixture.detail().shown() && fixture.detail().shown()->value
                       && fixture.detail().shown()->value->bytes() == "another");
        QVERIFY((*server)({"DEL", "lock:order"}).isInteger(1));
        // The key may return, so its past stays visible.
        LATCHKEY_AWAIT(fixture.detail().shown() && !fixture.detail().shown()->exists);
        QCOMPARE(fixture.detail().shown()->key, QStringLiteral("lock:order"));
        QVERIFY(!fixture.detail().shown()->holds.isEmpty());
        fixture.set("lock:order", "a third");
        LATCHKEY_AWAIT(fixture.detail().shown() && fixture.detail().shown()->exists);
        fixture.table().clearSelection();
        LATCHKEY_AWAIT(!fixture.detail().shown());
    }

    /// The curve of a lock starts when the lock was found; that of any other key, when it is selected.
    void courseOfItsTime_isDrawn_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addRow("lock") << QByteArray("lock:order");
        QTest::addRow("no lock") << QByteArray("page:7");
    }
    void courseOfItsTime_isDrawn()
    {
        QFETCH(QByteArray, key);
        const Fixture fixture(*server);
        fixture.set(key, key.startsWith("lock") ? token : QByteArray("<html>"));
        fixture.button("showDetails").click();
        LATCHKEY_AWAIT(fixture.table().keyModel()->rowCount() == 1);
        fixture.table().selectRow(0);
        const auto &chart = *fixture.detail().findChild<ui::detail::LeaseChart *>();
        LATCHKEY_AWAIT(chart.isVisible() && chart.curve().segments.size() == 1);
        QVERIFY((*server)({"PEXPIRE", key, "900000"}).isInteger(1));
        LATCHKEY_AWAIT(chart.curve().segments.size() == 2 && chart.curve().segments.back().isMoved);
        QVERIFY((*server)({"DEL", key}).isInteger(1));
        LATCHKEY_AWAIT(chart.curve().finishes.size() == 1 && chart.isVisible());
        // Another key has another curve; a key without expiry has none.
        QVERIFY((*server)({"SET", "for ever", "x"}).isOk());
        LATCHKEY_AWAIT(fixture.table().keyModel()->rowCount() == 1);
        fixture.table().selectRow(0);
        LATCHKEY_AWAIT(fixture.detail().shown() && fixture.detail().shown()->key == u"for ever");
        QVERIFY(!chart.isVisible());
    }

    void holdsTogether_areSummedUp()
    {
        const Fixture fixture(*server);
        fixture.set("lock:order", token);
        fixture.button("showDetails").click();
        LATCHKEY_AWAIT(fixture.inspected.locks().lockCount() == 1 && fixture.table().keyModel()->rowCount() == 1);
        fixture.table().selectRow(0);
        const auto figure = [&](const QString &name) {
            if (!fixture.detail().shown())
                return QString();
            const auto &rows = fixture.detail().shown()->statistics;
            const auto found = std::ranges::find(rows, name, &ui::detail::DetailRow::name);
            return found == rows.end() ? QString() : found->value;
        };
        LATCHKEY_AWAIT(figure(QStringLiteral("Holds")) == u"1, of which 0 are over");
        QVERIFY(fixture.detail().findChild<QWidget *>(QStringLiteral("detailStatistics"))->isVisible());
        fixture.set("lock:order", "another");
        LATCHKEY_AWAIT(figure(QStringLiteral("Holds")) == u"2, of which 1 are over");
        LATCHKEY_AWAIT(!figure(QStringLiteral("Taken over")).isEmpty());
        // Each hold states the uncertainty of its times and its unobserved parts.
        const QStringList &holds = fixture.detail().shown()->holds;
        QVERIFY2(holds.last().contains(QLatin1String("there before")), qPrintable(holds.join(u'\n')));
        QVERIFY(holds.last().contains(QLatin1String("at least ")));
    }

    void commandLog_showsOnlyTheCommandsOnTheKey()
    {
        const Fixture fixture(*server);
        fixture.set("page:7", "seven");
        fixture.set("page:8", "eight");
        LATCHKEY_AWAIT(fixture.table().keyModel()->rowCount() == 2);
        const auto *wire = fixture.detail().findChild<ui::commandlog::CommandLogView *>();
        fixture.button("showDetails").click();
        QVERIFY(!wire->isVisible());
        const auto choose = [&](const QString &key) {
            fixture.table().selectRow(fixture.cell(0, KeyTableModel::KeyColumn) == key ? 0 : 1);
        };
        const auto says = [&](const QString &start) {
            for (int row = 0; row < wire->model()->rowCount(); ++row) {
                if (wire->model()->index(row, 0).data().toString().startsWith(start))
                    return true;
            }
            return false;
        };
        choose(QStringLiteral("page:7"));
        LATCHKEY_AWAIT(says(QStringLiteral("watching  PTTL page:7 \u2192 (integer) ")));
        LATCHKEY_AWAIT(wire->isVisible());
        fixture.detail().findChild<QPushButton *>(QStringLiteral("valueRead"))->click();
        LATCHKEY_AWAIT(says(QStringLiteral("reading  TYPE page:7 \u2192 string")));
        for (int row = 0; row < wire->model()->rowCount(); ++row)
            QVERIFY(!wire->model()->index(row, 0).data().toString().contains(QLatin1String("page:8")));
        // Repeated commands are counted and do not displace other lines.
        LATCHKEY_AWAIT(wire->model()->index(0, 0).data().toString().contains(QChar(0x00d7)));
        choose(QStringLiteral("page:8"));
        LATCHKEY_AWAIT(says(QStringLiteral("watching  PTTL page:8")));
        QVERIFY(!says(QStringLiteral("reading")));
        // A hidden log receives no commands.
        fixture.button("showDetails").click();
        LATCHKEY_AWAIT(wire->model()->rowCount() == 0);
    }

    void hostileValue_isPlainTextInTheDetails()
    {
        const Fixture fixture(*server);
        const QByteArray hostile = "<img src=\"file:///etc/passwd\"><b>bold</b>\n\x01\xff";
        fixture.set("lock:<b>order</b>", hostile);
        fixture.button("showDetails").click();
        LATCHKEY_AWAIT(fixture.table().keyModel()->rowCount() == 1);
        fixture.table().selectRow(0);
        LATCHKEY_AWAIT(fixture.detail().shown() && fixture.detail().shown()->value);
        for (const QLabel *label : fixture.detail().findChildren<QLabel *>())
            QCOMPARE(label->textFormat(), Qt::PlainText);
        QCOMPARE(fixture.detail().shown()->key, QStringLiteral("lock:<b>order</b>"));
        const QString text = fixture.detail().findChild<QPlainTextEdit *>()->toPlainText();
        QVERIFY(text.contains(QLatin1String("3c 69 6d 67"))); // In hexadecimal, because it is no text.
    }

    void renewedLock_hasItsSawToothInTheTable()
    {
        const Fixture fixture(*server);
        fixture.set("lock:renewed", token);
        fixture.set("lock:still", "worker-7");
        LATCHKEY_AWAIT(fixture.inspected.locks().lockCount() == 2);
        const auto renewals = [&](const QByteArray &key) {
            const auto id = fixture.inspected.store().known().table.find(key);
            const int row = id ? fixture.table().keyModel()->rows().rowOf(*id) : -1;
            return fixture.table().keyModel()->index(row, KeyTableModel::TimeLeftColumn);
        };
        for (int renewal = 1; renewal <= 3; ++renewal) {
            QVERIFY(!renewals("lock:renewed").data(KeyTableModel::RenewalsRole).isValid() || renewal > 2);
            QVERIFY((*server)({"PEXPIRE", "lock:renewed", QByteArray::number(600'000 + renewal * 1000)}).isInteger(1));
            LATCHKEY_AWAIT(fixture.inspected.locks().ttlHistory("lock:renewed")->renewals() == renewal);
        }
        const auto shown = renewals("lock:renewed").data(KeyTableModel::RenewalsRole).value<ui::keytable::Renewals>();
        QCOMPARE(shown.count, 3);
        QVERIFY(shown.depth() >= 0 && shown.depth() < 1);
        QVERIFY(renewals("lock:renewed").data(Qt::ToolTipRole).toString().contains(QLatin1String("renewed 3 times")));
        QVERIFY(!renewals("lock:still").data(KeyTableModel::RenewalsRole).isValid());
        QVERIFY(!renewals("lock:still").data(Qt::ToolTipRole).toString().contains(QLatin1String("renewed")));
    }

    void longName_ofAKindDoesNotWidenTheDetails()
    {
        const Fixture fixture(*server);
        fixture.button("showDetails").click();
        const QString name = QStringLiteral("<b>%1</b>").arg(QString(300, u'x'));
        fixture.inspected.locks().setDialects(*recognition::Dialects::builtIn().with(
            QStringLiteral("mine.json"),
            "{\"format\":\"latchkey-dialects\",\"version\":1,\"dialects\":[{\"id\":\"x\",\"title\":\"" + name.toUtf8()
                + "\",\"family\":\"lock\",\"forms\":[{\"type\":\"string\",\"name\":\"^lock:.*$\",\"hints\":[\"lock:\"],"
                  "\"value\":\"any\",\"alone\":\"certain\"}]}]}"));
        fixture.set("lock:order", token);
        LATCHKEY_AWAIT(fixture.inspected.locks().lockCount() == 1);
        const int width = fixture.detail().width();
        fixture.table().selectRow(0);
        const auto &pill = *fixture.detail().findChild<ui::widgets::Pill *>();
        LATCHKEY_AWAIT(pill.isVisible() && pill.text() == name);
        LATCHKEY_AWAIT(pill.width() > 0 && pill.width() < width);
        QCOMPARE(fixture.detail().width(), width);
        QVERIFY(fixture.detail().findChild<QWidget *>(QStringLiteral("detailContent"))->width() <= width);
        QCOMPARE(pill.accessibleName(), name);
        QVERIFY(pill.toolTip().contains(QLatin1String("&lt;b&gt;xxx"))
                && !pill.toolTip().contains(QLatin1String("<b>")));
    }

    void divisionOfThePage_isRemembered()
    {
        QByteArray layout;
        {
            const Fixture fixture(*server);
            fixture.button("showDetails").click();
            layout = fixture.page.saveLayout();
        }
        Fixture fixture(*server);
        fixture.page.restoreLayout("nonsense");
        QVERIFY(!fixture.detail().isVisible());
        fixture.page.restoreLayout(layout);
        QVERIFY(fixture.detail().isVisible());
        QVERIFY(fixture.button("showDetails").isChecked());
        QVERIFY(!fixture.button("groupKeys").isChecked());
    }

    /// Grouping and its separator are saved.
    void groupingOfTheKeys_isRemembered()
    {
        QByteArray layout;
        {
            const Fixture fixture(*server);
            const QList<QAction *> choices = fixture.button("groupKeys").actions();
            QCOMPARE(choices.size(), 2);
            QVERIFY(choices.first()->isChecked());
            choices.last()->trigger(); // Choosing a grouping also applies it.
            QVERIFY(fixture.button("groupKeys").isChecked());
            layout = fixture.page.saveLayout();
        }
        Fixture fixture(*server);
        for (const QByteArray key : {"a:b:c", "a:b:d", "a:e"})
            fixture.set(key, "x");
        fixture.page.restoreLayout(layout);
        QVERIFY(fixture.button("groupKeys").isChecked());
        const auto groups = [&] {
            QByteArrayList prefixes;
            for (int row = 0; row < fixture.table().keyModel()->rowCount(); ++row) {
                const QVariant group = fixture.table().keyModel()->index(row, 0).data(KeyTableModel::GroupRole);
                if (group.isValid())
                    prefixes += group.toByteArray();
            }
            return prefixes;
        };
        LATCHKEY_AWAIT(groups() == (QByteArrayList {"a:", "a:b:"}));
        fixture.button("groupKeys").actions().first()->trigger();
        LATCHKEY_AWAIT(groups() == QByteArrayList {"a:"});
        fixture.button("groupKeys").click();
        LATCHKEY_AWAIT(groups().isEmpty());
        // A layout of an older version has no grouping.
        constexpr int withoutGrouping = 4 + 1 + 1 + 4; // Mark, two panels, width.
        fixture.page.restoreLayout(layout.first(withoutGrouping));
        QVERIFY(!fixture.button("groupKeys").isChecked());
    }
};

LATCHKEY_WINDOW_TEST(TestLockView)

} // namespace tst_lockview

#include "tst_lockview.moc"
