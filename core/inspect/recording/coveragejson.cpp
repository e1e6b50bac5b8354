#include "core/inspect/recording/coveragejson.h"

#include "core/inspect/recording/observationjson.h"
#include "core/inspect/recording/replayclock.h"

#include <QJsonArray>

#include <algorithm>

namespace latchkey::recording {

using base::Error;
using base::ErrorKind;
using base::MonotonicTime;
using base::Text;
using events::Coverage;
using events::KeyRequest;

namespace {

/// Returns whether a recording can contain this bound of an interval: a program can watch for long before it records.
bool isPossibleBound(MonotonicTime time)
{
    constexpr auto longest = std::chrono::years(20);
    return time >= ReplayClock::zero - longest && time <= ReplayClock::zero + longest;
}

std::optional<KeyRequest> requestFrom(const QJsonValue &json)
{
    switch (const int number = json.toInt(); static_cast<KeyRequest>(number)) {
    case KeyRequest::Names:
    case KeyRequest::Expiry:
    case KeyRequest::Type:
    case KeyRequest::Value:
    case KeyRequest::Changes:
        return static_cast<KeyRequest>(number);
    }
    return std::nullopt;
}

Error errorFrom(const QJsonValue &kind, const QJsonValue &why)
{
    const int last = static_cast<int>(ErrorKind::StaleReplica);
    return {static_cast<ErrorKind>(std::clamp(kind.toInt(), 0, last)), Text::fromJson(why)};
}

QJsonArray denialJson(const Coverage::Denial &denial)
{
    return {static_cast<int>(denial.request), static_cast<int>(denial.why.kind), denial.why.text.toJson(),
            denial.isOfSomeKeys};
}

QJsonArray gapsJson(const Coverage::Gap &gap, MonotonicTime zero)
{
    return {static_cast<qint64>((gap.from - zero).count()), gap.to ? timeJson(*gap.to, zero) : QJsonValue(),
            static_cast<int>(gap.why.kind), gap.why.text.toJson(),
            gap.request ? QJsonValue(static_cast<int>(*gap.request)) : QJsonValue()};
}

std::optional<Coverage::Gap> gapFrom(const QJsonArray &json)
{
    const std::optional<KeyRequest> request = requestFrom(json.at(4));
    Coverage::Gap gap {timeFrom(json.at(0)), {}, errorFrom(json.at(2), json.at(3)), request};
    if (json.at(1).isDouble())
        gap.to = timeFrom(json.at(1));
    const bool isWhole = json.size() == 5 && json.at(0).isDouble() && json.at(4).isNull() == !request;
    const bool isInOrder = isPossibleBound(gap.from) && (!gap.to || (isPossibleBound(*gap.to) && *gap.to >= gap.from));
    return isWhole && isInOrder ? std::optional(std::move(gap)) : std::nullopt;
}

bool readDenied(const QJsonArray &json, std::vector<Coverage::Denial> &denied)
{
    denied.clear();
    for (const QJsonValue &each : json) {
        const auto question = requestFrom(each[0]);
        if (!question)
            return false;
        denied.push_back({*question, errorFrom(each[1], each[2]), each[3].toBool()});
    }
    return true;
}

bool readGaps(const QJsonObject &json, std::vector<Coverage::Gap> &gap)
{
    const qint64 kept = json[QStringLiteral("keep")].toInteger();
    if (kept < 0 || kept > static_cast<qint64>(gap.size()))
        return false;
    gap.erase(gap.begin() + kept, gap.end());
    for (const QJsonValue &each : json[QStringLiteral("blind")].toArray()) {
        auto one = gapFrom(each.toArray());
        if (!one)
            return false;
        gap.push_back(std::move(*one));
    }
    return true;
}

} // namespace

QJsonObject coverageJson(const Coverage::Parts &now, const std::optional<Coverage::Parts> &before, MonotonicTime zero)
{
    QJsonObject json;
    if (!before || before->isScanComplete != now.isScanComplete)
        json[QStringLiteral("all")] = now.isScanComplete;
    if (!before || before->scannedKeys != now.scannedKeys)
        json[QStringLiteral("looked_at")] = now.scannedKeys;
    if (!before || before->databaseSize != now.databaseSize)
        json[QStringLiteral("of")] = now.databaseSize ? QJsonValue(*now.databaseSize) : QJsonValue();
    if (before ? before->unread != now.unread : now.unread > 0)
        json[QStringLiteral("unread")] = now.unread;
    if (!before || before->lag != now.lag)
        json[QStringLiteral("lag")] = static_cast<qint64>(now.lag.count());
    if (!before || before->denied != now.denied) {
        QJsonArray denied;
        for (const Coverage::Denial &denial : now.denied)
            denied.append(denialJson(denial));
        json[QStringLiteral("denied")] = denied;
    }
    if (!before || before->gaps != now.gaps) {
        const std::vector<Coverage::Gap> none;
        const auto other = std::ranges::mismatch(now.gaps, before ? before->gaps : none).in1;
        QJsonArray blind;
        for (auto each = other; each != now.gaps.end(); ++each)
            blind.append(gapsJson(*each, zero));
        json[QStringLiteral("keep")] = static_cast<qint64>(other - now.gaps.begin());
        json[QStringLiteral("blind")] = blind;
    }
    return json;
}

bool readCoverage(const QJsonObject &json, Coverage::Parts &parts)
{
    const auto has = [&json](const char *name) { return json.contains(QLatin1String(name)); };
    if (has("all"))
        parts.isScanComplete = json[QStringLiteral("all")].toBool();
    if (has("looked_at"))
        parts.scannedKeys = json[QStringLiteral("looked_at")].toInteger();
    if (const QJsonValue of = json[QStringLiteral("of")]; !of.isUndefined())
        parts.databaseSize = of.isDouble() ? std::optional(of.toInteger()) : std::nullopt;
    if (has("unread"))
        parts.unread = std::max<qint64>(json[QStringLiteral("unread")].toInteger(), 0);
    if (has("lag"))
        parts.lag = std::chrono::nanoseconds(json[QStringLiteral("lag")].toInteger());
    if (has("denied") && !readDenied(json[QStringLiteral("denied")].toArray(), parts.denied))
        return false;
    return !has("blind") || readGaps(json, parts.gaps);
}

} // namespace latchkey::recording
