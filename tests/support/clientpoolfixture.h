#pragma once

#include "core/playground/playground/clientpool.h"
#include "tests/support/await.h"
#include "tests/support/testserver.h"

#include <QTest>

namespace latchkey::test {

/// A private server and a pool of client processes that use it.
///
/// For tests that link latchkey::playground. A failed step aborts the test program, because the following steps would
/// be meaningless.
class ClientPoolFixture final
{
public:
    using Client = playground::ClientProcess;

    ClientPoolFixture() { clientPool.setServer(server.endpoint()); }

    /// Adds a client, which is connected and waits for commands.
    [[nodiscard]] Client &client()
    {
        Client &added = clientPool.add();
        await([&] { return added.state() == Client::State::Idle; }, "a client did not start");
        return added;
    }

    /// Attempts to acquire the lock and waits for the answer. `lease` is absent for a recipe without a lease.
    static void acquire(Client &client, const char *recipe, const QByteArray &key,
                        std::optional<std::chrono::milliseconds> lease)
    {
        locks::LockOptions options;
        options.key = base::Key(key);
        if (lease)
            options.lease = base::Lease::of(*lease).value();
        client.acquire(QString::fromLatin1(recipe), options);
        await([&] { return client.state() != Client::State::Working; }, "no answer came");
    }

    /// Adds a client that holds a token lock.
    [[nodiscard]] Client &holder(const QByteArray &key, std::chrono::milliseconds lease)
    {
        Client &added = client();
        acquire(added, "token", key, lease);
        if (added.state() != Client::State::Holding)
            qFatal("a client did not get its lock");
        return added;
    }

    TestServer server;
    playground::ClientPool clientPool {QStringLiteral(LATCHKEY_CLI), base::SystemClock::instance()};

private:
    static void await(const std::function<bool()> &condition, const char *otherwise)
    {
        if (!test::waitFor(condition))
            qFatal("%s", otherwise);
    }
};

} // namespace latchkey::test
