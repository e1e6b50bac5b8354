#include "core/recipes/locks/basic.h"

#include "core/recipes/locks/attempt.h"

namespace latchkey::locks {

using base::OwnerToken;
using exchange::Exchange;
using resp::del;
using resp::Reply;
using resp::set;

Recipe BasicLock::recipe()
{
    Recipe entry;
    entry.id = QStringLiteral("basic");
    entry.title = base::Text(QT_TRANSLATE_NOOP("core", "Basic lock"));
    entry.summary =
        base::Text(QT_TRANSLATE_NOOP("core", "SET with NX: exactly one client wins, and DEL frees the lock."));
    entry.flaw = base::Text(QT_TRANSLATE_NOOP("core", "A holder that dies keeps the lock for ever."));
    entry.promises = {Promise::MutualExclusion, Promise::OwnerOnlyRelease, Promise::ContenderNeutral,
                      Promise::ClockFree};
    entry.commands = QStringLiteral("SET DEL").split(u' ');
    entry.make = [](const LockOptions &options) -> std::unique_ptr<Lock> {
        return std::make_unique<BasicLock>(options.key, *options.value);
    };
    return entry;
}

BasicLock::BasicLock(base::Key key, QByteArray value)
    : m_key(std::move(key))
    , m_value(std::move(value))
{}

Exchange<Acquisition> BasicLock::acquire() &
{
    const Reply reply = co_await set(m_key).to(m_value).ifAbsent();
    if (!hasWritten(reply))
        co_return Acquisition::busy();
    co_return acquiredWithoutLease(OwnerToken(m_value));
}

Exchange<ReleaseOutcome> BasicLock::release(OwnerToken) &
{
    const Reply reply = co_await del(m_key);
    co_return reply.isInteger(1) ? ReleaseOutcome::Released : ReleaseOutcome::Gone;
}

} // namespace latchkey::locks
