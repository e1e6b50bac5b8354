#include "core/inspect/recording/format.h"

#include "core/foundation/files/json.h"
#include "core/inspect/recording/coveragejson.h"
#include "core/inspect/recording/observationjson.h"
#include "core/inspect/recording/quickline.h"
#include "core/inspect/recording/recognitionjson.h"
#include "core/inspect/recording/replayclock.h"
#include "core/redis/resp/respjson.h"

#include <QJsonDocument>

namespace latchkey::recording {

using base::ErrorKind;
using base::failure;
using base::MonotonicTime;
using base::Result;
using events::EventCoverage;
using events::FlushKind;
using events::Observations;
using files::bytesFrom;
using files::bytesJson;
using files::JsonNode;
using resp::Command;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using watching::EventSource;
using watching::Watcher;

namespace {

QByteArray lineOf(const QJsonObject &json)
{
    return QJsonDocument(json).toJson(QJsonDocument::Compact) + '\n';
}

template<typename Duration>
QJsonValue durationJson(const std::optional<Duration> &duration)
{
    return duration ? QJsonValue(static_cast<qint64>(duration->count())) : QJsonValue();
}

template<typename Duration>
std::optional<Duration> durationFrom(const QJsonValue &json)
{
    return json.isDouble() ? std::optional(Duration(json.toInteger())) : std::nullopt;
}

/// A member of `watch`: its name, and the functions that write and read it.
struct Field
{
    const char *name;
    QJsonValue (*write)(const WatchState &);
    void (*read)(WatchState &, const QJsonValue &);
};

const Field watchedFields[] = {
    {"phase", [](const WatchState &w) -> QJsonValue { return static_cast<int>(w.phase); },
     [](WatchState &w, const QJsonValue &json) { w.phase = static_cast<Watcher::Phase>(qBound(0, json.toInt(), 2)); }},
    {"means", [](const WatchState &w) -> QJsonValue { return static_cast<int>(w.mechanism); },
     [](WatchState &w, const QJsonValue &json) {
         w.mechanism = static_cast<EventSource::Mechanism>(qBound(0, json.toInt(), 2));
     }},
    {"met", [](const WatchState &w) -> QJsonValue { return static_cast<qint64>(w.keysScanned); },
     [](WatchState &w, const QJsonValue &json) {
         w.keysScanned = static_cast<quint64>(std::max<qint64>(0, json.toInteger()));
     }},
    {"keys", [](const WatchState &w) -> QJsonValue { return w.databaseSize; },
     [](WatchState &w, const QJsonValue &json) { w.databaseSize = json.toInteger(); }},
    {"incomplete", [](const WatchState &w) -> QJsonValue { return w.isIncomplete; },
     [](WatchState &w, const QJsonValue &json) { w.isIncomplete = json.toBool(); }},
    {"told", [](const WatchState &w) -> QJsonValue { return w.hasChangeEvents; },
     [](WatchState &w, const QJsonValue &json) { w.hasChangeEvents = json.toBool(); }},
    {"fast", [](const WatchState &w) -> QJsonValue { return w.hasFastFirstScan; },
     [](WatchState &w, const QJsonValue &json) { w.hasFastFirstScan = json.toBool(); }},
    {"untouching", [](const WatchState &w) -> QJsonValue { return w.isNoTouchActive; },
     [](WatchState &w, const QJsonValue &json) { w.isNoTouchActive = json.toBool(); }},
    {"new_within_ms", [](const WatchState &w) -> QJsonValue { return durationJson(w.newKeyDelay); },
     [](WatchState &w, const QJsonValue &json) { w.newKeyDelay = durationFrom<milliseconds>(json); }},
    {"unseen_ms", [](const WatchState &w) -> QJsonValue { return durationJson(w.unseenFor); },
     [](WatchState &w, const QJsonValue &json) { w.unseenFor = durationFrom<milliseconds>(json); }},
    // The name is historical: the first versions recorded the round trip.
    {"round_trip", [](const WatchState &w) -> QJsonValue { return durationJson(w.eventDelay); },
     [](WatchState &w, const QJsonValue &json) { w.eventDelay = durationFrom<nanoseconds>(json); }},
    {"problem", [](const WatchState &w) -> QJsonValue { return w.problem; },
     [](WatchState &w, const QJsonValue &json) { w.problem = json.toString(); }},
    {"denial", [](const WatchState &w) -> QJsonValue { return w.denial; },
     [](WatchState &w, const QJsonValue &json) { w.denial = json.toString(); }},
    {"server", [](const WatchState &w) -> QJsonValue { return w.server; },
     [](WatchState &w, const QJsonValue &json) { w.server = json.toString(); }},
    {"run", [](const WatchState &w) -> QJsonValue { return w.runId; },
     [](WatchState &w, const QJsonValue &json) { w.runId = json.toString(); }},
    {"primary", [](const WatchState &w) -> QJsonValue { return w.primary; },
     [](WatchState &w, const QJsonValue &json) { w.primary = json.toString(); }},
};

/// A member of WatchState that is a time: relative to the start of the recording, null if absent.
struct TimeField
{
    const char *name;
    std::optional<MonotonicTime> WatchState::*time;
};

constexpr TimeField watchedTimes[] = {
    {"scanned", &WatchState::lastScanBegan},
    {"process_since", &WatchState::processSince},
};

/// Returns the members that have changed.
QJsonObject differences(const WatchState &before, const WatchState &now, bool isFirst, MonotonicTime zero)
{
    QJsonObject json;
    for (const Field &field : watchedFields) {
        const QJsonValue value = field.write(now);
        if (isFirst || value != field.write(before))
            json[QLatin1String(field.name)] = value;
    }
    for (const TimeField &field : watchedTimes) {
        if (const auto &time = now.*field.time; time != before.*field.time)
            json[QLatin1String(field.name)] = time ? timeJson(*time, zero) : QJsonValue();
    }
    return json;
}

QJsonObject answerJson(const ReplyEntry &answered, MonotonicTime zero)
{
    QJsonArray commands;
    for (const Command &command : answered.commands)
        commands.append(resp::commandJson(command));
    QJsonArray replies;
    for (const resp::Reply &reply : answered.delivery.replies)
        replies.append(resp::replyJson(reply));
    return {{QStringLiteral("commands"), commands},
            {QStringLiteral("replies"), replies},
            {QStringLiteral("sent"), timeJson(answered.delivery.sent, zero)},
            {QStringLiteral("received"), timeJson(answered.delivery.received, zero)}};
}

/// Reads the reply to a request. Absent if a command or a reply is invalid, or if the number of replies is not that of
/// the commands.
std::optional<ReplyEntry> answerFrom(const QJsonObject &json)
{
    ReplyEntry answered;
    try {
        for (const JsonNode &command : JsonNode(json, {})["commands"].elements())
            answered.commands.push_back(resp::commandFrom(command));
        for (const JsonNode &reply : JsonNode(json, {})["replies"].elements())
            answered.delivery.replies.push_back(resp::replyFrom(reply));
    } catch (const base::Failure &) {
        return std::nullopt;
    }
    answered.delivery.sent = timeFrom(json[QStringLiteral("sent")]);
    answered.delivery.received = timeFrom(json[QStringLiteral("received")]);
    const bool isWhole = !answered.commands.empty() && answered.commands.size() == answered.delivery.replies.size();
    return isWhole ? std::optional(std::move(answered)) : std::nullopt;
}

QJsonObject ownChangeJson(const OwnChangeEntry &entry, MonotonicTime zero)
{
    QJsonObject json {{QStringLiteral("key"), bytesJson(entry.key)},
                      {QStringLiteral("kind"), static_cast<int>(entry.change.kind)},
                      {QStringLiteral("from"), timeJson(entry.change.when.earliest, zero)},
                      {QStringLiteral("to"), timeJson(entry.change.when.latest, zero)}};
    if (entry.change.deadline) {
        json[QStringLiteral("ends")] = deadlineJson(*entry.change.deadline, zero);
        json[QStringLiteral("uncertain")] = static_cast<qint64>(entry.change.deadline->uncertainty().count());
    }
    return json;
}

std::optional<OwnChangeEntry> ownChangeFrom(const QJsonObject &json)
{
    auto key = bytesFrom(json[QStringLiteral("key")]);
    if (!key)
        return std::nullopt;
    OwnChangeEntry entry {std::move(*key), {}};
    entry.change.kind = static_cast<history::OwnChange::Kind>(qBound(0, json[QStringLiteral("kind")].toInt(), 5));
    entry.change.when = {timeFrom(json[QStringLiteral("from")]), timeFrom(json[QStringLiteral("to")])};
    if (json.contains(QLatin1String("ends")))
        entry.change.deadline = deadlineFrom(json[QStringLiteral("ends")], json[QStringLiteral("uncertain")]);
    return entry;
}

QJsonObject recognisedJson(const RecognitionEntry &recognised)
{
    return {{QStringLiteral("key"), bytesJson(recognised.key)},
            {QStringLiteral("value"), valueJson(recognised.value)},
            {QStringLiteral("as"), recognitionJson(recognised.recognition)}};
}

std::optional<RecognitionEntry> recognisedFrom(const QJsonObject &json)
{
    auto key = bytesFrom(json[QStringLiteral("key")]);
    auto value = valueFrom(json[QStringLiteral("value")].toArray(), 0, true);
    if (!key || !value)
        return std::nullopt;
    return RecognitionEntry {std::move(*key), std::move(*value),
                             recognitionFrom(json[QStringLiteral("as")].toObject())};
}

/// Parses a line as a JSON object.
Result<QJsonObject> objectFrom(const QByteArray &line)
{
    QJsonParseError problem;
    const QJsonDocument document = QJsonDocument::fromJson(line, &problem);
    if (problem.error != QJsonParseError::NoError)
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "it is not JSON: %1 (at byte %2)"),
                       problem.errorString(), QString::number(problem.offset));
    if (!document.isObject())
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "it is not a JSON object"));
    return document.object();
}

QJsonObject eventCoverageJson(const EventCoverage &eventCoverage, base::MonotonicTime zero)
{
    QJsonObject json {{QStringLiteral("depth"), static_cast<int>(eventCoverage.depth)},
                      {QStringLiteral("flushes"), eventCoverage.reportsFlushes},
                      {QStringLiteral("since"), timeJson(eventCoverage.since, zero)}};
    if (eventCoverage.mayEvict)
        json[QStringLiteral("evicts")] = true;
    return json;
}

void putFlush(const FlushReceived &flush, const auto &put, base::MonotonicTime zero)
{
    put("flush", timeJson(flush.at, zero));
    if (flush.kind != FlushKind::Any)
        put("flush_kind", static_cast<int>(flush.kind));
}

} // namespace

QByteArray Encoder::heading(const Header &heading)
{
    return lineOf({{QStringLiteral("latchkey_recording"), formatVersion},
                   {QStringLiteral("program"), heading.program},
                   {QStringLiteral("server"), heading.server},
                   {QStringLiteral("started_ms"), static_cast<qint64>(heading.started.time_since_epoch().count())},
                   {QStringLiteral("values"), heading.hasValues}});
}

QJsonObject Encoder::coveredJson(const Covered &covered)
{
    QJsonObject json = coverageJson(covered.parts, std::exchange(m_covered, covered.parts), m_zero);
    if (covered.isGapChanged)
        json[QStringLiteral("sight")] = true;
    return json;
}

QByteArray Encoder::line(const Entry &entry)
{
    QJsonObject json {{QStringLiteral("t"), timeJson(entry.at, m_zero)}};
    const auto put = [&](const char *name, const QJsonValue &value) { json[QLatin1String(name)] = value; };
    if (const auto *seen = std::get_if<Observations>(&entry.what))
        put("seen", observationsJson(*seen, entry.at, m_zero, m_keys));
    else if (const auto *emptied = std::get_if<EmptyDatabase>(&entry.what))
        put("emptied", QJsonArray {timeJson(emptied->asked, m_zero), timeJson(emptied->answered, m_zero)});
    else if (const auto *eventCoverage = std::get_if<EventCoverage>(&entry.what))
        put("hearing", eventCoverageJson(*eventCoverage, m_zero));
    else if (const auto *flush = std::get_if<FlushReceived>(&entry.what))
        putFlush(*flush, put, m_zero);
    else if (const auto *received = std::get_if<ReceivedUpTo>(&entry.what))
        put("heard", timeJson(received->time, m_zero));
    else if (const auto *watched = std::get_if<WatchState>(&entry.what))
        put("watch",
            differences(std::exchange(m_watched, *watched), *watched, !std::exchange(m_hasWatched, true), m_zero));
    else if (const auto *covered = std::get_if<Covered>(&entry.what))
        put("coverage", coveredJson(*covered));
    else if (const auto *answered = std::get_if<ReplyEntry>(&entry.what))
        put("answer", answerJson(*answered, m_zero));
    else if (const auto *changed = std::get_if<OwnChangeEntry>(&entry.what))
        put("act", ownChangeJson(*changed, m_zero));
    else if (const auto *recognised = std::get_if<RecognitionEntry>(&entry.what))
        put("recognised", recognisedJson(*recognised));
    else if (std::holds_alternative<DisplayMark>(entry.what))
        put("shown", true);
    else if (const auto *end = std::get_if<EndMarker>(&entry.what)) {
        put("end", true);
        if (end->isAtLimit)
            put("limit", true);
    }
    return lineOf(json);
}

Result<Header> Decoder::heading(const QByteArray &line)
{
    const auto json = objectFrom(line);
    const QJsonValue version = json ? json->value(QLatin1String("latchkey_recording")) : QJsonValue();
    if (!version.isDouble())
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "it is not a recording of Latchkey"));
    if (version.toInt() > formatVersion)
        return failure(
            ErrorKind::Usage,
            QT_TRANSLATE_NOOP("core", "it was written by a newer version of Latchkey (%1), and has the format %2"),
            json->value(QLatin1String("program")).toString(), QString::number(version.toInt()));
    if (version.toInt() < 1)
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "it has a format that there never was"));
    Header heading;
    heading.program = json->value(QLatin1String("program")).toString();
    heading.server = json->value(QLatin1String("server")).toString();
    heading.started = base::WallTime(milliseconds(json->value(QLatin1String("started_ms")).toInteger()));
    heading.hasValues = json->value(QLatin1String("values")).toBool(true);
    heading.hasCoverage = version.toInt() >= 2;
    m_hasValues = heading.hasValues;
    return heading;
}

Result<Entry> Decoder::entry(const QByteArray &line)
{
    if (auto quick = parseFrequentEntry(line, m_keys, !m_hasValues))
        return *std::move(quick);
    if (const auto said = quickRoundTrip(line)) {
        m_watched.eventDelay = said->roundTrip;
        return Entry {said->at, m_watched};
    }
    return anyEntry(line);
}

/// Reads a coverage. Absent if the format does not match.
std::optional<Covered> Decoder::coveredFrom(const QJsonObject &json)
{
    if (!readCoverage(json, m_covered))
        return std::nullopt;
    return Covered {m_covered, json[QStringLiteral("sight")].toBool()};
}

Result<Entry> Decoder::anyEntry(const QByteArray &line)
{
    const auto json = objectFrom(line);
    if (!json)
        return failure(json.error());
    const QJsonValue time = json->value(QLatin1String("t"));
    if (!time.isDouble())
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "it has no time (\"t\")"));
    Entry entry {timeFrom(time), DisplayMark {}};
    const auto take = [&entry](auto &&part) {
        if (part)
            entry.what = std::move(*part);
        return part.has_value();
    };
    const auto value = [&json](const char *name) { return json->value(QLatin1String(name)); };
    bool isUnderstood = true;
    if (const QJsonValue seen = value("seen"); seen.isArray()) {
        isUnderstood = take(observationsFrom(seen.toArray(), entry.at, m_keys, !m_hasValues));
    } else if (const QJsonValue emptied = value("emptied"); emptied.isArray()) {
        entry.what = EmptyDatabase {timeFrom(emptied[0]), timeFrom(emptied[1])};
    } else if (const QJsonValue eventCoverage = value("hearing"); eventCoverage.isObject()) {
        entry.what = EventCoverage {
            static_cast<EventCoverage::Depth>(qBound(0, eventCoverage[QStringLiteral("depth")].toInt(), 2)),
            eventCoverage[QStringLiteral("flushes")].toBool(), timeFrom(eventCoverage[QStringLiteral("since")]),
            eventCoverage[QStringLiteral("evicts")].toBool()};
    } else if (const QJsonValue flush = value("flush"); flush.isDouble()) {
        entry.what = FlushReceived {timeFrom(flush), static_cast<FlushKind>(qBound(0, value("flush_kind").toInt(), 2))};
    } else if (const QJsonValue received = value("heard"); received.isDouble()) {
        entry.what = ReceivedUpTo {timeFrom(received)};
    } else if (const QJsonValue watch = value("watch"); watch.isObject()) {
        for (const Field &field : watchedFields) {
            if (const QJsonValue one = watch[QLatin1String(field.name)]; !one.isUndefined())
                field.read(m_watched, one);
        }
        for (const TimeField &field : watchedTimes) {
            if (const QJsonValue one = watch[QLatin1String(field.name)]; !one.isUndefined())
                m_watched.*field.time = one.isDouble() ? std::optional(timeFrom(one)) : std::nullopt;
        }
        entry.what = m_watched;
    } else if (const QJsonValue coverage = value("coverage"); coverage.isObject()) {
        isUnderstood = take(coveredFrom(coverage.toObject()));
    } else if (const QJsonValue answer = value("answer"); answer.isObject()) {
        isUnderstood = take(answerFrom(answer.toObject()));
    } else if (const QJsonValue change = value("act"); change.isObject()) {
        isUnderstood = take(ownChangeFrom(change.toObject()));
    } else if (const QJsonValue recognised = value("recognised"); recognised.isObject()) {
        isUnderstood = take(recognisedFrom(recognised.toObject()));
    } else if (value("end").isBool()) {
        entry.what = EndMarker {value("limit").toBool()};
    } else {
        isUnderstood = value("shown").isBool();
    }
    if (!isUnderstood)
        return failure(ErrorKind::Usage, QT_TRANSLATE_NOOP("core", "its contents are not understood"));
    return entry;
}

std::optional<MonotonicTime> timeOf(const QByteArray &line)
{
    const auto json = objectFrom(line);
    const QJsonValue time = json ? json->value(QLatin1String("t")) : QJsonValue();
    return time.isDouble() ? std::optional(timeFrom(time)) : std::nullopt;
}

} // namespace latchkey::recording
