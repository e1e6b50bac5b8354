#include "core/caches/setthenexpire.h"

namespace latchkey::caches {

using exchange::Answer;
using exchange::Exchange;
using exchange::tentatively;
using resp::get;
using resp::Reply;
using resp::set;

SetThenExpireCache::SetThenExpireCache(base::Key key, base::Lease lifetime, LifetimeUnit unit)
    : m_key(std::move(key))
    , m_lifetime(lifetime)
    , m_unit(unit)
{}

Exchange<WriteOutcome> SetThenExpireCache::write(Content content) &
{
    (void)co_await set(m_key).to(valueIn(content));
    // Whoever dies here leaves a value that never expires.
    const Answer expired = co_await tentatively(expireIn(m_key, m_lifetime, m_unit));
    co_return gaveLifetime(expired) ? WriteOutcome::Written : WriteOutcome::Gone;
}

Exchange<Found> SetThenExpireCache::read() &
{
    const Reply reply = co_await get(m_key);
    co_return foundValue(reply);
}

} // namespace latchkey::caches
