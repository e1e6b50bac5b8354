#include "core/redis/resp/clusternodes.h"
#include "core/redis/resp/serverinfo.h"
#include "tests/fuzz/target.h"

namespace latchkey::fuzz {

/// Checks that terminals show every character of a server's name, for any text of INFO. The number of a cluster node's
/// part is between one and the number of parts.
void fuzzInfo(QByteArrayView bytes)
{
    const QByteArray text = bytes.toByteArray();
    requireShown(resp::ServerInfo::fromInfo(text).display(), "a server's name has no control characters");
    if (const auto part = resp::ClusterPart::fromNodes(resp::Reply::bulk(text)))
        require(part->number >= 1 && part->number <= part->of, "a node's part is one of the parts");
}

} // namespace latchkey::fuzz
