#include "core/recipes/locks/luasetnxexpire.h"

#include "core/recipes/locks/attempt.h"
#include "core/recipes/locks/autorelease.h"

namespace latchkey::locks {

using base::OwnerToken;
using exchange::Exchange;
using exchange::Instant;
using exchange::now;
using exchange::Script;
using resp::del;
using resp::Reply;

namespace {

const Script &setnxExpire()
{
    static const Script script(QStringLiteral("setnx-expire"));
    return script;
}

} // namespace

Recipe LuaSetnxExpireLock::recipe()
{
    Recipe entry;
    entry.id = QStringLiteral("lua-setnx-expire");
    entry.title = base::Text(QT_TRANSLATE_NOOP("core", "SETNX and EXPIRE in a script"));
    entry.summary = base::Text(
        QT_TRANSLATE_NOOP("core", "One script: SETNX, and the expiry only if it won; before Redis 2.6.12 the way to "
                                  "give a lock its lease."));
    entry.flaw = AutoReleaseLock::recipe().flaw;
    entry.promises = AutoReleaseLock::recipe().promises;
    entry.hasLease = true;
    entry.commands = QStringLiteral("EVALSHA EVAL SETNX PEXPIRE DEL").split(u' ');
    entry.make = [](const LockOptions &options) -> std::unique_ptr<Lock> {
        return std::make_unique<LuaSetnxExpireLock>(options.key, *options.value, *options.lease);
    };
    return entry;
}

LuaSetnxExpireLock::LuaSetnxExpireLock(base::Key key, QByteArray value, base::Lease lease)
    : m_key(std::move(key))
    , m_value(std::move(value))
    , m_lease(lease)
{}

Exchange<Acquisition> LuaSetnxExpireLock::acquire() &
{
    const Instant before = co_await now();
    const Reply won = co_await setnxExpire().on(m_key).with(m_value).with(m_lease.duration().count());
    if (!won.isInteger(1))
        co_return Acquisition::busy();
    const Instant after = co_await now();
    co_return acquiredFor(m_lease, OwnerToken(m_value), before.monotonic, after.monotonic);
}

Exchange<ReleaseOutcome> LuaSetnxExpireLock::release(OwnerToken) &
{
    const Reply reply = co_await del(m_key);
    co_return reply.isInteger(1) ? ReleaseOutcome::Released : ReleaseOutcome::Gone;
}

} // namespace latchkey::locks
