#include "ui/pages/detail/durationbounds.h"

#include "core/foundation/base/duration.h"
#include "ui/pages/detail/answertext.h"

namespace latchkey::ui::detail {

using std::chrono::nanoseconds;

bool isExact(nanoseconds shortest, nanoseconds longest)
{
    constexpr std::chrono::seconds precision {1};
    return longest - shortest <= precision || base::wholeDuration(shortest) == base::wholeDuration(longest);
}

QString boundsText(nanoseconds shortest, nanoseconds longest)
{
    if (isExact(shortest, longest))
        return base::wholeDuration(shortest + (longest - shortest) / 2);
    return AnswerText::tr("%1 to %2", "two lengths of time")
        .arg(base::wholeDuration(shortest), base::wholeDuration(longest));
}

} // namespace latchkey::ui::detail
