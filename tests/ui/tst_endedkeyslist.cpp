#include "core/inspect/exports/exportrows.h"
#include "tests/support/freeport.h"
#include "tests/support/otherclient.h"
#include "tests/support/testprogram.h"
#include "tests/ui/wholewidgets.h"
#include "tests/ui/windowwords.h"
#include "ui/pages/inspector/endedkeysdialog.h"
#include "ui/pages/inspector/exportcontrol.h"

#include <QAbstractItemModelTester>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLineEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QTreeView>

namespace tst_endedkeyslist {

using namespace latchkey;
using keys::EndedKey;
using keys::EndedKeys;
using keys::EndSource;
using test::MainWindowFixture;
using test::openServer;
using test::TestServer;
using ui::inspector::EndedKeysModel;
using namespace std::chrono_literals;

/// Tests of the list of the ended keys, with a real server.
class TestEndedKeysList final : public QObject
{
    Q_OBJECT

    std::unique_ptr<TestServer> server;

    static QTreeView &list(const MainWindowFixture &bench) { return bench.widget<QTreeView>("endedList"); }
    static QString cell(const MainWindowFixture &bench, int row, int column)
    {
        return list(bench).model()->index(row, column).data().toString();
    }
    static QStringList keys(const MainWindowFixture &bench)
    {
        QStringList result;
        for (int row = 0; row < list(bench).model()->rowCount(); ++row)
            result += cell(bench, row, EndedKeysModel::KeyColumn);
        return result;
    }
    void open(MainWindowFixture &bench)
    {
        openServer(bench, server->endpoint());
        bench.click("endedKeys");
        LATCHKEY_AWAIT(bench.dialog<QDialog>("endedKeysDialog") != nullptr);
    }
    /// Writes a key with a lifetime that is long enough to be read, and waits until the window knows it.
    void write(const MainWindowFixture &bench, const char *key, const char *milliseconds = "3000")
    {
        QVERIFY((*server)({"SET", key, "1", "PX", milliseconds}).isOk());
        LATCHKEY_AWAIT(bench.workspace.inspected()->store().known().table.find(key).has_value());
    }
    void remove(const char *key) const { QVERIFY((*server)({"DEL", key}).isInteger(1)); }

private Q_SLOTS:
    void init()
    {
        server = std::make_unique<TestServer>();
        QVERIFY((*server)({"CONFIG", "SET", "notify-keyspace-events", "KEA"}).isOk());
    }
    void cleanup() { server.reset(); }

    void expiredKey_isListedWithItsLateness()
    {
        MainWindowFixture bench;
        open(bench);
        QVERIFY(keys(bench).isEmpty());
        write(bench, "session:1");
        LATCHKEY_AWAIT(keys(bench) == QStringList {QStringLiteral("session:1")});
        QCOMPARE(cell(bench, 0, EndedKeysModel::EndingColumn), QStringLiteral("expired"));
        const QString time = cell(bench, 0, EndedKeysModel::TimeColumn);
        const QString deadline = cell(bench, 0, EndedKeysModel::DeadlineColumn);
        QVERIFY2(time >= deadline && time.size() == 12, qPrintable(time + u' ' + deadline));
        QVERIFY2(cell(bench, 0, EndedKeysModel::LateColumn).endsWith(u's'),
                 qPrintable(cell(bench, 0, EndedKeysModel::LateColumn)));
        QVERIFY(!cell(bench, 0, EndedKeysModel::SourceColumn).isEmpty());
        // A deleted key has no lateness.
        write(bench, "session:2", "60000");
        remove("session:2");
        LATCHKEY_AWAIT(keys(bench).value(0) == u"session:2");
        QCOMPARE(cell(bench, 0, EndedKeysModel::EndingColumn), QStringLiteral("removed"));
        QVERIFY(cell(bench, 0, EndedKeysModel::LateColumn).isEmpty());
    }

    void list_isFilteredAndExported()
    {
        MainWindowFixture bench;
        open(bench);
        write(bench, "session:1");
        write(bench, "lock:1");
        LATCHKEY_AWAIT(keys(bench).size() == 2);
        bench.widget<QLineEdit>("endedFilter").setText(QStringLiteral("lock:*"));
        QCOMPARE(keys(bench), QStringList {QStringLiteral("lock:1")});
        auto &control = bench.widget<ui::inspector::ExportControl>("exportButton");
        const QString path = bench.folder.filePath(QStringLiteral("ended.json"));
        control.exportTo(path, ui::inspector::ExportControl::Subject::Ended, base::Glob("lock:*"));
        LATCHKEY_AWAIT(!control.isExporting());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonArray rows = QJsonDocument::fromJson(file.readAll()).array();
        QCOMPARE(rows.size(), 1);
        QCOMPARE(rows[0][QLatin1String("key")].toString(), QStringLiteral("lock:1"));
        QCOMPARE(rows[0][QLatin1String("ended")].toString(), QStringLiteral("expired"));
        QVERIFY(rows[0][QLatin1String("late_ms")].isDouble() && rows[0][QLatin1String("at_ms")].isDouble());
        QVERIFY(rows[0][QLatin1String("deadline_ms")].toDouble() <= rows[0][QLatin1String("at_ms")].toDouble());
    }

    /// An interval without answers is said, and exported.
    void blindInterval_isReported()
    {
        MainWindowFixture bench;
        open(bench);
        const auto sight = [&] { return bench.widget<QLabel>("endedSight").text(); };
        LATCHKEY_AWAIT(sight().contains(QLatin1String("Since ")));
        QVERIFY2(!sight().contains(QLatin1String("Not seen")), qPrintable(sight()));
        QVERIFY2(sight().contains(QLatin1String("is missing.")), qPrintable(sight()));
        server->process().suspend();
        LATCHKEY_AWAIT(sight().contains(QLatin1String("Not seen since ")));
        server->process().resume();
        LATCHKEY_AWAIT(sight().contains(QLatin1String("Not seen from ")));
        const auto rows = exports::gapRows(*bench.workspace.inspected());
        QCOMPARE(rows.size(), std::size_t(1));
        QCOMPARE(rows.front()[QStringLiteral("ended")].toString(), QStringLiteral("not-seen"));
        QVERIFY(rows.front()[QStringLiteral("until_ms")].toDouble() > rows.front()[QStringLiteral("at_ms")].toDouble());
    }

    /// An interval without change events is distinguished from one without answers.
    void intervalWithoutEvents_isReported()
    {
        MainWindowFixture bench;
        open(bench);
        const auto sight = [&] { return bench.widget<QLabel>("endedSight").text(); };
        LATCHKEY_AWAIT(bench.workspace.inspected()->watcher().hasChangeEvents());
        QVERIFY((*server)({"CLIENT", "KILL", "TYPE", "pubsub"}).isInteger(1));
        LATCHKEY_AWAIT(sight().contains(QLatin1String("the server reported no changes: ")));
        QVERIFY2(!sight().contains(QLatin1String("Not seen")), qPrintable(sight()));
        LATCHKEY_AWAIT(bench.workspace.inspected()->watcher().hasChangeEvents());
        const auto rows = exports::gapRows(*bench.workspace.inspected());
        QCOMPARE(rows.size(), std::size_t(1));
        QCOMPARE(rows.front()[QStringLiteral("ended")].toString(), QStringLiteral("not-reported"));
        QVERIFY(bench.workspace.inspected()->watcher().coverage().hasUnreportedSince(
            bench.workspace.inspected()->clock().now() - std::chrono::minutes(1)));
    }

    /// After a restart, the key is absent. The server has reported nothing, so neither its cause nor its time is known.
    void endAtARestart_isNotSeen()
    {
        server.reset();
        const quint16 port = test::freePort();
        auto first = std::make_unique<TestServer>(test::listeningAt(port));
        QVERIFY((*first)({"SET", "lock:a", "7f0c1d2e-3b4a-4c5d-8e6f-a1b2c3d4e5f6", "PX", "600000"}).isOk());
        MainWindowFixture bench;
        bench.window.resize(1280, 900);
        openServer(bench, test::localEndpoint(port));
        LATCHKEY_AWAIT(bench.keys() == QStringList {QStringLiteral("lock:a")});
        bench.choose(QStringLiteral("lock:a")); // The details read the key at once on a new connection.
        QTest::keyClick(&bench.table(), Qt::Key_Return);
        bench.click("endedKeys");
        LATCHKEY_AWAIT(bench.dialog<QDialog>("endedKeysDialog") != nullptr);
        first->kill();
        first.reset();
        const TestServer second(test::listeningAt(port));
        bench.workspace.inspected()->session().retryNow();
        LATCHKEY_AWAIT(keys(bench) == QStringList {QStringLiteral("lock:a")});
        QCOMPARE(cell(bench, 0, EndedKeysModel::EndingColumn), QStringLiteral("ended, not seen how"));
        const QString time = cell(bench, 0, EndedKeysModel::TimeColumn);
        QVERIFY2(time.contains(QStringLiteral(" to ")), qPrintable(time));
        QCOMPARE(cell(bench, 0, EndedKeysModel::SourceColumn), QStringLiteral("look"));
        const QString why =
            list(bench).model()->index(0, EndedKeysModel::SourceColumn).data(Qt::ToolTipRole).toString();
        QVERIFY2(why.contains(QStringLiteral("in which the server was not seen")), qPrintable(why));
        LATCHKEY_AWAIT(test::labelText(bench, "goneSummary").contains(QStringLiteral("s ago, not seen how")));
    }

    void flushedKeys_areSaidToBeFlushed()
    {
        MainWindowFixture bench;
        open(bench);
        for (const char *key : {"lock:1", "lock:2", "lock:3", "lock:4", "lock:5", "lock:6", "lock:7", "lock:8"})
            write(bench, key, "600000");
        LATCHKEY_AWAIT(bench.rows() == 8);
        QVERIFY((*server)({"FLUSHALL"}).isOk());
        LATCHKEY_AWAIT(keys(bench).size() == 8);
        // A key that was found absent before the report of the flush may have ended otherwise.
        const auto isAnyFlushed = [&] {
            for (int row = 0; row < 8; ++row) {
                if (cell(bench, row, EndedKeysModel::EndingColumn) == u"flushed")
                    return true;
            }
            return false;
        };
        LATCHKEY_AWAIT(isAnyFlushed());
    }

    /// No row moves while a row is selected.
    void selectedRow_staysWhereItIs()
    {
        MainWindowFixture bench;
        open(bench);
        write(bench, "first", "60000");
        remove("first");
        LATCHKEY_AWAIT(keys(bench).size() == 1);
        list(bench).setCurrentIndex(list(bench).model()->index(0, 0));
        write(bench, "second", "60000");
        remove("second");
        LATCHKEY_AWAIT(bench.button("endedNewer").text() == u"Newer: 1");
        QCOMPARE(keys(bench), QStringList {QStringLiteral("first")});
        bench.click("endedNewer");
        QCOMPARE(keys(bench), (QStringList {QStringLiteral("second"), QStringLiteral("first")}));
    }

    /// A thousand ends a second are few notifications, and the rows that the record drops are removed.
    void manyEnds_areFewInsertions()
    {
        EndedKeys record;
        EndedKeysModel model(record, base::SystemClock::instance());
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        const QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
        const auto add = [&](std::size_t count) {
            for (std::size_t i = 0; i < count; ++i)
                record.add({QByteArray::number(record.total()), keys::KeyState::Expired, base::Deadline::never(),
                            base::MonotonicTime(1s), base::MonotonicTime(1s)});
        };
        add(1000);
        model.update();
        QCOMPARE(inserted.size(), 1);
        QCOMPARE(model.rowCount(), 1000);
        QCOMPARE(model.keyAt(0), QByteArray("999"));
        add(EndedKeys::most);
        model.trim();
        QCOMPARE(model.rowCount(), 0);
        model.update();
        QCOMPARE(model.rowCount(), static_cast<int>(EndedKeys::most));
        QCOMPARE(inserted.size(), 2);
        model.setFilter(base::Glob("51*"));
        QCOMPARE(model.keyAt(0), QByteArray("5199"));
    }
};

LATCHKEY_WINDOW_TEST(TestEndedKeysList)

} // namespace tst_endedkeyslist

#include "tst_endedkeyslist.moc"
