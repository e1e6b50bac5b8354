#include "core/playground/scenarios/scenarioclients.h"

#include <QFile>

#include <algorithm>

namespace latchkey::scenarios {

using base::ErrorKind;
using base::failure;
using base::Result;
using playground::ClientOrder;
using playground::ClientProcess;
using playground::ClientReport;
using Event = ClientReport::Event;
using State = ClientProcess::State;

namespace {

/// Returns whether the kernel has stopped the process. The state is read from a line such as `123 (name) T …`.
bool isStopped(qint64 process)
{
    QFile file(QStringLiteral("/proc/%1/stat").arg(process));
    if (!file.open(QIODevice::ReadOnly))
        return false;
    const QByteArray line = file.readAll();
    return line.sliced(line.lastIndexOf(')') + 1).trimmed().startsWith('T');
}

/// Returns whether the client sends this report without an order, not as an answer.
bool isUnsolicited(Event event)
{
    return event == Event::Renewed || event == Event::ExpiryChanged || event == Event::Lost;
}

} // namespace

ScenarioClients::ScenarioClients(const QString &program, const QStringList &names, QObject *parent)
    : QObject(parent)
    , m_names(names)
{
    for (const QString &name : names) {
        Member &added = m_members[name];
        added.process = std::make_unique<ClientProcess>(program, name);
        connect(added.process.get(), &ClientProcess::changed, this, [this, name] { processChanged(name); });
        connect(added.process.get(), &ClientProcess::reported, this,
                [this, name](const ClientReport &report) { receive(name, report); });
    }
}

ScenarioClients::~ScenarioClients()
{
    for (const auto &[name, each] : m_members)
        each.process->disconnect(this);
}

void ScenarioClients::start(const std::vector<net::Endpoint> &servers)
{
    for (const QString &name : m_names)
        m_members[name].process->start(servers);
}

void ScenarioClients::processChanged(const QString &name)
{
    Member &changing = m_members[name];
    if (changing.process->state() == State::Dead) {
        changing.isInside = false;
        changing.isAtOrder = false;
        changing.isAtBreakpoint = false;
        if (changing.signal != Signal::Crash) {
            Q_EMIT died(name);
            return;
        }
    }
    const auto isReady = [](const auto &each) { return each.second.process->state() == State::Idle; };
    if (!m_isReady && std::ranges::all_of(m_members, isReady)) {
        m_isReady = true;
        Q_EMIT ready();
    }
    Q_EMIT changed();
}

void ScenarioClients::receive(const QString &name, const ClientReport &report)
{
    Member &speaker = m_members[name];
    if (report.event == Event::Ready)
        return;
    if (report.event == Event::Reconnected) {
        speaker.isReconnecting = false;
        Q_EMIT changed();
        return;
    }
    if (report.event == Event::Wire) {
        Q_EMIT commandLogged(name, report);
        return;
    }
    if (report.event == Event::Lost)
        speaker.isInside = false;
    if (report.event == Event::AtBreakpoint) {
        speaker.isAtBreakpoint = true;
    } else if (isUnsolicited(report.event)) {
        speaker.unsolicited += report.event;
    } else {
        speaker.isAtOrder = false;
        speaker.answer = report;
        if (report.event == Event::Acquired) {
            speaker.isInside = true;
            speaker.token = report.token;
        }
        Q_EMIT answered(name, report);
    }
    Q_EMIT changed();
}

Result<void> ScenarioClients::sendOrder(const QString &name, const ClientOrder &order,
                                        const playground::ResumeOrder &hold)
{
    Member &member = m_members[name];
    const bool isFree = member.process->state() == State::Idle;
    const bool isHolding = member.process->state() == State::Holding;
    const auto *acquire = std::get_if<playground::AcquireOrder>(&order);
    const bool isOfHold = std::holds_alternative<playground::ReleaseOrder>(order)
                       || std::holds_alternative<playground::ExtendOrder>(order);
    if (!isFree && !isHolding)
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "%1 is not there to be told anything"), name);
    if (acquire != nullptr && isHolding)
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "%1 holds a lock already"), name);
    if (isOfHold && isFree)
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "%1 does not believe that it holds a lock"), name);
    member.process->sendOrder(hold);
    member.isAtOrder = true;
    member.answer = {};
    member.unsolicited.clear();
    if (std::holds_alternative<playground::ReleaseOrder>(order))
        member.isInside = false;
    if (acquire != nullptr)
        member.process->acquire(acquire->recipe, acquire->options, acquire->wait);
    else
        member.process->sendOrder(order);
    return {};
}

void ScenarioClients::resume(const QString &name, const playground::ResumeOrder &hold)
{
    Member &held = m_members[name];
    held.isAtBreakpoint = false;
    held.process->sendOrder(hold);
    Q_EMIT changed();
}

void ScenarioClients::setClock(const QString &name, std::chrono::milliseconds ahead)
{
    if (member(name).process->state() != State::Dead)
        m_members[name].process->sendOrder(playground::ClockOrder {ahead});
}

void ScenarioClients::reconnect(int server)
{
    for (auto &[name, each] : m_members) {
        if (each.process->state() == State::Dead)
            continue;
        each.isReconnecting = true;
        each.process->sendOrder(playground::ReconnectOrder {server});
    }
}

bool ScenarioClients::isReconnected() const
{
    return std::ranges::none_of(m_members, [](const auto &each) {
        return each.second.isReconnecting && each.second.process->state() != State::Dead
            && !each.second.process->isPaused();
    });
}

void ScenarioClients::send(const QString &name, Signal signal)
{
    Member &target = m_members[name];
    target.signal = signal;
    switch (signal) {
    case Signal::Crash:
        target.process->crash();
        break;
    case Signal::Pause:
        target.process->pause();
        break;
    case Signal::Resume:
        target.process->resume();
        break;
    }
}

bool ScenarioClients::isBusy(const QString &name) const
{
    return member(name).isAtOrder && !member(name).isAtBreakpoint;
}

bool ScenarioClients::isAtBreakpoint(const QString &name) const
{
    return member(name).isAtBreakpoint;
}

bool ScenarioClients::hasSignalTakenEffect(const QString &name) const
{
    const ClientProcess &process = *member(name).process;
    if (member(name).signal == Signal::Crash)
        return process.state() == State::Dead;
    return isStopped(process.processId()) == (member(name).signal == Signal::Pause);
}

ClientReport ScenarioClients::answer(const QString &name) const
{
    return member(name).answer;
}

bool ScenarioClients::hasReported(const QString &name, Event event) const
{
    return member(name).unsolicited.contains(event);
}

QStringList ScenarioClients::inside() const
{
    QStringList names;
    for (const QString &name : m_names) {
        if (member(name).isInside)
            names += name;
    }
    return names;
}

std::map<QString, bool> ScenarioClients::beliefs() const
{
    std::map<QString, bool> beliefs;
    for (const auto &[name, each] : m_members)
        beliefs[name] = each.process->state() != State::Dead && each.process->hold().has_value();
    return beliefs;
}

std::map<QString, base::OwnerToken> ScenarioClients::tokens() const
{
    std::map<QString, base::OwnerToken> tokens;
    for (const auto &[name, each] : m_members)
        tokens[name] = each.token;
    return tokens;
}

} // namespace latchkey::scenarios
