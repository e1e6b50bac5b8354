#include "core/recipes/caches/setwithex.h"

namespace latchkey::caches {

using exchange::Exchange;
using resp::Command;
using resp::get;
using resp::Reply;
using resp::set;
using resp::SetCommand;

Recipe SetWithExCache::recipe()
{
    Recipe entry;
    entry.id = QStringLiteral("set-ex");
    entry.title = base::Text(QT_TRANSLATE_NOOP("core", "Value with its lifetime"));
    entry.summary =
        base::Text(QT_TRANSLATE_NOOP("core", "SET with EX or PX: value and lifetime are set together or not at all."));
    entry.promises = {Promise::NoImmortalData, Promise::NoImmortalKey, Promise::NoTornRead};
    entry.hasUnit = true;
    entry.canWriteIfAbsent = true;
    entry.commands = QStringLiteral("SET GET PTTL").split(u' ');
    entry.make = [](const CacheOptions &options) -> std::unique_ptr<Cache> {
        return std::make_unique<SetWithExCache>(options.key, *options.lifetime, *options.unit, options.onlyIfAbsent);
    };
    return entry;
}

SetWithExCache::SetWithExCache(base::Key key, base::Lease lifetime, LifetimeUnit unit, bool onlyIfAbsent)
    : m_key(std::move(key))
    , m_lifetime(lifetime)
    , m_unit(unit)
    , m_onlyIfAbsent(onlyIfAbsent)
{}

Exchange<WriteOutcome> SetWithExCache::write(Content content) &
{
    const Reply reply = co_await command(valueIn(content));
    co_return reply.isOk() ? WriteOutcome::Written : WriteOutcome::Exists;
}

Exchange<Found> SetWithExCache::read() &
{
    const Reply reply = co_await get(m_key);
    co_return foundValue(reply);
}

Command SetWithExCache::command(const QByteArray &value) const
{
    SetCommand command = m_onlyIfAbsent ? set(m_key).to(value).ifAbsent() : set(m_key).to(value);
    return m_unit == LifetimeUnit::Seconds ? std::move(command).expiringInSeconds(m_lifetime)
                                           : std::move(command).expiringIn(m_lifetime);
}

} // namespace latchkey::caches
