#pragma once

#include "app/cli/clusterholds.h"
#include "app/cli/watchedlocks.h"
#include "core/redis/resp/clusterslots.h"

#include <QHash>

#include <deque>

namespace latchkey::cli {

/// A source of the lock events of a cluster, merged from the events of its primaries.
///
/// If the slot of a lock migrates, the key is deleted at one primary and appears at the other. Both events are
/// suppressed, because no client has released or acquired the lock. An end that may be a migration is reported only
/// after the primaries have reported the location of the key. After a failover, a lock that the new primary does not
/// have is reported as lost. Owned by the WatchedServers. The servers and their locks are not owned; leave() is called
/// before they are destroyed.
class ClusterLocks final : public LockEvents
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ClusterLocks)

public:
    /// Index of a primary, in the order of join().
    using Primary = std::size_t;

    explicit ClusterLocks(const base::Clock &clock);
    ~ClusterLocks() override;

    /// Adds a primary.
    Primary join(inspection::InspectedServer &server, const WatchedLocks &locks);
    /// Removes a primary. `successor`: the primary that has taken over its slots.
    void leave(Primary primary, Primary successor);
    /// Notes that these slots are migrating to another primary, or have just migrated.
    void noteMigrating(const std::vector<int> &slotNumbers);
    /// Asks for the locks in migrating slots, because a primary that does not report changes cannot see their ends.
    void recheck();
    /// Reports the ends that are still held back, with the ending Unknown.
    void settleAll();
    /// Returns the number of keys named like locks that came and went at a primary before they were read. A lock that
    /// moved on unread does not count.
    [[nodiscard]] qint64 endedUnreadCount() const { return m_endedUnreadCount; }

private:
    using Event = ClusterLockEvent;
    struct Member
    {
        inspection::InspectedServer *server = nullptr; ///< Null after leave().
        const WatchedLocks *locks = nullptr;
    };
    /// The events of a key, from the first one that may be a migration.
    struct Examination
    {
        std::deque<Event> events; ///< Empty: no primary has reported a change.
        base::MonotonicTime began;
        bool isRequested = false; ///< Whether a reply is awaited.
    };

    void take(Event event);
    void handle(Event event);
    void handleEnd(Event event);
    void begin(Event event);
    void examine(Event event, Primary asked);
    void requestLock(const QByteArray &key, Primary asked);
    void requestFromNext(const QByteArray &key, Primary asked, const resp::Redirect &redirect, int hops);
    void answered(const QByteArray &key, Primary primary, const base::Result<net::Connection::Delivery> &delivery,
                  int hops);
    [[nodiscard]] bool hasMoved(const QByteArray &key) const;
    void settleAsMove(const QByteArray &key, Primary next);
    [[nodiscard]] bool settleByAppearance(const QByteArray &key);
    void settle(const QByteArray &key, bool isEndKnown);
    void reportExaminedEndOf(const QByteArray &key, std::optional<Event> &ended, const std::deque<Event> &next,
                             bool isEndKnown);
    void countUnread(const QByteArray &key);
    void compareWith(Primary former, Primary successor);
    [[nodiscard]] std::optional<Primary> at(const resp::NodeAddress &address, Primary asked) const;
    [[nodiscard]] net::Connection *connectionOf(Primary primary) const;

    const base::Clock &m_clock; // Not owned.
    ClusterHolds m_holds;
    std::vector<Member> m_members;
    QHash<QByteArray, Examination> m_examinations;
    qint64 m_endedUnreadCount = 0;
    QHash<int, base::MonotonicTime> m_moved; ///< Slots that migrate or migrated, and the time of the last redirect or
                                             ///< report.
};

} // namespace latchkey::cli
