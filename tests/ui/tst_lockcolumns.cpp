#include "core/inspect/recognition/dialects.h"
#include "core/redis/net/dialer.h"
#include "tests/support/mainwindowfixture.h"
#include "tests/support/testprogram.h"
#include "tests/ui/windowwords.h"
#include "ui/views/keytable/keydelegates.h"
#include "ui/views/keytable/keytext.h"

namespace tst_lockcolumns {

using namespace latchkey;
using test::MainWindowFixture;
using test::TestServer;
using ui::keytable::KeyTableModel;
using LanguageChoice = ui::i18n::LanguageSwitcher::Choice;

/// Tests of the columns of locks in the real window: kind, holder, value and findings.
class TestLockColumns final : public QObject
{
    Q_OBJECT

    std::unique_ptr<TestServer> server;

    resp::Reply redis(std::initializer_list<QByteArray> command) { return (*server)(command); }

private Q_SLOTS:
    void init() { server = std::make_unique<TestServer>(); }
    void cleanup() { server.reset(); }

    /// A cut kind would hide the difference between two libraries.
    void kinds_areNeverCut_data()
    {
        QTest::addColumn<LanguageChoice>("language");
        QTest::addColumn<bool>("hasDetails");
        QTest::addRow("English") << LanguageChoice::English << false;
        QTest::addRow("English, with details") << LanguageChoice::English << true;
        QTest::addRow("Chinese, with details") << LanguageChoice::Chinese << true;
    }
    void kinds_areNeverCut()
    {
        QFETCH(LanguageChoice, language);
        QFETCH(bool, hasDetails);
        QVERIFY(redis({"SET", "lock:order", "1"}).isOk());
        MainWindowFixture fixture;
        fixture.window.resize(1280, 720);
        fixture.languageSwitcher.choose(language);
        test::openServer(fixture, server->endpoint());
        const auto &table = fixture.table();
        LATCHKEY_AWAIT(fixture.rows() == 1 && !table.isColumnHidden(KeyTableModel::KindColumn));
        if (fixture.button("showDetails").isChecked() != hasDetails)
            fixture.click("showDetails");
        constexpr int usualWidth = 190; // Beside the details, the table uses the narrow widths.
        LATCHKEY_AWAIT((table.columnWidth(KeyTableModel::KindColumn) < usualWidth) == hasDetails);
        const auto &dialects = fixture.workspace.inspected()->locks().recogniser().dialects().all();
        QVERIFY(dialects.size() > 50);
        QStringList cut;
        for (const auto &dialect : dialects) {
            keys::KeyAnalysis analysis;
            analysis.kind = dialect.id;
            analysis.title = dialect.title;
            const QString text = ui::keytable::shortKindText(analysis);
            const int room = ui::keytable::pillRoom(table.font(), text, true);
            if (room > table.columnWidth(KeyTableModel::KindColumn))
                cut += QStringLiteral("%1: %2 pixels").arg(text).arg(room);
        }
        QCOMPARE(cut.join(u'\n'), QString());
    }

    void knownKinds_haveShortNames_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QString>("text");
        const auto row = [](const char *kind, const char *text) {
            QTest::addRow("%s", kind) << QString::fromLatin1(kind) << QString::fromLatin1(text);
        };
        row("redisson.RLock", "Redisson RLock");
        row("redis-py.Lock", "redis-py Lock");
        row("lock.token", "Token lock");
        row("textbook.constant", "Constant, no owner");
    }
    void knownKinds_haveShortNames()
    {
        QFETCH(QString, kind);
        keys::KeyAnalysis analysis;
        analysis.kind = kind;
        analysis.title = kind == u"redisson.RLock" ? QStringLiteral("Redisson RLock") : QStringLiteral("redis-py Lock");
        analysis.isCertain = true;
        QTEST(ui::keytable::shortKindText(analysis), "text");
    }

    void holder_isItsClientWhereItIsKnown_data()
    {
        QTest::addColumn<QByteArray>("holder");
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("address");
        QTest::addColumn<QString>("text");
        const auto row = [](const char *holder, const char *name, const char *address, const char *text) {
            QTest::addRow("%s", text) << QByteArray(holder) << QByteArray(name) << QByteArray(address)
                                      << QString::fromUtf8(text);
        };
        row("a1b2", "", "", "a1b2");
        row("a1b2", "worker-7", "10.0.0.12:5041", "worker-7 (10.0.0.12:5041) · a1b2");
        row("a1b2", "", "10.0.0.12:5041", "10.0.0.12:5041 · a1b2");
        row("worker-7", "worker-7", "10.0.0.12:5041", "worker-7 (10.0.0.12:5041)");
        row("worker-7", "worker-7", "", "worker-7");
        row("", "worker-7", "10.0.0.12:5041", "worker-7 (10.0.0.12:5041)");
    }
    void holder_isItsClientWhereItIsKnown()
    {
        QFETCH(QByteArray, holder);
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, address);
        keys::KeyAnalysis analysis;
        analysis.kind = QStringLiteral("lock.token");
        analysis.holder = holder;
        analysis.isHolderRecorded = !holder.isEmpty();
        analysis.count = 1;
        analysis.clientName = name;
        analysis.clientAddress = address;
        QTEST(ui::keytable::holderText(analysis), "text");
    }

    void client_comesBeforeTheToken()
    {
        auto worker = net::dialBlocking(server->endpoint(), std::chrono::seconds(30));
        QVERIFY(
            worker
            && worker->connection->execute(resp::Command {"CLIENT", "SETNAME", "worker-7"}, std::chrono::seconds(30)));
        QVERIFY(redis({"SET", "lock:order", "{\"owner\":\"worker-7\"}", "PX", "600000"}).isOk());
        MainWindowFixture fixture;
        test::openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 1);
        LATCHKEY_AWAIT(fixture.cell(0, KeyTableModel::HolderColumn).startsWith(QStringLiteral("worker-7")));
    }

    /// The value of a lock repeats its holder, so it gets less room than in a table without locks.
    void value_stepsBackForLocks()
    {
        QVERIFY(redis({"SET", "colour", "red"}).isOk());
        MainWindowFixture fixture;
        fixture.window.resize(1280, 720);
        test::openServer(fixture, server->endpoint());
        if (fixture.button("showDetails").isChecked())
            fixture.click("showDetails");
        LATCHKEY_AWAIT(fixture.rows() == 1 && !fixture.table().isColumnHidden(KeyTableModel::ValueColumn));
        const int wide = fixture.table().columnWidth(KeyTableModel::ValueColumn);
        QVERIFY(redis({"SET", "lock:order", "1"}).isOk());
        LATCHKEY_AWAIT(!fixture.table().isColumnHidden(KeyTableModel::HolderColumn));
        LATCHKEY_AWAIT(fixture.table().columnWidth(KeyTableModel::ValueColumn) < wide);
        QVERIFY(fixture.table().columnWidth(KeyTableModel::ValueColumn)
                < fixture.table().columnWidth(KeyTableModel::HolderColumn));
    }
};

LATCHKEY_WINDOW_TEST(TestLockColumns)

} // namespace tst_lockcolumns

#include "tst_lockcolumns.moc"
