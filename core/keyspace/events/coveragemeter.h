#pragma once

#include "core/keyspace/events/requestrefusals.h"
#include "core/redis/net/connection.h"

#include <QObject>

#include <array>

namespace latchkey::events {

/// A meter of a connection's coverage: it records which requests about keys the server answers, and since when it
/// refuses the others.
///
/// The meter receives all traffic of the connection (see trafficObserver()), so that no reader of keys has to report
/// its refusals. Four conditions begin a gap, from the last good reply on: no reply for 1.5 s; an error that every
/// command gets (BUSY, MASTERDOWN …); a refused request; a replica's link to its primary that is down, as reported by
/// INFO replication. Owned by the watcher, or by a command that reads once; the clock is not owned. It sends no
/// commands.
class CoverageMeter final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(CoverageMeter)

public:
    /// Maximum time without a reply during which a server still counts as observed.
    static constexpr std::chrono::milliseconds maxSilence {1500};

    explicit CoverageMeter(const base::Clock &clock, QObject *parent = nullptr);
    ~CoverageMeter() override;

    /// Returns the observer to install on the measured connection.
    [[nodiscard]] net::Connection::TrafficObserver trafficObserver();

    // For permanent connections, where silence counts from connected() on:

    /// Begins a gap that lasts until the first connection, which removes the gap, because coverage begins there. After
    /// the first connection, only changes the reason of a gap that lost() has begun, if the password is refused.
    void awaitConnection(const base::Error &why);
    void connected();
    void lost(const base::Error &why);
    /// Pauses or resumes the meter. While paused, no requests are sent and silence does not count.
    void setPaused(bool isPaused);
    /// Checks whether the server is silent; call it many times a second.
    void check();
    /// Sets why the last scan was not completed; absent: the scan was completed.
    void setScanFailure(const std::optional<base::Error> &why);
    void setChangesDenied(const std::optional<base::Error> &why) { m_changesDenied = why; }
    /// Sets whether the server reports every change. If it no longer does, an interval of KeyRequest::Changes begins
    /// at `reportedUntil`.
    void setHasChangeEvents(bool hasChangeEvents, base::MonotonicTime reportedUntil);

    /// Returns the error with which the server refuses every command at present. Absent: none.
    [[nodiscard]] const std::optional<base::Error> &serverError() const { return m_serverError; }
    /// Returns the command that tests whether the server executes commands again.
    [[nodiscard]] const resp::Command &probe() const { return m_probe; }

    /// The result of a scan.
    struct ScanResult
    {
        bool isAll = false;                 ///< Whether all keys were scanned.
        qint64 keys = 0;                    ///< Number of scanned keys.
        std::optional<qint64> databaseSize; ///< Number of keys of the database; absent: unknown.
        qint64 unread = 0;                  ///< Number of values that wait to be read.
    };
    [[nodiscard]] Coverage coverage(const ScanResult &scanned, std::chrono::nanoseconds lag = {}) const;
    /// Returns the time of the last gapChanged().
    [[nodiscard]] base::MonotonicTime gapChangedAt() const { return m_gapChangedAt; }

Q_SIGNALS:
    /// Emitted when a gap has begun or ended, or its reason has changed: see Coverage::gap(). Emitted
    /// before the sender of the command receives the reply.
    void gapChanged();
    /// Emitted when the server accepts commands again after a temporary refusal. Also emitted when the keys of a
    /// replica are up to date again.
    void commandsAccepted();

private:
    /// Index of a command among the measured ones, then DBSIZE and INFO replication; -1: not measured.
    using CommandIndex = qint8;
    static constexpr std::size_t requestCount = keyRequests.size();

    [[nodiscard]] static CommandIndex indexOf(const resp::Command &command);
    void received(const std::vector<CommandIndex> &indexes, const resp::Command &last,
                  const base::Result<net::Connection::Delivery> &outcome);
    void noteAnswer(base::MonotonicTime received);
    void grant(CommandIndex index, base::MonotonicTime at);
    void refuse(CommandIndex index, const resp::Command &command, const resp::Reply &reply, base::MonotonicTime at);
    void noteReplication(const resp::Reply &reply, base::MonotonicTime at);
    void update();
    void setGap(std::optional<std::size_t> &open, const std::optional<Coverage::Gap> &gap);
    void withdraw(std::optional<std::size_t> &open);
    [[nodiscard]] std::size_t add(const Coverage::Gap &gap);
    void emitGapChanged();
    [[nodiscard]] std::optional<Coverage::Gap> wholeGap() const;

    const base::Clock &m_clock; // Not owned.
    const base::MonotonicTime m_began;
    RequestRefusals m_refusals;
    std::optional<base::MonotonicTime> m_good; ///< Last good reply to any of the commands.
    bool m_isWatching = false;                 ///< Whether there is a permanent connection.
    bool m_wasConnected = false;
    bool m_isPaused = false;
    base::MonotonicTime m_received; ///< Last reply of any kind.
    base::MonotonicTime m_gapChangedAt;
    int m_silentChecks = 0;
    base::MonotonicTime m_checked;     ///< Time of the last check().
    bool m_wasStalled = false;         ///< Whether check() was not called for a long time since the last reply.
    std::optional<base::Error> m_lost; ///< Error of the lost connection, until the first good reply over a new one.
    std::optional<base::Error> m_serverError;
    CommandIndex m_failingCommand = -1;
    std::optional<base::Error> m_staleness; ///< Why the keys may be out of date; absent: they are not.
    base::MonotonicTime m_firstConnected;   ///< Start of the first permanent connection; else m_began.
    /// Last INFO replication from a primary, or from a replica whose link is up.
    std::optional<base::MonotonicTime> m_linkGood;
    /// The primary that the server named last; empty: the server was itself a primary. Absent: unknown.
    std::optional<QString> m_primary;
    resp::Command m_probe;
    std::optional<base::Error> m_changesDenied;
    std::vector<Coverage::Gap> m_gaps;
    std::optional<std::size_t> m_open;                             ///< Index of the gap that still lasts.
    std::array<std::optional<std::size_t>, requestCount> m_openOf; ///< The same index for each refused request.
    std::optional<std::size_t> m_unreported;                       ///< The same index for the missing change events.
    bool m_hasChangeEvents = false;
};

} // namespace latchkey::events
