#include "core/recipes/locks/setnx.h"

#include "core/recipes/locks/attempt.h"
#include "core/recipes/locks/basic.h"

namespace latchkey::locks {

using base::OwnerToken;
using exchange::Exchange;
using resp::del;
using resp::Reply;
using resp::setnx;

Recipe SetnxLock::recipe()
{
    Recipe entry = BasicLock::recipe();
    entry.id = QStringLiteral("setnx");
    entry.title = base::Text(QT_TRANSLATE_NOOP("core", "Basic lock, historical form"));
    entry.summary = base::Text(QT_TRANSLATE_NOOP("core", "SETNX: the basic lock from before SET had options."));
    entry.commands = QStringLiteral("SETNX DEL").split(u' ');
    entry.make = [](const LockOptions &options) -> std::unique_ptr<Lock> {
        return std::make_unique<SetnxLock>(options.key, *options.value);
    };
    return entry;
}

SetnxLock::SetnxLock(base::Key key, QByteArray value)
    : m_key(std::move(key))
    , m_value(std::move(value))
{}

Exchange<Acquisition> SetnxLock::acquire() &
{
    const Reply reply = co_await setnx(m_key, m_value);
    if (!reply.isInteger(1))
        co_return Acquisition::busy();
    co_return acquiredWithoutLease(OwnerToken(m_value));
}

Exchange<ReleaseOutcome> SetnxLock::release(OwnerToken) &
{
    const Reply reply = co_await del(m_key);
    co_return reply.isInteger(1) ? ReleaseOutcome::Released : ReleaseOutcome::Gone;
}

} // namespace latchkey::locks
