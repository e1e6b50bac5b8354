#include "core/playground/scenarios/scenariobuilder.h"

#include "core/explore/schedules/schedulecheck.h"
#include "core/playground/sequence/sequencetexts.h"

#include <algorithm>

namespace latchkey::scenarios {

using base::MonotonicTime;
using base::Text;
using playground::ClientOrder;
using playground::ClientReport;
using sequence::Mark;
using std::chrono::milliseconds;
using Entry = playground::ClientEventLog::Entry;

namespace {

/// Minimum time between two steps that becomes a separate step.
constexpr milliseconds minWork {200};

} // namespace

ScenarioBuilder::ScenarioBuilder(const sequence::Sequence &sequence)
    : m_sequence(sequence)
{}

void ScenarioBuilder::add(const Entry &entry, bool isAnsweredNext)
{
    Client *client = clientOf(entry.client);
    if (client == nullptr)
        return;
    switch (entry.kind) {
    case Entry::Kind::Ordered:
        tell(*client, entry, isAnsweredNext);
        return;
    case Entry::Kind::Answered:
        answer(*client, entry);
        return;
    case Entry::Kind::Reported:
        if (!client->isDead && !client->isPaused && client->hasTried)
            add(client->name, AwaitReport {ClientReport::Event::Lost}, entry.at);
        return;
    case Entry::Kind::Removed:
        if (!client->isDead)
            signal(*client, Signal::Crash, entry.at);
        return;
    }
    Q_UNREACHABLE();
}

void ScenarioBuilder::add(const Mark &mark)
{
    if (mark.kind == Mark::Kind::LeaseEnded)
        return endLease(mark);
    if (m_sequence.lanes()[mark.lane].kind == sequence::Lane::Kind::Server)
        return addServerEvent(mark);
    Client *client = clientOf(mark.who);
    if (client == nullptr)
        return;
    switch (mark.kind) {
    case Mark::Kind::Crashed:
        return signal(*client, Signal::Crash, mark.at);
    case Mark::Kind::Paused:
        return signal(*client, Signal::Pause, mark.at);
    case Mark::Kind::Resumed:
        return signal(*client, Signal::Resume, mark.at);
    case Mark::Kind::Started:
        return start(*client);
    case Mark::Kind::Taken:
    case Mark::Kind::Refused:
        if (client->wrote)
            m_steps[*client->wrote].outcome =
                mark.kind == Mark::Kind::Taken ? QStringLiteral("accepted") : QStringLiteral("refused");
        return;
    default: // The client's answers have the same information.
        return;
    }
}

void ScenarioBuilder::tell(Client &client, const Entry &entry, bool isAnsweredNext)
{
    if (client.isDead || client.isBusy)
        return; // The client cannot receive this order.
    if (const auto *loss = std::get_if<playground::LoseReplyOrder>(&*entry.order)) {
        if (loss->isWanted)
            leaveOut(Text(QT_TRANSLATE_NOOP("core", "the loss of a reply to %1"), client.name));
        return;
    }
    if (std::holds_alternative<playground::ClockOrder>(*entry.order)
        || std::holds_alternative<playground::ReconnectOrder>(*entry.order))
        return;
    ClientOrder order = *entry.order;
    client.wants.reset();
    if (auto *acquire = std::get_if<playground::AcquireOrder>(&order)) {
        if (acquire->options.token)
            leaveOut(Text(QT_TRANSLATE_NOOP("core", "given tokens, which are replaced by random ones")));
        acquire->options.token.reset();
        client.wants = acquire->options.key;
        client.hasTried = true;
    } else if (const auto *send = std::get_if<playground::SendOrder>(&order);
               send != nullptr && schedules::forbiddenReason(send->command)) {
        leaveOut(Text(QT_TRANSLATE_NOOP("core", "%1, which no story may send"), send->command.toText()));
        return;
    } else if (!client.hasTried
               && (std::holds_alternative<playground::ReleaseOrder>(order)
                   || std::holds_alternative<playground::ExtendOrder>(order)
                   || std::holds_alternative<playground::WriteOrder>(order))) {
        leaveOut(Text(QT_TRANSLATE_NOOP("core", "operations of %1 on a lock acquired before the story"), client.name));
        return;
    }
    const bool isWrite = std::holds_alternative<playground::WriteOrder>(order);
    client.isBusy = !isAnsweredNext || client.isPaused;
    add(client.name, std::move(order), entry.at, {}, client.isBusy);
    client.wrote = isWrite && !client.isBusy ? std::optional(m_steps.size() - 1) : std::nullopt;
}

void ScenarioBuilder::answer(Client &client, const Entry &entry)
{
    const QString outcome = entry.report.operationResult.outcome == u"writes"
                              ? QString()
                              : outcomeId(entry.report); // A mark has the outcome of a write.
    const std::optional<base::Key> wanted = std::exchange(client.wants, std::nullopt);
    if (client.isDead || m_steps.empty())
        return;
    if (!client.isBusy) {
        BuiltStep &last = m_steps.back();
        if (last.step.client == client.name && std::holds_alternative<ClientOrder>(last.step.action)) {
            last.outcome = outcome;
            m_now = entry.at;
        }
        return;
    }
    client.isBusy = false;
    AwaitAnswer awaited;
    const auto ended =
        std::ranges::find_if(m_ended, [&](const auto &place) { return wanted && place.first == *wanted; });
    if (ended != m_ended.end()) {
        awaited = {ended->first, ended->second};
        m_ended.erase(ended);
    }
    add(client.name, awaited, entry.at, outcome);
}

void ScenarioBuilder::signal(Client &client, Signal what, MonotonicTime at)
{
    const bool isAsleepAlready = what == Signal::Pause && client.isPaused;
    const bool isAwakeAlready = what == Signal::Resume && !client.isPaused;
    if (client.isDead || isAsleepAlready || isAwakeAlready)
        return;
    client.isPaused = what == Signal::Pause;
    if (what == Signal::Crash) {
        client.isDead = true;
        client.isBusy = false;
        client.wants.reset();
    }
    advanceTo(at);
    add(client.name, what, at);
}

void ScenarioBuilder::start(Client &client)
{
    if (!client.isDead)
        return;
    const int life = client.life + 1;
    const QString first = client.life == 1 ? client.name : client.name.section(QStringLiteral(" ("), 0, -2);
    client = {QStringLiteral("%1 (%2)").arg(first).arg(life), life};
    if (m_clients.size() >= maxClients) {
        leaveOut(
            Text(QT_TRANSLATE_NOOP("core", "the restart of %1: a story has at most %2 clients"), first, maxClients));
        client.isDead = true;
        return;
    }
    m_clients += client.name;
}

void ScenarioBuilder::endLease(const Mark &mark)
{
    const base::Key key(base::fromPrintable(mark.text.toString()));
    const int server = serverOf(mark.lane);
    // A client that waits for the key acquires it before any observer sees that the key is gone.
    const bool isWanted =
        std::ranges::any_of(m_known, [&](const auto &each) { return each.second.wants == key && each.second.isBusy; });
    if (isWanted)
        m_ended.emplace(key, server);
    else if (!m_steps.empty())
        add({}, AwaitGone {key, server, true}, mark.at);
}

void ScenarioBuilder::addServerEvent(const Mark &mark)
{
    const int server = serverOf(mark.lane);
    switch (mark.kind) {
    case Mark::Kind::Killed:
        advanceTo(mark.at);
        add({}, KillServer {server}, mark.at);
        return;
    case Mark::Kind::StartedEmpty:
    case Mark::Kind::Restarted:
    case Mark::Kind::FailedOver:
        leaveOut(Text(QT_TRANSLATE_NOOP("core", "the steps after %1, when %2 was restarted"),
                      sequence::elapsedText(m_sequence, mark.at), mark.who));
        m_isOver = true;
        return;
    default:
        leaveOut(Text(QT_TRANSLATE_NOOP("core", "the freezing of %1"), mark.who));
        return;
    }
}

ScenarioBuilder::Client *ScenarioBuilder::clientOf(const QString &name)
{
    if (const auto known = m_known.find(name); known != m_known.end())
        return &known->second;
    if (m_clients.size() >= maxClients) {
        leaveOut(Text(QT_TRANSLATE_NOOP("core", "the steps of more than %1 clients"), maxClients));
        return nullptr;
    }
    m_clients += name;
    return &m_known.insert({name, Client {name}}).first->second;
}

int ScenarioBuilder::serverOf(sequence::LaneIndex lane) const
{
    const auto isServer = [](const sequence::Lane &each) { return each.kind == sequence::Lane::Kind::Server; };
    return static_cast<int>(std::count_if(m_sequence.lanes().begin(),
                                          m_sequence.lanes().begin() + static_cast<std::ptrdiff_t>(lane), isServer));
}

void ScenarioBuilder::advanceTo(MonotonicTime until)
{
    if (!m_now)
        return;
    const auto time = std::chrono::round<milliseconds>((until - *m_now) / 100) * 100;
    if (time >= minWork)
        add({}, Work {time}, until);
}

void ScenarioBuilder::add(const QString &client, StepAction action, MonotonicTime at, const QString &outcome,
                          bool isInBackground)
{
    if (std::holds_alternative<ClientOrder>(action))
        advanceTo(at);
    if (m_steps.size() >= maxSteps && !m_isOver) {
        leaveOut(Text(QT_TRANSLATE_NOOP("core", "the steps after %1: a story has at most %2 steps"),
                      sequence::elapsedText(m_sequence, at), maxSteps));
        m_isOver = true;
    }
    if (m_isOver)
        return;
    BuiltStep made;
    made.step.client = client;
    made.step.action = std::move(action);
    made.step.isInBackground = isInBackground;
    made.outcome = outcome;
    m_steps.push_back(std::move(made));
    m_now = at;
}

void ScenarioBuilder::leaveOut(const Text &what)
{
    const auto isSame = [&](const Text &other) { return other.toString() == what.toString(); };
    if (std::ranges::none_of(m_leftOut, isSame))
        m_leftOut += what;
}

} // namespace latchkey::scenarios
