#include "core/keyspace/watcher.h"

#include <QPointer>

namespace latchkey::keyspace {

using base::Deadline;
using base::MonotonicTime;
using keys::KeyId;
using keys::KeyState;
using keys::KeyType;
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
constexpr auto commitBudget = 1ms;
constexpr auto pollTimeout = 10s;
constexpr std::size_t largestPoll = 500;
constexpr std::size_t largestCompletion = 500;
/// A small keyspace is scanned this often.
constexpr auto scanInterval = 250ms;
/// Values on screen are read this often.
constexpr auto readInterval = 1s;
constexpr auto sizeInterval = 5s;
/// Ids looked at per tick for what a scan has missed.
constexpr quint32 doubtPortion = 50'000;

} // namespace

Watcher::Watcher(Session &session, rows::RowStore &store, const base::Clock &clock, QObject *parent)
    : QObject(parent)
    , m_session(session)
    , m_store(store)
    , m_clock(clock)
    , m_budget(defaultCommandsPerSecond, clock.now())
    , m_plan(store.table())
    , m_scanner(store)
    , m_reader(store)
{
    m_plan.setCommandsPerSecond(defaultCommandsPerSecond);
    connect(&m_session, &Session::stateChanged, this, &Watcher::sessionChanged);
    connect(&m_scanner, &Scanner::finished, this, &Watcher::scanFinished);
    connect(&m_scanner, &Scanner::failed, this, &Watcher::scanFailed);
    connect(&m_scanner, &Scanner::sampled, this, [this](const std::vector<Sample> &samples, MonotonicTime at) {
        for (const Sample &sample : samples)
            m_plan.noticed(sample.id, sample.deadline, at);
    });
    // Queued: a batch of which nothing is to be read is finished at once, and must not lead to the next from within.
    connect(&m_reader, &ValueReader::finished, this, &Watcher::complete, Qt::QueuedConnection);
    m_tick.setTimerType(Qt::PreciseTimer);
    connect(&m_tick, &QTimer::timeout, this, &Watcher::tick);
    m_tick.start(tickInterval);
    m_moreWork.setSingleShot(true);
    connect(&m_moreWork, &QTimer::timeout, this, &Watcher::commit);
    sessionChanged();
}

Watcher::~Watcher() = default;

void Watcher::setCommandsPerSecond(int commands)
{
    m_budget.setPerSecond(commands);
    m_plan.setCommandsPerSecond(commands);
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
        beginScan(Scanner::Pace::AsFastAsPossible);
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

void Watcher::setCompletion(std::optional<ValueReader::What> what)
{
    m_completion = what;
    m_completed = 0;
    m_nextCompletion = MonotonicTime();
}

void Watcher::setPhase(Phase phase)
{
    if (m_phase == phase)
        return;
    m_tick.setInterval(phase == Phase::FirstScan ? firstScanTickInterval : tickInterval);
    m_phase = phase;
    Q_EMIT phaseChanged(phase);
}

void Watcher::sessionChanged()
{
    if (m_session.state() == Session::State::Ready) {
        m_problem.reset();
        m_nextSize = MonotonicTime();
        setPhase(Phase::FirstScan);
        if (!m_isPaused)
            beginScan(Scanner::Pace::AsFastAsPossible);
    } else if (m_phase != Phase::Away) {
        m_scanner.stop();
        m_reader.stop();
        m_isPolling = false;
        m_doubting.reset();
        setPhase(Phase::Away);
    }
}

void Watcher::tick()
{
    commit();
    const MonotonicTime now = m_clock.now();
    if (m_session.state() == Session::State::Ready && !m_isPaused) {
        askDatabaseSize(now);
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
            Q_EMIT progressChanged();
        }
        doubtUnmarked();
    }
    Q_EMIT ticked();
}

void Watcher::commit()
{
    if (m_store.commit(commitBudget))
        m_moreWork.start(0ms); // After whatever else the event loop has to do.
}

void Watcher::beginScan(Scanner::Pace pace)
{
    // Marks from one to three; zero is a key that no scan has met.
    m_mark = static_cast<quint8>(m_mark % keys::KeyTable::markMask + 1);
    m_scanCommands = 0;
    Scanner::Options options;
    options.pace = pace;
    options.mark = m_mark;
    m_scanner.begin(*m_session.connection(), options);
}

void Watcher::scanFinished()
{
    m_doubting = 0;
    m_nextScan = m_clock.now() + scanInterval;
    m_isIncomplete = m_scanner.isIncomplete();
    m_problem = m_scanner.denial();
    if (m_phase == Phase::FirstScan)
        setPhase(Phase::Watching);
    Q_EMIT progressChanged();
}

void Watcher::scanFailed(const base::Error &error)
{
    if (m_session.state() != Session::State::Ready)
        return; // The session tells what happened.
    m_problem = error;
    m_nextScan = m_clock.now() + 5s;
    if (m_phase == Phase::FirstScan)
        setPhase(Phase::Watching);
    Q_EMIT progressChanged();
}

void Watcher::scanOn(MonotonicTime now)
{
    if (!m_scanner.isRunning() && now >= m_nextScan && !m_doubting)
        beginScan(Scanner::Pace::OnDemand);
    if (m_scanner.isRunning()) {
        m_budget.spend(static_cast<int>(m_scanner.commandsSent() - m_scanCommands));
        m_scanCommands = m_scanner.commandsSent();
    }
    if (m_scanner.canStep() && m_budget.available(now) > 0)
        m_scanner.step();
}

void Watcher::doubtUnmarked()
{
    if (!m_doubting)
        return;
    const keys::KeyTable &table = m_store.table();
    const quint32 end = std::min(table.idLimit(), *m_doubting + doubtPortion);
    for (; *m_doubting < end; ++*m_doubting) {
        const KeyId id {*m_doubting};
        if (table.isUsed(id) && table.state(id) == KeyState::Live && table.mark(id) != m_mark)
            m_plan.doubt(id);
    }
    if (*m_doubting >= table.idLimit())
        m_doubting.reset();
}

void Watcher::poll(MonotonicTime now)
{
    const int available = m_budget.available(now);
    if (m_isPolling || available == 0)
        return;
    const std::vector<KeyId> due = m_plan.due(now, std::min(largestPoll, static_cast<std::size_t>(available)));
    if (due.empty())
        return;
    std::vector<QByteArray> keys;
    resp::Commands commands;
    for (const KeyId id : due) {
        // By key, not by id: the id may be another key's when the answer comes.
        keys.push_back(m_store.table().key(id).toByteArray());
        commands.push_back({QByteArrayLiteral("PTTL"), keys.back()});
    }
    m_budget.spend(static_cast<int>(commands.size()));
    m_isPolling = true;
    m_session.connection()->send(
        commands, pollTimeout,
        [alive = QPointer<Watcher>(this), keys = std::move(keys)](const base::Result<Connection::Delivery> &outcome) {
            if (alive && outcome)
                alive->polled(keys, *outcome);
        });
}

void Watcher::polled(const std::vector<QByteArray> &keys, const Connection::Delivery &delivery)
{
    m_isPolling = false;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const Reply &left = delivery.replies[i];
        if (!left.isInteger())
            continue;
        if (left.toInteger() < -1) {
            m_store.observeGone(keys[i], delivery.received);
            continue;
        }
        const Deadline deadline =
            left.isInteger(-1) ? Deadline::never()
                               : Deadline::measured(milliseconds(left.toInteger()), delivery.sent, delivery.received);
        const KeyId id = m_store.observe(keys[i], deadline, delivery.received);
        m_plan.noticed(id, deadline, delivery.received);
    }
}

void Watcher::readValues(MonotonicTime now)
{
    m_budget.spend(static_cast<int>(m_completion ? 0 : m_reader.commandsSent() - m_readCommands));
    m_readCommands = m_reader.commandsSent();
    if (m_reader.isReading())
        return;
    if (now >= m_nextRead && !m_attention.empty() && (m_phase == Phase::FirstScan || m_budget.available(now) > 0)) {
        m_nextRead = now + readInterval;
        std::vector<KeyId> alive;
        for (const KeyId id : m_attention) {
            if (id.value < m_store.table().idLimit() && m_store.table().isUsed(id)
                && m_store.table().state(id) == KeyState::Live)
                alive.push_back(id);
        }
        m_reader.read(*m_session.connection(), alive, ValueReader::What::Values);
        return;
    }
    complete();
}

void Watcher::complete()
{
    const bool isDue = m_completion && m_phase == Phase::Watching && !m_isPaused && m_clock.now() >= m_nextCompletion;
    if (isDue && m_session.state() == Session::State::Ready)
        m_reader.read(*m_session.connection(), nextToComplete(), *m_completion);
}

std::vector<KeyId> Watcher::nextToComplete()
{
    std::vector<KeyId> ids;
    const keys::KeyTable &table = m_store.table();
    for (; m_completed < table.idLimit() && ids.size() < largestCompletion; ++m_completed) {
        const KeyId id {m_completed};
        if (!table.isUsed(id) || table.state(id) != KeyState::Live)
            continue;
        const bool isLacking = *m_completion == ValueReader::What::Types ? table.type(id) == KeyType::Unknown
                                                                         : m_store.value(id) == nullptr;
        if (isLacking)
            ids.push_back(id);
    }
    if (m_completed >= table.idLimit()) {
        // From the start again in a while: keys come and go, and one that could not be read may be readable then.
        m_completed = 0;
        m_nextCompletion = m_clock.now() + readInterval;
    }
    return ids;
}

void Watcher::askDatabaseSize(MonotonicTime now)
{
    if (now < m_nextSize)
        return;
    m_nextSize = now + sizeInterval;
    m_session.connection()->send({{QByteArrayLiteral("DBSIZE")}}, pollTimeout,
                                 [alive = QPointer<Watcher>(this)](const base::Result<Connection::Delivery> &outcome) {
                                     if (!alive || !outcome || !outcome->replies.front().isInteger())
                                         return;
                                     alive->m_databaseSize = outcome->replies.front().toInteger();
                                     Q_EMIT alive->progressChanged();
                                 });
    m_budget.spend(1);
}

} // namespace latchkey::keyspace
