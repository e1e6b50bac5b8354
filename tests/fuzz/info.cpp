#include "core/resp/clusternodes.h"
#include "core/resp/serverinfo.h"
#include "tests/fuzz/target.h"

namespace latchkey::fuzz {

/// A server's name is shown by terminals, whatever INFO says, and the part of a cluster's node is one of its parts.
void fuzzInfo(QByteArrayView bytes)
{
    const QByteArray text = bytes.toByteArray();
    requireShown(resp::ServerInfo::fromInfo(text).display(), "a server's name has no control characters");
    if (const auto part = resp::ClusterPart::fromNodes(resp::Reply::bulk(text)))
        require(part->number >= 1 && part->number <= part->of, "a node's part is one of the parts");
}

} // namespace latchkey::fuzz
