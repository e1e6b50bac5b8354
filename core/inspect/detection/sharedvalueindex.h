#pragma once

#include "core/keyspace/keys/rawvalue.h"

#include <QHash>
#include <QSet>

namespace latchkey::detection {

/// An index of the keys that hold the same short string, such as the token of one holder.
///
/// Owned by the LockCandidates, which add the value of each candidate.
class SharedValueIndex final
{
public:
    /// Adds a key. A value that is not a string, or is too long for a token, is ignored.
    void add(const QByteArray &key, const keys::RawValue &value);
    /// Removes a key. `value`: the value with which the key was added.
    void remove(const QByteArray &key, const keys::RawValue &value);
    void clear() { m_keys.clear(); }

    /// Returns other keys with this value: at most twenty.
    [[nodiscard]] QByteArrayList others(const QByteArray &key, const keys::RawValue &value) const;

private:
    QHash<QByteArray, QSet<QByteArray>> m_keys; ///< Keys by value.
};

} // namespace latchkey::detection
