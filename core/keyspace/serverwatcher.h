#pragma once

#include "core/keyspace/coveragemeter.h"
#include "core/keyspace/databasesize.h"
#include "core/keyspace/fieldqueue.h"
#include "core/keyspace/missedkeys.h"
#include "core/keyspace/poller.h"
#include "core/keyspace/scanner.h"
#include "core/keyspace/troubleprobe.h"
#include "core/keyspace/watcher.h"
#include "core/resp/session.h"

#include <QTimer>

#include <deque>

namespace latchkey::keyspace {

/// Looks after one node of a server by asking it: one scan of everything, and from then on polls within a budget, and
/// says what it has observed.
///
///     Away → FirstScan → Watching → (connection lost) → Away → FirstScan …
///
/// What it observes goes to the fan-out; what is known, which a listener keeps up to date with it, tells it what to ask
/// next. While the server is away nothing is observed; when it is back everything is looked at again. Nothing is ever
/// written to the server.
/// Owned by a ServerNode. Session, what is known, fan-out and clock are not owned.
class ServerWatcher final : public Watcher, private ObservationListener
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(ServerWatcher)

public:
    ServerWatcher(resp::Session &session, const keys::KnownKeys &known, FanOut &fanOut, const base::Clock &clock,
                  QObject *parent = nullptr);
    ~ServerWatcher() override;

    void setCommandsPerSecond(int commands) override;
    [[nodiscard]] int commandsPerSecond() const override { return m_budget.perSecond(); }
    void setFastFirstScan(bool isFast) override;
    [[nodiscard]] bool hasFastFirstScan() const override { return m_isFirstScanFast; }
    [[nodiscard]] std::chrono::seconds scanTimeWithinLimit(qint64 keys) const override;
    void setPaused(bool isPaused) override;
    [[nodiscard]] bool isPaused() const override { return m_isPaused; }
    void setAttention(const std::vector<keys::KeyId> &ids) override;
    void setCompletion(std::optional<ValueReader::What> what) override { m_values.setCompletion(what); }
    void wish(const QList<QByteArray> &names) override { m_values.wish(names); }
    void allWished() override { m_values.allWished(); }
    [[nodiscard]] qsizetype wishes() const override { return m_values.wishes(); }
    void ask(resp::Commands commands, std::function<void(const resp::Connection::Delivery &)> answered) override;
    void touched(const QList<QByteArray> &names) override;
    void prefer(const std::vector<keys::Glob> &globs) override;
    void confine(const std::vector<keys::Glob> &globs) override;

    /// Looks at everything again: something may have happened that nobody has told of.
    void lookAgain();
    void setToldOfChanges(bool isTold) { m_isToldOfChanges = isTold; }
    /// Why the server does not tell of changes, as far as it is known.
    void setChangesDenied(const std::optional<base::Error> &why);

    [[nodiscard]] Phase phase() const override { return m_phase; }
    [[nodiscard]] quint64 keysMet() const override { return m_scanner.keysMet(); }
    [[nodiscard]] qint64 databaseSize() const override { return m_size.keys(); }
    [[nodiscard]] bool isIncomplete() const override;
    [[nodiscard]] Coverage coverage() const override;
    [[nodiscard]] bool isToldOfChanges() const override { return m_isToldOfChanges; }
    [[nodiscard]] std::optional<std::chrono::milliseconds> newKeysMetWithin() const override
    {
        return m_isToldOfChanges ? std::nullopt : m_scanTurn;
    }
    [[nodiscard]] std::optional<std::chrono::milliseconds> unseenFor() const override;
    [[nodiscard]] base::MonotonicTime lastAnswered() const override { return m_lastAnswered; }
    [[nodiscard]] const std::optional<base::Error> &problem() const override { return m_problem; }
    [[nodiscard]] FieldLifetimeSupport fieldLifetimes() const override { return m_fields.support(); }

private:
    void observed(const Observations &observations) override;
    void emptied(NodeIndex node, base::MonotonicTime asked, base::MonotonicTime answered) override;

    void sessionChanged();
    void setPhase(Phase phase);
    void tick();
    void tickWatching(base::MonotonicTime now);
    void troubleEnded();

    void beginFirstScan();
    void beginScan(Scanner::Pace pace);
    void scanFinished();
    void scanFailed(const base::Error &error);
    void scanOn(base::MonotonicTime now);
    void lookForMissed();
    void setProblem(const std::optional<base::Error> &problem);

    void askOther(base::MonotonicTime now);
    void askDatabaseSize(base::MonotonicTime now);
    void sizeMeasured(base::MonotonicTime sent, base::MonotonicTime received);

    resp::Session &m_session;       // Not owned.
    const keys::KnownKeys &m_known; // Not owned.
    FanOut &m_fanOut;               // Not owned.
    const base::Clock &m_clock;     // Not owned.
    CoverageMeter m_meter;
    CommandBudget m_budget;
    TroubleProbe m_probe;
    DatabaseSize m_size;
    PollPlan m_plan;
    Scanner m_scanner;
    MissedKeys m_missed;
    ValueQueue m_values;
    FieldQueue m_fields;
    Poller m_poller;
    /// What was given to ask(), and has not been asked yet.
    struct Other
    {
        resp::Commands commands;
        std::function<void(const resp::Connection::Delivery &)> answered;
    };
    std::deque<Other> m_others;
    QTimer m_tick;
    QTimer m_inference;
    Phase m_phase = Phase::Away;
    bool m_isPaused = false;
    bool m_isFirstScanFast = true;

    quint64 m_scanCommands = 0; ///< Of the scan, as far as the budget knows.
    base::MonotonicTime m_nextScan;
    bool m_isScanWanted = false;                         ///< Another one, as soon as the one under way is over.
    std::optional<std::chrono::milliseconds> m_scanTurn; ///< From one scan to the next; absent before the second ends.
    base::MonotonicTime m_firstScanBegan;
    quint64 m_connectionRun = 0; ///< Answers over an earlier connection are not for this one.
    bool m_isPollFirst = false;
    bool m_isToldOfChanges = false;
    bool m_isScanned = false;           ///< A scan has come to its end over this connection.
    qint64 m_scannedKeys = 0;           ///< Keys met by the last scan that came to its end.
    std::vector<keys::Glob> m_confined; ///< No other keys are asked about; empty: all are.
    qint64 m_sizeAtScan = 0;            ///< What the database's size was when the last scan was over.
    base::MonotonicTime m_lastAnswered;
    std::optional<base::Error> m_problem;
};

} // namespace latchkey::keyspace
