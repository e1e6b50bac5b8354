#include "core/foundation/files/json.h"
#include "core/playground/playground/clientprotocol.h"
#include "tests/fuzz/target.h"

namespace latchkey::fuzz {

/// Checks that a report, once read and written, is read as the same report.
void fuzzReports(QByteArrayView bytes)
{
    const auto report = playground::reportFromJson(bytes.toByteArray());
    if (!report)
        return;
    const QByteArray line = files::toLine(playground::toJson(*report));
    const auto again = playground::reportFromJson(line);
    require(again.has_value(), "a report that was written is a report");
    require(files::toLine(playground::toJson(*again)) == line, "a report that was written is read as it was");
}

} // namespace latchkey::fuzz
