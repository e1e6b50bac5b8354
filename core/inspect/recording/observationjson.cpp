#include "core/inspect/recording/observationjson.h"

#include "core/foundation/files/json.h"
#include "core/inspect/recording/replayclock.h"

#include <QJsonObject>

namespace latchkey::recording {

using base::Deadline;
using base::MonotonicTime;
using events::AccessDenied;
using events::ChangeNotification;
using events::Exists;
using events::ExistsOnly;
using events::FieldExpiries;
using events::Gone;
using events::IdleTime;
using events::Observation;
using events::ObservationContent;
using events::Observations;
using events::Source;
using events::TypeReply;
using events::ValueReply;
using files::bytesFrom;
using files::bytesJson;
using std::chrono::nanoseconds;

namespace {

/// Letters by Source, then the same for inferred observations.
constexpr QByteArrayView sourceLetters("spreanSPREAN");
constexpr qsizetype sources = 6;
/// Index of the first payload element.
constexpr qsizetype payload = 5;

QJsonArray fieldsJson(const keys::FieldDeadlines &ends, MonotonicTime zero)
{
    QJsonArray first;
    for (const keys::FieldDeadlines::Field &field : ends.first)
        first.append(QJsonArray {bytesJson(field.name), deadlineJson(field.deadline, zero),
                                 static_cast<qint64>(field.deadline.uncertainty().count())});
    return {first,
            ends.endingCount,
            ends.readCount,
            ends.size,
            ends.isWhole,
            deadlineJson(ends.last, zero),
            static_cast<qint64>(ends.last.uncertainty().count())};
}

std::optional<keys::FieldDeadlines> fieldsFrom(const QJsonArray &item, qsizetype begin)
{
    keys::FieldDeadlines ends;
    if (!item.at(begin).isArray() || item.at(begin).toArray().size() > keys::FieldDeadlines::maxFields)
        return std::nullopt;
    for (const QJsonValue &each : item.at(begin).toArray()) {
        const QJsonArray field = each.toArray();
        auto name = bytesFrom(field.at(0));
        if (!name || !field.at(1).isDouble())
            return std::nullopt;
        ends.first.push_back({std::move(*name), deadlineFrom(field.at(1), field.at(2))});
    }
    ends.endingCount = item.at(begin + 1).toInteger();
    ends.readCount = item.at(begin + 2).toInteger();
    ends.size = item.at(begin + 3).toInteger();
    ends.isWhole = item.at(begin + 4).toBool();
    ends.last = deadlineFrom(item.at(begin + 5), item.at(begin + 6));
    if (ends.endingCount < ends.first.size() || ends.readCount < ends.endingCount)
        return std::nullopt;
    return ends;
}

void appendContent(QJsonArray &item, const ObservationContent &content, MonotonicTime zero)
{
    if (std::holds_alternative<ExistsOnly>(content)) {
        item.append(QStringLiteral("met"));
    } else if (const auto *exists = std::get_if<Exists>(&content)) {
        item.append(QStringLiteral("ends"));
        item.append(deadlineJson(exists->deadline, zero));
        item.append(static_cast<qint64>(exists->deadline.uncertainty().count()));
        if (exists->isNew)
            item.append(true);
    } else if (std::holds_alternative<Gone>(content)) {
        item.append(QStringLiteral("gone"));
    } else if (std::holds_alternative<AccessDenied>(content)) {
        item.append(QStringLiteral("hidden"));
    } else if (const auto *typed = std::get_if<TypeReply>(&content)) {
        item.append(QStringLiteral("type"));
        item.append(keys::keyTypeName(typed->type));
    } else if (const auto *valued = std::get_if<ValueReply>(&content)) {
        item.append(QStringLiteral("value"));
        for (const QJsonValue &part : valueJson(valued->value))
            item.append(part);
    } else if (const auto *announced = std::get_if<ChangeNotification>(&content)) {
        item.append(QStringLiteral("told"));
        item.append(bytesJson(announced->event));
    } else if (const auto *fields = std::get_if<FieldExpiries>(&content)) {
        item.append(QStringLiteral("fields"));
        for (const QJsonValue &part : fieldsJson(fields->ends, zero))
            item.append(part);
    } else if (const auto *idle = std::get_if<IdleTime>(&content)) {
        item.append(QStringLiteral("idle"));
        item.append(static_cast<qint64>(idle->span.count()));
    }
}

std::optional<ObservationContent> contentFrom(const QJsonArray &item, bool isLeftOut)
{
    const QString word = item.at(payload - 1).toString();
    if (word == u"ends")
        return Exists {deadlineFrom(item.at(payload), item.at(payload + 1)), item.at(payload + 2).toBool()};
    if (word == u"value") {
        auto value = valueFrom(item, payload, isLeftOut);
        return value ? std::optional<ObservationContent>(ValueReply {std::move(*value)}) : std::nullopt;
    }
    if (word == u"told") {
        auto event = bytesFrom(item.at(payload));
        return event ? std::optional<ObservationContent>(ChangeNotification {std::move(*event)}) : std::nullopt;
    }
    if (word == u"fields") {
        auto ends = fieldsFrom(item, payload);
        return ends ? std::optional<ObservationContent>(FieldExpiries {std::move(*ends)}) : std::nullopt;
    }
    if (word == u"idle") {
        const qint64 seconds = item.at(payload).toInteger(-1);
        const bool isPossible = seconds >= 0 && seconds <= IdleTime::longest.count();
        return isPossible ? std::optional<ObservationContent>(IdleTime {std::chrono::seconds(seconds)}) : std::nullopt;
    }
    if (word == u"gone")
        return Gone {};
    if (word == u"type")
        return TypeReply {keys::keyTypeFrom(item.at(payload).toString().toUtf8())};
    if (word == u"met")
        return ExistsOnly {};
    if (word == u"hidden")
        return AccessDenied {};
    return std::nullopt;
}

std::optional<QByteArray> keyFrom(const QJsonValue &json, QList<QByteArray> &keys)
{
    if (json.isDouble()) {
        const qint64 number = json.toInteger(-1);
        return number >= 0 && number < keys.size() ? std::optional(keys.at(number)) : std::nullopt;
    }
    auto key = bytesFrom(json);
    if (key)
        keys.push_back(*key);
    return key;
}

} // namespace

QJsonValue timeJson(MonotonicTime time, MonotonicTime zero)
{
    if (time == MonotonicTime() || time == MonotonicTime::max())
        return QJsonValue::Null;
    return static_cast<qint64>((time - zero).count());
}

MonotonicTime timeFrom(const QJsonValue &json)
{
    if (!json.isDouble())
        return {};
    const nanoseconds since(json.toInteger());
    constexpr nanoseconds maximum = MonotonicTime::max() - ReplayClock::zero;
    return since >= maximum ? MonotonicTime::max() : ReplayClock::zero + since;
}

QJsonArray valueJson(const keys::RawValue &value)
{
    QJsonArray parts;
    for (const QByteArray &part : value.parts)
        parts.append(bytesJson(part));
    return {keys::keyTypeName(value.type), value.size, parts};
}

std::optional<keys::RawValue> valueFrom(const QJsonArray &json, qsizetype first, bool isLeftOut)
{
    if (!json.at(first).isString() || !json.at(first + 1).isDouble() || !json.at(first + 2).isArray())
        return std::nullopt;
    keys::RawValue value;
    value.type = keys::keyTypeFrom(json.at(first).toString().toUtf8());
    value.size = json.at(first + 1).toInteger();
    value.isLeftOut = isLeftOut;
    for (const QJsonValue &part : json.at(first + 2).toArray()) {
        auto bytes = bytesFrom(part);
        if (!bytes)
            return std::nullopt;
        value.parts.push_back(std::move(*bytes));
    }
    return value;
}

QJsonValue deadlineJson(const Deadline &deadline, MonotonicTime zero)
{
    return deadline.isNever() ? QJsonValue() : timeJson(deadline.at(), zero);
}

Deadline deadlineFrom(const QJsonValue &at, const QJsonValue &uncertainty)
{
    return at.isDouble() ? Deadline(timeFrom(at), nanoseconds(uncertainty.toInteger())) : Deadline::never();
}

char sourceLetter(const Observation &observation)
{
    return sourceLetters[static_cast<qsizetype>(observation.source) + (observation.isInferred ? sources : 0)];
}

bool setSource(Observation &observation, QByteArrayView letter)
{
    const qsizetype place = letter.size() == 1 ? sourceLetters.indexOf(letter) : -1;
    if (place < 0)
        return false;
    observation.source = static_cast<Source>(place % sources);
    observation.isInferred = place >= sources;
    return true;
}

QJsonArray observationsJson(const Observations &observations, MonotonicTime at, MonotonicTime zero,
                            QHash<QByteArray, qint64> &keys)
{
    QJsonArray all;
    if (keys.size() + static_cast<qsizetype>(observations.size()) > maxKeys) {
        keys.clear();
        all.append(QJsonValue::Null);
    }
    for (const Observation &observation : observations) {
        QJsonArray item;
        if (const auto known = keys.constFind(observation.key); known != keys.cend()) {
            item.append(*known);
        } else {
            keys.insert(observation.key, keys.size());
            item.append(bytesJson(observation.key));
        }
        item.append(QString(QLatin1Char(sourceLetter(observation))));
        item.append(static_cast<qint64>((at - observation.asked).count()));
        item.append(static_cast<qint64>((at - observation.answered).count()));
        appendContent(item, observation.content, zero);
        all.append(item);
    }
    return all;
}

std::optional<Observations> observationsFrom(const QJsonArray &json, MonotonicTime at, QList<QByteArray> &keys,
                                             bool isLeftOut)
{
    Observations observations;
    observations.reserve(static_cast<std::size_t>(json.size()));
    for (const QJsonValue &each : json) {
        if (each.isNull()) {
            keys.clear();
            continue;
        }
        const QJsonArray item = each.toArray();
        auto key = keyFrom(item.at(0), keys);
        auto content = contentFrom(item, isLeftOut);
        if (!key || !item.at(2).isDouble() || !item.at(3).isDouble() || !content)
            return std::nullopt;
        Observation observation {std::move(*key), std::move(*content), at - nanoseconds(item.at(2).toInteger()),
                                 at - nanoseconds(item.at(3).toInteger())};
        if (!setSource(observation, item.at(1).toString().toLatin1()))
            return std::nullopt;
        observations.push_back(std::move(observation));
    }
    return observations;
}

} // namespace latchkey::recording
