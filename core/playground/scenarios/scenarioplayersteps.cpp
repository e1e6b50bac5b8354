#include "core/playground/scenarios/scenarioplayer.h"

#include "core/recipes/locks/unixdeadline.h"

#include <algorithm>

// The part of ScenarioPlayer that starts each kind of step and detects its completion.

namespace latchkey::scenarios {

using base::ErrorKind;
using base::Text;
using exchange::Exchange;
using playground::ClientOrder;
using playground::ClientReport;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// Polling interval for the expiry of a key.
constexpr milliseconds pollInterval = 20ms;

/// Reads the keys on running servers only. A killed server holds nothing.
Exchange<std::vector<ObservedKey>> watchAll(std::vector<base::Key> keys, std::vector<int> servers)
{
    std::vector<ObservedKey> all;
    for (const int server : servers) {
        for (const base::Key &key : keys) {
            ObservedKey seen = co_await readKey(key, server);
            all.push_back(std::move(seen));
        }
    }
    co_return all;
}

Exchange<resp::Reply> cut(base::Key key, milliseconds left, int server)
{
    const resp::Command command {"PEXPIRE", key.bytes(), QByteArray::number(static_cast<qint64>(left.count()))};
    const resp::Reply reply = co_await exchange::Request(command, server);
    co_return reply;
}

Text withoutDeadline(const base::Key &key)
{
    return Text(QT_TRANSLATE_NOOP("core", "the key %1 holds no deadline"), base::printable(key.bytes(), 60));
}

/// Returns how the step's client is held.
playground::GoOrder holdOf(const ScenarioStep &step)
{
    playground::GoOrder hold {step.holdBefore};
    if (step.sendsOneByOne) {
        hold.sendsOneByOne = true;
        hold.matchesToSkip = std::holds_alternative<ClientOrder>(step.action) ? 1 : 0;
        hold.server = step.server;
    }
    return hold;
}

} // namespace

milliseconds ScenarioPlayer::scaled(milliseconds time) const
{
    return milliseconds(static_cast<qint64>(static_cast<double>(time.count()) / m_speed));
}

ClientOrder ScenarioPlayer::scaled(ClientOrder order) const
{
    if (auto *recompute = std::get_if<playground::RecomputeOrder>(&order))
        recompute->work = scaled(recompute->work);
    return order;
}

void ScenarioPlayer::until(std::function<bool()> isDone)
{
    m_isDone = std::move(isDone);
    check();
}

void ScenarioPlayer::check()
{
    if (!m_isDone || !m_isDone())
        return;
    m_isDone = nullptr;
    conclude();
}

void ScenarioPlayer::later(milliseconds time, std::function<void()> what)
{
    QTimer::singleShot(time, Qt::PreciseTimer, m_servers.get(),
                       [this, asked = m_servers.get(), what = std::move(what)] {
                           if (m_servers.get() == asked && !m_isEnding)
                               what();
                       });
}

void ScenarioPlayer::start(const CheckExpectations & /*action*/)
{
    until([] { return true; });
}

void ScenarioPlayer::start(const ClientOrder &action)
{
    if (const auto *send = std::get_if<playground::SendOrder>(&action); m_scenario.extendsTtls && send != nullptr) {
        const bool mustNotChangeTtls = m_extendedTtls.mustNotChangeTtls();
        m_extendedTtls.follow(current().client, send->command);
        if (!mustNotChangeTtls && !m_extendedTtls.mustNotChangeTtls())
            return ask<bool>(restoreTtls(m_extendedTtls.held()), [this, &action](bool) { orderClient(action); });
    }
    orderClient(action);
}

void ScenarioPlayer::orderClient(const ClientOrder &action)
{
    const ScenarioStep &step = current();
    if (step.losesReply)
        m_clients->loseReply(step.client);
    if (const auto sent = m_clients->sendOrder(step.client, scaled(action), holdOf(step)); !sent) {
        refuse(sent.error().text);
        return;
    }
    until([this, &step] { return step.isInBackground || !m_clients->isBusy(step.client); });
}

void ScenarioPlayer::start(ResumeClient /*action*/)
{
    const ScenarioStep &step = current();
    if (m_clients->isHeld(step.client))
        m_clients->resume(step.client, holdOf(step));
    until([this, &step] { return !m_clients->isBusy(step.client); });
}

void ScenarioPlayer::start(const AwaitAnswer &action)
{
    const auto wait = [this] { until([this, &step = current()] { return !m_clients->isBusy(step.client); }); };
    if (!action.scalable || !m_clients->isBusy(current().client)) {
        wait();
        return;
    }
    ask<ObservedKey>(readKey(*action.scalable, action.server), [this, wait](const ObservedKey &seen) {
        m_stepTimer.start(seen.left.value_or(0ms) + m_timeout);
        if (seen.left && m_speed != 1)
            cutLeft(seen, wait);
        else
            wait();
    });
}

void ScenarioPlayer::start(AwaitReport action)
{
    if (action.event == ClientReport::Event::Renewed)
        m_clients->forgetReports(current().client); // Only a later renewal counts. A lock is lost at most once.
    until([this, &step = current(), action] { return m_clients->hasReported(step.client, action.event); });
}

void ScenarioPlayer::start(Signal action)
{
    const ScenarioStep &step = current();
    m_clients->send(step.client, action);
    m_pollTimer.start(); // The kernel sends no notification, so poll.
    until([this, &step] { return m_clients->hasSignalTakenEffect(step.client); });
}

void ScenarioPlayer::start(StopServer action)
{
    m_servers->kill(action.server);
    m_recorder->addServerEvent(action.server, sequence::ServerEvent::Killed);
    until([this, action] { return m_servers->isGone(action.server); });
}

void ScenarioPlayer::start(Work action)
{
    const milliseconds time = scaled(action.time);
    m_stepTimer.start(time + m_timeout);
    m_waitTimer.start(time);
    until([this] { return !m_waitTimer.isActive(); });
}

void ScenarioPlayer::start(const AwaitGone &action)
{
    pollExpiry(action, true);
}

void ScenarioPlayer::start(const AwaitPassed &action)
{
    pollDeadline(action);
}

void ScenarioPlayer::setClocks()
{
    for (const QString &name : m_clients->names()) {
        const auto own = m_scenario.clockAhead.find(name);
        const milliseconds ahead = m_clocksMoved + (own == m_scenario.clockAhead.end() ? 0ms : own->second);
        if (ahead != 0ms)
            m_clients->setClock(name, ahead);
    }
}

void ScenarioPlayer::start(const MoveClocks &action)
{
    ask<ObservedKey>(readKey(action.key, action.server), [this, action](const ObservedKey &seen) {
        const auto deadline = locks::UnixDeadline::read(action.key, seen.value.value_or(QByteArray()));
        if (!deadline) {
            refuse(withoutDeadline(action.key));
            return;
        }
        // The lock belongs to the holder until the end of the second of the deadline.
        const auto missing = std::chrono::ceil<std::chrono::seconds>(deadline->time() - m_clock.wallNow()) + 2s;
        m_clocksMoved = std::max<milliseconds>(m_clocksMoved, missing);
        setClocks();
        until([] { return true; });
    });
}

void ScenarioPlayer::cutLeft(const ObservedKey &seen, std::function<void()> done)
{
    const milliseconds left = std::max(scaled(*seen.left), milliseconds(1));
    ask<resp::Reply>(cut(seen.key, left, seen.server), [this, seen, left, done = std::move(done)](const resp::Reply &) {
        if (m_isWatching) // The remaining TTL may be shorter than the polling interval.
            m_recorder->see(seen.server, seen.key, true, {}, m_clock.now() + left);
        done();
    });
}

void ScenarioPlayer::pollExpiry(const AwaitGone &action, bool isFirst)
{
    ask<ObservedKey>(readKey(action.key, action.server), [this, action, isFirst](const ObservedKey &seen) {
        if (!seen.exists) {
            until([] { return true; });
            return;
        }
        if (!seen.left) {
            refuse(Text(QT_TRANSLATE_NOOP("core", "the key %1 has no lifetime that could end"),
                        base::printable(action.key.bytes(), 60)));
            return;
        }
        if (isFirst)
            m_stepTimer.start(*seen.left + m_timeout);
        if (isFirst && action.cutTo)
            ask<resp::Reply>(cut(seen.key, std::max(scaled(*action.cutTo), milliseconds(1)), seen.server),
                             [this, action](const resp::Reply &) { pollExpiry(action, false); });
        else if (isFirst && action.isScalable && m_speed != 1)
            cutLeft(seen, [this, action] { pollExpiry(action, false); });
        else
            later(pollInterval, [this, action] { pollExpiry(action, false); });
    });
}

void ScenarioPlayer::pollDeadline(const AwaitPassed &action)
{
    ask<ObservedKey>(readKey(action.key, action.server), [this, action](const ObservedKey &seen) {
        const auto deadline = locks::UnixDeadline::read(action.key, seen.value.value_or(QByteArray()));
        if (!deadline) {
            refuse(withoutDeadline(action.key));
        } else if (deadline->hasPassed(m_clock.wallNow())) {
            until([] { return true; });
        } else {
            m_stepTimer.start(m_timeout); // The recipe alone decides how long this takes.
            later(pollInterval, [this, action] { pollDeadline(action); });
        }
    });
}

void ScenarioPlayer::watch()
{
    const std::vector<base::Key> keys = m_recorder->keys();
    if (m_isInspecting || m_isEnding || !m_servers || keys.empty())
        return;
    std::vector<int> servers;
    for (int server = 0; server < m_scenario.servers; ++server) {
        if (!m_servers->isKilled(server))
            servers.push_back(server);
    }
    m_isInspecting = true;
    m_servers->driver().run<std::vector<ObservedKey>>(
        watchAll(keys, servers), [this, asked = m_servers.get()](const base::Result<std::vector<ObservedKey>> &answer) {
            if (m_servers.get() != asked || m_isEnding)
                return;
            m_isInspecting = false;
            if (!answer)
                return; // The step under way detects the failure.
            const auto tokens = m_clients->tokens();
            for (const ObservedKey &seen : *answer) {
                const auto holder = std::ranges::find_if(tokens, [&](const auto &each) {
                    return !each.second.isEmpty() && each.second.bytes() == seen.value;
                });
                std::optional<base::MonotonicTime> ends =
                    seen.left ? m_clock.now() + *seen.left : base::MonotonicTime::max();
                if (m_scenario.extendsTtls && seen.left && ExtendedTtls::isExtended(*seen.left))
                    ends.reset();
                m_recorder->see(seen.server, seen.key, seen.exists, holder == tokens.end() ? QString() : holder->first,
                                ends);
            }
        });
}

} // namespace latchkey::scenarios
