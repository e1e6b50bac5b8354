#include "core/explore/shim/preload/processstate.h"

#include "core/explore/shim/preload/kernel.h"
#include "core/explore/shim/preload/processids.h"
#include "core/explore/shim/preload/procfiles.h"
#include "core/explore/shim/preload/wake.h"

#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace latchkey::shim::preload {

namespace {

enum class Search : std::uint8_t { NotBegun, Underway, Over };

ProcessState theState; // Initialised once, before `found` is set.
std::atomic<ProcessState *> found;
std::atomic<Search> search;

struct Address
{
    std::uint64_t process = 0;
    std::uint64_t descriptor = 0;
    std::uint64_t nonce = 0;
    std::uint64_t view = 0;
};

/// Parses the environment variable. Returns false if it is absent or malformed.
bool readAddress(Address &address)
{
    const char *text = std::getenv(variableName);
    if (text == nullptr)
        return false;
    for (std::uint64_t *number : {&address.process, &address.descriptor, &address.nonce, &address.view}) {
        char *end = nullptr;
        *number = std::strtoull(text, &end, 10);
        if (end == text)
            return false;
        text = end;
    }
    return *text == '\0';
}

/// Maps the page. Returns null if the descriptor refers to something else.
Page *map(long descriptor, std::uint64_t nonce)
{
    struct stat about {};
    if (kernel::call(SYS_fstat, descriptor, &about) != 0 || !S_ISREG(about.st_mode)
        || about.st_size != static_cast<off_t>(sizeof(Page)))
        return nullptr;
    void *const memory =
        ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, static_cast<int>(descriptor), 0);
    if (memory == MAP_FAILED)
        return nullptr;
    Page *const page = static_cast<Page *>(memory);
    if (page->mark == Page::rightMark && page->nonce == nonce)
        return page;
    ::munmap(memory, sizeof(Page));
    return nullptr;
}

/// Opens the descriptor of a process under /proc. Programs of the same user can access it.
Page *openOf(std::uint64_t process, const Address &address)
{
    const long descriptor =
        kernel::call(SYS_openat, AT_FDCWD, (ProcPath() << "/proc/" << process << "/fd/" << address.descriptor).text(),
                     O_RDWR | O_CLOEXEC);
    if (descriptor < 0)
        return nullptr;
    Page *const page = map(descriptor, address.nonce);
    (void)kernel::call(SYS_close, descriptor);
    return page;
}

/// Returns the parent of a process; 0: unknown.
std::uint64_t parentOf(std::uint64_t process)
{
    ProcLines lines((ProcPath() << "/proc/" << process << "/stat").text());
    const char *const line = lines.isOpen() ? lines.next() : nullptr;
    const char *const nameEnd = line == nullptr ? nullptr : std::strrchr(line, ')');
    constexpr std::size_t state = 4; // ") S "
    return nameEnd == nullptr || std::strlen(nameEnd) <= state ? 0 : std::strtoull(nameEnd + state, nullptr, 10);
}

/// Opens the page by the inherited descriptor. If a parent has closed the descriptor (as Python's subprocess does),
/// opens the controlling process's descriptor. That is the page of the process that forks others, if there is one, so
/// descendants of a forked process look for the page of their ancestor.
Page *open(const Address &address)
{
    if (Page *const inherited = map(static_cast<long>(address.descriptor), address.nonce))
        return inherited;
    Page *const page = openOf(address.process, address);
    if (page == nullptr || page->forks.inode == 0)
        return page;
    auto ancestor = static_cast<std::uint64_t>(kernel::call(SYS_getppid));
    for (; ancestor > 1 && ancestor != address.process; ancestor = parentOf(ancestor)) {
        if (Page *const own = openOf(ancestor, address)) {
            ::munmap(page, sizeof(Page));
            return own;
        }
    }
    page->hasLostDescendant.store(true);
    ::munmap(page, sizeof(Page));
    return nullptr;
}

/// Callback of dl_iterate_phdr(): returns 1 if the program contains an ELF note of Go, otherwise -1. The Go runtime
/// reads clocks and sleeps by system calls, even if it is linked with the C library.
int hasNoteOfGo(dl_phdr_info *info, std::size_t, void *)
{
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto &header = info->dlpi_phdr[i];
        if (header.p_type != PT_NOTE)
            continue;
        const auto *at = reinterpret_cast<const char *>(info->dlpi_addr + header.p_vaddr);
        const char *const end = at + header.p_memsz;
        while (end - at >= static_cast<std::ptrdiff_t>(sizeof(ElfW(Nhdr)))) {
            ElfW(Nhdr) note {};
            std::memcpy(&note, at, sizeof note);
            if (note.n_namesz == sizeof "Go" + 1 && std::memcmp(at + sizeof note, "Go\0", sizeof "Go" + 1) == 0)
                return 1;
            const auto padded = [](ElfW(Word) size) { return (std::size_t {size} + 3) & ~std::size_t {3}; };
            at += sizeof note + padded(note.n_namesz) + padded(note.n_descsz);
        }
    }
    return -1; // The first entry is the program itself; the others are not checked.
}

/// Returns whether futex_waitv() exists, since Linux 5.16.
bool hasWaitOnSeveralFutexes()
{
    return kernel::call(SYS_futex_waitv, nullptr, 0, 0, nullptr, 0) != -ENOSYS;
}

/// Registers this process in the page. Also called in a forked child and after exec, so earlier entries with the same
/// process ID are removed.
void announce()
{
    ProcessState &processState = theState;
    const std::int32_t id = kernel::processId();
    for (PageWait &wait : processState.page->waits) {
        if (wait.process.load() == id)
            wait.process.store(0);
    }
    for (PageTimer &timer : processState.page->timers) {
        if (timer.process.load() == id && timer.kind.load() == PageTimer::Created)
            timer.process.store(0); // Ends at exec.
    }
    std::int32_t shown = 0; // The same after exec.
    for (PageProcess &process : processState.page->processes) {
        if (process.id.load() != id)
            continue;
        shown = process.shownId.load();
        process.id.store(0);
    }
    const bool hadMachineTimers = processState.process != nullptr && processState.process->hasMachineTimers.load();
    processState.process = takePlace(processState.page->processes, &PageProcess::id);
    if (processState.process == nullptr) {
        processState.page->refusals.fetch_add(1);
        return;
    }
    processState.process->view.store(processState.viewNumber);
    processState.process->shownId.store(shown != 0 ? shown : nextShownId(*processState.page));
    processState.process->readings.store(0);
    processState.process->hasMachineTimers.store(hadMachineTimers);
}

void announceFork()
{
    if (found.load() != nullptr)
        announce();
}

ProcessState *seek()
{
    Address address;
    if (!readAddress(address) || !hasWaitOnSeveralFutexes() || ::dl_iterate_phdr(hasNoteOfGo, nullptr) == 1)
        return nullptr;
    Page *const page = open(address);
    if (page == nullptr || address.view >= page->views.size())
        return nullptr;
    theState.page = page;
    theState.descriptor = static_cast<int>(address.descriptor);
    struct stat about {};
    if (kernel::call(SYS_fstat, theState.descriptor, &about) == 0)
        theState.pageInode = about.st_ino;
    theState.viewNumber = static_cast<std::uint32_t>(address.view);
    theState.view = &page->views[theState.viewNumber];
    prepareToBeWoken(theState); // Before the process is visible in the page.
    announce();
    return &theState;
}

} // namespace

bool replacePage(int descriptor)
{
    ProcessState &here = theState;
    const PageProcess *const before = here.process;
    const std::int32_t shown = before == nullptr ? 0 : before->shownId.load();
    const std::uint32_t readings = before == nullptr ? 0 : before->readings.load();
    const std::uint32_t idsShown = here.page->idsShown.load();
    const std::uint64_t waitsBegun = here.page->waitsBegun.load();
    here.process = nullptr; // In the page that is replaced now.
    if (kernel::call(SYS_mmap, here.page, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor, 0)
            != kernel::word(here.page)
        || kernel::call(SYS_dup3, descriptor, here.descriptor, 0) < 0)
        return false;
    here.page->idsShown.store(idsShown);
    here.page->waitsBegun.store(waitsBegun);
    here.process = takePlace(here.page->processes, &PageProcess::id);
    here.process->view.store(here.viewNumber);
    here.process->shownId.store(shown);
    here.process->readings.store(readings);
    return true;
}

ProcessState *processState()
{
    if (ProcessState *const known = found.load(std::memory_order_acquire))
        return known;
    auto begin = Search::NotBegun;
    if (!search.compare_exchange_strong(begin, Search::Underway))
        return nullptr; // No page, or the search is under way, which needs no clock.
    ProcessState *const sought = seek();
    found.store(sought, std::memory_order_release);
    search.store(Search::Over);
    return sought;
}

namespace {

[[gnu::constructor]] void load()
{
    if (processState() != nullptr)
        ::pthread_atfork(nullptr, nullptr, announceFork);
}

} // namespace

} // namespace latchkey::shim::preload
