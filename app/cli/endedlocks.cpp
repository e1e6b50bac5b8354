#include "app/cli/endedlocks.h"

#include <algorithm>

namespace latchkey::cli {

using events::KeyEvent;
using namespace std::chrono_literals;

void EndedLocks::add(const QByteArray &key, base::MonotonicTime notBefore, base::MonotonicTime notAfter)
{
    constexpr qsizetype maxRemembered = 100'000;
    if (m_ended.size() >= maxRemembered)
        m_ended.clear();
    m_ended.insert(key, {notBefore, notAfter});
}

bool EndedLocks::hasEndedSince(const QByteArray &key, base::MonotonicTime time) const
{
    const auto former = m_ended.constFind(key);
    return former != m_ended.cend() && former->second >= time;
}

bool EndedLocks::makeStart(KeyEvent &event, std::chrono::nanoseconds unread) const
{
    const auto former = m_ended.constFind(event.key);
    if (former != m_ended.cend() && event.notAfter <= former->first)
        return false; // The ended hold existed later.
    if (event.type != KeyEvent::Type::Appeared) {
        if (hasEndedSince(event.key, event.notAfter))
            return false;
        event.type = KeyEvent::Type::Appeared;
        event.isInferred = true;
    }
    if (unread > 0ns) {
        event.notBefore -= unread;
        event.firstNotification.reset(); // It may be that of a migration.
    }
    if (former != m_ended.cend())
        event.notBefore = std::min(std::max(event.notBefore, former->first), event.notAfter);
    return true;
}

} // namespace latchkey::cli
