#include "app/cli/lsrow.h"

#include "app/cli/fieldoutput.h"
#include "app/cli/output.h"
#include "app/cli/recognitionoutput.h"
#include "app/help/commandline.h"
#include "core/foundation/base/clock.h"
#include "core/foundation/base/duration.h"
#include "core/foundation/files/json.h"
#include "core/inspect/exports/exportrows.h"

#include <QJsonArray>

namespace latchkey::cli {

using base::MonotonicTime;
using help::CommandLine;

/// Returns the remaining time. For a hash without a TTL, returns the time of the first field, with a remark.
QString LsRow::leftText(MonotonicTime now) const
{
    if (!record.deadline.isNever())
        return base::displayDuration(std::chrono::milliseconds(record.deadline.pttl(now)));
    if (isExpiryUnknown)
        return QStringLiteral("-");
    return fieldEnds == nullptr ? CommandLine::tr("no expiry") : firstFieldText(*fieldEnds, now);
}

void LsRow::setSample(const keys::RawValue &value, MonotonicTime now)
{
    sample.key = record.key.bytes();
    sample.type = value.type;
    sample.value = value;
    sample.isExpiryKnown = !isExpiryUnknown;
    if (!record.deadline.isNever())
        sample.left = std::chrono::milliseconds(record.deadline.pttl(now));
    sample.now = base::SystemClock::instance().wallNow();
}

LsCells LsRow::toCells(MonotonicTime now) const
{
    const auto holder = firstHolder(recognition);
    const QString none = QStringLiteral("-");
    const auto number = [&](std::optional<qint64> value) { return value ? QString::number(*value) : none; };
    const bool isLock = recognition.isLock();
    const auto ofLock = [&](qint64 value) { return isLock ? QString::number(value) : none; };
    return {keys::keyTypeName(record.type),
            leftText(now),
            isLock ? recognition.best().dialect : none,
            ofLock(recognition.decoded.holdCount()),
            isLock ? number(waiterCount(recognition)) : none,
            isLock ? number(recognition.decoded.fencing) : none,
            ofLock(static_cast<qint64>(findings.size())),
            holder ? base::printable(*holder) : none,
            base::printable(record.key.bytes())};
}

QJsonObject LsRow::toJson(const recognition::Dialects &dialects, MonotonicTime now) const
{
    QJsonObject row;
    files::insertBytes(row, QStringLiteral("key"), record.key.bytes());
    row[QStringLiteral("type")] = keys::keyTypeName(record.type);
    row[QStringLiteral("pttl_ms")] = isExpiryUnknown ? QJsonValue() : record.deadline.pttl(now);
    if (fieldEnds != nullptr)
        exports::insertFieldEnds(row, *fieldEnds, now);
    QJsonArray ids;
    for (const findings::Finding &finding : findings)
        ids += findings::kindId(finding.kind);
    row[QStringLiteral("findings")] = ids;
    insertRecognition(row, recognition, dialects);
    return row;
}

} // namespace latchkey::cli
