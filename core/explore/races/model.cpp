#include "core/explore/races/model.h"

namespace latchkey::races {

using base::failure;
using base::Result;
using resp::Command;
using std::chrono::seconds;
using namespace std::chrono_literals;

namespace {

/// Difference between the clocks of two clients, if a promise allows different clocks; longer than all leases together.
constexpr auto clockDifference = 1000h;

seconds startOfTime()
{
    return std::chrono::floor<seconds>(Attempt::startOfTime().time_since_epoch());
}

} // namespace

Model::Model(const Subject &subject, const Rule &rule, EffectCache &effectCache, ExcludedFaults excluded,
             ServerFaultLimits limits)
    : m_subject(subject)
    , m_rule(rule)
    , m_faults(rule.faults())
    , m_limits(limits)
    , m_effectCache(effectCache)
{
    m_faults.crashes = m_faults.crashes && !excluded.crashes;
    if (excluded.lapses)
        m_faults.lapses = Lapses::None;
}

Result<std::unique_ptr<Model>> Model::create(const Subject &subject, const Rule &rule, EffectCache &effectCache,
                                             ExcludedFaults excluded, ServerFaultLimits limits)
{
    std::unique_ptr<Model> model(new Model(subject, rule, effectCache, excluded, limits));
    for (ClientIndex client = 0; client <= subject.clients; ++client)
        model->m_graphs.push_back(std::make_unique<ClientGraph>(subject.client(client, model->faults()),
                                                                model->conditions(client), effectCache));
    if (model->faults().foreignKey) {
        model->m_setupCommands.push_back(Command {"RPUSH", subject.key.bytes(), "somebody", "else"});
        model->m_setupCommands.push_back(
            Command {"PEXPIRE", subject.key.bytes(), QByteArray::number(std::chrono::milliseconds(90h).count())});
    }
    const auto prepared = effectCache.prepare(model->m_setupCommands);
    if (!prepared)
        return failure(prepared.error());
    ServersState serversState;
    serversState.servers.fill(*prepared);
    model->m_start.serversState = model->m_serversStates.add(serversState);
    return model;
}

ClientConditions Model::conditions(ClientIndex client) const
{
    ClientConditions conditions;
    conditions.client = client;
    conditions.schedulesClock = m_subject.keepsDeadlineInValue;
    conditions.answersFail = m_faults.partitions || (m_faults.restarts && m_limits.restartsAfterLease);
    if (m_faults.clocksDiffer)
        conditions.clockOffset = clockDifference * client;
    return conditions;
}

std::optional<Model::Conversation> Model::conversationWithMessage(const State &state, ClientIndex client) const
{
    for (int server = 0; server < m_subject.servers; ++server) {
        if (const auto number = snapshot(state, server).conversationWithMessage(client))
            return Conversation {server, *number};
    }
    return std::nullopt;
}

int Model::serverWithMessage(const State &state, int conversationId) const
{
    int server = 0;
    while (!snapshot(state, server).hasPendingMessage(conversationId))
        ++server;
    return server;
}

bool Model::advancesTimeOf(const State &state, ClientIndex client, int begun) const
{
    if (hasBegun(state, client) || (begun >> client & 1) != 0)
        return true;
    const auto givesUp = [](const GraphNode::Pending &request) { return request.timeout.has_value(); };
    const bool mayBeLate = m_subject.program && m_subject.program->sendsTimes(); // If so, both cases are tried.
    return client < m_subject.clients && !mayBeLate && std::ranges::any_of(nodeOf(state, client).requests, givesUp);
}

quint8 Model::clientsUnderWay(const State &state, int begun) const
{
    quint8 clients = 0;
    for (ClientIndex client = 0; client <= m_subject.clients; ++client) {
        if (isAlive(state, client) && advancesTimeOf(state, client, begun))
            clients = static_cast<quint8>(clients | (1 << client));
    }
    return clients;
}

bool Model::areAllTimersKnown() const
{
    const ExternalProgram *program = m_subject.program.get();
    return program != nullptr && program->isClockControlled() && !program->hasOtherClocks();
}

bool Model::isOver(const State &state) const
{
    for (ClientIndex client = 0; client < m_subject.clients; ++client) {
        if (isAlive(state, client))
            return false;
    }
    return true;
}

bool Model::isQuiet(const State &state) const
{
    for (ClientIndex client = 0; client < m_subject.clients; ++client) {
        if (isAlive(state, client) && hasBegun(state, client))
            return false;
    }
    return true;
}

std::optional<seconds> Model::clockAdvanceForDeadline(const State &state, int server) const
{
    if (!m_subject.keepsDeadlineInValue)
        return std::nullopt;
    const SnapshotKey *lock = snapshot(state, server).find(m_subject.key.bytes());
    if (lock == nullptr)
        return std::nullopt;
    bool isNumber = false;
    const qint64 deadline = lock->text.toLongLong(&isNumber);
    if (!isNumber)
        return std::nullopt;
    const auto passed = seconds(deadline) - startOfTime() + 1s;
    if (passed <= seconds(state.clockOrCounters))
        return std::nullopt;
    return passed;
}

seconds Model::clockAdvanceForLease(const State &state, ClientIndex client) const
{
    const auto lease = std::chrono::floor<seconds>(Subject::leaseOf(client).duration());
    return nodeOf(state, client).firstReading + lease - conditions(client).clockOffset - startOfTime();
}

} // namespace latchkey::races
