#pragma once

#include "core/foundation/base/uniquequeue.h"
#include "core/inspect/detection/lockfinder.h"
#include "core/inspect/history/history.h"
#include "core/keyspace/events/keyeventtracker.h"
#include "core/keyspace/watching/eventsource.h"

namespace latchkey::detection {

/// A recorder of holds: it makes the tracker follow the recognised locks, and keeps their history.
///
/// A key with the name of a lock is followed at once, so that the start of its first hold is known. If recognition
/// finds no lock, the key is dropped. A lock that has ended is still followed, because it may be acquired again. At
/// most maxFollowed keys are followed: a new lock replaces the lock that ended first. If no lock has ended, the new
/// lock is not followed. Owned by an InspectedServer; the other objects are not owned.
class HoldRecorder final : public QObject, private events::ObservationListener
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(HoldRecorder)

public:
    static constexpr qsizetype maxFollowed = 5000;

    HoldRecorder(LockFinder &locks, keys::KeyStore &store, events::KeyEventTracker &tracker, watching::Watcher &watcher,
                 const watching::EventSource &events, const base::Clock &clock, QObject *parent = nullptr);
    ~HoldRecorder() override;

    /// Receives the observations before the present listeners. Call once, after the store has become a listener. The
    /// dispatcher must outlive this object.
    void listenTo(events::ObservationDispatcher &dispatcher);

    [[nodiscard]] const history::History &history() const { return m_history; }
    /// Records a change of a key by this program. Must be called after the tracker has received the change.
    void addOwnChange(const QByteArray &key, const history::OwnChange &change);
    /// Returns the holder in the value. Absent if the value contains none.
    [[nodiscard]] std::optional<QByteArray> holderOf(const QByteArray &key, const keys::RawValue &value) const;
    /// Returns whether more locks exist than are followed.
    [[nodiscard]] bool isIncomplete() const { return m_isIncomplete; }

private:
    struct FollowedLock
    {
        bool isLock = false;
        std::optional<events::KeyEvent> appeared; ///< Appearance before the key was known to be a lock.
    };

    void observed(const events::Observations &observations) override;
    void emptied(events::NodeIndex, base::MonotonicTime, base::MonotonicTime) override { m_absentAt.clear(); }
    void receivedUpTo(events::NodeIndex node, base::MonotonicTime time) override;

    void noteGap();
    void makeRoom();
    [[nodiscard]] std::optional<base::MonotonicTime> absentBefore(const events::Observation &observation) const;
    void noteFound(const QByteArray &key);
    void recognised(const QByteArray &key);
    void happened(const events::KeyEvent &keyEvent);
    /// Makes room for another key, if necessary in place of locks that have ended. Returns false if the limit is
    /// reached.
    [[nodiscard]] bool makeRoomToFollow();
    /// Follows the key. Returns false if the limit is reached.
    [[nodiscard]] bool follow(const QByteArray &key, std::optional<base::MonotonicTime> absentAt);
    void unfollow(const QByteArray &key);

    LockFinder &m_locks;                                   // Not owned.
    keys::KeyStore &m_store;                               // Not owned.
    events::KeyEventTracker &m_keyEventTracker;            // Not owned.
    events::ObservationDispatcher *m_dispatcher = nullptr; // Not owned.
    watching::Watcher &m_watcher;                          // Not owned.
    const watching::EventSource &m_events;                 // Not owned.
    const base::Clock &m_clock;                            // Not owned.
    history::History m_history;
    base::MonotonicTime m_receivedUpTo; ///< All earlier changes have been announced.
    /// Last time of absence of each newly observed key that is not followed yet.
    QHash<QByteArray, base::MonotonicTime> m_absentAt;
    std::optional<base::MonotonicTime> m_clearedAt; ///< Last time at which times in m_absentAt were dropped.
    QHash<QByteArray, FollowedLock> m_followed;
    base::UniqueQueue<QByteArray> m_ended; ///< Locks that have ended, each once. Some may be held again.
    bool m_isIncomplete = false;
};

} // namespace latchkey::detection
