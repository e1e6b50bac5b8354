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
