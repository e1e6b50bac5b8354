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
    , m_routes(m_servers.begin(), m_servers.end())
    , m_serverInfos(m_servers.size())
    , m_addresses(m_servers.size())
    , m_timeout(timeout)
    , m_clock(clock)
    , m_random(random)
{}

BlockingDriver::~BlockingDriver() = default;

Result<void> BlockingDriver::connect()
{
    std::set<Peer> all;
    for (std::size_t i = 0; i < m_servers.size(); ++i)
        all.insert(peerAt(static_cast<ServerIndex>(i), m_servers[i]));
    for (auto &[peer, connected] : connectTo(all, m_timeout)) {
        if (!connected)
            return failure(std::move(connected.error()));
    }
    return {};
}

void BlockingDriver::drive(StepperBase &stepper)
{
    while (!stepper.isFinished())
        stepper.grant(execute(stepper.step(), stepper.deadline()));
}

Grant BlockingDriver::execute(const Step &step, base::MonotonicTime deadline)
{
    if (const auto *asked = std::get_if<Request>(&step))
        return execute(*asked, deadline);
    if (const auto *batch = std::get_if<Batch>(&step))
        return executeBatch(*batch, deadline);
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

net::SlotRoutes &BlockingDriver::routesOf(const Request &request)
{
    return m_routes.at(static_cast<std::size_t>(request.server()));
}

BlockingDriver::Peer BlockingDriver::peerAt(ServerIndex server, const net::Endpoint &endpoint)
{
    Peer peer(server, endpoint.display());
    m_endpoints.emplace(peer, endpoint);
    return peer;
}

BlockingDriver::Peer BlockingDriver::peerFor(const Request &request)
{
    return peerAt(request.server(), routesOf(request).endpointFor(request.command()));
}

/// Takes over the new connection, or returns its error. An unknown outcome of the handshake becomes Unreachable,
/// because the exchange's command was never sent.
Result<void> BlockingDriver::adopt(const Peer &peer, Result<net::DialResult<net::BlockingConnection>> dialled)
{
    const auto server = static_cast<std::size_t>(peer.first);
    const net::Endpoint &endpoint = m_endpoints.at(peer);
    if (!dialled) {
        m_routes.at(server).forget(endpoint);
        const base::Error &why = dialled.error();
        const base::Error named = endpoint == m_servers.at(server) ? why : net::unreachableNode(endpoint, why);
        return failure(base::leavesOutcomeUnknown(why.kind) ? ErrorKind::Unreachable : why.kind, named.text);
    }
    m_connections[peer] = std::move(dialled->connection);
    m_routes.at(server).setCluster(dialled->server.mode == u"cluster");
    m_serverInfos.at(server) = std::move(dialled->server);
    m_addresses.at(server) = net::HostPort {dialled->endpoint.host, dialled->endpoint.port};
    return {};
}

bool BlockingDriver::isConnectedTo(const Peer &peer) const
{
    const auto found = m_connections.find(peer);
    return found != m_connections.end() && found->second && found->second->isOpen();
}

Answer BlockingDriver::execute(const Request &request, base::MonotonicTime deadline)
{
    const auto timeToDial = timeoutFor(deadline);
    if (timeToDial == 0ms)
        return deadlinePassed();
    const Peer peer = peerFor(request);
    if (request.wantsNewConnection())
        m_connections.erase(peer);
    if (!isConnectedTo(peer)) {
        if (const auto adopted = adopt(peer, net::dialBlocking(m_endpoints.at(peer), timeToDial)); !adopted)
            return failure(adopted.error());
    }
    if (const auto refusal = routesOf(request).refusal(request.command()))
        return failure(*refusal);
    const auto timeToAnswer = timeoutFor(deadline);
    if (timeToAnswer == 0ms)
        return deadlinePassed();
    auto reply = m_connections.at(peer)->execute(request.command(), timeToAnswer);
    if (!reply)
        return failure(std::move(reply.error()));
    return followRedirect(request, peer, std::move(*reply), deadline);
}

Result<resp::Reply> BlockingDriver::requestAt(const Peer &peer, const Request &request, bool isAsking,
                                              std::chrono::milliseconds timeout)
{
    if (!isConnectedTo(peer)) {
        if (const auto adopted = adopt(peer, net::dialBlocking(m_endpoints.at(peer), timeout)); !adopted)
            return failure(adopted.error());
    }
    resp::Commands commands {request.command()};
    if (isAsking)
        commands.insert(commands.begin(), resp::Command {QByteArrayLiteral("ASKING")});
    auto replies = m_connections.at(peer)->execute(commands, timeout);
    if (!replies)
        return failure(std::move(replies.error()));
    return std::move(replies->back());
}

Answer BlockingDriver::followRedirect(const Request &request, const Peer &peer, resp::Reply reply,
                                      base::MonotonicTime due)
{
    const QDeadlineTimer last(timeoutFor(due), Qt::PreciseTimer);
    Peer current = peer;
    while (const auto detour = routesOf(request).take(request.command(), m_endpoints.at(current), reply)) {
        const auto left = std::chrono::milliseconds(last.remainingTime());
        if (left <= detour->pause)
            break; // The redirect is the answer: the command was not executed.
        QThread::usleep(static_cast<unsigned long>(std::chrono::microseconds(detour->pause).count()));
        current = peerAt(request.server(), detour->endpoint);
        auto answered = requestAt(current, request, detour->isAsking, left - detour->pause);
        if (!answered)
            return failure(std::move(answered.error()));
        reply = std::move(*answered);
    }
    return answerFrom(std::move(reply));
}

std::map<BlockingDriver::Peer, Result<void>> BlockingDriver::connectTo(const std::set<Peer> &peers,
                                                                       std::chrono::milliseconds timeout)
{
    std::vector<Peer> absent;
    std::vector<net::Endpoint> endpoints;
    std::map<Peer, Result<void>> results;
    for (const Peer &peer : peers) {
        results.emplace(peer, Result<void>());
        if (!isConnectedTo(peer)) {
            absent.push_back(peer);
            endpoints.push_back(m_endpoints.at(peer));
        }
    }
    auto dialled = net::dialBlocking(endpoints, timeout);
    for (std::size_t i = 0; i < absent.size(); ++i)
        results.at(absent[i]) = adopt(absent[i], std::move(dialled[i]));
    return results;
}

Answers BlockingDriver::executeBatch(const Batch &batch, base::MonotonicTime due)
{
    const auto &requests = batch.requests();
    const auto timeout = std::min(timeoutFor(due), batch.timeout());
    if (timeout == 0ms)
        return Answers(requests.size(),
                       deadlinePassed()); // NOLINT(*-return-braced-init-list): that would be a list of two.
    std::vector<Peer> peers;              // One per request.
    std::map<Peer, resp::Commands> commands;
    for (const Request &request : requests) {
        peers.push_back(peerFor(request));
        if (request.wantsNewConnection())
            m_connections.erase(peers.back());
        commands[peers.back()].push_back(request.command());
    }

    // All requests are sent before any wait, so slow servers delay in parallel.
    std::map<Peer, Result<void>> sent = connectTo({peers.begin(), peers.end()}, timeout);
    const QDeadlineTimer deadline(timeout, Qt::PreciseTimer);
    for (auto &[peer, sending] : sent) {
        if (sending)
            sending = m_connections.at(peer)->send(commands.at(peer), deadline);
    }
    std::map<Peer, Result<resp::Replies>> replies;
    for (const auto &[peer, sending] : sent)
        replies.emplace(peer, sending ? m_connections.at(peer)->collect(deadline)
                                      : Result<resp::Replies>(failure(sending.error())));

    Answers answers;
    std::map<Peer, std::size_t> taken;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        auto &fromPeer = replies.at(peers[i]);
        if (!fromPeer)
            answers.emplace_back(failure(fromPeer.error()));
        else
            answers.push_back(followRedirect(requests[i], peers[i], std::move((*fromPeer)[taken[peers[i]]++]), due));
    }
    return answers;
}

} // namespace latchkey::exchange
