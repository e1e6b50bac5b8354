#include "core/explore/races/narration.h"

#include "core/explore/races/deadlock.h"
#include "core/explore/races/ownership.h"
#include "core/explore/races/serverfaultnarration.h"
#include "core/explore/races/timeadvancenarration.h"
#include "core/explore/races/watchnarration.h"

#include <algorithm>

namespace latchkey::races {

using base::failure;
using base::Result;
using base::Text;
using schedules::RecordedSchedule;
using schedules::ScheduleStep;
using namespace std::chrono_literals;

namespace {

ScheduleStep::Kind kindOf(Move::Kind kind)
{
    switch (kind) {
    case Move::Kind::Command:
    case Move::Kind::LostCommand:
    case Move::Kind::UnreachedCommand:
        return ScheduleStep::Kind::Command;
    case Move::Kind::Message:
        return ScheduleStep::Kind::Message;
    case Move::Kind::Clock:
        return ScheduleStep::Kind::Clock;
    case Move::Kind::Rest:
        return ScheduleStep::Kind::Wait;
    case Move::Kind::Write:
        return ScheduleStep::Kind::Write;
    case Move::Kind::Crash:
        return ScheduleStep::Kind::Crash;
    case Move::Kind::Lapse:
        return ScheduleStep::Kind::Lapse;
    case Move::Kind::PassDeadline:
        return ScheduleStep::Kind::PassDeadline;
    case Move::Kind::Begin:
    case Move::Kind::Timer:
        return ScheduleStep::Kind::Wait;
    case Move::Kind::Failover:
    case Move::Kind::Restart:
    case Move::Kind::Return:
    case Move::Kind::ClockJump:
        return ServerFaultNarration::kindOf(kind);
    }
    Q_UNREACHABLE();
}

/// Describes the outcome of an operation that ended with this step. An entry has no note, because the step itself
/// shows that the client is inside.
Text noteOn(const QString &client, const ClientStatus &from, const ClientStatus &to)
{
    const bool hasEntered = to.isInside && !from.isInside;
    if (to.stage != from.stage && !to.outcome.isEmpty() && !hasEntered)
        return Text::about(client, to.outcome);
    return {};
}

/// Sets `inside` if the client enters or leaves with the move.
void narrateInside(ScheduleStep &step, bool wasInside, bool isInside)
{
    if (wasInside != isInside)
        step.inside = isInside;
}

/// Returns the operation that begins with this step: the first operation of the attempt, or the way taken at a fork.
std::optional<schedules::Operation> beginningOf(Stage stage, bool isFirst)
{
    switch (stage) {
    case Stage::Acquiring:
        return isFirst ? std::optional(schedules::Operation::Acquire) : std::nullopt;
    case Stage::Writing:
        return isFirst ? std::optional(schedules::Operation::Put) : std::nullopt;
    case Stage::Reading:
        return isFirst ? std::optional(schedules::Operation::Get) : std::nullopt;
    case Stage::Extending:
        return schedules::Operation::Extend;
    case Stage::Releasing:
        return schedules::Operation::Release;
    case Stage::Inside:
    case Stage::Recomputing:
    case Stage::Running:
    case Stage::Finished:
        break;
    }
    return std::nullopt;
}

/// Describes the move of a client in the step. `queued`: set to all commands of a transaction except the last one.
Result<void> narrateClient(ScheduleStep &step, Transitions &transitions, const State &before, const Move &move,
                           resp::Commands &queued)
{
    const Model &model = transitions.model();
    const auto taken = transitions.clientStep(before, move);
    if (!taken)
        return failure(taken.error());
    const GraphNode &from = model.graph(move.client)[taken->from];
    const GraphNode &to = model.graph(move.client)[taken->to];
    if (step.kind == ScheduleStep::Kind::Command) {
        step.server = taken->server;
        step.command = exchange::withScriptName(model.effectCache().command(taken->command));
        if (move.kind != Move::Kind::UnreachedCommand)
            step.reply = model.effectCache().reply(taken->reply);
        queued = model.effectCache().commands(taken->command);
        queued.pop_back();
    } else if (step.kind == ScheduleStep::Kind::Message) {
        step.server = taken->server;
        step.reply = model.effectCache().reply(taken->reply);
    } else if (step.kind == ScheduleStep::Kind::Clock) {
        step.clock = to.lastReading.count();
    } else if (step.kind == ScheduleStep::Kind::Write) {
        step.fencing = from.status.fencing;
    }
    const bool isFirst = Model::positionOf(before, move.client) == ClientGraph::root;
    if (step.kind != ScheduleStep::Kind::Write && (isFirst || move.branch != Move::noBranch))
        step.begins = beginningOf(from.status.stage, isFirst);
    if (step.begins == schedules::Operation::Extend)
        step.lease = Subject::extensionOf(move.client).duration();
    step.note = taken->isWaiting ? Text(QT_TRANSLATE_NOOP("core", "%1 waits for ever"), step.client)
                                 : noteOn(step.client, from.status, to.status);
    narrateInside(step, model.nodeOf(before, move.client).status.isInside, to.status.isInside);
    return {};
}

/// Returns whether the key is a lock or a guard, which has a lease. Any other key has a lifetime.
bool isLock(const Subject &subject, const QByteArray &key)
{
    return key == subject.guard.bytes() || (key == subject.key.bytes() && locks::findRecipe(subject.recipe));
}

/// Returns the commands of a transaction before its last one, as steps.
std::vector<ScheduleStep> narrateQueued(const resp::Commands &queued, const ScheduleStep &last)
{
    std::vector<ScheduleStep> steps;
    for (const resp::Command &command : queued) {
        ScheduleStep &step = steps.emplace_back();
        step.client = last.client;
        step.server = last.server;
        step.command = command;
        step.reply = resp::Reply::status(command.name().toUpper() == "MULTI" ? "OK" : "QUEUED");
    }
    return steps;
}

/// Returns the move as steps: exactly one, unless the move is a transaction or advances the time.
Result<std::vector<ScheduleStep>> stepOf(Transitions &transitions, const State &before, const Move &move,
                                         ServerFaultNarration &faultNarration)
{
    const Model &model = transitions.model();
    if (isServerFault(move.kind))
        return std::vector {faultNarration.stepOf(model, before, move)};
    if (model.subject().program && move.client == noClient)
        return narrateTimeAdvance(model, before, move);
    if (move.kind == Move::Kind::Begin)
        return std::vector<ScheduleStep>(); // The note on the client's first step describes this.
    resp::Commands queued;
    ScheduleStep step;
    step.kind = kindOf(move.kind);
    if (move.client != noClient)
        step.client = clientName(move.client);
    switch (step.kind) {
    case ScheduleStep::Kind::Crash:
        narrateInside(step, model.nodeOf(before, move.client).status.isInside, false);
        break;
    case ScheduleStep::Kind::Lapse:
        step.server = move.index;
        step.key = model.snapshot(before, move.index).keys[move.key].key;
        step.note = isLock(model.subject(), step.key)
                      ? Text(QT_TRANSLATE_NOOP("core", "the lease of %1 ends"), base::printable(step.key))
                      : Text(QT_TRANSLATE_NOOP("core", "the lifetime of %1 ends"), base::printable(step.key));
        break;
    case ScheduleStep::Kind::PassDeadline:
        step.server = move.index;
        step.key = model.subject().key.bytes();
        step.note = Text(QT_TRANSLATE_NOOP("core", "all clocks pass the deadline in %1"), base::printable(step.key));
        break;
    default:
        if (const auto outcome = narrateClient(step, transitions, before, move, queued); !outcome)
            return failure(outcome.error());
    }
    if (move.kind == Move::Kind::LostCommand || move.kind == Move::Kind::UnreachedCommand)
        ServerFaultNarration::narrateFailure(model, before, move, step);
    auto steps = narrateQueued(queued, step);
    steps.push_back(std::move(step));
    return steps;
}

/// Adds a step for each client that has lost its subscriber connections to the server without UNSUBSCRIBE. From then
/// on, PUBLISH reaches fewer subscribers.
void narrateDisconnection(const Model &model, const State &before, const State &after, int server,
                          std::vector<ScheduleStep> &steps)
{
    for (ClientIndex client = 0; client <= model.subject().clients; ++client) {
        const auto listens = [client](const ConnectionState &connection) {
            return clientOf(connection.client) == client && connection.listens();
        };
        const bool isQuiet = std::ranges::none_of(model.snapshot(after, server).connections, listens);
        const bool hasListened = std::ranges::any_of(model.snapshot(before, server).connections, listens);
        const ScheduleStep *last = steps.empty() ? nullptr : &steps.back();
        const bool isOwnDoing = last != nullptr
                             && (last->kind == ScheduleStep::Kind::Crash
                                 || (last->server == server && schedules::changesSubscriptions(last->command)));
        if (!hasListened || !isQuiet || isOwnDoing)
            continue;
        ScheduleStep &step = steps.emplace_back();
        step.kind = ScheduleStep::Kind::CloseSubscriber;
        step.client = clientName(client);
        step.server = server;
    }
}

/// Adds a note to the last step if it breaks the promise by ending or changing another client's lock.
void narrateViolation(const Model &model, const State &before, const State &after, const Move &move, ScheduleStep &step)
{
    if (!model.subject().program
        || model.rule().promise() != catalogue::promiseId(catalogue::Promise::OwnerOnlyRelease))
        return;
    const auto violated =
        violatedLock(model.serversState(before), model.serversState(after), *model.subject().program, move.client);
    if (move.client == noClient || !violated)
        return;
    step.note = Text::joined(Text(QT_TRANSLATE_NOOP("core", "%1 is the lock of %2"), base::printable(violated->key),
                                  clientName(violated->holder)),
                             step.note);
}

/// Adds a note to the last step of each client that listens forever at the end.
Result<void> narrateSubscribers(Transitions &transitions, const State &end, RecordedSchedule &recorded)
{
    const Model &model = transitions.model();
    if (!model.subject().program)
        return {};
    const auto still = deadlock(transitions, end);
    if (!still)
        return failure(still.error());
    if (!*still && !model.hasBegun(end, model.subject().clients)) // Otherwise the story is about the next client.
        return {};
    for (ClientIndex client = 0; client <= model.subject().clients; ++client) {
        const GraphNode &node = model.nodeOf(end, client);
        const bool isIdle = node.requests.empty() && !node.timer && node.listening != 0;
        const auto last = std::ranges::find(recorded.steps.rbegin(), recorded.steps.rend(), clientName(client),
                                            &ScheduleStep::client);
        if (!isIdle || last == recorded.steps.rend())
            continue;
        last->note =
            Text::joined(last->note, Text(QT_TRANSLATE_NOOP("core", "%1 listens for ever"), clientName(client)));
    }
    return {};
}

/// Adds a note to the last step that names the keys that are left forever, if that breaks the promise.
void narrateRemainingKeys(const Model &model, const State &end, RecordedSchedule &recorded)
{
    if (!model.subject().program || model.rule().atEnd() != AtEnd::RequiredKeysExpire || recorded.steps.empty())
        return;
    QStringList keys;
    for (int server = 0; server < model.subject().servers; ++server) {
        for (const SnapshotKey &key : model.snapshot(end, server).keys) {
            if (!key.lifetime && model.subject().mustExpire(key))
                keys += model.subject().servers > 1
                          ? QStringLiteral("%1 on #%2").arg(base::printable(key.key)).arg(server + 1)
                          : base::printable(key.key);
        }
    }
    if (keys.isEmpty())
        return;
    Text &note = recorded.steps.back().note;
    note = Text::joined(note,
                        Text(QT_TRANSLATE_NOOP("core", "%1 left without an expiry"), keys.join(QStringLiteral(", "))));
}

void setStoredValues(schedules::ScheduleClient &actor, const Subject &subject, ClientIndex client)
{
    if (!subject.content)
        return;
    const caches::Content content = subject.content(client);
    if (!content.hasFields())
        actor.value = content.value();
    for (const caches::Field &field : content.hasFields() ? content.fields() : caches::Fields())
        actor.fields[field.name] = field.value;
}

/// Adds the source of the called script to the story. Scripts of programs have no names, so they get generated names.
void nameScript(RecordedSchedule &recorded, const Subject &subject, resp::Command &command)
{
    if (!command.callsScript() || command.words().size() < 2)
        return;
    const QByteArray word = command.words()[1];
    if (exchange::Script::names().contains(QString::fromUtf8(word))) {
        recorded.scripts.try_emplace(word, exchange::Script(QString::fromUtf8(word)).source());
        return;
    }
    if (!subject.program)
        return;
    const auto known =
        std::ranges::find_if(recorded.scripts, [&](const auto &script) { return script.second == word; });
    const QByteArray name =
        known != recorded.scripts.end() ? known->first : "script-" + QByteArray::number(recorded.scripts.size() + 1);
    recorded.scripts.try_emplace(name, word);
    command = command.withWord(1, name);
}

} // namespace

Result<RecordedSchedule> narrate(Transitions &transitions, const Schedule &schedule)
{
    const Model &model = transitions.model();
    const Subject &subject = model.subject();
    RecordedSchedule recorded;
    recorded.recipe = subject.recipe;
    recorded.key = subject.key.bytes();
    recorded.servers = subject.servers;
    recorded.setupCommands = model.setupCommands();
    int clients = subject.clients;
    State state = model.start();
    ServerFaultNarration faultNarration;
    WatchNarration watches;
    for (const Move &move : schedule) {
        auto steps = stepOf(transitions, state, move, faultNarration);
        if (!steps)
            return failure(std::move(steps.error()));
        if (move.client >= clients && !steps->empty()) { // The next client, which is optional.
            clients = move.client + 1;
            ScheduleStep &first = steps->front();
            first.note =
                Text::joined(Text(QT_TRANSLATE_NOOP("core", "%1 comes after all others"), first.client), first.note);
        }
        const auto successor = transitions.apply(state, move);
        if (!successor)
            return failure(successor.error());
        if (!steps->empty())
            narrateViolation(model, state, successor->state, move, steps->back());
        for (int server = 0; server < subject.servers; ++server)
            narrateDisconnection(model, state, successor->state, server, *steps);
        for (ScheduleStep &step : *steps) {
            nameScript(recorded, subject, step.command);
            recorded.steps.push_back(std::move(step));
        }
        watches.follow(model, state, move, recorded.steps.size() - 1);
        faultNarration.record(model, state, successor->state, move, recorded.steps.size());
        state = successor->state;
    }
    if (auto outcome = narrateSubscribers(transitions, state, recorded); !outcome)
        return failure(std::move(outcome.error()));
    narrateRemainingKeys(model, state, recorded);
    watches.removeIneffective(recorded);
    for (ClientIndex client = 0; client < clients; ++client) {
        schedules::ScheduleClient actor;
        actor.name = clientName(client);
        if (!subject.program)
            actor.lease = Subject::leaseOf(client).duration();
        actor.clockAhead = std::chrono::duration_cast<std::chrono::seconds>(model.conditions(client).clockOffset);
        setStoredValues(actor, subject, client);
        recorded.clients.push_back(std::move(actor));
    }
    return recorded;
}

} // namespace latchkey::races
