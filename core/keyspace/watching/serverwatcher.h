#pragma once

#include "core/keyspace/budget/costmeter.h"
#include "core/keyspace/events/coveragemeter.h"
#include "core/keyspace/watching/availabilityprobe.h"
#include "core/keyspace/watching/databasesize.h"
#include "core/keyspace/watching/fieldqueue.h"
#include "core/keyspace/watching/missedkeys.h"
#include "core/keyspace/watching/poller.h"
#include "core/keyspace/watching/replicationpoll.h"
#include "core/keyspace/watching/scanner.h"
#include "core/keyspace/watching/watcher.h"
#include "core/redis/net/session.h"

#include <QTimer>

#include <deque>

namespace latchkey::watching {

/// A watcher that observes one node of a server by requests: one scan of all keys, then polls within a budget.
///
///     Away → FirstScan → Watching → (connection lost) → Away → FirstScan …
///
/// The observations go to the dispatcher. A listener updates the known keys from them, and the known keys determine the
/// next requests. While the server is away nothing is observed; after a reconnect all keys are scanned again. The
/// watcher never writes to the server.
/// Owned by a ServerNode. Session, known keys, dispatcher and clock are not owned.
class ServerWatcher final : public Watcher, private events::ObservationListener
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ServerWatcher)

public:
    ServerWatcher(net::Session &session, const keys::KnownKeys &known, events::ObservationDispatcher &dispatcher,
                  const base::Clock &clock, QObject *parent = nullptr);
    ~ServerWatcher() override;

    void setLimit(const budget::CommandLimit &limit) override;
    [[nodiscard]] budget::CommandLimit limit() const override { return m_limit; }
    void setFirstScanLimit(const std::optional<budget::CommandLimit> &limit) override;
    [[nodiscard]] bool hasFastFirstScan() const override { return !m_firstScanLimit; }
    [[nodiscard]] std::chrono::seconds scanTimeWithin(const budget::CommandLimit &limit, qint64 keys) const override;
    [[nodiscard]] std::optional<std::chrono::seconds> firstScanLeft() const override;
    [[nodiscard]] std::optional<double> serverTimeSpent() const override;
    void setPaused(bool isPaused) override;
    [[nodiscard]] bool isPaused() const override { return m_isPaused; }
    void setVisibleKeys(const std::vector<keys::KeyId> &ids) override;
    void setCompletion(std::optional<ValueReader::Part> what) override { m_values.setCompletion(what); }
    void requestValues(const QList<QByteArray> &names) override { m_values.requestValues(names); }
    void setUnrequested(qint64 keys) override { m_unrequested = keys; }
    /// Returns whether the server was a replica at its last reply to INFO replication.
    [[nodiscard]] bool isReplica() const { return m_replication.isReplica(); }
    void markInitialRequestsComplete() override { m_values.markInitialRequestsComplete(); }
    [[nodiscard]] qsizetype requests() const override { return m_values.requests(); }
    void send(resp::Commands commands, const QObject *context, net::RequestScope::Answered answered) override;
    void keysChanged(const QList<QByteArray> &names) override;
    void setPreferredKeys(const std::vector<base::Glob> &globs) override;
    void setKeyFilter(const std::vector<base::Glob> &globs) override;

    /// Scans all keys again, and then reads the known values again, because changes may have happened without an event.
    void rescan();
    /// Sets whether the server reports every change. If it no longer does: the time up to which all changes have been
    /// reported.
    void setHasChangeEvents(bool hasChangeEvents, base::MonotonicTime reportedUntil = {});
    /// Sets why the server does not report changes; absent: it reports them, or that is not known yet.
    void setChangesDenied(const std::optional<base::Error> &why);

    [[nodiscard]] Phase phase() const override { return m_phase; }
    [[nodiscard]] quint64 keysScanned() const override { return m_scanner.keysScanned(); }
    [[nodiscard]] qint64 databaseSize() const override { return m_size.keys(); }
    [[nodiscard]] bool isIncomplete() const override;
    [[nodiscard]] events::Coverage coverage() const override;
    [[nodiscard]] base::MonotonicTime gapChangedAt() const override { return m_meter.gapChangedAt(); }
    [[nodiscard]] bool hasChangeEvents() const override { return m_hasChangeEvents; }
    [[nodiscard]] std::optional<std::chrono::milliseconds> newKeyDelay() const override
    {
        return m_hasChangeEvents ? std::nullopt : m_scanTurn;
    }
    [[nodiscard]] std::optional<std::chrono::milliseconds> unseenFor() const override;
    [[nodiscard]] std::optional<base::MonotonicTime> lastScanBegan() const override { return m_lastScanBegan; }
    [[nodiscard]] base::MonotonicTime lastAnswered() const override { return m_lastAnswered; }
    [[nodiscard]] const std::optional<base::Error> &problem() const override { return m_problem; }
    [[nodiscard]] FieldLifetimeSupport fieldLifetimes() const override { return m_fields.support(); }

private:
    void observed(const events::Observations &observations) override;
    void emptied(events::NodeIndex node, base::MonotonicTime asked, base::MonotonicTime answered) override;

    void sessionChanged();
    void setPhase(Phase phase);
    void tick();
    void tickWatching(base::MonotonicTime now);
    void commandsAccepted();

    void applyLimit();

    void beginFirstScan();
    void beginScan(Scanner::Pace pace);
    void scanFinished();
    void scanFailed(const base::Error &error);
    void scanOn(base::MonotonicTime now);
    void stepScan(base::MonotonicTime now);
    void chargeScan();
    void pageScanned();
    void findMissedKeys();
    void rereadValues();
    void setProblem(const std::optional<base::Error> &problem);

    void sendOther(base::MonotonicTime now);
    void pollServer(base::MonotonicTime now);
    void sizeMeasured(base::MonotonicTime sent, base::MonotonicTime received);

    net::Session &m_session;                     // Not owned.
    const keys::KnownKeys &m_known;              // Not owned.
    events::ObservationDispatcher &m_dispatcher; // Not owned.
    const base::Clock &m_clock;                  // Not owned.
    events::CoverageMeter m_meter;
    budget::CommandLimit m_limit = budget::CommandLimit::ofWatching();
    std::optional<budget::CommandLimit> m_firstScanLimit; ///< Absent: no limit.
    budget::CommandCosts m_costs;
    budget::CostMeter m_costMeter;
    budget::CommandBudget m_budget;
    AvailabilityProbe m_probe;
    DatabaseSize m_size;
    ReplicationPoll m_replication;
    PollPlan m_plan;
    Scanner m_scanner;
    MissedKeys m_missed;
    ValueQueue m_values;
    FieldQueue m_fields;
    Poller m_poller;
    std::deque<Request> m_others; ///< Requests of send() that have not been sent yet.
    QTimer m_tick;
    QTimer m_inferenceTimer;
    Phase m_phase = Phase::Away;
    bool m_isPaused = false;

    budget::CommandCost m_scanSpent; ///< Cost of the scan that is charged to the budget.
    base::MonotonicTime m_nextScan;
    bool m_isScanWanted = false;                         ///< Another scan is needed after the one under way.
    std::optional<std::chrono::milliseconds> m_scanTurn; ///< Time between scans; absent before the second ends.
    base::MonotonicTime m_firstScanBegan;
    std::optional<base::MonotonicTime> m_lastScanBegan;  ///< Start of the last complete scan over this connection.
    std::optional<base::MonotonicTime> m_valuesOutdated; ///< Time of the last unreported change that values may have.
    net::RequestScope m_requests;
    bool m_isPollFirst = false;
    bool m_hasChangeEvents = false;
    bool m_isScanned = false;           ///< A scan has been completed over this connection.
    qint64 m_unrequested = 0;           ///< See setUnrequested().
    qint64 m_scannedKeys = 0;           ///< Number of keys that the last complete scan has returned.
    std::vector<base::Glob> m_confined; ///< Patterns of the keys that are queried; empty: all keys.
    qint64 m_sizeAtScan = 0;            ///< Size of the database at the end of the last scan.
    base::MonotonicTime m_lastAnswered;
    std::optional<base::Error> m_problem;
};

} // namespace latchkey::watching
