#include "core/recipes/caches/setex.h"

namespace latchkey::caches {

using exchange::Exchange;
using resp::Command;
using resp::get;
using resp::psetex;
using resp::Reply;
using resp::setex;

Recipe SetexCache::recipe()
{
    Recipe entry;
    entry.id = QStringLiteral("setex");
    entry.title = base::Text(QT_TRANSLATE_NOOP("core", "Value with its lifetime, the older way"));
    entry.summary = base::Text(
        QT_TRANSLATE_NOOP("core", "SETEX or PSETEX: value and lifetime in one command, before SET had options."));
    entry.promises = {Promise::NoImmortalData, Promise::NoImmortalKey, Promise::NoTornRead};
    entry.hasUnit = true;
    entry.commands = QStringLiteral("SETEX PSETEX GET PTTL").split(u' ');
    entry.make = [](const CacheOptions &options) -> std::unique_ptr<Cache> {
        return std::make_unique<SetexCache>(options.key, *options.lifetime, *options.unit);
    };
    return entry;
}

SetexCache::SetexCache(base::Key key, base::Lease lifetime, LifetimeUnit unit)
    : m_key(std::move(key))
    , m_lifetime(lifetime)
    , m_unit(unit)
{}

Exchange<WriteOutcome> SetexCache::write(Content content) &
{
    Command command = m_unit == LifetimeUnit::Seconds ? setex(m_key, m_lifetime, valueIn(content))
                                                      : psetex(m_key, m_lifetime, valueIn(content));
    (void)co_await std::move(command);
    co_return WriteOutcome::Written;
}

Exchange<Found> SetexCache::read() &
{
    const Reply reply = co_await get(m_key);
    co_return foundValue(reply);
}

} // namespace latchkey::caches
