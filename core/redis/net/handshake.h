#pragma once

#include "core/redis/net/endpoint.h"
#include "core/redis/resp/command.h"
#include "core/redis/resp/serverinfo.h"

namespace latchkey::net {

/// The process that a connection is expected to lead to.
enum class Peer : quint8 {
    Server,
    Primary, ///< A server that must not be a replica.
    Sentinel,
};

/// The first commands of a connection and the evaluation of their replies: AUTH, SELECT, CLIENT SETNAME, INFO,
/// and ROLE of a primary.
///
/// All commands are sent as one pipeline, because no command depends on the reply to another. A refused login is an
/// error; a denied CLIENT, INFO or ROLE is not. A process of an unexpected kind is an error. The class performs no I/O:
/// the code that connects sends commands() and passes the replies to evaluate().
class Handshake final
{
public:
    Handshake(Endpoint endpoint, QByteArray clientName, Peer peer = Peer::Server);

    [[nodiscard]] resp::Commands commands() const;

    /// Returns the self-description of the server. Error: the server's reason for the refusal, with the endpoint.
    /// `replies`: one per command.
    [[nodiscard]] base::Result<resp::ServerInfo> evaluate(const resp::Replies &replies) const;

private:
    const Endpoint m_endpoint;
    const QByteArray m_clientName;
    const Peer m_peer;
};

} // namespace latchkey::net
