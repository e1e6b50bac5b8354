#include "core/redis/exchange/loopdriver.h"

#include "core/redis/exchange/nodesessions.h"
#include "core/redis/net/session.h"

#include <QDeadlineTimer>
#include <QTimer>

#include <algorithm>

namespace latchkey::exchange {

using base::ErrorKind;
using base::failure;
using net::Connection;
using namespace std::chrono_literals;

/// The answers to several commands, which arrive in any order.
class LoopDriver::Gathering final
{
public:
    Gathering(std::size_t count, std::function<void(Answers)> done)
        : m_answers(count, failure(ErrorKind::Local, QT_TRANSLATE_NOOP("core", "not answered yet")))
        , m_missing(count)
        , m_done(std::move(done))
    {}

    void put(std::size_t index, Answer answer)
    {
        m_answers[index] = std::move(answer);
        if (--m_missing == 0)
            m_done(std::move(m_answers));
    }

private:
    Answers m_answers;
    std::size_t m_missing;
    std::function<void(Answers)> m_done;
};

LoopDriver::LoopDriver(std::vector<net::Session *> servers, const base::Clock &clock, base::RandomSource &random,
                       QObject *parent)
    : QObject(parent)
    , m_servers(std::move(servers))
    , m_clock(clock)
    , m_random(random)
    , m_timeout(5s)
{}

LoopDriver::~LoopDriver() = default;

void LoopDriver::followClusters()
{
    for (net::Session *session : m_servers)
        m_nodes.push_back(std::make_unique<NodeSessions>(*session, m_clock, m_random));
}

const net::Endpoint &LoopDriver::endpointOf(ServerIndex server, const base::Key &key) const
{
    const auto index = static_cast<std::size_t>(server);
    return m_nodes.empty() ? m_servers.at(index)->endpoint() : m_nodes.at(index)->routes().endpointOfKey(key.bytes());
}

LoopDriver::RunId LoopDriver::begin(RunningExchange exchange)
{
    const RunId id = ++m_lastId;
    m_runs.emplace(id, Run {std::move(exchange)});
    QMetaObject::invokeMethod(this, [this, id] { proceed(id); }, Qt::QueuedConnection);
    return id;
}

void LoopDriver::cancel(RunId run)
{
    m_runs.erase(run);
}

LoopDriver::Run *LoopDriver::find(RunId id)
{
    const auto found = m_runs.find(id);
    return found == m_runs.end() ? nullptr : &found->second;
}

void LoopDriver::grant(RunId id, Grant grant)
{
    if (Run *run = find(id)) {
        run->extras.clear();
        run->exchange.stepper().grant(std::move(grant));
        proceed(id);
    }
}

void LoopDriver::proceed(RunId id)
{
    const Run *const run = find(id);
    if (run == nullptr)
        return;
    StepperBase &stepper = run->exchange.stepper();
    while (!stepper.isFinished()) {
        const Step &step = stepper.step();
        if (const auto *request = std::get_if<Request>(&step)) {
            execute(id, *request);
            return;
        }
        if (const auto *batch = std::get_if<Batch>(&step)) {
            execute(id, *batch);
            return;
        }
        if (const auto *pause = std::get_if<Pause>(&step)) {
            startPause(id, pause->duration);
            return;
        }
        if (std::holds_alternative<DrawToken>(step))
            stepper.grant(Grant(m_random.freshToken()));
        else
            stepper.grant(Grant(Instant {m_clock.now(), m_clock.wallNow()}));
    }
    // Removed first, because the callback may start or cancel other runs, or destroy this driver.
    const auto finished = m_runs.extract(id);
    finished.mapped().exchange.finish();
}

void LoopDriver::startPause(RunId id, std::chrono::milliseconds duration)
{
    // A timer's interval is an int in milliseconds, at most 24 days. A pause for a third of a long lease can be longer.
    const auto now = std::min(duration, std::chrono::milliseconds(24h));
    QTimer::singleShot(now, Qt::PreciseTimer, this, [this, id, left = duration - now] {
        if (left > 0ms)
            startPause(id, left);
        else
            grant(id, PauseDone {});
    });
}

void LoopDriver::execute(RunId id, const Request &request)
{
    send(id, {request}, timeoutFor(*find(id)), [this, id](Answers answers) { grant(id, std::move(answers.front())); });
}

void LoopDriver::execute(RunId id, const Batch &batch)
{
    const auto &requests = batch.requests();
    if (requests.empty()) {
        QMetaObject::invokeMethod(this, [this, id] { grant(id, Answers {}); }, Qt::QueuedConnection);
        return;
    }
    const auto timeout = std::min(timeoutFor(*find(id)), batch.timeout());
    std::map<ServerIndex, std::vector<std::size_t>> indexes;
    for (std::size_t i = 0; i < requests.size(); ++i)
        indexes[requests[i].server()].push_back(i);

    Run *const run = find(id);
    run->answers.assign(requests.size(), failure(ErrorKind::Local, QT_TRANSLATE_NOOP("core", "not answered yet")));
    run->missing = indexes.size();
    for (const auto &[server, indices] : indexes) {
        std::vector<Request> forServer;
        for (const std::size_t index : indices)
            forServer.push_back(requests[index]);
        send(id, std::move(forServer), timeout, [this, id, theirIndexes = indices](Answers answers) {
            Run *const waiting = find(id);
            if (waiting == nullptr)
                return;
            for (std::size_t i = 0; i < theirIndexes.size(); ++i)
                waiting->answers[theirIndexes[i]] = std::move(answers[i]);
            if (--waiting->missing == 0)
                grant(id, std::exchange(waiting->answers, {}));
        });
    }
}

std::chrono::milliseconds LoopDriver::timeoutFor(const Run &run) const
{
    const base::MonotonicTime deadline = run.exchange.stepper().deadline();
    return deadline == base::MonotonicTime::max() ? m_timeout : timeoutWithin(m_timeout, deadline, m_clock.now());
}

void LoopDriver::send(RunId id, std::vector<Request> requests, std::chrono::milliseconds timeout,
                      std::function<void(Answers)> done)
{
    if (std::ranges::any_of(requests, [](const Request &request) { return request.wantsNewConnection(); })) {
        sendOnNewConnection(id, std::move(requests), timeout, std::move(done));
        return;
    }
    if (!m_nodes.empty()) {
        route(std::move(requests), timeout, std::move(done));
        return;
    }
    net::Session *session = m_servers.at(static_cast<std::size_t>(requests.front().server()));
    if (session->connection() != nullptr) {
        sendOver(*session->connection(), session->endpoint(), std::move(requests), timeout, std::move(done));
        return;
    }
    const auto unreachable =
        session->lastError()
            ? *session->lastError()
            : base::Error {ErrorKind::Unreachable,
                           base::Text(QT_TRANSLATE_NOOP("core", "not connected to %1"), session->endpoint().display())};
    // The last connection may have been lost with an unknown outcome, but this command was never sent.
    answerAll(requests.size(), failure(ErrorKind::Unreachable, unreachable.text), std::move(done));
}

/// Sends each command to the node that serves its key.
void LoopDriver::route(std::vector<Request> requests, std::chrono::milliseconds timeout,
                       std::function<void(Answers)> done)
{
    struct Part
    {
        net::Endpoint endpoint;
        std::vector<Request> requests;
        std::vector<std::size_t> indices;
    };
    NodeSessions &nodes = *m_nodes.at(static_cast<std::size_t>(requests.front().server()));
    const auto gathered = std::make_shared<Gathering>(requests.size(), std::move(done));
    std::vector<Part> parts;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (const auto refusal = nodes.routes().refusal(requests[i].command())) {
            answerAll(1, failure(*refusal), [gathered, i](Answers answers) { gathered->put(i, answers.front()); });
            continue;
        }
        const net::Endpoint endpoint = nodes.routes().endpointFor(requests[i].command());
        auto part = std::ranges::find(parts, endpoint, &Part::endpoint);
        if (part == parts.end())
            part = parts.insert(part, Part {endpoint, {}, {}});
        part->requests.push_back(std::move(requests[i]));
        part->indices.push_back(i);
    }
    for (Part &part : parts) {
        const auto put = [gathered, indices = part.indices](Answers answers) {
            for (std::size_t i = 0; i < indices.size(); ++i)
                gathered->put(indices[i], std::move(answers[i]));
        };
        nodes.reach(part.endpoint, timeout, [this, timeout, put, part](const base::Result<net::Session *> &session) {
            if (session)
                sendOver(*(*session)->connection(), (*session)->endpoint(), part.requests, timeout, put);
            else
                answerAll(part.requests.size(), failure(session.error()), put);
        });
    }
}

/// Delivers the reply of an endpoint, or follows a redirect of a cluster node.
void LoopDriver::followRedirect(const Request &request, const net::Endpoint &endpoint, resp::Reply reply,
                                QDeadlineTimer last, const std::function<void(Answer)> &done)
{
    const auto server = static_cast<std::size_t>(request.server());
    const auto detour =
        m_nodes.empty() ? std::nullopt : m_nodes[server]->routes().take(request.command(), endpoint, reply);
    if (!detour || std::chrono::milliseconds(last.remainingTime()) <= detour->pause) {
        done(answerFrom(std::move(reply)));
        return;
    }
    QTimer::singleShot(detour->pause, Qt::PreciseTimer, this, [this, server, request, last, done, detour = *detour] {
        m_nodes[server]->reach(detour.endpoint, std::chrono::milliseconds(last.remainingTime()),
                               [this, request, last, done, detour](const base::Result<net::Session *> &session) {
                                   const std::chrono::milliseconds left(last.remainingTime());
                                   if (!session || left == 0ms) {
                                       done(session ? deadlinePassed() : Answer(failure(session.error())));
                                       return;
                                   }
                                   resp::Commands commands {request.command()};
                                   if (detour.isAsking)
                                       commands.insert(commands.begin(), resp::Command {QByteArrayLiteral("ASKING")});
                                   (*session)->connection()->send(
                                       commands, left, this,
                                       [this, request, last, done,
                                        at = (*session)->endpoint()](base::Result<Connection::Delivery> delivery) {
                                           if (delivery)
                                               followRedirect(request, at, std::move(delivery->replies.back()), last,
                                                              done);
                                           else
                                               done(failure(delivery.error()));
                                       });
                               });
    });
}

void LoopDriver::answerAll(std::size_t count, const Answer &answer, std::function<void(Answers)> done)
{
    QMetaObject::invokeMethod(
        this, [count, answer, done = std::move(done)] { done(Answers(count, answer)); }, Qt::QueuedConnection);
}

void LoopDriver::sendOver(Connection &connection, const net::Endpoint &endpoint, std::vector<Request> requests,
                          std::chrono::milliseconds timeout, std::function<void(Answers)> done)
{
    if (timeout == 0ms) {
        answerAll(requests.size(), deadlinePassed(), std::move(done));
        return;
    }
    resp::Commands commands;
    commands.reserve(requests.size());
    for (const Request &request : requests)
        commands.push_back(request.command());
    connection.send(commands, timeout, this,
                    [this, endpoint, requests = std::move(requests), last = QDeadlineTimer(timeout, Qt::PreciseTimer),
                     done = std::move(done)](base::Result<Connection::Delivery> delivery) {
                        const auto gathered = std::make_shared<Gathering>(requests.size(), done);
                        for (std::size_t i = 0; i < requests.size(); ++i) {
                            const auto sent = delivery ? delivery->sent : base::MonotonicTime();
                            const auto received = delivery ? delivery->received : m_clock.now();
                            const auto put = [this, gathered, i, request = requests[i], sent, received](Answer answer) {
                                if (m_listener)
                                    m_listener({request, answer, sent, received});
                                gathered->put(i, std::move(answer));
                            };
                            if (delivery)
                                followRedirect(requests[i], endpoint, std::move(delivery->replies[i]), last, put);
                            else
                                put(failure(delivery.error()));
                        }
                    });
}

void LoopDriver::sendOnNewConnection(RunId id, std::vector<Request> requests, std::chrono::milliseconds timeout,
                                     std::function<void(Answers)> done)
{
    const ServerIndex server = requests.front().server();
    auto dialer = std::make_unique<net::Dialer>(m_clock);
    net::Dialer &dialling = *dialer;
    find(id)->extras[server] = std::move(dialer);
    const net::Endpoint endpoint =
        m_nodes.empty() ? m_servers.at(static_cast<std::size_t>(server))->endpoint()
                        : m_nodes[static_cast<std::size_t>(server)]->routes().endpointFor(requests.front().command());
    dialling.dial(endpoint, timeout,
                  [this, id, server, timeout, endpoint, requests = std::move(requests),
                   done = std::move(done)](base::Result<net::DialResult<Connection>> dialled) {
                      Run *const run = find(id);
                      if (run == nullptr)
                          return;
                      std::unique_ptr<QObject> &extra = run->extras.at(server);
                      extra.release()->deleteLater(); // Deferred, because the dialer is the caller.
                      if (!dialled) {
                          const base::Error error {base::leavesOutcomeUnknown(dialled.error().kind)
                                                       ? ErrorKind::Unreachable // The command was never sent.
                                                       : dialled.error().kind,
                                                   dialled.error().text};
                          done(Answers(requests.size(), failure(error)));
                          return;
                      }
                      Connection &connection = *dialled->connection;
                      extra = std::move(dialled->connection);
                      const auto left = std::min(timeout, timeoutFor(*find(id)));
                      sendOver(connection, endpoint, requests, left, [this, id, server, done](Answers answers) {
                          if (Run *const waiting = find(id))
                              waiting->extras.at(server)
                                  .release()
                                  ->deleteLater(); // Deferred, because the connection is the caller.
                          done(std::move(answers));
                      });
                  });
}

} // namespace latchkey::exchange
