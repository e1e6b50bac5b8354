#include "core/exchange/blockingdriver.h"

#include "core/resp/dialer.h"

#include <QThread>

#include <map>

namespace latchkey::exchange {

using base::failure;
using base::Result;

BlockingDriver::BlockingDriver(std::vector<resp::Endpoint> servers, std::chrono::milliseconds timeout,
                               const base::Clock &clock, base::RandomSource &random)
    : m_servers(std::move(servers))
    , m_connections(m_servers.size())
    , m_timeout(timeout)
    , m_clock(clock)
    , m_random(random)
{}

BlockingDriver::~BlockingDriver() = default;

Result<void> BlockingDriver::connect()
{
    for (std::size_t i = 0; i < m_servers.size(); ++i) {
        if (auto connection = connectionTo(static_cast<ServerIndex>(i)); !connection)
            return failure(std::move(connection.error()));
    }
    return {};
}

void BlockingDriver::drive(StepperBase &stepper)
{
    while (!stepper.isFinished())
        stepper.grant(carryOut(stepper.step()));
}

Grant BlockingDriver::carryOut(const Step &step)
{
    if (const auto *asked = std::get_if<Ask>(&step))
        return ask(*asked);
    if (const auto *batch = std::get_if<Batch>(&step))
        return askAll(*batch);
    if (const auto *pause = std::get_if<Pause>(&step)) {
        QThread::usleep(static_cast<unsigned long>(std::chrono::microseconds(pause->duration).count()));
        return Rested {};
    }
    if (std::holds_alternative<DrawToken>(step))
        return m_random.freshToken();
    return Instant {m_clock.now(), m_clock.wallNow()};
}

BlockingDriver::ConnectionResult BlockingDriver::connectionTo(ServerIndex server)
{
    auto &connection = m_connections.at(static_cast<std::size_t>(server));
    if (connection && connection->isOpen())
        return connection.get();
    auto dialled = resp::dialBlocking(m_servers.at(static_cast<std::size_t>(server)), m_timeout);
    if (!dialled)
        return failure(std::move(dialled.error()));
    connection = std::move(dialled->connection);
    return connection.get();
}

Answer BlockingDriver::ask(const Ask &ask)
{
    if (ask.wantsNewConnection())
        m_connections.at(static_cast<std::size_t>(ask.server())).reset();
    const auto connection = connectionTo(ask.server());
    if (!connection)
        return failure(connection.error());
    auto reply = (*connection)->ask(ask.command(), m_timeout);
    if (!reply)
        return failure(std::move(reply.error()));
    return answerFrom(std::move(*reply));
}

Answers BlockingDriver::askAll(const Batch &batch)
{
    const auto &asks = batch.asks();
    // Everything is on its way before anything is waited for, so slow servers are slow side by side.
    std::map<ServerIndex, resp::Commands> commands;
    for (const Ask &ask : asks)
        commands[ask.server()].push_back(ask.command());

    const QDeadlineTimer deadline(m_timeout, Qt::PreciseTimer);
    std::map<ServerIndex, Result<void>> sent;
    for (const auto &[server, forServer] : commands) {
        const auto connection = connectionTo(server);
        sent.emplace(server,
                     connection ? (*connection)->send(forServer, deadline) : Result<void>(failure(connection.error())));
    }

    std::map<ServerIndex, Result<resp::Replies>> replies;
    for (const auto &[server, forServer] : commands) {
        const Result<void> &sending = sent.at(server);
        replies.emplace(server, sending ? m_connections.at(static_cast<std::size_t>(server))->collect(deadline)
                                        : Result<resp::Replies>(failure(sending.error())));
    }

    Answers answers;
    std::map<ServerIndex, std::size_t> taken;
    for (const Ask &ask : asks) {
        auto &fromServer = replies.at(ask.server());
        if (!fromServer)
            answers.push_back(failure(fromServer.error()));
        else
            answers.push_back(answerFrom(std::move((*fromServer)[taken[ask.server()]++])));
    }
    return answers;
}

} // namespace latchkey::exchange
