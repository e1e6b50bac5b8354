#pragma once

#include "core/foundation/base/uniquequeue.h"
#include "core/inspect/voting/lockvotes.h"
#include "core/inspect/voting/votingserver.h"
#include "core/keyspace/keys/keyanalysis.h"

#include <memory>
#include <vector>

namespace latchkey::voting {

/// The locks of a group of independent servers while they are watched: for each name, the votes of the servers.
///
/// A name that is a lock on some server is in the list while some server has it, by the last observation of that
/// server. So a lost server never removes a lock. Each server is observed on its own and delays no other one. Changes
/// are collected and evaluated in slices of a few milliseconds. Owned by the window or a test; it keeps the servers
/// alive. The clock is not owned.
class GroupLocks final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(GroupLocks)

public:
    /// A lock and the votes for its holder.
    struct Lock
    {
        QByteArray key;
        LockVotes votes {{}};
        std::vector<MissingVote> missingVotes {}; ///< One per server.
        keys::KeyAnalysis analysis {}; ///< Analysis by the first server that votes for the holder; empty: none yet.
    };

    GroupLocks(std::vector<std::shared_ptr<inspection::InspectedServer>> servers, const base::Clock &clock);
    ~GroupLocks() override;

    [[nodiscard]] std::size_t serverCount() const { return m_members.size(); }
    [[nodiscard]] inspection::InspectedServer &server(std::size_t index) const;
    /// Returns the number of locks. They are ordered by key.
    [[nodiscard]] qsizetype count() const { return static_cast<qsizetype>(m_locks.size()); }
    [[nodiscard]] const Lock &at(qsizetype row) const { return *m_locks[static_cast<std::size_t>(row)]; }
    /// Returns the row of a lock; -1 without it.
    [[nodiscard]] qsizetype find(const QByteArray &key) const;
    /// Returns why no vote of this server is known. Absent: it is observed.
    [[nodiscard]] std::optional<MissingVote> missingVoteOf(std::size_t index) const;
    /// Returns whether a server is observed and all of its keys were read, so that no lock of it is missing.
    [[nodiscard]] bool isFullyScanned(std::size_t index) const;
    /// Returns whether a connected server does not describe itself, because it refuses INFO. It may then be the same
    /// server as another one of the group.
    [[nodiscard]] bool isUndescribed(std::size_t index) const;
    /// Returns why the servers are not independent. Absent: they are, as far as they describe themselves.
    [[nodiscard]] const std::optional<base::Error> &dependence() const { return m_dependence; }
    /// Returns whether no change waits for its evaluation.
    [[nodiscard]] bool isIdle() const { return m_changed.isEmpty(); }

Q_SIGNALS:
    // Emitted around changes of the list, as a model needs them.
    void aboutToInsert(int row);
    void inserted();
    void aboutToRemove(int row);
    void removed();
    void changed(int row);
    /// Emitted when missingVoteOf(), isFullyScanned(), isUndescribed() or dependence() may have changed.
    void serversChanged();

private:
    class Member;

    void lockChanged(const QByteArray &key);
    void serverChanged(const Member &member);
    void findDependence();
    void evaluateSome();
    void evaluate(const QByteArray &key);
    void recheckDisputed();
    [[nodiscard]] qsizetype lowerBound(const QByteArray &key) const;
    [[nodiscard]] Lock evaluated(const QByteArray &key) const;

    const base::Clock &m_clock; // Not owned.
    std::vector<std::unique_ptr<Member>> m_members;
    std::vector<std::unique_ptr<Lock>> m_locks;
    base::UniqueQueue<QByteArray> m_changed; ///< Keys to evaluate.
    QTimer m_workTimer;
    QTimer m_recheckTimer;
    std::optional<base::Error> m_dependence;
};

} // namespace latchkey::voting
