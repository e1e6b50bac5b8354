#include "tests/support/mainwindowfixture.h"
#include "tests/support/testprogram.h"
#include "ui/pages/group/grouppage.h"

#include <QDialog>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QTableView>
#include <QToolButton>
#include <QTreeWidget>

#include <csignal>

namespace tst_grouppage {

using namespace latchkey;
using test::MainWindowFixture;
using ui::group::GroupTableModel;

/// Tests of redlock groups in the real window, with real servers.
class TestGroupPage final : public QObject
{
    Q_OBJECT

    static constexpr std::size_t groupSize = 3;

    std::vector<std::unique_ptr<test::TestServer>> servers;

    [[nodiscard]] static QByteArray token(int client) { return QByteArray(31, 'a') + QByteArray::number(client); }
    void set(std::size_t server, const QByteArray &key, const QByteArray &holder)
    {
        QVERIFY((*servers[server])({"SET", key, holder, "PX", "600000"}).isOk());
    }
    void signal(std::size_t server, int number)
    {
        ::kill(static_cast<pid_t>(servers[server]->process().processId()), number);
    }
    /// Saves the servers as s0, s1 and s2, and the group "trio" of them.
    void saveGroup(MainWindowFixture &fixture) const
    {
        QStringList names;
        for (const auto &server : servers) {
            names += QStringLiteral("s%1").arg(names.size());
            QVERIFY(fixture.workspace.servers().put({names.last(), server->endpoint()}));
        }
        QVERIFY(fixture.workspace.servers().putGroup({QStringLiteral("trio"), names}));
    }
    static QDialog *openSwitcher(MainWindowFixture &fixture)
    {
        // A closed one is deleted later.
        const auto isDeleted = [&] {
            return fixture.window.findChild<QDialog *>(QStringLiteral("serverSwitcher")) == nullptr;
        };
        if (!test::waitFor(isDeleted))
            return nullptr;
        fixture.window.activateWindow();
        if (!QTest::qWaitForWindowActive(&fixture.window))
            return nullptr;
        QTest::keyClick(&fixture.window, Qt::Key_K, Qt::ControlModifier);
        return fixture.dialog<QDialog>("serverSwitcher");
    }
    /// Opens the group as a user does: the list of servers, its name, Return.
    static void openGroup(MainWindowFixture &fixture)
    {
        QVERIFY(openSwitcher(fixture) != nullptr);
        auto &filter = fixture.widget<QLineEdit>("serverFilter");
        QTest::keyClicks(&filter, QStringLiteral("trio"));
        QTest::keyClick(&filter, Qt::Key_Return);
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("serverSwitcher") == nullptr);
        fixture.window.activateWindow(); // The offscreen platform does not activate it after the dialog.
        QVERIFY(QTest::qWaitForWindowActive(&fixture.window));
    }
    [[nodiscard]] static QTableView &table(const MainWindowFixture &fixture)
    {
        return fixture.widget<QTableView>("groupTable");
    }
    [[nodiscard]] static QString cell(const MainWindowFixture &fixture, int row, int column,
                                      Qt::ItemDataRole role = Qt::DisplayRole)
    {
        return table(fixture).model()->index(row, column).data(role).toString();
    }
    [[nodiscard]] static QString label(const MainWindowFixture &fixture, const char *testName)
    {
        for (const QLabel *found : fixture.window.findChildren<QLabel *>()) {
            if (found->property("testName").toString() == QLatin1String(testName))
                return found->isVisible() ? found->text() : QString();
        }
        return {};
    }
    [[nodiscard]] static QString selected(const MainWindowFixture &fixture)
    {
        return fixture.widget<QLabel>("groupSelected").text();
    }
    [[nodiscard]] static QString emptyTitle(const MainWindowFixture &fixture)
    {
        const auto *empty = table(fixture).findChild<ui::widgets::EmptyState *>();
        return empty->isVisible() ? empty->title() : QString();
    }

private Q_SLOTS:
    void init()
    {
        for (std::size_t i = 0; i < groupSize; ++i)
            servers.push_back(std::make_unique<test::TestServer>());
    }
    void cleanup() { servers.clear(); }

    void page_saysWhatToDoWithoutAGroup()
    {
        MainWindowFixture fixture;
        QVERIFY(QTest::qWaitForWindowActive(&fixture.window));
        QTest::keyClick(&fixture.window, Qt::Key_5, Qt::ControlModifier);
        LATCHKEY_AWAIT(!fixture.window.findChildren<ui::group::GroupPage *>().isEmpty());
        QCOMPARE(emptyTitle(fixture), QStringLiteral("No group is open"));
        QTest::mouseClick(&fixture.button("groupChoose"), Qt::LeftButton);
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("serverSwitcher"));
    }

    void newGroup_isCheckedSavedAndOpened()
    {
        for (std::size_t i = 0; i < groupSize; ++i)
            set(i, "lock:a", i < 2 ? token(1) : token(2));
        MainWindowFixture fixture;
        QVERIFY(fixture.workspace.servers().put({QStringLiteral("s0"), servers[0]->endpoint()}));
        QVERIFY(fixture.workspace.servers().put({QStringLiteral("s1"), servers[1]->endpoint()}));
        QVERIFY(openSwitcher(fixture) != nullptr);
        fixture.click("serverNewGroup");
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("groupDialog"));
        QVERIFY(!fixture.button("groupSave").isEnabled());
        fixture.widget<QLineEdit>("groupName").setText(QStringLiteral("s0"));
        const auto refusal = [&] { return label(fixture, "groupRefusal"); };
        QCOMPARE(refusal(), QStringLiteral("Another server is called \"s0\" already."));
        fixture.widget<QLineEdit>("groupName").setText(QStringLiteral("trio"));
        QCOMPARE(refusal(), QStringLiteral("The group \"trio\": it needs at least two servers."));
        auto &list = fixture.widget<QListWidget>("groupServers");
        list.item(0)->setCheckState(Qt::Checked);
        list.item(1)->setCheckState(Qt::Checked);
        QVERIFY(fixture.button("groupSave").isEnabled());
        auto &urls = fixture.widget<QLineEdit>("groupUrls");
        urls.setText(servers[1]->endpoint().toUrl());
        QVERIFY2(!fixture.button("groupSave").isEnabled() && refusal().contains(QStringLiteral("is twice in it")),
                 qPrintable(refusal()));
        urls.setText(servers[2]->endpoint().toUrl());
        const auto result = [&] { return label(fixture, "groupTestResult"); };
        QVERIFY(result().isEmpty());
        fixture.click("groupTest");
        LATCHKEY_AWAIT(result().contains(QStringLiteral("All 3 servers answer, and they are different ones; a "
                                                        "majority needs 2.")));
        QCOMPARE(result().count(QStringLiteral("Role: master without replicas.")), 3);
        QCOMPARE(result().count(QStringLiteral("Possible: watching; ")), 3);
        QVERIFY2(result().startsWith(QStringLiteral("s0: Redis ")), qPrintable(result()));
        QVERIFY((*servers[1])({"ACL", "SETUSER", "default", "-info"}).isOk());
        fixture.click("groupTest");
        LATCHKEY_AWAIT(result().contains(QStringLiteral("could not be told, because they refuse INFO: s1.")));
        QVERIFY((*servers[1])({"ACL", "SETUSER", "default", "+info"}).isOk());
        urls.setText(QStringLiteral("unix:///does/not/exist"));
        QVERIFY(result().isEmpty());
        fixture.click("groupTest");
        LATCHKEY_AWAIT(result().contains(QStringLiteral("2 of 3 servers answer; a majority needs 2.")));
        QVERIFY2(result().contains(QStringLiteral("unix:///does/not/exist: Cannot connect to")), qPrintable(result()));
        urls.setText(servers[2]->endpoint().toUrl());
        fixture.click("groupSave");
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("groupDialog") == nullptr);
        QTest::keyClick(&fixture.widget<QLineEdit>("serverFilter"), Qt::Key_Return);
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("serverSwitcher") == nullptr);
        QVERIFY(fixture.widget<QToolButton>("groupButton").isChecked());
        LATCHKEY_AWAIT(table(fixture).model()->rowCount() == 1);
        LATCHKEY_AWAIT(cell(fixture, 0, GroupTableModel::VotesColumn) == u"2 of 3");
        QCOMPARE(table(fixture).model()->columnCount(), GroupTableModel::FirstServerColumn + 3);
        QCOMPARE(cell(fixture, 0, GroupTableModel::KeyColumn), QStringLiteral("lock:a"));
        LATCHKEY_AWAIT(cell(fixture, 0, GroupTableModel::KindColumn) == u"Token lock");
        QCOMPARE(cell(fixture, 0, GroupTableModel::KindColumn, Qt::AccessibleTextRole),
                 QStringLiteral("Token lock, library unknown"));
        QCOMPARE(cell(fixture, 0, GroupTableModel::HolderColumn), QString::fromLatin1(token(1)));
        QVERIFY2(cell(fixture, 0, GroupTableModel::ValidColumn).endsWith(QStringLiteral(" min")),
                 qPrintable(cell(fixture, 0, GroupTableModel::ValidColumn)));
        const int third = GroupTableModel::FirstServerColumn + 2;
        LATCHKEY_AWAIT(cell(fixture, 0, third).startsWith(QStringLiteral("other holder, ")));
        QVERIFY(cell(fixture, 0, third, Qt::AccessibleTextRole).contains(QString::fromLatin1(token(2))));
        const QAbstractItemView &view = table(fixture);
        const auto isWhole = [&](int column) {
            return table(fixture).columnWidth(column) >= view.sizeHintForColumn(column);
        };
        for (const int column : {int(GroupTableModel::KindColumn), int(GroupTableModel::VotesColumn), third})
            LATCHKEY_AWAIT(isWhole(column));
        QCOMPARE(fixture.window.windowTitle(), QString::fromUtf8("trio — Latchkey"));
    }

    void rows_areSortedByClickAndByKey()
    {
        for (std::size_t i = 0; i < groupSize; ++i) {
            set(i, "lock:a", i < 2 ? token(1) : token(2));
            set(i, "lock:b", token(3));
        }
        set(2, "lock:c", token(1));
        MainWindowFixture fixture;
        saveGroup(fixture);
        openGroup(fixture);
        const auto order = [&] {
            QStringList keys;
            for (int row = 0; row < table(fixture).model()->rowCount(); ++row)
                keys += cell(fixture, row, GroupTableModel::KeyColumn).right(1);
            return keys.join(QString());
        };
        LATCHKEY_AWAIT(order() == u"abc");
        LATCHKEY_AWAIT(cell(fixture, 1, GroupTableModel::VotesColumn) == u"3 of 3");
        LATCHKEY_AWAIT(cell(fixture, 0, GroupTableModel::VotesColumn) == u"2 of 3");
        QHeaderView *header = table(fixture).horizontalHeader();
        const auto click = [&](int column) {
            const QPoint middle(header->sectionViewportPosition(column) + header->sectionSize(column) / 2,
                                header->height() / 2);
            QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, middle);
        };
        click(GroupTableModel::VotesColumn);
        LATCHKEY_AWAIT(order() == u"cab");
        click(GroupTableModel::VotesColumn);
        LATCHKEY_AWAIT(order() == u"bac");
        // The keys work without a click into the table.
        const auto press = [&](int key) {
            QTest::keyClick(fixture.window.focusWidget(), static_cast<Qt::Key>(key), Qt::AltModifier);
        };
        press(Qt::Key_1);
        LATCHKEY_AWAIT(order() == u"abc");
        press(Qt::Key_1);
        LATCHKEY_AWAIT(order() == u"cba");
        // The third server has another holder of lock:a, and the times of both others.
        press(Qt::Key_6 + 2);
        LATCHKEY_AWAIT(order().startsWith(u'a'));
        press(Qt::Key_4);
        LATCHKEY_AWAIT(order() == u"cab");
        set(2, "lock:a", token(1)); // A change moves its row.
        LATCHKEY_AWAIT(cell(fixture, 1, GroupTableModel::VotesColumn) == u"3 of 3");
    }

    /// The list of servers shows the servers of the open group like any other watched server.
    void openGroup_isConnectedInTheList()
    {
        MainWindowFixture fixture;
        saveGroup(fixture);
        const auto state = [&](const QString &name) {
            const auto &list = fixture.widget<QTreeWidget>("serverList");
            const QList<QTreeWidgetItem *> found = list.findItems(name, Qt::MatchExactly | Qt::MatchRecursive);
            return found.isEmpty() ? QString() : found.front()->text(2);
        };
        QDialog *before = openSwitcher(fixture);
        QVERIFY(before != nullptr);
        QCOMPARE(state(QStringLiteral("s1")), QStringLiteral("not watched"));
        QCOMPARE(state(QStringLiteral("trio")), QStringLiteral("3 servers"));
        before->reject();
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("serverSwitcher") == nullptr);
        openGroup(fixture);
        QVERIFY(openSwitcher(fixture) != nullptr);
        LATCHKEY_AWAIT(state(QStringLiteral("s1")) == u"connected, no findings");
        LATCHKEY_AWAIT(state(QStringLiteral("trio")) == u"connected: 3 of 3");
        signal(1, SIGSTOP);
        LATCHKEY_AWAIT(state(QStringLiteral("trio")) == u"connected: 2 of 3");
        QCOMPARE(state(QStringLiteral("s1")), QStringLiteral("does not answer"));
        signal(1, SIGCONT);
    }

    /// A vote is overwritten, a member is frozen, and the selection tells each server in a sentence.
    void votes_followTheServers()
    {
        for (std::size_t i = 0; i < groupSize; ++i)
            set(i, "lock:a", token(1));
        MainWindowFixture fixture;
        saveGroup(fixture);
        openGroup(fixture);
        LATCHKEY_AWAIT(cell(fixture, 0, GroupTableModel::VotesColumn) == u"3 of 3");
        table(fixture).setFocus();
        QTest::keyClick(&table(fixture), Qt::Key_Down);
        table(fixture).setCurrentIndex(table(fixture).model()->index(0, 0));
        LATCHKEY_AWAIT(selected(fixture).contains(QStringLiteral("s2 votes for the holder")));
        QVERIFY2(selected(fixture).contains(QStringLiteral("3 of 3, a majority. The holder may rely on the lock")),
                 qPrintable(selected(fixture)));
        set(2, "lock:a", token(2));
        LATCHKEY_AWAIT(cell(fixture, 0, GroupTableModel::VotesColumn) == u"2 of 3");
        LATCHKEY_AWAIT(
            selected(fixture).contains(QStringLiteral("s2 has another holder, ") + QString::fromLatin1(token(2))));
        signal(1, SIGSTOP);
        LATCHKEY_AWAIT(cell(fixture, 0, GroupTableModel::FirstServerColumn + 1) == u"silent");
        QCOMPARE(cell(fixture, 0, GroupTableModel::VotesColumn), QStringLiteral("1 of 3, majority not known"));
        QVERIFY(label(fixture, "groupProblem").startsWith(QStringLiteral("s1 is silent, nothing was seen for ")));
        set(0, "lock:b", token(3)); // The others are shown as before.
        LATCHKEY_AWAIT(table(fixture).model()->rowCount() == 2);
        signal(1, SIGCONT);
        LATCHKEY_AWAIT(cell(fixture, 0, GroupTableModel::VotesColumn) == u"2 of 3");
        LATCHKEY_AWAIT(label(fixture, "groupProblem").isEmpty());
    }

    void killedServer_neverMakesItsKeysLookGone()
    {
        set(1, "lock:only", token(1));
        MainWindowFixture fixture;
        saveGroup(fixture);
        openGroup(fixture);
        LATCHKEY_AWAIT(cell(fixture, 0, GroupTableModel::VotesColumn) == u"1 of 3, no majority");
        servers[1]->kill();
        LATCHKEY_AWAIT(cell(fixture, 0, GroupTableModel::FirstServerColumn + 1) == u"silent");
        QCOMPARE(table(fixture).model()->rowCount(), 1);
        QVERIFY(label(fixture, "groupProblem").startsWith(QStringLiteral("s1 is silent")));
        auto &filter = fixture.widget<QLineEdit>("groupFilter");
        filter.setText(QStringLiteral("nothing"));
        QCOMPARE(emptyTitle(fixture), QStringLiteral("No lock matches the filter"));
    }

    /// "No locks" is said only when every server was read.
    void emptyGroup_saysWhatWasRead()
    {
        MainWindowFixture fixture;
        saveGroup(fixture);
        openGroup(fixture);
        LATCHKEY_AWAIT(emptyTitle(fixture) == u"No locks");
        servers[0]->kill();
        LATCHKEY_AWAIT(emptyTitle(fixture) == u"No lock was found yet");
        // A removed group is closed.
        QVERIFY(fixture.workspace.servers().removeGroup(QStringLiteral("trio")));
        LATCHKEY_AWAIT(emptyTitle(fixture) == u"No group is open");
    }

    void dependentServers_haveNoVotes()
    {
        set(0, "lock:a", token(1));
        MainWindowFixture fixture;
        const QString link = fixture.folder.filePath(QStringLiteral("link.sock"));
        QVERIFY(QFile::link(servers[0]->endpoint().path, link));
        QVERIFY(fixture.workspace.servers().putGroup(
            {QStringLiteral("trio"), {servers[0]->endpoint().toUrl(), net::Endpoint::unixSocket(link).toUrl()}}));
        openGroup(fixture);
        LATCHKEY_AWAIT(label(fixture, "groupProblem").contains(QStringLiteral("are the same server")));
        QCOMPARE(emptyTitle(fixture), QStringLiteral("The servers are not independent"));
    }

    /// One server under two addresses is not noticed without INFO, so the page names the uncertainty.
    void serversWithoutInfo_areNamed()
    {
        QVERIFY((*servers[0])({"ACL", "SETUSER", "default", "-info"}).isOk());
        MainWindowFixture fixture;
        saveGroup(fixture);
        openGroup(fixture);
        // The only problem, once all servers are connected.
        LATCHKEY_AWAIT(label(fixture, "groupProblem").startsWith(QStringLiteral("s0 refuses INFO: it is not known")) &&
                       !label(fixture, "groupProblem").contains(u'\n'));
    }

    void savedGroup_isChangedAndRemovedInTheList()
    {
        MainWindowFixture fixture;
        saveGroup(fixture);
        QVERIFY(openSwitcher(fixture) != nullptr);
        QTest::keyClicks(&fixture.widget<QLineEdit>("serverFilter"), QStringLiteral("trio"));
        fixture.click("serverEdit");
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("groupDialog"));
        fixture.widget<QLineEdit>("groupName").setText(QStringLiteral("trio and more"));
        fixture.widget<QListWidget>("groupServers").item(2)->setCheckState(Qt::Unchecked);
        fixture.click("groupSave");
        LATCHKEY_AWAIT(fixture.dialog<QDialog>("groupDialog") == nullptr);
        QCOMPARE(fixture.workspace.servers().groups().size(), std::size_t(1));
        QCOMPARE(fixture.workspace.servers().groups().front().members,
                 QStringList({QStringLiteral("s0"), QStringLiteral("s1")}));
        fixture.click("serverRemove");
        fixture.click("serverRemove");
        QVERIFY(fixture.workspace.servers().groups().empty());
        QCOMPARE(fixture.workspace.servers().servers().size(), groupSize);
    }
};

LATCHKEY_WINDOW_TEST(TestGroupPage)

} // namespace tst_grouppage

#include "tst_grouppage.moc"
