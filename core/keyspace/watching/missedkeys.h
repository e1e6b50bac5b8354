#pragma once

#include "core/keyspace/events/observation.h"
#include "core/keyspace/keys/knownkeys.h"

#include <optional>
#include <vector>

namespace latchkey::watching {

class Scanner;

/// The known keys that a finished scan has not returned. Each of them was absent at some time during the scan, so any
/// hold known before has ended.
///
/// A few of these keys are queried. Many are reported as gone without a request, because requests would take long; the
/// next scan finds keys that exist again. Works in portions. Owned by the ServerWatcher; known keys, scanner and
/// dispatcher are not owned.
class MissedKeys final
{
public:
    MissedKeys(const keys::KnownKeys &known, const Scanner &scanner, const events::ObservationDispatcher &dispatcher);

    /// Starts the search for the known keys that the finished scan has not returned.
    void begin(base::MonotonicTime scanEnded);
    void clear();
    /// Returns whether all missed keys of the last scan have been processed.
    [[nodiscard]] bool isEmpty() const { return !m_next && m_missed.empty(); }

    /// Checks the next portion of the known keys. Returns true only in the call that reaches the end of the table.
    [[nodiscard]] bool collect();
    [[nodiscard]] std::size_t count() const { return m_missed.size(); }
    /// Removes and returns the missed keys, which the caller queries.
    [[nodiscard]] std::vector<keys::KeyId> take() { return std::exchange(m_missed, {}); }
    /// Reports a portion of the missed keys as gone. Returns true while more are left.
    [[nodiscard]] bool infer();

private:
    const keys::KnownKeys &m_known;                    // Not owned.
    const Scanner &m_scanner;                          // Not owned.
    const events::ObservationDispatcher &m_dispatcher; // Not owned.
    std::optional<quint32> m_next;                     ///< First id not examined yet.
    std::vector<keys::KeyId> m_missed;
    base::MonotonicTime m_scanEnded;
};

} // namespace latchkey::watching
