#pragma once

#include "core/redis/net/endpoint.h"
#include "core/redis/resp/command.h"
#include "core/redis/resp/serverinfo.h"

namespace latchkey::net {

/// The first commands of a connection and the evaluation of their replies: AUTH, SELECT, CLIENT SETNAME, INFO.
///
/// All commands are sent as one pipeline, because none needs another's reply. A refused login is an error; a denied
/// CLIENT or INFO is not. The class performs no I/O: the code that connects sends commands() and passes the replies to
/// judge().
class Handshake final
{
public:
    Handshake(Endpoint endpoint, QByteArray clientName);

    [[nodiscard]] resp::Commands commands() const;

    /// Returns the server's data about itself. Error: the server's reason for the refusal, with the endpoint.
    /// `replies`: one per command.
    [[nodiscard]] base::Result<resp::ServerInfo> judge(const resp::Replies &replies) const;

private:
    const Endpoint m_endpoint;
    const QByteArray m_clientName;
};

} // namespace latchkey::net
