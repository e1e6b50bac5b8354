#pragma once

#include "core/shim/page.h"
#include "core/shim/preload/kernel.h"

#include <ctime>

// Which page this process goes by.

namespace latchkey::shim::preload {

/// This process's page, its view of it, and its own count of readings. There is at most one; it is never destroyed.
struct Home
{
    Page *page = nullptr;
    PageView *view = nullptr;
    std::uint32_t viewNumber = 0;
    PageProcess *process = nullptr;      ///< What it says of itself; null where the page had no room for that.
    std::atomic<std::int64_t> ticks {0}; ///< What the readings so far come to.

    [[nodiscard]] PageTime now() const { return page->now.load(); }
    /// From the page's time to what this process sees as the date, but for its ticks.
    [[nodiscard]] std::int64_t toDate() const { return page->dateOffset + view->ahead.load(std::memory_order_relaxed); }
    [[nodiscard]] bool areWaitsReal() const { return view->areWaitsReal.load(std::memory_order_relaxed); }
};

/// Null where the process has no page: all is then as if the library were not there.
///
/// May be called before the library's own constructor has run: other libraries read clocks in theirs.
[[nodiscard]] Home *home();

/// The same, where the process's waits are the page's as well.
[[nodiscard]] inline Home *homeOfWaits()
{
    Home *const here = home();
    return here != nullptr && !here->areWaitsReal() ? here : nullptr;
}

/// Takes one of the page's places for this process: a free one, else one of a process that is no more. Null where those
/// that are full of life fill it all. owner: of a place, which of its members says whose it is.
template<typename Place, std::size_t count>
[[nodiscard]] Place *takePlace(std::array<Place, count> &places, std::atomic<std::int32_t> Place::*owner)
{
    const std::int32_t process = kernel::processId();
    for (Place &place : places) {
        std::int32_t free = 0;
        if ((place.*owner).compare_exchange_strong(free, process))
            return &place;
    }
    for (Place &place : places) {
        std::int32_t other = (place.*owner).load();
        if (kernel::call(SYS_kill, other, 0) == -ESRCH && (place.*owner).compare_exchange_strong(other, process))
            return &place;
    }
    return nullptr;
}

} // namespace latchkey::shim::preload
