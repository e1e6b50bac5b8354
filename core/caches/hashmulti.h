#pragma once

#include "core/caches/recipe.h"

namespace latchkey::caches {

/// Writes the fields of a hash and its lifetime as one transaction.
///
///     write   MULTI
///             HSET key field value …
///             PEXPIRE key milliseconds
///             EXEC                       the four in one pipeline
///     read    HGETALL key                nothing when missing or expired
///
/// A client that dies before EXEC has changed nothing. But EXEC does not stop at a command that is wrong for the key's
/// type: HSET fails on a string, PEXPIRE is carried out all the same, and somebody else's key has a new lifetime.
class HashMultiCache final : public Cache
{
public:
    /// Its entry in the catalogue.
    [[nodiscard]] static Recipe recipe();

    HashMultiCache(base::Key key, base::Lease lifetime);

    /// A transaction that was carried out in part is an error that says which part.
    [[nodiscard]] exchange::Exchange<WriteOutcome> write(Content content) & override;
    [[nodiscard]] exchange::Exchange<Found> read() & override;

private:
    const base::Key m_key;
    const base::Lease m_lifetime;
};

} // namespace latchkey::caches
