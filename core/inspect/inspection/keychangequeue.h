#pragma once

#include "core/inspect/history/hold.h"
#include "core/inspect/inspection/sidesession.h"
#include "core/keyspace/watching/conditionalchanges.h"
#include "core/keyspace/watching/watcher.h"

#include <deque>

namespace latchkey::inspection {

/// A queue of changes to the keys of one server, which are executed in order over a separate connection. Two changes
/// cannot use the connection at the same time, because each uses WATCH.
///
/// After a successful change, the listeners of the dispatcher receive the new state at once. Then the history records
/// that this program made the change. Owned by the InspectedServer while the server is armed; dispatcher, watcher,
/// clock and random source are not owned.
class KeyChangeQueue final
{
    Q_DISABLE_COPY_MOVE(KeyChangeQueue)

public:
    using Operation = std::function<exchange::Exchange<watching::ChangeResult>()>;
    using Done = std::function<void(const base::Result<watching::ChangeResult> &)>;
    using Recorder = std::function<void(const QByteArray &key, const history::OwnChange &change)>;

    /// Connects to the server. `recorder` is called for each change that was carried out.
    KeyChangeQueue(const net::Endpoint &endpoint, events::ObservationDispatcher &dispatcher, watching::Watcher &watcher,
                   Recorder recorder, const base::Clock &clock, base::RandomSource &random);
    /// Drops the unfinished changes without calling their `done`.
    ~KeyChangeQueue();

    /// Queues the change, and calls `done` once. `shown`: the displayed state of the key; the change applies to this
    /// state only.
    void execute(const watching::KeySnapshot &shown, history::OwnChange::Kind kind, Operation operation, Done done);
    /// Ends all unfinished changes with an error. The effect of the running change is unknown.
    void abandon();
    /// Ends the waiting changes with an error. The running change continues; `idle` is called after it, or
    /// immediately if none is running.
    void finishAndStop(std::function<void()> idle);

    /// See net::Connection::setTrafficObserver().
    void setTrafficObserver(net::Connection::TrafficObserver observer)
    {
        m_session.setTrafficObserver(std::move(observer));
    }
    [[nodiscard]] quint64 commandsSent() const { return m_session.commandsSent(); }

private:
    struct Waiting
    {
        watching::KeySnapshot shown;
        history::OwnChange::Kind kind;
        Operation operation;
        Done done;
    };

    void next();
    void refuse(std::deque<Waiting> changes) const;
    void finish(const base::Result<watching::ChangeResult> &result);
    void publish(const Waiting &ended, const watching::ChangeResult &result, base::MonotonicTime asked);

    events::ObservationDispatcher &m_dispatcher;
    watching::Watcher &m_watcher;
    const Recorder m_recorder;
    const base::Clock &m_clock;
    SideSession m_session;
    std::deque<Waiting> m_waiting; ///< Queued changes; the first one is running.
    base::MonotonicTime m_asked;   ///< Start of the running change.
    std::function<void()> m_idle;  ///< Called after the running change; set by finishAndStop().
};

} // namespace latchkey::inspection
