#include "tests/support/otherclient.h"
#include "tests/support/testprogram.h"
#include "tests/ui/cards.h"
#include "ui/pages/playground/clientbelief.h"
#include "ui/pages/playground/majority.h"
#include "ui/pages/playground/serverstrip.h"
#include "ui/views/diagram/diagramview.h"

#include <QMenu>
#include <QTest>

namespace tst_servers {

using namespace latchkey;
using playground::ServerPool;
using sequence::Mark;
using test::Card;
using test::MainWindowFixture;
using ui::playground::ServerChip;

/// Tests of the Playground with several servers, in the real window.
class TestServers final : public QObject
{
    Q_OBJECT

    static void chooseServers(const MainWindowFixture &fixture, int count)
    {
        const auto actions = fixture.button("serverCount").menu()->actions();
        actions[count - 1]->trigger();
        LATCHKEY_AWAIT(fixture.window.findChildren<ServerChip *>().size() == count);
    }
    [[nodiscard]] static QPushButton &chipButton(const MainWindowFixture &fixture, int server, const char *name)
    {
        return *fixture.window.findChildren<ServerChip *>()[server]->findChild<QPushButton *>(QLatin1String(name));
    }
    static void click(const MainWindowFixture &fixture, int server, const char *name)
    {
        LATCHKEY_AWAIT(chipButton(fixture, server, name).isEnabled());
        QTest::mouseClick(&chipButton(fixture, server, name), Qt::LeftButton);
    }
    [[nodiscard]] static QString seen(const MainWindowFixture &fixture, int server)
    {
        const auto *chip = fixture.window.findChildren<ServerChip *>()[server];
        return chip->findChild<QLabel *>(QStringLiteral("serverSeen"))->text();
    }
    [[nodiscard]] static const sequence::Sequence &drawn(const MainWindowFixture &fixture)
    {
        return *fixture.widget<ui::diagram::DiagramView>("diagram").sequence();
    }
    [[nodiscard]] static int marks(const MainWindowFixture &fixture, Mark::Kind kind)
    {
        int count = 0;
        for (const sequence::Row &row : drawn(fixture).rows()) {
            const auto *mark = std::get_if<Mark>(&row);
            count += mark != nullptr && mark->kind == kind ? 1 : 0;
        }
        return count;
    }
    [[nodiscard]] static int serverLanes(const MainWindowFixture &fixture)
    {
        return static_cast<int>(
            std::ranges::count(drawn(fixture).lanes(), sequence::Lane::Kind::Server, &sequence::Lane::kind));
    }
    /// Creates a client that holds a redlock for a long time.
    [[nodiscard]] static Card holder(MainWindowFixture &fixture, int servers)
    {
        const Card card = openWithClients(fixture, 1).front();
        chooseServers(fixture, servers);
        // The clients restart.
        [&] { LATCHKEY_AWAIT(fixture.workspace.serverPool().size() == servers); }();
        // The pill may show the previous client until the next update.
        [&] { LATCHKEY_AWAIT(card.button("acquire").isEnabled()); }();
        card.chooseRecipe("redlock");
        card.fill("lease", "100s");
        card.fill("wait", "100s"); // A slow machine may not get a majority at the first try.
        card.click("acquire");
        [&] { LATCHKEY_AWAIT(card.state() == u"holding"); }();
        return card;
    }

private Q_SLOTS:
    void oneServer_needsNoStrip()
    {
        MainWindowFixture fixture;
        (void)openWithClients(fixture, 1);
        QVERIFY(!fixture.widget<QWidget>("serverStrip").isVisible());
        QCOMPARE(serverLanes(fixture), 1);
        chooseServers(fixture, 3);
        LATCHKEY_AWAIT(fixture.widget<QWidget>("serverStrip").isVisible());
        QCOMPARE(serverLanes(fixture), 3);
        QCOMPARE(fixture.settings.playgroundServers(), 3);
        chooseServers(fixture, 1);
        LATCHKEY_AWAIT(!fixture.widget<QWidget>("serverStrip").isVisible());
        QCOMPARE(serverLanes(fixture), 3); // The lanes stay, because they have past events.
    }

    void oneServer_isFrozenAndKilledFromTheMenu()
    {
        MainWindowFixture fixture;
        (void)openWithClients(fixture, 1);
        const auto *menu = fixture.button("serverCount").menu();
        const auto act = [&](const char *name) { return menu->findChild<QAction *>(QString::fromLatin1(name)); };
        const auto opened = [&] { Q_EMIT fixture.button("serverCount").menu()->aboutToShow(); };
        opened();
        QVERIFY(act("freezeOnlyServer")->isVisible() && act("killOnlyServer")->isVisible());
        act("freezeOnlyServer")->trigger();
        LATCHKEY_AWAIT(fixture.workspace.serverPool().state(0) == ServerPool::State::Suspended);
        // The chip of the server now has the buttons.
        LATCHKEY_AWAIT(fixture.widget<QWidget>("serverStrip").isVisible());
        opened();
        QVERIFY(!act("freezeOnlyServer")->isVisible() && !act("killOnlyServer")->isVisible());
        click(fixture, 0, "freezeServer");
        LATCHKEY_AWAIT(!fixture.widget<QWidget>("serverStrip").isVisible());
        opened();
        act("killOnlyServer")->trigger();
        LATCHKEY_AWAIT(marks(fixture, Mark::Kind::Killed) == 1);
        LATCHKEY_AWAIT(fixture.widget<QWidget>("serverStrip").isVisible());
        opened();
        QVERIFY(!act("killOnlyServer")->isVisible());
    }

    void redlock_losesServersWithAClick()
    {
        MainWindowFixture fixture;
        const Card card = holder(fixture, 5);
        for (int server = 0; server < 5; ++server)
            LATCHKEY_AWAIT(seen(fixture, server).startsWith(card.card.client().name()));
        click(fixture, 0, "killServer");
        click(fixture, 4, "killServer");
        LATCHKEY_AWAIT(marks(fixture, Mark::Kind::Killed) == 2);
        const auto truth = [&] {
            return ui::playground::majorityStateOf(fixture.workspace.serverPool(), card.card.key(),
                                                   card.card.client().hold(), fixture.workspace.clientPool());
        };
        LATCHKEY_AWAIT(truth().votes->holding == 3 && truth().votes->silent == 0);
        LATCHKEY_AWAIT(card.text("truth").startsWith(QStringLiteral("held by this client")));
        QVERIFY(!card.card.property("tone").toString().contains(QStringLiteral("conflict")));

        // Without the third server there is no majority, but the client believes to hold the lock.
        click(fixture, 2, "killServer");
        LATCHKEY_AWAIT(card.text("truth").endsWith(QStringLiteral("no majority")));
        LATCHKEY_AWAIT(card.card.property("tone").toString() == u"conflict");
        click(fixture, 2, "killServer"); // The server starts empty, so there is still no majority.
        LATCHKEY_AWAIT(seen(fixture, 2) == u"not held");
        LATCHKEY_AWAIT(marks(fixture, Mark::Kind::StartedEmpty) == 1);
        QCOMPARE(card.card.property("tone").toString(), QStringLiteral("conflict"));
    }

    /// An error reply is not silence, and an unread key is not an absent one.
    void serverThatRefusesReads_isNoVoteAgainst()
    {
        MainWindowFixture fixture;
        const Card card = holder(fixture, 5);
        for (int server = 0; server < 5; ++server)
            LATCHKEY_AWAIT(seen(fixture, server).startsWith(card.card.client().name()));
        const auto permit = [&](int server, const char *rule) {
            const test::OtherClient admin(fixture.workspace.serverPool().endpoints()[static_cast<std::size_t>(server)]);
            QVERIFY(admin({"ACL", "SETUSER", "default", rule}).isOk());
        };
        permit(1, "-pttl");
        LATCHKEY_AWAIT(seen(fixture, 1) == u"cannot be read");
        const auto *chip = fixture.window.findChildren<ServerChip *>()[1];
        const auto *label = chip->findChild<QLabel *>(QStringLiteral("serverSeen"));
        LATCHKEY_AWAIT(label->toolTip().contains(QStringLiteral("NOPERM")));
        LATCHKEY_AWAIT(card.text("truth").endsWith(QStringLiteral("on 4 of 5 servers; 1 cannot be read")));
        permit(2, "-pttl");
        permit(3, "-pttl");
        LATCHKEY_AWAIT(card.text("truth").startsWith(QStringLiteral("unknown: "))
                       && card.text("truth").contains(QStringLiteral("NOPERM")));
        QVERIFY(!card.card.property("tone").toString().contains(QStringLiteral("conflict")));
        for (const int server : {1, 2, 3})
            permit(server, "+pttl");
        LATCHKEY_AWAIT(card.text("truth").endsWith(QStringLiteral("on 5 of 5 servers")));
        LATCHKEY_AWAIT(label->toolTip().isEmpty());
        permit(1, "-get"); // The lock may be that of another client.
        LATCHKEY_AWAIT(card.text("truth").endsWith(QStringLiteral("on 4 of 5 servers; 1 cannot be read")));
    }

    void refusedValueOnOneServer_isNoMissingHolder()
    {
        MainWindowFixture fixture;
        const Card card = holder(fixture, 1);
        const test::OtherClient admin(fixture.workspace.serverPool().endpoints()[0]);
        QVERIFY(admin({"ACL", "SETUSER", "default", "-get", "-getrange"}).isOk());
        QVERIFY(admin({"SET", card.card.key().bytes(), "another-token-of-another-client", "PX", "60000"}).isOk());
        LATCHKEY_AWAIT(card.text("truth").contains(QStringLiteral("; the holder cannot be read: "))
                       && card.text("truth").contains(QStringLiteral("NOPERM")));
    }

    void onlyServerThatRefusesReads_isNotShownWithoutKeys()
    {
        MainWindowFixture fixture;
        const Card card = openWithClients(fixture, 1).front();
        const test::OtherClient admin(fixture.workspace.serverPool().endpoints().front());
        LATCHKEY_AWAIT(card.text("truth") == u"the key does not exist");
        card.chooseRecipe("basic");
        card.click("acquire");
        LATCHKEY_AWAIT(card.text("truth").startsWith(QStringLiteral("held")));
        QVERIFY(admin({"ACL", "SETUSER", "default", "-pttl"}).isOk());
        LATCHKEY_AWAIT(card.text("truth").startsWith(QStringLiteral("unknown: ")));
        QVERIFY(card.text("truth").contains(QStringLiteral("NOPERM")));
        QVERIFY(!card.card.property("tone").toString().contains(QStringLiteral("conflict")));
        QVERIFY(admin({"ACL", "SETUSER", "default", "+pttl"}).isOk());
        LATCHKEY_AWAIT(card.text("truth").startsWith(QStringLiteral("held")));
    }

    void frozenServer_isNoVoteAgainst()
    {
        MainWindowFixture fixture;
        const Card card = holder(fixture, 3);
        click(fixture, 1, "freezeServer");
        LATCHKEY_AWAIT(seen(fixture, 1) == u"does not respond");
        LATCHKEY_AWAIT(card.text("truth").endsWith(QStringLiteral("; 1 does not answer")));
        click(fixture, 2, "freezeServer"); // The state is unknown, and so no error.
        LATCHKEY_AWAIT(card.text("truth").startsWith(QStringLiteral("unknown")));
        QVERIFY(card.card.property("tone").toString() != u"conflict");
        click(fixture, 1, "freezeServer");
        LATCHKEY_AWAIT(card.text("truth").startsWith(QStringLiteral("held by this client")));
        QCOMPARE(marks(fixture, Mark::Kind::Suspended), 2);
        LATCHKEY_AWAIT(marks(fixture, Mark::Kind::Continued) == 1);
    }

    void lostReply_isWantedWithAClickAndDrawn()
    {
        MainWindowFixture fixture;
        const Card card = openWithClients(fixture, 1).front();
        card.chooseRecipe("auto-release");
        card.click("loseReply");
        QVERIFY(card.button("loseReply").isChecked());
        card.click("acquire");
        LATCHKEY_AWAIT(card.text("clientMessage").startsWith(QStringLiteral("Unknown: ")));
        QVERIFY(!card.button("loseReply").isChecked());
        LATCHKEY_AWAIT(card.text("belief") == u"holds no lock");
        LATCHKEY_AWAIT(card.text("truth").startsWith(QStringLiteral("held"))); // The holder is unknown.
        const auto isLost = [](const sequence::Row &row) {
            const auto *message = std::get_if<sequence::Message>(&row);
            return message != nullptr && message->isReplyLost;
        };
        LATCHKEY_AWAIT(std::ranges::count_if(drawn(fixture).rows(), isLost) == 1);
    }

    void renew_restartsTheSameLeaseOnce()
    {
        MainWindowFixture fixture;
        const Card card = openWithClients(fixture, 1).front();
        card.fill("lease", "100s");
        card.click("acquire");
        LATCHKEY_AWAIT(card.state() == u"holding");
        const base::MonotonicTime before = card.card.client().hold()->validUntil;
        card.fill("lease", "5s"); // The lease for Extend.
        card.click("renew");
        LATCHKEY_AWAIT(card.text("clientMessage") == u"Extended.");
        QVERIFY(card.card.client().hold()->validUntil > before);
        QCOMPARE(*card.card.client().hold()->lease, std::chrono::milliseconds(100'000));
    }
};

LATCHKEY_WINDOW_TEST(TestServers)

} // namespace tst_servers

#include "tst_servers.moc"
