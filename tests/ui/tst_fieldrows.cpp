#include "tests/support/await.h"
#include "tests/support/fieldlifetimes.h"
#include "tests/support/testprogram.h"
#include "ui/pages/detail/fieldlist.h"
#include "ui/pages/inspector/inspectorpage.h"
#include "ui/views/keytable/keytext.h"

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QPushButton>
#include <QTest>
#include <QTreeWidget>

#include <csignal>

namespace tst_fieldrows {

using namespace latchkey;
using keys::FieldDeadlines;
using test::TestServer;
using ui::inspector::InspectorPage;
using ui::keytable::KeyTableModel;
using namespace std::chrono_literals;

namespace {

/// The page with its details, with a real server.
struct Fixture
{
    explicit Fixture(const net::Endpoint &endpoint)
        : inspected(endpoint, false, base::SystemClock::instance(), base::SystemRandom::instance())
    {
        page.resize(1280, 700);
        page.show();
        page.setServer(&inspected);
        inspected.start();
        page.findChild<QPushButton *>(QStringLiteral("showDetails"))->click();
    }

    [[nodiscard]] ui::keytable::KeyTableView &table() const { return *page.findChild<ui::keytable::KeyTableView *>(); }
    [[nodiscard]] QAbstractItemModel *model() const { return table().model(); }
    [[nodiscard]] QString timeLeft(int row, int role = Qt::DisplayRole) const
    {
        return model()->index(row, KeyTableModel::TimeLeftColumn).data(role).toString();
    }
    [[nodiscard]] QTreeWidget &list(const char *name) const
    {
        return *page.findChild<QTreeWidget *>(QString::fromLatin1(name));
    }
    [[nodiscard]] QStringList column(const char *name, int column) const
    {
        QStringList texts;
        for (int row = 0; row < list(name).topLevelItemCount(); ++row)
            texts += list(name).topLevelItem(row)->text(column);
        return texts;
    }
    [[nodiscard]] QString note() const
    {
        return page.findChild<QWidget *>(QStringLiteral("fieldList"))
            ->findChild<QLabel *>(QStringLiteral("caption"))
            ->text();
    }
    [[nodiscard]] bool isShown(const char *name) const
    {
        return page.findChild<QWidget *>(QString::fromLatin1(name))->isVisible();
    }
    void choose(int row) const { table().setCurrentIndex(model()->index(row, KeyTableModel::KeyColumn)); }

    ui::theme::Appearance appearance {*qobject_cast<QApplication *>(QCoreApplication::instance())};
    ui::widgets::Messages messages;
    mutable inspection::InspectedServer inspected;
    InspectorPage page {appearance, messages, base::SystemClock::instance()};
};

} // namespace

/// Tests of the expiries of hash fields in the table and in the detail panel.
class TestFieldRows final : public QObject
{
    Q_OBJECT

    std::unique_ptr<TestServer> server;
    bool tells = false; ///< Whether the server supports field expiries.

    /// Creates a hash with these expiring fields, in the order of their names. If the server does not support field
    /// expiries, the window receives simulated observations.
    void make(const Fixture &fixture, const QList<QByteArray> &fields, const QList<QByteArray> &others = {}) const
    {
        FieldDeadlines ends;
        resp::Command set {"HSET", "session"};
        for (const QByteArray &field : others + fields)
            set << field << "value";
        QVERIFY(!(*server)(set).isError());
        const auto now = base::SystemClock::instance().now();
        for (int i = 0; i < fields.size(); ++i) {
            const qint64 left = 500'000 + 100'000LL * i;
            if (tells)
                QVERIFY(
                    !(*server)({"HPEXPIRE", "session", QByteArray::number(left), "FIELDS", "1", fields[i]}).isError());
            ends.first.push_back({fields[i], base::Deadline(now + std::chrono::milliseconds(left), 1ms)});
        }
        ends.endingCount = fields.size();
        ends.readCount = ends.size = fields.size() + others.size();
        ends.isWhole = true;
        ends.last = ends.first.back().deadline;
        LATCHKEY_AWAIT(fixture.model() && fixture.model()->rowCount() == 1);
        if (!tells)
            fixture.inspected.dispatcher().deliver(
                {{"session", events::FieldExpiries {ends}, now, now, events::Source::Read}});
    }

private Q_SLOTS:
    void init()
    {
        server = std::make_unique<TestServer>();
        tells = test::hasFieldLifetimes(*server);
    }
    void cleanup() { server.reset(); }

    void row_showsWhenTheFirstFieldEnds()
    {
        const Fixture fixture(server->endpoint());
        make(fixture, {"a", "b"}, {"stays"});
        LATCHKEY_AWAIT(fixture.timeLeft(0).startsWith(QLatin1String("field 8 min ")));
        QVERIFY(fixture.timeLeft(0, Qt::ToolTipRole).contains(QLatin1String("No expiry")));
        QVERIFY2(fixture.timeLeft(0, Qt::ToolTipRole).contains(QLatin1String("2 fields expire")),
                 qPrintable(fixture.timeLeft(0, Qt::ToolTipRole)));
        QVERIFY(fixture.timeLeft(0, Qt::AccessibleTextRole).contains(QLatin1String("field 8 min ")));
        // A TTL of the key is shown instead.
        QVERIFY((*server)({"PEXPIRE", "session", "3600000"}).isInteger(1));
        LATCHKEY_AWAIT(fixture.timeLeft(0).startsWith(QLatin1String("59 min ")));
        QVERIFY(fixture.timeLeft(0, Qt::ToolTipRole).contains(QLatin1String("2 fields expire")));
    }

    void details_listTheFieldsInTheOrderInWhichTheyEnd()
    {
        const Fixture fixture(server->endpoint());
        const QByteArray binary("\xff\x00", 2);
        make(fixture, {"<b>first</b>", "第二", binary}, {"stays"});
        LATCHKEY_AWAIT(!fixture.timeLeft(0).startsWith(QLatin1String("no")));
        fixture.choose(0);
        LATCHKEY_AWAIT(fixture.isShown("detailFields"));
        QCOMPARE(fixture.column("fieldRows", 0),
                 (QStringList {QStringLiteral("<b>first</b>"), QStringLiteral("第二"), QStringLiteral("\\xff\\x00")}));
        for (const QString &left : fixture.column("fieldRows", 1))
            QVERIFY2(left.contains(QLatin1String(" min ")), qPrintable(left));
        QCOMPARE(fixture.note(), QStringLiteral("3 of 4 fields expire."));
        // Markup in the name is shown as text.
        QVERIFY(fixture.list("fieldRows").topLevelItem(0)->toolTip(0).contains(QLatin1String("&lt;b&gt;")));
        // The value view shows the expiries too, with an empty cell for a persistent field.
        LATCHKEY_AWAIT(fixture.list("valueRows").topLevelItemCount() == 4);
        LATCHKEY_AWAIT(!fixture.list("valueRows").isColumnHidden(2));
        const QStringList names = fixture.column("valueRows", 0);
        const QStringList ends = fixture.column("valueRows", 2);
        for (qsizetype i = 0; i < names.size(); ++i)
            QCOMPARE(ends[i].isEmpty(), names[i] == u"stays");
    }

    /// Acts on a field's row apply to its key; only copying uses the name of the field.
    void rowOfAField_isCopiedByItsName_andShowsItsKey()
    {
        const Fixture fixture(server->endpoint());
        make(fixture, {"<b>first</b>", "second"});
        LATCHKEY_AWAIT(!fixture.timeLeft(0).startsWith(QLatin1String("no")));
        fixture.choose(0);
        QTest::keyClick(&fixture.table(), Qt::Key_Right);
        QCOMPARE(fixture.model()->rowCount(), 3);
        QVERIFY(fixture.timeLeft(1).contains(QLatin1String(" min ")));
        fixture.choose(1);
        LATCHKEY_AWAIT(fixture.isShown("detailFields"));
        QTest::mouseClick(fixture.page.findChild<QPushButton *>(QStringLiteral("copyKey")), Qt::LeftButton);
        QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("<b>first</b>"));
        QVERIFY((*server)({"DEL", "session"}).isInteger(1));
        LATCHKEY_AWAIT(fixture.model()->rowCount() == 0);
    }

    /// The list counts down while it is visible.
    void countdown_continues()
    {
        const Fixture fixture(server->endpoint());
        make(fixture, {"a"});
        LATCHKEY_AWAIT(!fixture.timeLeft(0).startsWith(QLatin1String("no")));
        fixture.choose(0);
        LATCHKEY_AWAIT(fixture.isShown("detailFields"));
        QCOMPARE(fixture.note(), QStringLiteral("All fields expire; the key expires with the last one."));
        // The value is read after the expiries, and each reading fills its rows anew.
        const auto changes = [&](const char *list, int column) {
            QString before;
            LATCHKEY_AWAIT(!(before = fixture.column(list, column).value(0)).isEmpty());
            LATCHKEY_AWAIT(!fixture.column(list, column).value(0, before).isEmpty()
                           && fixture.column(list, column).value(0, before) != before);
        };
        changes("fieldRows", 1);
        changes("valueRows", 2);
    }

    /// If the table is frozen because the server is out of sight, the list is frozen too.
    void countdown_standsStillWithTheTable()
    {
        const Fixture fixture(server->endpoint());
        make(fixture, {"a"}, {"stays"});
        LATCHKEY_AWAIT(!fixture.timeLeft(0).startsWith(QLatin1String("no")));
        fixture.choose(0);
        LATCHKEY_AWAIT(fixture.isShown("detailFields") && !fixture.list("valueRows").isColumnHidden(2));
        const auto pid = static_cast<pid_t>(server->process().processId());
        const auto texts = [&] { return fixture.column("fieldRows", 1) + fixture.column("valueRows", 2); };
        ::kill(pid, SIGSTOP);
        const auto goOn = qScopeGuard([pid] { ::kill(pid, SIGCONT); });
        LATCHKEY_AWAIT(fixture.table().shownTime().isFrozen());
        int ticks = 0;
        QTimer timer;
        connect(&timer, &QTimer::timeout, this, [&] { ++ticks; });
        timer.start(50ms);
        LATCHKEY_AWAIT(ticks >= 2); // All widgets were notified.
        const QStringList still = texts();
        ticks = 0;
        LATCHKEY_AWAIT(ticks >= 25); // More than a second, so that a running countdown would have changed.
        QCOMPARE(texts(), still);
        ::kill(pid, SIGCONT);
        LATCHKEY_AWAIT(texts() != still);
    }

    /// Only a part of a large hash is read; unknown fields are shown as unknown.
    void fieldThatWasNotAsked_isNotTakenToStay()
    {
        const Fixture fixture(server->endpoint());
        make(fixture, {"a"}, {"other"});
        LATCHKEY_AWAIT(!fixture.timeLeft(0).startsWith(QLatin1String("no")));
        FieldDeadlines ends =
            *fixture.inspected.store().known().fieldEndsOf(*fixture.inspected.store().known().table.find("session"));
        ends.isWhole = false;
        ends.size = 900;
        ends.readCount = 500;
        if (tells) // The server would correct the simulated observation.
            QVERIFY((*server)({"ACL", "SETUSER", "default", "-hpttl"}).isOk());
        const auto now = base::SystemClock::instance().now();
        fixture.inspected.dispatcher().deliver(
            {{"session", events::FieldExpiries {ends}, now, now, events::Source::Read}});
        fixture.choose(0);
        LATCHKEY_AWAIT(fixture.timeLeft(0).startsWith(QStringLiteral("field ≤ ")));
        LATCHKEY_AWAIT(fixture.list("valueRows").topLevelItemCount() == 2);
        LATCHKEY_AWAIT(fixture.column("valueRows", 2).contains(QStringLiteral("?")));
    }

    void deniedHpttl_isReported()
    {
        if (!tells)
            QSKIP("this server has no lifetimes of fields (Redis 7.4, Valkey 9.0)");
        QVERIFY(!(*server)({"HSET", "session", "a", "1"}).isError());
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-hpttl"}).isOk());
        const Fixture fixture(server->endpoint());
        LATCHKEY_AWAIT(fixture.model() && fixture.model()->rowCount() == 1);
        fixture.choose(0);
        LATCHKEY_AWAIT(fixture.isShown("detailFields"));
        QVERIFY2(fixture.note().startsWith(QLatin1String("Expiry of the fields unknown: ")),
                 qPrintable(fixture.note()));
        QVERIFY(!fixture.isShown("fieldRows"));
    }

    /// A page of the value has the expiries of its own fields.
    void pageOfAValue_hasTheEndsOfItsFields()
    {
        if (!tells)
            QSKIP("this server has no lifetimes of fields (Redis 7.4, Valkey 9.0)");
        QVERIFY(!(*server)({"EVAL",
                            "for i = 1, 300 do redis.call('HSET', 'h', 'f' .. i, string.rep('x', 100)) end "
                            "redis.call('HPEXPIRE', 'h', 500000, 'FIELDS', 1, 'f7') return 1",
                            "0"})
                     .isError());
        std::optional<base::Result<watching::ValuePage>> page;
        const Fixture fixture(server->endpoint());
        LATCHKEY_AWAIT(fixture.model() && fixture.model()->rowCount() == 1);
        int ending = 0;
        int rows = 0;
        watching::PageRequest request;
        do {
            page.reset();
            fixture.inspected.read<watching::ValuePage>(
                [&request] { return watching::readValuePage(base::Key("h"), request); },
                [&page](const base::Result<watching::ValuePage> &read) { page = read; });
            LATCHKEY_AWAIT(page.has_value());
            LATCHKEY_VERIFY_RESULT(*page);
            for (const watching::ValuePage::Row &row : page->value().rows) {
                ++rows;
                QVERIFY(row.end); // A persistent field is known to be persistent.
                ending += row.end->isNever() ? 0 : 1;
                QCOMPARE(!row.end->isNever(), row.name == "f7");
            }
            request = page->value().next.value_or(watching::PageRequest());
        } while (page->value().next);
        QCOMPARE(rows, 300);
        QCOMPARE(ending, 1);
    }

    void note_countsTheUnlistedKeys()
    {
        FieldDeadlines ends;
        ends.first = {{"a", base::Deadline(base::MonotonicTime(1h), 1ms)}};
        ends.endingCount = 401;
        ends.readCount = 500;
        ends.size = 12'845;
        QCOMPARE(ui::detail::fieldNote(ends), QStringLiteral("401 of the 500 fields that were checked expire; 12,345 "
                                                             "more were not checked. The first 1 are listed."));
        // A field that was not read may expire sooner.
        ends.first = {{"f", base::Deadline(base::MonotonicTime(1h + 7342ms), 1ms)}};
        QCOMPARE(ui::keytable::firstFieldText(ends, base::MonotonicTime(1h)), QStringLiteral("field ≤ 7.342 s"));
        QVERIFY2(ui::keytable::fieldsSentence(ends, base::MonotonicTime(1h))
                     .startsWith(QStringLiteral("500 of 12,845 fields were checked; 401 expire")),
                 qPrintable(ui::keytable::fieldsSentence(ends, base::MonotonicTime(1h))));
        ends.isWhole = true;
        QCOMPARE(ui::keytable::firstFieldText(ends, base::MonotonicTime(1h)), QStringLiteral("field 7.342 s"));
    }
};

LATCHKEY_WINDOW_TEST(TestFieldRows)

} // namespace tst_fieldrows

#include "tst_fieldrows.moc"
