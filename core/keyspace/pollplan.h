#pragma once

#include "core/keys/knownkeys.h"

#include <QHash>
#include <QSet>

#include <deque>
#include <vector>

namespace latchkey::keyspace {

/// Which keys are worth asking about now.
///
/// In this order: what somebody looks at; what has probably changed, because a scan has not met it; and what is due:
/// what is near its end is followed closely, what is far from it seldom, and a key whose time is up until the server
/// says that it is gone. How often adapts to how many keys there are: few are all asked within a second. None of the
/// three takes all that there is. Pure: it looks at what is known and the time, and sends nothing. Owned by the
/// Watcher; what is known is not owned.
class PollPlan final
{
public:
    explicit PollPlan(const keys::KnownKeys &known);

    /// What the plan reckons with; see CommandBudget.
    void setCommandsPerSecond(int commands) { m_perSecond = commands; }
    /// The keys on screen.
    void setAttention(std::vector<keys::KeyId> ids) { m_attention = std::move(ids); }
    [[nodiscard]] bool hasAttention(keys::KeyId id) const;
    /// A key that has just been asked about, so that one that ends soon is not found late.
    void noticed(keys::KeyId id, const base::Deadline &deadline, base::MonotonicTime now);
    /// Whether noticed() would remember an end like this: worth looking the key up for.
    [[nodiscard]] static bool isNear(const base::Deadline &deadline, base::MonotonicTime now);
    /// Asks about this key soon: a scan has not met it.
    void doubt(keys::KeyId id) { m_doubted.push_back(id); }
    [[nodiscard]] std::size_t doubts() const { return m_doubted.size(); }

    /// These are being asked about: not again until ended().
    void began(const std::vector<keys::KeyId> &ids);
    void ended(const std::vector<keys::KeyId> &ids);
    /// Nothing is being asked any more.
    void forgetAsked();

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
    using Candidates = std::vector<Candidate>;

    void consider(keys::KeyId id, base::MonotonicTime now, bool hasAttention, Candidates &candidates);
    void considerNear(base::MonotonicTime now);
    void considerSome(base::MonotonicTime now);
    static void take(Candidates &from, std::size_t most, std::vector<keys::KeyId> &to);

    const keys::KnownKeys &m_known; // Not owned.
    int m_perSecond = 1000;
    std::vector<keys::KeyId> m_attention;
    std::deque<keys::KeyId> m_doubted;
    QSet<keys::KeyId> m_near;  ///< Those that end within the horizon.
    QSet<keys::KeyId> m_asked; ///< Those that are being asked about.
    quint32 m_sweep = 0;       ///< Up to which id the table has been looked at.
    Candidates m_onScreen;
    Candidates m_others;
    QSet<keys::KeyId> m_considered;
};

} // namespace latchkey::keyspace
