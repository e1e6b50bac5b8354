#include "core/locks/basic.h"

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

    Acquisition acquired;
    acquired.outcome = AcquireOutcome::Acquired;
    acquired.token = OwnerToken(m_value);
    co_return acquired;
}

Exchange<ReleaseOutcome> BasicLock::release(OwnerToken) &
{
    const Reply reply = co_await del(m_key);
    co_return reply.isInteger(1) ? ReleaseOutcome::Released : ReleaseOutcome::Gone;
}

} // namespace latchkey::locks
