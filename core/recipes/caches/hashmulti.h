#pragma once

#include "core/recipes/caches/recipe.h"

namespace latchkey::caches {

/// A cache that writes the fields of a hash and its lifetime as one transaction.
///
///     write   MULTI
///             HSET key field value …
///             PEXPIRE key milliseconds
///             EXEC                       the four in one pipeline
///     read    HGETALL key                a miss if absent or expired
///
/// A client that dies before EXEC has changed nothing. But EXEC does not stop at a command with the wrong type. On a
/// string, HSET fails and PEXPIRE is still executed, so another program's key gets a new TTL.
class HashMultiCache final : public Cache
{
public:
    /// Returns the catalogue entry.
    [[nodiscard]] static Recipe recipe();

    HashMultiCache(base::Key key, base::Lease lifetime);

    /// Writes the content. A partly executed transaction is an error that states the executed part.
    [[nodiscard]] exchange::Exchange<WriteOutcome> write(Content content) & override;
    [[nodiscard]] exchange::Exchange<Found> read() & override;

private:
    const base::Key m_key;
    const base::Lease m_lifetime;
};

} // namespace latchkey::caches
