#pragma once

#include "core/foundation/base/clock.h"

#include <QtGlobal>

#include <deque>

namespace latchkey::keys {

/// A counter of ended keys by time, for the last two minutes. Memory is bounded by the time, not by the number of keys.
/// Owned by a KeyStore.
class EndedKeyCounter final
{
public:
    /// Time for which keys are counted.
    static constexpr std::chrono::seconds retention {120};

    /// Counts this number of keys as gone at `when`.
    void add(base::MonotonicTime when, qint64 keys);
    /// Returns the number of keys that have ended since `time`, which is rounded down to a quarter of a second.
    [[nodiscard]] qint64 since(base::MonotonicTime time) const;

private:
    struct Part
    {
        base::MonotonicTime from;
        qint64 keys = 0;
    };

    std::deque<Part> m_parts; ///< In ascending order of time.
};

} // namespace latchkey::keys
