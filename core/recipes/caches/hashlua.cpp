#include "core/recipes/caches/hashlua.h"

namespace latchkey::caches {

using exchange::Exchange;
using exchange::Script;
using resp::hgetall;
using resp::Reply;

exchange::ScriptCall hashWithLifetime(const base::Key &key, base::Lease lifetime, const Fields &fields)
{
    static const Script script(QStringLiteral("hash-with-lifetime"));
    return script.on(key).with(static_cast<qint64>(lifetime.duration().count())).with(wordsOf(fields));
}

Recipe HashLuaCache::recipe()
{
    Recipe entry;
    entry.id = QStringLiteral("hash-lua");
    entry.title = base::Text(QT_TRANSLATE_NOOP("core", "Hash with its lifetime, by script"));
    entry.summary = base::Text(QT_TRANSLATE_NOOP(
        "core", "One script does HSET and PEXPIRE; on a key of another type it fails and changes nothing."));
    entry.promises = {Promise::NoImmortalData, Promise::NoImmortalKey, Promise::ForeignKeySafe, Promise::NoTornRead};
    entry.holdsFields = true;
    entry.commands = QStringLiteral("EVALSHA EVAL HSET PEXPIRE HGETALL PTTL").split(u' ');
    entry.make = [](const CacheOptions &options) -> std::unique_ptr<Cache> {
        return std::make_unique<HashLuaCache>(options.key, *options.lifetime);
    };
    return entry;
}

HashLuaCache::HashLuaCache(base::Key key, base::Lease lifetime)
    : m_key(std::move(key))
    , m_lifetime(lifetime)
{}

Exchange<WriteOutcome> HashLuaCache::write(Content content) &
{
    if (fieldsIn(content).empty())
        co_return WriteOutcome::Nothing;
    (void)co_await hashWithLifetime(m_key, m_lifetime, content.fields());
    co_return WriteOutcome::Written;
}

Exchange<Found> HashLuaCache::read() &
{
    const Reply reply = co_await hgetall(m_key);
    co_return foundFields(reply);
}

} // namespace latchkey::caches
