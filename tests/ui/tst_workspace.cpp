#include "core/redis/net/dialer.h"
#include "tests/support/mainwindowfixture.h"
#include "tests/support/testprogram.h"
#include "tests/ui/cards.h"

#include <QTest>

#include <csignal>

namespace tst_workspace {

using namespace latchkey;
using net::Session;
using playground::ClientProcess;
using test::MainWindowFixture;

namespace {

/// Returns the process behind a socket; 0 if there is none.
pid_t processOf(const net::Endpoint &endpoint)
{
    auto dialled = net::dialBlocking(endpoint, std::chrono::seconds(30));
    if (!dialled)
        return 0;
    const auto info = dialled->connection->ask(resp::Command {"INFO", "server"}, std::chrono::seconds(30));
    const QByteArray name = "process_id:";
    const qsizetype at = info ? info->bytes().indexOf(name) : -1;
    if (at < 0)
        return 0;
    const QByteArray rest = info->bytes().sliced(at + name.size());
    return static_cast<pid_t>(rest.first(rest.indexOf('\r')).toInt());
}

} // namespace

/// Tests of the workspace when the server that it has started is killed.
class TestWorkspace final : public QObject
{
    Q_OBJECT

    /// Kills the private server and waits until the window has noticed it.
    static void killServerOf(MainWindowFixture &bench)
    {
        const pid_t process = processOf(bench.workspace.inspected()->endpoint());
        QVERIFY(process > 0);
        bool isNoticed = false;
        const QObject context;
        connect(&bench.workspace, &ui::shell::Workspace::noticed, &context, [&] { isNoticed = true; });
        QCOMPARE(::kill(process, SIGKILL), 0);
        LATCHKEY_AWAIT(isNoticed);
    }
    static bool isReady(inspection::InspectedServer *server)
    {
        return server != nullptr && server->session().state() == Session::State::Ready;
    }

private Q_SLOTS:
    void killedPrivateServer_isReplacedWhenAskedForAgain()
    {
        MainWindowFixture bench;
        bench.workspace.openPrivate();
        LATCHKEY_AWAIT(isReady(bench.workspace.inspected()));
        const net::Endpoint first = bench.workspace.inspected()->endpoint();
        killServerOf(bench);

        bench.workspace.openPrivate();
        LATCHKEY_AWAIT(bench.workspace.inspected()->endpoint() != first);
        LATCHKEY_AWAIT(isReady(bench.workspace.inspected()));
        QVERIFY(processOf(bench.workspace.inspected()->endpoint()) > 0);
        QVERIFY(bench.workspace.inspected()->isPrivate() && bench.workspace.inspected()->isArmed());
    }

    void notice_startsAnother()
    {
        MainWindowFixture bench;
        bench.workspace.openPrivate();
        LATCHKEY_AWAIT(isReady(bench.workspace.inspected()));
        const net::Endpoint first = bench.workspace.inspected()->endpoint();
        std::function<void()> action;
        connect(&bench.workspace, &ui::shell::Workspace::noticed, this,
                [&](const ui::shell::Workspace::Notice &notice) { action = notice.action; });
        killServerOf(bench);
        QVERIFY(action);
        action();
        LATCHKEY_AWAIT(bench.workspace.inspected()->endpoint() != first);
        LATCHKEY_AWAIT(isReady(bench.workspace.inspected()));
    }

    void playground_followsWithItsClients()
    {
        MainWindowFixture bench;
        bench.workspace.openPrivate();
        LATCHKEY_AWAIT(isReady(bench.workspace.inspected()));
        bench.workspace.preparePlayground();
        LATCHKEY_AWAIT(isReady(bench.workspace.playgroundServer()));
        const net::Endpoint first = bench.workspace.playgroundServer()->endpoint();
        ClientProcess &client = bench.workspace.clientPool().add();
        LATCHKEY_AWAIT(client.state() == ClientProcess::State::Idle);
        killServerOf(bench);

        // Several calls, as from the page when it is shown.
        int changes = 0;
        connect(&bench.workspace, &ui::shell::Workspace::playgroundServerChanged, this, [&] { ++changes; });
        bench.workspace.preparePlayground();
        bench.workspace.preparePlayground();
        LATCHKEY_AWAIT(changes > 0 && isReady(bench.workspace.playgroundServer()));
        QCOMPARE(changes, 1);
        QVERIFY(bench.workspace.playgroundServer()->endpoint() != first);
        LATCHKEY_AWAIT(client.state() == ClientProcess::State::Idle);
        locks::LockOptions options;
        options.key = base::Key("k");
        client.acquire(QStringLiteral("token"), options);
        LATCHKEY_AWAIT(client.state() == ClientProcess::State::Holding);
        LATCHKEY_AWAIT(bench.workspace.playgroundServer()->store().known().table.find("k").has_value());
    }

    /// The page must not count down the state of a server that has gone.
    void playground_countsNothingDownWhileItsServerIsAway()
    {
        MainWindowFixture bench;
        bench.workspace.openPrivate();
        LATCHKEY_AWAIT(isReady(bench.workspace.inspected()));
        const QList<test::Card> cards = test::openWithClients(bench, 1);
        cards[0].chooseRecipe("token");
        cards[0].fill("lease", "60s");
        cards[0].button("acquire").click();
        LATCHKEY_AWAIT(cards[0].text("truth").startsWith(u"held by this client"));
        const auto *table =
            bench.window.findChild<ui::playground::PlaygroundPage *>()->findChild<ui::keytable::KeyTableView *>();
        QVERIFY(!table->shownTime().isFrozen());
        killServerOf(bench);
        LATCHKEY_AWAIT(table->shownTime().isFrozen());
        LATCHKEY_AWAIT(cards[0].text("truth") == u"unknown: the server does not answer");
    }

    void demonstration_continuesOnTheNewServer()
    {
        MainWindowFixture bench;
        bench.workspace.openDemo();
        LATCHKEY_AWAIT(isReady(bench.workspace.inspected()) && bench.workspace.inspected()->store().liveCount() > 0);
        const std::size_t clients = bench.workspace.clientPool().size();
        killServerOf(bench);
        const net::Endpoint first = bench.workspace.inspected()->endpoint();
        bench.workspace.openPrivate();
        LATCHKEY_AWAIT(bench.workspace.inspected()->endpoint() != first);
        QCOMPARE(bench.workspace.clientPool().size(), clients);
        LATCHKEY_AWAIT(bench.workspace.inspected()->store().liveCount() > 0);
    }
};

LATCHKEY_WINDOW_TEST(TestWorkspace)

} // namespace tst_workspace

#include "tst_workspace.moc"
