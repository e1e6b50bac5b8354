#include "core/keyspace/watching/serverwatcher.h"

namespace latchkey::watching {

using base::MonotonicTime;
using keys::KeyId;
using net::Session;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// Pause between two scans; a small keyspace is scanned about this often.
constexpr auto scanInterval = 250ms;
/// Pause between two scans if every change is reported. Scans then only find keys with missed events, for example if
/// notifications were switched off and the program has not noticed yet.
constexpr auto slowScanInterval = 2s;
/// Pause after a refused scan: keys are seen again within five seconds of a permission.
constexpr auto refusedScanInterval = 2s;

} // namespace

void ServerWatcher::beginFirstScan()
{
    m_firstScanBegan = m_clock.now();
    if (!m_firstScanLimit)
        m_values.exemptRequests();
    beginScan(m_firstScanLimit ? Scanner::Pace::OnDemand : Scanner::Pace::AsFastAsPossible);
    stepScan(m_firstScanBegan);
}

void ServerWatcher::rescan()
{
    m_valuesOutdated = m_clock.now();
    if (m_phase != Phase::Watching || m_isPaused)
        return;
    // A scan under way is completed: if each call restarted it, it would never end. No scan starts while the keys that
    // the last one has missed are determined.
    m_isScanWanted = m_scanner.isRunning();
    m_nextScan = MonotonicTime();
    m_size.requestSoon();
    m_replication.requestSoon(); // A replica with another primary loses its keys and gets others.
    pollServer(m_clock.now());
}

void ServerWatcher::beginScan(Scanner::Pace pace)
{
    m_scanSpent = {};
    m_isScanWanted = false;
    m_missed.clear(); // From here on, the returned keys of the scanner belong to the new scan.
    Scanner::Options options;
    options.pace = pace;
    m_scanner.begin(*m_session.connection(), options);
}

void ServerWatcher::scanFinished()
{
    const MonotonicTime now = m_clock.now();
    const milliseconds pause = m_hasChangeEvents ? milliseconds(slowScanInterval) : milliseconds(scanInterval);
    if (m_phase == Phase::Watching)
        m_scanTurn = std::chrono::ceil<milliseconds>(now - m_scanner.started()) + pause;
    m_missed.begin(now);
    m_nextScan = std::exchange(m_isScanWanted, false) ? now : now + pause;
    m_isScanned = true;
    m_lastScanBegan = m_scanner.started();
    m_meter.setScanFailure(std::nullopt);
    m_scannedKeys = static_cast<qint64>(m_scanner.keysScanned());
    m_sizeAtScan = databaseSize();
    // A refusal is over if nothing was refused for longer than the interval between two tries.
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
        return; // The session reports the error, after a moment if its connection is just ending.
    // The meter sees refusals and their end in the traffic; it does not see a protocol error.
    if (error.kind == base::ErrorKind::Protocol)
        m_meter.setScanFailure(error);
    m_nextScan = m_clock.now() + refusedScanInterval;
    if (m_phase == Phase::FirstScan)
        setPhase(Phase::Watching);
    setProblem(error);
}

void ServerWatcher::scanOn(MonotonicTime now)
{
    if (m_phase == Phase::Watching && !m_scanner.isRunning() && now >= m_nextScan && m_missed.isEmpty())
        beginScan(Scanner::Pace::OnDemand);
    stepScan(now);
}

/// Sends as much of a scan as the budget allows: one request at a time while watching, all at once in a first scan.
void ServerWatcher::stepScan(MonotonicTime now)
{
    if (m_scanner.pace() == Scanner::Pace::AsFastAsPossible)
        return; // This pace is exempt from the budget.
    chargeScan();
    for (int available = m_budget.available(now); available > 0 && m_scanner.canStep();
         available = m_budget.available(now)) {
        m_scanner.step(available);
        chargeScan();
        if (m_phase != Phase::FirstScan)
            break;
    }
}

void ServerWatcher::chargeScan()
{
    m_budget.spend(m_scanner.spent() - m_scanSpent);
    m_scanSpent = m_scanner.spent();
}

/// Continues a first scan without waiting for the next tick.
void ServerWatcher::pageScanned()
{
    if (m_phase == Phase::FirstScan && !m_isPaused && !m_meter.serverError())
        stepScan(m_clock.now());
}

std::chrono::seconds ServerWatcher::scanTimeWithin(const budget::CommandLimit &limit, qint64 keys) const
{
    constexpr double keysPerPage = 1000;
    const budget::CommandBudget budget(limit, m_clock.now(), &m_costs);
    const budget::CommandCost page {1, m_costs.estimate("SCAN")};
    const budget::CommandCost key {1, m_costs.estimate("PTTL")};
    const auto perKey = budget.timeOf(key) + budget.timeOf(page) / keysPerPage;
    return std::chrono::floor<std::chrono::seconds>(static_cast<double>(keys) * perKey);
}

std::optional<std::chrono::seconds> ServerWatcher::firstScanLeft() const
{
    const auto scanned = static_cast<qint64>(m_scanner.keysScanned());
    if (m_phase != Phase::FirstScan || m_isPaused || m_meter.serverError() || !m_size.isKnown() || scanned == 0)
        return std::nullopt;
    const std::chrono::duration<double> passed = m_clock.now() - m_firstScanBegan;
    const auto left = static_cast<double>(std::max<qint64>(0, databaseSize() - scanned));
    return std::chrono::ceil<std::chrono::seconds>(passed * (left / static_cast<double>(scanned)));
}

std::optional<double> ServerWatcher::serverTimeSpent() const
{
    return m_costs.areKnown() ? std::optional(m_costMeter.microseconds()) : std::nullopt;
}

void ServerWatcher::findMissedKeys()
{
    if (!m_missed.collect())
        return;
    if (static_cast<qint64>(m_missed.count() + m_plan.missedCount()) > m_budget.perSecond()) {
        m_inferenceTimer.start(0ms);
        return;
    }
    for (const KeyId id : m_missed.take())
        m_plan.addMissed(id);
}

/// Requests the values again that may have changed without a notification. A scan and a poll do not show another value
/// under the same name and expiry. Waits until a scan has shown which keys still exist.
void ServerWatcher::rereadValues()
{
    const bool isScannedSince = m_valuesOutdated && m_lastScanBegan && *m_lastScanBegan >= *m_valuesOutdated;
    if (!isScannedSince || m_phase != Phase::Watching || !m_missed.isEmpty())
        return;
    m_valuesOutdated.reset();
    m_values.requestKnown();
}

} // namespace latchkey::watching
