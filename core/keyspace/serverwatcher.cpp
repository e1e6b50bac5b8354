#include "core/keyspace/serverwatcher.h"

#include <QPointer>

#include <algorithm>

namespace latchkey::keyspace {

using base::MonotonicTime;
using keys::KeyId;
using resp::Connection;
using resp::Session;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// Thirty times a second: as often as a table can be read.
constexpr auto tickInterval = 33ms;
/// While everything is read for the first time: the table shows what has come fifteen times a second, and no more of
/// the scan's time goes into painting rows that the next moment moves.
constexpr auto firstScanTickInterval = 66ms;
constexpr auto otherTimeout = 10s;
/// A small keyspace is scanned this often.
constexpr auto scanInterval = 250ms;
/// Where every change is told of, scans only find what was missed all the same: while it was noticed that somebody has
/// switched notifications off, say.
constexpr auto seldomScanInterval = 2s;
/// An empty database is seen within this time.
constexpr auto sizeInterval = 200ms;
/// Where so many keys have come since the last scan, and so large a part of them, everything is read again.
constexpr qint64 manyNewKeys = 10'000;
/// Fewer that are unknown are not worth a word: keys come and go, and the size counts what has expired.
constexpr qint64 fewUnknownKeys = 1000;

} // namespace

ServerWatcher::ServerWatcher(Session &session, const keys::KnownKeys &known, FanOut &fanOut, const base::Clock &clock,
                             QObject *parent)
    : Watcher(parent)
    , m_session(session)
    , m_known(known)
    , m_fanOut(fanOut)
    , m_clock(clock)
    , m_budget(defaultCommandsPerSecond, clock.now())
    , m_plan(known)
    , m_scanner(known, fanOut, clock)
    , m_missed(known, m_scanner, fanOut)
    , m_values(known, fanOut, m_budget, clock)
    , m_fields(session, known, fanOut, m_budget, clock)
    , m_poller(known, fanOut, m_budget, m_plan, m_values, clock)
{
    m_plan.setCommandsPerSecond(defaultCommandsPerSecond);
    m_fanOut.add(*this);
    connect(&m_session, &Session::stateChanged, this, &ServerWatcher::sessionChanged);
    connect(&m_scanner, &Scanner::finished, this, &ServerWatcher::scanFinished);
    connect(&m_scanner, &Scanner::failed, this, &ServerWatcher::scanFailed);
    m_tick.setTimerType(Qt::PreciseTimer);
    connect(&m_tick, &QTimer::timeout, this, &ServerWatcher::tick);
    m_tick.start(tickInterval);
    m_inference.setSingleShot(true);
    connect(&m_inference, &QTimer::timeout, this, [this] {
        if (m_missed.infer())
            m_inference.start(0ms); // After whatever else the event loop has to do.
    });
    connect(&m_poller, &Poller::refused, this, &ServerWatcher::setProblem);
    m_values.setCompletionFree(m_isFirstScanFast);
    m_scanner.setReadsInstead([this](const QByteArray &key, const Knowledge &what) {
        if (!m_poller.needsItsValue(key, what))
            return false;
        m_values.readAtOnce(key, Source::Read);
        return true;
    });
    sessionChanged();
}

ServerWatcher::~ServerWatcher()
{
    m_fanOut.remove(*this);
}

void ServerWatcher::setCommandsPerSecond(int commands)
{
    m_budget.setPerSecond(commands);
    m_plan.setCommandsPerSecond(commands);
}

void ServerWatcher::setFastFirstScan(bool isFast)
{
    if (m_isFirstScanFast == isFast)
        return;
    m_isFirstScanFast = isFast;
    m_values.setCompletionFree(isFast);
    if (m_phase == Phase::FirstScan && !m_isPaused)
        beginFirstScan();
}

std::chrono::seconds ServerWatcher::scanTimeWithinLimit(qint64 keys) const
{
    return std::chrono::seconds(keys / std::max(1, m_budget.perSecond()));
}

void ServerWatcher::setPaused(bool isPaused)
{
    if (m_isPaused == isPaused)
        return;
    m_isPaused = isPaused;
    m_values.setPaused(isPaused);
    m_poller.setPaused(isPaused);
    if (m_phase != Phase::FirstScan)
        return;
    if (isPaused)
        m_scanner.stop();
    else
        beginFirstScan();
}

void ServerWatcher::setAttention(const std::vector<KeyId> &ids)
{
    m_plan.setAttention(ids);
    m_values.setAttention(ids);
    m_fields.setAttention(ids);
}

void ServerWatcher::touched(const QList<QByteArray> &names)
{
    if (m_phase == Phase::Away || m_isPaused)
        return;
    m_fields.touched(names);
    if (!m_poller.touched(names))
        lookAgain(); // Which finds them faster than asking for each of them.
}

void ServerWatcher::lookAgain()
{
    if (m_phase != Phase::Watching || m_isPaused)
        return;
    // A scan under way goes on to its end, or one that is asked for again and again would never come there. And as long
    // as it is worked out what the last one has missed, there is no other.
    m_isScanWanted = m_scanner.isRunning();
    m_nextScan = MonotonicTime();
    m_nextSize = MonotonicTime();
    askDatabaseSize(m_clock.now());
}

bool ServerWatcher::isIncomplete() const
{
    if (m_scanner.isIncomplete())
        return true;
    const qint64 unknown = m_databaseSize - m_known.table.size();
    return m_phase == Phase::Watching && unknown > fewUnknownKeys && unknown * 20 > m_databaseSize;
}

void ServerWatcher::setPhase(Phase phase)
{
    if (m_phase == phase)
        return;
    m_tick.setInterval(phase == Phase::FirstScan ? firstScanTickInterval : tickInterval);
    m_phase = phase;
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

void ServerWatcher::observed(const Observations &observations)
{
    const MonotonicTime now = m_clock.now();
    for (const Observation &observation : observations) {
        const auto *exists = std::get_if<Exists>(&observation.what);
        if (exists == nullptr || !PollPlan::isNear(exists->deadline, now))
            continue;
        if (const auto known = m_known.table.find(observation.key))
            m_plan.noticed(*known, exists->deadline, now);
    }
    m_lastAnswered = now;
}

void ServerWatcher::emptied(NodeIndex, MonotonicTime, MonotonicTime)
{
    m_missed.clear();
}

void ServerWatcher::sessionChanged()
{
    ++m_connectionRun;
    m_others.clear();
    m_isAskingSize = false;
    m_fields.restart();
    const bool isReady = m_session.state() == Session::State::Ready;
    m_values.setConnection(isReady ? m_session.connection() : nullptr);
    m_poller.setConnection(isReady ? m_session.connection() : nullptr);
    if (isReady) {
        m_problem.reset();
        m_nextSize = MonotonicTime();
        m_lastAnswered = m_clock.now();
        m_scanTurn.reset();
        setPhase(Phase::FirstScan);
        if (!m_isPaused)
            beginFirstScan();
    } else if (m_phase != Phase::Away) {
        m_scanner.stop();
        m_missed.clear();
        setPhase(Phase::Away);
    }
}

void ServerWatcher::tick()
{
    Q_EMIT ticked();
    const MonotonicTime now = m_clock.now();
    if (m_session.state() != Session::State::Ready || m_isPaused)
        return;
    askDatabaseSize(now);
    askOther(now);
    m_poller.setKnowsAll(m_phase == Phase::Watching && !isIncomplete());
    m_poller.askTouched();
    if (m_phase == Phase::Watching) {
        // Where there is more to ask than may be asked, the poll would take it all: it chooses first only every
        // other time, so that new keys are found and the rows on screen have their values.
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
    lookForMissed();
}

std::optional<milliseconds> ServerWatcher::unseenFor() const
{
    if (m_scanTurn || m_phase != Phase::Watching)
        return m_scanTurn;
    return std::chrono::ceil<milliseconds>(m_clock.now() - m_firstScanBegan); // Since when all has been met once.
}

void ServerWatcher::beginFirstScan()
{
    m_firstScanBegan = m_clock.now();
    if (m_isFirstScanFast)
        m_values.freeWishes();
    beginScan(m_isFirstScanFast ? Scanner::Pace::AsFastAsPossible : Scanner::Pace::OnDemand);
}

void ServerWatcher::beginScan(Scanner::Pace pace)
{
    m_scanCommands = 0;
    m_isScanWanted = false;
    m_missed.clear(); // What the scanner has met is of the new scan from here on.
    Scanner::Options options;
    options.pace = pace;
    m_scanner.begin(*m_session.connection(), options);
}

void ServerWatcher::scanFinished()
{
    const MonotonicTime now = m_clock.now();
    const milliseconds pause = m_isToldOfChanges ? milliseconds(seldomScanInterval) : milliseconds(scanInterval);
    if (m_phase == Phase::Watching)
        m_scanTurn = std::chrono::ceil<milliseconds>(now - m_scanner.started()) + pause;
    m_missed.begin(now);
    m_nextScan = std::exchange(m_isScanWanted, false) ? now : now + pause;
    m_sizeAtScan = m_databaseSize;
    // A refusal is over when nothing has been refused for as long as it takes to try again.
    constexpr auto refusalIsOver = 5s;
    if (m_scanner.denial())
        setProblem(m_scanner.denial());
    else if (now - m_poller.refusedAt() > refusalIsOver)
        setProblem(std::nullopt);
    if (m_phase == Phase::FirstScan)
        setPhase(Phase::Watching);
    Q_EMIT progressChanged();
}

void ServerWatcher::scanFailed(const base::Error &error)
{
    const bool isOfTheConnection =
        error.kind == base::ErrorKind::ConnectionLost || error.kind == base::ErrorKind::TimedOut;
    if (m_session.state() != Session::State::Ready || isOfTheConnection)
        return; // The session tells what happened: in a moment, where its connection is just ending.
    m_nextScan = m_clock.now() + 5s;
    if (m_phase == Phase::FirstScan)
        setPhase(Phase::Watching);
    setProblem(error);
}

void ServerWatcher::scanOn(MonotonicTime now)
{
    if (m_phase == Phase::Watching && !m_scanner.isRunning() && now >= m_nextScan && m_missed.isEmpty())
        beginScan(Scanner::Pace::OnDemand);
    if (m_scanner.pace() == Scanner::Pace::AsFastAsPossible)
        return; // It is not held to the budget.
    m_budget.spend(static_cast<int>(m_scanner.commandsSent() - m_scanCommands));
    m_scanCommands = m_scanner.commandsSent();
    if (const int available = m_budget.available(now); available > 0 && m_scanner.canStep()) {
        m_scanner.step(available);
        m_budget.spend(static_cast<int>(m_scanner.commandsSent() - m_scanCommands));
        m_scanCommands = m_scanner.commandsSent();
    }
}

void ServerWatcher::lookForMissed()
{
    if (!m_missed.collect())
        return;
    if (static_cast<qint64>(m_missed.count() + m_plan.doubts()) > m_budget.perSecond()) {
        m_inference.start(0ms);
        return;
    }
    for (const KeyId id : m_missed.take())
        m_plan.doubt(id);
}

void ServerWatcher::ask(resp::Commands commands, std::function<void(const Connection::Delivery &)> answered)
{
    if (m_phase != Phase::Away)
        m_others.push_back({std::move(commands), std::move(answered)});
}

void ServerWatcher::askOther(MonotonicTime now)
{
    while (!m_others.empty() && m_budget.available(now) > 0) {
        const Other other = std::move(m_others.front());
        m_others.pop_front();
        m_budget.spend(static_cast<int>(other.commands.size()));
        m_session.connection()->send(other.commands, otherTimeout,
                                     [alive = QPointer<ServerWatcher>(this), run = m_connectionRun,
                                      other](const base::Result<Connection::Delivery> &outcome) {
                                         if (!alive || !outcome || alive->m_connectionRun != run)
                                             return;
                                         Q_EMIT alive->answered(other.commands, *outcome);
                                         other.answered(*outcome);
                                     });
    }
}

void ServerWatcher::askDatabaseSize(MonotonicTime now)
{
    if (now < m_nextSize || m_isAskingSize)
        return;
    m_nextSize = now + sizeInterval;
    m_isAskingSize = true;
    m_session.connection()->send({{QByteArrayLiteral("DBSIZE")}}, otherTimeout,
                                 [alive = QPointer<ServerWatcher>(this),
                                  run = m_connectionRun](const base::Result<Connection::Delivery> &outcome) {
                                     if (alive && outcome && alive->m_connectionRun == run)
                                         alive->sizeAnswered(*outcome);
                                 });
    m_budget.spend(1);
}

void ServerWatcher::sizeAnswered(const Connection::Delivery &delivery)
{
    m_isAskingSize = false;
    m_lastAnswered = delivery.received;
    if (!delivery.replies.front().isInteger()) {
        m_nextSize = delivery.received + 5s; // Denied: that can change.
        return;
    }
    m_databaseSize = delivery.replies.front().toInteger();
    if (m_databaseSize == 0)
        m_sizeAtScan = 0; // Whatever comes now is new.
    if (m_databaseSize == 0 && m_known.table.size() > 0 && m_phase == Phase::Watching)
        m_fanOut.handEmptied(0, delivery.sent, delivery.received);
    const qint64 come = m_databaseSize - m_sizeAtScan;
    if (m_phase == Phase::Watching && come > manyNewKeys && come > m_sizeAtScan / 2 && m_isFirstScanFast) {
        setPhase(Phase::FirstScan);
        beginFirstScan();
    }
    Q_EMIT progressChanged();
}

} // namespace latchkey::keyspace
