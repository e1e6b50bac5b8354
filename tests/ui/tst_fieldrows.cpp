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
struct Bench
{
    explicit Bench(const net::Endpoint &endpoint)
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
    void make(const Bench &bench, const QList<QByteArray> &fields, const QList<QByteArray> &others = {}) const
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
        LATCHKEY_AWAIT(bench.model() && bench.model()->rowCount() == 1);
        if (!tells)
            bench.inspected.fanOut().deliver(
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
        const Bench bench(server->endpoint());
        make(bench, {"a", "b"}, {"stays"});
        LATCHKEY_AWAIT(bench.timeLeft(0).startsWith(QLatin1String("field 8 min ")));
        QVERIFY(bench.timeLeft(0, Qt::ToolTipRole).contains(QLatin1String("No expiry")));
        QVERIFY2(bench.timeLeft(0, Qt::ToolTipRole).contains(QLatin1String("2 fields expire")),
                 qPrintable(bench.timeLeft(0, Qt::ToolTipRole)));
        QVERIFY(bench.timeLeft(0, Qt::AccessibleTextRole).contains(QLatin1String("field 8 min ")));
        // A TTL of the key is shown instead.
        QVERIFY((*server)({"PEXPIRE", "session", "3600000"}).isInteger(1));
        LATCHKEY_AWAIT(bench.timeLeft(0).startsWith(QLatin1String("59 min ")));
        QVERIFY(bench.timeLeft(0, Qt::ToolTipRole).contains(QLatin1String("2 fields expire")));
    }

    void details_listTheFieldsInTheOrderInWhichTheyEnd()
    {
        const Bench bench(server->endpoint());
        const QByteArray binary("\xff\x00", 2);
        make(bench, {"<b>first</b>", "第二", binary}, {"stays"});
        LATCHKEY_AWAIT(!bench.timeLeft(0).startsWith(QLatin1String("no")));
        bench.choose(0);
        LATCHKEY_AWAIT(bench.isShown("detailFields"));
        QCOMPARE(bench.column("fieldRows", 0),
                 (QStringList {QStringLiteral("<b>first</b>"), QStringLiteral("第二"), QStringLiteral("\\xff\\x00")}));
        for (const QString &left : bench.column("fieldRows", 1))
            QVERIFY2(left.contains(QLatin1String(" min ")), qPrintable(left));
        QCOMPARE(bench.note(), QStringLiteral("3 of 4 fields expire."));
        // Markup in the name is shown as text.
        QVERIFY(bench.list("fieldRows").topLevelItem(0)->toolTip(0).contains(QLatin1String("&lt;b&gt;")));
        // The value view shows the expiries too, with an empty cell for a persistent field.
        LATCHKEY_AWAIT(bench.list("valueRows").topLevelItemCount() == 4);
        LATCHKEY_AWAIT(!bench.list("valueRows").isColumnHidden(2));
        const QStringList names = bench.column("valueRows", 0);
        const QStringList ends = bench.column("valueRows", 2);
        for (qsizetype i = 0; i < names.size(); ++i)
            QCOMPARE(ends[i].isEmpty(), names[i] == u"stays");
    }

    /// Acts on a field's row apply to its key; only copying uses the name of the field.
    void rowOfAField_isCopiedByItsName_andShowsItsKey()
    {
        const Bench bench(server->endpoint());
        make(bench, {"<b>first</b>", "second"});
        LATCHKEY_AWAIT(!bench.timeLeft(0).startsWith(QLatin1String("no")));
        bench.choose(0);
        QTest::keyClick(&bench.table(), Qt::Key_Right);
        QCOMPARE(bench.model()->rowCount(), 3);
        QVERIFY(bench.timeLeft(1).contains(QLatin1String(" min ")));
        bench.choose(1);
        LATCHKEY_AWAIT(bench.isShown("detailFields"));
        QTest::mouseClick(bench.page.findChild<QPushButton *>(QStringLiteral("copyKey")), Qt::LeftButton);
        QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("<b>first</b>"));
        QVERIFY((*server)({"DEL", "session"}).isInteger(1));
        LATCHKEY_AWAIT(bench.model()->rowCount() == 0);
    }

    /// The list counts down while it is visible.
    void countdown_continues()
    {
        const Bench bench(server->endpoint());
        make(bench, {"a"});
        LATCHKEY_AWAIT(!bench.timeLeft(0).startsWith(QLatin1String("no")));
        bench.choose(0);
        LATCHKEY_AWAIT(bench.isShown("detailFields"));
        QCOMPARE(bench.note(), QStringLiteral("All fields expire; the key expires with the last one."));
        // The value is read after the expiries, and each reading fills its rows anew.
        const auto changes = [&](const char *list, int column) {
            QString before;
            LATCHKEY_AWAIT(!(before = bench.column(list, column).value(0)).isEmpty());
            LATCHKEY_AWAIT(!bench.column(list, column).value(0, before).isEmpty()
                           && bench.column(list, column).value(0, before) != before);
        };
        changes("fieldRows", 1);
        changes("valueRows", 2);
    }

    /// If the table is frozen because the server is out of sight, the list is frozen too.
    void countdown_standsStillWithTheTable()
    {
        const Bench bench(server->endpoint());
        make(bench, {"a"}, {"stays"});
        LATCHKEY_AWAIT(!bench.timeLeft(0).startsWith(QLatin1String("no")));
        bench.choose(0);
        LATCHKEY_AWAIT(bench.isShown("detailFields") && !bench.list("valueRows").isColumnHidden(2));
        const auto pid = static_cast<pid_t>(server->process().processId());
        const auto texts = [&] { return bench.column("fieldRows", 1) + bench.column("valueRows", 2); };
        ::kill(pid, SIGSTOP);
        const auto goOn = qScopeGuard([pid] { ::kill(pid, SIGCONT); });
        LATCHKEY_AWAIT(bench.table().shownTime().isFrozen());
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
        const Bench bench(server->endpoint());
        make(bench, {"a"}, {"other"});
        LATCHKEY_AWAIT(!bench.timeLeft(0).startsWith(QLatin1String("no")));
        FieldDeadlines ends =
            *bench.inspected.store().known().fieldEndsOf(*bench.inspected.store().known().table.find("session"));
        ends.isWhole = false;
        ends.size = 900;
        ends.readCount = 500;
        if (tells) // The server would correct the simulated observation.
            QVERIFY((*server)({"ACL", "SETUSER", "default", "-hpttl"}).isOk());
        const auto now = base::SystemClock::instance().now();
        bench.inspected.fanOut().deliver({{"session", events::FieldExpiries {ends}, now, now, events::Source::Read}});
        bench.choose(0);
        LATCHKEY_AWAIT(bench.timeLeft(0).startsWith(QStringLiteral("field ≤ ")));
        LATCHKEY_AWAIT(bench.list("valueRows").topLevelItemCount() == 2);
        LATCHKEY_AWAIT(bench.column("valueRows", 2).contains(QStringLiteral("?")));
    }

    void deniedHpttl_isReported()
    {
        if (!tells)
            QSKIP("this server has no lifetimes of fields (Redis 7.4, Valkey 9.0)");
        QVERIFY(!(*server)({"HSET", "session", "a", "1"}).isError());
        QVERIFY((*server)({"ACL", "SETUSER", "default", "-hpttl"}).isOk());
        const Bench bench(server->endpoint());
        LATCHKEY_AWAIT(bench.model() && bench.model()->rowCount() == 1);
        bench.choose(0);
        LATCHKEY_AWAIT(bench.isShown("detailFields"));
        QVERIFY2(bench.note().startsWith(QLatin1String("Expiry of the fields unknown: ")), qPrintable(bench.note()));
        QVERIFY(!bench.isShown("fieldRows"));
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
        const Bench bench(server->endpoint());
        LATCHKEY_AWAIT(bench.model() && bench.model()->rowCount() == 1);
        int ending = 0;
        int rows = 0;
        watching::PageRequest request;
        do {
            page.reset();
            bench.inspected.read<watching::ValuePage>(
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
