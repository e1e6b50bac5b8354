#pragma once

#include "core/keyspace/events/observation.h"
#include "core/redis/net/dialer.h"

#include <QByteArrayMatcher>
#include <QObject>
#include <QSet>
#include <QTimer>

#include <memory>
#include <optional>
#include <vector>

namespace latchkey::watching {

/// A command that a server has executed, as MONITOR reports it. A value type.
struct TracedCommand
{
    base::WallTime at; ///< Time by the server's clock.
    int database = 0;
    QByteArray client; ///< Client address; `lua` for a script, `unix:…` for a Unix socket.
    resp::Command words;
    bool isOwnRead = false;       ///< Read by a Latchkey process that observes the key; see KeyTrace.
    bool isInTransaction = false; ///< Between MULTI and EXEC of that address.

    friend bool operator==(const TracedCommand &, const TracedCommand &) = default;
};

/// Parses a line of MONITOR, such as `1700000000.123456 [0 127.0.0.1:50312] "GET" "lock:a"`; absent if it is not one.
[[nodiscard]] std::optional<TracedCommand> tracedCommandFrom(QByteArrayView line);

/// A trace of a few keys for a limited time: every command that names one of them, in the order of execution.
///
/// The trace uses MONITOR over its own connection, which reports all commands of all clients. In one measurement,
/// MONITOR cost the server a third of its throughput, and two thirds with pipelining; so the trace ends automatically.
/// Only commands that name a key literally are parsed and reported. Commands that reach a key by a pattern or from a
/// module are not seen. Nothing is written to the server. Periodic reads by Latchkey processes are marked: these
/// processes have a known client name. Over a Unix socket all clients have the same address. There, a command is marked
/// if Latchkey sends the same words. Owned by the code that shows the trace; the clock is not owned.
class KeyTrace final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(KeyTrace)

public:
    /// Maximum number of reported commands, and of reported own reads; further ones are only counted.
    static constexpr qsizetype maxDelivered = 10'000;

    explicit KeyTrace(const base::Clock &clock, QObject *parent = nullptr);
    ~KeyTrace() override;

    /// Connects, and then traces the keys for this duration. A running trace is dropped without a signal.
    void start(const net::Endpoint &endpoint, const QList<QByteArray> &keys, std::chrono::milliseconds duration);
    /// Ends the trace early.
    void stop();

    /// Returns whether the trace is connecting or running.
    [[nodiscard]] bool isActive() const { return m_dialer != nullptr; }
    /// Returns the time left; absent while the trace does not run.
    [[nodiscard]] std::optional<std::chrono::milliseconds> left() const;
    /// Returns the keys of the last call of start().
    [[nodiscard]] const QList<QByteArray> &keys() const { return m_names; }
    /// Returns whether the key existed before the first reported command: Exists or Gone. Absent if the server does not
    /// say.
    [[nodiscard]] std::optional<events::ObservationContent> beginningOf(const QByteArray &key) const;
    /// Returns the number of commands that MONITOR reported; matched(): of those that name one of the keys.
    [[nodiscard]] qint64 received() const { return m_received; }
    [[nodiscard]] qint64 matched() const { return m_matched; }
    /// Returns the number of reads by Latchkey processes, which matched() does not include.
    [[nodiscard]] qint64 ownReads() const { return m_ownReads; }

Q_SIGNALS:
    void began();
    void traced(const latchkey::watching::TracedCommand &command);
    /// Emitted when the trace has ended. `error`: absent if its time is over or it was stopped; otherwise the cause of
    /// its failure.
    void ended(const std::optional<latchkey::base::Error> &error);

private:
    void dialled(base::Result<net::DialResult<net::Connection>> result);
    void answered(const net::Connection::Delivery &delivery);
    void receive(const resp::Reply &line);
    void learnAddresses(const QByteArray &clientList);
    [[nodiscard]] bool isOwnRead(const TracedCommand &command) const;
    void noteTransaction(QByteArrayView line);
    void end(const std::optional<base::Error> &error);

    const base::Clock &m_clock; // Not owned.
    std::unique_ptr<net::Dialer> m_dialer;
    std::unique_ptr<net::Connection> m_connection;
    QList<QByteArray> m_names;
    QHash<QByteArray, events::ObservationContent> m_beginnings;
    std::vector<QByteArrayMatcher> m_keys; ///< The keys, as MONITOR writes them.
    int m_database = 0;
    std::chrono::milliseconds m_duration {};
    QTimer m_end;
    qint64 m_received = 0;
    qint64 m_matched = 0;
    qint64 m_ownReads = 0;
    QByteArray m_name;                  ///< Our client name; empty if the server does not report it.
    QSet<QByteArray> m_addresses;       ///< Addresses of clients with that name.
    QSet<QByteArray> m_transactions;    ///< Addresses with an open transaction.
    std::vector<resp::Command> m_reads; ///< Commands with which Latchkey reads the keys.
};

} // namespace latchkey::watching
