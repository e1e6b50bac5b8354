#include "core/races/run.h"

namespace latchkey::races {

Run::~Run() = default;

void Run::write()
{
    Q_UNREACHABLE(); // It has never said that it can.
}

std::chrono::milliseconds Run::waited(int) const
{
    return {};
}

void Run::answer(int, const resp::Reply &)
{
    Q_UNREACHABLE(); // It has offered nothing.
}

void Run::lose(int, const resp::Reply &)
{
    Q_UNREACHABLE(); // Likewise.
}

void Run::hear(int, const resp::Reply &)
{
    Q_UNREACHABLE(); // It has subscribed to nothing.
}

void Run::pass(std::chrono::milliseconds)
{
    Q_UNREACHABLE(); // It has no timer, and nobody has said that its clock is ours.
}

void Run::beginAt(std::chrono::milliseconds)
{
    Q_UNREACHABLE(); // Likewise.
}

} // namespace latchkey::races
