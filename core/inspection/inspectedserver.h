#pragma once

#include "core/inspection/acts.h"
#include "core/inspection/incident.h"
#include "core/inspection/judge.h"
#include "core/inspection/keyfeed.h"
#include "core/inspection/keywire.h"
#include "core/inspection/node.h"
#include "core/inspection/release.h"
#include "core/keyspace/ledger.h"

#include <QHash>
#include <QObject>
#include <QPointer>

#include <functional>
#include <memory>

namespace latchkey::inspection {

/// A server as a person inspects it: its node, what is known of its keys, and, once it is armed, the way to change
/// something.
///
/// Watching never writes. Acting goes over a session of its own, which exists only while the server is armed: a private
/// server from the start, any other when the user says so, and until it is closed. Reading a key whole goes over one of
/// its own too, so that what is large holds nobody up. Any number of pages look at one server, each with rows of its
/// own over its store.
/// Made by a ServerRegistry, so that one server is watched once; clock and random source are not owned. It knows no
/// widgets.
class InspectedServer final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(InspectedServer)

public:
    InspectedServer(const resp::Endpoint &endpoint, bool isPrivate, const base::Clock &clock,
                    base::RandomSource &random, QObject *parent = nullptr);
    /// One that is observed by another node than a connection's.
    InspectedServer(const MakeNode &makeNode, bool isPrivate, const base::Clock &clock, base::RandomSource &random,
                    QObject *parent = nullptr);
    ~InspectedServer() override;

    /// Connects; nothing happens if it has been started.
    void start();

    [[nodiscard]] const resp::Endpoint &endpoint() const { return m_node->session().endpoint(); }
    /// Not there: what is shown has been recorded. It is never armed, and nothing can be read.
    [[nodiscard]] bool isRecording() const { return m_node->isRecording(); }
    /// Ours: started by this program, and gone with it.
    [[nodiscard]] bool isPrivate() const { return m_isPrivate; }
    [[nodiscard]] resp::Session &session() { return m_node->session(); }
    [[nodiscard]] keys::KeyStore &store() { return m_store; }
    [[nodiscard]] keyspace::Watcher &watcher() { return m_node->watcher(); }
    /// Where what is observed can be heard.
    [[nodiscard]] keyspace::FanOut &fanOut() { return m_fanOut; }
    [[nodiscard]] keyspace::Ledger &ledger() { return m_ledger; }
    /// What is recognised of its keys.
    [[nodiscard]] LockFinder &locks() { return m_locks; }
    [[nodiscard]] const LockFinder &locks() const { return m_locks; }
    /// Who has held which of its locks, since it has been watched.
    [[nodiscard]] const HoldRecorder &holds() const { return m_holds; }
    /// Which connected clients have its locks.
    [[nodiscard]] HolderClients &clients() { return m_clients; }
    /// What is wrong with its locks.
    [[nodiscard]] const Judge &judge() const { return m_judge; }
    /// What this trace shows of its locks is taken into account from now on; it may go before we do.
    void listenTo(keyspace::KeyTrace &trace) { m_memory.listenTo(trace); }
    /// How it is told of changes.
    [[nodiscard]] const keyspace::EventSource &events() const { return m_node->events(); }
    /// What is read to watch it does not count as use where it evicts by that (CLIENT NO-TOUCH): the server has said so
    /// of the connection that there is now.
    [[nodiscard]] bool isUntouching() const { return m_node->isUntouching(); }
    /// Whether it is one of several.
    [[nodiscard]] const ClusterPlace &cluster() const { return m_node->cluster(); }
    /// What is said to it about a key that a user looks at.
    [[nodiscard]] KeyWire &wire() { return m_wire; }
    [[nodiscard]] const base::Clock &clock() const { return m_clock; }

    /// Shows what was observed until now at once, whatever that costs: see committed(). By itself it is shown a little
    /// at a time, with the watcher's ticks.
    void showObserved();
    /// This was done to a key from there, when it was recorded.
    void noteAct(const QByteArray &key, const history::OwnAct &act);
    /// What is there now is another process than before.
    void noteRestart();

    /// What a viewer has on screen; empty: nothing any more. The watcher's attention is on all that somebody looks at.
    void setAttention(const QObject &viewer, const std::vector<keys::KeyId> &ids);

    [[nodiscard]] bool isArmed() const { return m_acting != nullptr; }
    void setArmed(bool isArmed);

    /// Reads a key as it is, for somebody who is about to decide over it. Needs no arming.
    void takeSnapshot(const base::Key &key, std::function<void(base::Result<keyspace::KeySnapshot>)> done);
    /// The same, and what its release as a lock comes to.
    void takeReleasable(const base::Key &key, std::function<void(base::Result<Releasable>)> done);
    /// Reads something else, which may be large, over the same connection. make: makes what reads it, once.
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
                m_reading->driver().run<T>(make(), finish);
        });
    }
    // Only while armed, one after the other; see keyspace/guardedacts.h.
    void deleteIfUnchanged(const keyspace::KeySnapshot &snapshot, const Acts::Done &done);
    void expireIfUnchanged(const keyspace::KeySnapshot &snapshot, const keyspace::NewEnd &end, const Acts::Done &done);
    /// Deletes the lock and what its release takes beside that, if it has a way of release; else an error (Usage).
    void release(const Releasable &lock, const Acts::Done &done);
    void undo(const keyspace::KeySnapshot &before, const keyspace::KeySnapshot &after, const Acts::Done &done);

    /// Commands that this program has sent to the server, over all its connections.
    [[nodiscard]] quint64 commandsSent() const;

Q_SIGNALS:
    void armedChanged(bool isArmed);
    void eventsChanged();
    /// All its keys have gone at once: when that was heard of, and when none was there any more.
    void flushed(latchkey::base::MonotonicTime heard, latchkey::base::MonotonicTime seen);
    /// Writing has been disarmed before, unless the server is private.
    void befallen(const latchkey::inspection::Incident &incident);
    /// This was done to a key from here.
    void acted(const QByteArray &key, const latchkey::history::OwnAct &act);
    /// What was observed until now is in the store, and the rows over it show it.
    void committed();

private:
    void commit();
    void noteUnseen();
    void compareRuns();
    void compareRoles();
    void befall(const Incident &incident);
    void withReading(std::function<void(std::optional<base::Error>)> then);
    void endReading();
    void closeReading();
    void carryOut(const keyspace::KeySnapshot &shown, history::OwnAct::Kind kind, Acts::Act act,
                  const Acts::Done &done);

    const bool m_isPrivate;
    const base::Clock &m_clock;
    base::RandomSource &m_random;
    keys::KeyStore m_store;
    keyspace::FanOut m_fanOut;
    QTimer m_moreWork;
    KeyFeed m_feed;
    keyspace::Ledger m_ledger;
    KeyWire m_wire;               ///< Listens at all connections below.
    std::unique_ptr<Node> m_node; ///< The only one, as long as a cluster is looked at node by node.
    LockFinder m_locks;
    HoldRecorder m_holds;
    HolderClients m_clients;
    LockMemory m_memory;
    Judge m_judge;
    std::unique_ptr<Line> m_reading; ///< While a key is being read whole.
    int m_readsUnderWay = 0;
    std::unique_ptr<Acts> m_acting;  ///< While the server is armed.
    QString m_runId;                 ///< Of the process that was watched last.
    std::optional<bool> m_isReplica; ///< That process, as it said last.
    quint64 m_earlierCommands = 0;   ///< Of lines that are gone.
    QHash<const QObject *, std::vector<keys::KeyId>> m_attention;
};

} // namespace latchkey::inspection
