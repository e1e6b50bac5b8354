#include "core/inspection/inspectedserver.h"

#include <algorithm>

namespace latchkey::inspection {

using base::ErrorKind;
using keyspace::DeleteOutcome;
using keyspace::EventSource;
using keyspace::KeySnapshot;
using resp::Session;
using namespace std::chrono_literals;

namespace {

constexpr auto commitBudget = 1ms;
constexpr auto recognitionBudget = 1ms;

/// A value of many mebibytes over a slow line is worth waiting for.
constexpr auto longestAct = 120s;

} // namespace

InspectedServer::Line::Line(const resp::Endpoint &endpoint, const base::Clock &clock, base::RandomSource &random)
    : session(endpoint, clock, random)
    , driver({&session}, clock, random)
{
    // While a large value is on its way, nothing else gets through.
    session.setTiming({5s, 10s, longestAct});
    driver.setTimeout(longestAct);
    session.start();
}

InspectedServer::InspectedServer(const resp::Endpoint &endpoint, bool isPrivate, const base::Clock &clock,
                                 base::RandomSource &random, QObject *parent)
    : QObject(parent)
    , m_isPrivate(isPrivate)
    , m_clock(clock)
    , m_random(random)
    , m_session(endpoint, clock, random)
    , m_cluster(m_session)
    , m_store(clock)
    , m_feed(m_store, [this] { m_moreWork.start(0ms); })
    , m_watcher(m_session, m_store.known(), m_fanOut, clock)
    , m_events(m_session, m_fanOut, clock, random)
    , m_locks(m_store, m_watcher, m_fanOut, clock)
    , m_holds(m_locks, m_store, m_ledger, m_watcher, clock)
    , m_judge(m_locks, m_holds, m_watcher, clock)
{
    // The store first: the others look up there what they are told of. The watcher has put itself there already, and
    // goes behind it.
    m_fanOut.addFirst(m_feed);
    m_fanOut.add(m_ledger);
    m_locks.setCountFindings([this](const LockFinder::Looked &looked) {
        return static_cast<int>(std::ranges::count_if(
            m_judge.judge(looked.recognition, looked.sighting),
            [](const findings::Finding &finding) { return finding.severity != findings::Severity::Info; }));
    });
    m_moreWork.setSingleShot(true);
    connect(&m_moreWork, &QTimer::timeout, this, &InspectedServer::commit);
    connect(&m_watcher, &keyspace::Watcher::ticked, this, &InspectedServer::commit);
    connect(&m_ledger, &keyspace::Ledger::confirmationWanted, &m_events, &EventSource::confirm);
    connect(&m_events, &EventSource::touched, &m_watcher, &keyspace::Watcher::touched);
    // It may be another database: the watcher asks for the size of ours.
    connect(&m_events, &EventSource::flushed, &m_watcher, &keyspace::Watcher::lookAgain);
    connect(&m_events, &EventSource::meansChanged, this, [this] {
        const bool isTold = m_events.means() != EventSource::Means::None;
        m_watcher.setToldOfChanges(isTold);
        m_watcher.lookAgain(); // What happened in between, nobody has told of.
        Q_EMIT eventsChanged();
    });
}

InspectedServer::~InspectedServer() = default;

void InspectedServer::start()
{
    m_session.start();
    if (m_isPrivate)
        setArmed(true);
}

void InspectedServer::commit()
{
    // While everything is looked at for the first time, what is met may have been there for any time.
    m_store.setUnseenFor(m_watcher.scanTurn().value_or(std::chrono::milliseconds::max()));
    const bool hasMore = m_store.commit(commitBudget);
    if (m_locks.lookOn(QDeadlineTimer(recognitionBudget, Qt::PreciseTimer)) || hasMore)
        m_moreWork.start(0ms); // After whatever else the event loop has to do.
    Q_EMIT committed();
}

void InspectedServer::setAttention(const QObject &viewer, const std::vector<keys::KeyId> &ids)
{
    if (ids.empty()) {
        if (m_attention.remove(&viewer) == 0)
            return;
    } else {
        if (!m_attention.contains(&viewer))
            connect(&viewer, &QObject::destroyed, this, [this, gone = &viewer] { m_attention.remove(gone); });
        m_attention[&viewer] = ids;
    }
    if (m_attention.size() <= 1) {
        m_watcher.setAttention(ids.empty() && !m_attention.isEmpty() ? *m_attention.cbegin() : ids);
        return;
    }
    std::vector<keys::KeyId> all;
    for (const auto &seen : std::as_const(m_attention)) {
        for (const keys::KeyId id : seen) {
            if (std::ranges::find(all, id) == all.end())
                all.push_back(id);
        }
    }
    m_watcher.setAttention(all);
}

void InspectedServer::setArmed(bool isArmed)
{
    if (isArmed == this->isArmed())
        return;
    if (isArmed) {
        m_acting = std::make_unique<Line>(endpoint(), m_clock, m_random);
    } else {
        m_earlierCommands += m_acting->session.commandsSent();
        m_acting.reset();
    }
    Q_EMIT armedChanged(isArmed);
}

void InspectedServer::whenReady(Line &line, std::function<void(std::optional<base::Error>)> then)
{
    if (line.session.state() == Session::State::Ready) {
        then(std::nullopt);
        return;
    }
    auto *waiting = new QObject(&line.session); // Goes with the session, or with the answer.
    connect(&line.session, &Session::stateChanged, waiting,
            [waiting, session = &line.session, then = std::move(then)](Session::State state) {
                if (state == Session::State::Connecting)
                    return;
                waiting->deleteLater();
                waiting->disconnect();
                session->disconnect(waiting);
                if (state == Session::State::Ready)
                    then(std::nullopt);
                else
                    then(session->lastError().value_or(base::Error {
                        ErrorKind::ConnectionLost, base::Text(QT_TRANSLATE_NOOP("core", "the connection is closed"))}));
            });
}

void InspectedServer::takeSnapshot(const base::Key &key, std::function<void(base::Result<KeySnapshot>)> done)
{
    if (!m_reading)
        m_reading = std::make_unique<Line>(endpoint(), m_clock, m_random);
    ++m_reading->underWay;
    const auto finish = [this, done = std::move(done)](const base::Result<KeySnapshot> &snapshot) {
        --m_reading->underWay;
        // Not from within one of its own answers.
        QMetaObject::invokeMethod(this, &InspectedServer::closeReading, Qt::QueuedConnection);
        done(snapshot);
    };
    whenReady(*m_reading, [this, key, finish](const std::optional<base::Error> &error) {
        if (error)
            finish(base::failure(*error));
        else
            m_reading->driver.run<KeySnapshot>(keyspace::takeSnapshot(key), finish);
    });
}

void InspectedServer::closeReading()
{
    if (!m_reading || m_reading->underWay > 0)
        return;
    m_earlierCommands += m_reading->session.commandsSent();
    m_reading.reset();
}

void InspectedServer::deleteIfUnchanged(const KeySnapshot &snapshot,
                                        std::function<void(base::Result<DeleteOutcome>)> done)
{
    if (!m_acting) {
        done(base::failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "writing to %1 is not armed"),
                           endpoint().display()));
        return;
    }
    const auto finish = [this, key = snapshot.key, asked = m_clock.now(),
                         done = std::move(done)](const base::Result<DeleteOutcome> &outcome) {
        deleted(key, outcome, asked);
        done(outcome);
    };
    whenReady(*m_acting, [this, snapshot, finish](const std::optional<base::Error> &error) {
        if (error)
            finish(base::failure(*error));
        else
            m_acting->driver.run<DeleteOutcome>(keyspace::deleteIfUnchanged(snapshot), finish);
    });
}

/// What we have done ourselves is known at once.
void InspectedServer::deleted(const base::Key &key, const base::Result<DeleteOutcome> &outcome,
                              base::MonotonicTime asked)
{
    if (!outcome)
        return;
    if (*outcome == DeleteOutcome::Changed)
        m_watcher.touched({key.bytes()});
    else
        m_fanOut.hand({{key.bytes(), keyspace::Gone {}, asked, m_clock.now(),
                        *outcome == DeleteOutcome::Deleted ? keyspace::Source::Act : keyspace::Source::Read}});
}

quint64 InspectedServer::commandsSent() const
{
    return m_session.commandsSent() + m_events.pushCommandsSent() + m_earlierCommands
         + (m_acting ? m_acting->session.commandsSent() : 0) + (m_reading ? m_reading->session.commandsSent() : 0);
}

} // namespace latchkey::inspection
