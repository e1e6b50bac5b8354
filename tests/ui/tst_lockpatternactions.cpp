#include "tests/support/mainwindowfixture.h"
#include "tests/support/testprogram.h"
#include "ui/pages/inspector/lockpatterndialog.h"
#include "ui/pages/inspector/userpatternsdialog.h"

#include <QAction>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTreeWidget>

namespace tst_lockpatternactions {

using namespace latchkey;
using test::MainWindowFixture;
using test::TestServer;
using ui::inspector::LockPatternDialog;
using ui::inspector::UserPatternsDialog;
using ui::keytable::KeyTableModel;

namespace {

/// The window on a server with locks of no known library.
struct Fixture
{
    [[nodiscard]] QString path() const { return in.folder.filePath(QStringLiteral("dialects.json")); }
    [[nodiscard]] QByteArray contents() const
    {
        QFile file(path());
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    void write(const QByteArray &contents) const
    {
        QFile file(path());
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(contents) == contents.size());
    }
    [[nodiscard]] LockPatternDialog *sayThatItIsALock(const QString &key) const
    {
        in.choose(key);
        in.window.findChild<QAction *>(QStringLiteral("thisIsALock"))->trigger();
        return in.dialog<LockPatternDialog>("lockPatternDialog");
    }
    [[nodiscard]] QString kindOf(const QString &key) const
    {
        return in.cell(static_cast<int>(in.keys().indexOf(key)), KeyTableModel::KindColumn);
    }
    [[nodiscard]] QString holderOf(const QString &key) const
    {
        return in.cell(static_cast<int>(in.keys().indexOf(key)), KeyTableModel::HolderColumn);
    }

    TestServer &server;
    mutable MainWindowFixture in;

    explicit Fixture(TestServer &testServer, const QByteArray &file = {})
        : server(testServer)
    {
        if (!file.isEmpty()) {
            write(file);
            in.workspace.dialects().reload();
        }
        for (const char *number : {"1", "2", "3"})
            server({"SET", QByteArray("task:") + number,
                    QByteArray("{\"at\":1795000000000,\"who\":\"worker-") + number + "\"}", "PX", "600000"});
        server({"SET", "colour:1", "red"});
        server({"HSET", "job", "who", "Ann", "since", "7"});
        in.workspace.open(server.endpoint());
    }
};

QString textOf(const QDialog &dialog, const char *name)
{
    return dialog.findChild<QLabel *>(QString::fromLatin1(name))->text();
}

QStringList rowsOf(const QDialog &dialog, const char *name)
{
    const auto *list = dialog.findChild<QTreeWidget *>(QString::fromLatin1(name));
    QStringList rows;
    for (int row = 0; row < list->topLevelItemCount(); ++row)
        rows += list->topLevelItem(row)->text(0) + QStringLiteral(" | ") + list->topLevelItem(row)->text(1);
    return rows;
}

template<typename Widget>
Widget &partOf(const QDialog &dialog, const char *name)
{
    return *dialog.findChild<Widget *>(QString::fromLatin1(name));
}

} // namespace

class TestOwnLocks final : public QObject
{
    Q_OBJECT

    std::unique_ptr<TestServer> server;

private Q_SLOTS:
    void init() { server = std::make_unique<TestServer>(); }
    void cleanup() { server.reset(); }

    void userPattern_isAppliedImmediatelyAndKept()
    {
        const Fixture fixture(*server);
        LATCHKEY_AWAIT(fixture.in.rows() == 5 && !fixture.in.cell(0, KeyTableModel::ValueColumn).isEmpty());
        QCOMPARE(fixture.kindOf(QStringLiteral("task:2")), QString());
        LockPatternDialog *dialog = fixture.sayThatItIsALock(QStringLiteral("task:2"));
        QVERIFY(dialog != nullptr);
        QCOMPARE(partOf<QLineEdit>(*dialog, "patternKeys").text(), QStringLiteral("task:*"));
        QCOMPARE(partOf<QLineEdit>(*dialog, "patternTitle").text(), QStringLiteral("task lock"));
        // The first text field is preselected, and the list shows its value as the holder of each key.
        QCOMPARE(partOf<QComboBox>(*dialog, "patternField").currentText(), QStringLiteral("who"));
        LATCHKEY_AWAIT(textOf(*dialog, "patternCount") == u"3 of 5 known keys match:");
        QCOMPARE(rowsOf(*dialog, "patternList").value(0), QStringLiteral("task:2 | worker-2"));
        QCOMPARE(rowsOf(*dialog, "patternList").size(), 3);

        // Each input is applied at once.
        partOf<QLineEdit>(*dialog, "patternKeys").setText(QStringLiteral("task:[13]*"));
        LATCHKEY_AWAIT(textOf(*dialog, "patternCount") == u"2 of 5 known keys match:");
        QCOMPARE(rowsOf(*dialog, "patternList").value(0), QStringLiteral("task:2 | does not match"));
        partOf<QComboBox>(*dialog, "patternField").setCurrentText(QStringLiteral("whom"));
        partOf<QLineEdit>(*dialog, "patternKeys").setText(QStringLiteral("task:*"));
        LATCHKEY_AWAIT(rowsOf(*dialog, "patternList").value(0) == u"task:2 | holds another value");
        partOf<QComboBox>(*dialog, "patternField").setCurrentText(QStringLiteral("who"));
        QVERIFY(!QFile::exists(fixture.path()));
        partOf<QPushButton>(*dialog, "patternSave").click();
        LATCHKEY_AWAIT(fixture.kindOf(QStringLiteral("task:1")) == u"task lock"
                       && fixture.holderOf(QStringLiteral("task:1")) == u"worker-1");
        QVERIFY(fixture.contents().contains("task lock"));
        QCOMPARE(fixture.kindOf(QStringLiteral("colour:1")), QString());
        // A later key matches too, with and without a restart.
        QVERIFY((*server)({"SET", "task:new", "{\"who\":\"Bob\"}"}).isOk());
        LATCHKEY_AWAIT(fixture.holderOf(QStringLiteral("task:new")) == u"Bob");
        const Fixture again(*server, fixture.contents());
        LATCHKEY_AWAIT(again.holderOf(QStringLiteral("task:new")) == u"Bob");
    }

    void keyThatIsNotReadYet_isWaitedFor()
    {
        const Fixture fixture(*server);
        fixture.in.workspace.inspected()->watcher().setPaused(true);
        LATCHKEY_AWAIT(fixture.in.workspace.inspected()->session().state() == net::Session::State::Ready);
        fixture.in.workspace.inspected()->watcher().setPaused(false);
        LATCHKEY_AWAIT(fixture.in.rows() == 5);
        fixture.in.workspace.inspected()->watcher().setPaused(true);
        LockPatternDialog *dialog = fixture.sayThatItIsALock(QStringLiteral("task:2"));
        QVERIFY(dialog != nullptr);
        auto &save = partOf<QPushButton>(*dialog, "patternSave");
        if (!save.isEnabled()) {
            QCOMPARE(partOf<QComboBox>(*dialog, "patternPlace").currentText(), QStringLiteral("not read yet"));
            QVERIFY(!textOf(*dialog, "patternProblem").isEmpty());
        }
        fixture.in.workspace.inspected()->watcher().setPaused(false);
        LATCHKEY_AWAIT(save.isEnabled());
        QCOMPARE(partOf<QComboBox>(*dialog, "patternField").currentText(), QStringLiteral("who"));
    }

    void keysOutOfSight_areReadToo()
    {
        for (int i = 0; i < 45; ++i)
            QVERIFY(
                (*server)({"SET", "session:" + QByteArray::number(100 + i), "worker-" + QByteArray::number(i)}).isOk());
        const Fixture fixture(*server);
        LATCHKEY_AWAIT(fixture.in.rows() == 50);
        LockPatternDialog *dialog = fixture.sayThatItIsALock(QStringLiteral("session:100"));
        QVERIFY(dialog != nullptr);
        LATCHKEY_AWAIT(rowsOf(*dialog, "patternList").size() == 45
                       && rowsOf(*dialog, "patternList").filter(QStringLiteral("not read yet")).isEmpty());
        LATCHKEY_AWAIT(rowsOf(*dialog, "patternList").filter(QStringLiteral("| worker-")).size() == 45);
    }

    void fieldOfAHash_canBeTheHolder()
    {
        const Fixture fixture(*server);
        LATCHKEY_AWAIT(fixture.in.rows() == 5 && !fixture.in.cell(4, KeyTableModel::ValueColumn).isEmpty());
        LockPatternDialog *dialog = fixture.sayThatItIsALock(QStringLiteral("job"));
        QVERIFY(dialog != nullptr);
        auto &place = partOf<QComboBox>(*dialog, "patternPlace");
        place.setCurrentIndex(place.count() - 1);
        QCOMPARE(place.currentText(), QStringLiteral("a hash; the holder is its field"));
        partOf<QComboBox>(*dialog, "patternField").setCurrentText(QStringLiteral("who"));
        LATCHKEY_AWAIT(rowsOf(*dialog, "patternList") == QStringList(QStringLiteral("job | Ann")));
        partOf<QPushButton>(*dialog, "patternSave").click();
        LATCHKEY_AWAIT(fixture.holderOf(QStringLiteral("job")) == u"Ann");
    }

    void failedSave_isShownInTheDialog()
    {
        const Fixture fixture(*server);
        LATCHKEY_AWAIT(fixture.in.rows() == 5);
        LockPatternDialog *dialog = fixture.sayThatItIsALock(QStringLiteral("task:2"));
        LATCHKEY_AWAIT(partOf<QPushButton>(*dialog, "patternSave").isEnabled());
        partOf<QLineEdit>(*dialog, "patternKeys").setText(QStringLiteral("*"));
        QCOMPARE(textOf(*dialog, "patternProblem"),
                 QStringLiteral("The keys' names need three characters in a row that are always the same"));
        QVERIFY(!partOf<QPushButton>(*dialog, "patternSave").isEnabled());
        partOf<QLineEdit>(*dialog, "patternKeys").setText(QStringLiteral("task:*"));
        QCOMPARE(textOf(*dialog, "patternProblem"), QString());
        QVERIFY(partOf<QPushButton>(*dialog, "patternSave").isEnabled());
        // The dialog does not write to a file that another program has broken meanwhile.
        fixture.write("{ broken");
        partOf<QPushButton>(*dialog, "patternSave").click();
        QVERIFY(dialog->isVisible());
        QVERIFY(textOf(*dialog, "patternProblem").startsWith(fixture.path() + QStringLiteral(":1: not JSON")));
        QCOMPARE(fixture.contents(), QByteArray("{ broken"));
    }

    /// The names of other keys decide which parts of the name are constant.
    void proposal_followsTheSiblings()
    {
        const Fixture fixture(*server);
        for (const char *key : {"job:import-1:lock", "job:mail:lock", "job:mail:state"})
            QVERIFY((*server)({"SET", key, "{\"who\":\"worker\"}"}).isOk());
        // Data of another type is no sibling.
        for (const char *key : {"job:import-1:data", "job:import-1:meta", "job:import-1:log"})
            QVERIFY((*server)({"RPUSH", key, "x"}).isInteger(1));
        LATCHKEY_AWAIT(fixture.in.rows() == 11);
        for (const char *key : {"job:import-1:data", "job:import-1:meta", "job:import-1:log"})
            LATCHKEY_AWAIT(fixture.in.cell(static_cast<int>(fixture.in.keys().indexOf(QLatin1String(key))),
                                           KeyTableModel::TypeColumn)
                           == u"list");
        LockPatternDialog *dialog = fixture.sayThatItIsALock(QStringLiteral("job:import-1:lock"));
        QVERIFY(dialog != nullptr);
        QCOMPARE(partOf<QLineEdit>(*dialog, "patternKeys").text(), QStringLiteral("job:*:lock"));
        LATCHKEY_AWAIT(textOf(*dialog, "patternCount") == u"2 of 11 known keys match:");
        dialog->close();
    }

    void brokenFile_isOneSentenceInTheWindowAndInTheDialogs()
    {
        const Fixture fixture(*server, "{\"format\": \"latchkey-dialects\", \"version\": 1,\n\n \"dialect\": []}");
        const auto isReported = [&] {
            const QList<QLabel *> labels = fixture.in.window.findChildren<QLabel *>();
            return std::ranges::any_of(labels, [&](const QLabel *label) {
                return label->isVisible() && label->text().startsWith(fixture.path() + QStringLiteral(":3: dialect: "));
            });
        };
        LATCHKEY_AWAIT(isReported());
        fixture.in.window.findChild<QAction *>(QStringLiteral("ownPatterns"))->trigger();
        UserPatternsDialog *list = fixture.in.dialog<UserPatternsDialog>("ownPatternsDialog");
        QVERIFY(list != nullptr);
        QVERIFY(textOf(*list, "secondary").startsWith(fixture.path() + QStringLiteral(":3: ")));
        list->close();
        LATCHKEY_AWAIT(fixture.in.rows() == 5);
        LockPatternDialog *dialog = fixture.sayThatItIsALock(QStringLiteral("task:2"));
        QVERIFY(textOf(*dialog, "patternProblem").startsWith(fixture.path() + QStringLiteral(":3: ")));
        QVERIFY(!partOf<QPushButton>(*dialog, "patternSave").isEnabled());
        dialog->close();
        // A repaired file causes no message.
        fixture.write("{\"format\": \"latchkey-dialects\", \"version\": 1, \"dialects\": []}");
        fixture.in.workspace.dialects().reload();
        LATCHKEY_AWAIT(!isReported());
    }

    /// An editor may replace the file by another one.
    void fileThatWasMended_isReadAgain()
    {
        const QByteArray broken = "{\"format\": \"latchkey-dialects\", \"version\": 1,\n\n \"dialect\": []}";
        const QByteArray good = "{\"format\": \"latchkey-dialects\", \"version\": 1,\n\n \"dialects\": []}";
        const Fixture fixture(*server, broken);
        const auto isSaid = [&] {
            return std::ranges::any_of(fixture.in.window.findChildren<QLabel *>(), [](const QLabel *label) {
                return label->isVisible() && label->text().contains(QLatin1String("dialects.json"));
            });
        };
        LATCHKEY_AWAIT(isSaid());
        fixture.write(good);
        LATCHKEY_AWAIT(!isSaid());
        fixture.write(broken);
        LATCHKEY_AWAIT(isSaid());
        QVERIFY(QFile::remove(fixture.path()));
        LATCHKEY_AWAIT(!isSaid());
        fixture.write(broken);
        LATCHKEY_AWAIT(isSaid());
    }

    /// An error text may have several lines, appear while the dialog is open, and contain words of any length.
    void errors_fitInTheDialogs_data()
    {
        QTest::addColumn<QByteArray>("wrong");
        QTest::addRow("words") << QByteArray("a word ").repeated(60);
        QTest::addRow("one word") << QByteArray(400, 'w');
    }
    void errors_fitInTheDialogs()
    {
        QFETCH(QByteArray, wrong);
        const Fixture fixture(*server);
        LATCHKEY_AWAIT(fixture.in.rows() == 5);
        fixture.in.window.findChild<QAction *>(QStringLiteral("ownPatterns"))->trigger();
        const auto *dialog = fixture.in.dialog<QDialog>("ownPatternsDialog");
        QVERIFY(dialog != nullptr);
        const int width = dialog->width();
        fixture.write("{\"format\": \"latchkey-dialects\", \"version\": 1, \"dialects\": [], \"" + wrong + "\": 1}");
        const auto *text = dialog->findChild<QLabel *>(QStringLiteral("secondary"));
        LATCHKEY_AWAIT(text->text().contains(QLatin1String("The file is not changed")));
        LATCHKEY_AWAIT(text->height() >= text->heightForWidth(text->width()));
        QCOMPARE(dialog->width(), width);
        const auto *list = dialog->findChild<QTreeWidget *>(QStringLiteral("patterns"));
        LATCHKEY_AWAIT(list->geometry().top() >= text->geometry().bottom());
        // No line is longer than the label.
        QVERIFY(text->minimumSizeHint().width() <= text->width());
    }

    void patterns_areListedChangedAndRemoved()
    {
        const Fixture fixture(*server,
                              "{\"format\": \"latchkey-dialects\", \"version\": 1, \"dialects\": [\n"
                              " {\"id\": \"own.x\", \"title\": \"Tasks\", \"family\": \"lock\",\n"
                              "  \"forms\": [{\"type\": \"string\", \"name\": \"^task:.*$\", \"hints\": [\"task:\"], "
                              "\"value\": \"any\", \"alone\": \"certain\"}]},\n"
                              " {\"id\": \"hand\", \"title\": \"By hand\", \"family\": \"leader\",\n"
                              "  \"forms\": [{\"type\": \"string\", \"value\": \"unix-ms\", \"alone\": \"low\"}]}]}");
        LATCHKEY_AWAIT(fixture.in.rows() == 5 && fixture.kindOf(QStringLiteral("task:1")) == u"Tasks");
        fixture.in.window.findChild<QAction *>(QStringLiteral("ownPatterns"))->trigger();
        UserPatternsDialog *list = fixture.in.dialog<UserPatternsDialog>("ownPatternsDialog");
        QVERIFY(list != nullptr);
        QCOMPARE(rowsOf(*list, "patterns"),
                 (QStringList {QStringLiteral("Tasks | task:*"), QStringLiteral("By hand | see line 4 of the file")}));
        partOf<QPushButton>(*list, "patternsChange").click();
        auto *dialog = list->findChild<LockPatternDialog *>();
        QVERIFY(dialog != nullptr);
        partOf<QLineEdit>(*dialog, "patternTitle").setText(QStringLiteral("Jobs"));
        partOf<QPushButton>(*dialog, "patternSave").click();
        LATCHKEY_AWAIT(fixture.kindOf(QStringLiteral("task:1")) == u"Jobs");
        QCOMPARE(rowsOf(*list, "patterns").value(0), QStringLiteral("Jobs | task:*"));
        QVERIFY(fixture.contents().contains("\"id\": \"own.x\""));

        partOf<QPushButton>(*list, "patternsRemove").click();
        LATCHKEY_AWAIT(fixture.kindOf(QStringLiteral("task:1")).isEmpty());
        QVERIFY(!partOf<QPushButton>(*list, "patternsChange").isEnabled());
        partOf<QPushButton>(*list, "patternsUndo").click();
        LATCHKEY_AWAIT(fixture.kindOf(QStringLiteral("task:1")) == u"Jobs");
        QCOMPARE(rowsOf(*list, "patterns").size(), 2);
    }

    void everyWayToSayIt_isThere()
    {
        const Fixture fixture(*server);
        LATCHKEY_AWAIT(fixture.in.rows() == 5);
        auto &action = *fixture.in.window.findChild<QAction *>(QStringLiteral("thisIsALock"));
        QVERIFY(!action.isEnabled());
        fixture.in.choose(QStringLiteral("task:2"));
        QVERIFY(action.isEnabled());
        LATCHKEY_AWAIT(fixture.in.button("detailLock").isVisible());
        fixture.in.click("detailLock");
        LockPatternDialog *dialog = fixture.in.dialog<LockPatternDialog>("lockPatternDialog");
        QVERIFY(dialog != nullptr);
        dialog->close();
        // The keyboard alone is used.
        fixture.in.window.activateWindow();
        fixture.in.table().setFocus();
        LATCHKEY_AWAIT(fixture.in.table().hasFocus() && fixture.in.window.findChild<LockPatternDialog *>() == nullptr);
        QTest::keyClick(&fixture.in.table(), Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
        LATCHKEY_AWAIT(fixture.in.dialog<LockPatternDialog>("lockPatternDialog") != nullptr);
        fixture.in.dialog<LockPatternDialog>("lockPatternDialog")->close();
        QTest::keyClick(&fixture.in.table(), Qt::Key_Menu);
        const auto *menu = fixture.in.window.findChild<QMenu *>(QStringLiteral("keyMenu"));
        QVERIFY(menu != nullptr && menu->actions().contains(&action));
    }

    void hostileNamesAndValues_areShownAsText()
    {
        const Fixture fixture(*server);
        const QByteArray key("evil:<img src=x>\xff\n:1");
        QVERIFY((*server)({"SET", key, "<b>\x1b[31m"}).isOk());
        LATCHKEY_AWAIT(fixture.in.rows() == 6);
        LockPatternDialog *dialog = fixture.sayThatItIsALock(QStringLiteral("evil:<img src=x>\\xff\\x0a:1"));
        QVERIFY(dialog != nullptr);
        LATCHKEY_AWAIT(textOf(*dialog, "patternCount") == u"1 of 6 known keys match:");
        LATCHKEY_AWAIT(rowsOf(*dialog, "patternList").value(0) == u"evil:<img src=x>\\xff\\x0a:1 | <b>\\x1b[31m");
        for (const QLabel *label : dialog->findChildren<QLabel *>())
            QVERIFY(label->textFormat() == Qt::PlainText || label->buddy() != nullptr);
        partOf<QPushButton>(*dialog, "patternSave").click();
        LATCHKEY_AWAIT(fixture.holderOf(QStringLiteral("evil:<img src=x>\\xff\\x0a:1")) == u"<b>\\x1b[31m");
    }
};

LATCHKEY_WINDOW_TEST(TestOwnLocks)

} // namespace tst_lockpatternactions

#include "tst_lockpatternactions.moc"
