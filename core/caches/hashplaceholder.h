#pragma once

#include "core/caches/recipe.h"

namespace latchkey::caches {

/// Makes the hash with a placeholder in it, gives that a lifetime, and only then adds the data. (Flawed.)
///
///     write   HSET key placeholder placeholder
///             EXPIRE key seconds
///             HSET key field value …           only if that worked
///             HDEL key placeholder             in any case
///     read    HGETALL key                      a leftover placeholder is not part of the answer,
///             HDEL key placeholder             and is removed
///
/// A client that dies on the way leaves no data without a lifetime, though it may leave an empty key without one. But
/// HSET makes a key that is not there: where the key expires between the steps, or a reader empties it by removing the
/// placeholder before the data is there, the data's HSET brings it back without a lifetime, and nobody had to die.
class HashPlaceholderCache final : public Cache
{
public:
    /// Its entry in the catalogue.
    [[nodiscard]] static Recipe recipe();

    /// The placeholder's field, and its value. Data may have neither: readers would take it for the placeholder.
    [[nodiscard]] static const QByteArray &placeholder();

    /// lifetime: whole seconds.
    HashPlaceholderCache(base::Key key, base::Lease lifetime);

    /// Error Usage: a field or a value that is the placeholder.
    [[nodiscard]] exchange::Exchange<WriteOutcome> write(Content content) & override;
    [[nodiscard]] exchange::Exchange<Found> read() & override;

private:
    /// Everything but the tidying up; whether the key had its lifetime, and so the data was written.
    [[nodiscard]] exchange::Exchange<bool> fill(Fields fields) &;

    const base::Key m_key;
    const base::Lease m_lifetime;
};

} // namespace latchkey::caches
