#include "core/recipes/caches/hashthenexpire.h"

#include "core/recipes/caches/lifetime.h"

namespace latchkey::caches {

using exchange::Answer;
using exchange::Exchange;
using exchange::tentatively;
using resp::expire;
using resp::hgetall;
using resp::Reply;

Recipe HashThenExpireCache::recipe()
{
    Recipe entry;
    entry.id = QStringLiteral("hash-then-expire");
    entry.title = base::Text(QT_TRANSLATE_NOOP("core", "Hash, then its lifetime"));
    entry.summary = base::Text(QT_TRANSLATE_NOOP("core", "HSET, then EXPIRE: hashes have no one command for both."));
    entry.flaw =
        base::Text(QT_TRANSLATE_NOOP("core", "A client that dies between the two leaves fields that never expire."));
    entry.promises = {Promise::ForeignKeySafe, Promise::NoTornRead};
    entry.holdsFields = true;
    entry.needsWholeSeconds = true;
    entry.commands = QStringLiteral("HSET EXPIRE HGETALL PTTL").split(u' ');
    entry.make = [](const CacheOptions &options) -> std::unique_ptr<Cache> {
        return std::make_unique<HashThenExpireCache>(options.key, *options.lifetime);
    };
    return entry;
}

HashThenExpireCache::HashThenExpireCache(base::Key key, base::Lease lifetime)
    : m_key(std::move(key))
    , m_lifetime(lifetime)
{}

Exchange<WriteOutcome> HashThenExpireCache::write(Content content) &
{
    if (fieldsIn(content).empty())
        co_return WriteOutcome::Nothing;
    (void)co_await hsetOf(m_key, content.fields());
    // A client that dies here leaves fields that never expire.
    const Answer expired = co_await tentatively(expire(m_key, m_lifetime));
    co_return gaveLifetime(expired) ? WriteOutcome::Written : WriteOutcome::Gone;
}

Exchange<Found> HashThenExpireCache::read() &
{
    const Reply reply = co_await hgetall(m_key);
    co_return foundFields(reply);
}

} // namespace latchkey::caches
