#include "core/explore/races/run.h"

namespace latchkey::races {

Run::~Run() = default;

void Run::write()
{
    Q_UNREACHABLE(); // Called only if clientStatus().canWrite.
}

std::chrono::milliseconds Run::waited(int) const
{
    return {};
}

void Run::answer(int, const resp::Reply &)
{
    Q_UNREACHABLE(); // Called only for a client with offers().
}

void Run::lose(int, const resp::Reply &)
{
    Q_UNREACHABLE(); // Called only for a client with offers().
}

void Run::receive(int, const resp::Reply &)
{
    Q_UNREACHABLE(); // Called only for a client with listening().
}

void Run::advanceClock(std::chrono::milliseconds)
{
    Q_UNREACHABLE(); // Called only for a client with a virtual clock.
}

void Run::beginAt(std::chrono::milliseconds)
{
    Q_UNREACHABLE(); // Called only for a client with a virtual clock.
}

} // namespace latchkey::races
