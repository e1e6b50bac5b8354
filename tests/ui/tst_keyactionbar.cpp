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
    void open(MainWindowFixture &fixture, int rows)
    {
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == rows);
        fixture.workspace.inspected()->setArmed(true);
    }
    static void ask(const MainWindowFixture &fixture, const char *button, const char *dialog)
    {
        fixture.click(button);
        LATCHKEY_AWAIT(fixture.dialog<QDialog>(dialog));
    }
    static void chooseOnly(const MainWindowFixture &fixture, NewExpiry::Condition only)
    {
        auto &list = fixture.widget<QComboBox>("endOnly");
        list.setCurrentIndex(list.findData(int(only)));
        QVERIFY(list.currentIndex() >= 0);
    }
    static void undo(const MainWindowFixture &fixture)
    {
        QVERIFY(bannerAction(fixture) != nullptr && bannerAction(fixture)->isVisible());
        QCOMPARE(bannerAction(fixture)->text(), QStringLiteral("Undo"));
        QTest::mouseClick(bannerAction(fixture), Qt::LeftButton);
    }
    static bool canUndo(const MainWindowFixture &fixture)
    {
        return bannerAction(fixture) != nullptr && bannerAction(fixture)->isVisible();
    }

private Q_SLOTS:
    void init() { server = std::make_unique<TestServer>(); }
    void cleanup() { server.reset(); }

    void deletedLock_isPutBack()
    {
        QVERIFY(redis({"SET", "lock", "ann", "PX", "600000"}).isOk());
        const qint64 before = end("lock");
        MainWindowFixture fixture;
        open(fixture, 1);
        fixture.choose(QStringLiteral("lock"));
        ask(fixture, "deleteKey", "deleteDialog");
        fixture.click("deleteConfirm");
        LATCHKEY_AWAIT(bannerText(fixture) == u"lock was deleted.");
        LATCHKEY_AWAIT(fixture.rows() == 0);
        undo(fixture);
        LATCHKEY_AWAIT(bannerText(fixture) == u"lock was restored.");
        QVERIFY(redis({"GET", "lock"}).isBulk("ann"));
        QCOMPARE(end("lock"), before);
        LATCHKEY_AWAIT(fixture.rows() == 1);
        QVERIFY(!canUndo(fixture)); // A restored key can be deleted again after another read.
    }

    void lockThatAnotherHasTaken_isNotPutBack()
    {
        QVERIFY(redis({"SET", "lock", "ann"}).isOk());
        MainWindowFixture fixture;
        open(fixture, 1);
        fixture.choose(QStringLiteral("lock"));
        ask(fixture, "deleteKey", "deleteDialog");
        fixture.click("deleteConfirm");
        LATCHKEY_AWAIT(bannerText(fixture) == u"lock was deleted.");
        QVERIFY(redis({"SET", "lock", "bob"}).isOk());
        undo(fixture);
        LATCHKEY_AWAIT(bannerText(fixture)
                       == u"lock was not restored: another client has acquired it in the meantime.");
        QVERIFY(redis({"GET", "lock"}).isBulk("bob"));
    }

    /// On a slow server, the user sees the progress and can cancel.
    void readOfTheKeys_isReportedAndCanBeCancelled()
    {
        for (const QByteArray key : {"a", "b", "c"})
            QVERIFY(redis({"SET", key, "x"}).isOk());
        MainWindowFixture fixture;
        open(fixture, 3);
        fixture.table().selectAll();
        LATCHKEY_AWAIT(fixture.button("deleteKey").isEnabled());
        QVERIFY(redis({"CLIENT", "PAUSE", "4000", "ALL"}).isOk());
        fixture.click("deleteKey");
        LATCHKEY_AWAIT(bannerText(fixture) == u"Reading the keys: 0 of 3");
        QCOMPARE(bannerAction(fixture)->text(), QStringLiteral("Cancel"));
        QTest::mouseClick(bannerAction(fixture), Qt::LeftButton);
        LATCHKEY_AWAIT(!bannerText(fixture).startsWith(u"Reading"));
        // On the second try, the question replaces the progress message.
        fixture.click("deleteKey");
        LATCHKEY_AWAIT(bannerText(fixture).startsWith(u"Reading"));
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("deleteDialog"));
        QVERIFY(!bannerText(fixture).startsWith(u"Reading"));
        QCOMPARE(fixture.window.findChildren<QDialog *>(QStringLiteral("deleteDialog")).size(), 1);
    }

    void undo_endsWithDisarming()
    {
        QVERIFY(redis({"SET", "lock", "ann"}).isOk());
        MainWindowFixture fixture;
        open(fixture, 1);
        fixture.choose(QStringLiteral("lock"));
        ask(fixture, "deleteKey", "deleteDialog");
        fixture.click("deleteConfirm");
        LATCHKEY_AWAIT(canUndo(fixture));
        fixture.workspace.inspected()->setArmed(false);
        LATCHKEY_AWAIT(!canUndo(fixture));
    }

    void undo_goesWithTheLease()
    {
        QVERIFY(redis({"SET", "lock", "ann", "PX", "3000"}).isOk());
        MainWindowFixture fixture;
        open(fixture, 1);
        fixture.choose(QStringLiteral("lock"));
        ask(fixture, "deleteKey", "deleteDialog");
        fixture.click("deleteConfirm");
        LATCHKEY_AWAIT(canUndo(fixture));
        LATCHKEY_AWAIT(!canUndo(fixture));
    }

    void irreversibleDeletion_isStatedBeforehand()
    {
        QVERIFY(redis({"SET", "lock", "ann"}).isOk());
        QVERIFY(redis({"ACL", "SETUSER", "default", "-dump"}).isOk());
        MainWindowFixture fixture;
        open(fixture, 1);
        fixture.choose(QStringLiteral("lock"));
        ask(fixture, "deleteKey", "deleteDialog");
        QVERIFY(fixture.widget<QLabel>("deleteWarning").text().startsWith(u"This cannot be undone."));
        fixture.click("deleteConfirm");
        LATCHKEY_AWAIT(bannerText(fixture) == u"lock was deleted.");
        QVERIFY(!canUndo(fixture));
    }

    void severalKeys_areDeletedAndPutBack()
    {
        for (const char *key : {"a", "b", "c"})
            QVERIFY(redis({"SET", key, "v", "PX", "600000"}).isOk());
        MainWindowFixture fixture;
        open(fixture, 3);
        fixture.table().selectAll();
        ask(fixture, "deleteKey", "deleteDialog");
        const auto &list = fixture.widget<QTableWidget>("shownKeys");
        QCOMPARE(list.rowCount(), 3);
        QSet<QString> listed;
        for (int row = 0; row < 3; ++row) {
            listed.insert(list.item(row, 0)->text());
            QVERIFY(!list.item(row, 2)->text().isEmpty());
        }
        QCOMPARE(listed, (QSet<QString> {QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c")}));
        QVERIFY(redis({"SET", "b", "another's", "PX", "600000"}).isOk());
        fixture.click("deleteConfirm");
        LATCHKEY_AWAIT(bannerText(fixture) == u"2 deleted; 1 changed in the meantime: b.");
        QVERIFY(redis({"EXISTS", "a", "c"}).isInteger(0));
        QVERIFY(redis({"GET", "b"}).isBulk("another's"));
        QVERIFY(redis({"SET", "c", "taken"}).isOk());
        undo(fixture);
        LATCHKEY_AWAIT(bannerText(fixture) == u"1 restored; 1 acquired by another client: c.");
        QVERIFY(redis({"GET", "a"}).isBulk("v"));
        QVERIFY(redis({"GET", "c"}).isBulk("taken"));
    }

    void hundredKeys_areActedOnAndOneMoreIsTooMany()
    {
        resp::Command write {"MSET"};
        for (int i = 0; i < 101; ++i)
            write << "key" + QByteArray::number(i) << "v";
        QVERIFY(redis(write).isOk());
        MainWindowFixture fixture;
        open(fixture, 101);
        fixture.table().selectAll();
        LATCHKEY_AWAIT(!fixture.button("deleteKey").isEnabled());
        QCOMPARE(fixture.button("deleteKey").toolTip(), QStringLiteral("At most 100 keys at once"));
        QVERIFY(redis({"DEL", "key7"}).isInteger(1));
        LATCHKEY_AWAIT(fixture.rows() == 100);
        fixture.table().selectAll();
        LATCHKEY_AWAIT(fixture.button("deleteKey").isEnabled());
        ask(fixture, "deleteKey", "deleteDialog");
        fixture.click("deleteConfirm");
        LATCHKEY_AWAIT(bannerText(fixture) == u"100 deleted.");
        QVERIFY(redis({"DBSIZE"}).isInteger(0));
        undo(fixture);
        LATCHKEY_AWAIT(bannerText(fixture) == u"100 restored.");
        QVERIFY(redis({"DBSIZE"}).isInteger(100));
    }

    void timeLeft_isSetAndSetBack()
    {
        QVERIFY(redis({"SET", "lock", "ann", "PX", "600000"}).isOk());
        const qint64 before = end("lock");
        MainWindowFixture fixture;
        open(fixture, 1);
        fixture.choose(QStringLiteral("lock"));
        ask(fixture, "setEnd", "endDialog");
        QCOMPARE(fixture.widget<QLabel>("shownKey").text(), QStringLiteral("lock"));
        QCOMPARE(fixture.widget<QLabel>("shownValue").text(), QStringLiteral("ann"));
        fixture.click("preset1h");
        QCOMPARE(fixture.widget<QLineEdit>("endTime").text(), QStringLiteral("1h"));
        QVERIFY(fixture.widget<QLabel>("endResult").text().startsWith(u"If set now, it expires at "));
        fixture.click("endConfirm");
        LATCHKEY_AWAIT(bannerText(fixture) == u"The expiry of lock was set.");
        QVERIFY(left("lock") > 3'500'000);
        undo(fixture);
        LATCHKEY_AWAIT(bannerText(fixture) == u"The previous expiry of lock was restored.");
        QCOMPARE(end("lock"), before);
    }

    void end_canBeTakenAwayByKeyboard()
    {
        QVERIFY(redis({"SET", "lock", "ann", "PX", "600000"}).isOk());
        MainWindowFixture fixture;
        open(fixture, 1);
        fixture.choose(QStringLiteral("lock"));
        fixture.table().setFocus();
        QTest::keyClick(&fixture.table(), Qt::Key_E, Qt::ControlModifier);
        LATCHKEY_AWAIT(fixture.dialog<ExpiryDialog>("endDialog"));
        auto *dialog = fixture.dialog<ExpiryDialog>("endDialog");
        QCOMPARE(dialog->focusWidget(), &fixture.widget<QLineEdit>("endTime"));
        LATCHKEY_AWAIT(dialog->isActiveWindow());
        QTest::keyClick(dialog, Qt::Key_N, Qt::AltModifier);
        LATCHKEY_AWAIT(fixture.widget<QRadioButton>("endNever").isChecked());
        QVERIFY(!fixture.widget<QComboBox>("endOnly").isEnabled());
        QTest::keyClick(&fixture.widget<QLineEdit>("endTime"), Qt::Key_Return);
        LATCHKEY_AWAIT(bannerText(fixture) == u"The expiry of lock was set.");
        QCOMPARE(left("lock"), -1);
        QCOMPARE(fixture.window.focusWidget(), &fixture.table());
    }

    void leaseRenewedMeanwhile_isUnchanged()
    {
        QVERIFY(redis({"SET", "lock", "ann", "PX", "600000"}).isOk());
        MainWindowFixture fixture;
        open(fixture, 1);
        fixture.choose(QStringLiteral("lock"));
        ask(fixture, "setEnd", "endDialog");
        QVERIFY(redis({"PEXPIRE", "lock", "700000"}).isInteger(1));
        const qint64 renewed = end("lock");
        fixture.click("endConfirm");
        LATCHKEY_AWAIT(bannerText(fixture)
                       == u"The expiry of lock was not set: it has changed since it was displayed.");
        QCOMPARE(end("lock"), renewed);
        QVERIFY(!canUndo(fixture));
    }

    void keyThatDoesNotMeetTheCondition_isLeft_data()
    {
        QTest::addColumn<int>("only");
        QTest::addColumn<bool>("hasEnd"); ///< Whether the key has an expiry before the change.
        QTest::addRow("only later") << int(NewExpiry::Condition::IfLater) << true;
        QTest::addRow("only where there is none") << int(NewExpiry::Condition::IfNone) << false;
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
        MainWindowFixture fixture;
        open(fixture, 2);
        fixture.table().selectAll();
        ask(fixture, "setEnd", "endDialog");
        fixture.click("preset5m");
        chooseOnly(fixture, static_cast<NewExpiry::Condition>(only));
        fixture.click("endConfirm");
        LATCHKEY_AWAIT(bannerText(fixture) == u"expiry of 1 set; 1 unchanged: long.");
        QVERIFY(left("met") > 200'000);
        QCOMPARE(end("long"), before);
    }

    void absoluteEnd_isSetToTheSecond()
    {
        QVERIFY(redis({"SET", "lock", "ann", "PX", "600000"}).isOk());
        MainWindowFixture fixture;
        open(fixture, 1);
        fixture.choose(QStringLiteral("lock"));
        ask(fixture, "setEnd", "endDialog");
        auto &moment = fixture.widget<QDateTimeEdit>("endMoment");
        const qint64 wanted = QDateTime::currentSecsSinceEpoch() + 7230;
        moment.setDateTime(QDateTime::fromSecsSinceEpoch(wanted));
        QVERIFY(fixture.widget<QRadioButton>("endAt").isChecked());
        QVERIFY(fixture.widget<QLabel>("endResult").text().startsWith(u"That is in 2 h"));
        moment.setDateTime(QDateTime::fromSecsSinceEpoch(wanted - 8000));
        QVERIFY(!fixture.button("endConfirm").isEnabled());
        QCOMPARE(fixture.widget<QLabel>("endResult").text(), QStringLiteral("That time has passed"));
        moment.setDateTime(QDateTime::fromSecsSinceEpoch(wanted));
        fixture.click("endConfirm");
        LATCHKEY_AWAIT(bannerText(fixture) == u"The expiry of lock was set.");
        QCOMPARE(end("lock"), wanted * 1000);
    }

    void lock_isReleasedAndPutBack()
    {
        QVERIFY(redis({"HSET", "order:5", "b801a03b-dd72-4e75-bef2-e05bf3630559:23", "2"}).isInteger(1));
        QVERIFY(redis({"PEXPIRE", "order:5", "600000"}).isInteger(1));
        QVERIFY(redis({"SET", "page:7", "<html>"}).isOk());
        const qint64 before = end("order:5");
        MainWindowFixture fixture;
        open(fixture, 2);
        fixture.choose(QStringLiteral("page:7"));
        QVERIFY(!fixture.button("releaseLock").isEnabled());
        QCOMPARE(fixture.button("releaseLock").toolTip(), QStringLiteral("Select a lock first"));
        fixture.choose(QStringLiteral("order:5"));
        LATCHKEY_AWAIT(fixture.button("releaseLock").isEnabled());
        ask(fixture, "releaseLock", "releaseDialog");
        QStringList said;
        for (const QLabel *label : fixture.dialog<QDialog>("releaseDialog")->findChildren<QLabel *>())
            said += label->text();
        QVERIFY(said.join(u' ').contains(u"the waiting clients are notified"));
        QVERIFY(said.join(u' ').contains(u"has acquired it 2 times"));
        QVERIFY(fixture.widget<QLabel>("releaseWarning").text().startsWith(u"Its holder is not notified"));
        fixture.click("releaseConfirm");
        LATCHKEY_AWAIT(bannerText(fixture) == u"order:5 was released.");
        QVERIFY(redis({"EXISTS", "order:5"}).isInteger(0));
        undo(fixture);
        LATCHKEY_AWAIT(bannerText(fixture) == u"order:5 was restored.");
        QCOMPARE(end("order:5"), before);
    }

    void lockThatIsNotJustDeleted_isNotReleased()
    {
        QVERIFY(redis({"HSET", "catalogue", "mode", "read", "b801a03b-dd72-4e75-bef2-e05bf3630559:1", "1",
                       "b801a03b-dd72-4e75-bef2-e05bf3630559:23", "1"})
                    .isInteger(3));
        QVERIFY(redis({"PEXPIRE", "catalogue", "600000"}).isInteger(1));
        MainWindowFixture fixture;
        open(fixture, 1);
        fixture.choose(QStringLiteral("catalogue"));
        LATCHKEY_AWAIT(fixture.button("releaseLock").isEnabled());
        fixture.click("releaseLock");
        LATCHKEY_AWAIT(bannerText(fixture)
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
        MainWindowFixture fixture;
        open(fixture, 3);
        fixture.table().selectAll();
        LATCHKEY_AWAIT(fixture.button("releaseLock").isEnabled());
        ask(fixture, "releaseLock", "releaseDialog");
        QCOMPARE(fixture.widget<QTableWidget>("shownKeys").rowCount(), 2);
        QVERIFY(fixture.widget<QLabel>("releaseWarning").text().contains(u"1 more selected locks"));
        QVERIFY(redis({"SET", "lock:b", "9891ac7c19c1ec9e54f0c08c8074917c", "PX", "600000"}).isOk());
        fixture.click("releaseConfirm");
        LATCHKEY_AWAIT(bannerText(fixture) == u"1 released; 1 changed in the meantime: lock:b.");
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
        MainWindowFixture fixture;
        watching::KeySnapshot snapshot;
        snapshot.key = base::Key("k");
        ExpiryDialog dialog(fixture.appearance, base::SystemClock::instance(), {snapshot},
                            QStringLiteral("redis://127.0.0.1:6379"), &fixture.window);
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
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 1);
        fixture.choose(QStringLiteral("lock"));
        ask(fixture, "setEnd", "armDialog");
        fixture.click("armConfirm");
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("endDialog"));
        fixture.click("endConfirm");
        LATCHKEY_AWAIT(bannerText(fixture) == u"The expiry of lock was set.");
        QVERIFY(left("lock") > 0);
    }

    void question_isForgottenWhereArmingIsRefused()
    {
        QVERIFY(redis({"SET", "lock", "ann"}).isOk());
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 1);
        fixture.choose(QStringLiteral("lock"));
        ask(fixture, "deleteKey", "armDialog");
        fixture.dialog<QDialog>("armDialog")->reject();
        const quint64 before = fixture.workspace.inspected()->commandsSent();
        fixture.workspace.inspected()->setArmed(true);
        LATCHKEY_AWAIT(fixture.workspace.inspected()->commandsSent() > before + 5);
        QVERIFY(fixture.dialog<QDialog>("deleteDialog") == nullptr);
        QVERIFY(redis({"EXISTS", "lock"}).isInteger(1));
    }

    void greyedActs_sayWhy()
    {
        QVERIFY(redis({"SET", "lock", "ann"}).isOk());
        MainWindowFixture fixture;
        openServer(fixture, server->endpoint());
        LATCHKEY_AWAIT(fixture.rows() == 1);
        for (const char *name : {"setEnd", "deleteKey"}) {
            QVERIFY(!fixture.button(name).isEnabled());
            QCOMPARE(fixture.button(name).toolTip(), QStringLiteral("Select a key first"));
        }
        fixture.choose(QStringLiteral("lock"));
        QVERIFY(fixture.button("setEnd").toolTip().startsWith(u"Read-only: arm writes first"));
        fixture.workspace.inspected()->setArmed(true);
        QVERIFY(fixture.button("setEnd").toolTip().contains(u"Ctrl+E"));
        server->kill();
        LATCHKEY_AWAIT(!fixture.button("setEnd").isEnabled());
        QCOMPARE(fixture.button("setEnd").toolTip(), QStringLiteral("No connection to a server"));
    }
};

LATCHKEY_WINDOW_TEST(TestKeyActs)

} // namespace tst_keyactionbar

#include "tst_keyactionbar.moc"
