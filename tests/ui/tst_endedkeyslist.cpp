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
using keys::EndedKeyLog;
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

    static QTreeView &list(const MainWindowFixture &fixture) { return fixture.widget<QTreeView>("endedList"); }
    static QString cell(const MainWindowFixture &fixture, int row, int column)
    {
        return list(fixture).model()->index(row, column).data().toString();
    }
    static QStringList keys(const MainWindowFixture &fixture)
    {
        QStringList result;
        for (int row = 0; row < list(fixture).model()->rowCount(); ++row)
            result += cell(fixture, row, EndedKeysModel::KeyColumn);
        return result;
    }
    void open(MainWindowFixture &fixture)
    {
        openServer(fixture, server->endpoint());
        fixture.click("endedKeys");
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("endedKeysDialog") != nullptr);
    }
    /// Writes a key with a lifetime that is long enough to be read, and waits until the window knows it.
    void write(const MainWindowFixture &fixture, const QByteArray &key, const char *milliseconds = "3000")
    {
        QVERIFY((*server)({"SET", key, "1", "PX", milliseconds}).isOk());
        LATCHKEY_AWAIT(fixture.workspace.inspected()->store().known().table.find(key).has_value());
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
        MainWindowFixture fixture;
        open(fixture);
        QVERIFY(keys(fixture).isEmpty());
        write(fixture, "session:1");
        LATCHKEY_AWAIT(keys(fixture) == QStringList {QStringLiteral("session:1")});
        QCOMPARE(cell(fixture, 0, EndedKeysModel::EndingColumn), QStringLiteral("expired"));
        const QString time = cell(fixture, 0, EndedKeysModel::TimeColumn);
        const QString deadline = cell(fixture, 0, EndedKeysModel::DeadlineColumn);
        QVERIFY2(time >= deadline && time.size() == 12, qPrintable(time + u' ' + deadline));
        QVERIFY2(cell(fixture, 0, EndedKeysModel::LateColumn).endsWith(u's'),
                 qPrintable(cell(fixture, 0, EndedKeysModel::LateColumn)));
        QVERIFY(!cell(fixture, 0, EndedKeysModel::SourceColumn).isEmpty());
        // A deleted key has no lateness.
        write(fixture, "session:2", "60000");
        remove("session:2");
        LATCHKEY_AWAIT(keys(fixture).value(0) == u"session:2");
        QCOMPARE(cell(fixture, 0, EndedKeysModel::EndingColumn), QStringLiteral("removed"));
        QVERIFY(cell(fixture, 0, EndedKeysModel::LateColumn).isEmpty());
    }

    void list_isFilteredAndExported()
    {
        MainWindowFixture fixture;
        open(fixture);
        write(fixture, "session:1");
        write(fixture, "lock:1");
        LATCHKEY_AWAIT(keys(fixture).size() == 2);
        fixture.widget<QLineEdit>("endedFilter").setText(QStringLiteral("lock:*"));
        QCOMPARE(keys(fixture), QStringList {QStringLiteral("lock:1")});
        auto &control = fixture.widget<ui::inspector::ExportControl>("exportButton");
        const QString path = fixture.folder.filePath(QStringLiteral("ended.json"));
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

    /// An interval without answers is reported and exported.
    void gap_isReported()
    {
        MainWindowFixture fixture;
        open(fixture);
        const auto sight = [&] { return fixture.widget<QLabel>("endedSight").text(); };
        LATCHKEY_AWAIT(sight().contains(QLatin1String("Since ")));
        QVERIFY2(!sight().contains(QLatin1String("Not seen")), qPrintable(sight()));
        QVERIFY2(sight().contains(QLatin1String("is missing.")), qPrintable(sight()));
        server->process().suspend();
        LATCHKEY_AWAIT(sight().contains(QLatin1String("Not seen since ")));
        server->process().resume();
        LATCHKEY_AWAIT(sight().contains(QLatin1String("Not seen from ")));
        const auto rows = exports::gapRows(*fixture.workspace.inspected());
        QCOMPARE(rows.size(), std::size_t(1));
        QCOMPARE(rows.front()[QStringLiteral("ended")].toString(), QStringLiteral("not-seen"));
        QVERIFY(rows.front()[QStringLiteral("until_ms")].toDouble() > rows.front()[QStringLiteral("at_ms")].toDouble());
    }

    /// An interval without change events is distinguished from one without answers.
    void intervalWithoutEvents_isReported()
    {
        MainWindowFixture fixture;
        open(fixture);
        const auto sight = [&] { return fixture.widget<QLabel>("endedSight").text(); };
        LATCHKEY_AWAIT(fixture.workspace.inspected()->watcher().hasChangeEvents());
        QVERIFY((*server)({"CLIENT", "KILL", "TYPE", "pubsub"}).isInteger(1));
        LATCHKEY_AWAIT(sight().contains(QLatin1String("the server reported no changes: ")));
        QVERIFY2(!sight().contains(QLatin1String("Not seen")), qPrintable(sight()));
        LATCHKEY_AWAIT(fixture.workspace.inspected()->watcher().hasChangeEvents());
        const auto rows = exports::gapRows(*fixture.workspace.inspected());
        QCOMPARE(rows.size(), std::size_t(1));
        QCOMPARE(rows.front()[QStringLiteral("ended")].toString(), QStringLiteral("not-reported"));
        QVERIFY(fixture.workspace.inspected()->watcher().coverage().hasUnreportedSince(
            fixture.workspace.inspected()->clock().now() - std::chrono::minutes(1)));
    }

    /// After a restart, the key is absent. The server has reported nothing, so neither its cause nor its time is known.
    void endAtARestart_isNotSeen()
    {
        server.reset();
        const quint16 port = test::freePort();
        auto first = std::make_unique<TestServer>(test::listeningAt(port));
        QVERIFY((*first)({"SET", "lock:a", "7f0c1d2e-3b4a-4c5d-8e6f-a1b2c3d4e5f6", "PX", "600000"}).isOk());
        MainWindowFixture fixture;
        fixture.window.resize(1280, 900);
        openServer(fixture, test::localEndpoint(port));
        LATCHKEY_AWAIT(fixture.keys() == QStringList {QStringLiteral("lock:a")});
        fixture.choose(QStringLiteral("lock:a")); // The details read the key at once on a new connection.
        QTest::keyClick(&fixture.table(), Qt::Key_Return);
        fixture.click("endedKeys");
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("endedKeysDialog") != nullptr);
        first->kill();
        first.reset();
        const TestServer second(test::listeningAt(port));
        fixture.workspace.inspected()->session().retryNow();
        LATCHKEY_AWAIT(keys(fixture) == QStringList {QStringLiteral("lock:a")});
        QCOMPARE(cell(fixture, 0, EndedKeysModel::EndingColumn), QStringLiteral("ended, not seen how"));
        const QString time = cell(fixture, 0, EndedKeysModel::TimeColumn);
        QVERIFY2(time.contains(QStringLiteral(" to ")), qPrintable(time));
        QCOMPARE(cell(fixture, 0, EndedKeysModel::SourceColumn), QStringLiteral("look"));
        const QString why =
            list(fixture).model()->index(0, EndedKeysModel::SourceColumn).data(Qt::ToolTipRole).toString();
        QVERIFY2(why.contains(QStringLiteral("in which the server was not seen")), qPrintable(why));
        LATCHKEY_AWAIT(test::labelText(fixture, "goneSummary").contains(QStringLiteral("s ago, not seen how")));
    }

    void flushedKeys_areReportedAsFlushed()
    {
        MainWindowFixture fixture;
        open(fixture);
        // A key that was found absent before the report of the flush may have ended otherwise. On a busy machine, all
        // keys on the screen may be read before it, so there are more.
        constexpr int count = 100;
        for (int i = 0; i < count; ++i)
            write(fixture, "lock:" + QByteArray::number(i), "600000");
        LATCHKEY_AWAIT(fixture.rows() == count);
        QVERIFY((*server)({"FLUSHALL"}).isOk());
        LATCHKEY_AWAIT(keys(fixture).size() == count);
        const auto isAnyFlushed = [&] {
            for (int row = 0; row < count; ++row) {
                if (cell(fixture, row, EndedKeysModel::EndingColumn) == u"flushed")
                    return true;
            }
            return false;
        };
        LATCHKEY_AWAIT(isAnyFlushed());
    }

    /// No row moves while a row is selected.
    void selectedRow_staysWhereItIs()
    {
        MainWindowFixture fixture;
        open(fixture);
        write(fixture, "first", "60000");
        remove("first");
        LATCHKEY_AWAIT(keys(fixture).size() == 1);
        list(fixture).setCurrentIndex(list(fixture).model()->index(0, 0));
        write(fixture, "second", "60000");
        remove("second");
        LATCHKEY_AWAIT(fixture.button("endedNewer").text() == u"Newer: 1");
        QCOMPARE(keys(fixture), QStringList {QStringLiteral("first")});
        fixture.click("endedNewer");
        QCOMPARE(keys(fixture), (QStringList {QStringLiteral("second"), QStringLiteral("first")}));
    }

    /// A thousand ends a second are few notifications, and the rows that the record drops are removed.
    void manyEnds_areFewInsertions()
    {
        EndedKeyLog record;
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
        add(EndedKeyLog::maxKeys);
        model.trim();
        QCOMPARE(model.rowCount(), 0);
        model.update();
        QCOMPARE(model.rowCount(), static_cast<int>(EndedKeyLog::maxKeys));
        QCOMPARE(inserted.size(), 2);
        model.setFilter(base::Glob("51*"));
        QCOMPARE(model.keyAt(0), QByteArray("5199"));
    }
};

LATCHKEY_WINDOW_TEST(TestEndedKeysList)

} // namespace tst_endedkeyslist

#include "tst_endedkeyslist.moc"
