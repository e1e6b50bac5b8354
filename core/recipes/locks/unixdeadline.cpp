#include "core/recipes/locks/unixdeadline.h"

#include <algorithm>

namespace latchkey::locks {

using std::chrono::duration_cast;
using std::chrono::floor;
using std::chrono::seconds;

UnixDeadline UnixDeadline::after(base::WallTime now, base::Lease lease)
{
    const auto end = floor<seconds>(now) + duration_cast<seconds>(lease.duration()) + seconds(1);
    return UnixDeadline(end.time_since_epoch().count());
}

base::Result<UnixDeadline> UnixDeadline::read(const base::Key &key, const QByteArray &value)
{
    bool isNumber = false;
    const qint64 number = value.toLongLong(&isNumber);
    if (!isNumber)
        return base::failure(
            base::ErrorKind::WrongType,
            QT_TRANSLATE_NOOP("core", "the key \"%1\" holds \"%2\", which is not a deadline in Unix seconds"),
            base::printable(key.bytes(), 100), base::printable(value, 100));
    return UnixDeadline(number);
}

base::WallTime UnixDeadline::time() const
{
    constexpr qint64 latest = 6'000'000'000;
    return base::WallTime(seconds(std::clamp<qint64>(m_seconds, 0, latest)));
}

bool UnixDeadline::hasPassed(base::WallTime now) const
{
    return m_seconds < floor<seconds>(now).time_since_epoch().count();
}

} // namespace latchkey::locks
