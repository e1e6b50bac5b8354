#include "core/explore/races/serverfaultnarration.h"

#include <QStringList>

namespace latchkey::races {

using base::Text;
using schedules::ScheduleStep;

namespace {

/// Returns `it lacks the write of step 1` or `it lacks the writes of steps 1, 3`; steps are counted from 1.
Text lossText(const std::vector<std::size_t> &lost)
{
    QStringList steps;
    for (const std::size_t step : lost)
        steps += QString::number(step + 1);
    const QString list = steps.join(QStringLiteral(", "));
    return lost.size() == 1 ? Text(QT_TRANSLATE_NOOP("core", "it lacks the write of step %1"), list)
                            : Text(QT_TRANSLATE_NOOP("core", "it lacks the writes of steps %1"), list);
}

/// Returns `the lease of k ends` for each key with a lifetime.
Text endsText(const Model &model, const State &before, int server)
{
    Text ends;
    for (const SnapshotKey &key : model.snapshot(before, server).keys) {
        if (key.lifetime)
            ends =
                Text::joined(ends, Text(QT_TRANSLATE_NOOP("core", "the lease of %1 ends"), base::printable(key.key)));
    }
    return ends;
}

} // namespace

void ServerFaultNarration::record(const Model &model, const State &before, const State &after, const Move &move,
                                  std::size_t steps)
{
    if (move.client == noClient || !model.faults().includeServers())
        return;
    for (int server = 0; server < model.subject().servers; ++server) {
        if (model.snapshot(before, server).keys != model.snapshot(after, server).keys)
            m_writes[server].push_back(steps - 1);
    }
}

ScheduleStep ServerFaultNarration::stepOf(const Model &model, const State &before, const Move &move)
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
        step.note = Text(
            QT_TRANSLATE_NOOP("core", "every lease from before the restart is over; the server can be reached again"));
        return step;
    }
    if (move.kind == Move::Kind::Failover)
        step.note = Text::joined(Text(QT_TRANSLATE_NOOP("core", "a replica takes over")), lossText(step.lostSteps));
    else if (move.kind == Move::Kind::ClockJump)
        step.note = Text::joined(Text(QT_TRANSLATE_NOOP("core", "the server's clock jumps forward")),
                                 endsText(model, before, step.server));
    else if (step.losesAll)
        step.note = Text(QT_TRANSLATE_NOOP("core", "the server restarts empty"));
    else if (step.lostSteps.empty())
        step.note = Text(QT_TRANSLATE_NOOP("core", "the server restarts with all its writes"));
    else
        step.note = Text::joined(Text(QT_TRANSLATE_NOOP("core", "the server restarts")), lossText(step.lostSteps));
    if (move.kind == Move::Kind::Restart && model.serverFaultLimits().restartsAfterLease) {
        step.kind = ScheduleStep::Kind::Outage;
        step.note =
            Text::joined(step.note, Text(QT_TRANSLATE_NOOP("core", "it cannot be reached until all leases are over")));
    }
    return step;
}

void ServerFaultNarration::narrateFailure(const Model &model, const State &before, const Move &move, ScheduleStep &step)
{
    step.isLost = move.kind == Move::Kind::LostCommand;
    step.isUnreached = !step.isLost;
    const Text cause = step.isLost ? Text(QT_TRANSLATE_NOOP("core", "the reply is lost"))
                     : isDown(model.serversState(before), step.server)
                         ? Text(QT_TRANSLATE_NOOP("core", "the server is down"))
                         : Text(QT_TRANSLATE_NOOP("core", "it does not reach the server"));
    step.note = Text::joined(cause, step.note);
}

ScheduleStep::Kind ServerFaultNarration::kindOf(Move::Kind kind)
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
