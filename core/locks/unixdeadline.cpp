#include "core/locks/unixdeadline.h"

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
        return base::failure(base::ErrorKind::WrongType,
                             QStringLiteral("the key \"%1\" holds \"%2\", which is not a deadline in Unix seconds")
                                 .arg(base::printable(key.bytes(), 100), base::printable(value, 100)));
    return UnixDeadline(number);
}

bool UnixDeadline::hasPassed(base::WallTime now) const
{
    return m_seconds < floor<seconds>(now).time_since_epoch().count();
}

} // namespace latchkey::locks
