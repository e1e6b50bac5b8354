#include "core/races/run.h"

namespace latchkey::races {

Run::~Run() = default;

void Run::write()
{
    Q_UNREACHABLE(); // It has never said that it can.
}

void Run::answer(int, const resp::Reply &)
{
    Q_UNREACHABLE(); // It has offered nothing.
}

void Run::lose(int, const resp::Reply &)
{
    Q_UNREACHABLE(); // Likewise.
}

} // namespace latchkey::races
