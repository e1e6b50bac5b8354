#include "core/explore/shim/preload/threads.h"

#include "core/explore/shim/preload/kernel.h"
#include "core/explore/shim/preload/processids.h"
#include "core/explore/shim/preload/procfiles.h"

#include <algorithm>
#include <asm/prctl.h>
#include <csignal>
#include <sched.h>
#include <span>
#include <sys/prctl.h>
#include <ucontext.h>

// Since glibc 2.35, the C library registers an area of each thread for restartable sequences.
extern "C" [[gnu::weak]] const std::ptrdiff_t __rseq_offset; // NOLINT(bugprone-reserved-identifier)
extern "C" [[gnu::weak]] const unsigned __rseq_size;         // NOLINT(bugprone-reserved-identifier)

namespace latchkey::shim::preload {

namespace {

/// Signal of the C library for setuid() and similar functions, which programs cannot block. Its handler is replaced
/// only while the threads are being stopped.
constexpr int stopSignal = 33;

/// Wait between two checks whether all threads have stopped, and maximum number of checks. The first waits are shorter.
constexpr timespec checkInterval {0, 1'000'000};
constexpr int maxChecks = 200;

/// A thread that waits in the handler.
struct StoppedThread
{
    std::atomic<int> id {0}; ///< Stored last.
    ucontext_t *context = nullptr;
    unsigned long local = 0;  ///< Address of its thread-local memory.
    int *idAddress = nullptr; ///< Where the C library stores its ID.
    void *robustList = nullptr;
    std::size_t robustListSize = 0;
    std::array<char, 16> name {};
};

std::array<StoppedThread, 64> threads;
std::atomic<std::uint32_t> stopped;
std::atomic<std::uint32_t> isStopping; ///< Futex.

void handle(int, siginfo_t *, void *context)
{
    const std::uint32_t place = stopped.fetch_add(1);
    if (place >= threads.size())
        return;
    StoppedThread &thread = threads[place];
    thread.context = static_cast<ucontext_t *>(context);
    (void)kernel::call(SYS_arch_prctl, ARCH_GET_FS, &thread.local);
    if (kernel::call(SYS_prctl, PR_GET_TID_ADDRESS, &thread.idAddress) != 0)
        thread.idAddress = nullptr;
    (void)kernel::call(SYS_get_robust_list, 0, &thread.robustList, &thread.robustListSize);
    (void)kernel::call(SYS_prctl, PR_GET_NAME, thread.name.data());
    thread.id.store(kernel::threadId());
    while (isStopping.load() != 0)
        (void)kernel::call(SYS_futex, &isStopping, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 1, nullptr);
}

/// The kernel's form of an action.
struct Action
{
    void (*handler)(int, siginfo_t *, void *);
    unsigned long flags;
    void (*restorer)();
    std::uint64_t mask;
};

[[gnu::naked]] void returnFromHandler()
{
    __asm__ volatile("mov\t%0,%%eax\n\tsyscall" : : "i"(SYS_rt_sigreturn));
}

bool isStopped(int id)
{
    const auto used = std::span(threads).first(std::min<std::size_t>(stopped.load(), threads.size()));
    return std::any_of(used.begin(), used.end(), [id](const StoppedThread &each) { return each.id.load() == id; });
}

/// Signals all threads and waits until they have stopped. Threads may begin and end meanwhile.
bool signalAndWait()
{
    std::array<int, threads.size()> signalled {};
    std::size_t count = 0;
    const int own = kernel::threadId();
    for (int checks = 0; checks < maxChecks; ++checks) {
        bool areAllStopped = true;
        const bool areListed = forEachNumber("/proc/self/task", [&](int id, int) {
            if (id == own)
                return true;
            areAllStopped = areAllStopped && isStopped(id);
            const auto end = signalled.begin() + count;
            if (isStopped(id) || std::find(signalled.begin(), end, id) != end || count == signalled.size())
                return true;
            signalled[count++] = id;
            (void)kernel::call(SYS_tgkill, kernel::processId(), id, stopSignal);
            return true;
        });
        if (!areListed || stopped.load() > threads.size())
            return false;
        if (areAllStopped)
            return true;
        timespec time = checkInterval;
        time.tv_nsec /= checks < 20 ? 20 : 1;
        (void)kernel::call(SYS_nanosleep, &time, nullptr);
    }
    return false;
}

/// Continues as the stopped thread, in its copy.
[[noreturn]] void resume(StoppedThread *thread)
{
    (void)kernel::call(SYS_set_robust_list, thread->robustList, thread->robustListSize);
    (void)kernel::call(SYS_prctl, PR_SET_NAME, thread->name.data());
    if (&__rseq_size != nullptr && __rseq_size != 0) {
        constexpr int size = 32;
        constexpr std::uint32_t signature = 0x5305'3053;
        (void)kernel::call(SYS_rseq, thread->local + static_cast<unsigned long>(__rseq_offset), size, 0, signature);
    }
    renewThreadId();
    __asm__ volatile("mov\t%0,%%rsp\n\tmov\t%1,%%eax\n\tsyscall"
                     :
                     : "r"(thread->context), "i"(SYS_rt_sigreturn)
                     : "memory");
    __builtin_unreachable();
}

/// Creates a thread that calls resume(). Its stack is the part of the stopped thread's that the handler has used.
long recreate(StoppedThread &thread)
{
    constexpr unsigned long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM
                                  | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
    constexpr std::uintptr_t alignment = 16;
    constexpr std::uintptr_t distance = 512;
    const std::uintptr_t aligned = (reinterpret_cast<std::uintptr_t>(thread.context) - distance) & ~(alignment - 1);
    auto *const stack = reinterpret_cast<StoppedThread **>(aligned - sizeof(void *));
    *stack = &thread;
    // NOLINTBEGIN(misc-const-correctness): as in kernel.h.
    long result = 0;
    register int *fourth __asm__("r10") = thread.idAddress;
    register unsigned long fifth __asm__("r8") = thread.local;
    register void (*function)(StoppedThread *) __asm__("r9") = resume;
    // NOLINTEND(misc-const-correctness)
    __asm__ volatile("syscall\n\t"
                     "test\t%%rax,%%rax\n\t"
                     "jnz\t1f\n\t"
                     "xor\t%%ebp,%%ebp\n\t"
                     "pop\t%%rdi\n\t"
                     "call\t*%%r9\n\t"
                     "hlt\n"
                     "1:"
                     : "=a"(result)
                     : "a"(SYS_clone), "D"(flags), "S"(stack), "d"(thread.idAddress), "r"(fourth), "r"(fifth),
                       "r"(function)
                     : "rcx", "r11", "memory", "cc");
    return result;
}

} // namespace

bool stopThreads()
{
    constexpr unsigned long hasRestorer = 0x0400'0000; // SA_RESTORER
    const Action own {handle, SA_SIGINFO | SA_RESTART | hasRestorer, returnFromHandler, ~std::uint64_t {0}};
    Action before {};
    if (kernel::call(SYS_rt_sigaction, stopSignal, &own, &before, sizeof own.mask) != 0)
        return false;
    isStopping.store(1);
    const bool haveStopped = signalAndWait();
    const auto used = std::span(threads).first(std::min<std::size_t>(stopped.load(), threads.size()));
    const bool areKnown =
        std::all_of(used.begin(), used.end(), [](const StoppedThread &each) { return each.idAddress != nullptr; });
    if (haveStopped) // Otherwise a thread may still receive the signal.
        (void)kernel::call(SYS_rt_sigaction, stopSignal, &before, nullptr, sizeof own.mask);
    if (!haveStopped || !areKnown)
        continueThreads();
    return haveStopped && areKnown;
}

void continueThreads()
{
    isStopping.store(0);
    (void)kernel::call(SYS_futex, &isStopping, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, static_cast<int>(threads.size()));
}

bool recreateThreads()
{
    const std::uint64_t all = ~std::uint64_t {0};
    std::uint64_t before = 0;
    isStopping.store(0);
    (void)kernel::call(SYS_rt_sigprocmask, SIG_BLOCK, &all, &before, sizeof all);
    const auto used = std::span(threads).first(std::min<std::size_t>(stopped.load(), threads.size()));
    const bool areThere = std::all_of(used.begin(), used.end(), [](StoppedThread &each) { return recreate(each) > 0; });
    (void)kernel::call(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, sizeof before);
    return areThere;
}

} // namespace latchkey::shim::preload
