#pragma once

#include "core/keyspace/commandbudget.h"
#include "core/keyspace/pollplan.h"
#include "core/keyspace/scanner.h"
#include "core/keyspace/valuereader.h"
#include "core/resp/session.h"

#include <QObject>
#include <QTimer>

#include <optional>

namespace latchkey::keyspace {

/// Keeps a store up to date with a server: one fast scan of everything, and from then on a poll within a budget.
///
///     Away → FirstScan → Watching → (connection lost) → Away → FirstScan …
///
/// While the server is away the store keeps what it has; when it is back everything is looked at again. Nothing is ever
/// written to the server.
/// Owned by whoever shows the store. Session, store and clock are not owned.
class Watcher final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Watcher)

public:
    enum class Phase : quint8 {
        Away,      ///< Not connected.
        FirstScan, ///< Looking at everything, as fast as it goes.
        Watching,  ///< Polling within the budget.
    };
    Q_ENUM(Phase)

    static constexpr int defaultCommandsPerSecond = 1000;
    /// Sorting by value reads every value: not of more keys than these.
    static constexpr qsizetype mostValuesRead = 100'000;

    Watcher(resp::Session &session, rows::RowStore &store, const base::Clock &clock, QObject *parent = nullptr);
    ~Watcher() override;

    /// The limit while Watching; the first scan and what setCompletion() asks for are not held to it.
    void setCommandsPerSecond(int commands);
    [[nodiscard]] int commandsPerSecond() const { return m_budget.perSecond(); }

    /// While paused nothing is asked; the store stays as it is.
    void setPaused(bool isPaused);
    [[nodiscard]] bool isPaused() const { return m_isPaused; }

    /// The keys on screen: asked about more often, and their values are read.
    void setAttention(const std::vector<keys::KeyId> &ids);

    /// Reads the types, or the values, of all keys that lack them, because the rows are to be sorted by them; nothing:
    /// only of those on screen.
    void setCompletion(std::optional<ValueReader::What> what);

    [[nodiscard]] Phase phase() const { return m_phase; }
    /// How many keys the scan under way has met.
    [[nodiscard]] quint64 keysMet() const { return m_scanner.keysMet(); }
    /// How many keys the server says that it has, those included that have expired and not been removed yet; 0:
    /// unknown.
    [[nodiscard]] qint64 databaseSize() const { return m_databaseSize; }
    /// The store holds only a part of the server's keys, since there are too many.
    [[nodiscard]] bool isIncomplete() const { return m_isIncomplete; }
    /// Something that the server does not let us do, so that what is shown is not everything.
    [[nodiscard]] const std::optional<base::Error> &problem() const { return m_problem; }

Q_SIGNALS:
    void phaseChanged(latchkey::keyspace::Watcher::Phase phase);
    /// The scan has gone on, or databaseSize(), isIncomplete() or problem() has changed.
    void progressChanged();
    /// Every tick, after the store's rows have been brought up to date.
    void ticked();

private:
    void sessionChanged();
    void setPhase(Phase phase);
    void tick();
    void commit();

    void beginScan(Scanner::Pace pace);
    void scanFinished();
    void scanFailed(const base::Error &error);
    void scanOn(base::MonotonicTime now);
    void doubtUnmarked();

    void poll(base::MonotonicTime now);
    void polled(const std::vector<QByteArray> &keys, const resp::Connection::Delivery &delivery);
    void readValues(base::MonotonicTime now);
    void complete();
    [[nodiscard]] std::vector<keys::KeyId> nextToComplete();
    void askDatabaseSize(base::MonotonicTime now);

    resp::Session &m_session;   // Not owned.
    rows::RowStore &m_store;    // Not owned.
    const base::Clock &m_clock; // Not owned.
    CommandBudget m_budget;
    PollPlan m_plan;
    Scanner m_scanner;
    ValueReader m_reader;
    QTimer m_tick;
    QTimer m_moreWork;
    Phase m_phase = Phase::Away;
    bool m_isPaused = false;

    quint8 m_mark = 0;                 ///< Of the scan under way, or the last one.
    quint64 m_scanCommands = 0;        ///< Of the scan, as far as the budget knows.
    quint64 m_readCommands = 0;        ///< Likewise of the reader.
    std::optional<quint32> m_doubting; ///< Up to which id the last scan's misses have been looked for.
    base::MonotonicTime m_nextScan;
    bool m_isPolling = false;
    bool m_isPollFirst = false;
    std::vector<keys::KeyId> m_attention;
    base::MonotonicTime m_nextRead;
    std::optional<ValueReader::What> m_completion;
    quint32 m_completed = 0; ///< Up to which id.
    base::MonotonicTime m_nextCompletion;
    base::MonotonicTime m_nextSize;
    qint64 m_databaseSize = 0;
    bool m_isIncomplete = false;
    std::optional<base::Error> m_problem;
};

} // namespace latchkey::keyspace
