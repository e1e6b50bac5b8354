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

base::Lease leaseFrom(const JsonNode &place)
{
    const auto lease = base::Lease::of(place.duration());
    if (!lease)
        place.refuse(lease.error().text);
    return *lease;
}

void needTrue(const JsonNode &place)
{
    if (!place.boolean())
        place.refuse(Text(QT_TRANSLATE_NOOP("core", "omit it")));
}

base::Key keyFrom(const JsonNode &place, const StepContext &context)
{
    if (place.isThere())
        return base::Key(place.bytes());
    if (context.key.isEmpty())
        place.refuse(Text(QT_TRANSLATE_NOOP("core", "missing, and the story has no key of its own")));
    return context.key;
}

std::optional<locks::LeaseUnit> unitFrom(const JsonNode &place)
{
    if (!place.isThere())
        return std::nullopt;
    static constexpr std::array units {std::pair {locks::LeaseUnit::Seconds, "s"},
                                       std::pair {locks::LeaseUnit::Milliseconds, "ms"}};
    return place.oneOf(units);
}

/// Finds the step's recipe in the catalogue; default: the alternative's recipe.
template<typename Find>
auto recipeFrom(const JsonNode &place, const StepContext &context, Find find)
{
    const QString id = place.isThere() ? place.line() : context.recipe;
    if (id.isEmpty())
        place.refuse(Text(QT_TRANSLATE_NOOP("core", "missing, and neither the alternative nor the story has one")));
    const auto recipe = find(id);
    if (!recipe)
        place.refuse(recipe.error().text);
    return *recipe;
}

playground::ClientOrder acquireFrom(const JsonNode &place, const StepContext &context)
{
    place.allowOnly({QStringLiteral("recipe"), QStringLiteral("key"), QStringLiteral("lease"), QStringLiteral("unit"),
                     QStringLiteral("token"), QStringLiteral("value"), QStringLiteral("wait")});
    const locks::Recipe *recipe = recipeFrom(place["recipe"], context, locks::findRecipe);
    locks::LockOptions options;
    options.key = keyFrom(place["key"], context);
    if (place["lease"].isThere())
        options.lease = leaseFrom(place["lease"]);
    options.unit = unitFrom(place["unit"]);
    if (place["token"].isThere())
        options.token = base::OwnerToken(place["token"].bytes());
    if (place["value"].isThere())
        options.value = place["value"].bytes();
    const milliseconds wait = place["wait"].isThere() ? place["wait"].duration() : milliseconds::zero();
    locks::LockOptions tried = options;
    tried.servers = context.servers;
    if (const auto made = locks::makeLock(*recipe, std::move(tried)); !made)
        place.refuse(made.error().text);
    return playground::AcquireOrder {recipe->id, options, wait};
}

caches::CacheOptions cacheOptionsFrom(const JsonNode &place, const StepContext &context)
{
    caches::CacheOptions options;
    options.key = keyFrom(place["key"], context);
    if (place["lifetime"].isThere())
        options.lifetime = leaseFrom(place["lifetime"]);
    options.unit = unitFrom(place["unit"]);
    if (place["if_absent"].isThere())
        options.onlyIfAbsent = place["if_absent"].boolean();
    return options;
}

playground::ClientOrder putFrom(const JsonNode &place, const StepContext &context)
{
    place.allowOnly({QStringLiteral("recipe"), QStringLiteral("key"), QStringLiteral("lifetime"),
                     QStringLiteral("unit"), QStringLiteral("if_absent"), QStringLiteral("value"),
                     QStringLiteral("fields")});
    const caches::Recipe *recipe = recipeFrom(place["recipe"], context, caches::findRecipe);
    const caches::CacheOptions options = cacheOptionsFrom(place, context);
    if (const auto made = caches::makeCache(*recipe, options); !made)
        place.refuse(made.error().text);
    if (!recipe->holdsFields)
        return playground::PutOrder {recipe->id, options, caches::Content::ofValue(place["value"].bytes())};
    caches::Fields fields;
    for (const auto &[name, value] : fieldsFrom(place["fields"].needed()))
        fields.push_back({name, value});
    return playground::PutOrder {recipe->id, options, caches::Content::ofFields(std::move(fields))};
}

playground::ClientOrder getFrom(const JsonNode &place, const StepContext &context)
{
    place.allowOnly({QStringLiteral("recipe"), QStringLiteral("key")});
    const caches::Recipe *recipe = recipeFrom(place["recipe"], context, caches::findRecipe);
    caches::CacheOptions options;
    options.key = keyFrom(place["key"], context);
    return playground::GetOrder {recipe->id, options};
}

playground::ClientOrder recomputeFrom(const JsonNode &place, const StepContext &context)
{
    place.allowOnly({QStringLiteral("key"), QStringLiteral("value"), QStringLiteral("lifetime"), QStringLiteral("work"),
                     QStringLiteral("policy"), QStringLiteral("guard")});
    caches::CacheOptions options = cacheOptionsFrom(place, context);
    options.guard = caches::GuardOptions();
    if (const auto policy = place["policy"].isThere() ? policyFrom(place["policy"]) : context.policy)
        options.guard->policy = *policy;
    if (place["guard"].isThere())
        options.guard->lease = leaseFrom(place["guard"]);
    if (const auto made = caches::makeGuarded(options); !made)
        place.refuse(made.error().text);
    const milliseconds work = place["work"].isThere() ? place["work"].duration() : milliseconds::zero();
    return playground::RecomputeOrder {options, place["value"].bytes(), work};
}

playground::ClientOrder sendFrom(const JsonNode &place, const JsonNode &server, const StepContext &context)
{
    resp::Command command = resp::commandFrom(place);
    if (const auto why = schedules::whyNotInASchedule(command))
        place.refuse(*why);
    return playground::SendOrder {std::move(command), serverFrom(server, context)};
}

Signal signalFrom(const JsonNode &place)
{
    static constexpr std::array signalWords {std::pair {Signal::Crash, "crash"}, std::pair {Signal::Pause, "pause"},
                                             std::pair {Signal::Resume, "resume"}};
    return place.oneOf(signalWords);
}

StepAction awaitFrom(const JsonNode &place, const StepContext &context)
{
    if (place.value().isObject()) {
        place.allowOnly({QStringLiteral("gone"), QStringLiteral("passed"), QStringLiteral("answer_after"),
                         QStringLiteral("server"), QStringLiteral("scalable")});
        const int server = serverFrom(place["server"], context);
        const bool isScalable = place["scalable"].isThere() && place["scalable"].boolean();
        if (place.object().size() - int(place["server"].isThere()) - int(place["scalable"].isThere()) != 1)
            place.refuse(Text(QT_TRANSLATE_NOOP("core", "one of gone, passed and answer_after has to name a key")));
        if (place["gone"].isThere())
            return AwaitGone {base::Key(place["gone"].bytes()), server, isScalable};
        if (place["answer_after"].isThere())
            return AwaitAnswer {isScalable ? std::optional(base::Key(place["answer_after"].bytes())) : std::nullopt,
                                server};
        if (place["scalable"].isThere())
            place["scalable"].refuse(
                Text(QT_TRANSLATE_NOOP("core", "the server cannot shorten a deadline in a value")));
        return AwaitPassed {base::Key(place["passed"].bytes()), server};
    }
    using Event = playground::ClientReport::Event;
    static constexpr std::array reports {std::pair {Event::Done, "answer"}, std::pair {Event::Renewed, "renewed"},
                                         std::pair {Event::Lost, "lost"}};
    const Event event = place.oneOf(reports);
    return event == Event::Done ? StepAction(AwaitAnswer {}) : StepAction(AwaitReport {event});
}

StepAction actionFrom(const QString &what, const JsonNode &step, const StepContext &context)
{
    const JsonNode place = step[what];
    if (what == u"acquire")
        return acquireFrom(place, context);
    if (what == u"extend") {
        place.allowOnly({QStringLiteral("lease")});
        return playground::ClientOrder(playground::ExtendOrder {leaseFrom(place["lease"])});
    }
    if (what == u"put")
        return putFrom(place, context);
    if (what == u"get")
        return getFrom(place, context);
    if (what == u"recompute")
        return recomputeFrom(place, context);
    if (what == u"command")
        return sendFrom(place, step["server"], context);
    if (what == u"signal")
        return signalFrom(place);
    if (what == u"await")
        return awaitFrom(place, context);
    if (what == u"work")
        return Work {place.duration()};
    if (what == u"kill_server")
        return StopServer {serverFrom(place, context)};
    needTrue(place);
    if (what == u"release")
        return playground::ClientOrder(playground::ReleaseOrder {});
    if (what == u"write")
        return playground::ClientOrder(playground::WriteOrder {});
    return GoOn {};
}

const QStringList &actionNames()
{
    static const QStringList names =
        QStringLiteral("acquire,release,extend,put,get,recompute,command,write,signal,go_on,await,work,kill_server")
            .split(u',');
    return names;
}

bool isOfAClient(const StepAction &action)
{
    return std::holds_alternative<playground::ClientOrder>(action) || std::holds_alternative<Signal>(action)
        || std::holds_alternative<GoOn>(action) || std::holds_alternative<AwaitAnswer>(action)
        || std::holds_alternative<AwaitReport>(action);
}

QList<QByteArray> holdsFrom(const JsonNode &place)
{
    if (!place.isThere())
        return {};
    QList<QByteArray> names;
    if (!place.value().isArray())
        return {place.line().toUtf8().toUpper()};
    for (const JsonNode &name : place.elements())
        names += name.line().toUtf8().toUpper();
    return names;
}

} // namespace

ScenarioStep stepFrom(const JsonNode &place, const StepContext &context)
{
    if (place["stop_server"].isThere())
        place["stop_server"].refuse(Text(QT_TRANSLATE_NOOP("core", "is called kill_server now")));
    place.allowOnly(QStringList {QStringLiteral("say"), QStringLiteral("client"), QStringLiteral("in"),
                                 QStringLiteral("server"), QStringLiteral("hold_before"), QStringLiteral("background"),
                                 QStringLiteral("expect")}
                    + actionNames());
    ScenarioStep step;
    step.place = place.path();
    step.say = place["say"].line();
    QString what;
    for (const QString &name : actionNames()) {
        if (!place[name].isThere())
            continue;
        if (!what.isEmpty())
            place[name].refuse(
                Text(QT_TRANSLATE_NOOP("core", "a step does one thing, and this one has %1 already"), what));
        what = name;
    }
    if (!what.isEmpty())
        step.action = actionFrom(what, place, context);
    if (place["server"].isThere() && what != u"command")
        place["server"].refuse(Text(QT_TRANSLATE_NOOP("core", "only a command is sent to a server of its own")));
    if (place["client"].isThere())
        step.client = clientFrom(place["client"], context);
    else if (isOfAClient(step.action))
        place.refuse(Text(QT_TRANSLATE_NOOP("core", "which client?")));
    step.holdBefore = holdsFrom(place["hold_before"]);
    const bool isOrder = std::holds_alternative<playground::ClientOrder>(step.action);
    if (!step.holdBefore.isEmpty() && !isOrder && !std::holds_alternative<GoOn>(step.action))
        place["hold_before"].refuse(Text(QT_TRANSLATE_NOOP("core", "this step sends no command to hold")));
    if (place["background"].isThere()) {
        if (!isOrder)
            place["background"].refuse(Text(QT_TRANSLATE_NOOP("core", "this step has no answer to wait for")));
        step.isInBackground = place["background"].boolean();
    }
    step.expectations = expectationsFrom(place["expect"], context);
    return step;
}

bool isIn(const JsonNode &place, const StepContext &context)
{
    if (!place.isThere())
        return true;
    bool isNamed = false;
    const std::vector<JsonNode> names = place.value().isArray() ? place.elements() : std::vector {place};
    for (const JsonNode &name : names) {
        if (!context.alternatives.contains(name.line()))
            name.refuse(Text(QT_TRANSLATE_NOOP("core", "\"%1\" is not among the alternatives"), name.line()));
        isNamed = isNamed || name.line() == context.alternative;
    }
    return isNamed;
}

std::optional<caches::GuardPolicy> policyFrom(const JsonNode &place)
{
    if (!place.isThere())
        return std::nullopt;
    using Policy = caches::GuardPolicy;
    static constexpr std::array policies {std::pair {Policy::Wait, "wait"}, std::pair {Policy::ServeStale, "stale"},
                                          std::pair {Policy::None, "none"}};
    return place.oneOf(policies);
}

QString clientFrom(const JsonNode &place, const StepContext &context)
{
    QString name = place.line();
    if (!context.clients.contains(name))
        place.refuse(Text(QT_TRANSLATE_NOOP("core", "\"%1\" is not among the story's clients"), name));
    return name;
}

int serverFrom(const JsonNode &place, const StepContext &context)
{
    return place.isThere() ? static_cast<int>(place.numberWithin(0, context.servers - 1)) : 0;
}

std::map<QByteArray, QByteArray> fieldsFrom(const JsonNode &place)
{
    std::map<QByteArray, QByteArray> fields;
    for (const QString &name : place.object().keys())
        fields[name.toUtf8()] = place[name].bytes();
    return fields;
}

} // namespace latchkey::scenarios
