#pragma once

#include "core/foundation/base/bytes.h"
#include "core/redis/exchange/exchange.h"
#include "core/redis/resp/command.h"

#include <QSet>
#include <QString>

#include <chrono>
#include <vector>

namespace latchkey::scenarios {

/// Extended TTLs of a story's keys, so that keys expire only at steps of the story. Users read more slowly than leases
/// expire, and the story decides when a key expires.
///
/// Before a client's command, every key has the TTL that it had after the previous command. Between commands, a TTL of
/// at most a day is extended to two days. TTLs are not touched while a client watches keys (WATCH), because EXPIRE
/// would count as a change. A value of the player, which sends the requests.
class ExtendedTtls final
{
public:
    /// A key with an extended TTL.
    struct ExtendedTtl
    {
        base::Key key;
        int server = 0;
        std::chrono::milliseconds left {}; ///< TTL before the extension.
    };

    /// Records the command that the client is about to send.
    void observe(const QString &client, const resp::Command &command);
    /// Forgets a client that is dead or has lost its connection.
    void forget(const QString &client) { m_watching.remove(client); }
    /// Returns whether no TTL may be changed now.
    [[nodiscard]] bool mustNotChangeTtls() const { return !m_watching.isEmpty(); }

    /// Advances the story's time: reduces the TTL of each key.
    void advance(std::chrono::milliseconds time);
    void keep(std::vector<ExtendedTtl> extended) { m_extended = std::move(extended); }
    [[nodiscard]] const std::vector<ExtendedTtl> &extended() const { return m_extended; }

    /// Returns whether a TTL this long is the result of an extension.
    [[nodiscard]] static bool isExtended(std::chrono::milliseconds left);

private:
    QSet<QString> m_watching; ///< Names of clients.
    std::vector<ExtendedTtl> m_extended;
};

/// Extends the TTL of all keys with a TTL of at most a day, and returns the previous TTLs. A key that is still extended
/// keeps its recorded TTL.
[[nodiscard]] exchange::Exchange<std::vector<ExtendedTtls::ExtendedTtl>> extendTtls(
    int servers, std::vector<ExtendedTtls::ExtendedTtl> extended);
/// Restores the previous TTLs. The result is always true.
[[nodiscard]] exchange::Exchange<bool> restoreTtls(std::vector<ExtendedTtls::ExtendedTtl> extended);

} // namespace latchkey::scenarios
