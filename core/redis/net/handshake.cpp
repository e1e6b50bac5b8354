#include "core/redis/net/handshake.h"

#include "core/redis/net/primarysearch.h"
#include "core/redis/resp/servererror.h"

#include <algorithm>

namespace latchkey::net {

using base::ErrorKind;

namespace {

/// Returns the error of a sentinel that is addressed like a server.
base::Error isSentinel(const Endpoint &endpoint)
{
    Endpoint through = endpoint;
    through.sentinels = SentinelGroup {QStringLiteral("NAME"), {}, {}, {}};
    return {ErrorKind::Unreachable,
            base::Text(QT_TRANSLATE_NOOP("core", "%1 is a sentinel, which has no keys: write its URL like %2, with the "
                                                 "name of the primary"),
                       endpoint.display(), through.display())};
}

} // namespace

Handshake::Handshake(Endpoint endpoint, QByteArray clientName, Peer peer)
    : m_endpoint(std::move(endpoint))
    , m_clientName(std::move(clientName))
    , m_peer(peer)
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
    if (m_peer == Peer::Primary)
        commands.push_back({QByteArrayLiteral("ROLE")});
    return commands;
}

base::Result<resp::ServerInfo> Handshake::evaluate(const resp::Replies &replies) const
{
    const resp::Commands sent = commands();
    Q_ASSERT(replies.size() == sent.size());
    const auto asksForInfo = [](const resp::Command &command) { return command.name() == "INFO"; };
    const auto infoAt = static_cast<std::size_t>(std::ranges::find_if(sent, asksForInfo) - sent.begin());
    const resp::ServerInfo info =
        replies[infoAt].isError() ? resp::ServerInfo() : resp::ServerInfo::fromInfo(replies[infoAt].bytes());
    if (m_peer != Peer::Sentinel && info.mode == u"sentinel")
        return base::failure(isSentinel(m_endpoint));
    for (std::size_t i = 0; i < sent.size(); ++i) {
        const QByteArray name = sent[i].name();
        if (!replies[i].isError()) {
            if (const auto other = notPrimary(m_endpoint, replies[i]); name == "ROLE" && other)
                return base::failure(*other);
            continue;
        }
        const base::Error error = resp::serverError(replies[i]).during(m_endpoint.display());
        const bool isOptional = name == "CLIENT" || name == "INFO" || name == "ROLE";
        const bool refusesLogin = error.kind == ErrorKind::AuthenticationRequired || error.kind == ErrorKind::Loading
                               || error.kind == ErrorKind::ProtectedMode || error.kind == ErrorKind::TooManyClients;
        if (!isOptional || refusesLogin)
            return base::failure(error);
    }
    return info;
}

} // namespace latchkey::net
