#pragma once

#include "core/foundation/base/bytes.h"
#include "core/playground/scenarios/extendedttls.h"
#include "core/redis/exchange/exchange.h"

#include <chrono>
#include <map>
#include <optional>
#include <vector>

namespace latchkey::scenarios {

/// Keys of a server at one moment of a story, with their values and TTLs.
struct ServerKeys
{
    struct Key
    {
        base::Key key;
        QByteArray dump;                                  ///< Output of DUMP.
        std::optional<std::chrono::milliseconds> left {}; ///< TTL; absent: none.
    };

    int server = 0;
    std::vector<Key> keys {};
};

/// The keys of servers before steps of a story whose writes a later server fault loses.
///
/// The time of the story passes for these keys too. A value of the player, which sends the requests.
class KeptKeys final
{
public:
    /// `step`: number of the step, from 0.
    void keep(std::size_t step, ServerKeys keys) { m_kept[step] = std::move(keys); }
    /// Returns the keys before the step; no keys if they were not kept.
    [[nodiscard]] ServerKeys before(std::size_t step) const;
    /// Advances the story's time: reduces the TTL of each key, and removes the keys that have expired.
    void advance(std::chrono::milliseconds time);
    /// Removes a key that expires on the server, unless the kept key expires later. Only for a story without times.
    void expire(const base::Key &key, int server, std::chrono::milliseconds left);

private:
    std::map<std::size_t, ServerKeys> m_kept;
};

/// Reads all keys of the server. `extended`: TTLs before their extension.
[[nodiscard]] exchange::Exchange<ServerKeys> readServerKeys(int server,
                                                            std::vector<ExtendedTtls::ExtendedTtl> extended);
/// Replaces all keys of the server. The result is always true.
[[nodiscard]] exchange::Exchange<bool> replaceServerKeys(ServerKeys keys);
/// Deletes all keys of the server that have a TTL. The result is always true.
[[nodiscard]] exchange::Exchange<bool> deleteExpiringKeys(int server);

} // namespace latchkey::scenarios
