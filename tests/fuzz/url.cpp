#include "core/redis/net/endpoint.h"
#include "tests/fuzz/target.h"

namespace latchkey::fuzz {

/// Checks that the URL of an endpoint is read as the same endpoint. Terminals show every character of the display text.
void fuzzUrl(QByteArrayView bytes)
{
    const auto endpoint = net::Endpoint::fromUrl(QString::fromUtf8(bytes));
    if (!endpoint)
        return;
    const auto again = net::Endpoint::fromUrl(endpoint->toUrlWithPassword());
    require(again && *again == *endpoint, "toUrlWithPassword() is read as the same endpoint");
    const auto open = net::Endpoint::fromUrl(endpoint->toUrl());
    require(open.has_value(), "toUrl() is a URL");
    require(open->password.isEmpty() && (!open->sentinels || open->sentinels->password.isEmpty()),
            "toUrl() has no password");
    require(open->sentinels.has_value() == endpoint->sentinels.has_value()
                && (!open->sentinels
                    || (open->sentinels->master == endpoint->sentinels->master
                        && open->sentinels->others == endpoint->sentinels->others)),
            "toUrl() asks the same sentinels");
    require(open->target() == endpoint->target() && open->user == endpoint->user
                && open->database == endpoint->database,
            "toUrl() leads to the same server");
    requireShown(endpoint->display(), "display() has no control characters");
}

} // namespace latchkey::fuzz
