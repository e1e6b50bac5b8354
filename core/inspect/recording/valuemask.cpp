#include "core/inspect/recording/valuemask.h"

#include <QCryptographicHash>
#include <QMessageAuthenticationCode>

namespace latchkey::recording {

using recognition::Holder;
using recognition::Waiter;

namespace {

/// Length of a shown digest in bytes: short enough to read, long enough to avoid equal digests of different values.
constexpr qsizetype shownBytes = 8;

} // namespace

ValueMask::ValueMask(base::RandomSource &random)
    : m_secret(random.freshToken().bytes() + random.freshToken().bytes())
{}

QByteArray ValueMask::digest(const QByteArray &bytes) const
{
    return '#'
         + QMessageAuthenticationCode::hash(bytes, m_secret, QCryptographicHash::Sha256).first(shownBytes).toHex();
}

keys::RawValue ValueMask::masked(const keys::RawValue &value) const
{
    keys::RawValue masked = value;
    masked.isLeftOut = true;
    for (QByteArray &part : masked.parts)
        part = digest(part);
    return masked;
}

keys::FieldDeadlines ValueMask::masked(const keys::FieldDeadlines &ends) const
{
    keys::FieldDeadlines masked = ends;
    for (keys::FieldDeadlines::Field &field : masked.first)
        field.name = digest(field.name);
    return masked;
}

recognition::Recognition ValueMask::masked(recognition::Recognition recognition) const
{
    for (Holder &holder : recognition.decoded.holders) {
        Holder masked;
        masked.bytes = digest(holder.bytes);
        masked.access = holder.access;
        masked.count = holder.count;
        masked.since = holder.since;
        masked.until = holder.until;
        holder = std::move(masked);
    }
    for (Waiter &waiter : recognition.decoded.waiters)
        waiter.bytes = digest(waiter.bytes);
    recognition.requests.clear();
    return recognition;
}

} // namespace latchkey::recording
