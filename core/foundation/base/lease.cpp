#include "core/foundation/base/lease.h"

#include "core/foundation/base/duration.h"

namespace latchkey::base {

using namespace std::chrono_literals;

Result<Lease> Lease::of(std::chrono::milliseconds duration)
{
    if (duration <= 0ms)
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "a lease must be longer than zero, not %1"),
                       formatDuration(duration));
    if (duration > std::chrono::years(100))
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "a lease of %1 is longer than a hundred years"),
                       formatDuration(duration));
    return Lease(duration);
}

std::chrono::milliseconds Lease::drift() const
{
    return m_duration / 100 + 2ms;
}

MonotonicTime Lease::validUntil(MonotonicTime sent) const
{
    return sent + m_duration - drift();
}

} // namespace latchkey::base
