#include "core/redis/net/handshake.h"

#include "core/redis/resp/servererror.h"

namespace latchkey::net {

using base::ErrorKind;

Handshake::Handshake(Endpoint endpoint, QByteArray clientName)
    : m_endpoint(std::move(endpoint))
    , m_clientName(std::move(clientName))
{}

resp::Commands Handshake::commands() const
{
    resp::Commands commands;
    if (!m_endpoint.user.isEmpty() || !m_endpoint.password.isEmpty()) {
        resp::Command auth {QByteArrayLiteral("AUTH")};
        if (!m_endpoint.user.isEmpty())
            auth << m_endpoint.user.toUtf8();
        auth << m_endpoint.password.toUtf8();
        commands.push_back(auth);
    }
    if (m_endpoint.database != 0)
        commands.push_back({QByteArrayLiteral("SELECT"), QByteArray::number(m_endpoint.database)});
    commands.push_back({QByteArrayLiteral("CLIENT"), QByteArrayLiteral("SETNAME"), m_clientName});
    commands.push_back({QByteArrayLiteral("INFO"), QByteArrayLiteral("server")});
    return commands;
}

base::Result<resp::ServerInfo> Handshake::judge(const resp::Replies &replies) const
{
    const resp::Commands sent = commands();
    Q_ASSERT(replies.size() == sent.size());
    resp::ServerInfo info;
    for (std::size_t i = 0; i < sent.size(); ++i) {
        const QByteArray name = sent[i].name();
        if (!replies[i].isError()) {
            if (name == "INFO")
                info = resp::ServerInfo::fromInfo(replies[i].bytes());
            continue;
        }
        const base::Error error = resp::serverError(replies[i]).during(m_endpoint.display());
        const bool isOptional = name == "CLIENT" || name == "INFO";
        const bool keepsUsOut = error.kind == ErrorKind::AuthenticationRequired || error.kind == ErrorKind::Loading
                             || error.kind == ErrorKind::ProtectedMode || error.kind == ErrorKind::TooManyClients;
        if (!isOptional || keepsUsOut)
            return base::failure(error);
    }
    return info;
}

} // namespace latchkey::net
