#include "core/recipes/caches/cache.h"

namespace latchkey::caches {

using exchange::Answer;
using exchange::Exchange;
using resp::pttl;
using resp::Reply;

Cache::~Cache() = default;

Exchange<RemainingLifetime> readLifetime(base::Key key, Fields fields)
{
    const Reply reply = co_await pttl(key);
    RemainingLifetime lifetime;
    lifetime.exists = reply.isInteger() && !reply.isInteger(-2);
    if (reply.toInteger() >= 0)
        lifetime.left = std::chrono::milliseconds(reply.toInteger());
    if (!reply.isInteger(-1) || fields.empty())
        co_return lifetime;
    QList<QByteArray> names;
    for (const Field &field : fields)
        names += field.name;
    const Answer ends = co_await exchange::tentatively(resp::hpttl(key, names));
    for (const Reply &end : ends ? ends->elements() : resp::Replies()) {
        if (const std::chrono::milliseconds left(end.toInteger()); end.isInteger() && left.count() >= 0)
            lifetime.left = std::min(lifetime.left.value_or(left), left);
    }
    co_return lifetime;
}

} // namespace latchkey::caches
