#pragma once

#include "core/foundation/base/bytes.h"
#include "core/foundation/base/clock.h"
#include "core/foundation/base/error.h"
#include "core/foundation/base/lease.h"

namespace latchkey::locks {

/// The deadline of a lock, as the timestamp recipes store it: whole Unix seconds, in decimal.
///
/// The deadline is based on the clients' clocks, so these clocks must agree. A value type.
class UnixDeadline final
{
public:
    /// Returns the deadline of a lease that starts now: now + lease + 1, in whole seconds. The additional second
    /// compensates for the truncated fraction of now.
    [[nodiscard]] static UnixDeadline after(base::WallTime now, base::Lease lease);

    /// Parses the content of a lock. Error (WrongType): the content is not a number; the error names the key.
    [[nodiscard]] static base::Result<UnixDeadline> read(const base::Key &key, const QByteArray &value);

    [[nodiscard]] QByteArray toBytes() const { return QByteArray::number(m_seconds); }

    /// Returns the start of the deadline's second, clamped to the years 1970 to 2160.
    [[nodiscard]] base::WallTime time() const;

    /// Returns whether the deadline is before now, in whole seconds. In the second of the deadline, the lock still
    /// belongs to the holder.
    [[nodiscard]] bool hasPassed(base::WallTime now) const;

    friend bool operator==(const UnixDeadline &, const UnixDeadline &) = default;

private:
    explicit UnixDeadline(qint64 seconds)
        : m_seconds(seconds)
    {}

    qint64 m_seconds;
};

} // namespace latchkey::locks
