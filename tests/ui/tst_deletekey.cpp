#include "tests/support/testprogram.h"
#include "tests/ui/windowwords.h"
#include "ui/pages/inspector/deletedialog.h"

#include <QDialog>
#include <QTest>

namespace tst_deletekey {

using namespace latchkey;
using test::bannerText;
using test::MainWindowFixture;
using test::openServer;
using test::TestServer;

/// Tests of deleting a key in the window: only on an armed server, and only the key as shown.
class TestDeleteKey final : public QObject
{
    Q_OBJECT

    std::unique_ptr<TestServer> server;

    resp::Reply redis(std::initializer_list<QByteArray> command) { return (*server)(command); }

private Q_SLOTS:
    void init() { server = std::make_unique<TestServer>(); }
    void cleanup() { server.reset(); }

    void stuckKey_isDeletedOnceArmed()
    {
        QVERIFY(redis({"SET", "lock:stuck", "locking"}).isOk());
        MainWindowFixture bench;
        openServer(bench, server->endpoint());
        LATCHKEY_AWAIT(bench.rows() == 1);
        QCOMPARE(bench.button("armWrites").text(), QStringLiteral("Read-only"));
        bench.choose(QStringLiteral("lock:stuck"));

        // On a server that is not armed, the window asks first. A refusal changes nothing.
        bench.click("deleteKey");
        LATCHKEY_AWAIT(bench.dialog<QDialog>("armDialog"));
        bench.dialog<QDialog>("armDialog")->reject();
        QVERIFY(!bench.workspace.inspected()->isArmed());
        QVERIFY(redis({"EXISTS", "lock:stuck"}).isInteger(1));

        bench.click("armWrites");
        LATCHKEY_AWAIT(bench.dialog<QDialog>("armDialog"));
        bench.click("armConfirm");
        LATCHKEY_AWAIT(bench.button("armWrites").text().startsWith(QStringLiteral("Writes armed")));

        bench.click("deleteKey");
        LATCHKEY_AWAIT(bench.dialog<QDialog>("deleteDialog"));
        QCOMPARE(bench.widget<QLabel>("shownKey").text(), QStringLiteral("lock:stuck"));
        QCOMPARE(bench.widget<QLabel>("shownValue").text(), QStringLiteral("locking"));
        QCOMPARE(bench.widget<QLabel>("shownTimeLeft").text(), QStringLiteral("no expiry"));
        bench.click("deleteConfirm");
        LATCHKEY_AWAIT(bannerText(bench) == u"lock:stuck was deleted.");
        QVERIFY(redis({"EXISTS", "lock:stuck"}).isInteger(0));

        bench.click("armWrites");
        LATCHKEY_AWAIT(!bench.workspace.inspected()->isArmed());
    }

    void keyThatHasChanged_isNotDeleted()
    {
        QVERIFY(redis({"SET", "lock", "ann", "PX", "60000"}).isOk());
        MainWindowFixture bench;
        openServer(bench, server->endpoint());
        LATCHKEY_AWAIT(bench.rows() == 1);
        bench.workspace.inspected()->setArmed(true);
        bench.choose(QStringLiteral("lock"));
        bench.click("deleteKey");
        LATCHKEY_AWAIT(bench.dialog<QDialog>("deleteDialog"));
        QVERIFY(redis({"SET", "lock", "bob", "PX", "60000"}).isOk());
        bench.click("deleteConfirm");
        LATCHKEY_AWAIT(bannerText(bench) == u"lock was not deleted: it has changed since it was displayed.");
        QVERIFY(redis({"GET", "lock"}).isBulk("bob"));
    }

    void deleteDialog_fitsTheScreenWhateverTheKey()
    {
        MainWindowFixture bench;
        watching::KeySnapshot snapshot;
        snapshot.key = base::Key(QByteArray(512, 'k'));
        snapshot.type = keys::KeyType::String;
        snapshot.value = {keys::KeyType::String, 300, {QByteArray(300, 'v')}};
        ui::inspector::DeleteDialog dialog(bench.appearance, base::SystemClock::instance(), {snapshot},
                                           ui::inspector::RemovalText::ofDeletion({snapshot}),
                                           QStringLiteral("redis://127.0.0.1:6379"), &bench.window);
        QVERIFY2(dialog.sizeHint().width() < 800, qPrintable(QString::number(dialog.sizeHint().width())));
        dialog.show();
        const auto *key = dialog.findChild<QLabel *>(QStringLiteral("shownKey"));
        const auto *type = dialog.findChild<QLabel *>(QStringLiteral("shownType"));
        QVERIFY(key->height() >= 8 * key->fontMetrics().lineSpacing());
        QVERIFY(type->y() >= key->geometry().bottom());
    }
};

LATCHKEY_WINDOW_TEST(TestDeleteKey)

} // namespace tst_deletekey

#include "tst_deletekey.moc"
