#pragma once

#include "core/redis/resp/command.h"

#include <QHash>

namespace latchkey::budget {

/// A number of commands, and the time that the server needs for them.
struct CommandCost
{
    double commands = 0;
    double microseconds = 0;

    CommandCost &operator+=(const CommandCost &other);
    friend CommandCost operator-(const CommandCost &a, const CommandCost &b);
};

/// Estimates of the server's time for each command, learned from INFO commandstats.
///
/// Before the first answer, and for a command that the server has not executed, the estimate is a conservative
/// constant. The server's averages include the calls of other clients, because the server does not report each client.
/// The averages exclude the time for reading requests and writing replies, so a constant is added for each. Pure. Owned
/// by the ServerWatcher, or by KeyListing.
class CommandCosts final
{
public:
    /// Forgets the server's answers, because the connection was replaced.
    void forget();
    /// Learns from a reply to INFO commandstats. A reply without statistics is treated as a refusal.
    void learn(const QByteArray &commandStats);
    /// Forgets the server's answers, because the server denies INFO.
    void refuse() { forget(); }
    /// Returns whether the server reports the time of its commands.
    [[nodiscard]] bool areKnown() const { return m_areKnown; }

    /// Returns the estimate for one command of a pipeline, in microseconds.
    [[nodiscard]] double estimate(const resp::Command &command) const;
    [[nodiscard]] double estimate(const QByteArray &name, const QByteArray &subcommand = {}) const;
    /// Returns the estimate for one request.
    [[nodiscard]] CommandCost estimate(const resp::Commands &request) const;

private:
    struct Entry
    {
        double microseconds = 0; ///< Estimate of one call.
        quint64 calls = 0;       ///< Number of calls until the last answer.
        quint64 usec = 0;        ///< Total time of these calls, in microseconds.
    };
    void learn(const QByteArray &name, quint64 calls, quint64 usec);

    QHash<QByteArray, Entry> m_entries; ///< By name as in INFO: `pttl`, `memory|usage`.
    bool m_areKnown = false;
};

} // namespace latchkey::budget
