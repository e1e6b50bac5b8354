#pragma once

#include "core/resp/blockingconnection.h"
#include "core/resp/endpoint.h"

#include <memory>

namespace latchkey::test {

/// A client of somebody else's: a connection of its own, which ends with it.
class OtherClient final
{
public:
    /// name: what it calls itself; aborts the test program where the server lets nobody in.
    explicit OtherClient(const resp::Endpoint &endpoint, const QByteArray &name = {});

    /// Sends one command, and gives its reply; an error reply is a reply.
    resp::Reply operator()(const resp::Command &command) const;
    /// As the server knows it.
    [[nodiscard]] QByteArray address() const;

private:
    std::unique_ptr<resp::BlockingConnection> m_connection;
};

/// A port on which nobody listens.
[[nodiscard]] quint16 freePort();

/// What makes a private server listen there as well.
[[nodiscard]] QStringList listeningAt(quint16 port);
/// It, over that port.
[[nodiscard]] resp::Endpoint localEndpoint(quint16 port);

} // namespace latchkey::test
