#pragma once

#include "core/keyspace/keys/knownkeys.h"

#include <QHash>
#include <QSet>

#include <deque>
#include <vector>

namespace latchkey::watching {

/// A scheduler of polls: it selects the keys to query now.
///
/// Order of priority: visible keys; keys that a scan has not returned, which have probably changed; keys that are due.
/// A key near its expiry is queried often, a key far from it seldom. A key past its expiry is queried until the server
/// confirms that it is gone. The interval adapts to the number of keys: a few keys are all queried within a second.
/// While several of these groups have keys, none takes the whole budget. Pure: it uses the known keys and the time, and
/// sends nothing. Owned by the ServerWatcher; the known keys are not owned.
class PollPlan final
{
public:
    explicit PollPlan(const keys::KnownKeys &known);

    /// Sets the budget that the plan assumes; see CommandBudget.
    void setCommandsPerSecond(int commands) { m_perSecond = commands; }
    /// Sets the keys on screen.
    void setVisibleKeys(std::vector<keys::KeyId> ids) { m_visibleKeys = std::move(ids); }
    [[nodiscard]] bool isVisible(keys::KeyId id) const;
    /// Records a newly observed expiry of a key. If the expiry is near, every call of due() checks the key.
    void recordExpiry(keys::KeyId id, const base::Deadline &deadline, base::MonotonicTime now);
    /// Returns whether recordExpiry() would record such an expiry. If not, the caller need not look up the key.
    [[nodiscard]] static bool isNear(const base::Deadline &deadline, base::MonotonicTime now);
    /// Marks a key that a scan has not returned, to be queried soon.
    void addMissed(keys::KeyId id) { m_missed.push_back(id); }
    [[nodiscard]] std::size_t missedCount() const { return m_missed.size(); }

    /// Marks keys as being queried; due() excludes them until ended().
    void began(const std::vector<keys::KeyId> &ids);
    void ended(const std::vector<keys::KeyId> &ids);
    /// Forgets all keys that are being queried.
    void forgetRequested();

    /// Returns the keys that are due, the most urgent first, at most `maximum`. To be called regularly: each call
    /// checks a part of the table, and calls every 33 ms cover the whole table in about five seconds.
    [[nodiscard]] std::vector<keys::KeyId> due(base::MonotonicTime now, std::size_t maximum);

    /// Returns the interval between two samples of a key with this time left; absent: no expiry.
    [[nodiscard]] std::chrono::milliseconds interval(std::optional<std::chrono::nanoseconds> left,
                                                     bool isVisible) const;

private:
    struct Candidate
    {
        keys::KeyId id;
        double overdue = 0; ///< Time since the last sample, in intervals.
    };
    using Candidates = std::vector<Candidate>;

    void consider(keys::KeyId id, base::MonotonicTime now, bool isVisible, Candidates &candidates);
    void considerNear(base::MonotonicTime now);
    void considerSome(base::MonotonicTime now);
    static void take(Candidates &from, std::size_t maximum, std::vector<keys::KeyId> &to);

    const keys::KnownKeys &m_known; // Not owned.
    int m_perSecond = 1000;
    std::vector<keys::KeyId> m_visibleKeys;
    std::deque<keys::KeyId> m_missed;
    QSet<keys::KeyId> m_near;  ///< Keys that end within the horizon.
    QSet<keys::KeyId> m_asked; ///< Keys that are being queried.
    quint32 m_sweep = 0;       ///< First id of the table not examined yet.
    Candidates m_onScreen;
    Candidates m_others;
    QSet<keys::KeyId> m_considered;
};

} // namespace latchkey::watching
