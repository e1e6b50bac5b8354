#include "core/explore/races/promiseresult.h"

#include <array>

namespace latchkey::races {

QString verdictId(Verdict verdict)
{
    constexpr std::array ids {"holds", "broken", "not-applicable"}; // In the order of Verdict.
    return QLatin1String(ids.at(static_cast<std::size_t>(verdict)));
}

} // namespace latchkey::races
