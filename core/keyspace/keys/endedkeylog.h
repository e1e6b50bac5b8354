#pragma once

#include "core/foundation/base/deadline.h"
#include "core/keyspace/keys/key.h"

#include <QByteArray>

#include <deque>
#include <optional>
#include <span>

namespace latchkey::keys {

/// The way in which the end of a key became known.
enum class EndSource : quint8 {
    Reported,   ///< The server has reported a change of the key.
    Queried,    ///< A request that was not caused by a report found the key absent.
    OwnCommand, ///< Our own command has removed the key.
    Inferred,   ///< A scan did not return the key.
    Flushed,    ///< The server has reported a flush, and the database was then empty.
    Unseen,     ///< The key was absent after a time in which the server was not observed, such as a restart.
};

/// A key that has ended.
struct EndedKey
{
    enum class Ending : quint8 {
        Expired,
        Removed,
        ExpiredOrRemoved,
        Flushed,
        Unknown, ///< The server was not observed when the key ended.
    };

    QByteArray key;                                    ///< Empty for several keys; see `count`.
    KeyState state = KeyState::Removed;                ///< How it ended; never Live.
    base::Deadline deadline = base::Deadline::never(); ///< Last known deadline.
    base::MonotonicTime lastSeen;                      ///< Time at which the key was last known to exist.
    base::MonotonicTime goneAt;                        ///< Time at which the key was known to be absent.
    EndSource source = EndSource::Queried;
    qint64 count = 1; ///< Number of keys; greater than 1 if many keys ended at once.

    /// Returns the time from the deadline until the end was known, never negative. It is the lateness of a key whose
    /// end was reported, and an upper bound otherwise. Absent for a key that did not reach its deadline.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> late() const;

    [[nodiscard]] Ending ending() const;

    friend bool operator==(const EndedKey &, const EndedKey &) = default;
};

/// The keys of a server that have ended within the last hour.
///
/// Memory is bounded: of very many keys, only the last `maxKeys` are kept, and the record has the time since which it
/// is complete. Owned by a KeyStore, which adds every key, including keys that no view shows.
class EndedKeyLog final
{
public:
    static constexpr std::chrono::minutes retention {60};
    static constexpr std::size_t maxKeys = 50'000;

    void add(EndedKey ended);

    /// Marks the keys that were found removed from `from` to `to` as flushed, except those
    /// that our own commands have removed.
    void markFlushed(base::MonotonicTime from, base::MonotonicTime to);

    /// Returns the number of changes by markFlushed().
    [[nodiscard]] int changes() const { return m_changes; }

    /// Returns the number of all keys that were ever added. The last kept key has the number total() - 1.
    [[nodiscard]] quint64 total() const { return m_total; }
    /// Returns the number of the first kept key.
    [[nodiscard]] quint64 first() const { return m_total - m_ended.size(); }
    /// Returns a kept key by its number, from first() to total() - 1.
    [[nodiscard]] const EndedKey &at(quint64 number) const
    {
        return m_ended[static_cast<std::size_t>(number - first())];
    }
    /// Returns the end of the last key that was dropped because there were too many. Absent if no key of the last hour
    /// was dropped.
    [[nodiscard]] std::optional<base::MonotonicTime> droppedUntil(base::MonotonicTime now) const;

private:
    std::deque<EndedKey> m_ended; ///< In the order in which the ends became known.
    quint64 m_total = 0;
    int m_changes = 0;
    std::optional<base::MonotonicTime> m_droppedUntil;
};

} // namespace latchkey::keys
