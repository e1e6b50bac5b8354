#include "core/caches/cache.h"

namespace latchkey::caches {

using exchange::Exchange;
using resp::pttl;
using resp::Reply;

Cache::~Cache() = default;

Exchange<RemainingLifetime> readLifetime(base::Key key)
{
    const Reply reply = co_await pttl(key);
    RemainingLifetime lifetime;
    lifetime.exists = reply.isInteger() && !reply.isInteger(-2);
    if (reply.toInteger() >= 0)
        lifetime.left = std::chrono::milliseconds(reply.toInteger());
    co_return lifetime;
}

} // namespace latchkey::caches
