#include "core/locks/basic.h"

#include "core/locks/attempt.h"

namespace latchkey::locks {

using base::OwnerToken;
using exchange::Exchange;
using resp::del;
using resp::Reply;
using resp::set;

BasicLock::BasicLock(base::Key key, QByteArray value)
    : m_key(std::move(key))
    , m_value(std::move(value))
{}

Exchange<Acquisition> BasicLock::acquire() &
{
    const Reply reply = co_await set(m_key).to(m_value).ifAbsent();
    if (!reply.isOk())
        co_return Acquisition::busy();
    co_return acquiredForGood(OwnerToken(m_value));
}

Exchange<ReleaseOutcome> BasicLock::release(OwnerToken) &
{
    const Reply reply = co_await del(m_key);
    co_return reply.isInteger(1) ? ReleaseOutcome::Released : ReleaseOutcome::Gone;
}

} // namespace latchkey::locks
