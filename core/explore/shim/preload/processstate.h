#pragma once

#include "core/explore/shim/page.h"
#include "core/explore/shim/preload/kernel.h"

#include <ctime>

// The page of this process.

namespace latchkey::shim::preload {

/// The connection of this process to its page, with the process's view and the ticks of its readings. A process has at
/// most one, which is never destroyed.
struct ProcessState
{
    Page *page = nullptr;
    PageView *view = nullptr;
    int descriptor = -1; ///< Number under which the page was inherited; may be closed.
    std::uint64_t pageInode = 0;
    std::uint32_t viewNumber = 0;
    PageProcess *process = nullptr;      ///< Own entry in the page; null if the page was full.
    std::atomic<std::int64_t> ticks {0}; ///< Total time of the ticks of all readings so far, in nanoseconds.

    [[nodiscard]] PageTime now() const { return page->now.load(); }
    /// Returns the offset from the page's time to the date that this process sees, without its ticks.
    [[nodiscard]] std::int64_t toDate() const { return page->dateOffset + view->ahead.load(std::memory_order_relaxed); }
    [[nodiscard]] bool areWaitsReal() const { return view->areWaitsReal.load(std::memory_order_relaxed); }
};

/// Returns the state of this process. Null if the process has no page, or if the search for the page is under way: then
/// all functions behave as without this library.
///
/// May be called before the library's own constructor, because constructors of other libraries read clocks.
[[nodiscard]] ProcessState *processState();

/// Replaces the page of this process, which was just forked from another by the system call, by its own. The memory has
/// the same address. `descriptor`: the new page, which must be a valid one. Returns false if the system refuses it.
[[nodiscard]] bool replacePage(int descriptor);

/// Returns the state of this process if its page controls the waits; otherwise null.
[[nodiscard]] inline ProcessState *stateOfWaits()
{
    ProcessState *const here = processState();
    return here != nullptr && !here->areWaitsReal() ? here : nullptr;
}

/// Allocates a free slot of the page for this process, or the slot of a process that no longer exists. Null if all
/// slots belong to live processes. `owner`: the slot's member with the process ID.
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
