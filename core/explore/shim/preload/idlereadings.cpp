#include "core/explore/shim/preload/idlereadings.h"

#include "core/explore/shim/preload/next.h"

#include <semaphore.h>

namespace latchkey::shim::preload {

namespace {

/// Maximum distance between a reading and a wait in the same function, in bytes. In CPython it is 8 to 0x8a bytes, in
/// Debian's builds of 3.11 and 3.13.
constexpr std::uintptr_t longestWay = 0x100;

/// Return address of the thread's last reading, until the next call that this library sees.
__attribute__((tls_model("initial-exec"))) thread_local std::uintptr_t lastReader = 0;

void waits(const void *caller)
{
    const std::uintptr_t reader = lastReader;
    lastReader = 0;
    const auto waiter = reinterpret_cast<std::uintptr_t>(caller);
    if (reader == 0 || waiter <= reader || waiter - reader > longestWay)
        return;
    if (ProcessState *const here = processState(); here != nullptr && here->process != nullptr)
        here->process->readings.fetch_sub(1, std::memory_order_relaxed);
}

} // namespace

void countReading(ProcessState &processState, const void *caller)
{
    if (processState.process == nullptr)
        return;
    processState.process->readings.fetch_add(1, std::memory_order_relaxed);
    lastReader = reinterpret_cast<std::uintptr_t>(caller);
}

} // namespace latchkey::shim::preload

using namespace latchkey::shim::preload;

namespace {

Next<int(sem_t *)> nextWait("sem_wait");
Next<int(sem_t *)> nextTry("sem_trywait");

} // namespace

extern "C" {

int sem_wait(sem_t *semaphore)
{
    waits(__builtin_return_address(0));
    return nextWait(semaphore);
}

int sem_trywait(sem_t *semaphore) noexcept
{
    waits(__builtin_return_address(0));
    return nextTry(semaphore);
}

} // extern "C"
