#include "core/keyspace/serverwatcher.h"

namespace latchkey::keyspace {

using base::MonotonicTime;
using keys::KeyId;
using resp::Session;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// Pause between two scans; a small keyspace is scanned about this often.
constexpr auto scanInterval = 250ms;
/// Pause between two scans if every change is reported. Scans then only find missed keys, for example before the
/// program noticed that notifications were switched off.
constexpr auto seldomScanInterval = 2s;
/// Pause after a refused scan: keys are seen again within five seconds of a permission.
constexpr auto refusedScanInterval = 2s;

} // namespace

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
    m_missed.clear(); // From here on, the scanner's met keys belong to the new scan.
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
    m_isScanned = true;
    m_meter.setScanFailure(std::nullopt);
    m_scannedKeys = static_cast<qint64>(m_scanner.keysMet());
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
    if (m_scanner.pace() == Scanner::Pace::AsFastAsPossible)
        return; // This pace is exempt from the budget.
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

} // namespace latchkey::keyspace
