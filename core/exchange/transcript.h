#pragma once

#include "core/base/clock.h"
#include "core/exchange/step.h"

#include <functional>

namespace latchkey::exchange {

/// One command and what came back, with the local times around it.
struct TranscriptEntry
{
    Request ask;
    Answer answer;
    base::MonotonicTime sent;
    base::MonotonicTime received;

    /// `SET k v NX PX 5000 → OK`
    [[nodiscard]] QString toText() const;
};

/// Told by a driver about every command that it carried out, in order; empty where nobody listens.
using TranscriptListener = std::function<void(const TranscriptEntry &)>;

} // namespace latchkey::exchange
