#include "tests/support/testprogram.h"
#include "tests/ui/windowwords.h"
#include "ui/pages/trace/tracedialog.h"

#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QStandardItemModel>
#include <QTest>
#include <QTreeView>

namespace tst_trace {

using namespace latchkey;
using test::MainWindowFixture;
using test::openServer;
using test::TestServer;
using ui::trace::progressText;
using ui::trace::TraceProgress;
using namespace std::chrono_literals;

/// Tests of tracing one key from the window.
class TestTrace final : public QObject
{
    Q_OBJECT

    std::unique_ptr<TestServer> server;

    resp::Reply redis(std::initializer_list<QByteArray> command) { return (*server)(command); }
    [[nodiscard]] static QStringList commands(const QWidget &dialog)
    {
        const QAbstractItemModel &model = *dialog.findChild<QTreeView *>(QStringLiteral("traceList"))->model();
        QStringList all;
        for (int row = 0; row < model.rowCount(); ++row)
            all += model.index(row, 2).data().toString();
        return all;
    }
    /// Selects the key and opens its trace by keyboard.
    static QDialog *open(MainWindowFixture &fixture, const QString &key)
    {
        fixture.choose(key);
        QTest::keyClick(fixture.window.findChild<ui::keytable::KeyTableView *>(), Qt::Key_T,
                        Qt::ControlModifier | Qt::ShiftModifier);
        return fixture.dialog<QDialog>("traceDialog");
    }

private Q_SLOTS:
    void init() { server = std::make_unique<TestServer>(); }
    void cleanup() { server.reset(); }

    void status_describesTheProgress_data()
    {
        QTest::addColumn<TraceProgress>("progress");
        QTest::addColumn<QString>("text");
        const auto add = [](const char *name, const TraceProgress &progress, const char *text) {
            QTest::addRow("%s", name) << progress << QString::fromUtf8(text);
        };
        add("before", {}, "Nothing is sent until you press Start.");
        add("connecting", {true, {}, 0, 0, 0, {}}, "Connecting…");
        add("beginning", {true, 9'950ms, 3, 1, 0, {}}, "9.9 s left · 1 of 3 commands named this key");
        add("going on", {true, 4s, 12'000, 7, 2400.4, {}},
            "4.0 s left · 7 of 12,000 commands named this key · 2,400 commands per second");
        add("over", {false, {}, 12'000, 7, 0, {}}, "Over: 7 of 12,000 commands named this key.");
        add("with reads of our own", {false, {}, 12'000, 7, 0, {}, 1042},
            "Over: 7 of 12,000 commands named this key · 1,042 reads of this Latchkey hidden.");
        add("with one read of our own", {false, {}, 12'000, 7, 0, {}, 1},
            "Over: 7 of 12,000 commands named this key · 1 read of this Latchkey hidden.");
        add("failed", {false, {}, 5, 1, 0, base::Error {base::ErrorKind::TimedOut, QStringLiteral("no answer")}},
            "Ended: no answer");
    }
    void status_describesTheProgress()
    {
        QFETCH(TraceProgress, progress);
        QTEST(progressText(progress), "text");
    }

    void command_isOneLineWhateverItHolds_data()
    {
        QTest::addColumn<resp::Command>("command");
        QTest::addColumn<QString>("text");
        QTest::addRow("plain") << resp::Command {"SET", "k", "v"} << QStringLiteral("SET k v");
        QTest::addRow("with spaces") << resp::Command {"SET", "a key", ""} << QStringLiteral("SET \"a key\" \"\"");
        QTest::addRow("bytes") << resp::Command {"GET", QByteArray("\xff\n\0", 3)}
                               << QStringLiteral("GET \\xff\\x0a\\x00");
    }
    void command_isOneLineWhateverItHolds()
    {
        QFETCH(resp::Command, command);
        QTEST(ui::trace::commandText(command), "text");
    }

    void longCommand_isCut()
    {
        resp::Command command {"MSET"};
        for (int i = 0; i < 100'000; ++i)
            command << QByteArray(100, 'k');
        QVERIFY(ui::trace::commandText(command).size() < 1500);
    }

    void commandsOnTheKey_areListed()
    {
        QVERIFY(redis({"SET", "lock:a", "ann", "PX", "600000"}).isOk());
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 1);
        QDialog *dialog = open(fixture, QStringLiteral("lock:a"));
        QVERIFY(dialog);
        QVERIFY(!dialog->isModal());
        QVERIFY(!redis({"CLIENT", "LIST"}).bytes().contains("cmd=monitor")); // The trace starts only on request.
        fixture.click("traceStart");
        LATCHKEY_AWAIT(redis({"CLIENT", "LIST"}).bytes().contains("cmd=monitor"));
        (void)redis({"SET", "lock:a", "<b>bob</b>", "XX", "PX", "600000"});
        LATCHKEY_AWAIT(commands(*dialog).contains(QStringLiteral("SET lock:a <b>bob</b> XX PX 600000")));
        fixture.click("traceCopy");
        QVERIFY(QGuiApplication::clipboard()->text().contains(QStringLiteral("\tSET lock:a <b>bob</b> XX PX 600000")));
        fixture.click("traceStart"); // Stops the trace.
        LATCHKEY_AWAIT(!redis({"CLIENT", "LIST"}).bytes().contains("cmd=monitor"));
        QVERIFY(fixture.widget<QLabel>("traceProgress").text().startsWith(u"Over: "));
        // The trace ends with its dialog.
        fixture.click("traceStart");
        LATCHKEY_AWAIT(redis({"CLIENT", "LIST"}).bytes().contains("cmd=monitor"));
        dialog->close();
        LATCHKEY_AWAIT(!redis({"CLIENT", "LIST"}).bytes().contains("cmd=monitor"));
    }

    /// The window's own reads are hidden by default.
    void ownReads_areLeftOutUntilTheyAreWanted()
    {
        QVERIFY(redis({"SET", "lock:a", "ann", "PX", "600000"}).isOk());
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 1);
        QDialog *dialog = open(fixture, QStringLiteral("lock:a"));
        QVERIFY(dialog);
        fixture.click("traceStart");
        LATCHKEY_AWAIT(redis({"CLIENT", "LIST"}).bytes().contains("cmd=monitor"));
        (void)redis({"GET", "lock:a"});
        auto &list = fixture.widget<QTreeView>("traceList");
        const auto shown = [&] {
            QStringList all;
            for (int row = 0; row < list.model()->rowCount(); ++row) {
                if (!list.isRowHidden(row, {}))
                    all += list.model()->index(row, 2).data().toString();
            }
            return all;
        };
        LATCHKEY_AWAIT(commands(*dialog).contains(QStringLiteral("PTTL lock:a")));
        LATCHKEY_AWAIT(fixture.widget<QLabel>("traceProgress").text().contains(u"of this Latchkey hidden"));
        QCOMPARE(shown(), QStringList {QStringLiteral("GET lock:a")});
        fixture.click("traceCopy");
        QVERIFY(!QGuiApplication::clipboard()->text().contains(u"PTTL"));
        fixture.widget<QCheckBox>("traceOwnReads").setChecked(true);
        QVERIFY(shown().contains(QStringLiteral("PTTL lock:a")));
        QVERIFY(!fixture.widget<QLabel>("traceProgress").text().contains(u"left out"));
        fixture.widget<QCheckBox>("traceOwnReads").setChecked(false);
        QCOMPARE(shown(), QStringList {QStringLiteral("GET lock:a")});
    }

    void denial_isReportedInTheServersWords()
    {
        QVERIFY(redis({"SET", "lock:a", "ann", "PX", "600000"}).isOk());
        QVERIFY(redis({"ACL", "SETUSER", "default", "-monitor"}).isOk());
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 1);
        QVERIFY(open(fixture, QStringLiteral("lock:a")));
        fixture.click("traceStart");
        LATCHKEY_AWAIT(fixture.widget<QLabel>("traceProgress").text().startsWith(u"Ended: "));
        QVERIFY2(fixture.widget<QLabel>("traceProgress").text().contains(u"monitor"),
                 qPrintable(fixture.widget<QLabel>("traceProgress").text()));
    }
};

LATCHKEY_WINDOW_TEST(TestTrace)

} // namespace tst_trace

#include "tst_trace.moc"
