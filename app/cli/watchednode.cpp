#include "app/cli/watchednode.h"

#include "core/redis/exchange/blockingdriver.h"
#include "core/redis/net/slotroutes.h"
#include "core/redis/resp/clusterslots.h"
#include "core/redis/resp/keyslot.h"

#include <algorithm>

namespace latchkey::cli {

using exchange::Exchange;

namespace {

/// Requests a key, so that the driver learns its node.
Exchange<bool> lookUp(base::Key key)
{
    const resp::Reply reply = co_await resp::exists(key);
    co_return reply.toInteger() == 1;
}

/// Requests the primaries of the cluster. Absent if the request was refused.
Exchange<std::optional<resp::ClusterSlots>> requestPrimaries()
{
    const resp::Command question {QByteArrayLiteral("CLUSTER"), QByteArrayLiteral("SLOTS")};
    const exchange::Answer reply = co_await exchange::tentatively(question);
    if (!reply)
        co_return std::nullopt;
    auto found = resp::ClusterSlots::fromReply(*reply);
    co_return found ? std::optional(std::move(*found)) : std::nullopt;
}

/// Returns the endpoints of the primaries, that of the URL first.
std::vector<WatchedNode::Primary> placesOf(const resp::ClusterSlots &found, const net::Endpoint &server)
{
    std::vector<WatchedNode::Primary> primaries;
    for (const resp::ClusterSlots::Primary &primary : found.primaries())
        primaries.push_back({net::SlotRoutes::endpointOf(server, primary.address), primary.ranges});
    std::ranges::stable_partition(primaries, [&server](const WatchedNode::Primary &primary) {
        return primary.endpoint.host == server.host && primary.endpoint.port == server.port;
    });
    if (primaries.empty())
        primaries.push_back({server, {}});
    return primaries;
}

/// Returns whether the pattern matches a single key.
bool isName(const base::Glob &glob)
{
    return !glob.matchesEverything()
        && std::ranges::none_of(glob.pattern(), [](char byte) { return QByteArrayView("*?[\\").contains(byte); });
}

} // namespace

base::Result<WatchedNode> findWatchedNode(const net::Endpoint &server, const std::vector<base::Glob> &globs,
                                          std::chrono::milliseconds timeout)
{
    exchange::BlockingDriver driver({server}, timeout);
    if (const auto connected = driver.connect(); !connected)
        return base::failure(connected.error());
    if (driver.serverInfo(0)->mode != u"cluster")
        return WatchedNode {server, false};
    const bool isOneSlot = !globs.empty() && std::ranges::all_of(globs, [&globs](const base::Glob &glob) {
        return isName(glob) && resp::slotOf(glob.pattern()) == resp::slotOf(globs.front().pattern());
    });
    if (isOneSlot) {
        const base::Key key(globs.front().pattern());
        const auto found = driver.run(lookUp(key));
        return found ? base::Result<WatchedNode>(WatchedNode {driver.endpointOf(key), false})
                     : base::failure(found.error());
    }
    const auto primaries = driver.run(requestPrimaries());
    if (!primaries)
        return base::failure(primaries.error());
    if (!*primaries)
        return WatchedNode {server, true};
    const int unserved = (*primaries)->unserved();
    return WatchedNode {server, (*primaries)->primaries().size() > 1 || unserved > 0, placesOf(**primaries, server),
                        unserved};
}

} // namespace latchkey::cli
