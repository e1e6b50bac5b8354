#pragma once

#include "core/foundation/base/timeinterval.h"
#include "core/keyspace/events/keyeventreconciler.h"

#include <QHash>
#include <QObject>
#include <QSet>
#include <QTimer>

#include <queue>

namespace latchkey::events {

/// A tracker of followed keys: it derives key events from the observations.
///
/// The tracker puts readings and the server's notifications in the order in which they were true; see
/// KeyEventReconciler. Without notifications, changes between two readings are not seen. A key event therefore states
/// the interval that contains the change. A key that ended and reappeared between two readings is reported as replaced
/// if its value shows it, and otherwise not at all. Every key event is supported by observations; an end that fits
/// several causes has Ending::Unknown. It listens to an observation dispatcher. Observations of other keys are skipped
/// by one hash look-up. Owned by InspectedServer.
class KeyEventTracker final : public QObject, public ObservationListener
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(KeyEventTracker)

public:
    explicit KeyEventTracker(QObject *parent = nullptr);
    ~KeyEventTracker() override;

    /// Follows the key from now on; its history begins with the first observation. If the key is known to be absent at
    /// absentAt, its first appearance is reported. Calls are counted: follow twice, unfollow twice.
    void follow(const QByteArray &key, NodeIndex node = 0, std::optional<base::MonotonicTime> absentAt = std::nullopt);
    /// Follows a key that was found before, unless the tracker has followed it since then: it existed with this expiry
    /// at some time in the interval `found`. Without this, an end before the next reading would not be reported.
    void followFound(const QByteArray &key, std::optional<base::MonotonicTime> absentAt, const base::Deadline &deadline,
                     const base::TimeInterval &found, Source source);
    void unfollow(const QByteArray &key, NodeIndex node = 0);
    [[nodiscard]] bool isFollowed(const QByteArray &key, NodeIndex node = 0) const
    {
        return m_followed.contains({key, node});
    }
    [[nodiscard]] qsizetype followedCount() const { return m_followed.size(); }
    /// Returns the events that the node reports, as announced last.
    [[nodiscard]] EventCoverage eventCoverage(NodeIndex node) const { return m_nodeEvents.value(node).eventCoverage; }

    /// Handles a restart of the node's process: a key that is absent afterwards may have been lost with the former
    /// process.
    void restarted(NodeIndex node);

    /// Handles a failover: another server answers for the node, and may lack the last writes.
    void failedOver(NodeIndex node);

    /// Applies the readings and notifications that wait for a confirmation, because none will arrive.
    void applyWaiting();

    void observed(const Observations &observations) override;
    void emptied(NodeIndex node, base::MonotonicTime asked, base::MonotonicTime answered) override;
    void eventCoverageChanged(NodeIndex node, const EventCoverage &eventCoverage) override;
    void flushAnnounced(NodeIndex node, base::MonotonicTime received, FlushKind kind) override;
    void receivedUpTo(NodeIndex node, base::MonotonicTime time) override;

Q_SIGNALS:
    void happened(const latchkey::events::KeyEvent &keyEvent);
    /// Emitted when a confirmation is needed that all changes up to some time have been received: see
    /// EventSource::confirm().
    void confirmationRequested();

private:
    using NodeKey = std::pair<QByteArray, NodeIndex>;
    struct Entry
    {
        int followers = 0;
        KeyEventReconciler key;
        base::MonotonicTime due; ///< Time last entered in m_dues.
    };
    /// The events of one node, and the time up to which all of them have been received.
    struct NodeEvents
    {
        EventCoverage eventCoverage;
        base::MonotonicTime receivedUpTo;
        std::optional<base::MonotonicTime> swapped; ///< Time at which the last SWAPDB was reported.
    };
    /// The time from which the expiry of a key has certainly passed.
    struct Due
    {
        base::MonotonicTime at;
        NodeKey nodeKey;
        friend bool operator>(const Due &a, const Due &b) { return a.at > b.at; }
    };

    void addReading(const NodeKey &nodeKey, KeyReading reading, KeyEvents &out);
    /// Requests a confirmation if the key waits for one, and schedules another for its expiry. Called after each input
    /// to the key.
    void attend(const NodeKey &nodeKey, Entry &entry);
    void loseEvents(NodeIndex node, const EventCoverage &until);
    /// Emits the key events; those of several keys are sorted by time, then by key.
    void emitEvents(KeyEvents keyEvents);
    void scheduleDue();
    void dueReached();

    QHash<NodeKey, Entry> m_followed;
    QSet<NodeKey> m_pending; ///< Keys that wait for a confirmation.
    QHash<NodeIndex, NodeEvents> m_nodeEvents;
    std::priority_queue<Due, std::vector<Due>, std::greater<>> m_dues;
    QTimer m_dueTimer;
    base::MonotonicTime m_dueFires;
    base::MonotonicTime m_now; ///< Approximate present: the time of the last observation.
};

} // namespace latchkey::events
