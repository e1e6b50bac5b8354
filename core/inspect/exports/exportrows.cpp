#include "core/inspect/exports/exportrows.h"

#include "core/foundation/base/duration.h"
#include "core/foundation/files/json.h"
#include "core/inspect/findings/findingtexts.h"
#include "core/inspect/history/holdjson.h"
#include "core/inspect/recognition/lockjson.h"

#include <QJsonArray>

#include <algorithm>

namespace latchkey::exports {

using findings::Finding;
using findings::FindingTexts;
using inspection::InspectedServer;

namespace {

template<std::size_t Count>
QStringList listOf(const std::array<const char *, Count> &names)
{
    QStringList list;
    for (const char *name : names)
        list += QLatin1String(name);
    return list;
}

qint64 wallMilliseconds(const InspectedServer &server, base::MonotonicTime time)
{
    return server.clock().wallAt(time).time_since_epoch().count();
}

const char *sourceName(keys::EndSource source)
{
    switch (source) {
    case keys::EndSource::Reported:
    case keys::EndSource::Flushed:
        return "event";
    case keys::EndSource::Queried:
    case keys::EndSource::Unseen:
        return "look";
    case keys::EndSource::OwnCommand:
        return "own-command";
    case keys::EndSource::Inferred:
        return "scan";
    }
    Q_UNREACHABLE();
}

const char *endingName(keys::EndedKey::Ending ending)
{
    using Ending = keys::EndedKey::Ending;
    switch (ending) {
    case Ending::Expired:
        return "expired";
    case Ending::Removed:
        return "removed";
    case Ending::ExpiredOrRemoved:
        return "expired-or-removed";
    case Ending::Flushed:
        return "flushed";
    case Ending::Unknown:
        return "unknown";
    }
    Q_UNREACHABLE();
}

} // namespace

QStringList keyColumns()
{
    static const QStringList columns = listOf(std::array {"key", "key_base64", "type", "pttl_ms", "kind", "holder",
                                                          "holder_base64", "count", "waiters", "fencing", "findings"});
    return columns;
}

QJsonObject keyRow(InspectedServer &server, keys::KeyId id, base::MonotonicTime now)
{
    const keys::KnownKeys &known = server.store().known();
    const QByteArray key = known.table.key(id).toByteArray();
    const bool isLock = server.locks().isLock(key); // Recognition takes much longer than all other columns.
    QJsonObject row;
    files::insertBytes(row, QStringLiteral("key"), key);
    row[QStringLiteral("type")] = keys::keyTypeName(known.table.type(id));
    row[QStringLiteral("pttl_ms")] = known.table.deadline(id).pttl(now);
    if (const keys::FieldDeadlines *ends = known.fieldEndsOf(id))
        insertFieldEnds(row, *ends, now);
    QJsonArray ids;
    if (isLock) {
        const auto found = server.evaluator().findingsOf(key);
        for (const Finding &finding : found)
            ids += findings::kindId(finding.kind);
    }
    row[QStringLiteral("findings")] = ids;
    recognition::insertRecognition(row, isLock ? server.locks().recognise(key) : recognition::Recognition(),
                                   server.locks().recogniser().dialects());
    return row;
}

void insertFieldEnds(QJsonObject &row, const keys::FieldDeadlines &ends, base::MonotonicTime now)
{
    if (ends.isEmpty())
        return;
    QJsonArray first;
    for (const keys::FieldDeadlines::Field &field : ends.first) {
        QJsonObject one {{QStringLiteral("pttl_ms"), field.deadline.pttl(now)}};
        files::insertBytes(one, QStringLiteral("field"), field.name);
        first += one;
    }
    row[QStringLiteral("fields")] = QJsonObject {{QStringLiteral("size"), ends.size},
                                                 {QStringLiteral("asked"), ends.readCount},
                                                 {QStringLiteral("whole"), ends.isWhole},
                                                 {QStringLiteral("ending"), ends.endingCount},
                                                 {QStringLiteral("first"), first}};
}

QStringList findingColumns()
{
    return listOf(std::array {"key", "key_base64", "kind", "holder", "holder_base64", "id", "severity", "title",
                              "evidence", "meaning", "advice"});
}

std::vector<QJsonObject> findingRows(const InspectedServer &server, const QByteArray &key)
{
    std::vector<QJsonObject> rows;
    const auto recognised = server.locks().lookUp(key);
    if (!recognised || !recognised->recognition.isLock())
        return rows;
    const QString title =
        recognition::titleOf(recognised->recognition.best().dialect, server.locks().recogniser().dialects());
    const auto found = server.evaluator().findingsFor(recognised->recognition, recognised->sample);
    for (const Finding &finding : found) {
        QJsonObject row;
        files::insertBytes(row, QStringLiteral("key"), key);
        row[QStringLiteral("kind")] = recognised->recognition.best().dialect;
        row[QStringLiteral("holder")] = QJsonValue::Null;
        if (const auto holder = recognition::firstHolder(recognised->recognition))
            files::insertBytes(row, QStringLiteral("holder"), *holder);
        row[QStringLiteral("id")] = findings::kindId(finding.kind);
        row[QStringLiteral("severity")] = findings::severityId(finding.severity);
        row[QStringLiteral("title")] = FindingTexts::title(finding.kind);
        row[QStringLiteral("evidence")] = FindingTexts::evidence(finding, title);
        row[QStringLiteral("meaning")] = FindingTexts::meaning(finding.kind);
        row[QStringLiteral("advice")] = FindingTexts::advice(finding.kind);
        rows.push_back(row);
    }
    return rows;
}

QStringList holdColumns()
{
    return listOf(std::array {"key", "key_base64", "holder", "holder_base64", "start", "from_ms", "from_uncertain_ms",
                              "held_ms", "extensions", "lease_ms", "until_ms", "until_uncertain_ms", "end", "late_ms",
                              "inferred", "possibly_own_read"});
}

std::vector<QJsonObject> holdRows(const InspectedServer &server, const QByteArray &key)
{
    std::vector<QJsonObject> rows;
    for (const history::Hold &hold : server.holds().history().holds({key, 0})) {
        QJsonObject row = history::toJson(hold, server.clock().now(), server.clock().wallNow());
        files::insertBytes(row, QStringLiteral("key"), key);
        rows.push_back(row);
    }
    return rows;
}

QStringList endedColumns()
{
    return listOf(std::array {"key", "key_base64", "ended", "count", "at_ms", "deadline_ms", "late_ms", "known",
                              "until_ms", "reason"});
}

QJsonObject endedRow(const InspectedServer &server, const keys::EndedKey &ended)
{
    QJsonObject row;
    if (ended.count == 1)
        files::insertBytes(row, QStringLiteral("key"), ended.key);
    row[QStringLiteral("ended")] = QLatin1String(endingName(ended.ending()));
    row[QStringLiteral("count")] = ended.count;
    row[QStringLiteral("at_ms")] = wallMilliseconds(server, ended.goneAt);
    row[QStringLiteral("deadline_ms")] =
        ended.deadline.isNever() ? QJsonValue() : QJsonValue(wallMilliseconds(server, ended.deadline.at()));
    const auto late = ended.late();
    row[QStringLiteral("late_ms")] = late ? QJsonValue(base::ceilMilliseconds(*late)) : QJsonValue();
    row[QStringLiteral("known")] = QLatin1String(sourceName(ended.source));
    return row;
}

std::vector<QJsonObject> gapRows(InspectedServer &server)
{
    std::vector<QJsonObject> rows;
    const base::MonotonicTime from = server.clock().now() - keys::EndedKeyLog::retention;
    const events::Coverage coverage = server.watcher().coverage();
    for (const events::Coverage::Gap &each : coverage.parts().gaps) {
        const bool isOfTheEnd = each.request != events::KeyRequest::Type && each.request != events::KeyRequest::Value;
        if (!isOfTheEnd || (each.to && *each.to <= std::max(each.from, from)))
            continue;
        QJsonObject row;
        row[QStringLiteral("ended")] =
            each.request == events::KeyRequest::Changes ? QStringLiteral("not-reported") : QStringLiteral("not-seen");
        row[QStringLiteral("at_ms")] = wallMilliseconds(server, each.from);
        row[QStringLiteral("until_ms")] = each.to ? QJsonValue(wallMilliseconds(server, *each.to)) : QJsonValue();
        row[QStringLiteral("reason")] = each.why.message();
        rows.push_back(row);
    }
    return rows;
}

} // namespace latchkey::exports
