#pragma once

#include "core/history/hold.h"
#include "core/inspection/sidesession.h"
#include "core/keyspace/guardedacts.h"
#include "core/keyspace/watcher.h"

#include <deque>

namespace latchkey::inspection {

/// A queue of changes to the keys of one server, carried out one after the other over a separate connection. Two
/// changes cannot share a connection, because each uses WATCH.
///
/// After a successful change the listeners of the fan-out are told of it at once, and then the history records that
/// this program made it. Owned by the InspectedServer while the server is armed; fan-out, watcher, clock and random
/// source are not owned.
class Acts final
{
    Q_DISABLE_COPY_MOVE(Acts)

public:
    using Act = std::function<exchange::Exchange<keyspace::ActResult>()>;
    using Done = std::function<void(const base::Result<keyspace::ActResult> &)>;
    using Note = std::function<void(const QByteArray &key, const history::OwnAct &act)>;

    /// `note` is called for each act that has changed something.
    Acts(const resp::Endpoint &endpoint, keyspace::FanOut &fanOut, keyspace::Watcher &watcher, Note note,
         const base::Clock &clock, base::RandomSource &random);
    /// Drops unfinished acts without calling their `done`.
    ~Acts();

    /// Carries the act out when its turn comes, and calls `done` once. `shown`: the key as it was shown; the act
    /// applies to this state only.
    void carryOut(const keyspace::KeySnapshot &shown, history::OwnAct::Kind kind, Act act, Done done);
    /// Ends all unfinished acts with an error. Whether the first of them took effect is unknown.
    void abandon();

    /// See resp::Connection::setTrafficObserver().
    void setTrafficObserver(resp::Connection::TrafficObserver observer)
    {
        m_session.setTrafficObserver(std::move(observer));
    }
    [[nodiscard]] quint64 commandsSent() const { return m_session.commandsSent(); }

private:
    struct Waiting
    {
        keyspace::KeySnapshot shown;
        history::OwnAct::Kind kind;
        Act act;
        Done done;
    };

    void next();
    void finish(const base::Result<keyspace::ActResult> &acted);
    void tell(const Waiting &ended, const keyspace::ActResult &acted, base::MonotonicTime asked);

    keyspace::FanOut &m_fanOut;
    keyspace::Watcher &m_watcher;
    const Note m_note;
    const base::Clock &m_clock;
    SideSession m_session;
    std::deque<Waiting> m_waiting; ///< The first act is under way.
    base::MonotonicTime m_asked;   ///< Start of the act under way.
};

} // namespace latchkey::inspection
