#include "app/cli/serveridentity.h"

#include "app/help/commandline.h"
#include "core/foundation/base/random.h"
#include "core/redis/net/dialer.h"
#include "core/redis/resp/servererror.h"

#include <algorithm>

namespace latchkey::cli {

using base::Error;
using base::ErrorKind;
using help::CommandLine;
using voting::DescribedServer;

namespace {

using Connections = std::vector<base::Result<net::DialResult<net::BlockingConnection>>>;

/// Sends one command; the error is that of the connection or of the server.
base::Result<resp::Reply> ask(base::Result<net::DialResult<net::BlockingConnection>> &dialled,
                              const resp::Command &command, std::chrono::milliseconds timeout)
{
    if (!dialled)
        return base::failure(dialled.error());
    auto reply = dialled->connection->execute(command, timeout);
    if (reply && reply->isError())
        return base::failure(resp::serverError(*reply));
    return reply;
}

Error notKnown(const DescribedServer &server, const Error &why)
{
    return {why.kind, CommandLine::tr("whether %1 is another server than the others of the group could not be told, "
                                      "because INFO is refused: %2; allow INFO, or PUBSUB NUMSUB and all channels")
                          .arg(server.endpoint.display(), why.message())};
}

/// Compares one server, which subscribes, with all others.
ServerIdentity compareOne(std::size_t one, const std::vector<DescribedServer> &servers, Connections &connections,
                          std::chrono::milliseconds timeout)
{
    const QByteArray channel =
        QByteArrayLiteral("latchkey:identity:") + base::SystemRandom::instance().freshToken().bytes();
    if (connections[one])
        connections[one]->connection->acceptMessages();
    if (const auto subscribed = ask(connections[one], {QByteArrayLiteral("SUBSCRIBE"), channel}, timeout); !subscribed)
        return {std::nullopt, notKnown(servers[one], subscribed.error())};
    ServerIdentity result;
    for (std::size_t other = 0; other < servers.size(); ++other) {
        if (other == one || (other < one && servers[other].info.runId.isEmpty()))
            continue;
        const auto counted =
            ask(connections[other], {QByteArrayLiteral("PUBSUB"), QByteArrayLiteral("NUMSUB"), channel}, timeout);
        if (!counted)
            result.unknown = notKnown(servers[one], counted.error());
        else if (counted->elements().size() == 2 && counted->elements()[1].toInteger() > 0)
            return {
                Error {ErrorKind::Usage, CommandLine::tr("%1 and %2 are the same server")
                                             .arg(servers[one].endpoint.display(), servers[other].endpoint.display())},
                std::nullopt};
    }
    return result;
}

} // namespace

ServerIdentity ServerIdentity::compare(const std::vector<DescribedServer> &servers, std::chrono::milliseconds timeout)
{
    ServerIdentity result;
    const bool areKnown =
        std::ranges::none_of(servers, [](const DescribedServer &each) { return each.info.runId.isEmpty(); });
    if (servers.size() < 2 || areKnown)
        return result;
    std::vector<net::Endpoint> endpoints;
    for (const DescribedServer &server : servers)
        endpoints.push_back(server.endpoint);
    // A subscribed connection takes no other command, so each question needs a connection of its own.
    Connections asking = net::dialBlocking(endpoints, timeout);
    for (std::size_t one = 0; one < servers.size(); ++one) {
        if (!servers[one].info.runId.isEmpty())
            continue;
        Connections subscribing = net::dialBlocking(std::vector {servers[one].endpoint}, timeout);
        std::swap(asking[one], subscribing.front());
        ServerIdentity compared = compareOne(one, servers, asking, timeout);
        std::swap(asking[one], subscribing.front());
        if (compared.dependence)
            return compared;
        if (!result.unknown)
            result.unknown = std::move(compared.unknown);
    }
    return result;
}

} // namespace latchkey::cli
