#include "core/keyspace/watcher.h"

#include "core/resp/servererror.h"

#include <QPointer>

#include <algorithm>

namespace latchkey::keyspace {

using base::MonotonicTime;
using keys::KeyId;
using resp::Connection;
using resp::Reply;
using resp::Session;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// Thirty times a second: as often as a table can be read.
constexpr auto tickInterval = 33ms;
/// While everything is read for the first time: the table shows what has come fifteen times a second, and no more of
/// the scan's time goes into painting rows that the next moment moves.
constexpr auto firstScanTickInterval = 66ms;
constexpr auto pollTimeout = 10s;
constexpr std::size_t largestPoll = 500;
/// Over a line with a long round trip one poll at a time would not use the budget.
constexpr int mostPollsUnderWay = 4;
/// Where more keys than these have changed and wait to be asked about, a scan is faster.
constexpr qsizetype mostTouched = 20'000;
/// A small keyspace is scanned this often.
constexpr auto scanInterval = 250ms;
/// Values on screen are read this often.
constexpr auto readInterval = 1s;
/// An empty database is seen within this time.
constexpr auto sizeInterval = 200ms;
/// Where so many keys have come since the last scan, and so large a part of them, everything is read again.
constexpr qint64 manyNewKeys = 10'000;
/// Fewer that are unknown are not worth a word: keys come and go, and the size counts what has expired.
constexpr qint64 fewUnknownKeys = 1000;

} // namespace

Watcher::Watcher(Session &session, const keys::KnownKeys &known, FanOut &fanOut, const base::Clock &clock,
                 QObject *parent)
    : QObject(parent)
    , m_session(session)
    , m_known(known)
    , m_fanOut(fanOut)
    , m_clock(clock)
    , m_budget(defaultCommandsPerSecond, clock.now())
    , m_plan(known)
    , m_scanner(known, fanOut, clock)
    , m_missed(known, m_scanner, fanOut)
    , m_reader(known, fanOut)
    , m_completion(known)
{
    m_plan.setCommandsPerSecond(defaultCommandsPerSecond);
    m_fanOut.add(*this);
    connect(&m_session, &Session::stateChanged, this, &Watcher::sessionChanged);
    connect(&m_scanner, &Scanner::finished, this, &Watcher::scanFinished);
    connect(&m_scanner, &Scanner::failed, this, &Watcher::scanFailed);
    // Queued: a batch of which nothing is to be read is finished at once, and must not lead to the next from within.
    connect(&m_reader, &ValueReader::finished, this, &Watcher::complete, Qt::QueuedConnection);
    connect(&m_reader, &ValueReader::finished, this, &Watcher::readWaiting, Qt::QueuedConnection);
    m_tick.setTimerType(Qt::PreciseTimer);
    connect(&m_tick, &QTimer::timeout, this, &Watcher::tick);
    m_tick.start(tickInterval);
    m_inference.setSingleShot(true);
    connect(&m_inference, &QTimer::timeout, this, [this] {
        if (m_missed.infer())
            m_inference.start(0ms); // After whatever else the event loop has to do.
    });
    m_askTouched.setSingleShot(true);
    connect(&m_askTouched, &QTimer::timeout, this, &Watcher::askTouched);
    sessionChanged();
}

Watcher::~Watcher()
{
    m_fanOut.remove(*this);
}

void Watcher::setCommandsPerSecond(int commands)
{
    m_budget.setPerSecond(commands);
    m_plan.setCommandsPerSecond(commands);
}

void Watcher::setFastFirstScan(bool isFast)
{
    if (m_isFirstScanFast == isFast)
        return;
    m_isFirstScanFast = isFast;
    if (m_phase == Phase::FirstScan && !m_isPaused)
        beginFirstScan();
}

std::chrono::seconds Watcher::scanTimeWithinLimit(qint64 keys) const
{
    return std::chrono::seconds(keys / std::max(1, m_budget.perSecond()));
}

void Watcher::setPaused(bool isPaused)
{
    if (m_isPaused == isPaused)
        return;
    m_isPaused = isPaused;
    if (m_phase != Phase::FirstScan)
        return;
    if (isPaused)
        m_scanner.stop();
    else
        beginFirstScan();
}

void Watcher::setAttention(const std::vector<KeyId> &ids)
{
    const bool isNew = ids != m_attention;
    m_attention = ids;
    m_plan.setAttention(ids);
    // What has just come on screen is empty there: not after the next second.
    if (isNew)
        m_nextRead = std::min(m_nextRead, m_clock.now() + 50ms);
}

void Watcher::touched(const QList<QByteArray> &names)
{
    if (m_phase == Phase::Away || m_isPaused)
        return;
    for (const QByteArray &name : names)
        m_touched.insert(name);
    if (m_touched.size() > mostTouched) {
        m_touched.clear();
        lookAgain(); // Which finds them faster than asking for each of them.
    } else if (!m_askTouched.isActive()) {
        m_askTouched.start(0ms); // Together with all that comes in this turn of the event loop.
    }
}

void Watcher::lookAgain()
{
    if (m_phase != Phase::Watching || m_isPaused)
        return;
    m_nextScan = MonotonicTime();
    m_nextSize = MonotonicTime();
    askDatabaseSize(m_clock.now());
    if (!m_scanner.isRunning() || m_scanner.pace() == Scanner::Pace::OnDemand)
        beginScan(Scanner::Pace::OnDemand);
}

bool Watcher::isIncomplete() const
{
    if (m_scanner.isIncomplete())
        return true;
    const qint64 unknown = m_databaseSize - m_known.table.size();
    return m_phase == Phase::Watching && unknown > fewUnknownKeys && unknown * 20 > m_databaseSize;
}

void Watcher::setPhase(Phase phase)
{
    if (m_phase == phase)
        return;
    m_tick.setInterval(phase == Phase::FirstScan ? firstScanTickInterval : tickInterval);
    m_phase = phase;
    Q_EMIT phaseChanged(phase);
}

void Watcher::setProblem(const std::optional<base::Error> &problem)
{
    if (m_problem == problem)
        return;
    m_problem = problem;
    Q_EMIT progressChanged();
}

void Watcher::observed(const Observations &observations)
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

void Watcher::emptied(NodeIndex, MonotonicTime, MonotonicTime)
{
    m_missed.clear();
}

void Watcher::sessionChanged()
{
    ++m_connectionRun;
    m_pollsUnderWay = 0;
    m_isAskingSize = false;
    m_plan.forgetAsked();
    m_waitingForRead.clear();
    m_touched.clear();
    if (m_session.state() == Session::State::Ready) {
        m_problem.reset();
        m_nextSize = MonotonicTime();
        m_lastAnswered = m_clock.now();
        m_scanTurn.reset();
        setPhase(Phase::FirstScan);
        if (!m_isPaused)
            beginFirstScan();
    } else if (m_phase != Phase::Away) {
        m_scanner.stop();
        m_reader.stop();
        m_missed.clear();
        setPhase(Phase::Away);
    }
}

void Watcher::tick()
{
    Q_EMIT ticked();
    const MonotonicTime now = m_clock.now();
    if (m_session.state() != Session::State::Ready || m_isPaused)
        return;
    askDatabaseSize(now);
    askTouched();
    if (m_phase == Phase::Watching) {
        // Where there is more to ask than may be asked, the poll would take it all: it chooses first only every
        // other time, so that new keys are found and the rows on screen have their values.
        m_isPollFirst = !m_isPollFirst;
        if (m_isPollFirst)
            poll(now);
        readValues(now);
        scanOn(now);
        if (!m_isPollFirst)
            poll(now);
    } else {
        readValues(now);
        scanOn(now);
        Q_EMIT progressChanged();
    }
    lookForMissed();
}

void Watcher::beginFirstScan()
{
    beginScan(m_isFirstScanFast ? Scanner::Pace::AsFastAsPossible : Scanner::Pace::OnDemand);
}

void Watcher::beginScan(Scanner::Pace pace)
{
    m_scanCommands = 0;
    Scanner::Options options;
    options.pace = pace;
    m_scanner.begin(*m_session.connection(), options);
}

void Watcher::scanFinished()
{
    const MonotonicTime now = m_clock.now();
    if (m_phase == Phase::Watching)
        m_scanTurn = std::chrono::ceil<milliseconds>(now - m_scanner.started()) + scanInterval;
    m_missed.begin(now);
    m_nextScan = now + scanInterval;
    m_sizeAtScan = m_databaseSize;
    // A refusal is over when nothing has been refused for as long as it takes to try again.
    constexpr auto refusalIsOver = 5s;
    if (m_scanner.denial())
        setProblem(m_scanner.denial());
    else if (now - m_refusedAt > refusalIsOver)
        setProblem(std::nullopt);
    if (m_phase == Phase::FirstScan)
        setPhase(Phase::Watching);
    Q_EMIT progressChanged();
}

void Watcher::scanFailed(const base::Error &error)
{
    if (m_session.state() != Session::State::Ready)
        return; // The session tells what happened.
    m_nextScan = m_clock.now() + 5s;
    if (m_phase == Phase::FirstScan)
        setPhase(Phase::Watching);
    setProblem(error);
}

void Watcher::scanOn(MonotonicTime now)
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

void Watcher::lookForMissed()
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

void Watcher::poll(MonotonicTime now)
{
    const int available = m_budget.available(now);
    if (m_pollsUnderWay >= mostPollsUnderWay || available == 0)
        return;
    std::vector<KeyId> due = m_plan.due(now, std::min(largestPoll, static_cast<std::size_t>(available)));
    if (due.empty())
        return;
    std::vector<QByteArray> names;
    names.reserve(due.size());
    // By key, not by id: the id may be another key's when the answer comes.
    for (const KeyId id : due)
        names.push_back(m_known.table.key(id).toByteArray());
    ++m_pollsUnderWay;
    m_plan.began(due);
    ask(std::move(names), std::move(due), Source::Poll);
}

void Watcher::ask(std::vector<QByteArray> names, std::vector<KeyId> ids, Source source)
{
    resp::Commands commands;
    commands.reserve(names.size());
    for (const QByteArray &name : names)
        commands.push_back({QByteArrayLiteral("PTTL"), name});
    m_budget.spend(static_cast<int>(commands.size()));
    m_session.connection()->send(commands, pollTimeout,
                                 [alive = QPointer<Watcher>(this), run = m_connectionRun, names = std::move(names),
                                  ids = std::move(ids), source](const base::Result<Connection::Delivery> &outcome) {
                                     if (!alive || !outcome || alive->m_connectionRun != run)
                                         return;
                                     if (source == Source::Poll) {
                                         --alive->m_pollsUnderWay;
                                         alive->m_plan.ended(ids);
                                     }
                                     alive->answered(names, *outcome, source);
                                 });
}

void Watcher::askTouched()
{
    if (m_session.state() != Session::State::Ready || m_isPaused)
        return;
    std::size_t available = static_cast<std::size_t>(m_budget.available(m_clock.now()));
    std::vector<QByteArray> names;
    while (!m_touched.isEmpty() && available > 0) {
        const QByteArray name = *m_touched.cbegin();
        m_touched.erase(m_touched.cbegin());
        const auto known = m_known.table.find(name);
        // Of what has been read once, the value is asked for as well: another owner may have come.
        if (known && (m_known.value(*known) != nullptr || m_plan.hasAttention(*known))) {
            constexpr std::size_t cost = 5;
            available -= std::min(available, cost);
            m_waitingForRead.push_back(name);
            m_waitingSource = Source::Event;
        } else {
            --available;
            names.push_back(name);
        }
    }
    if (!names.empty())
        ask(std::move(names), {}, Source::Event);
    readWaiting();
}

void Watcher::answered(const std::vector<QByteArray> &names, const Connection::Delivery &delivery, Source source)
{
    Observations observations;
    observations.reserve(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
        const Reply &left = delivery.replies[i];
        Knowledge what = Hidden {};
        if (left.isInteger()) {
            what = existenceFrom(left.toInteger(), delivery.sent, delivery.received);
            if (needsItsValue(names[i], what)) {
                m_waitingForRead.push_back(names[i]);
                continue;
            }
            if (auto *exists = std::get_if<Exists>(&what); exists != nullptr && source == Source::Event)
                exists->isNew = m_phase == Phase::Watching && !isIncomplete() && !m_known.table.find(names[i]);
        } else {
            const base::Error error = resp::serverError(left);
            if (error.kind != base::ErrorKind::PermissionDenied)
                continue;                 // Loading, say: the next time.
            if (source == Source::Poll) { // Tracking tells of keys that we may not see.
                m_refusedAt = delivery.received;
                setProblem(error);
            }
        }
        observations.push_back({names[i], std::move(what), delivery.sent, delivery.received, source});
    }
    m_fanOut.hand(observations);
    readWaiting();
}

/// Where a value is shown, another end may mean another hold: the two are shown when both are known.
bool Watcher::needsItsValue(const QByteArray &key, const Knowledge &existence) const
{
    const auto *exists = std::get_if<Exists>(&existence);
    const auto known = m_known.table.find(key);
    return exists != nullptr && known && m_plan.hasAttention(*known) && m_known.value(*known) != nullptr
        && !exists->deadline.agreesWith(m_known.table.deadline(*known));
}

void Watcher::readWaiting()
{
    if (m_waitingForRead.empty() || m_reader.isReading() || m_session.state() != Session::State::Ready)
        return;
    m_reader.read(*m_session.connection(), std::exchange(m_waitingForRead, {}), ValueReader::What::Values,
                  std::exchange(m_waitingSource, Source::Read));
}

void Watcher::readValues(MonotonicTime now)
{
    m_budget.spend(static_cast<int>(m_completion.wanted() ? 0 : m_reader.commandsSent() - m_readCommands));
    m_readCommands = m_reader.commandsSent();
    if (m_reader.isReading())
        return;
    if (now >= m_nextRead && !m_attention.empty() && (m_phase == Phase::FirstScan || m_budget.available(now) > 0)) {
        m_nextRead = now + readInterval;
        std::vector<QByteArray> names;
        for (const KeyId id : m_attention) {
            if (m_known.isLive(id))
                names.push_back(m_known.table.key(id).toByteArray());
        }
        m_reader.read(*m_session.connection(), names, ValueReader::What::Values);
        return;
    }
    complete();
}

void Watcher::complete()
{
    const bool isDue = m_completion.wanted() && m_phase == Phase::Watching && !m_isPaused && !m_reader.isReading();
    if (isDue && m_session.state() == Session::State::Ready)
        m_reader.read(*m_session.connection(), m_completion.next(m_clock.now()), *m_completion.wanted());
}

void Watcher::askDatabaseSize(MonotonicTime now)
{
    if (now < m_nextSize || m_isAskingSize)
        return;
    m_nextSize = now + sizeInterval;
    m_isAskingSize = true;
    m_session.connection()->send(
        {{QByteArrayLiteral("DBSIZE")}}, pollTimeout,
        [alive = QPointer<Watcher>(this), run = m_connectionRun](const base::Result<Connection::Delivery> &outcome) {
            if (alive && outcome && alive->m_connectionRun == run)
                alive->sizeAnswered(*outcome);
        });
    m_budget.spend(1);
}

void Watcher::sizeAnswered(const Connection::Delivery &delivery)
{
    m_isAskingSize = false;
    m_lastAnswered = delivery.received;
    if (!delivery.replies.front().isInteger()) {
        m_nextSize = delivery.received + 5s; // Denied: that can change.
        return;
    }
    m_databaseSize = delivery.replies.front().toInteger();
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
