#include "tests/support/testserver.h"

#include "core/redis/net/dialer.h"

namespace latchkey::test {

using namespace std::chrono_literals;

TestServer::TestServer(const QStringList &extraArguments)
    : m_server(std::make_unique<privateserver::PrivateServer>())
{
    if (const auto started = m_server->startAndWait(extraArguments); !started)
        qFatal("%s", qPrintable(started.error().message()));
    auto dialled = net::dialBlocking(m_server->endpoint(), 30s);
    if (!dialled)
        qFatal("%s", qPrintable(dialled.error().message()));
    m_connection = std::move(dialled->connection);
}

resp::Reply TestServer::operator()(const resp::Command &command)
{
    auto reply = m_connection->execute(command, 30s);
    if (!reply)
        qFatal("%s", qPrintable(reply.error().message()));
    return std::move(*reply);
}

void TestServer::kill()
{
    m_connection.reset();
    m_server.reset();
}

} // namespace latchkey::test
