#pragma once

#include "core/keys/keytable.h"

#include <QSet>

#include <vector>

namespace latchkey::keyspace {

/// Which keys are worth asking about now.
///
/// What is near its end is followed closely, what is far from it seldom, what somebody looks at more often, and a key
/// whose time is up until the server says that it is gone. How often adapts to how many keys there are: few are all
/// asked within a second.
/// Pure: it looks at the table and the time and sends nothing. Owned by the Watcher; the table is not owned.
class PollPlan final
{
public:
    explicit PollPlan(const keys::KeyTable &table);

    /// What the plan reckons with; see CommandBudget.
    void setCommandsPerSecond(int commands) { m_perSecond = commands; }
    /// The keys on screen.
    void setAttention(std::vector<keys::KeyId> ids) { m_attention = std::move(ids); }
    /// A key that has just been asked about, so that one that ends soon is not found late.
    void noticed(keys::KeyId id, const base::Deadline &deadline, base::MonotonicTime now);
    /// Asks about this key as soon as the budget allows: a scan has not met it.
    void doubt(keys::KeyId id) { m_doubted.push_back(id); }
    void clear();

    /// The keys that are due, the most urgent first, at most so many. Call it regularly: each call looks at a part of
    /// the table, and at all of it within about five seconds of calls every 33 ms.
    [[nodiscard]] std::vector<keys::KeyId> due(base::MonotonicTime now, std::size_t most);

    /// How long after it was last sampled a key with so much time left is due again.
    [[nodiscard]] std::chrono::milliseconds interval(std::optional<std::chrono::nanoseconds> left,
                                                     bool hasAttention) const;

private:
    struct Candidate
    {
        keys::KeyId id;
        double overdue = 0; ///< Time since it was sampled, in intervals.
    };

    [[nodiscard]] bool isWatchable(keys::KeyId id) const;
    void consider(keys::KeyId id, base::MonotonicTime now, bool hasAttention);

    const keys::KeyTable &m_table; // Not owned.
    int m_perSecond = 1000;
    std::vector<keys::KeyId> m_attention;
    std::vector<keys::KeyId> m_doubted;
    QSet<keys::KeyId> m_near; ///< Those that end within the horizon.
    quint32 m_sweep = 0;      ///< Up to which id the table has been looked at.
    std::vector<Candidate> m_candidates;
    QSet<keys::KeyId> m_considered;
};

} // namespace latchkey::keyspace
