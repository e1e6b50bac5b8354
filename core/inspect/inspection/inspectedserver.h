#pragma once

#include "core/inspect/detection/findingsevaluator.h"
#include "core/inspect/inspection/armingtimer.h"
#include "core/inspect/inspection/incident.h"
#include "core/inspect/inspection/keychangequeue.h"
#include "core/inspect/inspection/keycommandlog.h"
#include "core/inspect/inspection/keystoreupdater.h"
#include "core/inspect/inspection/node.h"
#include "core/inspect/inspection/release.h"
#include "core/keyspace/events/keyeventtracker.h"

#include <QHash>
#include <QObject>
#include <QPointer>

#include <functional>
#include <memory>

namespace latchkey::inspection {

/// An inspected server: its node, its key store and, while armed, a queue of changes.
///
/// Watching never writes. Changes use a separate session, which exists only while the server is armed. A private server
/// is armed from the start. Any other server is armed at the user's request. It is disarmed by the user, when it is
/// closed, at the end of the time limit, and by an incident (restart, flush, change of role). Reading a whole key uses
/// another separate session, so that a large value does not delay watching. Any number of pages share one server; each
/// has its own rows over the store. Created by a ServerRegistry, so that a server is watched only once; clock and
/// random source are not owned. It does not depend on widgets.
class InspectedServer final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(InspectedServer)

public:
    InspectedServer(const net::Endpoint &endpoint, bool isPrivate, const base::Clock &clock, base::RandomSource &random,
                    QObject *parent = nullptr);
    /// Creates a server that is observed through a node other than a ServerNode.
    InspectedServer(const MakeNode &makeNode, bool isPrivate, const base::Clock &clock, base::RandomSource &random,
                    QObject *parent = nullptr);
    ~InspectedServer() override;

    /// Connects, and arms a private server. Does nothing if it was already started.
    void start();

    [[nodiscard]] const net::Endpoint &endpoint() const { return m_node->session().endpoint(); }
    /// Returns the run ID of the last watched process; empty before the first connection and in a replay.
    [[nodiscard]] const QString &runId() const { return m_runId; }
    /// Returns host and port of the last watched primary; empty without sentinels and in a replay.
    [[nodiscard]] const QString &primary() const { return m_primary; }
    /// Returns whether the data are those of a recording. A recording is never armed, and nothing can be read from
    /// it.
    [[nodiscard]] bool isRecording() const { return m_node->isRecording(); }
    /// Returns whether this program started the server. A private server ends with the program.
    [[nodiscard]] bool isPrivate() const { return m_isPrivate; }
    [[nodiscard]] net::Session &session() { return m_node->session(); }
    [[nodiscard]] keys::KeyStore &store() { return m_store; }
    [[nodiscard]] watching::Watcher &watcher() { return m_node->watcher(); }
    /// Returns the dispatcher that delivers the observations to listeners.
    [[nodiscard]] events::ObservationDispatcher &dispatcher() { return m_dispatcher; }
    [[nodiscard]] events::KeyEventTracker &keyEventTracker() { return m_keyEventTracker; }
    /// Returns the finder of the locks among the keys.
    [[nodiscard]] detection::LockFinder &locks() { return m_locks; }
    [[nodiscard]] const detection::LockFinder &locks() const { return m_locks; }
    /// Returns the recorded holds since watching began.
    [[nodiscard]] const detection::HoldRecorder &holds() const { return m_holds; }
    /// Returns the connected clients that hold locks.
    [[nodiscard]] detection::HolderClients &clients() { return m_clients; }
    /// Returns the evaluator of the problems of the locks.
    [[nodiscard]] const detection::FindingsEvaluator &evaluator() const { return m_evaluator; }
    /// Adds the actions in this trace to the lock memory. The trace may be destroyed before this server.
    void listenTo(watching::KeyTrace &trace) { m_memory.listenTo(trace); }
    /// Returns the source of the server's change events.
    [[nodiscard]] const watching::EventSource &events() const { return m_node->events(); }
    /// Returns whether the server has confirmed CLIENT NO-TOUCH for the current connection: reads do not count as use
    /// for eviction.
    [[nodiscard]] bool isNoTouchActive() const { return m_node->isNoTouchActive(); }
    /// Returns the part of the cluster that the server serves.
    [[nodiscard]] const ClusterMembership &cluster() const { return m_node->cluster(); }
    /// Returns the log of the commands and replies about the selected key.
    [[nodiscard]] KeyCommandLog &commandLog() { return m_commandLog; }
    [[nodiscard]] const base::Clock &clock() const { return m_clock; }

    /// Makes all pending observations visible before it returns, and emits committed(). Other observations become
    /// visible in small steps, with the watcher's ticks.
    void commitNow();
    /// Records a change of a key by this program or, in a replay, by the program that recorded.
    void recordOwnChange(const QByteArray &key, const history::OwnChange &change);
    /// Records a restart: another process now runs at the address. Disarms the server unless it is private, and emits
    /// incidentHappened().
    void noteRestart(base::MonotonicTime at);
    /// Records a failover: the sentinels name another server as the primary. Disarms the server unless it is private,
    /// and emits incidentHappened().
    void noteFailover(const QString &from, const QString &to, base::MonotonicTime at);
    /// Returns the time at which the last restart or failover was detected. Absent if there was none.
    [[nodiscard]] std::optional<base::MonotonicTime> processSince() const { return m_processSince; }

    /// Sets the keys that a viewer has on screen, possibly none. The watcher polls the keys of all viewers more often.
    void setVisibleKeys(const QObject &viewer, const std::vector<keys::KeyId> &ids);

    [[nodiscard]] bool isArmed() const { return m_changeQueue != nullptr; }
    /// Permits changes, over a session of their own, or withdraws the permission. No effect on a recording.
    void setArmed(bool isArmed);
    /// Sets the time after which the server is disarmed. The time applies from the next arming on. A private server
    /// stays armed.
    void setArmedTime(std::chrono::minutes time) { m_armedTime = time; }
    /// Returns the time until the server is disarmed. Absent if the server is not armed or has no limit.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> armedLeft() const { return m_armingTimer.left(); }

    /// Reads the current state of a key, for a user who is about to change it. Needs no arming.
    void takeSnapshot(const base::Key &key, std::function<void(base::Result<watching::KeySnapshot>)> done);
    /// Does the same as takeSnapshot(), and determines how the lock would be released.
    void readReleasePlan(const base::Key &key, std::function<void(base::Result<ReleasePlan>)> done);
    /// Reads other data, possibly large, over the same connection. `make` creates the exchange and is called once.
    template<typename T>
    void read(std::function<exchange::Exchange<T>()> make, std::function<void(base::Result<T>)> done)
    {
        withReading([this, make = std::move(make), done = std::move(done)](const std::optional<base::Error> &error) {
            const auto finish = [this, done](const base::Result<T> &outcome) {
                endReading();
                done(outcome);
            };
            if (error)
                finish(base::failure(*error));
            else
                m_readSession->driver().run<T>(make(), finish);
        });
    }
    // Changes of keys, executed in order: see core/keyspace/watching/conditionalchanges.h. Without arming: error
    // (Usage).
    /// Deletes the key if it is still as in the snapshot; see watching::deleteIfUnchanged().
    void deleteIfUnchanged(const watching::KeySnapshot &snapshot, const KeyChangeQueue::Done &done);
    /// Sets or removes the expiry if the key is still as in the snapshot; see watching::expireIfUnchanged().
    void expireIfUnchanged(const watching::KeySnapshot &snapshot, const watching::NewExpiry &end,
                           const KeyChangeQueue::Done &done);
    /// Releases the lock: deletes the key and sends the other commands of its release. Fails with Usage if the way to
    /// release the lock is unknown.
    void release(const ReleasePlan &lock, const KeyChangeQueue::Done &done);
    /// Undoes a change; see watching::undo(). `before`, `after`: the key before and after the change.
    void undo(const watching::KeySnapshot &before, const watching::KeySnapshot &after,
              const KeyChangeQueue::Done &done);

    /// Returns the number of commands that this program has sent to the server over all connections.
    [[nodiscard]] quint64 commandsSent() const;

Q_SIGNALS:
    void armedChanged(bool isArmed);
    /// Emitted after armedChanged() if the time limit has disarmed the server.
    void armedTimeEnded(std::chrono::minutes time);
    void eventsChanged();
    /// Emitted when all keys were removed at once. `received`: time of the flush event; `seen`: time at which the
    /// database was found empty.
    void flushed(latchkey::base::MonotonicTime received, latchkey::base::MonotonicTime seen);
    /// Emitted after an incident. The server is already disarmed, unless it is private.
    void incidentHappened(const latchkey::inspection::Incident &incident);
    /// Emitted after this program has changed a key.
    void ownChangeMade(const QByteArray &key, const latchkey::history::OwnChange &change);
    /// Emitted when all observations up to now are in the store and in the rows over it.
    void committed();

private:
    void commit();
    void noteUnseen();
    void detectRestart();
    void detectRoleChange();
    /// Disarms the server unless it is private, and emits incidentHappened().
    void disarmAfter(const Incident &incident);
    /// Disarms at the end of the time limit. The running change is completed.
    void endArmedTime();
    void withReading(std::function<void(std::optional<base::Error>)> then);
    void endReading();
    void closeReading();
    void execute(const watching::KeySnapshot &shown, history::OwnChange::Kind kind, KeyChangeQueue::Operation operation,
                 const KeyChangeQueue::Done &done);

    const bool m_isPrivate;
    const base::Clock &m_clock;
    base::RandomSource &m_random;
    keys::KeyStore m_store;
    events::ObservationDispatcher m_dispatcher;
    QTimer m_workTimer;
    KeyStoreUpdater m_updater;
    events::KeyEventTracker m_keyEventTracker;
    KeyCommandLog m_commandLog;   ///< Listens to all connections below.
    std::unique_ptr<Node> m_node; ///< The only node: a cluster is inspected one node at a time.
    detection::LockFinder m_locks;
    detection::HoldRecorder m_holds;
    detection::HolderClients m_clients;
    detection::LockMemory m_memory;
    detection::FindingsEvaluator m_evaluator;
    std::unique_ptr<SideSession> m_readSession; ///< Exists while a whole key is being read.
    int m_readsUnderWay = 0;
    std::unique_ptr<KeyChangeQueue> m_changeQueue;    ///< Exists while the server is armed.
    std::unique_ptr<KeyChangeQueue> m_finishingQueue; ///< Completes the running change at the end of the time limit.
    ArmingTimer m_armingTimer;
    std::chrono::minutes m_armedTime = defaultArmedTime;
    QString m_primary;
    QString m_runId;
    std::optional<base::MonotonicTime> m_processSince;
    std::optional<bool> m_isReplica; ///< Role that this process last reported.
    quint64 m_earlierCommands = 0;   ///< Number of commands of closed connections.
    QHash<const QObject *, std::vector<keys::KeyId>> m_visibleKeys;
};

} // namespace latchkey::inspection
