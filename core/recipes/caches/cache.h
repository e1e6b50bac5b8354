#pragma once

#include "core/foundation/base/bytes.h"
#include "core/recipes/caches/content.h"
#include "core/redis/exchange/exchange.h"

namespace latchkey::caches {

/// The result of Cache::write().
enum class WriteOutcome : quint8 {
    Written,
    Exists,    ///< The key exists, and this cache writes only absent keys; nothing was changed.
    Nothing,   ///< The content is an empty set of fields; nothing was sent.
    Gone,      ///< The key expired or was deleted before it got its TTL; it does not have the content.
    Busy,      ///< Another client is recomputing the value (guarded); nothing was changed.
    GuardLost, ///< The guard's lease ended before the value was stored (guarded); nothing was changed.
};

/// A recipe applied to one key, with its options: it writes and reads expiring content.
///
/// An unknown outcome (the reply was lost) is an error with base::leavesOutcomeUnknown(). After any other error,
/// nothing has changed, unless a partial write is the flaw of the recipe. The message then states the written part.
/// Reading a key of another type is an error (WrongType). A cache object keeps no state between calls. Created by the
/// catalogue, owned by the caller. A cache must outlive its exchanges, so no exchange can start on a temporary.
class Cache
{
public:
    Cache() = default;
    virtual ~Cache();
    Q_DISABLE_COPY_MOVE(Cache)

    /// Writes the content with the lifetime of this cache. Error (Usage): a value for a recipe with fields, or fields
    /// for a recipe with a value.
    [[nodiscard]] virtual exchange::Exchange<WriteOutcome> write(Content content) & = 0;
    exchange::Exchange<WriteOutcome> write(Content content) && = delete;

    /// Reads with the recipe's own commands only. readLifetime() reads the remaining lifetime.
    [[nodiscard]] virtual exchange::Exchange<Found> read() & = 0;
    exchange::Exchange<Found> read() && = delete;
};

/// The result of readLifetime().
struct RemainingLifetime
{
    /// Time left of the key, or of the first of its fields to expire. Absent: none of them expires, or the key does not
    /// exist.
    std::optional<std::chrono::milliseconds> left;
    bool exists = false;
};

/// Reads the remaining lifetime by `PTTL key`. If the key has no TTL and `fields` is not empty, reads the earliest
/// expiry of these fields by `HPTTL`, if the server permits it. `fields`: as found by read(); the key may have changed
/// since then.
[[nodiscard]] exchange::Exchange<RemainingLifetime> readLifetime(base::Key key, Fields fields = {});

} // namespace latchkey::caches
