#include "tests/support/testprogram.h"
#include "tests/ui/windowwords.h"
#include "ui/pages/inspector/expirydialog.h"

#include <QComboBox>
#include <QDateTimeEdit>
#include <QLineEdit>
#include <QRadioButton>
#include <QTableWidget>
#include <QTest>

namespace tst_keyactionbar {

using namespace latchkey;
using test::bannerAction;
using test::bannerText;
using test::MainWindowFixture;
using test::openServer;
using test::TestServer;
using ui::inspector::ExpiryDialog;
using watching::NewExpiry;

/// Tests of changing one or many keys in the window, and of undoing it: only on an armed server, and only keys as
/// shown.
class TestKeyActs final : public QObject
{
    Q_OBJECT

    std::unique_ptr<TestServer> server;

    resp::Reply redis(const resp::Command &command) { return (*server)(command); }
    qint64 left(const QByteArray &key) { return redis({"PTTL", key}).toInteger(); }
    qint64 end(const QByteArray &key) { return redis({"PEXPIRETIME", key}).toInteger(); }

    /// Opens the server, waits for `rows` keys, and arms it.
    void open(MainWindowFixture &bench, int rows)
    {
        openServer(bench, server->endpoint());
        LATCHKEY_AWAIT(bench.rows() == rows);
        bench.workspace.inspected()->setArmed(true);
    }
    static void ask(const MainWindowFixture &bench, const char *button, const char *dialog)
    {
        bench.click(button);
        LATCHKEY_AWAIT(bench.dialog<QDialog>(dialog));
    }
    static void chooseOnly(const MainWindowFixture &bench, NewExpiry::Only only)
    {
        auto &list = bench.widget<QComboBox>("endOnly");
        list.setCurrentIndex(list.findData(int(only)));
        QVERIFY(list.currentIndex() >= 0);
    }
    static void undo(const MainWindowFixture &bench)
    {
        QVERIFY(bannerAction(bench) != nullptr && bannerAction(bench)->isVisible());
        QCOMPARE(bannerAction(bench)->text(), QStringLiteral("Undo"));
        QTest::mouseClick(bannerAction(bench), Qt::LeftButton);
    }
    static bool canUndo(const MainWindowFixture &bench)
    {
        return bannerAction(bench) != nullptr && bannerAction(bench)->isVisible();
    }

private Q_SLOTS:
    void init() { server = std::make_unique<TestServer>(); }
    void cleanup() { server.reset(); }

    void deletedLock_isPutBack()
    {
        QVERIFY(redis({"SET", "lock", "ann", "PX", "600000"}).isOk());
        const qint64 before = end("lock");
        MainWindowFixture bench;
        open(bench, 1);
        bench.choose(QStringLiteral("lock"));
        ask(bench, "deleteKey", "deleteDialog");
        bench.click("deleteConfirm");
        LATCHKEY_AWAIT(bannerText(bench) == u"lock was deleted.");
        LATCHKEY_AWAIT(bench.rows() == 0);
        undo(bench);
        LATCHKEY_AWAIT(bannerText(bench) == u"lock was restored.");
        QVERIFY(redis({"GET", "lock"}).isBulk("ann"));
        QCOMPARE(end("lock"), before);
        LATCHKEY_AWAIT(bench.rows() == 1);
        QVERIFY(!canUndo(bench)); // A restored key can be deleted again after another read.
    }

    void lockThatAnotherHasTaken_isNotPutBack()
    {
        QVERIFY(redis({"SET", "lock", "ann"}).isOk());
        MainWindowFixture bench;
        open(bench, 1);
        bench.choose(QStringLiteral("lock"));
        ask(bench, "deleteKey", "deleteDialog");
        bench.click("deleteConfirm");
        LATCHKEY_AWAIT(bannerText(bench) == u"lock was deleted.");
        QVERIFY(redis({"SET", "lock", "bob"}).isOk());
        undo(bench);
        LATCHKEY_AWAIT(bannerText(bench) == u"lock was not restored: another client has acquired it in the meantime.");
        QVERIFY(redis({"GET", "lock"}).isBulk("bob"));
    }

    /// On a slow server, the user sees the progress and can cancel.
    void readOfTheKeys_isReportedAndCanBeCancelled()
    {
        for (const QByteArray key : {"a", "b", "c"})
            QVERIFY(redis({"SET", key, "x"}).isOk());
        MainWindowFixture bench;
        open(bench, 3);
        bench.table().selectAll();
        LATCHKEY_AWAIT(bench.button("deleteKey").isEnabled());
        QVERIFY(redis({"CLIENT", "PAUSE", "4000", "ALL"}).isOk());
        bench.click("deleteKey");
        LATCHKEY_AWAIT(bannerText(bench) == u"Reading the keys: 0 of 3");
        QCOMPARE(bannerAction(bench)->text(), QStringLiteral("Cancel"));
        QTest::mouseClick(bannerAction(bench), Qt::LeftButton);
        LATCHKEY_AWAIT(!bannerText(bench).startsWith(u"Reading"));
        // On the second try, the question replaces the progress message.
        bench.click("deleteKey");
        LATCHKEY_AWAIT(bannerText(bench).startsWith(u"Reading"));
        LATCHKEY_AWAIT(bench.dialog<QDialog>("deleteDialog"));
        QVERIFY(!bannerText(bench).startsWith(u"Reading"));
        QCOMPARE(bench.window.findChildren<QDialog *>(QStringLiteral("deleteDialog")).size(), 1);
    }

    void undo_endsWithDisarming()
    {
        QVERIFY(redis({"SET", "lock", "ann"}).isOk());
        MainWindowFixture bench;
        open(bench, 1);
        bench.choose(QStringLiteral("lock"));
        ask(bench, "deleteKey", "deleteDialog");
        bench.click("deleteConfirm");
        LATCHKEY_AWAIT(canUndo(bench));
        bench.workspace.inspected()->setArmed(false);
        LATCHKEY_AWAIT(!canUndo(bench));
    }

    void undo_goesWithTheLease()
    {
        QVERIFY(redis({"SET", "lock", "ann", "PX", "3000"}).isOk());
        MainWindowFixture bench;
        open(bench, 1);
        bench.choose(QStringLiteral("lock"));
        ask(bench, "deleteKey", "deleteDialog");
        bench.click("deleteConfirm");
        LATCHKEY_AWAIT(canUndo(bench));
        LATCHKEY_AWAIT(!canUndo(bench));
    }

    void irreversibleDeletion_isStatedBeforehand()
    {
        QVERIFY(redis({"SET", "lock", "ann"}).isOk());
        QVERIFY(redis({"ACL", "SETUSER", "default", "-dump"}).isOk());
        MainWindowFixture bench;
        open(bench, 1);
        bench.choose(QStringLiteral("lock"));
        ask(bench, "deleteKey", "deleteDialog");
        QVERIFY(bench.widget<QLabel>("deleteWarning").text().startsWith(u"This cannot be undone."));
        bench.click("deleteConfirm");
        LATCHKEY_AWAIT(bannerText(bench) == u"lock was deleted.");
        QVERIFY(!canUndo(bench));
    }

    void severalKeys_areDeletedAndPutBack()
    {
        for (const char *key : {"a", "b", "c"})
            QVERIFY(redis({"SET", key, "v", "PX", "600000"}).isOk());
        MainWindowFixture bench;
        open(bench, 3);
        bench.table().selectAll();
        ask(bench, "deleteKey", "deleteDialog");
        const auto &list = bench.widget<QTableWidget>("shownKeys");
        QCOMPARE(list.rowCount(), 3);
        QSet<QString> listed;
        for (int row = 0; row < 3; ++row) {
            listed.insert(list.item(row, 0)->text());
            QVERIFY(!list.item(row, 2)->text().isEmpty());
        }
        QCOMPARE(listed, (QSet<QString> {QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")}));
        QVERIFY(redis({"SET", "b", "another's", "PX", "600000"}).isOk());
        bench.click("deleteConfirm");
        LATCHKEY_AWAIT(bannerText(bench) == u"2 deleted; 1 changed in the meantime: b.");
        QVERIFY(redis({"EXISTS", "a", "c"}).isInteger(0));
        QVERIFY(redis({"GET", "b"}).isBulk("another's"));
        QVERIFY(redis({"SET", "c", "taken"}).isOk());
        undo(bench);
        LATCHKEY_AWAIT(bannerText(bench) == u"1 restored; 1 acquired by another client: c.");
        QVERIFY(redis({"GET", "a"}).isBulk("v"));
        QVERIFY(redis({"GET", "c"}).isBulk("taken"));
    }

    void hundredKeys_areActedOnAndOneMoreIsTooMany()
    {
        resp::Command write {"MSET"};
        for (int i = 0; i < 101; ++i)
            write << "key" + QByteArray::number(i) << "v";
        QVERIFY(redis(write).isOk());
        MainWindowFixture bench;
        open(bench, 101);
        bench.table().selectAll();
        LATCHKEY_AWAIT(!bench.button("deleteKey").isEnabled());
        QCOMPARE(bench.button("deleteKey").toolTip(), QStringLiteral("At most 100 keys at once"));
        QVERIFY(redis({"DEL", "key7"}).isInteger(1));
        LATCHKEY_AWAIT(bench.rows() == 100);
        bench.table().selectAll();
        LATCHKEY_AWAIT(bench.button("deleteKey").isEnabled());
        ask(bench, "deleteKey", "deleteDialog");
        bench.click("deleteConfirm");
        LATCHKEY_AWAIT(bannerText(bench) == u"100 deleted.");
        QVERIFY(redis({"DBSIZE"}).isInteger(0));
        undo(bench);
        LATCHKEY_AWAIT(bannerText(bench) == u"100 restored.");
        QVERIFY(redis({"DBSIZE"}).isInteger(100));
    }

    void timeLeft_isSetAndSetBack()
    {
        QVERIFY(redis({"SET", "lock", "ann", "PX", "600000"}).isOk());
        const qint64 before = end("lock");
        MainWindowFixture bench;
        open(bench, 1);
        bench.choose(QStringLiteral("lock"));
        ask(bench, "setEnd", "endDialog");
        QCOMPARE(bench.widget<QLabel>("shownKey").text(), QStringLiteral("lock"));
        QCOMPARE(bench.widget<QLabel>("shownValue").text(), QStringLiteral("ann"));
        bench.click("preset1h");
        QCOMPARE(bench.widget<QLineEdit>("endTime").text(), QStringLiteral("1h"));
        QVERIFY(bench.widget<QLabel>("endResult").text().startsWith(u"If set now, it expires at "));
        bench.click("endConfirm");
        LATCHKEY_AWAIT(bannerText(bench) == u"The expiry of lock was set.");
        QVERIFY(left("lock") > 3'500'000);
        undo(bench);
        LATCHKEY_AWAIT(bannerText(bench) == u"The previous expiry of lock was restored.");
        QCOMPARE(end("lock"), before);
    }

    void end_canBeTakenAwayByKeyboard()
    {
        QVERIFY(redis({"SET", "lock", "ann", "PX", "600000"}).isOk());
        MainWindowFixture bench;
        open(bench, 1);
        bench.choose(QStringLiteral("lock"));
        bench.table().setFocus();
        QTest::keyClick(&bench.table(), Qt::Key_E, Qt::ControlModifier);
        LATCHKEY_AWAIT(bench.dialog<ExpiryDialog>("endDialog"));
        auto *dialog = bench.dialog<ExpiryDialog>("endDialog");
        QCOMPARE(dialog->focusWidget(), &bench.widget<QLineEdit>("endTime"));
        LATCHKEY_AWAIT(dialog->isActiveWindow());
        QTest::keyClick(dialog, Qt::Key_N, Qt::AltModifier);
        LATCHKEY_AWAIT(bench.widget<QRadioButton>("endNever").isChecked());
        QVERIFY(!bench.widget<QComboBox>("endOnly").isEnabled());
        QTest::keyClick(&bench.widget<QLineEdit>("endTime"), Qt::Key_Return);
        LATCHKEY_AWAIT(bannerText(bench) == u"The expiry of lock was set.");
        QCOMPARE(left("lock"), -1);
        QCOMPARE(bench.window.focusWidget(), &bench.table());
    }

    void leaseRenewedMeanwhile_isUnchanged()
    {
        QVERIFY(redis({"SET", "lock", "ann", "PX", "600000"}).isOk());
        MainWindowFixture bench;
        open(bench, 1);
        bench.choose(QStringLiteral("lock"));
        ask(bench, "setEnd", "endDialog");
        QVERIFY(redis({"PEXPIRE", "lock", "700000"}).isInteger(1));
        const qint64 renewed = end("lock");
        bench.click("endConfirm");
        LATCHKEY_AWAIT(bannerText(bench) == u"The expiry of lock was not set: it has changed since it was displayed.");
        QCOMPARE(end("lock"), renewed);
        QVERIFY(!canUndo(bench));
    }

    void keyThatDoesNotMeetTheCondition_isLeft_data()
    {
        QTest::addColumn<int>("only");
        QTest::addColumn<bool>("hasEnd"); ///< Whether the key has an expiry before the change.
        QTest::addRow("only later") << int(NewExpiry::Only::IfLater) << true;
        QTest::addRow("only where there is none") << int(NewExpiry::Only::IfNone) << false;
    }
    void keyThatDoesNotMeetTheCondition_isLeft()
    {
        QFETCH(int, only);
        QFETCH(bool, hasEnd);
        QVERIFY(redis({"SET", "met", "v"}).isOk());
        if (hasEnd)
            QVERIFY(redis({"PEXPIRE", "met", "60000"}).isInteger(1));
        QVERIFY(redis({"SET", "long", "v", "PX", "6000000"}).isOk());
        const qint64 before = end("long");
        MainWindowFixture bench;
        open(bench, 2);
        bench.table().selectAll();
        ask(bench, "setEnd", "endDialog");
        bench.click("preset5m");
        chooseOnly(bench, static_cast<NewExpiry::Only>(only));
        bench.click("endConfirm");
        LATCHKEY_AWAIT(bannerText(bench) == u"expiry of 1 set; 1 unchanged: long.");
        QVERIFY(left("met") > 200'000);
        QCOMPARE(end("long"), before);
    }

    void absoluteEnd_isSetToTheSecond()
    {
        QVERIFY(redis({"SET", "lock", "ann", "PX", "600000"}).isOk());
        MainWindowFixture bench;
        open(bench, 1);
        bench.choose(QStringLiteral("lock"));
        ask(bench, "setEnd", "endDialog");
        auto &moment = bench.widget<QDateTimeEdit>("endMoment");
        const qint64 wanted = QDateTime::currentSecsSinceEpoch() + 7230;
        moment.setDateTime(QDateTime::fromSecsSinceEpoch(wanted));
        QVERIFY(bench.widget<QRadioButton>("endAt").isChecked());
        QVERIFY(bench.widget<QLabel>("endResult").text().startsWith(u"That is in 2 h"));
        moment.setDateTime(QDateTime::fromSecsSinceEpoch(wanted - 8000));
        QVERIFY(!bench.button("endConfirm").isEnabled());
        QCOMPARE(bench.widget<QLabel>("endResult").text(), QStringLiteral("That time has passed"));
        moment.setDateTime(QDateTime::fromSecsSinceEpoch(wanted));
        bench.click("endConfirm");
        LATCHKEY_AWAIT(bannerText(bench) == u"The expiry of lock was set.");
        QCOMPARE(end("lock"), wanted * 1000);
    }

    void lock_isReleasedAndPutBack()
    {
        QVERIFY(redis({"HSET", "order:5", "b801a03b-dd72-4e75-bef2-e05bf3630559:23", "2"}).isInteger(1));
        QVERIFY(redis({"PEXPIRE", "order:5", "600000"}).isInteger(1));
        QVERIFY(redis({"SET", "page:7", "<html>"}).isOk());
        const qint64 before = end("order:5");
        MainWindowFixture bench;
        open(bench, 2);
        bench.choose(QStringLiteral("page:7"));
        QVERIFY(!bench.button("releaseLock").isEnabled());
        QCOMPARE(bench.button("releaseLock").toolTip(), QStringLiteral("Select a lock first"));
        bench.choose(QStringLiteral("order:5"));
        LATCHKEY_AWAIT(bench.button("releaseLock").isEnabled());
        ask(bench, "releaseLock", "releaseDialog");
        QStringList said;
        for (const QLabel *label : bench.dialog<QDialog>("releaseDialog")->findChildren<QLabel *>())
            said += label->text();
        QVERIFY(said.join(u' ').contains(u"the waiting clients are notified"));
        QVERIFY(said.join(u' ').contains(u"has acquired it 2 times"));
        QVERIFY(bench.widget<QLabel>("releaseWarning").text().startsWith(u"Its holder is not notified"));
        bench.click("releaseConfirm");
        LATCHKEY_AWAIT(bannerText(bench) == u"order:5 was released.");
        QVERIFY(redis({"EXISTS", "order:5"}).isInteger(0));
        undo(bench);
        LATCHKEY_AWAIT(bannerText(bench) == u"order:5 was restored.");
        QCOMPARE(end("order:5"), before);
    }

    void lockThatIsNotJustDeleted_isNotReleased()
    {
        QVERIFY(redis({"HSET", "catalogue", "mode", "read", "b801a03b-dd72-4e75-bef2-e05bf3630559:1", "1",
                       "b801a03b-dd72-4e75-bef2-e05bf3630559:23", "1"})
                    .isInteger(3));
        QVERIFY(redis({"PEXPIRE", "catalogue", "600000"}).isInteger(1));
        MainWindowFixture bench;
        open(bench, 1);
        bench.choose(QStringLiteral("catalogue"));
        LATCHKEY_AWAIT(bench.button("releaseLock").isEnabled());
        bench.click("releaseLock");
        LATCHKEY_AWAIT(bannerText(bench)
                       == u"catalogue was not released: each holder releases its own part; the lock can only "
                          u"be deleted as a whole (Redisson RReadWriteLock).");
        QVERIFY(redis({"EXISTS", "catalogue"}).isInteger(1));
    }

    void severalLocks_areReleased()
    {
        const QByteArray token = QByteArrayLiteral("f442172cd0841b68177e827d1a6528b1");
        for (const char *key : {"lock:a", "lock:b"})
            QVERIFY(redis({"SET", key, token, "PX", "600000"}).isOk());
        QVERIFY(redis({"SET", "page:7", "<html>"}).isOk());
        MainWindowFixture bench;
        open(bench, 3);
        bench.table().selectAll();
        LATCHKEY_AWAIT(bench.button("releaseLock").isEnabled());
        ask(bench, "releaseLock", "releaseDialog");
        QCOMPARE(bench.widget<QTableWidget>("shownKeys").rowCount(), 2);
        QVERIFY(bench.widget<QLabel>("releaseWarning").text().contains(u"1 more selected locks"));
        QVERIFY(redis({"SET", "lock:b", "9891ac7c19c1ec9e54f0c08c8074917c", "PX", "600000"}).isOk());
        bench.click("releaseConfirm");
        LATCHKEY_AWAIT(bannerText(bench) == u"1 released; 1 changed in the meantime: lock:b.");
        QVERIFY(redis({"EXISTS", "lock:a"}).isInteger(0));
        QVERIFY(redis({"EXISTS", "lock:b", "page:7"}).isInteger(2));
    }

    void invalidDuration_disablesTheButton_data()
    {
        QTest::addColumn<QString>("text");
        for (const char *text : {"", "5", "0s", "-5s", "1.5s", "five", "99999999999d"})
            QTest::addRow("%s", text) << QString::fromLatin1(text);
    }
    void invalidDuration_disablesTheButton()
    {
        QFETCH(QString, text);
        MainWindowFixture bench;
        watching::KeySnapshot snapshot;
        snapshot.key = base::Key("k");
        ExpiryDialog dialog(bench.appearance, base::SystemClock::instance(), {snapshot},
                            QStringLiteral("redis://127.0.0.1:6379"), &bench.window);
        auto *field = dialog.findChild<QLineEdit *>(QStringLiteral("endTime"));
        const auto *confirm = dialog.findChild<QPushButton *>(QStringLiteral("endConfirm"));
        QVERIFY(confirm->isEnabled());
        field->setText(text);
        QVERIFY(!confirm->isEnabled());
        QVERIFY(!confirm->toolTip().isEmpty());
        QCOMPARE(confirm->toolTip(), dialog.findChild<QLabel *>(QStringLiteral("endResult"))->text());
        field->setText(QStringLiteral("90s"));
        QVERIFY(confirm->isEnabled());
        QCOMPARE(dialog.newEnd().value().time, std::chrono::seconds(90));
    }

    void question_continuesAfterArming()
    {
        QVERIFY(redis({"SET", "lock", "ann"}).isOk());
        MainWindowFixture bench;
        openServer(bench, server->endpoint());
        LATCHKEY_AWAIT(bench.rows() == 1);
        bench.choose(QStringLiteral("lock"));
        ask(bench, "setEnd", "armDialog");
        bench.click("armConfirm");
        LATCHKEY_AWAIT(bench.dialog<QDialog>("endDialog"));
        bench.click("endConfirm");
        LATCHKEY_AWAIT(bannerText(bench) == u"The expiry of lock was set.");
        QVERIFY(left("lock") > 0);
    }

    void question_isForgottenWhereArmingIsRefused()
    {
        QVERIFY(redis({"SET", "lock", "ann"}).isOk());
        MainWindowFixture bench;
        openServer(bench, server->endpoint());
        LATCHKEY_AWAIT(bench.rows() == 1);
        bench.choose(QStringLiteral("lock"));
        ask(bench, "deleteKey", "armDialog");
        bench.dialog<QDialog>("armDialog")->reject();
        const quint64 before = bench.workspace.inspected()->commandsSent();
        bench.workspace.inspected()->setArmed(true);
        LATCHKEY_AWAIT(bench.workspace.inspected()->commandsSent() > before + 5);
        QVERIFY(bench.dialog<QDialog>("deleteDialog") == nullptr);
        QVERIFY(redis({"EXISTS", "lock"}).isInteger(1));
    }

    void greyedActs_sayWhy()
    {
        QVERIFY(redis({"SET", "lock", "ann"}).isOk());
        MainWindowFixture bench;
        openServer(bench, server->endpoint());
        LATCHKEY_AWAIT(bench.rows() == 1);
        for (const char *name : {"setEnd", "deleteKey"}) {
            QVERIFY(!bench.button(name).isEnabled());
            QCOMPARE(bench.button(name).toolTip(), QStringLiteral("Select a key first"));
        }
        bench.choose(QStringLiteral("lock"));
        QVERIFY(bench.button("setEnd").toolTip().startsWith(u"Read-only: arm writes first"));
        bench.workspace.inspected()->setArmed(true);
        QVERIFY(bench.button("setEnd").toolTip().contains(u"Ctrl+E"));
        server->kill();
        LATCHKEY_AWAIT(!bench.button("setEnd").isEnabled());
        QCOMPARE(bench.button("setEnd").toolTip(), QStringLiteral("No connection to a server"));
    }
};

LATCHKEY_WINDOW_TEST(TestKeyActs)

} // namespace tst_keyactionbar

#include "tst_keyactionbar.moc"
