#pragma once

#include "core/keyspace/observation.h"
#include "core/resp/dialer.h"

#include <QByteArrayMatcher>
#include <QObject>
#include <QSet>
#include <QTimer>

#include <memory>
#include <optional>
#include <vector>

namespace latchkey::keyspace {

/// One command that a server has carried out, as MONITOR tells of it. A value type.
struct TracedCommand
{
    base::WallTime at; ///< By the server's clock.
    int database = 0;
    QByteArray client; ///< Its address; `lua` where a script has sent it, `unix:…` over a socket of that kind.
    resp::Command words;
    bool isOwnRead = false;       ///< Sent by a Latchkey to see what the key is: see KeyTrace.
    bool isInTransaction = false; ///< Between MULTI and EXEC of that address.

    friend bool operator==(const TracedCommand &, const TracedCommand &) = default;
};

/// What a line of MONITOR says, such as `1700000000.123456 [0 127.0.0.1:50312] "GET" "lock:a"`; absent where it is
/// none.
[[nodiscard]] std::optional<TracedCommand> tracedCommandFrom(QByteArrayView line);

/// Follows a few keys exactly for a limited time: every command that names one of them, in the order in which the
/// server has carried them out.
///
/// By MONITOR, over a connection of its own, which tells of all commands of all clients: it costs the server much as
/// long as it goes on (a third of its throughput in one measurement, two thirds with pipelining), so it ends by itself.
/// Only what names one of the keys, word for word, is taken apart and handed on; a command that reaches a key by a
/// pattern or from within a module is not seen. Nothing is written to the server.
/// Whoever watches a key reads it all the time. Such reads are told apart: by the address of the clients that call
/// themselves as we do, and over a Unix socket, where all have the same one, by their being worded as ours are.
/// Owned by the code that shows it; clock is not owned.
class KeyTrace final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(KeyTrace)

public:
    /// More commands than these are counted, and not handed on.
    static constexpr qsizetype mostHandedOn = 10'000;

    explicit KeyTrace(const base::Clock &clock, QObject *parent = nullptr);
    ~KeyTrace() override;

    /// Connects, and follows the keys for so long from then on. What is under way ends without a word.
    void start(const resp::Endpoint &endpoint, const QList<QByteArray> &keys, std::chrono::milliseconds duration);
    /// Ends it before its time.
    void stop();

    /// Connecting, or following.
    [[nodiscard]] bool isUnderWay() const { return m_dialer != nullptr; }
    /// How much longer it follows; absent while it does not.
    [[nodiscard]] std::optional<std::chrono::milliseconds> left() const;
    /// The keys that it was last told to follow.
    [[nodiscard]] const QList<QByteArray> &keys() const { return m_names; }
    /// What was so of one of them right before the first command that is told of: Exists or Gone. Absent where the
    /// server does not say.
    [[nodiscard]] std::optional<Knowledge> beginningOf(const QByteArray &key) const;
    /// Commands of all clients that the server has told of, and how many of these have named one of the keys.
    [[nodiscard]] qint64 heard() const { return m_heard; }
    [[nodiscard]] qint64 matched() const { return m_matched; }
    /// Reads of a Latchkey's, which are not among these.
    [[nodiscard]] qint64 ownReads() const { return m_ownReads; }

Q_SIGNALS:
    void began();
    void traced(const latchkey::keyspace::TracedCommand &command);
    /// It is over: its time is, somebody has stopped it, or why it could not go on.
    void ended(const std::optional<latchkey::base::Error> &error);

private:
    void dialled(base::Result<resp::Dialled<resp::Connection>> result);
    void answered(const resp::Connection::Delivery &delivery);
    void hear(const resp::Reply &line);
    void learnAddresses(const QByteArray &clientList);
    [[nodiscard]] bool isOwnRead(const TracedCommand &command) const;
    void noteTransaction(QByteArrayView line);
    void end(const std::optional<base::Error> &error);

    const base::Clock &m_clock; // Not owned.
    std::unique_ptr<resp::Dialer> m_dialer;
    std::unique_ptr<resp::Connection> m_connection;
    QList<QByteArray> m_names;
    QHash<QByteArray, Knowledge> m_beginnings;
    std::vector<QByteArrayMatcher> m_keys; ///< The same, as MONITOR writes them.
    int m_database = 0;
    std::chrono::milliseconds m_duration {};
    QTimer m_end;
    qint64 m_heard = 0;
    qint64 m_matched = 0;
    qint64 m_ownReads = 0;
    QByteArray m_name;                  ///< What we call ourselves; empty where the server does not say.
    QSet<QByteArray> m_addresses;       ///< Of those who call themselves so.
    QSet<QByteArray> m_transactions;    ///< Addresses that have begun one.
    std::vector<resp::Command> m_reads; ///< As they are worded to watch the keys.
};

} // namespace latchkey::keyspace
