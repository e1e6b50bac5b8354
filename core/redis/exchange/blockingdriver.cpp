#include "core/redis/exchange/blockingdriver.h"

#include <QThread>

namespace latchkey::exchange {

using base::ErrorKind;
using base::failure;
using base::Result;
using namespace std::chrono_literals;

BlockingDriver::BlockingDriver(std::vector<net::Endpoint> servers, std::chrono::milliseconds timeout,
                               const base::Clock &clock, base::RandomSource &random)
    : m_servers(std::move(servers))
    , m_connections(m_servers.size())
    , m_said(m_servers.size())
    , m_timeout(timeout)
    , m_clock(clock)
    , m_random(random)
{}

BlockingDriver::~BlockingDriver() = default;

Result<void> BlockingDriver::connect()
{
    std::set<ServerIndex> all;
    for (std::size_t i = 0; i < m_servers.size(); ++i)
        all.insert(static_cast<ServerIndex>(i));
    for (auto &[server, connected] : connectTo(all, m_timeout)) {
        if (!connected)
            return failure(std::move(connected.error()));
    }
    return {};
}

void BlockingDriver::drive(StepperBase &stepper)
{
    while (!stepper.isFinished())
        stepper.grant(carryOut(stepper.step(), stepper.deadline()));
}

Grant BlockingDriver::carryOut(const Step &step, base::MonotonicTime deadline)
{
    if (const auto *asked = std::get_if<Request>(&step))
        return ask(*asked, deadline);
    if (const auto *batch = std::get_if<Batch>(&step))
        return askAll(*batch, deadline);
    if (const auto *pause = std::get_if<Pause>(&step)) {
        QThread::usleep(static_cast<unsigned long>(std::chrono::microseconds(pause->duration).count()));
        return PauseDone {};
    }
    if (std::holds_alternative<DrawToken>(step))
        return m_random.freshToken();
    return Instant {m_clock.now(), m_clock.wallNow()};
}

std::chrono::milliseconds BlockingDriver::timeoutFor(base::MonotonicTime deadline) const
{
    if (deadline == base::MonotonicTime::max())
        return m_timeout;
    return timeoutWithin(m_timeout, deadline, m_clock.now());
}

/// Takes over the new connection, or returns its error. An unknown outcome of the handshake becomes Unreachable,
/// because the exchange's command was never sent.
Result<void> BlockingDriver::adopt(ServerIndex server, Result<net::DialResult<net::BlockingConnection>> dialled)
{
    if (!dialled && base::leavesOutcomeUnknown(dialled.error().kind))
        return failure(ErrorKind::Unreachable, dialled.error().text);
    if (!dialled)
        return failure(std::move(dialled.error()));
    m_connections.at(static_cast<std::size_t>(server)) = std::move(dialled->connection);
    m_said.at(static_cast<std::size_t>(server)) = std::move(dialled->server);
    return {};
}

bool BlockingDriver::isConnectedTo(ServerIndex server) const
{
    const auto &connection = m_connections.at(static_cast<std::size_t>(server));
    return connection && connection->isOpen();
}

net::BlockingConnection &BlockingDriver::connectionTo(ServerIndex server)
{
    return *m_connections.at(static_cast<std::size_t>(server));
}

Answer BlockingDriver::ask(const Request &ask, base::MonotonicTime deadline)
{
    const auto timeToDial = timeoutFor(deadline);
    if (timeToDial == 0ms)
        return tooLateToSend();
    const ServerIndex server = ask.server();
    if (ask.wantsNewConnection())
        m_connections.at(static_cast<std::size_t>(server)).reset();
    if (!isConnectedTo(server)) {
        const auto &endpoint = m_servers.at(static_cast<std::size_t>(server));
        if (const auto adopted = adopt(server, net::dialBlocking(endpoint, timeToDial)); !adopted)
            return failure(adopted.error());
    }
    const auto timeToAnswer = timeoutFor(deadline);
    if (timeToAnswer == 0ms)
        return tooLateToSend();
    auto reply = connectionTo(server).ask(ask.command(), timeToAnswer);
    if (!reply)
        return failure(std::move(reply.error()));
    return answerFrom(std::move(*reply));
}

std::map<ServerIndex, Result<void>> BlockingDriver::connectTo(const std::set<ServerIndex> &servers,
                                                              std::chrono::milliseconds timeout)
{
    std::vector<ServerIndex> absent;
    std::vector<net::Endpoint> endpoints;
    std::map<ServerIndex, Result<void>> results;
    for (const ServerIndex server : servers) {
        results.emplace(server, Result<void>());
        if (!isConnectedTo(server)) {
            absent.push_back(server);
            endpoints.push_back(m_servers.at(static_cast<std::size_t>(server)));
        }
    }
    auto dialled = net::dialBlocking(endpoints, timeout);
    for (std::size_t i = 0; i < absent.size(); ++i)
        results.at(absent[i]) = adopt(absent[i], std::move(dialled[i]));
    return results;
}

Answers BlockingDriver::askAll(const Batch &batch, base::MonotonicTime due)
{
    const auto &asks = batch.requests();
    const auto timeout = std::min(timeoutFor(due), batch.patience());
    if (timeout == 0ms)
        return Answers(asks.size(), tooLateToSend()); // NOLINT(*-return-braced-init-list): that would be a list of two.
    std::map<ServerIndex, resp::Commands> commands;
    std::set<ServerIndex> servers;
    for (const Request &ask : asks) {
        if (ask.wantsNewConnection())
            m_connections.at(static_cast<std::size_t>(ask.server())).reset();
        commands[ask.server()].push_back(ask.command());
        servers.insert(ask.server());
    }

    // All requests are sent before any wait, so slow servers delay in parallel.
    std::map<ServerIndex, Result<void>> sent = connectTo(servers, timeout);
    const QDeadlineTimer deadline(timeout, Qt::PreciseTimer);
    for (auto &[server, sending] : sent) {
        if (sending)
            sending = connectionTo(server).send(commands.at(server), deadline);
    }
    std::map<ServerIndex, Result<resp::Replies>> replies;
    for (const auto &[server, sending] : sent)
        replies.emplace(server, sending ? connectionTo(server).collect(deadline)
                                        : Result<resp::Replies>(failure(sending.error())));

    Answers answers;
    std::map<ServerIndex, std::size_t> taken;
    for (const Request &ask : asks) {
        auto &fromServer = replies.at(ask.server());
        if (!fromServer)
            answers.emplace_back(failure(fromServer.error()));
        else
            answers.push_back(answerFrom(std::move((*fromServer)[taken[ask.server()]++])));
    }
    return answers;
}

} // namespace latchkey::exchange
