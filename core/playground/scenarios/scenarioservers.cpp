#include "core/playground/scenarios/scenarioservers.h"

#include "core/playground/scenarios/confinement.h"

#include <algorithm>
#include <csignal>

namespace latchkey::scenarios {

using exchange::Answer;
using exchange::Answers;
using exchange::Batch;
using exchange::Exchange;
using exchange::Request;
using exchange::tentatively;
using net::Session;

namespace {

Exchange<void> confined(int servers)
{
    for (int server = 0; server < servers; ++server) {
        (void)co_await Request(confiningCommand(), server);
    }
}

} // namespace

Exchange<ObservedKey> readKey(base::Key key, int server)
{
    Batch questions;
    questions.add(resp::pttl(key), server);
    questions.add(resp::type(key), server);
    const Answers answers = co_await std::move(questions);
    for (const Answer &answer : answers) {
        if (!answer)
            throw base::Failure(answer.error());
    }
    ObservedKey observedKey;
    observedKey.key = key;
    observedKey.server = server;
    const QByteArray type = answers.at(1)->bytes();
    observedKey.exists = type != "none";
    if (const qint64 left = answers.at(0)->toInteger(); left >= 0)
        observedKey.left = std::chrono::milliseconds(left);
    if (type == "string") {
        const Answer held = co_await tentatively(Request(resp::get(key), server));
        if (held && held->isBulk())
            observedKey.value = held->bytes();
    } else if (type == "hash") {
        const Answer held = co_await tentatively(Request(resp::hgetall(key), server));
        for (std::size_t i = 0; held && i + 1 < held->elements().size(); i += 2)
            observedKey.fields[held->elements()[i].bytes()] = held->elements()[i + 1].bytes();
    }
    co_return observedKey;
}

ScenarioServers::ScenarioServers(int count, const base::Clock &clock, base::RandomSource &random, QObject *parent)
    : QObject(parent)
    , m_clock(clock)
    , m_random(random)
{
    for (int i = 0; i < count; ++i) {
        m_servers.push_back(std::make_unique<privateserver::PrivateServer>());
        watch(i);
    }
}

ScenarioServers::~ScenarioServers() = default;

void ScenarioServers::watch(int server)
{
    const privateserver::PrivateServer *process = m_servers.back().get();
    connect(process, &privateserver::PrivateServer::ready, this, [this] {
        const auto isReady = [](const auto &each) { return each->isReady(); };
        if (m_sessions.empty() && std::ranges::all_of(m_servers, isReady))
            connectSessions();
    });
    connect(process, &privateserver::PrivateServer::failed, this, &ScenarioServers::failed);
    connect(process, &privateserver::PrivateServer::ended, this, [this, server](const base::Error &error) {
        if (!m_killed.contains(server)) {
            Q_EMIT failed(error);
            return;
        }
        m_gone.insert(server);
        Q_EMIT gone();
    });
}

void ScenarioServers::start()
{
    for (const auto &server : m_servers) // A crash here means the memory limit was reached, so a crash log is useless.
        server->start({QStringLiteral("--crash-log-enabled"), QStringLiteral("no")});
}

void ScenarioServers::kill(int server)
{
    if (m_gone.contains(server))
        return;
    m_killed.insert(server);
    m_sessions[static_cast<std::size_t>(server)]->stop();
    ::kill(static_cast<pid_t>(m_servers[static_cast<std::size_t>(server)]->processId()), SIGKILL);
}

std::vector<net::Endpoint> ScenarioServers::endpoints() const
{
    std::vector<net::Endpoint> endpoints;
    for (const auto &server : m_servers)
        endpoints.push_back(server->endpoint());
    return endpoints;
}

void ScenarioServers::connectSessions()
{
    std::vector<Session *> pointers;
    for (const auto &server : m_servers) {
        if (const auto limited = confineMemory(server->processId()); !limited) {
            Q_EMIT failed(limited.error());
            return;
        }
        auto &session = m_sessions.emplace_back(std::make_unique<Session>(server->endpoint(), m_clock, m_random));
        pointers.push_back(session.get());
        connect(session.get(), &Session::stateChanged, this, [this](Session::State state) {
            const auto isReady = [](const auto &each) { return each->state() == Session::State::Ready; };
            if (state == Session::State::Ready && !m_isConfined && std::ranges::all_of(m_sessions, isReady))
                confine();
        });
    }
    m_driver = std::make_unique<exchange::LoopDriver>(std::move(pointers), m_clock, m_random);
    for (const auto &session : m_sessions)
        session->start();
}

void ScenarioServers::confine()
{
    m_isConfined = true;
    m_driver->run<void>(confined(static_cast<int>(m_servers.size())), [this](const base::Result<void> &done) {
        if (done)
            Q_EMIT ready();
        else
            Q_EMIT failed(done.error());
    });
}

} // namespace latchkey::scenarios
