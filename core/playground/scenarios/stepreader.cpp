#include "core/playground/scenarios/stepreader.h"

#include "core/explore/schedules/schedulecheck.h"
#include "core/recipes/caches/catalogue.h"
#include "core/redis/resp/respjson.h"

#include <array>

namespace latchkey::scenarios {

using base::Text;
using files::JsonNode;
using std::chrono::milliseconds;

namespace {

Text withoutReplicas()
{
    return Text(QT_TRANSLATE_NOOP("core", "the servers of the story have no replicas"));
}

base::Lease leaseFrom(const JsonNode &node)
{
    const auto lease = base::Lease::of(node.duration());
    if (!lease)
        node.refuse(lease.error().text);
    return *lease;
}

void needTrue(const JsonNode &node)
{
    if (!node.boolean())
        node.refuse(Text(QT_TRANSLATE_NOOP("core", "omit it")));
}

base::Key keyFrom(const JsonNode &node, const StepContext &context)
{
    if (node.exists())
        return base::Key(node.bytes());
    if (context.key.isEmpty())
        node.refuse(Text(QT_TRANSLATE_NOOP("core", "missing, and the story has no key of its own")));
    return context.key;
}

std::optional<locks::LeaseUnit> unitFrom(const JsonNode &node)
{
    if (!node.exists())
        return std::nullopt;
    static constexpr std::array units {std::pair {locks::LeaseUnit::Seconds, "s"},
                                       std::pair {locks::LeaseUnit::Milliseconds, "ms"}};
    return node.oneOf(units);
}

/// Finds the step's recipe in the catalogue; default: the alternative's recipe.
template<typename Find>
auto recipeFrom(const JsonNode &node, const StepContext &context, Find find)
{
    const QString id = node.exists() ? node.line() : context.recipe;
    if (id.isEmpty())
        node.refuse(Text(QT_TRANSLATE_NOOP("core", "missing, and neither the alternative nor the story has one")));
    const auto recipe = find(id);
    if (!recipe)
        node.refuse(recipe.error().text);
    return *recipe;
}

playground::ClientOrder acquireFrom(const JsonNode &node, const StepContext &context)
{
    node.allowOnly({QStringLiteral("recipe"), QStringLiteral("key"), QStringLiteral("lease"), QStringLiteral("unit"),
                    QStringLiteral("token"), QStringLiteral("value"), QStringLiteral("wait")});
    const locks::Recipe *recipe = recipeFrom(node["recipe"], context, locks::findRecipe);
    locks::LockOptions options;
    options.key = keyFrom(node["key"], context);
    if (node["lease"].exists())
        options.lease = leaseFrom(node["lease"]);
    options.unit = unitFrom(node["unit"]);
    if (node["token"].exists())
        options.token = base::OwnerToken(node["token"].bytes());
    if (node["value"].exists())
        options.value = node["value"].bytes();
    const milliseconds wait = node["wait"].exists() ? node["wait"].duration() : milliseconds::zero();
    locks::LockOptions tried = options;
    tried.servers = context.servers;
    if (const auto made = locks::makeLock(*recipe, std::move(tried)); !made)
        node.refuse(made.error().text);
    return playground::AcquireOrder {recipe->id, options, wait};
}

caches::CacheOptions cacheOptionsFrom(const JsonNode &node, const StepContext &context)
{
    caches::CacheOptions options;
    options.key = keyFrom(node["key"], context);
    if (node["lifetime"].exists())
        options.lifetime = leaseFrom(node["lifetime"]);
    options.unit = unitFrom(node["unit"]);
    if (node["if_absent"].exists())
        options.onlyIfAbsent = node["if_absent"].boolean();
    return options;
}

playground::ClientOrder putFrom(const JsonNode &node, const StepContext &context)
{
    node.allowOnly({QStringLiteral("recipe"), QStringLiteral("key"), QStringLiteral("lifetime"), QStringLiteral("unit"),
                    QStringLiteral("if_absent"), QStringLiteral("value"), QStringLiteral("fields")});
    const caches::Recipe *recipe = recipeFrom(node["recipe"], context, caches::findRecipe);
    const caches::CacheOptions options = cacheOptionsFrom(node, context);
    if (const auto made = caches::makeCache(*recipe, options); !made)
        node.refuse(made.error().text);
    if (!recipe->holdsFields)
        return playground::PutOrder {recipe->id, options, caches::Content::ofValue(node["value"].bytes())};
    caches::Fields fields;
    for (const auto &[name, value] : fieldsFrom(node["fields"].required()))
        fields.push_back({name, value});
    return playground::PutOrder {recipe->id, options, caches::Content::ofFields(std::move(fields))};
}

playground::ClientOrder getFrom(const JsonNode &node, const StepContext &context)
{
    node.allowOnly({QStringLiteral("recipe"), QStringLiteral("key")});
    const caches::Recipe *recipe = recipeFrom(node["recipe"], context, caches::findRecipe);
    caches::CacheOptions options;
    options.key = keyFrom(node["key"], context);
    return playground::GetOrder {recipe->id, options};
}

playground::ClientOrder recomputeFrom(const JsonNode &node, const StepContext &context)
{
    node.allowOnly({QStringLiteral("key"), QStringLiteral("value"), QStringLiteral("lifetime"), QStringLiteral("work"),
                    QStringLiteral("policy"), QStringLiteral("guard")});
    caches::CacheOptions options = cacheOptionsFrom(node, context);
    options.guard = caches::GuardOptions();
    if (const auto policy = node["policy"].exists() ? policyFrom(node["policy"]) : context.policy)
        options.guard->policy = *policy;
    if (node["guard"].exists())
        options.guard->lease = leaseFrom(node["guard"]);
    if (const auto made = caches::makeGuarded(options); !made)
        node.refuse(made.error().text);
    const milliseconds work = node["work"].exists() ? node["work"].duration() : milliseconds::zero();
    return playground::RecomputeOrder {options, node["value"].bytes(), work};
}

playground::ClientOrder sendFrom(const JsonNode &node, const JsonNode &server, const StepContext &context)
{
    resp::Command command = resp::commandFrom(node);
    if (const auto why = schedules::forbiddenReason(command))
        node.refuse(*why);
    return playground::SendOrder {std::move(command), serverFrom(server, context)};
}

Signal signalFrom(const JsonNode &node)
{
    static constexpr std::array signalWords {std::pair {Signal::Crash, "crash"}, std::pair {Signal::Pause, "pause"},
                                             std::pair {Signal::Resume, "resume"}};
    return node.oneOf(signalWords);
}

StepAction awaitFrom(const JsonNode &node, const StepContext &context)
{
    if (node.value().isObject()) {
        node.allowOnly({QStringLiteral("gone"), QStringLiteral("passed"), QStringLiteral("answer_after"),
                        QStringLiteral("server"), QStringLiteral("scalable")});
        const int server = serverFrom(node["server"], context);
        const bool isScalable = node["scalable"].exists() && node["scalable"].boolean();
        if (node.object().size() - int(node["server"].exists()) - int(node["scalable"].exists()) != 1)
            node.refuse(Text(QT_TRANSLATE_NOOP("core", "one of gone, passed and answer_after has to name a key")));
        if (node["gone"].exists())
            return AwaitGone {base::Key(node["gone"].bytes()), server, isScalable};
        if (node["answer_after"].exists())
            return AwaitAnswer {isScalable ? std::optional(base::Key(node["answer_after"].bytes())) : std::nullopt,
                                server};
        if (node["scalable"].exists())
            node["scalable"].refuse(Text(QT_TRANSLATE_NOOP("core", "the server cannot shorten a deadline in a value")));
        return AwaitDeadline {base::Key(node["passed"].bytes()), server};
    }
    using Event = playground::ClientReport::Event;
    static constexpr std::array reports {std::pair {Event::Done, "answer"}, std::pair {Event::Renewed, "renewed"},
                                         std::pair {Event::Lost, "lost"}};
    const Event event = node.oneOf(reports);
    return event == Event::Done ? StepAction(AwaitAnswer {}) : StepAction(AwaitReport {event});
}

/// Reads a replica and its server, such as `{"server": 0, "replica": 1}`; default: 0.
template<typename Action>
StepAction replicaActionFrom(const JsonNode &node, const StepContext &context)
{
    node.allowOnly({QStringLiteral("server"), QStringLiteral("replica")});
    if (context.replicas == 0)
        node.refuse(withoutReplicas());
    return Action {serverFrom(node["server"], context), replicaFrom(node["replica"], context)};
}

StepAction actionFrom(const QString &what, const JsonNode &step, const StepContext &context)
{
    const JsonNode node = step[what];
    if (what == u"acquire")
        return acquireFrom(node, context);
    if (what == u"extend") {
        node.allowOnly({QStringLiteral("lease")});
        return playground::ClientOrder(playground::ExtendOrder {leaseFrom(node["lease"])});
    }
    if (what == u"put")
        return putFrom(node, context);
    if (what == u"get")
        return getFrom(node, context);
    if (what == u"recompute")
        return recomputeFrom(node, context);
    if (what == u"command")
        return sendFrom(node, step["server"], context);
    if (what == u"signal")
        return signalFrom(node);
    if (what == u"await")
        return awaitFrom(node, context);
    if (what == u"work")
        return Work {node.duration()};
    if (what == u"kill_server")
        return KillServer {serverFrom(node, context)};
    if (what == u"restart_server")
        return RestartServer {serverFrom(node, context)};
    if (what == u"cut_replica")
        return replicaActionFrom<CutReplica>(node, context);
    if (what == u"failover")
        return replicaActionFrom<Failover>(node, context);
    needTrue(node);
    if (what == u"release")
        return playground::ClientOrder(playground::ReleaseOrder {});
    if (what == u"write")
        return playground::ClientOrder(playground::WriteOrder {});
    return ResumeClient {};
}

const QStringList &actionNames()
{
    static const QStringList names =
        QStringLiteral("acquire,release,extend,put,get,recompute,command,write,signal,go_on,await,work,kill_server,"
                       "restart_server,cut_replica,failover")
            .split(u',');
    return names;
}

bool isOfAClient(const StepAction &action)
{
    return std::holds_alternative<playground::ClientOrder>(action) || std::holds_alternative<Signal>(action)
        || std::holds_alternative<ResumeClient>(action) || std::holds_alternative<AwaitAnswer>(action)
        || std::holds_alternative<AwaitReport>(action);
}

QList<QByteArray> breakpointsFrom(const JsonNode &node)
{
    if (!node.exists())
        return {};
    QList<QByteArray> names;
    if (!node.value().isArray())
        return {node.line().toUtf8().toUpper()};
    for (const JsonNode &name : node.elements())
        names += name.line().toUtf8().toUpper();
    return names;
}

} // namespace

ScenarioStep stepFrom(const JsonNode &node, const StepContext &context)
{
    if (node["stop_server"].exists())
        node["stop_server"].refuse(Text(QT_TRANSLATE_NOOP("core", "is called kill_server now")));
    node.allowOnly(QStringList {QStringLiteral("say"), QStringLiteral("client"), QStringLiteral("in"),
                                QStringLiteral("server"), QStringLiteral("hold_before"), QStringLiteral("background"),
                                QStringLiteral("expect")}
                   + actionNames());
    ScenarioStep step;
    step.location = node.path();
    step.say = node["say"].line();
    QString what;
    for (const QString &name : actionNames()) {
        if (!node[name].exists())
            continue;
        if (!what.isEmpty())
            node[name].refuse(
                Text(QT_TRANSLATE_NOOP("core", "a step does one thing, and this one has %1 already"), what));
        what = name;
    }
    if (!what.isEmpty())
        step.action = actionFrom(what, node, context);
    if (node["server"].exists() && what != u"command")
        node["server"].refuse(Text(QT_TRANSLATE_NOOP("core", "only a command is sent to a server of its own")));
    if (node["client"].exists())
        step.client = clientFrom(node["client"], context);
    else if (isOfAClient(step.action))
        node.refuse(Text(QT_TRANSLATE_NOOP("core", "which client?")));
    step.breakBefore = breakpointsFrom(node["hold_before"]);
    const bool isOrder = std::holds_alternative<playground::ClientOrder>(step.action);
    if (!step.breakBefore.isEmpty() && !isOrder && !std::holds_alternative<ResumeClient>(step.action))
        node["hold_before"].refuse(Text(QT_TRANSLATE_NOOP("core", "this step sends no command to hold")));
    if (node["background"].exists()) {
        if (!isOrder)
            node["background"].refuse(Text(QT_TRANSLATE_NOOP("core", "this step has no answer to wait for")));
        step.isInBackground = node["background"].boolean();
    }
    step.expectations = expectationsFrom(node["expect"], context);
    return step;
}

bool isIn(const JsonNode &node, const StepContext &context)
{
    if (!node.exists())
        return true;
    bool isNamed = false;
    const std::vector<JsonNode> names = node.value().isArray() ? node.elements() : std::vector {node};
    for (const JsonNode &name : names) {
        if (!context.alternatives.contains(name.line()))
            name.refuse(Text(QT_TRANSLATE_NOOP("core", "\"%1\" is not among the alternatives"), name.line()));
        isNamed = isNamed || name.line() == context.alternative;
    }
    return isNamed;
}

std::optional<caches::GuardPolicy> policyFrom(const JsonNode &node)
{
    if (!node.exists())
        return std::nullopt;
    using Policy = caches::GuardPolicy;
    static constexpr std::array policies {std::pair {Policy::Wait, "wait"}, std::pair {Policy::ServeStale, "stale"},
                                          std::pair {Policy::None, "none"}};
    return node.oneOf(policies);
}

QString clientFrom(const JsonNode &node, const StepContext &context)
{
    QString name = node.line();
    if (!context.clients.contains(name))
        node.refuse(Text(QT_TRANSLATE_NOOP("core", "\"%1\" is not among the story's clients"), name));
    return name;
}

int serverFrom(const JsonNode &node, const StepContext &context)
{
    return node.exists() ? static_cast<int>(node.numberWithin(0, context.servers - 1)) : 0;
}

int replicaFrom(const JsonNode &node, const StepContext &context)
{
    if (!node.exists())
        return 0;
    if (context.replicas == 0)
        node.refuse(withoutReplicas());
    return static_cast<int>(node.numberWithin(0, context.replicas - 1));
}

std::map<QByteArray, QByteArray> fieldsFrom(const JsonNode &node)
{
    std::map<QByteArray, QByteArray> fields;
    for (const QString &name : node.object().keys())
        fields[name.toUtf8()] = node[name].bytes();
    return fields;
}

} // namespace latchkey::scenarios
