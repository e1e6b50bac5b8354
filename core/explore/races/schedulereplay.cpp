#include "core/explore/races/schedulereplay.h"

#include "core/redis/net/dialer.h"

namespace latchkey::races {

using base::ErrorKind;
using base::failure;
using base::Result;
using std::chrono::seconds;
using namespace std::chrono_literals;

namespace {

constexpr auto replayTimeout = 10s;

tl::unexpected<base::Error> disagreement(const base::Text &what)
{
    return failure(
        ErrorKind::Protocol,
        QT_TRANSLATE_NOOP("core", "a replay on a real server went differently than the search worked out: %1"), what);
}

/// Plays the next step. Error also if the server's answer differs from the story.
Result<schedules::StepReply> playRequired(schedules::SchedulePlayer &player, const schedules::ScheduleStep &step)
{
    auto played = player.playNext();
    if (played && !played->hasPassed)
        return disagreement(base::Text(QT_TRANSLATE_NOOP("core", "%1 sends %2 and receives %3 instead of %4"),
                                       step.client, step.action(), played->reply.toText(), step.reply.toText()));
    return played;
}

} // namespace

ScheduleReplay::ScheduleReplay(std::vector<net::Endpoint> servers, shim::ServerClock *clock)
    : m_servers(std::move(servers))
    , m_clock(clock)
{}

Result<void> ScheduleReplay::connect()
{
    for (std::size_t server = m_observers.size(); server < m_servers.size(); ++server) {
        auto dialled = net::dialBlocking(m_servers[server], replayTimeout);
        if (!dialled)
            return failure(std::move(dialled.error()));
        if (auto loaded = EffectCache::loadScripts(*dialled->connection); !loaded)
            return loaded;
        m_observers.push_back(std::move(dialled->connection));
    }
    return {};
}

Result<void> ScheduleReplay::compare(const Model &model, const State &state, const base::Text &after)
{
    for (int server = 0; server < model.subject().servers; ++server) {
        const auto seen = EffectCache::readSnapshot(*m_observers[static_cast<std::size_t>(server)]);
        if (!seen)
            return failure(seen.error());
        if (seen->keys != model.snapshot(state, server).keys)
            return disagreement(base::Text(QT_TRANSLATE_NOOP("core", "other keys after %1"), after));
    }
    return {};
}

Result<void> ScheduleReplay::play(Transitions &transitions, const Schedule &schedule,
                                  const schedules::RecordedSchedule &recorded)
{
    if (auto connected = connect(); !connected)
        return connected;
    const Model &model = transitions.model();
    schedules::SchedulePlayer player(recorded, m_servers, replayTimeout);
    if (auto begun = player.begin(); !begun)
        return begun;
    State state = model.start();
    if (auto compared = compare(model, state, base::Text(QT_TRANSLATE_NOOP("core", "the preparation"))); !compared)
        return compared;

    std::map<ClientIndex, std::unique_ptr<Attempt>> attempts;
    for (ClientIndex client = 0; client <= model.subject().clients; ++client)
        attempts[client] =
            std::make_unique<Attempt>(model.subject().client(client, model.faults()), model.conditions(client));
    for (const Move &move : schedule) {
        const schedules::ScheduleStep &step = recorded.steps[player.played()];
        Attempt *attempt = move.client == noClient ? nullptr : attempts.at(move.client).get();
        base::ErrorKind kind {};
        if (move.kind == Move::Kind::LostCommand || move.kind == Move::Kind::UnreachedCommand) {
            const auto taken = transitions.clientStep(state, move);
            if (!taken)
                return failure(taken.error());
            kind = taken->failure;
        }
        auto played = playStep(player, step, move, attempt, kind);
        if (!played)
            return played;
        if (move.kind == Move::Kind::Clock)
            attempt->readClock(seconds(state.clockOrCounters));
        const auto successor = transitions.apply(state, move);
        if (!successor)
            return failure(successor.error());
        state = successor->state;
        if (auto compared = compare(model, state, step.toText()); !compared)
            return compared;
    }
    return {};
}

Result<void> ScheduleReplay::playRecorded(const schedules::RecordedSchedule &recorded) const
{
    schedules::SchedulePlayer player(recorded, m_servers, replayTimeout);
    if (m_clock != nullptr)
        player.setClock([this](std::chrono::milliseconds time) { m_clock->set(time); });
    if (auto begun = player.begin(); !begun)
        return begun;
    while (!player.isOver()) {
        if (const auto played = playRequired(player, recorded.steps[player.played()]); !played)
            return failure(played.error());
    }
    return {};
}

/// Plays one step. `attempt`: the client's own attempt, which must be ready to send the story's command and receives
/// the server's answer. `failed`: the error that the client receives instead, if the command or its reply is lost.
Result<void> ScheduleReplay::playStep(schedules::SchedulePlayer &player, const schedules::ScheduleStep &step,
                                      const Move &move, Attempt *attempt, base::ErrorKind failed)
{
    if (attempt != nullptr && move.branch != Move::noBranch)
        attempt->take(attempt->branches().at(move.branch));
    const bool isFailed = move.kind == Move::Kind::LostCommand || move.kind == Move::Kind::UnreachedCommand;
    const bool isCommand = move.kind == Move::Kind::Command || isFailed;
    const auto requests = isCommand ? attempt->requests() : std::vector<PendingRequest>();
    if (isCommand
        && (requests.size() <= move.index || requests[move.index].server != step.server
            || exchange::withScriptName(requests[move.index].commands.back()) != step.command))
        return disagreement(base::Text(QT_TRANSLATE_NOOP("core", "%1 does not send %2"), step.client, step.action()));

    const auto played = playRequired(player, step);
    if (!played)
        return failure(played.error());
    if (isFailed)
        attempt->fail(requests[move.index].index, failed);
    else if (isCommand)
        attempt->answer(requests[move.index].index, played->reply);
    else if (move.kind == Move::Kind::Rest)
        attempt->rest();
    else if (move.kind == Move::Kind::Write)
        attempt->write();
    return {};
}

} // namespace latchkey::races
