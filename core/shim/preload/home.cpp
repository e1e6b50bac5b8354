#include "core/shim/preload/home.h"

#include "core/shim/preload/kernel.h"
#include "core/shim/preload/wake.h"

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

Home theHome; // Filled in once, before found is set.
std::atomic<Home *> found;
std::atomic<Search> search;

struct Address
{
    std::uint64_t process = 0;
    std::uint64_t descriptor = 0;
    std::uint64_t nonce = 0;
    std::uint64_t view = 0;
};

/// False where the variable is not there, or is not what we have written.
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

/// Null where the descriptor leads to anything else.
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

void append(char *&end, const char *text)
{
    while (*text != '\0')
        *end++ = *text++;
}

void append(char *&end, std::uint64_t number)
{
    if (number >= 10)
        append(end, number / 10);
    *end++ = static_cast<char>('0' + number % 10);
}

/// The descriptor that was inherited, or where a parent has closed it (Python's subprocess does) the controlling
/// process's own, which the kernel shows to its user's other programs.
Page *open(const Address &address)
{
    if (Page *const inherited = map(static_cast<long>(address.descriptor), address.nonce))
        return inherited;
    char path[64]; // "/proc/", two numbers of at most 20 digits, "/fd/"
    char *end = path;
    append(end, "/proc/");
    append(end, address.process);
    append(end, "/fd/");
    append(end, address.descriptor);
    *end = '\0';
    const long descriptor = kernel::call(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
    if (descriptor < 0)
        return nullptr;
    Page *const page = map(descriptor, address.nonce);
    (void)kernel::call(SYS_close, descriptor);
    return page;
}

/// The program itself has a note by "Go": its runtime asks the kernel for the time and lets its threads sleep without
/// the C library, also where it has been linked with that.
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
    return -1; // The program comes first, and nothing else is asked about.
}

/// Linux 5.16.
bool hasWaitOnSeveralFutexes()
{
    return kernel::call(SYS_futex_waitv, nullptr, 0, 0, nullptr, 0) != -ENOSYS;
}

/// Also in a child that has been forked, and where the same process was another program before: what has its number
/// was not said by it.
void announce()
{
    Home &home = theHome;
    const std::int32_t id = kernel::processId();
    for (PageWait &wait : home.page->waits) {
        if (wait.process.load() == id)
            wait.process.store(0);
    }
    for (PageProcess &process : home.page->processes) {
        if (process.id.load() == id)
            process.id.store(0);
    }
    const bool hadMachineTimers = home.process != nullptr && home.process->hasMachineTimers.load();
    home.process = takePlace(home.page->processes, &PageProcess::id);
    if (home.process == nullptr) {
        home.page->refusals.fetch_add(1);
        return;
    }
    home.process->view.store(home.viewNumber);
    home.process->readings.store(0);
    home.process->hasMachineTimers.store(hadMachineTimers);
}

void announceFork()
{
    if (found.load() != nullptr)
        announce();
}

Home *seek()
{
    Address address;
    if (!readAddress(address) || !hasWaitOnSeveralFutexes() || ::dl_iterate_phdr(hasNoteOfGo, nullptr) == 1)
        return nullptr;
    Page *const page = open(address);
    if (page == nullptr || address.view >= page->views.size())
        return nullptr;
    theHome.page = page;
    theHome.viewNumber = static_cast<std::uint32_t>(address.view);
    theHome.view = &page->views[theHome.viewNumber];
    prepareToBeWoken(theHome); // Before anybody can hear of this process.
    announce();
    return &theHome;
}

} // namespace

Home *home()
{
    if (Home *const known = found.load(std::memory_order_acquire))
        return known;
    auto begin = Search::NotBegun;
    if (!search.compare_exchange_strong(begin, Search::Underway))
        return nullptr; // There is none; or it is being sought, which needs no clock.
    Home *const sought = seek();
    found.store(sought, std::memory_order_release);
    search.store(Search::Over);
    return sought;
}

namespace {

[[gnu::constructor]] void load()
{
    if (home() != nullptr)
        ::pthread_atfork(nullptr, nullptr, announceFork);
}

} // namespace

} // namespace latchkey::shim::preload
