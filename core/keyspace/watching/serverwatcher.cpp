#include "core/keyspace/watching/serverwatcher.h"

#include <algorithm>

namespace latchkey::watching {

using base::Glob;
using base::MonotonicTime;
using keys::KeyId;
using net::Connection;
using net::Session;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// Thirty ticks a second: as often as a user can read a table.
constexpr auto tickInterval = 33ms;
/// Tick interval of the first scan. The table shows new keys fifteen times a second, so that less time is spent on
/// painting rows that move again at once.
constexpr auto firstScanTickInterval = 66ms;
constexpr auto otherTimeout = 10s;
/// Number of new keys since the last scan above which all keys are scanned as fast as possible. They must also be more
/// than half of the former number.
constexpr qint64 manyNewKeys = 10'000;
/// Number of unknown keys that is not reported: keys come and go, and the size counts expired keys.
constexpr qint64 fewUnknownKeys = 1000;

/// Returns a predicate for names that match one of the patterns; empty without patterns.
std::function<bool(QByteArrayView)> anyOf(const std::vector<Glob> &globs)
{
    if (globs.empty())
        return {};
    return [globs](QByteArrayView name) {
        return std::ranges::any_of(globs, [name](const Glob &glob) { return glob.matches(name); });
    };
}

} // namespace

ServerWatcher::ServerWatcher(Session &session, const keys::KnownKeys &known, events::ObservationDispatcher &dispatcher,
                             const base::Clock &clock, QObject *parent)
    : Watcher(parent)
    , m_session(session)
    , m_known(known)
    , m_dispatcher(dispatcher)
    , m_clock(clock)
    , m_meter(clock)
    , m_costMeter(m_costs)
    , m_budget(m_limit, clock.now(), &m_costs)
    , m_probe(session, m_budget)
    , m_plan(known)
    , m_scanner(known, dispatcher, clock)
    , m_missed(known, m_scanner, dispatcher)
    , m_values(known, dispatcher, m_budget, clock)
    , m_fields(session, known, dispatcher, m_budget, clock)
    , m_poller(known, dispatcher, m_budget, m_plan, m_values, clock)
{
    applyLimit();
    m_dispatcher.add(*this);
    m_session.addTrafficObserver(m_meter.trafficObserver());
    m_session.addTrafficObserver(m_costMeter.trafficObserver());
    connect(&m_costMeter, &budget::CostMeter::measured, this, &ServerWatcher::applyLimit);
    connect(&m_costMeter, &budget::CostMeter::databasesSwapped, this, &ServerWatcher::rescan);
    connect(&m_meter, &events::CoverageMeter::gapChanged, this, &ServerWatcher::gapChanged);
    connect(&m_meter, &events::CoverageMeter::commandsAccepted, this, &ServerWatcher::commandsAccepted,
            Qt::QueuedConnection);
    connect(&m_size, &DatabaseSize::measured, this, &ServerWatcher::sizeMeasured);
    connect(&m_session, &Session::stateChanged, this, &ServerWatcher::sessionChanged);
    connect(&m_scanner, &Scanner::finished, this, &ServerWatcher::scanFinished);
    connect(&m_scanner, &Scanner::failed, this, &ServerWatcher::scanFailed);
    connect(&m_scanner, &Scanner::pageScanned, this, &ServerWatcher::pageScanned);
    m_scanner.setCosts(&m_costs);
    m_tick.setTimerType(Qt::PreciseTimer);
    connect(&m_tick, &QTimer::timeout, this, &ServerWatcher::tick);
    m_tick.start(tickInterval);
    m_inferenceTimer.setSingleShot(true);
    connect(&m_inferenceTimer, &QTimer::timeout, this, [this] {
        if (m_missed.infer())
            m_inferenceTimer.start(0ms); // After all other events of the event loop.
    });
    connect(&m_poller, &Poller::refused, this, &ServerWatcher::setProblem);
    connect(&m_poller, &Poller::keyRefused, &m_scanner, &Scanner::addRefused);
    m_values.setCompletionFree(true);
    m_scanner.setReadDelegate([this](const QByteArray &key, const events::ObservationContent &content) {
        if (!m_poller.needsItsValue(key, content))
            return false;
        m_values.readAtOnce(key, events::Source::Read);
        return true;
    });
    sessionChanged();
}

ServerWatcher::~ServerWatcher()
{
    m_dispatcher.remove(*this);
}

void ServerWatcher::setLimit(const budget::CommandLimit &limit)
{
    m_limit = limit;
    applyLimit();
}

void ServerWatcher::setFirstScanLimit(const std::optional<budget::CommandLimit> &limit)
{
    if (m_firstScanLimit == limit)
        return;
    const bool wasFast = !m_firstScanLimit;
    m_firstScanLimit = limit;
    m_values.setCompletionFree(!limit);
    applyLimit();
    if (wasFast != !limit && m_phase == Phase::FirstScan && !m_isPaused)
        beginFirstScan();
}

/// Applies the limit of the phase. The plan gets the limit too, also when the costs of the commands have changed.
void ServerWatcher::applyLimit()
{
    m_budget.setLimit(m_phase == Phase::FirstScan ? m_firstScanLimit.value_or(m_limit) : m_limit);
    m_plan.setCommandsPerSecond(m_budget.perSecond());
}

void ServerWatcher::setPaused(bool isPaused)
{
    if (m_isPaused == isPaused)
        return;
    m_isPaused = isPaused;
    m_values.setPaused(isPaused);
    m_poller.setPaused(isPaused);
    m_meter.setPaused(isPaused);
    if (m_phase != Phase::FirstScan)
        return;
    if (isPaused)
        m_scanner.stop();
    else
        beginFirstScan();
}

void ServerWatcher::setVisibleKeys(const std::vector<KeyId> &ids)
{
    m_plan.setVisibleKeys(ids);
    m_values.setVisibleKeys(ids);
    m_fields.setVisibleKeys(ids);
}

void ServerWatcher::setPreferredKeys(const std::vector<Glob> &globs)
{
    m_scanner.setPreferred(anyOf(globs));
}

void ServerWatcher::setKeyFilter(const std::vector<Glob> &globs)
{
    m_confined = globs;
    m_scanner.setFilter(anyOf(globs));
}

void ServerWatcher::setHasChangeEvents(bool hasChangeEvents, MonotonicTime reportedUntil)
{
    m_hasChangeEvents = hasChangeEvents;
    m_meter.setHasChangeEvents(hasChangeEvents, reportedUntil);
}

void ServerWatcher::setChangesDenied(const std::optional<base::Error> &why)
{
    m_meter.setChangesDenied(why);
    Q_EMIT progressChanged();
}

void ServerWatcher::keysChanged(const QList<QByteArray> &names)
{
    if (m_phase == Phase::Away || m_isPaused || m_meter.serverError())
        return;
    QList<QByteArray> wanted = names;
    if (!m_confined.empty())
        wanted.removeIf([matches = anyOf(m_confined)](const QByteArray &name) { return !matches(name); });
    m_fields.keysChanged(wanted);
    if (!m_poller.keysChanged(wanted))
        rescan(); // A scan finds them faster than one request for each.
}

bool ServerWatcher::isIncomplete() const
{
    if (m_scanner.isIncomplete())
        return true;
    const qint64 unknown = databaseSize() - (m_confined.empty() ? m_known.table.size() : m_scannedKeys);
    return m_phase == Phase::Watching && unknown > fewUnknownKeys && unknown * 20 > databaseSize();
}

/// Returns the coverage. During the first scan it is partial: it covers the keys returned so far, and no key counts
/// as missed.
events::Coverage ServerWatcher::coverage() const
{
    const bool isAll = m_isScanned && m_phase != Phase::FirstScan && !isIncomplete();
    const qint64 keys =
        m_isScanned && m_phase != Phase::FirstScan ? m_scannedKeys : static_cast<qint64>(m_scanner.keysAnswered());
    // Keys that the scan returned may have ended before the size was asked.
    const auto of = m_size.isKnown() ? std::optional(std::max(databaseSize(), keys)) : std::nullopt;
    const MonotonicTime oldest = std::min(m_poller.oldestPendingChange(), m_values.oldestWaiting());
    const MonotonicTime now = m_clock.now();
    const auto lag = std::max<std::chrono::nanoseconds>(now - oldest, 0ns);
    return m_meter.coverage({isAll, isAll ? of.value_or(keys) : keys, of, m_values.unread(now) + m_unrequested},
                            oldest == MonotonicTime::max() ? 0ns : lag);
}

void ServerWatcher::setPhase(Phase phase)
{
    if (m_phase == phase)
        return;
    m_tick.setInterval(phase == Phase::FirstScan ? firstScanTickInterval : tickInterval);
    m_phase = phase;
    applyLimit();
    m_costMeter.setFrequent(phase == Phase::FirstScan && m_firstScanLimit);
    m_values.setStage(phase == Phase::Watching ? ValueQueue::Stage::Watching : ValueQueue::Stage::Scanning);
    Q_EMIT phaseChanged(phase);
}

void ServerWatcher::setProblem(const std::optional<base::Error> &problem)
{
    if (m_problem == problem)
        return;
    m_problem = problem;
    Q_EMIT progressChanged();
}

void ServerWatcher::observed(const events::Observations &observations)
{
    const MonotonicTime now = m_clock.now();
    for (const events::Observation &observation : observations) {
        const auto *exists = std::get_if<events::Exists>(&observation.content);
        if (exists == nullptr || !PollPlan::isNear(exists->deadline, now))
            continue;
        if (const auto known = m_known.table.find(observation.key))
            m_plan.recordExpiry(*known, exists->deadline, now);
    }
    m_lastAnswered = now;
}

void ServerWatcher::emptied(events::NodeIndex, MonotonicTime, MonotonicTime)
{
    m_missed.clear();
}

void ServerWatcher::sessionChanged()
{
    m_others.clear();
    m_fields.restart();
    m_probe.reset();
    const bool isReady = m_session.state() == Session::State::Ready;
    Connection *connection = isReady ? m_session.connection() : nullptr;
    m_requests.use(connection);
    m_costMeter.setConnection(connection);
    m_size.setConnection(connection);
    m_replication.setConnection(connection);
    m_values.setConnection(connection);
    m_poller.setConnection(connection);
    if (isReady) {
        m_isScanned = false;
        m_values.setAsksIdleTimes(events::areIdleTimesTrue(m_session.server()));
        m_meter.connected();
        m_problem.reset();
        m_lastAnswered = m_clock.now();
        m_scanTurn.reset();
        m_lastScanBegan.reset();
        m_valuesOutdated = m_clock.now(); // Changes while there was no connection.
        pollServer(m_clock.now());        // Shows which part of the database has been scanned.
        setPhase(Phase::FirstScan);
        if (!m_isPaused)
            beginFirstScan();
    } else if (m_phase != Phase::Away) {
        m_meter.lost(m_session.lastError().value_or(base::Error {
            base::ErrorKind::ConnectionLost, base::Text(QT_TRANSLATE_NOOP("core", "the connection is closed"))}));
        m_scanner.stop();
        m_missed.clear();
        setPhase(Phase::Away);
    } else {
        m_meter.awaitConnection(m_session.lastError().value_or(
            base::Error {base::ErrorKind::ConnectionLost, base::Text(QT_TRANSLATE_NOOP("core", "not connected yet"))}));
    }
}

void ServerWatcher::tick()
{
    Q_EMIT ticked();
    const MonotonicTime now = m_clock.now();
    if (m_session.state() != Session::State::Ready || m_isPaused)
        return;
    m_meter.check();
    if (m_meter.serverError()) // Every request gets the same error, so fewer requests are sent.
        return m_probe.poll(m_meter.probe(), now);
    pollServer(now);
    sendOther(now);
    m_poller.setKnowsAll(m_phase == Phase::Watching && !isIncomplete());
    m_poller.queryChanged();
    tickWatching(now);
}

void ServerWatcher::tickWatching(MonotonicTime now)
{
    if (m_phase == Phase::Watching) {
        // If more is due than the budget allows, the poll would use all of it. So the poll goes first only on every
        // other tick. New keys are then found, and the rows on screen get their values.
        m_isPollFirst = !m_isPollFirst;
        if (m_isPollFirst)
            m_poller.poll(now);
        m_values.tick(now);
        m_fields.tick(now);
        scanOn(now);
        if (!m_isPollFirst)
            m_poller.poll(now);
    } else {
        m_values.tick(now);
        scanOn(now);
        Q_EMIT progressChanged();
    }
    findMissedKeys();
    rereadValues();
}

/// Scans all keys again; as a first scan, if none has been completed before.
void ServerWatcher::commandsAccepted()
{
    m_probe.reset();
    if (m_session.state() != Session::State::Ready || m_isPaused || m_meter.serverError())
        return;
    setProblem(std::nullopt);
    if (m_isScanned)
        return rescan();
    setPhase(Phase::FirstScan);
    beginFirstScan();
}

std::optional<milliseconds> ServerWatcher::unseenFor() const
{
    if (m_scanTurn || m_phase != Phase::Watching)
        return m_scanTurn;
    return std::chrono::ceil<milliseconds>(m_clock.now() - m_firstScanBegan); // The first scan has returned each key
                                                                              // once.
}

void ServerWatcher::send(resp::Commands commands, const QObject *context, net::RequestScope::Answered answered)
{
    if (m_phase != Phase::Away)
        m_others.push_back({std::move(commands), context, std::move(answered)});
}

void ServerWatcher::sendOther(MonotonicTime now)
{
    while (!m_others.empty() && m_budget.available(now) > 0) {
        const Request other = std::move(m_others.front());
        m_others.pop_front();
        m_budget.spend(m_budget.costOf(other.commands));
        m_requests.sendIgnoringErrors(other.commands, otherTimeout,
                                      [this, other](const Connection::Delivery &delivery) {
                                          Q_EMIT answered(other.commands, delivery);
                                          if (other.context)
                                              other.answered(delivery);
                                      });
    }
}

void ServerWatcher::pollServer(MonotonicTime now)
{
    for (const resp::Commands &request : {m_costMeter.poll(now), m_replication.poll(now)}) {
        if (!request.empty())
            m_budget.spend(m_budget.costOf(request));
    }
    if (m_size.poll(now))
        m_budget.spend(m_budget.costOf({{QByteArrayLiteral("DBSIZE")}}));
}

void ServerWatcher::sizeMeasured(MonotonicTime sent, MonotonicTime received)
{
    m_lastAnswered = received;
    const qint64 size = databaseSize();
    m_scanner.setExpected(size);
    if (size == 0)
        m_sizeAtScan = 0; // All later keys are new.
    if (size == 0 && m_known.table.size() > 0 && m_phase == Phase::Watching)
        m_dispatcher.deliverEmptied(0, sent, received);
    const qint64 come = size - m_sizeAtScan;
    if (m_phase == Phase::Watching && come > manyNewKeys && come > m_sizeAtScan / 2 && !m_firstScanLimit) {
        setPhase(Phase::FirstScan);
        beginFirstScan();
    }
    Q_EMIT progressChanged();
}

} // namespace latchkey::watching
