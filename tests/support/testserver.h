#pragma once

#include "core/redis/net/blockingconnection.h"
#include "core/redis/net/endpoint.h"
#include "core/redis/privateserver/privateserver.h"

#include <memory>

namespace latchkey::test {

/// A real redis-server for one test, with a connection that the code under test does not use.
class TestServer final
{
public:
    /// Starts the server. Aborts the test program if no server is available: no test that needs a server can pass
    /// without one.
    explicit TestServer(const QStringList &extraArguments = {});

    [[nodiscard]] const net::Endpoint &endpoint() const { return m_server->endpoint(); }
    [[nodiscard]] QString url() const { return endpoint().display(); }
    [[nodiscard]] privateserver::PrivateServer &process() { return *m_server; }

    /// Sends one command and returns its reply, which may be an error reply.
    resp::Reply operator()(const resp::Command &command);

    /// Kills the server process, as in a failure.
    void kill();

private:
    std::unique_ptr<privateserver::PrivateServer> m_server;
    std::unique_ptr<net::BlockingConnection> m_connection;
};

} // namespace latchkey::test
