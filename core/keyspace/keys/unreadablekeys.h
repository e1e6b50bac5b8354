#pragma once

#include "core/foundation/base/deadline.h"

#include <QByteArray>
#include <QHash>

namespace latchkey::keys {

/// The last known state of a key that the server no longer permits reading.
struct UnreadableKey
{
    base::MonotonicTime lastSeen;                      ///< Last time at which the key was known to exist.
    base::MonotonicTime refusedAt;                     ///< Time of the first refusal.
    base::Deadline deadline = base::Deadline::never(); ///< Last known deadline.

    friend bool operator==(const UnreadableKey &, const UnreadableKey &) = default;
};

/// The keys that were known until the server refused to read them. Such a key is no longer in the store, but has not
/// ended as far as is known.
///
/// Memory is bounded: of very many keys only the first `maxKeys` are recorded. Keys on screen are polled first, so they
/// are among them. Owned by a KeyStore.
class UnreadableKeys final
{
public:
    static constexpr qsizetype maxKeys = 10'000;

    void add(QByteArrayView key, const UnreadableKey &last)
    {
        if (m_keys.size() < maxKeys)
            m_keys.insert(key.toByteArray(), last);
    }
    /// Removes a key that was read again, or that has ended.
    void remove(QByteArrayView key)
    {
        if (!m_keys.isEmpty())
            m_keys.remove(key.toByteArray());
    }
    void clear() { m_keys.clear(); }
    [[nodiscard]] bool isEmpty() const { return m_keys.isEmpty(); }

    /// Returns the last known state of the key. Null if it is readable, unknown, or known to have ended.
    [[nodiscard]] const UnreadableKey *find(const QByteArray &key) const
    {
        const auto found = m_keys.constFind(key);
        return found == m_keys.cend() ? nullptr : &*found;
    }

private:
    QHash<QByteArray, UnreadableKey> m_keys;
};

} // namespace latchkey::keys
