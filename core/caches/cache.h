#pragma once

#include "core/base/bytes.h"
#include "core/caches/content.h"
#include "core/exchange/exchange.h"

namespace latchkey::caches {

enum class WriteOutcome : quint8 {
    Written,
    Exists,    ///< The key was there and was to be written only if it is not; nothing was changed.
    Nothing,   ///< An empty set of fields: nothing was sent.
    Gone,      ///< The key ended, or was deleted, before it got its lifetime; what was written is not there.
    Busy,      ///< Another client is recomputing the value (guarded); nothing was changed.
    GuardLost, ///< The guard's lease ended before the value was stored (guarded); nothing was changed.
};

/// One recipe, applied to one key with its options: how it writes what expires, and how it reads it.
///
/// An outcome that cannot be known (the answer was lost on the way) is an error whose kind
/// base::leavesOutcomeUnknown(). Other errors mean that nothing has changed, except where a recipe's flaw is that it
/// can stop half way: then the message says what was left behind. Reading a key of another type is an error
/// (WrongType). A cache object keeps nothing between calls. Made by the catalogue, owned by the caller; it must outlive
/// the exchanges that it starts, so none starts on a temporary.
class Cache
{
public:
    Cache() = default;
    virtual ~Cache();
    Q_DISABLE_COPY_MOVE(Cache)

    /// Writes the content with the lifetime that the cache was made with. Error Usage: a value where the recipe holds
    /// fields, or the other way round.
    [[nodiscard]] virtual exchange::Exchange<WriteOutcome> write(Content content) & = 0;
    exchange::Exchange<WriteOutcome> write(Content content) && = delete;

    /// The recipe's own commands and no others; how long the content has left is readLifetime()'s.
    [[nodiscard]] virtual exchange::Exchange<Found> read() & = 0;
    exchange::Exchange<Found> read() && = delete;
};

/// How long a key has left.
struct RemainingLifetime
{
    /// Absent: it does not expire, or there is no such key.
    std::optional<std::chrono::milliseconds> left;
    bool exists = false;
};

/// `PTTL key`. Where the key has no lifetime and a hash of these fields was found, `HPTTL`: the first of them to end
/// ends what was found. The key may have changed since it was read.
[[nodiscard]] exchange::Exchange<RemainingLifetime> readLifetime(base::Key key, Fields fields = {});

} // namespace latchkey::caches
