#pragma once

#include "core/exchange/loopdriver.h"
#include "core/inspection/clusterplace.h"
#include "core/inspection/judge.h"
#include "core/inspection/keyfeed.h"
#include "core/keyspace/eventsource.h"
#include "core/keyspace/guardeddelete.h"
#include "core/keyspace/ledger.h"
#include "core/keyspace/watcher.h"

#include <QHash>
#include <QObject>
#include <QPointer>

#include <functional>
#include <memory>

namespace latchkey::inspection {

/// A server as a person inspects it: the session, what is known of its keys, and, once it is armed, the way to change
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
    ~InspectedServer() override;

    /// Connects; nothing happens if it has been started.
    void start();

    [[nodiscard]] const resp::Endpoint &endpoint() const { return m_session.endpoint(); }
    /// Ours: started by this program, and gone with it.
    [[nodiscard]] bool isPrivate() const { return m_isPrivate; }
    [[nodiscard]] resp::Session &session() { return m_session; }
    [[nodiscard]] keys::KeyStore &store() { return m_store; }
    [[nodiscard]] keyspace::Watcher &watcher() { return m_watcher; }
    /// Where what is observed can be heard.
    [[nodiscard]] keyspace::FanOut &fanOut() { return m_fanOut; }
    [[nodiscard]] keyspace::Ledger &ledger() { return m_ledger; }
    /// What is recognised of its keys.
    [[nodiscard]] LockFinder &locks() { return m_locks; }
    /// Who has held which of its locks, since it has been watched.
    [[nodiscard]] const HoldRecorder &holds() const { return m_holds; }
    /// What is wrong with its locks.
    [[nodiscard]] const Judge &judge() const { return m_judge; }
    /// How it is told of changes.
    [[nodiscard]] const keyspace::EventSource &events() const { return m_events; }
    /// Whether it is one of several.
    [[nodiscard]] const ClusterPlace &cluster() const { return m_cluster; }
    [[nodiscard]] const base::Clock &clock() const { return m_clock; }

    /// What a viewer has on screen; empty: nothing any more. The watcher's attention is on all that somebody looks at.
    void setAttention(const QObject &viewer, const std::vector<keys::KeyId> &ids);

    [[nodiscard]] bool isArmed() const { return m_acting != nullptr; }
    void setArmed(bool isArmed);

    /// Reads a key as it is, for somebody who is about to decide over it. Needs no arming.
    void takeSnapshot(const base::Key &key, std::function<void(base::Result<keyspace::KeySnapshot>)> done);
    /// Deletes the key if it still is what the snapshot shows. Only while armed.
    void deleteIfUnchanged(const keyspace::KeySnapshot &snapshot,
                           std::function<void(base::Result<keyspace::DeleteOutcome>)> done);

    /// Commands that this program has sent to the server, over all its connections.
    [[nodiscard]] quint64 commandsSent() const;

Q_SIGNALS:
    void armedChanged(bool isArmed);
    void eventsChanged();
    /// What was observed until now is in the store, and the rows over it show it.
    void committed();

private:
    /// A session beside the watching one, and what is carried out over it.
    struct Line
    {
        Line(const resp::Endpoint &endpoint, const base::Clock &clock, base::RandomSource &random);
        resp::Session session;
        exchange::LoopDriver driver;
        int underWay = 0;
    };

    void commit();
    void closeReading();
    void deleted(const base::Key &key, const base::Result<keyspace::DeleteOutcome> &outcome, base::MonotonicTime asked);
    /// Calls then(nothing) once the line is connected, or then(why it is not).
    void whenReady(Line &line, std::function<void(std::optional<base::Error>)> then);

    const bool m_isPrivate;
    const base::Clock &m_clock;
    base::RandomSource &m_random;
    resp::Session m_session;
    ClusterPlace m_cluster;
    keys::KeyStore m_store;
    keyspace::FanOut m_fanOut;
    QTimer m_moreWork;
    KeyFeed m_feed;
    keyspace::Ledger m_ledger;
    keyspace::Watcher m_watcher;
    keyspace::EventSource m_events;
    LockFinder m_locks;
    HoldRecorder m_holds;
    Judge m_judge;
    std::unique_ptr<Line> m_reading; ///< While a key is being read whole.
    std::unique_ptr<Line> m_acting;  ///< While the server is armed.
    quint64 m_earlierCommands = 0;   ///< Of lines that are gone.
    QHash<const QObject *, std::vector<keys::KeyId>> m_attention;
};

} // namespace latchkey::inspection
