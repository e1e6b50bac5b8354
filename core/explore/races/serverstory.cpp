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

/// `the lease of k ends`, for each key with a lifetime.
QString endsText(const Model &model, const State &before, int server)
{
    QStringList ends;
    for (const KeySnapshotState &key : model.snapshot(before, server).keys) {
        if (key.lifetime)
            ends += QStringLiteral("the lease of %1 ends").arg(base::printable(key.key));
    }
    return ends.join(QStringLiteral(", "));
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

ScheduleStep ServerStory::tell(const Model &model, const State &before, const Move &move)
{
    ScheduleStep step;
    step.kind = kindOf(move.kind);
    step.server = move.index;
    auto &writes = m_writes[step.server];
    step.losesAll = move.kind == Move::Kind::Restart && move.key == Move::everything;
    const auto firstLost = step.losesAll ? writes.begin() : writes.end() - move.key;
    if (!step.losesAll)
        step.lostSteps.assign(firstLost, writes.end());
    writes.erase(firstLost, writes.end());
    if (move.kind == Move::Kind::Return) {
        step.note = QStringLiteral("every lease from before the restart is over; the server can be reached again");
        return step;
    }
    if (move.kind == Move::Kind::Failover)
        step.note = QStringLiteral("a replica takes over; ") + lossText(step.lostSteps);
    else if (move.kind == Move::Kind::ClockJump)
        step.note = QStringLiteral("the server's clock jumps forward; %1").arg(endsText(model, before, step.server));
    else if (step.losesAll)
        step.note = QStringLiteral("the server restarts empty");
    else if (step.lostSteps.empty())
        step.note = QStringLiteral("the server restarts with all its writes");
    else
        step.note = QStringLiteral("the server restarts; ") + lossText(step.lostSteps);
    if (move.kind == Move::Kind::Restart && model.serverFaultLimits().restartsAfterLease) {
        step.kind = ScheduleStep::Kind::Outage;
        step.note += QStringLiteral("; it cannot be reached until all leases are over");
    }
    return step;
}

void ServerStory::tellOfFailure(const Model &model, const State &before, const Move &move, ScheduleStep &step)
{
    step.isLost = move.kind == Move::Kind::LostCommand;
    step.isUnreached = !step.isLost;
    const QString cause = step.isLost                              ? QStringLiteral("the reply is lost")
                        : isDown(model.world(before), step.server) ? QStringLiteral("the server is down")
                                                                   : QStringLiteral("it does not reach the server");
    step.note = step.note.isEmpty() ? cause : cause + QStringLiteral("; ") + step.note;
}

ScheduleStep::Kind ServerStory::kindOf(Move::Kind kind)
{
    switch (kind) {
    case Move::Kind::Failover:
        return ScheduleStep::Kind::Failover;
    case Move::Kind::Restart:
        return ScheduleStep::Kind::Restart;
    case Move::Kind::Return:
        return ScheduleStep::Kind::Return;
    case Move::Kind::ClockJump:
        return ScheduleStep::Kind::ClockJump;
    default:
        Q_UNREACHABLE();
    }
}

} // namespace latchkey::races
