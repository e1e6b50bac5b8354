#include "core/races/run.h"

namespace latchkey::races {

Run::~Run() = default;

void Run::write()
{
    Q_UNREACHABLE(); // It has never said that it can.
}

} // namespace latchkey::races
