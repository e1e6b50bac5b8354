#pragma once

#include "core/keyspace/missedkeys.h"
#include "core/keyspace/poller.h"
#include "core/keyspace/scanner.h"
#include "core/resp/session.h"

#include <QObject>
#include <QTimer>

#include <deque>
#include <functional>
#include <optional>

namespace latchkey::keyspace {

/// Looks after one node of a server: one scan of everything, and from then on polls within a budget, and says what it
/// has observed.
///
///     Away → FirstScan → Watching → (connection lost) → Away → FirstScan …
///
/// What it observes goes to the fan-out; what is known, which a listener keeps up to date with it, tells it what to ask
/// next. While the server is away nothing is observed; when it is back everything is looked at again. Nothing is ever
/// written to the server.
/// Owned by the code that inspects the server. Session, what is known, fan-out and clock are not owned.
class Watcher final : public QObject, private ObservationListener
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Watcher)

public:
    enum class Phase : quint8 {
        Away,      ///< Not connected.
        FirstScan, ///< Looking at everything.
        Watching,  ///< Polling within the budget.
    };
    Q_ENUM(Phase)

    static constexpr int defaultCommandsPerSecond = 1000;
    /// Sorting by value reads every value: not of more keys than these.
    static constexpr qsizetype mostValuesRead = 100'000;

    Watcher(resp::Session &session, const keys::KnownKeys &known, FanOut &fanOut, const base::Clock &clock,
            QObject *parent = nullptr);
    ~Watcher() override;

    /// The limit of what is asked; the first scan, and what setCompletion() asks for, are held to it only where
    /// setFastFirstScan(false) says so.
    void setCommandsPerSecond(int commands);
    [[nodiscard]] int commandsPerSecond() const { return m_budget.perSecond(); }
    /// Whether everything is read as fast as it goes before the limit holds; true unless set. Takes effect at once.
    void setFastFirstScan(bool isFast);
    [[nodiscard]] bool hasFastFirstScan() const { return m_isFirstScanFast; }
    /// How long the first scan of so many keys takes within the limit.
    [[nodiscard]] std::chrono::seconds scanTimeWithinLimit(qint64 keys) const;

    /// While paused nothing is asked; what is known stays as it is.
    void setPaused(bool isPaused);
    [[nodiscard]] bool isPaused() const { return m_isPaused; }

    /// The keys on screen: asked about more often, and their values are read.
    void setAttention(const std::vector<keys::KeyId> &ids);

    /// Reads the types, or the values, of all keys that lack them, because the rows are to be sorted by them; absent:
    /// only of those on screen.
    void setCompletion(std::optional<ValueReader::What> what) { m_values.setCompletion(what); }

    /// Reads the values of these keys, which need not be on screen, once everything has been looked at and nothing more
    /// urgent is to be read: within the limit, but for what was wished for during a first scan that is not held to it
    /// either.
    void wish(const QList<QByteArray> &names) { m_values.wish(names); }
    /// All that there is to wish for after a first scan has been wished for: what comes later is held to the limit.
    void allWished() { m_values.allWished(); }
    /// How many wishes have not been read yet.
    [[nodiscard]] qsizetype wishes() const { return m_values.wishes(); }

    /// Asks something else over the same connection, within the limit, at the next tick. Not answered where there is no
    /// connection, or where it is lost before.
    void ask(resp::Commands commands, std::function<void(const resp::Connection::Delivery &)> answered);

    /// Something has happened to these keys: they are asked about at once, without waiting for a tick, as far as the
    /// limit allows, and otherwise as soon as it does.
    void touched(const QList<QByteArray> &names);
    /// Looks at everything again: something may have happened that nobody has told of.
    void lookAgain();
    /// Whether every change is told of: then nobody has to wait for a scan to meet a new key.
    void setToldOfChanges(bool isTold) { m_isToldOfChanges = isTold; }
    [[nodiscard]] bool isToldOfChanges() const { return m_isToldOfChanges; }

    [[nodiscard]] Phase phase() const { return m_phase; }
    /// How many keys the scan under way has met.
    [[nodiscard]] quint64 keysMet() const { return m_scanner.keysMet(); }
    /// How many keys the server says that it has, those included that have expired and not been removed yet; 0:
    /// unknown.
    [[nodiscard]] qint64 databaseSize() const { return m_databaseSize; }
    /// Only a part of the server's keys is known: there are too many, or those that came last have not been met yet.
    [[nodiscard]] bool isIncomplete() const;
    /// Within what time a key that is new is met, going by the last scan; absent before the first is over, and where
    /// changes are told of.
    [[nodiscard]] std::optional<std::chrono::milliseconds> newKeysMetWithin() const
    {
        return m_isToldOfChanges ? std::nullopt : m_scanTurn;
    }
    /// A key that is met now has come within this time; absent: it may have been there for any time.
    [[nodiscard]] std::optional<std::chrono::milliseconds> unseenFor() const;
    /// When the server last answered anything.
    [[nodiscard]] base::MonotonicTime lastAnswered() const { return m_lastAnswered; }
    /// Something that the server does not let us do, so that what is shown is not everything.
    [[nodiscard]] const std::optional<base::Error> &problem() const { return m_problem; }

Q_SIGNALS:
    void phaseChanged(latchkey::keyspace::Watcher::Phase phase);
    /// The scan has gone on, or databaseSize(), isIncomplete() or problem() has changed.
    void progressChanged();
    /// Regularly, also while the server is away: time to show what was observed, and to say what is on screen.
    void ticked();

private:
    void observed(const Observations &observations) override;
    void emptied(NodeIndex node, base::MonotonicTime asked, base::MonotonicTime answered) override;

    void sessionChanged();
    void setPhase(Phase phase);
    void tick();

    void beginFirstScan();
    void beginScan(Scanner::Pace pace);
    void scanFinished();
    void scanFailed(const base::Error &error);
    void scanOn(base::MonotonicTime now);
    void lookForMissed();
    void setProblem(const std::optional<base::Error> &problem);

    void askOther(base::MonotonicTime now);
    void askDatabaseSize(base::MonotonicTime now);
    void sizeAnswered(const resp::Connection::Delivery &delivery);

    resp::Session &m_session;       // Not owned.
    const keys::KnownKeys &m_known; // Not owned.
    FanOut &m_fanOut;               // Not owned.
    const base::Clock &m_clock;     // Not owned.
    CommandBudget m_budget;
    PollPlan m_plan;
    Scanner m_scanner;
    MissedKeys m_missed;
    ValueQueue m_values;
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
    base::MonotonicTime m_nextSize;
    bool m_isAskingSize = false;
    qint64 m_databaseSize = 0;
    qint64 m_sizeAtScan = 0; ///< What the database's size was when the last scan was over.
    base::MonotonicTime m_lastAnswered;
    std::optional<base::Error> m_problem;
};

} // namespace latchkey::keyspace
