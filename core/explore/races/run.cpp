#include "core/explore/races/run.h"

namespace latchkey::races {

Run::~Run() = default;

void RecipeRun::take(Branch)
{
    Q_UNREACHABLE(); // Called only with one of branches().
}

void RecipeRun::write()
{
    Q_UNREACHABLE(); // Called only if clientStatus().canWrite.
}

} // namespace latchkey::races
