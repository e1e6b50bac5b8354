#pragma once

#include "core/redis/net/blockingconnection.h"
#include "core/redis/net/endpoint.h"

#include <memory>

namespace latchkey::test {

/// A client of another program: a separate connection, which closes with this object.
class OtherClient final
{
public:
    /// Connects. `name`: name for CLIENT SETNAME. Aborts the test program if the server accepts no connection.
    explicit OtherClient(const net::Endpoint &endpoint, const QByteArray &name = {});

    /// Sends one command and returns its reply, which may be an error reply.
    resp::Reply operator()(const resp::Command &command) const;
    /// Returns the client's address as the server reports it.
    [[nodiscard]] QByteArray address() const;

private:
    std::unique_ptr<net::BlockingConnection> m_connection;
};

/// Returns the arguments that make a private server also listen on this port.
[[nodiscard]] QStringList listeningAt(quint16 port);
/// Returns the endpoint of the server on this port.
[[nodiscard]] net::Endpoint localEndpoint(quint16 port);

} // namespace latchkey::test
