#include "app/cli/fieldoutput.h"

#include "app/help/commandline.h"
#include "core/base/bytes.h"
#include "core/base/json.h"

#include <QJsonArray>
#include <QLocale>

namespace latchkey::cli {

using base::Deadline;
using base::MonotonicTime;
using help::CommandLine;
using keys::FieldEnds;

namespace {

/// A name in a line.
constexpr qsizetype longestName = 200;
/// So many lines.
constexpr qsizetype mostLines = 20;

qint64 leftOf(const Deadline &deadline, MonotonicTime now)
{
    const auto left = deadline.remaining(now);
    return left ? std::max<qint64>(0, std::chrono::round<std::chrono::milliseconds>(*left).count()) : -1;
}

} // namespace

void insertFieldEnds(QJsonObject &row, const FieldEnds &ends, MonotonicTime now)
{
    if (ends.isEmpty())
        return;
    QJsonArray first;
    for (const FieldEnds::Field &field : ends.first) {
        QJsonObject one {{QStringLiteral("pttl_ms"), leftOf(field.deadline, now)}};
        base::insertBytes(one, QStringLiteral("field"), field.name);
        first += one;
    }
    row[QStringLiteral("fields")] = QJsonObject {{QStringLiteral("size"), ends.size},
                                                 {QStringLiteral("asked"), ends.askedCount},
                                                 {QStringLiteral("whole"), ends.isWhole},
                                                 {QStringLiteral("ending"), ends.endingCount},
                                                 {QStringLiteral("first"), first}};
}

QStringList fieldLines(const FieldEnds &ends, MonotonicTime now)
{
    QStringList lines;
    for (const FieldEnds::Field &field : ends.first.first(std::min(mostLines, ends.first.size())))
        lines += CommandLine::tr("%1 ms: %2", "what a field of a hash has left, and its name")
                     .arg(leftOf(field.deadline, now))
                     .arg(base::printable(field.name, longestName));
    if (const qint64 more = ends.endingCount - lines.size(); more > 0)
        lines += more == 1 ? CommandLine::tr("and 1 more that ends")
                           : CommandLine::tr("and %1 more that end").arg(QLocale().toString(more));
    if (const qint64 unasked = ends.unasked(); unasked > 0)
        lines += CommandLine::tr("%1 of %2 fields were not asked")
                     .arg(QLocale().toString(unasked), QLocale().toString(ends.size));
    return lines;
}

qint64 firstFieldLeft(const FieldEnds &ends, MonotonicTime now)
{
    return leftOf(ends.firstEnd(), now);
}

} // namespace latchkey::cli
