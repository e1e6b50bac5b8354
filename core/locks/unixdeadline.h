#pragma once

#include "core/base/bytes.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/lease.h"

namespace latchkey::locks {

/// When a lock ends, as the timestamp recipes write it into the lock: whole Unix seconds, in decimal.
///
/// The clocks are the clients' own, so it means the same to all of them only as far as their clocks agree.
/// A value type.
class UnixDeadline final
{
public:
    /// Of a lease that starts now: now + lease + 1, in whole seconds. The one more makes up for the fraction of a
    /// second that now lost.
    [[nodiscard]] static UnixDeadline after(base::WallTime now, base::Lease lease);

    /// What the lock holds. Error (WrongType) where that is not a number; it names the key.
    [[nodiscard]] static base::Result<UnixDeadline> read(const base::Key &key, const QByteArray &value);

    [[nodiscard]] QByteArray toBytes() const { return QByteArray::number(m_seconds); }

    /// The beginning of the second in which it ends; no earlier than 1970 and no later than 2160.
    [[nodiscard]] base::WallTime time() const;

    /// Past is what is smaller than now, in whole seconds: the second in which it ends still belongs to the holder.
    [[nodiscard]] bool hasPassed(base::WallTime now) const;

    friend bool operator==(const UnixDeadline &, const UnixDeadline &) = default;

private:
    explicit UnixDeadline(qint64 seconds)
        : m_seconds(seconds)
    {}

    qint64 m_seconds;
};

} // namespace latchkey::locks
