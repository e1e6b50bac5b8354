#include "core/inspect/voting/independence.h"

#include <algorithm>

namespace latchkey::voting {

using base::Error;
using base::ErrorKind;
using base::Text;

std::optional<Error> whyDependent(const std::vector<DescribedServer> &servers)
{
    for (auto one = servers.begin(); one != servers.end(); ++one) {
        if (one->info.mode == u"cluster")
            return Error {ErrorKind::Usage,
                          Text(QT_TRANSLATE_NOOP("core", "%1 is a node of a cluster, and its nodes are not independent "
                                                         "servers: give the URL of one node"),
                               one->endpoint.display())};
        const auto same = std::ranges::find_if(servers.begin(), one, [&](const DescribedServer &other) {
            return !one->info.runId.isEmpty() && other.info.runId == one->info.runId;
        });
        if (same != one)
            return Error {ErrorKind::Usage, Text(QT_TRANSLATE_NOOP("core", "%1 and %2 are the same server"),
                                                 same->endpoint.display(), one->endpoint.display())};
    }
    return std::nullopt;
}

} // namespace latchkey::voting
