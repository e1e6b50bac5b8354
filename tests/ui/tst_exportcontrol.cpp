#include "tests/support/filesizelimit.h"
#include "tests/support/outcome.h"
#include "tests/support/testprogram.h"
#include "tests/ui/windowwords.h"
#include "ui/pages/inspector/exportcontrol.h"

#include <QAction>
#include <QFileDialog>
#include <QProcess>
#include <QTest>

#include <algorithm>

namespace tst_exportcontrol {

using namespace latchkey;
using test::bannerAction;
using test::bannerText;
using test::MainWindowFixture;
using test::openServer;
using test::TestServer;
using ui::inspector::ExportControl;
using Subject = ExportControl::Subject;

namespace {

const QByteArray token = QByteArrayLiteral("f442172cd0841b68177e827d1a6528b1");

QByteArray contentsOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Splits CSV (RFC 4180) into rows of fields.
QList<QByteArrayList> csvRows(const QByteArray &text)
{
    QList<QByteArrayList> rows;
    QByteArrayList row;
    QByteArray field;
    bool isQuoted = false;
    for (qsizetype i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (isQuoted && c == '"' && text.mid(i + 1, 1) == "\"") {
            field += c;
            ++i;
        } else if (c == '"') {
            isQuoted = !isQuoted;
        } else if (!isQuoted && (c == ',' || c == '\n')) {
            row += std::exchange(field, {});
            if (c == '\n')
                rows += std::exchange(row, {});
        } else if (isQuoted || c != '\r') {
            field += c;
        }
    }
    return rows;
}

} // namespace

/// Tests of the export of table, findings and history in the window, with a real server.
class TestExportControl final : public QObject
{
    Q_OBJECT

    std::unique_ptr<TestServer> server;
    QTemporaryDir folder;

    QString path(const char *name) const { return folder.filePath(QLatin1String(name)); }
    static ExportControl &control(const MainWindowFixture &fixture)
    {
        return fixture.widget<ExportControl>("exportButton");
    }
    void fill()
    {
        QVERIFY((*server)({"SET", "lock:a", token, "PX", "3600000"}).isOk());
        QVERIFY((*server)({"SET", "lock:b", "1"}).isOk());
        QVERIFY((*server)({"SET", "odd, \"key\"\nline", "x"}).isOk());
        QVERIFY((*server)({"SET", "bytes\xff", "x"}).isOk());
        QVERIFY((*server)({"HSET", "user", "name", "secret"}).isInteger(1));
    }
    /// Opens the server and waits until every key is recognised and has its type.
    void open(MainWindowFixture &fixture)
    {
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 5 && fixture.workspace.inspected()->locks().lockCount() == 2
                       && fixture.workspace.inspected()->locks().findingCount() > 0);
        LATCHKEY_AWAIT(std::ranges::none_of(fixture.keys(), [&](const QString &key) {
            const int row = static_cast<int>(fixture.keys().indexOf(key));
            return fixture.cell(row, ui::keytable::KeyTableModel::TypeColumn).isEmpty();
        }));
    }
    static void exportTo(const MainWindowFixture &fixture, const QString &file, Subject subject)
    {
        control(fixture).exportTo(file, subject);
        LATCHKEY_AWAIT(!control(fixture).isExporting());
    }
    /// Exports like a user: by an action and the file dialog.
    void exportByAction(const MainWindowFixture &fixture, const char *action, const QString &file)
    {
        fixture.widget<QAction>(action).trigger();
        LATCHKEY_AWAIT(fixture.dialog<QFileDialog>("exportFileDialog"));
        auto &dialog = fixture.widget<QFileDialog>("exportFileDialog");
        QVERIFY(dialog.selectedFiles().constFirst().contains(QStringLiteral("-20")));
        dialog.selectFile(file);
        QMetaObject::invokeMethod(&dialog, "accept");
        LATCHKEY_AWAIT(QFile::exists(file) && !control(fixture).isExporting());
    }

private Q_SLOTS:
    void initTestCase() { qputenv("LATCHKEY_DIALECTS", folder.filePath(QStringLiteral("dialects.json")).toUtf8()); }
    void init() { server = std::make_unique<TestServer>(); }
    void cleanup() { server.reset(); }

    /// The command line exports the same keys in the same form.
    void table_isThatOfLs()
    {
        fill();
        MainWindowFixture fixture;
        open(fixture);
        fixture.table().sortByColumn(ui::keytable::KeyTableModel::KeyColumn, Qt::AscendingOrder);
        LATCHKEY_AWAIT(fixture.keys().constFirst().startsWith(QStringLiteral("bytes")));
        exportByAction(fixture, "exportTable", path("table.csv"));
        QCOMPARE(bannerText(fixture), QStringLiteral("5 rows exported to table.csv."));
        QProcess ls;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.remove(QStringLiteral("LATCHKEY_DIALECTS")); // It names a file that does not exist yet.
        ls.setProcessEnvironment(environment);
        ls.start(QStringLiteral(LATCHKEY_CLI),
                 {QStringLiteral("ls"), QStringLiteral("--sort"), QStringLiteral("key"), QStringLiteral("-o"),
                  QStringLiteral("csv"), QStringLiteral("--url"), server->url()});
        const test::Outcome listed = test::outcomeOf(ls);
        QVERIFY2(listed.exitCode == 0, listed.errors.constData());
        QList<QByteArrayList> expected = csvRows(listed.output);
        QList<QByteArrayList> rows = csvRows(contentsOf(path("table.csv")));
        QCOMPARE(expected.size(), 6);
        for (QList<QByteArrayList> *all : {&expected, &rows}) {
            const qsizetype pttl = all->front().indexOf("pttl_ms");
            for (QByteArrayList &row : *all) {
                if (row[pttl] != "pttl_ms" && row[pttl] != "-1")
                    row[pttl] = "left";
            }
        }
        QCOMPARE(rows, expected);
    }

    void json_isAnArrayOfTheSameMembers()
    {
        fill();
        MainWindowFixture fixture;
        open(fixture);
        exportTo(fixture, path("table.json"), Subject::Table);
        const QJsonArray rows = QJsonDocument::fromJson(contentsOf(path("table.json"))).array();
        QCOMPARE(rows.size(), 5);
        QStringList keys;
        for (const QJsonValue &row : rows)
            keys += row[QLatin1String("key")].toString();
        QVERIFY(keys.contains(QStringLiteral("odd, \"key\"\nline")));
        const QJsonValue lock = rows.at(keys.indexOf(QStringLiteral("lock:b")));
        QCOMPARE(lock[QLatin1String("pttl_ms")].toInt(), -1);
        QVERIFY2(lock[QLatin1String("findings")].toArray().contains(QStringLiteral("no-expiry")),
                 contentsOf(path("table.json")).constData());
        QVERIFY(!contentsOf(path("table.json")).contains("secret")); // A value of a key.
    }

    void table_isFilteredAndSortedAsShown()
    {
        fill();
        MainWindowFixture fixture;
        open(fixture);
        fixture.widget<QLineEdit>("filter").setText(QStringLiteral("lock:"));
        fixture.table().sortByColumn(ui::keytable::KeyTableModel::KeyColumn, Qt::DescendingOrder);
        LATCHKEY_AWAIT(fixture.keys() == (QStringList {QStringLiteral("lock:b"), QStringLiteral("lock:a")}));
        exportTo(fixture, path("filtered.csv"), Subject::Table);
        const QList<QByteArrayList> rows = csvRows(contentsOf(path("filtered.csv")));
        QCOMPARE(rows.size(), 3);
        QCOMPARE(rows[1].front(), QByteArray("lock:b"));
        QCOMPARE(rows[2].front(), QByteArray("lock:a"));
    }

    void findings_haveTheirTexts()
    {
        fill();
        MainWindowFixture fixture;
        open(fixture);
        exportByAction(fixture, "exportFindings", path("findings.json"));
        const QJsonArray rows = QJsonDocument::fromJson(contentsOf(path("findings.json"))).array();
        const auto found = std::ranges::find_if(rows, [](const QJsonValue &row) {
            return row[QLatin1String("key")] == QLatin1String("lock:b")
                && row[QLatin1String("id")] == QLatin1String("no-expiry");
        });
        QVERIFY2(found != rows.end(), contentsOf(path("findings.json")).constData());
        for (const char *text : {"severity", "title", "evidence", "meaning", "advice"})
            QVERIFY2(!(*found)[QLatin1String(text)].toString().isEmpty(), text);
    }

    /// A lock that is gone has a history too.
    void history_isThatOfTheChosenLock()
    {
        fill();
        MainWindowFixture fixture;
        open(fixture);
        QVERIFY((*server)({"DEL", "lock:a"}).isInteger(1));
        const auto isOver = [&] {
            const auto &holds = fixture.workspace.inspected()->holds().history().holds({"lock:a", 0});
            return !holds.empty() && holds.back().isOver();
        };
        LATCHKEY_AWAIT(isOver() && fixture.rows() == 4);
        fixture.table().clearSelection();
        exportTo(fixture, path("all.csv"), Subject::History);
        QByteArrayList keys;
        for (const QByteArrayList &row : csvRows(contentsOf(path("all.csv"))))
            keys += row.front();
        QCOMPARE(keys, (QByteArrayList {"key", "lock:a", "lock:b"}));
        fixture.choose(QStringLiteral("lock:b"));
        exportByAction(fixture, "exportHistory", path("chosen.json"));
        const QJsonArray rows = QJsonDocument::fromJson(contentsOf(path("chosen.json"))).array();
        QCOMPARE(rows.size(), 1);
        QCOMPARE(rows[0][QLatin1String("key")].toString(), QStringLiteral("lock:b"));
        QVERIFY(rows[0][QLatin1String("until_ms")].isNull());
    }

    void fullDisk_isReportedAndLeavesTheOldFile()
    {
        fill();
        MainWindowFixture fixture;
        open(fixture);
        exportTo(fixture, path("kept.csv"), Subject::Table);
        const QByteArray before = contentsOf(path("kept.csv"));
        QVERIFY((*server)({"SET", "another", "x"}).isOk());
        LATCHKEY_AWAIT(fixture.rows() == 6);
        {
            const test::FileSizeLimit limit(100);
            exportTo(fixture, path("kept.csv"), Subject::Table);
        }
        QVERIFY2(bannerText(fixture).startsWith(QStringLiteral("Cannot write ")), qPrintable(bannerText(fixture)));
        QCOMPARE(contentsOf(path("kept.csv")), before);
    }

    void fieldsOfAHash_areInTheJson()
    {
        fill();
        MainWindowFixture fixture;
        open(fixture);
        keys::KeyStore &store = fixture.workspace.inspected()->store();
        const base::Deadline end(fixture.workspace.clock().now() + std::chrono::hours(1), std::chrono::milliseconds(1));
        store.observeFieldEnds("user", {{{"name", end}}, 1, 1, 1, true, end});
        LATCHKEY_AWAIT(store.known().fieldEndsOf(*store.known().table.find("user")) != nullptr);
        exportTo(fixture, path("fields.json"), Subject::Table);
        const QJsonArray rows = QJsonDocument::fromJson(contentsOf(path("fields.json"))).array();
        const auto user = std::ranges::find_if(
            rows, [](const QJsonValue &row) { return row[QStringLiteral("key")].toString() == u"user"; });
        QVERIFY(user != rows.end());
        const QJsonObject fields = (*user)[QStringLiteral("fields")].toObject();
        QCOMPARE(fields[QStringLiteral("size")].toInt(), 1);
        QCOMPARE(fields[QStringLiteral("whole")].toBool(), true);
        QCOMPARE(fields[QStringLiteral("first")][0][QStringLiteral("field")].toString(), QStringLiteral("name"));
        QVERIFY(fields[QStringLiteral("first")][0][QStringLiteral("pttl_ms")].toInt() > 0);
    }

    void largeExport_showsItsProgressAndCanBeCancelled()
    {
        constexpr int keys = 30'000;
        QVERIFY((*server)({"EVAL", "for i = 1, 30000 do redis.call('SET', 'page:' .. i, i) end return 1", "0"})
                    .isInteger(1));
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == keys);
        control(fixture).exportTo(path("large.csv"), Subject::Table);
        LATCHKEY_AWAIT(bannerText(fixture).startsWith(QStringLiteral("Exporting to large.csv: ")));
        QTest::mouseClick(bannerAction(fixture), Qt::LeftButton);
        QVERIFY(!control(fixture).isExporting());
        QVERIFY(!QFile::exists(path("large.csv")));
        exportTo(fixture, path("large.csv"), Subject::Table);
        QCOMPARE(contentsOf(path("large.csv")).count('\n'), keys + 1);
    }

    void anotherServer_endsTheExport()
    {
        QVERIFY((*server)({"EVAL", "for i = 1, 30000 do redis.call('SET', 'page:' .. i, i) end return 1", "0"})
                    .isInteger(1));
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 30'000);
        control(fixture).exportTo(path("other.csv"), Subject::Table);
        QVERIFY(control(fixture).isExporting());
        TestServer other;
        openServer(fixture, other.endpoint());
        QVERIFY(!control(fixture).isExporting());
        QVERIFY(!QFile::exists(path("other.csv")));
    }

    void controls_haveNamesAndAShortcut()
    {
        MainWindowFixture fixture;
        QVERIFY(!control(fixture).isEnabled());
        QCOMPARE(control(fixture).accessibleName(), QStringLiteral("Export"));
        QCOMPARE(fixture.widget<QAction>("exportTable").shortcut(), QKeySequence(QStringLiteral("Ctrl+Shift+E")));
        openServer(fixture, server->endpoint());
        QVERIFY(control(fixture).isEnabled());
        QTest::keyClick(&fixture.window, Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
        LATCHKEY_AWAIT(fixture.dialog<QFileDialog>("exportFileDialog"));
    }
};

LATCHKEY_WINDOW_TEST(TestExportControl)

} // namespace tst_exportcontrol

#include "tst_exportcontrol.moc"
