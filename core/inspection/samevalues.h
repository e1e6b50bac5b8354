#pragma once

#include "core/keys/rawvalue.h"

#include <QHash>
#include <QSet>

namespace latchkey::inspection {

/// Which keys hold the same short string, such as the token of one owner.
///
/// Owned by a LockFinder, which tells it what each key holds.
class SameValues final
{
public:
    /// Nothing where the value is no string, or too long for a token.
    void add(const QByteArray &key, const keys::RawValue &value);
    /// value: what it was added with.
    void remove(const QByteArray &key, const keys::RawValue &value);
    void clear() { m_keys.clear(); }

    /// Other keys with this value: at most twenty, which say all that can be said of it.
    [[nodiscard]] QByteArrayList others(const QByteArray &key, const keys::RawValue &value) const;

private:
    QHash<QByteArray, QSet<QByteArray>> m_keys; ///< By value.
};

} // namespace latchkey::inspection
