#include "core/playground/scenarios/schedulefaults.h"

namespace latchkey::scenarios {

using base::Text;
using schedules::ScheduleStep;
using Kind = ScheduleStep::Kind;
using Fault = ChangeServerKeys::Fault;
using sequence::ServerEvent;

std::optional<StepAction> serverFaultAction(const ScheduleStep &step)
{
    const ServerEvent event = step.kind == Kind::Failover  ? ServerEvent::FailedOver
                            : step.kind == Kind::ClockJump ? ServerEvent::ClockJumped
                            : step.losesAll                ? ServerEvent::StartedEmpty
                                                           : ServerEvent::Restarted;
    switch (step.kind) {
    case Kind::Failover:
    case Kind::Restart:
        if (step.losesAll)
            return ChangeServerKeys {step.server, Fault::LostAll, 0, event};
        if (step.lostSteps.empty())
            return ChangeServerKeys {step.server, Fault::LostNothing, 0, event};
        return ChangeServerKeys {step.server, Fault::LostWrites, step.lostSteps.front(), event};
    case Kind::ClockJump:
        return ChangeServerKeys {step.server, Fault::ClockJump, 0, event};
    default:
        return std::nullopt;
    }
}

Text serverFaultText(const ScheduleStep &step, int servers)
{
    if (!serverFaultAction(step))
        return {};
    const Text what = step.note.isEmpty() ? step.action(servers) : step.note;
    return servers == 1
             ? Text(QT_TRANSLATE_NOOP("core", "Fault: %1. (The player has changed the keys of the server.)"), what)
             : Text(QT_TRANSLATE_NOOP("core", "Fault of server #%1: %2. (The player has changed the keys of the "
                                              "server.)"),
                    step.server + 1, what);
}

void markKeptSteps(const schedules::RecordedSchedule &schedule, std::vector<ScenarioStep> &steps)
{
    for (const ScheduleStep &step : schedule.steps) {
        if (!step.lostSteps.empty() && step.lostSteps.front() < steps.size())
            steps[step.lostSteps.front()].keepsKeys = true;
    }
}

} // namespace latchkey::scenarios
