#pragma once

#include "core/foundation/base/clock.h"
#include "core/redis/exchange/step.h"

#include <functional>

namespace latchkey::exchange {

/// A command and its answer, with the local times before and after.
struct TranscriptEntry
{
    Request ask;
    Answer answer;
    base::MonotonicTime sent;
    base::MonotonicTime received;

    /// Formats the entry: `SET k v NX PX 5000 → OK`.
    [[nodiscard]] QString toText() const;
};

/// Observer of every command that a driver executes, in order; may be empty.
using TranscriptListener = std::function<void(const TranscriptEntry &)>;

} // namespace latchkey::exchange
