#include "core/keyspace/events/refusalspan.h"

#include "core/foundation/base/duration.h"

#include <algorithm>

namespace latchkey::events {

using base::MonotonicTime;
using base::Text;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

std::vector<RefusalSpan> RefusalSpan::of(const Coverage::Parts &parts)
{
    std::vector<RefusalSpan> all;
    for (const Coverage::Gap &each : parts.gaps) {
        if (!each.request || *each.request == KeyRequest::Changes)
            continue;
        const MonotonicTime to = each.to.value_or(std::max(parts.now, each.from));
        const auto known = std::ranges::find_if(all, [&](const RefusalSpan &span) {
            return span.request == *each.request && span.isOfSomeKeys == each.isOfSomeKeys;
        });
        if (known == all.end()) {
            all.push_back({*each.request, each.why, each.isOfSomeKeys, each.from, to, to - each.from});
            continue;
        }
        known->lasted += std::max(to - std::max(each.from, known->to), nanoseconds(0));
        known->to = std::max(known->to, to);
        known->why = each.why;
    }
    return all;
}

Text RefusalSpan::endedText(MonotonicTime now) const
{
    const QString span = base::displayDuration(std::chrono::ceil<milliseconds>(lasted));
    const QString ago = base::displayDuration(std::chrono::ceil<milliseconds>(now - to));
    const QString name = requestName(request);
    if (why.kind == base::ErrorKind::Protocol)
        return Text(QT_TRANSLATE_NOOP("core", "%1 failed for %2, until %3 ago: %4"), name, span, ago, why.text);
    if (isOfSomeKeys)
        return Text(QT_TRANSLATE_NOOP("core", "the server refused %1 of some keys for %2, until %3 ago: %4"), name,
                    span, ago, why.text);
    return Text(QT_TRANSLATE_NOOP("core", "the server refused %1 for %2, until %3 ago: %4"), name, span, ago, why.text);
}

} // namespace latchkey::events
