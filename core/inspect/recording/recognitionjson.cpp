#include "core/inspect/recording/recognitionjson.h"

#include "core/foundation/files/json.h"

namespace latchkey::recording {

using files::bytesFrom;
using files::bytesJson;
using recognition::Candidate;
using recognition::Confidence;
using recognition::Evidence;
using recognition::Holder;
using recognition::LockContent;
using recognition::Recognition;
using recognition::Waiter;
using std::chrono::milliseconds;

namespace {

template<typename T>
void put(QJsonObject &json, const char *name, const std::optional<T> &number)
{
    if (number)
        json[QLatin1String(name)] = static_cast<qint64>(*number);
}

void put(QJsonObject &json, const char *name, const std::optional<base::WallTime> &time)
{
    if (time)
        json[QLatin1String(name)] = static_cast<qint64>(time->time_since_epoch().count());
}

std::optional<qint64> numberIn(const QJsonObject &json, const char *name)
{
    const QJsonValue number = json[QLatin1String(name)];
    return number.isDouble() ? std::optional(number.toInteger()) : std::nullopt;
}

std::optional<base::WallTime> timeIn(const QJsonObject &json, const char *name)
{
    const auto number = numberIn(json, name);
    return number ? std::optional(base::WallTime(milliseconds(*number))) : std::nullopt;
}

QByteArray bytesIn(const QJsonObject &json, const char *name)
{
    return bytesFrom(json[QLatin1String(name)]).value_or(QByteArray());
}

/// Returns an enumerator; the first one if the file has an invalid number.
template<typename E>
E enumIn(const QJsonObject &json, const char *name, E last)
{
    const qint64 number = numberIn(json, name).value_or(0);
    return number >= 0 && number <= static_cast<qint64>(last) ? static_cast<E>(number) : E();
}

QJsonObject candidateJson(const Candidate &candidate)
{
    QJsonArray evidence;
    for (const Evidence &each : candidate.evidence) {
        evidence.append(QJsonObject {{QStringLiteral("kind"), static_cast<int>(each.kind)},
                                     {QStringLiteral("text"), bytesJson(each.text)},
                                     {QStringLiteral("number"), each.number},
                                     {QStringLiteral("time_ms"), static_cast<qint64>(each.time.count())}});
    }
    return {{QStringLiteral("dialect"), candidate.dialect},
            {QStringLiteral("confidence"), static_cast<int>(candidate.confidence)},
            {QStringLiteral("evidence"), evidence}};
}

Candidate candidateFrom(const QJsonObject &json)
{
    Candidate candidate;
    candidate.dialect = json[QStringLiteral("dialect")].toString();
    candidate.confidence = enumIn(json, "confidence", Confidence::Certain);
    for (const QJsonValue &value : json[QStringLiteral("evidence")].toArray()) {
        const QJsonObject each = value.toObject();
        candidate.evidence.push_back({enumIn(each, "kind", Evidence::Kind::Expiry), bytesIn(each, "text"),
                                      numberIn(each, "number").value_or(0),
                                      milliseconds(numberIn(each, "time_ms").value_or(0))});
    }
    return candidate;
}

QJsonObject decodedJson(const LockContent &decoded)
{
    QJsonArray holders;
    for (const Holder &holder : decoded.holders) {
        QJsonObject json {{QStringLiteral("holder"), bytesJson(holder.bytes)},
                          {QStringLiteral("access"), static_cast<int>(holder.access)},
                          {QStringLiteral("count"), holder.count}};
        put(json, "since_ms", holder.since);
        put(json, "until_ms", holder.until);
        holders.append(json);
    }
    QJsonArray waiters;
    for (const Waiter &waiter : decoded.waiters) {
        QJsonObject json {{QStringLiteral("waiter"), bytesJson(waiter.bytes)}};
        put(json, "until_ms", waiter.until);
        waiters.append(json);
    }
    QJsonObject json {{QStringLiteral("holders"), holders},
                      {QStringLiteral("waiters"), waiters},
                      {QStringLiteral("recorded"), decoded.isHolderRecorded},
                      {QStringLiteral("constant"), decoded.isConstant},
                      {QStringLiteral("partial"), decoded.isPartial},
                      {QStringLiteral("overfull"), decoded.isOverfull},
                      {QStringLiteral("count"), decoded.holderCount}};
    put(json, "waiting", decoded.waitingClients);
    put(json, "free", decoded.free);
    put(json, "fencing", decoded.fencing);
    put(json, "deadline_ms", decoded.deadline);
    return json;
}

LockContent decodedFrom(const QJsonObject &json)
{
    LockContent decoded;
    for (const QJsonValue &value : json[QStringLiteral("holders")].toArray()) {
        const QJsonObject each = value.toObject();
        Holder holder;
        holder.bytes = bytesIn(each, "holder");
        holder.access = enumIn(each, "access", Holder::Access::Write);
        holder.count = numberIn(each, "count").value_or(1);
        holder.since = timeIn(each, "since_ms");
        holder.until = timeIn(each, "until_ms");
        decoded.holders.push_back(std::move(holder));
    }
    for (const QJsonValue &value : json[QStringLiteral("waiters")].toArray()) {
        const QJsonObject each = value.toObject();
        decoded.waiters.push_back({bytesIn(each, "waiter"), timeIn(each, "until_ms")});
    }
    decoded.isHolderRecorded = json[QStringLiteral("recorded")].toBool(true);
    decoded.isConstant = json[QStringLiteral("constant")].toBool();
    decoded.isPartial = json[QStringLiteral("partial")].toBool();
    decoded.isOverfull = json[QStringLiteral("overfull")].toBool();
    decoded.holderCount = numberIn(json, "count").value_or(0);
    decoded.waitingClients = numberIn(json, "waiting");
    decoded.free = numberIn(json, "free");
    decoded.fencing = numberIn(json, "fencing");
    decoded.deadline = timeIn(json, "deadline_ms");
    return decoded;
}

} // namespace

QJsonObject recognitionJson(const Recognition &recognition)
{
    QJsonArray candidates;
    for (const Candidate &candidate : recognition.candidates)
        candidates.append(candidateJson(candidate));
    return {{QStringLiteral("candidates"), candidates}, {QStringLiteral("decoded"), decodedJson(recognition.decoded)}};
}

Recognition recognitionFrom(const QJsonObject &json)
{
    Recognition recognition;
    for (const QJsonValue &candidate : json[QStringLiteral("candidates")].toArray())
        recognition.candidates.push_back(candidateFrom(candidate.toObject()));
    recognition.decoded = decodedFrom(json[QStringLiteral("decoded")].toObject());
    return recognition;
}

} // namespace latchkey::recording
