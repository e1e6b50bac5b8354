#include "core/explore/races/standstills.h"

#include "core/explore/races/livelock.h"
#include "core/explore/races/search.h"
#include "core/explore/schedules/searchtexts.h"

#include <algorithm>

namespace latchkey::races {

using base::failure;
using base::Result;

Result<void> Standstills::note(const Strategy &search, Transitions &transitions, FinderServers &servers)
{
    if (const auto &found = search.deadlock(); found && (!m_deadlock || isBetterDeadlock(*found, m_deadlockMoves))) {
        if (auto noted = noteDeadlock(*found, transitions, servers); !noted)
            return noted;
    }
    const auto &found = search.livelock();
    return found && !m_livelock ? noteLivelock(*found, transitions, servers) : Result<void>();
}

Result<void> Standstills::noteDeadlock(const Schedule &found, Transitions &transitions, FinderServers &servers)
{
    auto story = servers.replayed(transitions, found);
    if (!story)
        return failure(std::move(story.error()));
    story->title = schedules::titleText(transitions.model().subject().recipe, {}).english();
    story->verdict = QString::fromLatin1(QT_TRANSLATE_NOOP("core", "a client waits for ever"));
    m_deadlock = *std::move(story);
    m_deadlockMoves = found;
    return {};
}

/// Keeps the livelock with a note on the command that each living client repeats.
Result<void> Standstills::noteLivelock(const Schedule &found, Transitions &transitions, FinderServers &servers)
{
    auto story = servers.replayed(transitions, found);
    if (!story)
        return failure(std::move(story.error()));
    const auto living = livingAfter(transitions, found);
    if (!living)
        return failure(living.error());
    for (const ClientIndex client : *living) {
        const auto last = std::ranges::find_if(story->steps.rbegin(), story->steps.rend(), [&](const auto &step) {
            return step.client == clientName(client) && step.kind == schedules::ScheduleStep::Kind::Command;
        });
        if (last != story->steps.rend())
            last->note = base::Text::joined(
                last->note, base::Text(QT_TRANSLATE_NOOP("core", "%1 repeats this for ever"), clientName(client)));
    }
    story->title = schedules::titleText(transitions.model().subject().recipe, {}).english();
    story->verdict = QString::fromLatin1(QT_TRANSLATE_NOOP("core", "clients repeat commands for ever"));
    m_livelock = *std::move(story);
    return {};
}

} // namespace latchkey::races
