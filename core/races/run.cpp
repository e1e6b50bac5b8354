#include "core/races/run.h"

namespace latchkey::races {

Run::~Run() = default;

} // namespace latchkey::races
