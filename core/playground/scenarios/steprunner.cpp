#include "core/playground/scenarios/steprunner.h"

#include "core/playground/playground/sequencerecorder.h"
#include "core/playground/scenarios/serverrequests.h"
#include "core/recipes/locks/unixdeadline.h"

#include <algorithm>

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
playground::ResumeOrder holdOf(const ScenarioStep &step)
{
    playground::ResumeOrder hold {step.breakBefore};
    if (step.sendsOneByOne) {
        hold.sendsOneByOne = true;
        hold.matchesToSkip = std::holds_alternative<ClientOrder>(step.action) ? 1 : 0;
        hold.server = step.server;
    }
    return hold;
}

} // namespace

StepRunner::StepRunner(ScenarioRun &run, const base::Clock &clock)
    : m_run(run)
    , m_clock(clock)
    , m_timeout(30s)
{
    m_pollTimer.setInterval(5ms);
    m_pollTimer.setTimerType(Qt::PreciseTimer);
    m_stepTimer.setSingleShot(true);
    m_waitTimer.setSingleShot(true);
    m_waitTimer.setTimerType(Qt::PreciseTimer);
    connect(&m_pollTimer, &QTimer::timeout, this, &StepRunner::check);
    connect(&m_waitTimer, &QTimer::timeout, this, &StepRunner::check);
    connect(&m_stepTimer, &QTimer::timeout, this, [this] {
        const auto seconds = std::chrono::ceil<std::chrono::seconds>(m_timeout).count();
        Q_EMIT timedOut(
            {ErrorKind::TimedOut,
             Text::counted(seconds, QT_TRANSLATE_N_NOOP("core", "timeout: not reached within %n seconds"))});
    });
}

void StepRunner::restart()
{
    stop();
    m_clocksMoved = {};
}

void StepRunner::stop()
{
    m_isDone = nullptr;
    m_pollTimer.stop();
    m_stepTimer.stop();
    m_waitTimer.stop();
}

void StepRunner::begin(const ScenarioStep &step, std::size_t position)
{
    m_step = &step;
    m_stepTimer.start(m_timeout);
    const auto startAction = [this, &step] { std::visit([this](const auto &action) { start(action); }, step.action); };
    if (!step.keepsKeys)
        return startAction();
    m_run.execute<ServerKeys>(readServerKeys(step.server, m_run.extendedTtls().extended()),
                              [this, position, startAction](const ServerKeys &keys) {
                                  m_run.keptKeys().keep(position, keys);
                                  startAction();
                              });
}

milliseconds StepRunner::scaled(milliseconds time) const
{
    return milliseconds(static_cast<qint64>(static_cast<double>(time.count()) / m_speed));
}

ClientOrder StepRunner::scaled(ClientOrder order) const
{
    if (auto *recompute = std::get_if<playground::RecomputeOrder>(&order))
        recompute->work = scaled(recompute->work);
    return order;
}

void StepRunner::until(std::function<bool()> isDone)
{
    m_isDone = std::move(isDone);
    check();
}

void StepRunner::check()
{
    if (!m_isDone || !m_isDone())
        return;
    m_isDone = nullptr;
    Q_EMIT reached();
}

void StepRunner::start(const CheckExpectations & /*action*/)
{
    until([] { return true; });
}

void StepRunner::start(const ClientOrder &action)
{
    if (const auto *send = std::get_if<playground::SendOrder>(&action);
        m_run.scenario().extendsTtls && send != nullptr) {
        const bool mustNotChangeTtls = m_run.extendedTtls().mustNotChangeTtls();
        m_run.extendedTtls().observe(m_step->client, send->command);
        if (!mustNotChangeTtls && !m_run.extendedTtls().mustNotChangeTtls())
            return m_run.execute<bool>(restoreTtls(m_run.extendedTtls().extended()),
                                       [this, &action](bool) { orderClient(action); });
    }
    orderClient(action);
}

void StepRunner::orderClient(const ClientOrder &action)
{
    const ScenarioStep &step = *m_step;
    if (step.losesReply)
        m_run.clients().loseReply(step.client);
    if (const auto sent = m_run.clients().sendOrder(step.client, scaled(action), holdOf(step)); !sent) {
        Q_EMIT impossible(sent.error().text);
        return;
    }
    until([this, &step] { return step.isInBackground || !m_run.clients().isBusy(step.client); });
}

void StepRunner::start(ResumeClient /*action*/)
{
    const ScenarioStep &step = *m_step;
    if (m_run.clients().isAtBreakpoint(step.client))
        m_run.clients().resume(step.client, holdOf(step));
    until([this, &step] { return !m_run.clients().isBusy(step.client); });
}

void StepRunner::start(const AwaitAnswer &action)
{
    const auto wait = [this] { until([this, &step = *m_step] { return !m_run.clients().isBusy(step.client); }); };
    if (!action.scalable || !m_run.clients().isBusy(m_step->client)) {
        wait();
        return;
    }
    m_run.execute<ObservedKey>(readKey(*action.scalable, action.server), [this, wait](const ObservedKey &observedKey) {
        m_stepTimer.start(observedKey.left.value_or(0ms) + m_timeout);
        if (observedKey.left && m_speed != 1)
            cutLeft(observedKey, wait);
        else
            wait();
    });
}

void StepRunner::start(AwaitReport action)
{
    if (action.event == ClientReport::Event::Renewed)
        m_run.clients().forgetReports(m_step->client); // Only a later renewal counts. A lock is lost at most once.
    until([this, &step = *m_step, action] { return m_run.clients().hasReported(step.client, action.event); });
}

void StepRunner::start(Signal action)
{
    const ScenarioStep &step = *m_step;
    m_run.clients().send(step.client, action);
    m_pollTimer.start(); // The kernel sends no notification, so poll.
    until([this, &step] { return m_run.clients().hasSignalTakenEffect(step.client); });
}

void StepRunner::start(KillServer action)
{
    m_run.servers().kill(action.server);
    m_run.recorder().addServerEvent(action.server, sequence::ServerEvent::Killed);
    until([this, action] { return m_run.servers().isGone(action.server); });
}

void StepRunner::start(RestartServer action)
{
    m_run.servers().restart(action.server);
    m_run.recorder().addServerEvent(action.server, sequence::ServerEvent::Killed);
    untilServing(action.server, sequence::ServerEvent::StartedEmpty);
}

void StepRunner::start(Failover action)
{
    m_run.servers().failOver(action.server, action.replica);
    m_run.recorder().addServerEvent(action.server, sequence::ServerEvent::Killed);
    untilServing(action.server, sequence::ServerEvent::FailedOver);
}

void StepRunner::untilServing(int server, sequence::ServerEvent event)
{
    // At first the server has to serve again, and then the clients have to connect to it.
    until([this, server, event, isServing = false]() mutable {
        if (!isServing && m_run.servers().isServing(server)) {
            isServing = true;
            m_run.recorder().addServerEvent(server, event);
            m_run.clients().reconnect(server);
        }
        return isServing && m_run.clients().isReconnected();
    });
}

void StepRunner::start(CutReplica action)
{
    m_run.servers().cutOff(action.server, action.replica);
    until([] { return true; });
}

void StepRunner::start(const ChangeServerKeys &action)
{
    const auto changed = [this, action](bool) {
        m_run.recorder().addServerEvent(action.server, action.event);
        until([] { return true; });
    };
    switch (action.fault) {
    case ChangeServerKeys::Fault::LostNothing:
        return changed(true);
    case ChangeServerKeys::Fault::LostWrites:
        return m_run.execute<bool>(replaceServerKeys(m_run.keptKeys().before(action.keptBefore)), changed);
    case ChangeServerKeys::Fault::LostAll:
        return m_run.execute<bool>(replaceServerKeys({action.server}), changed);
    case ChangeServerKeys::Fault::ClockJump:
        return m_run.execute<bool>(deleteExpiringKeys(action.server), changed);
    }
}

void StepRunner::start(Work action)
{
    const milliseconds time = scaled(action.time);
    m_stepTimer.start(time + m_timeout);
    m_waitTimer.start(time);
    until([this] { return !m_waitTimer.isActive(); });
}

void StepRunner::start(const AwaitGone &action)
{
    pollExpiry(action, true);
}

void StepRunner::start(const AwaitDeadline &action)
{
    pollDeadline(action);
}

void StepRunner::setClocks()
{
    for (const QString &name : m_run.clients().names()) {
        const auto own = m_run.scenario().clockAhead.find(name);
        const milliseconds ahead = m_clocksMoved + (own == m_run.scenario().clockAhead.end() ? 0ms : own->second);
        if (ahead != 0ms)
            m_run.clients().setClock(name, ahead);
    }
}

void StepRunner::start(const AdvanceClocks &action)
{
    m_run.execute<ObservedKey>(readKey(action.key, action.server), [this, action](const ObservedKey &observedKey) {
        const auto deadline = locks::UnixDeadline::read(action.key, observedKey.value.value_or(QByteArray()));
        if (!deadline) {
            Q_EMIT impossible(withoutDeadline(action.key));
            return;
        }
        // The lock belongs to the holder until the end of the second of the deadline.
        const auto missing = std::chrono::ceil<std::chrono::seconds>(deadline->time() - m_clock.wallNow()) + 2s;
        m_clocksMoved = std::max<milliseconds>(m_clocksMoved, missing);
        setClocks();
        until([] { return true; });
    });
}

void StepRunner::cutLeft(const ObservedKey &observedKey, std::function<void()> done)
{
    const milliseconds left = std::max(scaled(*observedKey.left), milliseconds(1));
    m_run.execute<resp::Reply>(cut(observedKey.key, left, observedKey.server),
                               [this, observedKey, left, done = std::move(done)](const resp::Reply &) {
                                   Q_EMIT lifetimeCut(observedKey, left);
                                   done();
                               });
}

void StepRunner::pollExpiry(const AwaitGone &action, bool isFirst)
{
    m_run.execute<ObservedKey>(
        readKey(action.key, action.server), [this, action, isFirst](const ObservedKey &observedKey) {
            if (!observedKey.exists) {
                until([] { return true; });
                return;
            }
            if (!observedKey.left) {
                Q_EMIT impossible(Text(QT_TRANSLATE_NOOP("core", "the key %1 has no lifetime that could end"),
                                       base::printable(action.key.bytes(), 60)));
                return;
            }
            if (isFirst)
                m_stepTimer.start(*observedKey.left + m_timeout);
            if (isFirst && !m_run.scenario().extendsTtls)
                m_run.keptKeys().expire(action.key, action.server, *observedKey.left);
            if (isFirst && action.cutTo)
                m_run.execute<resp::Reply>(
                    cut(observedKey.key, std::max(scaled(*action.cutTo), milliseconds(1)), observedKey.server),
                    [this, action](const resp::Reply &) { pollExpiry(action, false); });
            else if (isFirst && action.isScalable && m_speed != 1)
                cutLeft(observedKey, [this, action] { pollExpiry(action, false); });
            else
                m_run.later(pollInterval, [this, action] { pollExpiry(action, false); });
        });
}

void StepRunner::pollDeadline(const AwaitDeadline &action)
{
    m_run.execute<ObservedKey>(readKey(action.key, action.server), [this, action](const ObservedKey &observedKey) {
        const auto deadline = locks::UnixDeadline::read(action.key, observedKey.value.value_or(QByteArray()));
        if (!deadline) {
            Q_EMIT impossible(withoutDeadline(action.key));
        } else if (deadline->hasPassed(m_clock.wallNow())) {
            until([] { return true; });
        } else {
            m_stepTimer.start(m_timeout); // The recipe alone decides how long this takes.
            m_run.later(pollInterval, [this, action] { pollDeadline(action); });
        }
    });
}

} // namespace latchkey::scenarios
