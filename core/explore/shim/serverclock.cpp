#include "core/explore/shim/serverclock.h"

namespace latchkey::shim {

using base::failure;
using base::Result;

ServerClock::ServerClock(std::unique_ptr<ProgramClock> clock)
    : m_clock(std::move(clock))
    , m_view(m_clock->addView(ProgramClock::server))
{}

Result<std::unique_ptr<ServerClock>> ServerClock::create(const QString &library, base::WallTime date)
{
    auto clock = ProgramClock::create(library, base::MonotonicTime(std::chrono::hours(1000)), date);
    if (!clock)
        return failure(std::move(clock.error()));
    return std::unique_ptr<ServerClock>(new ServerClock(std::move(*clock)));
}

} // namespace latchkey::shim
