#include "core/explore/schedules/schedulefile.h"

#include "core/explore/schedules/schedulecheck.h"
#include "core/foundation/files/json.h"
#include "core/redis/resp/respjson.h"

#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>
#include <array>
#include <utility>

namespace latchkey::schedules {

using base::ErrorKind;
using base::failure;
using base::Failure;
using files::bytesJson;
using files::JsonNode;
using resp::commandFrom;
using resp::commandJson;
using resp::replyFrom;
using resp::replyJson;

namespace {

constexpr auto format = "latchkey-story";
constexpr int version = 1;
constexpr int maxServers = 16;
constexpr qint64 maxSteps = 1'000'000'000;
constexpr std::chrono::milliseconds maxElapsed = std::chrono::hours(24 * 366);

using Kind = ScheduleStep::Kind;
constexpr std::array faults {
    std::pair {Kind::Crash, "crash"},           std::pair {Kind::Lapse, "lapse"},
    std::pair {Kind::PassDeadline, "deadline"}, std::pair {Kind::Failover, "failover"},
    std::pair {Kind::Restart, "restart"},       std::pair {Kind::Outage, "outage"},
    std::pair {Kind::Return, "return"},         std::pair {Kind::ClockJump, "clock-jump"},
};
constexpr std::array operations {
    std::pair {Operation::Acquire, "acquire"}, std::pair {Operation::Release, "release"},
    std::pair {Operation::Extend, "extend"},   std::pair {Operation::Put, "put"},
    std::pair {Operation::Get, "get"},
};
constexpr std::array actions {
    std::pair {Kind::Clock, "clock"},  std::pair {Kind::Wait, "wait"},
    std::pair {Kind::Message, "hear"}, std::pair {Kind::CloseSubscriber, "hang-up"},
    std::pair {Kind::Write, "write"},
};

/// Returns whether the event concerns a key, which may have an empty name.
bool isOfAKey(Kind kind)
{
    return kind == Kind::Lapse || kind == Kind::PassDeadline;
}

template<typename Value, typename Names>
const char *nameOf(Value value, const Names &names)
{
    for (const auto &[candidate, name] : names) {
        if (candidate == value)
            return name;
    }
    return nullptr;
}

// -- Writing --

QJsonObject toJson(const ScheduleStep &step)
{
    QJsonObject object;
    if (!step.client.isEmpty())
        object[QStringLiteral("client")] = step.client;
    if (const char *fault = nameOf(step.kind, faults))
        object[QStringLiteral("fault")] = QLatin1String(fault);
    else if (const char *action = nameOf(step.kind, actions))
        object[QStringLiteral("does")] = QLatin1String(action);
    if (step.kind == Kind::Message)
        object[QStringLiteral("reply")] = replyJson(step.reply);
    if (step.kind == Kind::Command) {
        object[QStringLiteral("command")] = commandJson(step.command);
        if (!step.isUnreached)
            object[QStringLiteral("reply")] = replyJson(step.reply);
        else
            object[QStringLiteral("unreached")] = true;
    }
    if (step.server > 0)
        object[QStringLiteral("server")] = step.server;
    if (!step.key.isEmpty() || isOfAKey(step.kind))
        object[QStringLiteral("key")] = bytesJson(step.key);
    if (step.clock)
        object[QStringLiteral("clock")] = *step.clock;
    if (step.fencing)
        object[QStringLiteral("fencing")] = *step.fencing;
    if (step.inside)
        object[QStringLiteral("inside")] = *step.inside;
    if (step.isLost)
        object[QStringLiteral("lost")] = true;
    if (!step.lostSteps.empty()) {
        QJsonArray lost;
        for (const std::size_t index : step.lostSteps)
            lost += static_cast<qint64>(index);
        object[QStringLiteral("lost_steps")] = lost;
    }
    if (step.losesAll)
        object[QStringLiteral("empty")] = true;
    if (step.passed.count() > 0)
        object[QStringLiteral("passed_ms")] = static_cast<qint64>(step.passed.count());
    if (!step.note.isEmpty())
        object[QStringLiteral("note")] = step.note.english();
    if (step.begins)
        object[QStringLiteral("begins")] = QLatin1String(nameOf(*step.begins, operations));
    if (step.lease.count() > 0)
        object[QStringLiteral("lease_ms")] = static_cast<qint64>(step.lease.count());
    return object;
}

QJsonObject toJson(const ScheduleClient &actor)
{
    QJsonObject object {{QStringLiteral("name"), actor.name},
                        {QStringLiteral("lease_ms"), static_cast<qint64>(actor.lease.count())},
                        {QStringLiteral("clock_ahead_s"), static_cast<qint64>(actor.clockAhead.count())}};
    if (actor.value)
        object[QStringLiteral("value")] = bytesJson(*actor.value);
    QJsonObject fields;
    for (const auto &[name, value] : actor.fields)
        fields[QString::fromUtf8(name)] = bytesJson(value);
    if (!fields.isEmpty())
        object[QStringLiteral("fields")] = fields;
    return object;
}

// -- Reading --

/// Reads the event: a fault, an action without a server, or a command.
void readAction(ScheduleStep &step, const JsonNode &node)
{
    const JsonNode fault = node["fault"];
    const JsonNode action = node["does"];
    if (int(fault.exists()) + int(action.exists()) + int(node["command"].exists()) > 1)
        node.refuse(base::Text(QT_TRANSLATE_NOOP("core", "more than one of command, fault and does")));
    if (fault.exists()) {
        step.kind = fault.oneOf(faults);
    } else if (action.exists()) {
        step.kind = action.oneOf(actions);
        if (step.kind == Kind::Message)
            step.reply = replyFrom(node["reply"]);
    } else {
        step.command = commandFrom(node["command"]);
        if (const JsonNode unreached = node["unreached"]; unreached.exists())
            step.isUnreached = unreached.boolean();
        if (!step.isUnreached)
            step.reply = replyFrom(node["reply"]);
    }
}

ScheduleStep stepFrom(const JsonNode &node, const RecordedSchedule &schedule)
{
    ScheduleStep step;
    step.client = node["client"].lineOrEmpty();
    readAction(step, node);
    if (step.client.isEmpty() && !isOfAKey(step.kind) && !isServerFault(step.kind) && step.kind != Kind::Wait)
        node.refuse(base::Text(QT_TRANSLATE_NOOP("core", "which client?")));
    const auto isTheOne = [&](const ScheduleClient &actor) { return actor.name == step.client; };
    if (!step.client.isEmpty() && std::ranges::none_of(schedule.clients, isTheOne))
        node["client"].refuse(
            base::Text(QT_TRANSLATE_NOOP("core", "\"%1\" is not among the story's clients"), step.client));
    if (const JsonNode server = node["server"]; server.exists())
        step.server = static_cast<int>(server.numberWithin(0, schedule.servers - 1));
    if (const JsonNode key = node["key"]; key.exists() || isOfAKey(step.kind))
        step.key = key.bytes();
    step.clock = node["clock"].optionalNumber();
    step.fencing = node["fencing"].optionalNumber();
    if (const JsonNode inside = node["inside"]; inside.exists())
        step.inside = inside.boolean();
    if (const JsonNode lost = node["lost"]; lost.exists())
        step.isLost = lost.boolean();
    if (const JsonNode lost = node["lost_steps"]; lost.exists()) {
        for (const JsonNode &index : lost.elements())
            step.lostSteps.push_back(static_cast<std::size_t>(index.numberWithin(0, maxSteps)));
    }
    if (const JsonNode empty = node["empty"]; empty.exists())
        step.losesAll = empty.boolean();
    if (const JsonNode passed = node["passed_ms"]; passed.exists())
        step.passed = std::chrono::milliseconds(passed.numberWithin(0, maxElapsed.count()));
    step.note = node["note"].translatable();
    if (const JsonNode begins = node["begins"]; begins.exists())
        step.begins = begins.oneOf(operations);
    step.lease = std::chrono::milliseconds(node["lease_ms"].optionalNumber().value_or(0));
    return step;
}

ScheduleClient actorFrom(const JsonNode &node)
{
    ScheduleClient actor;
    actor.name = node["name"].line();
    actor.lease = std::chrono::milliseconds(node["lease_ms"].optionalNumber().value_or(0));
    actor.clockAhead = std::chrono::seconds(node["clock_ahead_s"].optionalNumber().value_or(0));
    if (const JsonNode value = node["value"]; value.exists())
        actor.value = value.bytes();
    if (const JsonNode fields = node["fields"]; fields.exists()) {
        for (const QString &name : fields.object().keys())
            actor.fields[name.toUtf8()] = fields[name].bytes();
    }
    return actor;
}

RecordedSchedule scheduleFrom(const JsonNode &file)
{
    if (file["format"].value() != QLatin1String(format))
        file.refuse(base::Text(QT_TRANSLATE_NOOP("core", "this is not a Latchkey story")));
    if (const qint64 found = file["version"].number(); found != version)
        file.refuse(base::Text(QT_TRANSLATE_NOOP("core", "the story is of version %1, this program reads version %2"),
                               found, version));
    RecordedSchedule schedule;
    schedule.title = file["title"].lineOrEmpty();
    schedule.recipe = file["recipe"].lineOrEmpty();
    schedule.promise = file["promise"].lineOrEmpty();
    schedule.verdict = file["verdict"].lineOrEmpty();
    if (const JsonNode servers = file["servers"]; servers.exists())
        schedule.servers = static_cast<int>(servers.numberWithin(1, maxServers));
    for (const JsonNode &client : file["clients"].elements())
        schedule.clients.push_back(actorFrom(client));
    if (const JsonNode key = file["key"]; key.exists())
        schedule.key = key.bytes();
    if (const JsonNode scripts = file["scripts"]; scripts.exists()) {
        for (const QString &name : scripts.object().keys()) {
            (void)scripts.nameOf(name).line();
            schedule.scripts[name.toUtf8()] = scripts[name].text().toUtf8();
        }
    }
    if (const JsonNode setupCommands = file["beforehand"]; setupCommands.exists()) {
        for (const JsonNode &command : setupCommands.elements())
            schedule.setupCommands.push_back(commandFrom(command));
    }
    for (const JsonNode &step : file["steps"].elements())
        schedule.steps.push_back(stepFrom(step, schedule));
    if (schedule.steps.empty())
        file["steps"].refuse(base::Text(QT_TRANSLATE_NOOP("core", "no steps")));
    return schedule;
}

} // namespace

QJsonArray toJson(const resp::Commands &commands)
{
    QJsonArray array;
    for (const resp::Command &command : commands)
        array += commandJson(command);
    return array;
}

QJsonArray toJson(const std::vector<ScheduleStep> &steps)
{
    QJsonArray array;
    for (const ScheduleStep &step : steps)
        array += toJson(step);
    return array;
}

namespace {

QJsonObject contentOf(const RecordedSchedule &schedule)
{
    QJsonArray clients;
    for (const ScheduleClient &actor : schedule.clients)
        clients += toJson(actor);
    QJsonObject scripts;
    for (const auto &[name, source] : schedule.scripts)
        scripts[QString::fromUtf8(name)] = QString::fromUtf8(source);
    QJsonObject file {
        {QStringLiteral("format"), QLatin1String(format)},
        {QStringLiteral("version"), version},
        {QStringLiteral("title"), schedule.title},
        {QStringLiteral("recipe"), schedule.recipe},
        {QStringLiteral("promise"), schedule.promise},
        {QStringLiteral("verdict"), schedule.verdict},
        {QStringLiteral("servers"), schedule.servers},
        {QStringLiteral("clients"), clients},
        {QStringLiteral("scripts"), scripts},
        {QStringLiteral("beforehand"), schedules::toJson(schedule.setupCommands)},
        {QStringLiteral("steps"), schedules::toJson(schedule.steps)},
    };
    if (!schedule.key.isEmpty())
        file[QStringLiteral("key")] = bytesJson(schedule.key);
    return file;
}

} // namespace

QByteArray toFile(const RecordedSchedule &schedule)
{
    return QJsonDocument(contentOf(schedule)).toJson();
}

QJsonObject toTranslatableJson(const RecordedSchedule &schedule)
{
    QJsonObject file = contentOf(schedule);
    QJsonArray steps = file[QStringLiteral("steps")].toArray();
    for (qsizetype i = 0; i < steps.size(); ++i) {
        QJsonObject step = steps[i].toObject();
        if (const base::Text &note = schedule.steps[static_cast<std::size_t>(i)].note; !note.isEmpty())
            step[QStringLiteral("note")] = note.toJson();
        steps[i] = step;
    }
    file[QStringLiteral("steps")] = steps;
    return file;
}

base::Result<RecordedSchedule> fromFile(const QByteArray &contents, const QString &name)
{
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(contents, &error);
    if (name.isEmpty() && error.error != QJsonParseError::NoError)
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "not JSON: %1, at byte %2"), error.errorString(),
                       error.offset);
    try {
        const QJsonValue value = document.isArray() ? QJsonValue(document.array()) : QJsonValue(document.object());
        const JsonNode file = name.isEmpty() ? JsonNode(value, {}) : JsonNode::ofFile(name, contents);
        RecordedSchedule schedule = scheduleFrom(file);
        if (const auto misfit = violationIn(schedule))
            return failure(file.below(misfit->location).errorHere(misfit->what));
        return schedule;
    } catch (const Failure &failed) {
        return failure(failed.error());
    }
}

} // namespace latchkey::schedules
