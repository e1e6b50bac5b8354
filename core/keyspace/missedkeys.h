#pragma once

#include "core/keys/knownkeys.h"
#include "core/keyspace/observation.h"

#include <optional>
#include <vector>

namespace latchkey::keyspace {

class Scanner;

/// What a finished scan has not met: keys that were known before it and were not there all the time, so that the holds
/// that were known of them are over, even if somebody has taken the key again since.
///
/// A few of them are worth asking about. Of many it is said that they have gone, because asking would take long; what
/// has come back the next scan finds. Works a portion at a time. Owned by the Watcher; what is known, scanner and
/// fan-out are not owned.
class MissedKeys final
{
public:
    MissedKeys(const keys::KnownKeys &known, const Scanner &scanner, const FanOut &fanOut);

    /// The scan is over: begins to look for what it has missed.
    void begin(base::MonotonicTime scanEnded);
    void clear();
    /// Whether nothing of the last scan is left to do.
    [[nodiscard]] bool isEmpty() const { return !m_next && m_missed.empty(); }

    /// Looks at the next portion of what is known; true once all of it has been looked at, and only that time.
    [[nodiscard]] bool collect();
    [[nodiscard]] std::size_t count() const { return m_missed.size(); }
    /// What was missed, to be asked about.
    [[nodiscard]] std::vector<keys::KeyId> take() { return std::exchange(m_missed, {}); }
    /// Says of a portion of them that they have gone; true while more are left.
    [[nodiscard]] bool infer();

private:
    const keys::KnownKeys &m_known; // Not owned.
    const Scanner &m_scanner;       // Not owned.
    const FanOut &m_fanOut;         // Not owned.
    std::optional<quint32> m_next;  ///< Up to which id has been looked.
    std::vector<keys::KeyId> m_missed;
    base::MonotonicTime m_scanEnded;
};

} // namespace latchkey::keyspace
