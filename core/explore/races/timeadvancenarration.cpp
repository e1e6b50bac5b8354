#include "core/explore/races/timeadvancenarration.h"

#include "core/explore/races/timeadvance.h"

#include <algorithm>

namespace latchkey::races {

using base::Text;
using schedules::ScheduleStep;
using namespace std::chrono_literals;

namespace {

/// Returns a text for a passed duration. The extra millisecond (see advanceToTimer()) is left out.
Text durationText(std::chrono::milliseconds time)
{
    if (time == 24h)
        return Text(QT_TRANSLATE_NOOP("core", "a day goes by"));
    const auto waited = time - 1ms;
    if (waited == 1s)
        return Text(QT_TRANSLATE_NOOP("core", "1 s goes by"));
    return waited % 1s == 0ms ? Text(QT_TRANSLATE_NOOP("core", "%1 s go by"), waited / 1s)
                              : Text(QT_TRANSLATE_NOOP("core", "%1 ms go by"), waited.count());
}

/// Returns the client's blocking command that reaches its timeout within `passed`.
std::optional<QString> waitingCommand(const Model &model, const GraphNode &node, std::chrono::milliseconds passed)
{
    const auto isOver = [&](const GraphNode::Pending &request) {
        return request.timeout && !request.isDue() && *request.timeout <= passed;
    };
    const auto request = std::ranges::find_if(node.requests, isOver);
    return request == node.requests.end() ? std::nullopt
                                          : std::optional(model.effectCache().command(request->command).toText());
}

/// Returns whether a timer or a timeout of the client ends within `passed`.
bool hasDueTimer(const Model &model, const State &state, ClientIndex client, std::chrono::milliseconds passed)
{
    const GraphNode &node = model.nodeOf(state, client);
    return (node.timer && *node.timer <= passed) || waitingCommand(model, node, passed);
}

/// Returns the client for a wait step: a client that is woken, preferably one that has begun. Absent: time passes for
/// all clients, and none of them waits for it.
std::optional<ClientIndex> waitingClient(const Model &model, const State &state, std::chrono::milliseconds passed)
{
    std::optional<ClientIndex> waiting;
    for (ClientIndex client = model.subject().clients; client >= 0; --client) {
        const bool hasBegun = model.hasBegun(state, client);
        const bool isNext = client == model.subject().clients;
        const bool isHidden = isNext && !hasBegun; // The next client is not in the story before it begins.
        if (!Model::isAlive(state, client) || isHidden || !hasDueTimer(model, state, client, passed))
            continue;
        if (hasBegun || !waiting || !model.hasBegun(state, *waiting))
            waiting = client;
    }
    return waiting;
}

} // namespace

std::vector<ScheduleStep> narrateTimeAdvance(const Model &model, const State &before, const Move &move)
{
    const auto advance =
        move.kind == Move::Kind::Timer ? advanceToTimer(model, before) : advanceToExpiry(model, before);
    std::vector<ScheduleStep> steps;
    for (const TimeAdvance::Key &key : advance->ending) {
        ScheduleStep &step = steps.emplace_back();
        step.kind = ScheduleStep::Kind::Lapse;
        step.server = key.server;
        step.key = key.key;
        const auto sleeper = sleepingWriter(model, before, key, advance->by);
        step.note = sleeper ? Text(QT_TRANSLATE_NOOP("core", "the lifetime of %1 ends while %2 sleeps"),
                                   base::printable(key.key), clientName(*sleeper))
                            : Text(QT_TRANSLATE_NOOP("core", "the lifetime of %1 ends"), base::printable(key.key));
    }
    if (steps.empty()) {
        ScheduleStep &step = steps.emplace_back();
        step.kind = ScheduleStep::Kind::Wait;
        step.note = durationText(advance->by);
        if (const auto client = waitingClient(model, before, advance->by)) {
            step.client = clientName(*client);
            if (const auto waiting = waitingCommand(model, model.nodeOf(before, *client), advance->by))
                step.note = Text(QT_TRANSLATE_NOOP("core", "%1 while %2 waits in the server"), step.note, *waiting);
        }
        for (const auto &[key, field] : advance->endingFields)
            step.note =
                Text::joined(step.note, Text(QT_TRANSLATE_NOOP("core", "the lifetime of the field %1 of %2 ends"),
                                             base::printable(field), base::printable(key.key)));
    }
    if (model.effectCache().hasClock())
        steps.back().passed = advance->by;
    return steps;
}

} // namespace latchkey::races
