#include "app/cli/fieldoutput.h"

#include "app/cli/output.h"
#include "app/help/commandline.h"
#include "core/foundation/base/bytes.h"
#include "core/foundation/base/duration.h"

#include <QLocale>

namespace latchkey::cli {

using base::MonotonicTime;
using help::CommandLine;
using keys::FieldDeadlines;

namespace {

/// Length limit of a name.
constexpr qsizetype maxNameLength = 200;
/// Limit of the number of lines.
constexpr qsizetype maxLines = 20;

QString leftText(const base::Deadline &deadline, MonotonicTime now)
{
    return base::displayDuration(std::chrono::milliseconds(deadline.pttl(now)));
}

} // namespace

QStringList fieldLines(const FieldDeadlines &ends, MonotonicTime now)
{
    QStringList lines;
    for (const FieldDeadlines::Field &field : ends.first.first(std::min(maxLines, ends.first.size())))
        lines += CommandLine::tr("%1: %2", "what a field of a hash has left, and its name")
                     .arg(leftText(field.deadline, now), base::printable(field.name, maxNameLength));
    if (const qint64 more = ends.endingCount - lines.size(); more > 0)
        lines +=
            more == 1 ? CommandLine::tr("and 1 more") : CommandLine::tr("and %1 more").arg(QLocale().toString(more));
    if (const qint64 unreadCount = ends.unreadCount(); unreadCount > 0)
        lines += CommandLine::tr("%1 of %2 fields were not checked")
                     .arg(QLocale().toString(unreadCount), QLocale().toString(ends.size));
    return lines;
}

QString firstFieldText(const FieldDeadlines &ends, MonotonicTime now)
{
    const QString left = leftText(ends.firstEnd(), now);
    return ends.isWhole ? CommandLine::tr("field %1", "the first to end").arg(left)
                        : CommandLine::tr("field ≤ %1", "the first to end of those that were asked").arg(left);
}

} // namespace latchkey::cli
