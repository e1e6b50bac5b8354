#include "core/playground/playground/serverpool.h"

#include <algorithm>

namespace latchkey::playground {

using exchange::Answers;
using exchange::Batch;
using exchange::Exchange;
using privateserver::PrivateServer;
using KeyContents = std::map<base::Key, ServerPool::KeyContent>;
using namespace std::chrono_literals;

namespace {

/// Timeout of a request, so that a frozen server does not delay users for longer.
constexpr auto readTimeout = 1s;

Exchange<KeyContents> readContents(std::vector<base::Key> keys)
{
    Batch questions;
    for (const base::Key &key : keys) {
        questions.add(resp::pttl(key));
        questions.add(resp::get(key));
    }
    const exchange::Instant before = co_await exchange::now();
    const Answers answers = co_await std::move(questions);
    const exchange::Instant after = co_await exchange::now();
    KeyContents contents;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const exchange::Answer &left = answers.at(2 * i);
        if (!left)
            throw base::Failure(left.error());
        ServerPool::KeyContent &content = contents[keys[i]];
        const qint64 milliseconds = left->toInteger();
        content.exists = milliseconds != -2;
        if (milliseconds >= 0)
            content.deadline =
                base::Deadline::measured(std::chrono::milliseconds(milliseconds), before.monotonic, after.monotonic);
        const exchange::Answer &held = answers.at(2 * i + 1);
        if (held && held->isBulk())
            content.value = held->bytes();
        else if (!held && held.error().kind != base::ErrorKind::WrongType)
            content.valueRefusal = held.error();
    }
    co_return contents;
}

/// Returns whether the request was not answered, so that the error is not that of the server.
bool isUnanswered(const base::Error &error)
{
    return error.kind == base::ErrorKind::TimedOut || error.kind == base::ErrorKind::ConnectionLost;
}

Exchange<bool> removal(base::Key key)
{
    const resp::Reply count = co_await resp::del(key);
    co_return count.toInteger() > 0;
}

} // namespace

ServerPool::ServerPool(const base::Clock &clock, base::RandomSource &random, QObject *parent)
    : QObject(parent)
    , m_clock(clock)
    , m_random(random)
{}

ServerPool::~ServerPool() = default;

void ServerPool::setFirst(PrivateServer *first)
{
    if (!m_members.empty())
        m_members.front()->server->disconnect(this);
    m_members.clear();
    m_size = 1;
    if (first == nullptr)
        return;
    m_members.push_back(std::make_unique<Member>());
    m_members.front()->server = first;
    watch(0);
    connectTo(*m_members.front());
    Q_EMIT changed(0);
    setSize(m_wanted);
}

void ServerPool::setSize(int size)
{
    m_wanted = std::clamp(size, 1, maxServers);
    if (m_members.empty())
        return;
    if (m_members.size() > static_cast<std::size_t>(m_wanted))
        m_members.resize(static_cast<std::size_t>(m_wanted));
    while (m_members.size() < static_cast<std::size_t>(m_wanted)) {
        auto added = std::make_unique<Member>();
        added->owned = std::make_unique<PrivateServer>();
        added->server = added->owned.get();
        m_members.push_back(std::move(added));
        watch(static_cast<int>(m_members.size()) - 1);
        m_members.back()->server->start();
    }
    settle();
}

/// Updates the size when all requested servers are ready, or were ready before they were killed.
void ServerPool::settle()
{
    const auto hasStarted = [](const auto &member) { return member->session != nullptr; };
    if (m_size == static_cast<int>(m_members.size()) || !std::ranges::all_of(m_members, hasStarted))
        return;
    m_size = static_cast<int>(m_members.size());
    Q_EMIT sizeChanged();
}

void ServerPool::watch(int index)
{
    Member &watched = member(index);
    connect(watched.server, &PrivateServer::ready, this, [this, index] { hasStarted(index); });
    connect(watched.server, &PrivateServer::killed, this, [this, index] {
        ++member(index).killCount;
        forgetContent(index);
        Q_EMIT changed(index);
    });
    if (!watched.owned)
        return; // The owner reports all other changes.
    connect(watched.server, &PrivateServer::failed, this, &ServerPool::failed);
    connect(watched.server, &PrivateServer::ended, this, [this, index] { Q_EMIT changed(index); });
}

void ServerPool::connectTo(Member &member)
{
    member.session = std::make_unique<net::Session>(member.server->endpoint(), m_clock, m_random);
    member.driver = std::make_unique<exchange::LoopDriver>(std::vector {member.session.get()}, m_clock, m_random);
    member.driver->setTimeout(readTimeout);
    member.session->start();
}

void ServerPool::hasStarted(int index)
{
    Member &started = member(index);
    if (started.session)
        started.session->retryNow();
    else
        connectTo(started);
    Q_EMIT changed(index);
    settle();
}

std::vector<net::Endpoint> ServerPool::endpoints() const
{
    std::vector<net::Endpoint> endpoints;
    for (const auto &each : m_members)
        endpoints.push_back(each->server->endpoint());
    return endpoints;
}

ServerPool::State ServerPool::state(int server) const
{
    if (static_cast<std::size_t>(server) >= m_members.size())
        return State::Starting;
    const Member &asked = member(server);
    if (asked.server->isFrozen())
        return State::Suspended;
    if (asked.server->isReady())
        return State::Up;
    return asked.server->isKilled() || asked.session ? State::Gone : State::Starting;
}

void ServerPool::crash(int server)
{
    member(server).server->crash();
}

void ServerPool::restart(int server)
{
    member(server).server->start();
}

void ServerPool::suspend(int server)
{
    member(server).server->suspend();
    forgetContent(server);
    Q_EMIT changed(server);
}

void ServerPool::resume(int server)
{
    member(server).server->resume();
    member(server).session->retryNow();
    Q_EMIT changed(server);
}

void ServerPool::forgetContent(int server)
{
    member(server).contents.clear();
    member(server).refusal.reset();
}

void ServerPool::readKeys(const std::vector<base::Key> &keys)
{
    for (int index = 0; index < static_cast<int>(m_members.size()); ++index) {
        Member &asked = member(index);
        const bool canAnswer = asked.session && asked.session->state() == net::Session::State::Ready;
        if (!canAnswer || asked.isRequestPending || state(index) != State::Up || keys.empty())
            continue;
        asked.isRequestPending = true;
        asked.driver->run<KeyContents>(readContents(keys),
                                       [this, &asked, life = asked.killCount](base::Result<KeyContents> found) {
                                           asked.isRequestPending = false;
                                           // A reply may arrive after its server was killed or frozen.
                                           const bool isTrue = found && life == asked.killCount
                                                            && asked.server->isReady() && !asked.server->isFrozen();
                                           asked.refusal.reset();
                                           if (!found && !isUnanswered(found.error()))
                                               asked.refusal = found.error();
                                           asked.contents = isTrue ? *std::move(found) : KeyContents();
                                           Q_EMIT keysRead();
                                       });
    }
}

void ServerPool::remove(const base::Key &key)
{
    for (int index = 0; index < static_cast<int>(m_members.size()); ++index) {
        Member &asked = member(index);
        if (!asked.session || asked.session->state() != net::Session::State::Ready || state(index) != State::Up)
            continue;
        ++asked.removals;
        asked.driver->run<bool>(removal(key), [this, &asked](const base::Result<bool> &) {
            --asked.removals;
            Q_EMIT removed();
        });
    }
}

bool ServerPool::isRemoving() const
{
    return std::ranges::any_of(m_members, [](const auto &member) { return member->removals > 0; });
}

std::optional<ServerPool::KeyContent> ServerPool::contentOf(int server, const base::Key &key) const
{
    if (static_cast<std::size_t>(server) >= m_members.size())
        return std::nullopt;
    const auto &all = member(server).contents;
    const auto found = all.find(key);
    return found == all.end() ? std::nullopt : std::optional(found->second);
}

std::optional<base::Error> ServerPool::refusal(int server) const
{
    return static_cast<std::size_t>(server) < m_members.size() ? member(server).refusal : std::nullopt;
}

} // namespace latchkey::playground
