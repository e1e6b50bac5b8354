#include "core/recipes/caches/setthenexpire.h"

namespace latchkey::caches {

using exchange::Answer;
using exchange::Exchange;
using exchange::tentatively;
using resp::get;
using resp::Reply;
using resp::set;

Recipe SetThenExpireCache::recipe()
{
    Recipe entry;
    entry.id = QStringLiteral("set-then-expire");
    entry.title = base::Text(QT_TRANSLATE_NOOP("core", "Value, then its lifetime"));
    entry.summary =
        base::Text(QT_TRANSLATE_NOOP("core", "SET, then EXPIRE or PEXPIRE: two commands for what should be one."));
    entry.flaw =
        base::Text(QT_TRANSLATE_NOOP("core", "A client that dies between the two leaves a value that never expires."));
    entry.promises = {Promise::NoTornRead};
    entry.hasUnit = true;
    entry.commands = QStringLiteral("SET EXPIRE PEXPIRE GET PTTL").split(u' ');
    entry.make = [](const CacheOptions &options) -> std::unique_ptr<Cache> {
        return std::make_unique<SetThenExpireCache>(options.key, *options.lifetime, *options.unit);
    };
    return entry;
}

SetThenExpireCache::SetThenExpireCache(base::Key key, base::Lease lifetime, LifetimeUnit unit)
    : m_key(std::move(key))
    , m_lifetime(lifetime)
    , m_unit(unit)
{}

Exchange<WriteOutcome> SetThenExpireCache::write(Content content) &
{
    (void)co_await set(m_key).to(valueIn(content));
    // A client that dies here leaves a value that never expires.
    const Answer expired = co_await tentatively(expireIn(m_key, m_lifetime, m_unit));
    co_return gaveLifetime(expired) ? WriteOutcome::Written : WriteOutcome::Gone;
}

Exchange<Found> SetThenExpireCache::read() &
{
    const Reply reply = co_await get(m_key);
    co_return foundValue(reply);
}

} // namespace latchkey::caches
