#include "app/cli/watchednode.h"

#include "core/redis/exchange/blockingdriver.h"
#include "core/redis/resp/clusterslots.h"
#include "core/redis/resp/keyslot.h"

#include <algorithm>

namespace latchkey::cli {

using exchange::Exchange;

namespace {

/// Asks for a key, so that the driver learns its node.
Exchange<bool> lookUp(base::Key key)
{
    const resp::Reply reply = co_await resp::exists(key);
    co_return reply.toInteger() == 1;
}

/// Returns whether the cluster has several primaries. A refused question counts as yes.
Exchange<bool> haveSeveralNodes()
{
    const resp::Command question {QByteArrayLiteral("CLUSTER"), QByteArrayLiteral("SLOTS")};
    const exchange::Answer reply = co_await exchange::tentatively(question);
    if (!reply)
        co_return true;
    const auto found = resp::ClusterSlots::fromReply(*reply);
    co_return !found || found->primaries().size() > 1;
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
    if (driver.said(0)->mode != u"cluster")
        return WatchedNode {server, false};
    const bool isOneSlot = !globs.empty() && std::ranges::all_of(globs, [&globs](const base::Glob &glob) {
        return isName(glob) && resp::slotOf(glob.pattern()) == resp::slotOf(globs.front().pattern());
    });
    if (isOneSlot) {
        const base::Key key(globs.front().pattern());
        const auto found = driver.run(lookUp(key));
        return found ? base::Result<WatchedNode>(WatchedNode {driver.placeOf(key), false})
                     : base::failure(found.error());
    }
    const auto several = driver.run(haveSeveralNodes());
    return several ? base::Result<WatchedNode>(WatchedNode {server, *several}) : base::failure(several.error());
}

} // namespace latchkey::cli
