#pragma once

#include "core/resp/command.h"
#include "core/resp/endpoint.h"
#include "core/resp/serverinfo.h"

namespace latchkey::resp {

/// What a fresh connection says first, and what the answers mean: AUTH, SELECT, CLIENT SETNAME, INFO.
///
/// All of it travels as one pipeline, since none of the commands needs another's answer. A server that will not let us
/// in is an error; one that merely denies CLIENT or INFO is not.
/// Pure: the code that connects sends commands() and hands the replies to judge().
class Handshake final
{
public:
    Handshake(Endpoint endpoint, QByteArray clientName);

    [[nodiscard]] Commands commands() const;

    /// replies: one per command. The server's own words about itself, or why it will not have us, naming the endpoint.
    [[nodiscard]] base::Result<ServerInfo> judge(const Replies &replies) const;

private:
    const Endpoint m_endpoint;
    const QByteArray m_clientName;
};

} // namespace latchkey::resp
