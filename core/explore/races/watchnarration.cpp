#include "core/explore/races/watchnarration.h"

#include <algorithm>
#include <ranges>

namespace latchkey::races {

using base::Text;

void WatchNarration::follow(const Model &model, const State &before, const Move &move, std::size_t step)
{
    if (!model.subject().program || move.kind != Move::Kind::Command)
        return;
    const GraphNode::Pending &request = model.nodeOf(before, move.client).requests.at(move.index);
    const QByteArray name = model.effectCache().command(request.command).name().toUpper();
    if (name == "WATCH" || name == "UNWATCH")
        m_watches.push_back({step, move.client, request.server, request.conversation, {}});
    if (name != "EXEC")
        return;
    std::erase_if(m_watches, [&](const Watch &watch) {
        return watch.client == move.client && watch.server == request.server
            && watch.conversation == request.conversation;
    });
    for (Watch &watch : m_watches) {
        if (watch.client == move.client && watch.server == request.server && !watch.otherExec)
            watch.otherExec = step;
    }
}

void WatchNarration::removeIneffective(schedules::RecordedSchedule &recorded) const
{
    for (const Watch &watch : std::views::reverse(m_watches)) {
        const schedules::ScheduleStep &step = recorded.steps[watch.step];
        if (!watch.otherExec || step.inside || !step.note.isEmpty())
            continue;
        Text &note = recorded.steps[*watch.otherExec].note;
        note = Text::joined(
            Text(QT_TRANSLATE_NOOP("core", "%1 has sent %2 on another connection"), step.client, step.command.toText()),
            note);
    }
    for (const Watch &watch : std::views::reverse(m_watches)) {
        const auto index = recorded.steps.begin() + static_cast<std::ptrdiff_t>(watch.step);
        if (watch.otherExec && !index->inside && index->note.isEmpty())
            recorded.steps.erase(index);
    }
}

} // namespace latchkey::races
