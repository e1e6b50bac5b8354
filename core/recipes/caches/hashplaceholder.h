#pragma once

#include "core/recipes/caches/recipe.h"

namespace latchkey::caches {

/// A cache that creates the hash with a placeholder, gives it a lifetime, and only then adds the data. (Flawed.)
///
///     write   HSET key placeholder placeholder
///             EXPIRE key seconds
///             HSET key field value …           only if EXPIRE replied 1
///             HDEL key placeholder             always, also after an error
///     read    HGETALL key                      a leftover placeholder is not returned,
///             HDEL key placeholder             and is removed
///
/// A client that dies between the steps leaves no data without a TTL, but possibly a key without a TTL that has only
/// the placeholder. The flaw: HSET creates an absent key. The key may expire between the steps, or a reader may empty
/// it by removing the placeholder before the data arrives. The HSET of the data then recreates the key without a TTL,
/// although no client died.
class HashPlaceholderCache final : public Cache
{
public:
    /// Returns the catalogue entry.
    [[nodiscard]] static Recipe recipe();

    /// Returns the name and value of the placeholder's field. Data must not contain either, because readers would treat
    /// it as the placeholder.
    [[nodiscard]] static const QByteArray &placeholder();

    /// `lifetime`: whole seconds.
    HashPlaceholderCache(base::Key key, base::Lease lifetime);

    /// Writes the content. Error (Usage): a field or a value equals the placeholder.
    [[nodiscard]] exchange::Exchange<WriteOutcome> write(Content content) & override;
    [[nodiscard]] exchange::Exchange<Found> read() & override;

private:
    /// Performs all steps except the clean-up. Returns whether the key got its TTL, and so the data was written.
    [[nodiscard]] exchange::Exchange<bool> fill(Fields fields) &;

    const base::Key m_key;
    const base::Lease m_lifetime;
};

} // namespace latchkey::caches
