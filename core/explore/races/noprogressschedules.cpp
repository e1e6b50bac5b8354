#include "core/explore/races/noprogressschedules.h"

#include "core/explore/races/livelock.h"
#include "core/explore/races/search.h"
#include "core/explore/schedules/searchtexts.h"

#include <algorithm>

namespace latchkey::races {

using base::failure;
using base::Result;

bool isMutualBlock(const ExternalProgram *program, const schedules::RecordedSchedule &schedule)
{
    using schedules::ScheduleStep;
    return program != nullptr && program->endsAlone()
        && std::ranges::none_of(schedule.steps,
                                [](const ScheduleStep &step) { return step.kind == ScheduleStep::Kind::Crash; });
}

Result<void> NoProgressSchedules::note(const Strategy &search, Transitions &transitions, FinderServers &servers)
{
    if (const auto &found = search.deadlock(); found && (!m_deadlock || isBetterDeadlock(*found, m_deadlockMoves))) {
        if (auto noted = recordDeadlock(*found, transitions, servers); !noted)
            return noted;
    }
    const auto &found = search.livelock();
    return found && !m_livelock ? recordLivelock(*found, transitions, servers) : Result<void>();
}

Result<void> NoProgressSchedules::recordDeadlock(const Schedule &found, Transitions &transitions,
                                                 FinderServers &servers)
{
    auto recorded = servers.replayed(transitions, found);
    if (!recorded)
        return failure(std::move(recorded.error()));
    recorded->title = schedules::titleText(transitions.model().subject().recipe, {}).english();
    recorded->verdict = QString::fromLatin1(QT_TRANSLATE_NOOP("core", "a client waits for ever"));
    m_deadlock = *std::move(recorded);
    m_deadlockMoves = found;
    return {};
}

/// Keeps the livelock with a note on the command that each living client repeats.
Result<void> NoProgressSchedules::recordLivelock(const Schedule &found, Transitions &transitions,
                                                 FinderServers &servers)
{
    auto recorded = servers.replayed(transitions, found);
    if (!recorded)
        return failure(std::move(recorded.error()));
    const auto living = livingAfter(transitions, found);
    if (!living)
        return failure(living.error());
    for (const ClientIndex client : *living) {
        const auto last = std::ranges::find_if(recorded->steps.rbegin(), recorded->steps.rend(), [&](const auto &step) {
            return step.client == clientName(client) && step.kind == schedules::ScheduleStep::Kind::Command;
        });
        if (last != recorded->steps.rend())
            last->note = base::Text::joined(
                last->note, base::Text(QT_TRANSLATE_NOOP("core", "%1 repeats this for ever"), clientName(client)));
    }
    recorded->title = schedules::titleText(transitions.model().subject().recipe, {}).english();
    recorded->verdict = QString::fromLatin1(QT_TRANSLATE_NOOP("core", "clients repeat commands for ever"));
    m_livelock = *std::move(recorded);
    return {};
}

} // namespace latchkey::races
