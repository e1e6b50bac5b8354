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
    const auto info = dialled->connection->execute(resp::Command {"INFO", "server"}, std::chrono::seconds(30));
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
    static void killServerOf(MainWindowFixture &fixture)
    {
        const pid_t process = processOf(fixture.workspace.inspected()->endpoint());
        QVERIFY(process > 0);
        bool isNoticed = false;
        const QObject context;
        connect(&fixture.workspace, &ui::shell::Workspace::noticed, &context, [&] { isNoticed = true; });
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
        MainWindowFixture fixture;
        fixture.workspace.openPrivate();
        LATCHKEY_AWAIT(isReady(fixture.workspace.inspected()));
        const net::Endpoint first = fixture.workspace.inspected()->endpoint();
        killServerOf(fixture);

        fixture.workspace.openPrivate();
        LATCHKEY_AWAIT(fixture.workspace.inspected()->endpoint() != first);
        LATCHKEY_AWAIT(isReady(fixture.workspace.inspected()));
        QVERIFY(processOf(fixture.workspace.inspected()->endpoint()) > 0);
        QVERIFY(fixture.workspace.inspected()->isPrivate() && fixture.workspace.inspected()->isArmed());
    }

    void notice_startsAnother()
    {
        MainWindowFixture fixture;
        fixture.workspace.openPrivate();
        LATCHKEY_AWAIT(isReady(fixture.workspace.inspected()));
        const net::Endpoint first = fixture.workspace.inspected()->endpoint();
        std::function<void()> action;
        connect(&fixture.workspace, &ui::shell::Workspace::noticed, this,
                [&](const ui::shell::Workspace::Notice &notice) { action = notice.action; });
        killServerOf(fixture);
        QVERIFY(action);
        action();
        LATCHKEY_AWAIT(fixture.workspace.inspected()->endpoint() != first);
        LATCHKEY_AWAIT(isReady(fixture.workspace.inspected()));
    }

    void playground_followsWithItsClients()
    {
        MainWindowFixture fixture;
        fixture.workspace.openPrivate();
        LATCHKEY_AWAIT(isReady(fixture.workspace.inspected()));
        fixture.workspace.preparePlayground();
        LATCHKEY_AWAIT(isReady(fixture.workspace.playgroundServer()));
        const net::Endpoint first = fixture.workspace.playgroundServer()->endpoint();
        ClientProcess &client = fixture.workspace.clientPool().add();
        LATCHKEY_AWAIT(client.state() == ClientProcess::State::Idle);
        killServerOf(fixture);

        // Several calls, as from the page when it is shown.
        int changes = 0;
        connect(&fixture.workspace, &ui::shell::Workspace::playgroundServerChanged, this, [&] { ++changes; });
        fixture.workspace.preparePlayground();
        fixture.workspace.preparePlayground();
        LATCHKEY_AWAIT(changes > 0 && isReady(fixture.workspace.playgroundServer()));
        QCOMPARE(changes, 1);
        QVERIFY(fixture.workspace.playgroundServer()->endpoint() != first);
        LATCHKEY_AWAIT(client.state() == ClientProcess::State::Idle);
        locks::LockOptions options;
        options.key = base::Key("k");
        client.acquire(QStringLiteral("token"), options);
        LATCHKEY_AWAIT(client.state() == ClientProcess::State::Holding);
        LATCHKEY_AWAIT(fixture.workspace.playgroundServer()->store().known().table.find("k").has_value());
    }

    /// The page must not count down the state of a server that has gone.
    void playground_countsNothingDownWhileItsServerIsAway()
    {
        MainWindowFixture fixture;
        fixture.workspace.openPrivate();
        LATCHKEY_AWAIT(isReady(fixture.workspace.inspected()));
        const QList<test::Card> cards = test::openWithClients(fixture, 1);
        cards[0].chooseRecipe("token");
        cards[0].fill("lease", "60s");
        cards[0].button("acquire").click();
        LATCHKEY_AWAIT(cards[0].text("truth").startsWith(u"held by this client"));
        const auto *table =
            fixture.window.findChild<ui::playground::PlaygroundPage *>()->findChild<ui::keytable::KeyTableView *>();
        QVERIFY(!table->shownTime().isFrozen());
        killServerOf(fixture);
        LATCHKEY_AWAIT(table->shownTime().isFrozen());
        LATCHKEY_AWAIT(cards[0].text("truth") == u"unknown: the server does not answer");
    }

    void demonstration_continuesOnTheNewServer()
    {
        MainWindowFixture fixture;
        fixture.workspace.openDemo();
        LATCHKEY_AWAIT(isReady(fixture.workspace.inspected())
                       && fixture.workspace.inspected()->store().liveCount() > 0);
        const std::size_t clients = fixture.workspace.clientPool().size();
        killServerOf(fixture);
        const net::Endpoint first = fixture.workspace.inspected()->endpoint();
        fixture.workspace.openPrivate();
        LATCHKEY_AWAIT(fixture.workspace.inspected()->endpoint() != first);
        QCOMPARE(fixture.workspace.clientPool().size(), clients);
        LATCHKEY_AWAIT(fixture.workspace.inspected()->store().liveCount() > 0);
    }
};

LATCHKEY_WINDOW_TEST(TestWorkspace)

} // namespace tst_workspace

#include "tst_workspace.moc"
