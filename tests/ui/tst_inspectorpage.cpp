#include "core/inspect/inspection/commandallowlist.h"
#include "tests/support/await.h"
#include "tests/support/testprogram.h"
#include "tests/support/testserver.h"
#include "ui/pages/inspector/deletedialog.h"
#include "ui/pages/inspector/inspectorpage.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>
#include <QTextDocument>
#include <QToolButton>

#include <csignal>

namespace tst_inspectorpage {

using namespace latchkey;
using net::Session;
using test::TestServer;
using ui::inspector::DeleteDialog;
using ui::inspector::InspectorPage;
using ui::keytable::KeyTableModel;
using ui::keytable::KeyTableView;
using namespace std::chrono_literals;

namespace {

/// The page alone, with a real server.
class PageFixture final
{
public:
    explicit PageFixture(const net::Endpoint &endpoint)
        : inspected(endpoint, false, base::SystemClock::instance(), base::SystemRandom::instance())
    {
        page.resize(1100, 600);
        page.show();
        page.activateWindow();
        page.setServer(&inspected);
        inspected.start();
    }

    template<typename Widget>
    [[nodiscard]] Widget &widget(const char *name) const
    {
        auto *found = page.findChild<Widget *>(QString::fromLatin1(name));
        if (found == nullptr)
            qFatal("the page has no %s", name);
        return *found;
    }
    [[nodiscard]] QPushButton &button(const char *name) const { return widget<QPushButton>(name); }
    [[nodiscard]] KeyTableView &table() const { return widget<KeyTableView>("leaseTable"); }
    [[nodiscard]] QLabel &label(const char *testName) const
    {
        for (QLabel *label : page.findChildren<QLabel *>()) {
            if (label->property("testName").toString() == QLatin1String(testName))
                return *label;
        }
        qFatal("the page has no label %s", testName);
    }
    [[nodiscard]] QString message() const { return messages.all().empty() ? QString() : messages.all().back().text; }
    [[nodiscard]] int rows() const { return table().model()->rowCount(); }
    [[nodiscard]] QByteArrayList keys() const
    {
        QByteArrayList keys;
        for (int row = 0; row < rows(); ++row)
            keys += table().model()->index(row, 0).data(KeyTableModel::KeyRole).toByteArray();
        return keys;
    }
    void choose(const QByteArray &key) const { table().selectRow(static_cast<int>(keys().indexOf(key))); }
    [[nodiscard]] DeleteDialog *question() const
    {
        auto *found = page.findChild<DeleteDialog *>();
        return found != nullptr && found->isVisible() ? found : nullptr;
    }

    ui::theme::Appearance appearance {*qobject_cast<QApplication *>(QCoreApplication::instance())};
    inspection::InspectedServer inspected;
    ui::widgets::Messages messages;
    InspectorPage page {appearance, messages, base::SystemClock::instance()};
};

/// Texts that would be interpreted as HTML, and texts that change width, direction or lines.
const QByteArray html("<img src=\"file:///etc/hostname\"><b>bold</b>&amp;\\x00");
const QByteArrayList hostile {html, QByteArray("\0\xff\xfe\r\n\x1b[31m", 10), QByteArray(65'536, 'k') + "<b>",
                              "\xe9\x94\x81:\xe8\xae\xa2\xe5\x8d\x95",
                              "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d\xe2\x80\xae<i>"};

/// Returns all texts of these widgets that would be interpreted as HTML.
QStringList richTexts(const QWidget &window)
{
    QStringList found;
    for (const QLabel *label : window.findChildren<QLabel *>()) {
        const bool isRich = label->textFormat() == Qt::RichText
                         || (label->textFormat() == Qt::AutoText && Qt::mightBeRichText(label->text()));
        if (isRich)
            found += label->text();
    }
    for (const QWidget *widget : window.findChildren<QWidget *>()) {
        if (Qt::mightBeRichText(widget->toolTip()))
            found += widget->toolTip();
    }
    return found;
}

} // namespace

class TestInspectorPage final : public QObject
{
    Q_OBJECT

    std::unique_ptr<TestServer> server;

    resp::Reply redis(const resp::Command &command) { return (*server)(command); }

private Q_SLOTS:
    void init() { server = std::make_unique<TestServer>(); }
    void cleanup() { server.reset(); }

    void hostileKeysAndValues_areTextEverywhere_data()
    {
        QTest::addColumn<QByteArray>("key");
        const char *const names[] = {"HTML", "binary", "64 KB", "Chinese", "right to left"};
        for (qsizetype i = 0; i < hostile.size(); ++i)
            QTest::addRow("%s", names[i]) << hostile[i];
    }
    void hostileKeysAndValues_areTextEverywhere()
    {
        QFETCH(QByteArray, key);
        QVERIFY(redis({"SET", key, key, "PX", "600000"}).isOk());
        QVERIFY(redis({"HSET", "hash", key, key}).isInteger(1));
        PageFixture b(server->endpoint());
        b.inspected.setArmed(true);
        LATCHKEY_AWAIT(b.rows() == 2);
        const auto cell = [&](int row, int column, int role = Qt::DisplayRole) {
            return b.table().model()->index(row, column).data(role).toString();
        };
        LATCHKEY_AWAIT(!cell(0, KeyTableModel::ValueColumn).isEmpty()
                       && !cell(1, KeyTableModel::ValueColumn).isEmpty());
        const int narrow = b.page.minimumSizeHint().width();
        b.choose(key);
        QVERIFY2(b.page.minimumSizeHint().width() <= std::max(narrow, 870), "a key must not widen the page");
        for (int row = 0; row < 2; ++row) {
            for (const int column : {KeyTableModel::KeyColumn, KeyTableModel::ValueColumn}) {
                QVERIFY(!cell(row, column).contains(u'\n') && !cell(row, column).contains(QChar(0x202E)));
                QTextDocument toolTip;
                toolTip.setHtml(cell(row, column, Qt::ToolTipRole));
                QCOMPARE(toolTip.toPlainText().remove(u'\n'), cell(row, column));
            }
        }
        QCOMPARE(richTexts(b.page), QStringList());

        QTest::mouseClick(&b.button("deleteKey"), Qt::LeftButton);
        LATCHKEY_AWAIT(b.question());
        QCOMPARE(richTexts(*b.question()), QStringList());
        QVERIFY(b.question()->sizeHint().width() < 800);
        b.widget<QToolButton>("goneFold").click();
        QTest::mouseClick(b.question()->findChild<QPushButton *>(QStringLiteral("deleteConfirm")), Qt::LeftButton);
        LATCHKEY_AWAIT(b.message().endsWith(QStringLiteral(" was deleted.")));
        // "At least" until a minute has been observed.
        static const QRegularExpression gone(QStringLiteral("^(At least )?1 of all keys ended"));
        const auto isCounted = [&] { return gone.match(b.label("goneSummary").text()).hasMatch(); };
        QVERIFY2(test::waitFor(isCounted), qPrintable(b.label("goneSummary").text()));
        LATCHKEY_AWAIT(!b.label("goneList").text().isEmpty());
        QCOMPARE(richTexts(b.page), QStringList());
        b.page.setLayoutDirection(Qt::RightToLeft);
        QVERIFY(!b.page.grab().isNull());
    }

    void keys_areCopiedAsTheyAre_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("isEscaped");
        QTest::addRow("backslash") << QByteArray("App\\Jobs\\Mail") << QStringLiteral("App\\Jobs\\Mail") << false;
        QTest::addRow("Chinese") << QByteArray("\xe9\x94\x81") << QStringLiteral("锁") << false;
        QTest::addRow("what looks like an escape") << QByteArray("a\\x00") << QStringLiteral("a\\x00") << false;
        QTest::addRow("a tabulator") << QByteArray("a\tb") << QStringLiteral("a\tb") << false;
        QTest::addRow("not text") << QByteArray("a\xff") << QStringLiteral("a\\xff") << true;
    }
    void keys_areCopiedAsTheyAre()
    {
        QFETCH(QByteArray, key);
        QFETCH(bool, isEscaped);
        QVERIFY(redis({"SET", key, "v", "PX", "600000"}).isOk());
        QVERIFY(redis({"SET", "another", "v"}).isOk());
        PageFixture b(server->endpoint());
        LATCHKEY_AWAIT(b.rows() == 2);
        b.choose(key);
        QTest::mouseClick(&b.button("copyKey"), Qt::LeftButton);
        QTEST(QGuiApplication::clipboard()->text(), "text");
        QCOMPARE(!b.message().isEmpty(), isEscaped);
        // The text in the table can be typed into the filter and finds the key.
        auto &filter = b.widget<QLineEdit>("filter");
        filter.setText(b.table().model()->index(b.table().currentIndex().row(), 0).data().toString());
        LATCHKEY_AWAIT(b.keys() == QByteArrayList {key});
        QTest::keyClick(&filter, Qt::Key_Escape);
        LATCHKEY_AWAIT(b.rows() == 2);
    }

    void delete_isPossibleAgainAfterAReconnect()
    {
        QVERIFY(redis({"SET", "lock", "v", "PX", "600000"}).isOk());
        PageFixture b(server->endpoint());
        LATCHKEY_AWAIT(b.rows() == 1);
        b.choose("lock");
        QVERIFY(b.button("deleteKey").isEnabled());
        QVERIFY(redis({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"}).isInteger(1));
        LATCHKEY_AWAIT(!b.button("deleteKey").isEnabled());
        LATCHKEY_AWAIT(b.inspected.session().state() == Session::State::Ready);
        QVERIFY(b.button("deleteKey").isEnabled());
        QCOMPARE(b.table().selectedCount(), 1);
    }

    void deniedScan_isNotShownAsEmpty_data()
    {
        QTest::addColumn<QByteArray>("command");
        QTest::addRow("SCAN") << QByteArray("-scan");
        QTest::addRow("PTTL") << QByteArray("-pttl");
    }
    void deniedScan_isNotShownAsEmpty()
    {
        QFETCH(QByteArray, command);
        for (const char *key : {"a", "b"})
            QVERIFY(redis({"SET", key, "v"}).isOk());
        QVERIFY(redis({"ACL", "SETUSER", "default", command}).isOk());
        PageFixture b(server->endpoint());
        LATCHKEY_AWAIT(b.widget<QLabel>("emptyTitle").text() == u"No permission to read keys");
        LATCHKEY_AWAIT(b.label("counts").text() == u"not readable: the server has 2 keys");
        LATCHKEY_AWAIT(b.message().startsWith(QStringLiteral("Incomplete view: ")));

        // The message disappears with its cause.
        QVERIFY(redis({"ACL", "SETUSER", "default", "+" + command.sliced(1)}).isOk());
        LATCHKEY_AWAIT(b.rows() == 2);
        LATCHKEY_AWAIT(b.message().isEmpty());
        LATCHKEY_AWAIT(b.label("counts").text() == u"2 keys  ·  2 without expiry");
    }

    void lockThatIsReleasedAndTakenAgain_staysChosen()
    {
        QVERIFY(redis({"SET", "lock", "ann", "PX", "600000"}).isOk());
        PageFixture b(server->endpoint());
        LATCHKEY_AWAIT(b.rows() == 1);
        b.choose("lock");
        QVERIFY(redis({"DEL", "lock"}).isInteger(1));
        LATCHKEY_AWAIT(b.rows() == 0);
        QCOMPARE(b.label("choice").text(), QStringLiteral("lock is gone; it is selected again if it returns"));
        QVERIFY(!b.button("deleteKey").isEnabled());
        QVERIFY(redis({"SET", "lock", "bob", "PX", "600000"}).isOk());
        LATCHKEY_AWAIT(b.rows() == 1);
        QCOMPARE(b.table().selectedCount(), 1);
        QCOMPARE(b.label("choice").text(), QStringLiteral("lock"));
        QVERIFY(b.button("deleteKey").isEnabled());
    }

    void keyThatIsFilteredOut_hasNotGone()
    {
        QVERIFY(redis({"SET", "lock", "ann", "PX", "600000"}).isOk());
        QVERIFY(redis({"SET", "other", "v"}).isOk());
        PageFixture b(server->endpoint());
        LATCHKEY_AWAIT(b.rows() == 2);
        b.choose("lock");
        b.widget<QLineEdit>("filter").setText(QStringLiteral("other"));
        LATCHKEY_AWAIT(b.rows() == 1);
        LATCHKEY_AWAIT(b.label("choice").text() == u"lock is hidden by the filter; it stays selected");
        QVERIFY(redis({"DEL", "lock"}).isInteger(1));
        LATCHKEY_AWAIT(b.label("choice").text() == u"lock is gone; it is selected again if it returns");
    }

    /// The count includes keys that the filter hides, and flushed keys.
    void allKeysThatGo_areCounted()
    {
        QVERIFY(redis({"EVAL", "for i = 1, 300 do redis.call('SET', 'k:' .. i, 'v') end return 1", "0"}).isInteger(1));
        PageFixture b(server->endpoint());
        LATCHKEY_AWAIT(b.rows() == 300);
        b.widget<QLineEdit>("filter").setText(QStringLiteral("nothing"));
        LATCHKEY_AWAIT(b.rows() == 0);
        QVERIFY(redis({"EVAL", "for i = 1, 80 do redis.call('DEL', 'k:' .. i) end return 1", "0"}).isInteger(1));
        LATCHKEY_AWAIT(b.label("goneSummary").text() == u"At least 80 of all keys ended within the last minute");
        QVERIFY(redis({"FLUSHALL"}).isOk());
        LATCHKEY_AWAIT(b.label("goneSummary").text() == u"At least 300 of all keys ended within the last minute");
    }

    void goneKeys_standInTheStripAndNotInTheTable()
    {
        QVERIFY(redis({"SET", "stays", "v"}).isOk());
        PageFixture b(server->endpoint());
        LATCHKEY_AWAIT(b.rows() > 0);
        LATCHKEY_AWAIT(
            b.label("goneSummary").text().startsWith(QStringLiteral("No key was seen to end within the last "))
            && b.label("goneSummary").text().endsWith(QStringLiteral("; before that, ends could not be seen")));
        QVERIFY(redis({"SET", "expires", "v", "PX", "700"}).isOk());
        LATCHKEY_AWAIT(
            b.label("goneSummary")
                .text()
                .startsWith(QStringLiteral("At least 1 of all keys ended within the last minute: expires expired ")));
        QCOMPARE(b.keys(), QByteArrayList {"stays"});
        QVERIFY(!b.label("goneList").isVisible());
        const int height = b.table().height();
        b.widget<QToolButton>("goneFold").click();
        LATCHKEY_AWAIT(b.label("goneList").text().startsWith(QStringLiteral("expires expired ")));
        LATCHKEY_AWAIT(b.table().height() < height);
        b.widget<QToolButton>("goneFold").click();
        LATCHKEY_AWAIT(b.table().height() == height);
    }

    void serverThatDoesNotAnswer_isShownAsItWas()
    {
        QVERIFY(redis({"SET", "lock", "v", "PX", "600000"}).isOk());
        PageFixture b(server->endpoint());
        LATCHKEY_AWAIT(b.rows() == 1);
        const auto pid = static_cast<pid_t>(server->process().processId());
        QVERIFY(!b.table().shownTime().isFrozen());
        ::kill(pid, SIGSTOP);
        const auto &note = b.widget<QLabel>("outOfSight");
        LATCHKEY_AWAIT(note.isVisible());
        QVERIFY2(note.text().contains(QStringLiteral("The view is ")), qPrintable(note.text()));
        QVERIFY(b.table().shownTime().isFrozen());
        const auto moment = b.table().shownTime().now();
        const QString text = note.text();
        LATCHKEY_AWAIT(note.text() != text); // The age of the data counts up, while the table is frozen.
        QVERIFY(b.table().shownTime().isFrozen() && b.table().shownTime().now() == moment);
        ::kill(pid, SIGCONT);
        LATCHKEY_AWAIT(!note.isVisible());
        QVERIFY(!b.table().shownTime().isFrozen());
    }

    void serverThatIsGone_canBeTriedAgain()
    {
        QVERIFY(redis({"SET", "lock", "v", "PX", "600000"}).isOk());
        PageFixture b(server->endpoint());
        LATCHKEY_AWAIT(b.rows() == 1);
        server->kill();
        LATCHKEY_AWAIT(b.inspected.session().state() == Session::State::Waiting);
        LATCHKEY_AWAIT(b.button("tryNow").isVisible());
        QVERIFY(b.widget<QLabel>("outOfSight").text().startsWith(QStringLiteral("No connection. ")));
        QSignalSpy states(&b.inspected.session(), &Session::stateChanged);
        QTest::mouseClick(&b.button("tryNow"), Qt::LeftButton);
        QVERIFY(states.size() > 0 && states.first().first().value<Session::State>() == Session::State::Connecting);
    }

    void keyboard_sortsAndOpensTheMenu()
    {
        QVERIFY(redis({"SET", "b", "v", "PX", "60000"}).isOk());
        QVERIFY(redis({"SET", "a", "v", "PX", "90000"}).isOk());
        PageFixture b(server->endpoint());
        LATCHKEY_AWAIT(b.keys() == (QByteArrayList {"b", "a"}));
        LATCHKEY_AWAIT(b.page.isActiveWindow());
        b.page.enterTable();
        QTest::keyClick(&b.table(), Qt::Key_1, Qt::AltModifier);
        LATCHKEY_AWAIT(b.keys() == (QByteArrayList {"a", "b"}));
        QTest::keyClick(&b.table(), Qt::Key_1, Qt::AltModifier);
        LATCHKEY_AWAIT(b.keys() == (QByteArrayList {"b", "a"}));
        b.choose("a");
        for (const auto &[key, modifier] :
             {std::pair(Qt::Key_F10, Qt::ShiftModifier), {Qt::Key_Menu, Qt::NoModifier}}) {
            QTest::keyClick(&b.table(), key, modifier);
            auto *menu = qobject_cast<QMenu *>(QApplication::activePopupWidget());
            QVERIFY(menu != nullptr && menu->objectName() == u"keyMenu");
            const QRect row = b.table().visualRect(b.table().currentIndex());
            QVERIFY(std::abs(menu->y() - b.table().viewport()->mapToGlobal(row.bottomLeft()).y()) < row.height());
            QVERIFY(menu->actions().size() > 4);
            menu->close();
            LATCHKEY_AWAIT(QApplication::activePopupWidget() == nullptr);
        }
    }

    void afterADelete_theKeyboardIsInTheTable()
    {
        for (const char *key : {"a", "b", "c"})
            QVERIFY(redis({"SET", key, "v"}).isOk());
        PageFixture b(server->endpoint());
        b.inspected.setArmed(true);
        LATCHKEY_AWAIT(b.rows() == 3);
        b.choose("b");
        b.button("deleteKey").setFocus();
        QTest::mouseClick(&b.button("deleteKey"), Qt::LeftButton);
        LATCHKEY_AWAIT(b.question());
        QTest::mouseClick(b.question()->findChild<QPushButton *>(QStringLiteral("deleteConfirm")), Qt::LeftButton);
        LATCHKEY_AWAIT(b.rows() == 2);
        LATCHKEY_AWAIT(!b.button("deleteKey").isEnabled());
        QCOMPARE(b.page.focusWidget(), &b.table());
        QTest::keyClick(b.page.focusWidget(), Qt::Key_Home);
        QCOMPARE(b.table().selectedCount(), 1);
    }

    /// A short text says how the server reports changes; its menu has all details.
    void changeNotificationMechanism_isShown_data()
    {
        QTest::addColumn<QList<QByteArrayList>>("setUp");
        QTest::addColumn<QString>("title");
        QTest::addColumn<QStringList>("parts");
        QTest::addColumn<bool>("hasAdvice");
        const QByteArrayList notify {"CONFIG", "SET", "notify-keyspace-events", "KEA"};
        const QByteArrayList deny {"ACL", "SETUSER", "default", "-client|tracking"};
        const QByteArrayList limit {"CONFIG", "SET", "maxmemory", "100mb", "maxmemory-policy", "allkeys-lfu"};
        const auto row = [](const char *name, const QList<QByteArrayList> &setUp, const char *title,
                            const QStringList &parts, bool hasAdvice) {
            QTest::addRow("%s", name) << setUp << QString::fromUtf8(title) << parts << hasAdvice;
        };
        row("notifications", {notify}, "Keyspace notifications", {QStringLiteral("keyspace notifications")}, false);
        row("tracking", {}, "Client tracking", {QStringLiteral("client tracking")}, true);
        row("denied", {deny}, "Polling only", {QStringLiteral("may be unknown"), QStringLiteral("NOPERM")}, true);
        row("reading counts as use", {limit}, "Client tracking",
            {QStringLiteral("client tracking"), QStringLiteral("allkeys-lfu")}, true);
    }
    void changeNotificationMechanism_isShown()
    {
        QFETCH(QList<QByteArrayList>, setUp);
        QFETCH(QString, title);
        QFETCH(QStringList, parts);
        QFETCH(bool, hasAdvice);
        for (const QByteArrayList &words : setUp) {
            resp::Command command;
            for (const QByteArray &word : words)
                command << word;
            QVERIFY(redis(command).isOk());
        }
        PageFixture b(server->endpoint());
        QPushButton &note = b.button("tellingNote");
        LATCHKEY_AWAIT(note.isVisible() && note.text() == title && b.inspected.evaluator().server().memoryLimit);
        LATCHKEY_AWAIT(!b.inspected.events().denial() == (title != u"Polling only"));
        LATCHKEY_AWAIT(b.rows() == 0); // Pending observations are shown.
        Q_EMIT b.inspected.watcher().ticked();
        LATCHKEY_AWAIT(b.inspected.isNoTouchActive()
                       == (b.inspected.session().server().version >= QVersionNumber(7, 2)));
        if (b.inspected.isNoTouchActive())
            parts.removeAll(QStringLiteral("allkeys-lfu"));
        QMenu &menu = *note.menu();
        menu.popup(b.page.mapToGlobal(QPoint(10, 10)));
        const auto isSeparator = [](const QAction *action) { return action->isSeparator(); };
        const QList<QAction *> actions = menu.actions();
        const auto end = std::find_if(actions.begin(), actions.end(), isSeparator);
        QCOMPARE(end - actions.begin(), parts.size());
        for (qsizetype i = 0; i < parts.size(); ++i)
            QVERIFY2(actions[i]->text().contains(parts[i]), qPrintable(actions[i]->text()));
        auto *const advice = menu.findChild<QAction *>(QStringLiteral("copyTellingCommand"));
        QCOMPARE(advice != nullptr, hasAdvice);
        QGuiApplication::clipboard()->clear();
        menu.findChild<QAction *>(QStringLiteral("copyWatcherLine"))->trigger();
        QCOMPARE(QGuiApplication::clipboard()->text(),
                 inspection::CommandAllowlist::aclLine(QStringLiteral("latchkey"), server->endpoint().database,
                                                       b.inspected.session().server()));
        if (hasAdvice) {
            QGuiApplication::clipboard()->clear();
            menu.setActiveAction(advice);
            QTest::keyClick(&menu, Qt::Key_Return);
            const QString line = title == u"Polling only" // If permissions are missing, the other command would not
                                                          // help.
                                   ? QStringLiteral("ACL SETUSER default +client|tracking +client|id +subscribe "
                                                    "&__redis__:invalidate")
                                   : QStringLiteral("CONFIG SET notify-keyspace-events KEA");
            QCOMPARE(QGuiApplication::clipboard()->text(), line);
        }
        menu.close();
        QVERIFY(redis({"CONFIG", "GET", "notify-keyspace-events"}).elements().back().bytes().contains('E')
                == (title == u"Keyspace notifications")); // The page has changed no setting.
        server->kill();
        LATCHKEY_AWAIT(!note.isVisible());
    }

    void columns_canBeHiddenAtTheHeader()
    {
        QVERIFY(redis({"SET", "a", "v"}).isOk());
        PageFixture b(server->endpoint());
        LATCHKEY_AWAIT(b.rows() == 1);
        Q_EMIT b.table().horizontalHeader()->customContextMenuRequested(QPoint(10, 10));
        auto *menu = qobject_cast<QMenu *>(QApplication::activePopupWidget());
        QVERIFY(menu != nullptr && menu->objectName() == u"columnMenu");
        // The key column cannot be hidden. A separator and the reset follow.
        QCOMPARE(menu->actions().size(), qsizetype(KeyTableModel::ColumnCount - 1) + 2);
        menu->actions().at(KeyTableModel::EndColumn - 1)->trigger();
        QVERIFY(b.table().isColumnHidden(KeyTableModel::EndColumn));
        menu->close();
        b.page.setServer(&b.inspected); // The choice also applies to the next server.
        QVERIFY(b.table().isColumnHidden(KeyTableModel::EndColumn));
    }
};

LATCHKEY_WINDOW_TEST(TestInspectorPage)

} // namespace tst_inspectorpage

#include "tst_inspectorpage.moc"
