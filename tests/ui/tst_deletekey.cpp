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
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 1);
        QCOMPARE(fixture.button("armWrites").text(), QStringLiteral("Read-only"));
        fixture.choose(QStringLiteral("lock:stuck"));

        // On a server that is not armed, the window asks first. A refusal changes nothing.
        fixture.click("deleteKey");
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("armDialog"));
        fixture.dialog<QDialog>("armDialog")->reject();
        QVERIFY(!fixture.workspace.inspected()->isArmed());
        QVERIFY(redis({"EXISTS", "lock:stuck"}).isInteger(1));

        fixture.click("armWrites");
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("armDialog"));
        fixture.click("armConfirm");
        LATCHKEY_AWAIT(fixture.button("armWrites").text().startsWith(QStringLiteral("Writes armed")));

        fixture.click("deleteKey");
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("deleteDialog"));
        QCOMPARE(fixture.widget<QLabel>("shownKey").text(), QStringLiteral("lock:stuck"));
        QCOMPARE(fixture.widget<QLabel>("shownValue").text(), QStringLiteral("locking"));
        QCOMPARE(fixture.widget<QLabel>("shownTimeLeft").text(), QStringLiteral("no expiry"));
        fixture.click("deleteConfirm");
        LATCHKEY_AWAIT(bannerText(fixture) == u"lock:stuck was deleted.");
        QVERIFY(redis({"EXISTS", "lock:stuck"}).isInteger(0));

        fixture.click("armWrites");
        LATCHKEY_AWAIT(!fixture.workspace.inspected()->isArmed());
    }

    void keyThatHasChanged_isNotDeleted()
    {
        QVERIFY(redis({"SET", "lock", "ann", "PX", "60000"}).isOk());
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 1);
        fixture.workspace.inspected()->setArmed(true);
        fixture.choose(QStringLiteral("lock"));
        fixture.click("deleteKey");
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("deleteDialog"));
        QVERIFY(redis({"SET", "lock", "bob", "PX", "60000"}).isOk());
        fixture.click("deleteConfirm");
        LATCHKEY_AWAIT(bannerText(fixture) == u"lock was not deleted: it has changed since it was displayed.");
        QVERIFY(redis({"GET", "lock"}).isBulk("bob"));
    }

    void deleteDialog_fitsTheScreenWhateverTheKey()
    {
        MainWindowFixture fixture;
        watching::KeySnapshot snapshot;
        snapshot.key = base::Key(QByteArray(512, 'k'));
        snapshot.type = keys::KeyType::String;
        snapshot.value = {keys::KeyType::String, 300, {QByteArray(300, 'v')}};
        ui::inspector::DeleteDialog dialog(fixture.appearance, base::SystemClock::instance(), {snapshot},
                                           ui::inspector::RemovalText::ofDeletion({snapshot}),
                                           QStringLiteral("redis://127.0.0.1:6379"), &fixture.window);
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
