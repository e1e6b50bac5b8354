#pragma once

#include "core/redis/resp/command.h"

#include <vector>

namespace latchkey::schedules {

/// The subscriptions of one connection, as the server keeps them.
///
/// Unlike other commands, SUBSCRIBE and its variants are answered once per channel or pattern. Code that expects one
/// reply per command therefore sends the parts from singly(), and treats their replies together as one reply. A value
/// type, which sends nothing; see net::Subscription.
struct Subscriptions
{
    std::vector<QByteArray> channels {}; ///< In ascending order.
    std::vector<QByteArray> patterns {}; ///< In ascending order.

    [[nodiscard]] bool isEmpty() const { return channels.empty() && patterns.empty(); }

    /// Divides a command that changes subscriptions into commands that are answered once each. UNSUBSCRIBE without
    /// arguments becomes one command for each subscribed channel.
    [[nodiscard]] resp::Commands singly(const resp::Command &command) const;
    /// Updates the subscriptions after the command was answered.
    void apply(const resp::Command &command);
    /// Returns the commands that give a new connection the same subscriptions.
    [[nodiscard]] resp::Commands commands() const;

    friend bool operator==(const Subscriptions &, const Subscriptions &) = default;
    friend size_t qHash(const Subscriptions &subscriptions, size_t seed = 0)
    {
        seed = qHashRange(subscriptions.channels.begin(), subscriptions.channels.end(), seed);
        return qHashRange(subscriptions.patterns.begin(), subscriptions.patterns.end(), seed);
    }
};

/// Returns whether the command is SUBSCRIBE, UNSUBSCRIBE, PSUBSCRIBE or PUNSUBSCRIBE.
[[nodiscard]] bool changesSubscriptions(const resp::Command &command);

} // namespace latchkey::schedules
