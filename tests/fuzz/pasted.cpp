#include "core/redis/connections/pastedserver.h"
#include "tests/fuzz/target.h"

namespace latchkey::fuzz {

/// Checks that an endpoint from a pasted line has a URL that is read as the same endpoint. No address is lost.
void fuzzPasted(QByteArrayView bytes)
{
    const auto endpoint = connections::parsePastedServer(QString::fromUtf8(bytes));
    if (!endpoint)
        return;
    const QString url = endpoint->toUrlWithPassword();
    require(!url.isEmpty(), "a pasted address has a URL");
    const auto again = net::Endpoint::fromUrl(url);
    require(again && *again == *endpoint, "the URL of a pasted address is read as the same endpoint");
    requireShown(endpoint->display(), "display() has no control characters");
}

} // namespace latchkey::fuzz
