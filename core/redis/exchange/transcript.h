#pragma once

#include "core/foundation/base/clock.h"
#include "core/redis/exchange/step.h"

#include <functional>

namespace latchkey::exchange {

/// A command and its answer, with the local times of sending and receiving.
struct TranscriptEntry
{
    Request request;
    Answer answer;
    base::MonotonicTime sent; ///< Zero if the command failed without a reply.
    base::MonotonicTime received;

    /// Formats the entry: `SET k v NX PX 5000 → OK`.
    [[nodiscard]] QString toText() const;
};

/// Observer of each command that a LoopDriver has sent, called after its reply or failure; may be empty.
using TranscriptListener = std::function<void(const TranscriptEntry &)>;

} // namespace latchkey::exchange
