#include "core/servers/pastedserver.h"
#include "tests/fuzz/target.h"

namespace latchkey::fuzz {

/// An endpoint that is read from a pasted line has a URL that is read as the same endpoint: no address is lost.
void fuzzPasted(QByteArrayView bytes)
{
    const auto endpoint = servers::endpointFromPasted(QString::fromUtf8(bytes));
    if (!endpoint)
        return;
    const QString url = endpoint->toUrlWithPassword();
    require(!url.isEmpty(), "a pasted address has a URL");
    const auto again = resp::Endpoint::fromUrl(url);
    require(again && *again == *endpoint, "the URL of a pasted address is read as the same endpoint");
    requireShown(endpoint->display(), "display() has no control characters");
}

} // namespace latchkey::fuzz
