#pragma once

#include "core/history/hold.h"
#include "core/inspection/line.h"
#include "core/keyspace/guardedacts.h"
#include "core/keyspace/watcher.h"

#include <deque>

namespace latchkey::inspection {

/// What is changed on a server, one key after the other, over a line of its own, which no two acts may share (WATCH).
///
/// What we have done ourselves is known at once: the listeners of the fan-out are told of it, and then the history that
/// it was us. Owned by the InspectedServer while it is armed; fan-out, watcher, clock and random source are not owned.
class Acts final
{
    Q_DISABLE_COPY_MOVE(Acts)

public:
    using Act = std::function<exchange::Exchange<keyspace::Acted>()>;
    using Done = std::function<void(const base::Result<keyspace::Acted> &)>;
    using Note = std::function<void(const QByteArray &key, const history::OwnAct &act)>;

    /// note: is told of each act that has changed something.
    Acts(const resp::Endpoint &endpoint, keyspace::FanOut &fanOut, keyspace::Watcher &watcher, Note note,
         const base::Clock &clock, base::RandomSource &random);
    /// Nobody is told what became of what has not ended.
    ~Acts();

    /// Carries it out when its turn comes; done is called once. shown: what it is done to, and nothing else.
    void carryOut(const keyspace::KeySnapshot &shown, history::OwnAct::Kind kind, Act act, Done done);
    /// Answers all that has not ended with an error: it is not known then whether the first of them took effect.
    void abandon();

    /// See resp::Connection::setTap().
    void setTap(resp::Connection::Tap tap) { m_line.setTap(std::move(tap)); }
    [[nodiscard]] quint64 commandsSent() const { return m_line.commandsSent(); }

private:
    struct Waiting
    {
        keyspace::KeySnapshot shown;
        history::OwnAct::Kind kind;
        Act act;
        Done done;
    };

    void next();
    void finish(const base::Result<keyspace::Acted> &acted);
    void tell(const Waiting &ended, const keyspace::Acted &acted, base::MonotonicTime asked);

    keyspace::FanOut &m_fanOut;
    keyspace::Watcher &m_watcher;
    const Note m_note;
    const base::Clock &m_clock;
    Line m_line;
    std::deque<Waiting> m_waiting; ///< The first is under way.
    base::MonotonicTime m_asked;   ///< Since when.
};

} // namespace latchkey::inspection
