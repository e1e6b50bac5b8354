#include "core/playground/playground/operations.h"

#include "core/foundation/files/json.h"
#include "core/playground/playground/fieldnames.h"

#include <QJsonArray>

#include <array>

namespace latchkey::playground {

using base::ErrorKind;
using base::failure;
using base::Result;
using caches::CacheOptions;
using caches::Content;
using caches::GuardPolicy;
using caches::LookupOutcome;
using caches::StoreOutcome;
using caches::WriteOutcome;
using exchange::Exchange;
using exchange::Pause;
using std::chrono::milliseconds;

namespace {

constexpr auto doName = QLatin1String("do");
constexpr auto recipeName = QLatin1String("recipe");
constexpr auto fieldsName = QLatin1String("fields");
constexpr auto nameName = QLatin1String("name");
constexpr auto lifetimeName = QLatin1String("lifetime_ms");
constexpr auto unitName = QLatin1String("unit");
constexpr auto ifAbsentName = QLatin1String("if_absent");
constexpr auto policyName = QLatin1String("policy");
constexpr auto guardName = QLatin1String("guard_ms");
constexpr auto workName = QLatin1String("work_ms");
constexpr auto wordsName = QLatin1String("words");
constexpr auto outcomeName = QLatin1String("outcome");
constexpr auto replyName = QLatin1String("reply");

constexpr std::array policies {
    std::pair {GuardPolicy::Wait, "wait"},
    std::pair {GuardPolicy::ServeStale, "stale"},
    std::pair {GuardPolicy::None, "none"},
};

QString idOf(WriteOutcome outcome)
{
    switch (outcome) {
    case WriteOutcome::Written:
        return QStringLiteral("written");
    case WriteOutcome::Exists:
        return QStringLiteral("exists");
    case WriteOutcome::Nothing:
        return QStringLiteral("nothing");
    case WriteOutcome::Gone:
        return QStringLiteral("gone");
    case WriteOutcome::Busy:
        return QStringLiteral("busy");
    case WriteOutcome::GuardLost:
        return QStringLiteral("guard-lost");
    }
    Q_UNREACHABLE();
}

QJsonArray fieldsToJson(const caches::Fields &fields)
{
    QJsonArray array;
    for (const caches::Field &field : fields) {
        QJsonObject object;
        files::insertBytes(object, nameName, field.name);
        files::insertBytes(object, valueName, field.value);
        array += object;
    }
    return array;
}

Result<caches::Fields> fieldsFromJson(const QJsonValue &value)
{
    caches::Fields fields;
    for (const auto &element : value.toArray()) {
        const auto name = files::readBytes(element.toObject(), nameName);
        const auto content = files::readBytes(element.toObject(), valueName);
        if (!name || !content || !*name || !*content)
            return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "a field needs a name and a value"));
        fields.push_back({**name, **content});
    }
    return fields;
}

QJsonObject toJson(const char *what, const QString &recipe, const CacheOptions &options)
{
    QJsonObject object {{doName, QLatin1String(what)}};
    if (!recipe.isEmpty())
        object[recipeName] = recipe;
    files::insertBytes(object, keyName, options.key.bytes());
    if (options.lifetime)
        object[lifetimeName] = static_cast<qint64>(options.lifetime->duration().count());
    if (options.unit)
        object[unitName] = options.unit == caches::LifetimeUnit::Seconds ? QStringLiteral("s") : QStringLiteral("ms");
    if (options.onlyIfAbsent)
        object[ifAbsentName] = true;
    if (options.guard) {
        object[guardName] = static_cast<qint64>(options.guard->lease.duration().count());
        for (const auto &[policy, name] : policies) {
            if (policy == options.guard->policy)
                object[policyName] = QLatin1String(name);
        }
    }
    return object;
}

Result<CacheOptions> optionsFromJson(const QJsonObject &object)
{
    CacheOptions options;
    const auto key = files::readBytes(object, keyName);
    if (!key)
        return failure(key.error());
    if (!*key)
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "%1 is missing"), keyName);
    options.key = base::Key(**key);
    if (const QJsonValue lifetime = object[lifetimeName]; !lifetime.isUndefined()) {
        const auto lease = base::Lease::of(milliseconds(lifetime.toInteger()));
        if (!lease)
            return failure(lease.error());
        options.lifetime = *lease;
    }
    if (const QString unit = object[unitName].toString(); !unit.isEmpty())
        options.unit = unit == u"s" ? caches::LifetimeUnit::Seconds : caches::LifetimeUnit::Milliseconds;
    options.onlyIfAbsent = object[ifAbsentName].toBool();
    const QString policy = object[policyName].toString();
    for (const auto &[known, name] : policies) {
        if (policy == QLatin1String(name)) {
            options.guard = caches::GuardOptions();
            options.guard->policy = known;
        }
    }
    if (const QJsonValue guard = object[guardName]; options.guard && !guard.isUndefined()) {
        const auto lease = base::Lease::of(milliseconds(guard.toInteger()));
        if (!lease)
            return failure(lease.error());
        options.guard->lease = *lease;
    }
    return options;
}

} // namespace

// NOLINTBEGIN(*-avoid-reference-coroutine-parameters): the header states the lifetime of the cache.

Exchange<OperationResult> put(caches::Cache &cache, Content content)
{
    const WriteOutcome outcome = co_await cache.write(std::move(content));
    OperationResult operationResult;
    operationResult.outcome = idOf(outcome);
    co_return operationResult;
}

Exchange<OperationResult> get(caches::Cache &cache)
{
    const caches::Found found = co_await cache.read();
    OperationResult operationResult;
    operationResult.outcome = found.isHit() ? QStringLiteral("hit") : QStringLiteral("miss");
    if (found.isHit() && found.content->hasFields())
        operationResult.fields = found.content->fields();
    else if (found.isHit())
        operationResult.value = found.content->value();
    co_return operationResult;
}

Exchange<OperationResult> recompute(caches::GuardedCache &cache, QByteArray value, milliseconds work)
{
    const caches::Lookup found = co_await cache.lookup();
    OperationResult operationResult;
    switch (found.outcome) {
    case LookupOutcome::Hit:
        operationResult.outcome = QStringLiteral("hit");
        operationResult.value = found.value;
        co_return operationResult;
    case LookupOutcome::Stale:
        operationResult.outcome = QStringLiteral("stale");
        operationResult.value = found.value;
        co_return operationResult;
    case LookupOutcome::GaveUp:
        operationResult.outcome = QStringLiteral("gave-up");
        co_return operationResult;
    case LookupOutcome::MustRecompute:
        break;
    }
    co_await Pause {work};
    const StoreOutcome stored = co_await cache.store(Content::ofValue(value), found.guard);
    operationResult.outcome =
        stored == StoreOutcome::Stored ? QStringLiteral("recomputed") : QStringLiteral("guard-lost");
    operationResult.value = value;
    co_return operationResult;
}

// NOLINTEND(*-avoid-reference-coroutine-parameters)

Exchange<OperationResult> send(resp::Command command, int server)
{
    const resp::Reply reply = co_await exchange::Request(std::move(command), server);
    OperationResult operationResult;
    operationResult.outcome = QStringLiteral("answered");
    operationResult.reply = base::Text(reply.toText());
    co_return operationResult;
}

QJsonObject toJson(const PutOrder &order)
{
    QJsonObject object = toJson("put", order.recipe, order.options);
    if (order.content.hasFields())
        object[fieldsName] = fieldsToJson(order.content.fields());
    else
        files::insertBytes(object, valueName, order.content.value());
    return object;
}

QJsonObject toJson(const GetOrder &order)
{
    return toJson("get", order.recipe, order.options);
}

QJsonObject toJson(const RecomputeOrder &order)
{
    QJsonObject object = toJson("recompute", {}, order.options);
    files::insertBytes(object, valueName, order.value);
    object[workName] = static_cast<qint64>(order.work.count());
    return object;
}

QJsonObject toJson(const SendOrder &order)
{
    QJsonArray words;
    for (const QByteArray &word : order.command.words()) {
        QJsonObject object;
        files::insertBytes(object, valueName, word);
        words += object.size() == 1 ? object[valueName] : QJsonValue(object);
    }
    return {{doName, QStringLiteral("send")}, {wordsName, words}, {serverName, order.server}};
}

Result<PutOrder> putFromJson(const QJsonObject &object)
{
    auto options = optionsFromJson(object);
    if (!options)
        return failure(std::move(options.error()));
    if (object.contains(fieldsName)) {
        auto fields = fieldsFromJson(object[fieldsName]);
        if (!fields)
            return failure(std::move(fields.error()));
        return PutOrder {object[recipeName].toString(), *std::move(options), Content::ofFields(*std::move(fields))};
    }
    auto value = files::readBytes(object, valueName);
    if (!value)
        return failure(std::move(value.error()));
    return PutOrder {object[recipeName].toString(), *std::move(options),
                     Content::ofValue(value->value_or(QByteArray()))};
}

Result<GetOrder> getFromJson(const QJsonObject &object)
{
    auto options = optionsFromJson(object);
    if (!options)
        return failure(std::move(options.error()));
    return GetOrder {object[recipeName].toString(), *std::move(options)};
}

Result<RecomputeOrder> recomputeFromJson(const QJsonObject &object)
{
    auto options = optionsFromJson(object);
    auto value = files::readBytes(object, valueName);
    if (!options)
        return failure(std::move(options.error()));
    if (!value)
        return failure(std::move(value.error()));
    const qint64 work = object[workName].toInteger();
    if (work < 0)
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "%1 is less than zero"), workName);
    return RecomputeOrder {*std::move(options), value->value_or(QByteArray()), milliseconds(work)};
}

Result<SendOrder> sendFromJson(const QJsonObject &object)
{
    SendOrder order;
    for (const auto &word : object[wordsName].toArray()) {
        const QJsonObject wrapped = word.isObject() ? word.toObject() : QJsonObject {{valueName, word}};
        const auto bytes = files::readBytes(wrapped, valueName);
        if (!bytes)
            return failure(bytes.error());
        order.command << bytes->value_or(QByteArray());
    }
    order.server = object[serverName].toInt();
    if (order.command.name().isEmpty() || order.server < 0)
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "send needs words, and a server from 0"));
    return order;
}

void insertResult(QJsonObject &object, const OperationResult &operationResult)
{
    object[outcomeName] = operationResult.outcome;
    if (operationResult.value)
        files::insertBytes(object, valueName, *operationResult.value);
    if (!operationResult.fields.empty())
        object[fieldsName] = fieldsToJson(operationResult.fields);
    if (!operationResult.reply.isEmpty())
        object[replyName] = operationResult.reply.toString();
}

OperationResult takeResult(const QJsonObject &object)
{
    OperationResult operationResult;
    operationResult.outcome = object[outcomeName].toString();
    operationResult.value = files::readBytes(object, valueName).value_or(std::nullopt);
    operationResult.fields = fieldsFromJson(object[fieldsName]).value_or(caches::Fields());
    if (object.contains(replyName))
        operationResult.reply = base::Text(object[replyName].toString());
    return operationResult;
}

} // namespace latchkey::playground
