#include "core/explore/shim/preload/wake.h"

#include "core/explore/shim/preload/kernel.h"

#include <csignal>

namespace latchkey::shim::preload {

namespace {

ProcessState *handled;

[[gnu::tls_model("initial-exec")]] thread_local volatile std::sig_atomic_t hasArrived = 0;

/// Forwards the signal to all threads whose wait may end. Each wait is signalled once; otherwise threads would signal
/// each other endlessly.
void passOn(const ProcessState &processState)
{
    const int process = kernel::processId();
    for (PageWait &wait : processState.page->usedWaits()) {
        if (wait.process.load() == process && wait.wakesBySignal.load() && wait.mayEnd.load()
            && !wait.hasBeenSignalled.exchange(true))
            (void)kernel::call(SYS_tgkill, process, wait.thread.load(), wakeSignal);
    }
}

void handle(int)
{
    hasArrived = 1;
    passOn(*handled);
}

long changeMask(int how, const KernelMask *mask, KernelMask *before)
{
    return kernel::call(SYS_rt_sigprocmask, how, mask, before, sizeof *mask);
}

} // namespace

void prepareToBeWoken(ProcessState &processState)
{
    handled = &processState;
    struct sigaction action {};
    action.sa_handler = handle;
    action.sa_flags = SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(wakeSignal, &action, nullptr);
    // New threads inherit the blocked mask.
    (void)changeMask(SIG_BLOCK, &wakeMask, nullptr);
}

bool takeWake()
{
    const bool taken = hasArrived != 0;
    hasArrived = 0;
    return taken;
}

KernelMask keepWakeOut(KernelMask &before)
{
    (void)changeMask(SIG_BLOCK, &wakeMask, &before);
    return before & ~wakeMask;
}

void restoreMask(KernelMask before)
{
    (void)changeMask(SIG_SETMASK, &before, nullptr);
}

} // namespace latchkey::shim::preload
