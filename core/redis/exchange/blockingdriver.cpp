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

net::SlotRoutes &BlockingDriver::routesOf(const Request &ask)
{
    return m_routes.at(static_cast<std::size_t>(ask.server()));
}

BlockingDriver::Peer BlockingDriver::peerAt(ServerIndex server, const net::Endpoint &place)
{
    Peer peer(server, place.display());
    m_places.emplace(peer, place);
    return peer;
}

BlockingDriver::Peer BlockingDriver::peerFor(const Request &ask)
{
    return peerAt(ask.server(), routesOf(ask).placeFor(ask.command()));
}

/// Takes over the new connection, or returns its error. An unknown outcome of the handshake becomes Unreachable,
/// because the exchange's command was never sent.
Result<void> BlockingDriver::adopt(const Peer &peer, Result<net::DialResult<net::BlockingConnection>> dialled)
{
    const auto server = static_cast<std::size_t>(peer.first);
    const net::Endpoint &place = m_places.at(peer);
    if (!dialled) {
        m_routes.at(server).forget(place);
        const base::Error &why = dialled.error();
        const base::Error named = place == m_servers.at(server) ? why : net::unreachableNode(place, why);
        return failure(base::leavesOutcomeUnknown(why.kind) ? ErrorKind::Unreachable : why.kind, named.text);
    }
    m_connections[peer] = std::move(dialled->connection);
    m_routes.at(server).setCluster(dialled->server.mode == u"cluster");
    m_serverInfos.at(server) = std::move(dialled->server);
    m_addresses.at(server) = net::HostPort {dialled->place.host, dialled->place.port};
    return {};
}

bool BlockingDriver::isConnectedTo(const Peer &peer) const
{
    const auto found = m_connections.find(peer);
    return found != m_connections.end() && found->second && found->second->isOpen();
}

Answer BlockingDriver::ask(const Request &ask, base::MonotonicTime deadline)
{
    const auto timeToDial = timeoutFor(deadline);
    if (timeToDial == 0ms)
        return tooLateToSend();
    const Peer peer = peerFor(ask);
    if (ask.wantsNewConnection())
        m_connections.erase(peer);
    if (!isConnectedTo(peer)) {
        if (const auto adopted = adopt(peer, net::dialBlocking(m_places.at(peer), timeToDial)); !adopted)
            return failure(adopted.error());
    }
    if (const auto refusal = routesOf(ask).refusal(ask.command()))
        return failure(*refusal);
    const auto timeToAnswer = timeoutFor(deadline);
    if (timeToAnswer == 0ms)
        return tooLateToSend();
    auto reply = m_connections.at(peer)->ask(ask.command(), timeToAnswer);
    if (!reply)
        return failure(std::move(reply.error()));
    return follow(ask, peer, std::move(*reply), deadline);
}

Result<resp::Reply> BlockingDriver::askAt(const Peer &peer, const Request &ask, bool isAsking,
                                          std::chrono::milliseconds timeout)
{
    if (!isConnectedTo(peer)) {
        if (const auto adopted = adopt(peer, net::dialBlocking(m_places.at(peer), timeout)); !adopted)
            return failure(adopted.error());
    }
    resp::Commands commands {ask.command()};
    if (isAsking)
        commands.insert(commands.begin(), resp::Command {QByteArrayLiteral("ASKING")});
    auto replies = m_connections.at(peer)->ask(commands, timeout);
    if (!replies)
        return failure(std::move(replies.error()));
    return std::move(replies->back());
}

Answer BlockingDriver::follow(const Request &ask, const Peer &peer, resp::Reply reply, base::MonotonicTime due)
{
    const QDeadlineTimer last(timeoutFor(due), Qt::PreciseTimer);
    Peer current = peer;
    while (const auto detour = routesOf(ask).take(ask.command(), m_places.at(current), reply)) {
        const auto left = std::chrono::milliseconds(last.remainingTime());
        if (left <= detour->pause)
            break; // The redirect is the answer: the command was not executed.
        QThread::usleep(static_cast<unsigned long>(std::chrono::microseconds(detour->pause).count()));
        current = peerAt(ask.server(), detour->place);
        auto answered = askAt(current, ask, detour->isAsking, left - detour->pause);
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
            endpoints.push_back(m_places.at(peer));
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
    std::vector<Peer> peers;                          // One per request.
    std::map<Peer, resp::Commands> commands;
    for (const Request &ask : asks) {
        peers.push_back(peerFor(ask));
        if (ask.wantsNewConnection())
            m_connections.erase(peers.back());
        commands[peers.back()].push_back(ask.command());
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
    for (std::size_t i = 0; i < asks.size(); ++i) {
        auto &fromPeer = replies.at(peers[i]);
        if (!fromPeer)
            answers.emplace_back(failure(fromPeer.error()));
        else
            answers.push_back(follow(asks[i], peers[i], std::move((*fromPeer)[taken[peers[i]]++]), due));
    }
    return answers;
}

} // namespace latchkey::exchange
