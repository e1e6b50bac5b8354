#include "core/caches/hashlua.h"

namespace latchkey::caches {

using exchange::Exchange;
using exchange::Script;
using resp::hgetall;
using resp::Reply;

namespace {

const Script &hashWithLifetime()
{
    static const Script script(QStringLiteral("hash-with-lifetime"));
    return script;
}

} // namespace

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
    (void)co_await hashWithLifetime().on(m_key).with(m_lifetime.duration().count()).with(wordsOf(content.fields()));
    co_return WriteOutcome::Written;
}

Exchange<Found> HashLuaCache::read() &
{
    const Reply reply = co_await hgetall(m_key);
    co_return foundFields(reply);
}

} // namespace latchkey::caches
