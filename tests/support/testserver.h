#pragma once

#include "core/resp/blockingconnection.h"
#include "core/resp/endpoint.h"
#include "core/server/privateserver.h"

#include <memory>

namespace latchkey::test {

/// A real redis-server for one test, and a connection to it that the code under test does not use.
class TestServer final
{
public:
    /// Aborts the test program where there is no server to be had: nothing that needs one can pass without.
    explicit TestServer(const QStringList &extraArguments = {});

    [[nodiscard]] const resp::Endpoint &endpoint() const { return m_server->endpoint(); }
    [[nodiscard]] QString url() const { return endpoint().display(); }
    [[nodiscard]] server::PrivateServer &process() { return *m_server; }

    /// Sends one command, and gives its reply; an error reply is a reply.
    resp::Reply operator()(const resp::Command &command);

    /// Ends the server, as a failure would.
    void kill();

private:
    std::unique_ptr<server::PrivateServer> m_server;
    std::unique_ptr<resp::BlockingConnection> m_connection;
};

} // namespace latchkey::test
