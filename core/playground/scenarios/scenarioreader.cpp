#include "core/playground/scenarios/scenarioreader.h"

#include "core/playground/scenarios/scenariovalidator.h"
#include "core/playground/scenarios/stepreader.h"

#include <QJsonDocument>

#include <algorithm>
#include <array>

namespace latchkey::scenarios {

using base::Text;
using files::JsonNode;

namespace {

constexpr auto format = QLatin1String("latchkey-story");
constexpr int version = 2;
constexpr int maxServers = 9;
constexpr std::size_t maxClients = 20;
constexpr std::size_t maxSteps = 200;

QStringList clientsFrom(const JsonNode &node)
{
    QStringList names;
    for (const JsonNode &client : node.elements()) {
        const QString name = client.name();
        if (names.contains(name))
            client.refuse(Text(QT_TRANSLATE_NOOP("core", "\"%1\" is another client's name already"), name));
        names += name;
    }
    if (static_cast<std::size_t>(names.size()) > maxClients)
        node.refuse(Text(QT_TRANSLATE_NOOP("core", "more than %1 clients"), maxClients));
    return names;
}

Alternative::Kind kindFrom(const JsonNode &node)
{
    if (!node.exists())
        return Alternative::Kind::Plain;
    static constexpr std::array kinds {std::pair {Alternative::Kind::Flawed, "flawed"},
                                       std::pair {Alternative::Kind::Sound, "sound"}};
    return node.oneOf(kinds);
}

std::vector<ScenarioStep> stepsFrom(const JsonNode &node, const StepContext &context)
{
    std::vector<ScenarioStep> steps;
    ScenarioValidator validator;
    for (const JsonNode &step : node.elements()) {
        if (!isIn(step["in"], context))
            continue;
        steps.push_back(stepFrom(step, context));
        validator.check(steps.back(), step);
    }
    if (steps.empty())
        node.refuse(Text(QT_TRANSLATE_NOOP("core", "no steps")));
    if (steps.size() > maxSteps)
        node.refuse(Text(QT_TRANSLATE_NOOP("core", "more than %1 steps"), maxSteps));
    return steps;
}

/// Reads alternatives without their steps, because steps may name any alternative.
std::vector<Alternative> headsFrom(const JsonNode &file)
{
    if (!file["alternatives"].exists()) {
        Alternative only;
        only.recipe = file["recipe"].lineOrEmpty();
        return {only};
    }
    std::vector<Alternative> heads;
    for (const JsonNode &node : file["alternatives"].elements()) {
        node.allowOnly({QStringLiteral("name"), QStringLiteral("title"), QStringLiteral("is"), QStringLiteral("recipe"),
                        QStringLiteral("policy"), QStringLiteral("verdict"), QStringLiteral("steps")});
        Alternative head;
        head.name = node["name"].line();
        const auto isNamedSo = [&](const Alternative &other) { return other.name == head.name; };
        if (head.name.isEmpty() || std::ranges::any_of(heads, isNamedSo))
            node["name"].refuse(Text(QT_TRANSLATE_NOOP("core", "every alternative needs a name of its own")));
        head.title = node["title"].lineOrEmpty();
        head.kind = kindFrom(node["is"]);
        head.recipe = node["recipe"].exists() ? node["recipe"].line() : file["recipe"].lineOrEmpty();
        head.verdict = node["verdict"].lineOrEmpty();
        heads.push_back(head);
    }
    if (heads.empty())
        file["alternatives"].refuse(Text(QT_TRANSLATE_NOOP("core", "empty")));
    return heads;
}

void checkHead(const JsonNode &file)
{
    if (!file.value().isObject() || file["format"].value() != format)
        file.refuse(Text(QT_TRANSLATE_NOOP("core", "this is not a Latchkey story")));
    if (const qint64 found = file["version"].number(); found != version)
        file["version"].refuse(Text(
            QT_TRANSLATE_NOOP("core", "the story is of version %1, this program reads version %2"), found, version));
    file.allowOnly({QStringLiteral("$schema"), QStringLiteral("format"), QStringLiteral("version"),
                    QStringLiteral("title"), QStringLiteral("summary"), QStringLiteral("question"),
                    QStringLiteral("verdict"), QStringLiteral("servers"), QStringLiteral("replicas"),
                    QStringLiteral("clients"), QStringLiteral("recipe"), QStringLiteral("key"),
                    QStringLiteral("alternatives"), QStringLiteral("steps")});
}

Scenario scenarioOf(const JsonNode &file)
{
    checkHead(file);
    Scenario scenario;
    scenario.title = file["title"].line();
    scenario.summary = file["summary"].lineOrEmpty();
    scenario.question = file["question"].lineOrEmpty();
    scenario.verdict = file["verdict"].lineOrEmpty();
    if (const JsonNode servers = file["servers"]; servers.exists())
        scenario.servers = static_cast<int>(servers.numberWithin(1, maxServers));
    if (const JsonNode replicas = file["replicas"]; replicas.exists())
        scenario.replicas = static_cast<int>(replicas.numberWithin(0, maxServers - 1));
    if (scenario.servers * (1 + scenario.replicas) > maxServers)
        file["replicas"].refuse(
            Text(QT_TRANSLATE_NOOP("core", "more than %1 servers, with their replicas"), maxServers));
    scenario.clients = clientsFrom(file["clients"]);
    scenario.alternatives = headsFrom(file);

    StepContext context;
    context.servers = scenario.servers;
    context.replicas = scenario.replicas;
    context.clients = scenario.clients;
    if (const JsonNode key = file["key"]; key.exists())
        context.key = base::Key(key.bytes());
    for (const Alternative &alternative : scenario.alternatives)
        context.alternatives += alternative.name;
    for (std::size_t i = 0; i < scenario.alternatives.size(); ++i) {
        Alternative &alternative = scenario.alternatives[i];
        context.alternative = alternative.name;
        context.recipe = alternative.recipe;
        if (!file["alternatives"].exists()) {
            alternative.steps = stepsFrom(file["steps"], context);
            continue;
        }
        const JsonNode node = file["alternatives"].elements().at(i);
        context.policy = policyFrom(node["policy"]);
        alternative.steps = stepsFrom(node["steps"].exists() ? node["steps"] : file["steps"], context);
    }
    return scenario;
}

} // namespace

base::Result<Scenario> readScenario(const QString &name, const QByteArray &contents)
{
    try {
        return scenarioOf(JsonNode::ofFile(name, contents));
    } catch (const base::Failure &failed) {
        return base::failure(failed.error());
    }
}

int storyVersion(const QByteArray &contents)
{
    const QJsonObject file = QJsonDocument::fromJson(contents).object();
    return file[QStringLiteral("format")] == format ? file[QStringLiteral("version")].toInt() : 0;
}

} // namespace latchkey::scenarios
