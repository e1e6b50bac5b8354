#include "core/explore/races/serverstory.h"

#include <QStringList>

namespace latchkey::races {

using schedules::ScheduleStep;

namespace {

/// `it lacks the write of step 1`, `it lacks the writes of steps 1, 3`; steps are counted from 1.
QString lossText(const std::vector<std::size_t> &lost)
{
    QStringList steps;
    for (const std::size_t step : lost)
        steps += QString::number(step + 1);
    return (lost.size() == 1 ? QStringLiteral("it lacks the write of step %1")
                             : QStringLiteral("it lacks the writes of steps %1"))
        .arg(steps.join(QStringLiteral(", ")));
}

} // namespace

void ServerStory::follow(const Model &model, const State &before, const State &after, const Move &move,
                         std::size_t steps)
{
    if (move.client == noClient || !model.faults().includeServers())
        return;
    for (int server = 0; server < model.subject().servers; ++server) {
        if (model.snapshot(before, server).keys != model.snapshot(after, server).keys)
            m_writes[server].push_back(steps - 1);
    }
}

ScheduleStep ServerStory::tell(const Model &, const State &, const Move &move)
{
    ScheduleStep step;
    step.kind = kindOf(move.kind);
    step.server = move.index;
    auto &writes = m_writes[step.server];
    step.lostSteps.assign(writes.end() - move.key, writes.end());
    writes.erase(writes.end() - move.key, writes.end());
    step.note = QStringLiteral("a replica takes over; ") + lossText(step.lostSteps);
    return step;
}

ScheduleStep::Kind ServerStory::kindOf(Move::Kind kind)
{
    switch (kind) {
    case Move::Kind::Failover:
        return ScheduleStep::Kind::Failover;
    default:
        Q_UNREACHABLE();
    }
}

} // namespace latchkey::races
