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

    static void chooseServers(const MainWindowFixture &bench, int count)
    {
        const auto actions = bench.button("serverCount").menu()->actions();
        actions[count - 1]->trigger();
        LATCHKEY_AWAIT(bench.window.findChildren<ServerChip *>().size() == count);
    }
    [[nodiscard]] static QPushButton &chipButton(const MainWindowFixture &bench, int server, const char *name)
    {
        return *bench.window.findChildren<ServerChip *>()[server]->findChild<QPushButton *>(QLatin1String(name));
    }
    static void click(const MainWindowFixture &bench, int server, const char *name)
    {
        LATCHKEY_AWAIT(chipButton(bench, server, name).isEnabled());
        QTest::mouseClick(&chipButton(bench, server, name), Qt::LeftButton);
    }
    [[nodiscard]] static QString seen(const MainWindowFixture &bench, int server)
    {
        const auto *chip = bench.window.findChildren<ServerChip *>()[server];
        return chip->findChild<QLabel *>(QStringLiteral("serverSeen"))->text();
    }
    [[nodiscard]] static const sequence::Sequence &drawn(const MainWindowFixture &bench)
    {
        return *bench.widget<ui::diagram::DiagramView>("diagram").sequence();
    }
    [[nodiscard]] static int marks(const MainWindowFixture &bench, Mark::Kind kind)
    {
        int count = 0;
        for (const sequence::Row &row : drawn(bench).rows()) {
            const auto *mark = std::get_if<Mark>(&row);
            count += mark != nullptr && mark->kind == kind ? 1 : 0;
        }
        return count;
    }
    [[nodiscard]] static int serverLanes(const MainWindowFixture &bench)
    {
        return static_cast<int>(
            std::ranges::count(drawn(bench).lanes(), sequence::Lane::Kind::Server, &sequence::Lane::kind));
    }
    /// Creates a client that holds a redlock for a long time.
    [[nodiscard]] static Card holder(MainWindowFixture &bench, int servers)
    {
        const Card card = openWithClients(bench, 1).front();
        chooseServers(bench, servers);
        // The clients restart.
        [&] { LATCHKEY_AWAIT(bench.workspace.serverPool().size() == servers); }();
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
        MainWindowFixture bench;
        (void)openWithClients(bench, 1);
        QVERIFY(!bench.widget<QWidget>("serverStrip").isVisible());
        QCOMPARE(serverLanes(bench), 1);
        chooseServers(bench, 3);
        LATCHKEY_AWAIT(bench.widget<QWidget>("serverStrip").isVisible());
        QCOMPARE(serverLanes(bench), 3);
        QCOMPARE(bench.settings.playgroundServers(), 3);
        chooseServers(bench, 1);
        LATCHKEY_AWAIT(!bench.widget<QWidget>("serverStrip").isVisible());
        QCOMPARE(serverLanes(bench), 3); // The lanes stay, because they have past events.
    }

    void oneServer_isFrozenAndKilledFromTheMenu()
    {
        MainWindowFixture bench;
        (void)openWithClients(bench, 1);
        const auto *menu = bench.button("serverCount").menu();
        const auto act = [&](const char *name) { return menu->findChild<QAction *>(QString::fromLatin1(name)); };
        const auto opened = [&] { Q_EMIT bench.button("serverCount").menu()->aboutToShow(); };
        opened();
        QVERIFY(act("freezeOnlyServer")->isVisible() && act("killOnlyServer")->isVisible());
        act("freezeOnlyServer")->trigger();
        LATCHKEY_AWAIT(bench.workspace.serverPool().state(0) == ServerPool::State::Suspended);
        // The chip of the server now has the buttons.
        LATCHKEY_AWAIT(bench.widget<QWidget>("serverStrip").isVisible());
        opened();
        QVERIFY(!act("freezeOnlyServer")->isVisible() && !act("killOnlyServer")->isVisible());
        click(bench, 0, "freezeServer");
        LATCHKEY_AWAIT(!bench.widget<QWidget>("serverStrip").isVisible());
        opened();
        act("killOnlyServer")->trigger();
        LATCHKEY_AWAIT(marks(bench, Mark::Kind::Killed) == 1);
        LATCHKEY_AWAIT(bench.widget<QWidget>("serverStrip").isVisible());
        opened();
        QVERIFY(!act("killOnlyServer")->isVisible());
    }

    void redlock_losesServersWithAClick()
    {
        MainWindowFixture bench;
        const Card card = holder(bench, 5);
        for (int server = 0; server < 5; ++server)
            LATCHKEY_AWAIT(seen(bench, server).startsWith(card.card.client().name()));
        click(bench, 0, "killServer");
        click(bench, 4, "killServer");
        LATCHKEY_AWAIT(marks(bench, Mark::Kind::Killed) == 2);
        const auto truth = [&] {
            return ui::playground::truthOfMajority(bench.workspace.serverPool(), card.card.key(),
                                                   card.card.client().hold(), bench.workspace.clientPool());
        };
        LATCHKEY_AWAIT(truth().votes->holding == 3 && truth().votes->silent == 0);
        LATCHKEY_AWAIT(card.text("truth").startsWith(QStringLiteral("held by this client")));
        QVERIFY(!card.card.property("tone").toString().contains(QStringLiteral("conflict")));

        // Without the third server there is no majority, but the client believes to hold the lock.
        click(bench, 2, "killServer");
        LATCHKEY_AWAIT(card.text("truth").endsWith(QStringLiteral("no majority")));
        LATCHKEY_AWAIT(card.card.property("tone").toString() == u"conflict");
        click(bench, 2, "killServer"); // The server starts empty, so there is still no majority.
        LATCHKEY_AWAIT(seen(bench, 2) == u"not held");
        LATCHKEY_AWAIT(marks(bench, Mark::Kind::StartedEmpty) == 1);
        QCOMPARE(card.card.property("tone").toString(), QStringLiteral("conflict"));
    }

    void frozenServer_isNoVoteAgainst()
    {
        MainWindowFixture bench;
        const Card card = holder(bench, 3);
        click(bench, 1, "freezeServer");
        LATCHKEY_AWAIT(seen(bench, 1) == u"does not respond");
        LATCHKEY_AWAIT(card.text("truth").endsWith(QStringLiteral("; 1 does not answer")));
        click(bench, 2, "freezeServer"); // The state is unknown, and so no error.
        LATCHKEY_AWAIT(card.text("truth").startsWith(QStringLiteral("unknown")));
        QVERIFY(card.card.property("tone").toString() != u"conflict");
        click(bench, 1, "freezeServer");
        LATCHKEY_AWAIT(card.text("truth").startsWith(QStringLiteral("held by this client")));
        QCOMPARE(marks(bench, Mark::Kind::Suspended), 2);
        LATCHKEY_AWAIT(marks(bench, Mark::Kind::Continued) == 1);
    }

    void lostReply_isWantedWithAClickAndDrawn()
    {
        MainWindowFixture bench;
        const Card card = openWithClients(bench, 1).front();
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
        LATCHKEY_AWAIT(std::ranges::count_if(drawn(bench).rows(), isLost) == 1);
    }

    void renew_beginsTheSameLeaseAnewOnce()
    {
        MainWindowFixture bench;
        const Card card = openWithClients(bench, 1).front();
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
