#include "core/explore/programs/schedulevalidation.h"

#include "core/explore/races/timeadvance.h"

namespace latchkey::programs {

using base::failure;
using base::Result;
using races::ClientIndex;
using races::Move;

ScheduleValidation::ScheduleValidation(races::Transitions &transitions, TreeOf treeOf)
    : m_transitions(transitions)
    , m_treeOf(std::move(treeOf))
    , m_state(transitions.model().start())
{}

Result<void> ScheduleValidation::apply(const Move &move)
{
    if (auto done = execute(move); !done)
        return done;
    const auto successor = m_transitions.apply(m_state, move);
    if (!successor)
        return failure(successor.error());
    m_state = successor->state;
    return {};
}

Result<void> ScheduleValidation::execute(const Move &move)
{
    switch (move.kind) {
    case Move::Kind::Crash:
        m_clients[move.client] = {};
        return {};
    case Move::Kind::Lapse:
    case Move::Kind::Timer:
        return advanceClock(move);
    case Move::Kind::Begin:
        return {}; // The process starts with its first command, at the same virtual time.
    case Move::Kind::Rest:
        m_clients[move.client] = {}; // The process has ended after its last reply.
        return {};
    case Move::Kind::Failover:
    case Move::Kind::Restart:
    case Move::Kind::ClockJump:
        return {}; // The connections of the processes stay open.
    default:
        return answer(move);
    }
}

Result<ScheduleValidation::ValidatedClient *> ScheduleValidation::validatedClient(ClientIndex client)
{
    if (const auto known = m_clients.find(client); known != m_clients.end())
        return &known->second;
    const auto now = m_transitions.model().snapshot(m_state, 0).time;
    const auto tree = m_treeOf(client);
    auto process = tree->begin(now);
    if (!process)
        return failure(std::move(process.error()));
    ValidatedClient &validated = m_clients[client];
    validated = {std::move(*process), std::make_unique<ProgramRun>(tree, client)};
    if (now.count() > 0)
        validated.run->beginAt(now);
    return &validated;
}

Result<void> ScheduleValidation::answer(const Move &move)
{
    const auto validated = validatedClient(move.client);
    if (!validated)
        return failure(validated.error());
    const auto step = m_transitions.clientStep(m_state, move);
    if (!step)
        return failure(step.error());
    if (step->isWaiting)
        return {};
    const races::Model &model = m_transitions.model();
    const bool isMessage = move.kind == Move::Kind::Message;
    const int conversation = isMessage ? move.index : model.graph(move.client)[step->from].requests[move.index].index;
    const bool isUnreached = move.kind == Move::Kind::UnreachedCommand;
    const resp::Reply reply = isUnreached ? resp::Reply::nil() : model.effectCache().reply(step->reply);
    ProgramRun &run = *(*validated)->run;
    const bool isLost = move.kind == Move::Kind::LostCommand || isUnreached;
    const ProcessEvent event = run.eventFor(conversation,
                                            isLost      ? ProcessEvent::Kind::Loss
                                            : isMessage ? ProcessEvent::Kind::Message
                                                        : ProcessEvent::Kind::Reply,
                                            reply);
    const TreeNodeId from = run.at();
    if (isMessage)
        run.receive(conversation, reply);
    else
        isLost ? run.lose(conversation, reply) : run.answer(conversation, reply);
    return m_treeOf(move.client)->advance(*(*validated)->process, event, from, run.at());
}

/// Advances all clients that are under way, and those that have begun without sending anything.
Result<void> ScheduleValidation::advanceClock(const Move &move)
{
    const races::Model &model = m_transitions.model();
    if (!model.subject().program->isClockControlled())
        return {};
    const auto advance =
        move.kind == Move::Kind::Timer ? races::advanceToTimer(model, m_state) : races::advanceToExpiry(model, m_state);
    for (ClientIndex client = 0; advance && client <= model.subject().clients; ++client) {
        if (!races::Model::isAlive(m_state, client) || !model.advancesTimeOf(m_state, client, move.index))
            continue;
        const auto validated = validatedClient(client);
        if (!validated)
            return failure(validated.error());
        ProgramRun &run = *(*validated)->run;
        const TreeNodeId from = run.at();
        run.advanceClock(advance->by);
        const ProcessEvent event = ProgramRun::timeAdvance(advance->by);
        if (auto passed = m_treeOf(client)->advance(*(*validated)->process, event, from, run.at()); !passed)
            return passed;
    }
    return {};
}

} // namespace latchkey::programs
