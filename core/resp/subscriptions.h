#pragma once

#include "core/resp/command.h"

#include <vector>

namespace latchkey::resp {

/// What one connection is subscribed to, as the server keeps it.
///
/// SUBSCRIBE and its kind are answered once for each channel, which no other command is. So whoever counts replies
/// sends them singly(), and takes the answers together for the reply. A value; it sends nothing, see Subscription for
/// that.
struct Subscriptions
{
    std::vector<QByteArray> channels {}; ///< In order.
    std::vector<QByteArray> patterns {}; ///< Likewise.

    [[nodiscard]] bool isEmpty() const { return channels.empty() && patterns.empty(); }

    /// As commands that are answered once each. UNSUBSCRIBE from everything is one for each channel that there is.
    [[nodiscard]] Commands singly(const Command &command) const;
    /// Once the command has been answered.
    void follow(const Command &command);
    /// What a fresh connection has to send to have the same.
    [[nodiscard]] Commands commands() const;

    friend bool operator==(const Subscriptions &, const Subscriptions &) = default;
    friend size_t qHash(const Subscriptions &subscriptions, size_t seed = 0)
    {
        seed = qHashRange(subscriptions.channels.begin(), subscriptions.channels.end(), seed);
        return qHashRange(subscriptions.patterns.begin(), subscriptions.patterns.end(), seed);
    }
};

/// SUBSCRIBE, UNSUBSCRIBE, PSUBSCRIBE or PUNSUBSCRIBE.
[[nodiscard]] bool changesSubscriptions(const Command &command);

} // namespace latchkey::resp
