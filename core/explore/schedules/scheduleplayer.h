#pragma once

#include "core/explore/schedules/recordedschedule.h"
#include "core/explore/schedules/serverfaults.h"
#include "core/explore/schedules/subscriptions.h"
#include "core/foundation/base/error.h"
#include "core/redis/net/blockingconnection.h"
#include "core/redis/net/endpoint.h"

#include <functional>
#include <map>
#include <memory>
#include <set>

namespace latchkey::schedules {

/// Result of a step.
struct StepReply
{
    bool hasPassed = true; ///< Whether all replies are equal to those of the story.
    resp::Reply reply;     ///< Reply of the server to a command.
};

/// A player of recorded schedules on real servers, step by step. It sends the commands of each client over a separate
/// connection and compares the replies with the story.
///
/// The player runs no recipe: all commands come from the story. No command blocks in the server: a BLPOP takes an
/// existing element or times out immediately. A crash closes the client's connections. A lapse deletes the key, over a
/// connection that belongs to no client. Clock readings and writes to a resource need no server. If a lapse or a wait
/// passes time, the function of setClock() is called; without one, every remaining lifetime is shortened instead.
/// Impossible steps are refused: a lapse of a key that is absent or has no lifetime, or a deadline in a key without
/// one. A failover or a restart happens on the same server: the connections to it end, and it gets back the keys that
/// it had before the first lost step, or none. A jump of its clock deletes all keys with a lifetime.
///
/// Owned by its caller. The player does not start servers. It blocks while it waits for replies, so it must not be used
/// in a thread with an event loop.
class SchedulePlayer final
{
public:
    /// Default timeout of one step, for stories of unknown origin.
    static constexpr std::chrono::seconds stepTimeout {3};

    /// Creates a player. `story`: accepted by checkSchedule(), not owned. `servers`: as many as the story has; they are
    /// emptied. `timeout`: timeout of one step on each server.
    SchedulePlayer(const RecordedSchedule &schedule, std::vector<net::Endpoint> servers,
                   std::chrono::seconds timeout = stepTimeout);
    ~SchedulePlayer();
    Q_DISABLE_COPY_MOVE(SchedulePlayer)

    /// Sets the function that advances the servers' clock. Its argument is the total time passed so far, zero at the
    /// start.
    void setClock(std::function<void(std::chrono::milliseconds)> setTo) { m_setClock = std::move(setTo); }

    /// Empties the servers, loads the story's scripts and sends the preparation. Errors of servers, including an error
    /// reply to the preparation. Usage: a script does not compile, or a command times out.
    [[nodiscard]] base::Result<void> begin();
    /// Plays the next step. Errors of servers, with the step; an error reply that the story contains is no error.
    /// Usage: the step is impossible or times out.
    [[nodiscard]] base::Result<StepReply> playNext();
    /// Returns the number of played steps.
    [[nodiscard]] std::size_t played() const { return m_played; }
    [[nodiscard]] bool isOver() const { return m_played == m_schedule.steps.size(); }

private:
    using Connection = std::unique_ptr<net::BlockingConnection>;

    /// A subscriber connection of a client.
    struct SubscriberConnection
    {
        Connection connection;
        Subscriptions subscriptions;
        resp::Replies inbox; ///< Messages that the client has not received yet.
    };

    /// Fields of a hash with their remaining milliseconds.
    using FieldDeadlines = std::vector<std::pair<QByteArray, qint64>>;

    [[nodiscard]] base::Result<FieldDeadlines> fieldEnds(int server, const QByteArray &key);
    [[nodiscard]] base::Result<void> endFields(int server, std::chrono::milliseconds time);
    [[nodiscard]] base::Result<void> shortenFields(int server, const QByteArray &key, std::chrono::milliseconds time);
    [[nodiscard]] base::Result<void> dial(int server, Connection &connection) const;
    [[nodiscard]] base::Result<resp::Replies> executeOnSubscriber(
        const ScheduleStep &step, const std::function<resp::Commands(const SubscriberConnection &)> &commands);
    [[nodiscard]] base::Result<resp::Reply> subscribe(const ScheduleStep &step);
    [[nodiscard]] base::Result<StepReply> receive(const ScheduleStep &step);
    [[nodiscard]] base::Result<resp::Reply> execute(int server, const QString &client, const resp::Command &command);
    [[nodiscard]] resp::Command withScriptSource(const resp::Command &command) const;
    [[nodiscard]] base::Result<void> executeOrFail(int server, const resp::Command &command);
    [[nodiscard]] base::Result<StepReply> play(const ScheduleStep &step);
    [[nodiscard]] base::Result<resp::Reply> send(const ScheduleStep &step);
    [[nodiscard]] base::Result<void> endKey(int server, const QByteArray &key);
    [[nodiscard]] base::Result<void> checkDeadline(int server, const QByteArray &key);
    void disconnect(int server);
    [[nodiscard]] base::Result<void> advanceClock(std::chrono::milliseconds time);
    [[nodiscard]] base::Result<void> shorten(int server, std::chrono::milliseconds time);

    const RecordedSchedule &m_schedule; // Not owned.
    const std::vector<net::Endpoint> m_servers;
    const std::chrono::seconds m_timeout;
    std::map<std::pair<int, QString>, Connection> m_connections; ///< Keyed by server and client; empty: no client.
    std::map<std::pair<int, QString>, SubscriberConnection> m_subscribers;
    std::set<std::pair<int, QString>> m_queueing;              ///< Servers and clients with an open MULTI.
    std::map<QByteArray, QByteArray> m_digests;                ///< SHA1 of each script by name.
    std::function<void(std::chrono::milliseconds)> m_setClock; ///< May be null.
    ServerFaults m_faults;
    std::chrono::milliseconds m_passed {};
    std::size_t m_played = 0;
};

} // namespace latchkey::schedules
