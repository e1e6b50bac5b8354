#include "core/explore/shim/programclock.h"

#include "core/explore/shim/page.h"
#include "core/explore/shim/pagetimers.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRandomGenerator>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <linux/futex.h>
#include <map>
#include <set>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <tuple>
#include <unistd.h>

namespace latchkey::shim {

using base::ErrorKind;
using base::failure;
using base::MonotonicTime;
using base::Result;
using std::chrono::nanoseconds;

namespace {

constexpr auto preloading = "LD_PRELOAD";

PageTime toPage(MonotonicTime time)
{
    return time.time_since_epoch().count();
}

MonotonicTime fromPage(PageTime time)
{
    return MonotonicTime(nanoseconds(time));
}

tl::unexpected<base::Error> cannotMake()
{
    return failure(ErrorKind::Local, QT_TRANSLATE_NOOP("core", "cannot make a clock for programs: %1"),
                   qt_error_string(errno));
}

/// Returns the number that stands for the thread of a timer, and the reverse.
pid_t threadOf(std::size_t place)
{
    return -1 - static_cast<pid_t>(place);
}

std::size_t placeOf(pid_t thread)
{
    return static_cast<std::size_t>(-1 - thread);
}

void wake(PageWait &wait)
{
    wait.mayEnd.store(true);
    wait.calls.fetch_add(1);
    ::syscall(SYS_futex, &wait.calls, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

} // namespace

Result<std::unique_ptr<ProgramClock>> ProgramClock::create(const QString &library, MonotonicTime now,
                                                           base::WallTime date)
{
    if (!QFileInfo(library).isFile())
        return failure(ErrorKind::Local, QT_TRANSLATE_NOOP("core", "there is no file %1"), library);
    const QByteArray path = QFile::encodeName(QFileInfo(library).absoluteFilePath());
    if (path.contains(' ') || path.contains(':'))
        return failure(ErrorKind::Local,
                       QT_TRANSLATE_NOOP("core", "%1 cannot be preloaded: its path has a space or a colon in it"),
                       library);
    const int descriptor = ::memfd_create(pageName, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0)
        return cannotMake();
    // The seals prevent the programs from resizing the page.
    void *memory = MAP_FAILED;
    struct stat about {};
    if (::ftruncate(descriptor, sizeof(Page)) == 0 && ::fstat(descriptor, &about) == 0
        && ::fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        memory = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (memory == MAP_FAILED) {
        auto error = cannotMake();
        ::close(descriptor);
        return error;
    }
    auto *const page = new (memory) Page {};
    page->nonce = QRandomGenerator::system()->generate64();
    page->dateOffset = nanoseconds(date.time_since_epoch()).count() - toPage(now);
    page->now.store(toPage(now));
    page->mark = Page::rightMark;
    return std::unique_ptr<ProgramClock>(new ProgramClock(path, descriptor, about.st_ino, *page));
}

ProgramClock::ProgramClock(QByteArray library, int descriptor, quint64 inode, Page &page)
    : m_library(std::move(library))
    , m_descriptor(descriptor)
    , m_inode(inode)
    , m_page(page)
    , m_nonce(page.nonce)
    , m_dateOffset(page.dateOffset)
    , m_now(fromPage(page.now.load()))
{}

void ProgramClock::serveForks(int descriptor, process::Launch &launch) const
{
    struct stat about {};
    if (::fstat(descriptor, &about) != 0)
        return;
    PageForks &forks = m_page.forks;
    forks.descriptor = descriptor;
    forks.inode = about.st_ino;
    forks.controller = ::getpid();
    forks.inheritedCount = 0;
    for (const QString &name : QDir(QStringLiteral("/proc/self/fd")).entryList(QDir::AllEntries | QDir::System)) {
        const int number = name.toInt();
        const int flags = number > STDERR_FILENO ? ::fcntl(number, F_GETFD) : -1;
        if (flags >= 0 && (flags & FD_CLOEXEC) == 0 && forks.inheritedCount < forks.inherited.size()
            && ::fstat(number, &about) == 0)
            forks.inherited[forks.inheritedCount++] = {number, about.st_dev, about.st_ino};
    }
    launch.inherited += descriptor;
}

Result<std::unique_ptr<ProgramClock>> ProgramClock::forForked(MonotonicTime now, base::WallTime date) const
{
    auto forked = create(QFile::decodeName(m_library), now, date);
    if (!forked)
        return forked;
    Page &page = (*forked)->m_page;
    page.nonce = (*forked)->m_nonce = m_nonce; // In the environment.
    page.firstId = m_page.firstId;
    page.hasOtherIds = m_page.hasOtherIds;
    page.areIdsShown = m_page.areIdsShown;
    for (ViewNumber view = 0; view < m_views; ++view)
        (void)(*forked)->addView({nanoseconds(m_page.views[view].ahead.load()),
                                  nanoseconds(m_page.views[view].tick.load()),
                                  m_page.views[view].areWaitsReal.load() ? Waits::Real : Waits::Controlled});
    return forked;
}

void ProgramClock::redirect(const std::vector<Redirection> &ports, const QByteArray &shownPath,
                            const QByteArray &realPath)
{
    PageRedirections &table = m_page.redirections;
    for (std::size_t i = 0; i < std::min(ports.size(), table.ports.size()); ++i)
        table.ports[i] = {ports[i].shown, ports[i].real};
    const auto copy = [](const QByteArray &from, auto &to) {
        std::memcpy(to.data(), from.constData(), std::min(static_cast<std::size_t>(from.size()), to.size() - 1));
    };
    copy(shownPath, table.path.shown);
    copy(realPath, table.path.real);
}

bool ProgramClock::hasLostDescendant() const
{
    return m_page.hasLostDescendant.load();
}

ProgramClock::~ProgramClock()
{
    ::munmap(&m_page, sizeof(Page));
    ::close(m_descriptor);
}

ProgramClock::ViewNumber ProgramClock::addView(const View &view)
{
    if (m_views == m_page.views.size())
        qFatal("a clock for programs has no room for more clients");
    PageView &added = m_page.views[m_views];
    added.ahead.store(view.ahead.count());
    added.tick.store(view.tick.count());
    added.areWaitsReal.store(view.waits == Waits::Real);
    return m_views++;
}

void ProgramClock::show(ViewNumber view, process::Launch &launch) const
{
    using Variable = process::Launch::Variable;

    const QByteArray address = QByteArray::number(::getpid()) + ' ' + QByteArray::number(m_descriptor) + ' '
                             + QByteArray::number(m_nonce) + ' ' + QByteArray::number(view);
    launch.environment += Variable {variableName, address};
    launch.inherited += m_descriptor;
    const auto given = std::find_if(launch.environment.begin(), launch.environment.end(),
                                    [](const Variable &variable) { return variable.name == preloading; });
    const bool isGiven = given != launch.environment.end();
    const QByteArray before = isGiven ? given->value.value_or(QByteArray()) : qgetenv(preloading);
    const QByteArray all = before.isEmpty() ? m_library : m_library + ':' + before;
    if (isGiven)
        given->value = all;
    else
        launch.environment += Variable {preloading, all};
}

void ProgramClock::showIds(std::uint32_t first, bool isOther)
{
    m_page.firstId = first;
    m_page.hasOtherIds = isOther;
    m_page.areIdsShown = true;
}

quint32 ProgramClock::idsShown() const
{
    return m_page.idsShown.load();
}

bool ProgramClock::hasSoughtProcess() const
{
    return m_page.hasSoughtProcess.load();
}

void ProgramClock::setAhead(ViewNumber view, nanoseconds ahead)
{
    m_page.views.at(view).ahead.store(ahead.count());
}

base::WallTime ProgramClock::wallNow() const
{
    return base::WallTime(std::chrono::floor<std::chrono::milliseconds>(nanoseconds(toPage(m_now) + m_dateOffset)));
}

void ProgramClock::moveTo(MonotonicTime time)
{
    if (time <= m_now)
        return;
    moveWithoutWaking(time);
    std::set<pid_t> signalled;
    for (PageWait &wait : m_page.usedWaits()) {
        const pid_t process = wait.process.load();
        if (process <= 0 || wait.deadline.load() > toPage(time))
            continue;
        wake(wait);
        if (wait.wakesBySignal.load() && signalled.insert(process).second)
            sendWakeSignal(process, m_inode);
    }
    for (PageTimer &timer : m_page.timers) {
        if (timer.process.load() > 0 && timer.deadline.load() <= toPage(time))
            expire(m_page, timer, toPage(m_now), m_inode);
    }
}

void ProgramClock::moveWithoutWaking(MonotonicTime time)
{
    m_now = std::max(m_now, time);
    m_page.now.store(toPage(m_now)); // Before the deadlines are read: see preload/waiting.h.
}

bool ProgramClock::wakeNext()
{
    const auto all = timers();
    if (all.empty() || all.front().at > m_now)
        return false;
    const Timer &next = all.front();
    if (next.thread < 0) {
        expire(m_page, m_page.timers.at(placeOf(next.thread)), toPage(m_now), m_inode);
        return true;
    }
    for (PageWait &wait : m_page.usedWaits()) {
        if (wait.process.load() != next.process || wait.thread.load() != next.thread)
            continue;
        wake(wait);
        if (wait.wakesBySignal.load())
            sendWakeSignal(next.process, m_inode);
    }
    return true;
}

bool ProgramClock::usesOnlyVirtualClock(pid_t process) const
{
    const auto isIts = [process](const PageProcess &entry) { return entry.id.load() == process; };
    return std::ranges::any_of(m_page.processes, isIts) && hasMapped(process, m_inode);
}

bool ProgramClock::hasMachineTimers(pid_t process) const
{
    return std::ranges::any_of(m_page.processes, [process](const PageProcess &entry) {
        return entry.id.load() == process && entry.hasMachineTimers.load();
    });
}

quint64 ProgramClock::readings(ViewNumber view) const
{
    quint64 readings = 0;
    for (const PageProcess &entry : m_page.processes) {
        if (entry.id.load() > 0 && entry.view.load() == view)
            readings += entry.readings.load();
    }
    return readings;
}

std::vector<pid_t> ProgramClock::processes(ViewNumber view) const
{
    std::vector<pid_t> found;
    for (PageProcess &entry : m_page.processes) {
        pid_t process = entry.id.load();
        if (process <= 0)
            continue;
        if (!hasMapped(process, m_inode))
            entry.id.compare_exchange_strong(process, 0); // Not checked again.
        else if (entry.view.load() == view)
            found.push_back(process);
    }
    return found;
}

std::vector<pid_t> ProgramClock::registered() const
{
    std::vector<pid_t> found;
    for (const PageProcess &entry : m_page.processes) {
        if (const pid_t process = entry.id.load(); process > 0)
            found.push_back(process);
    }
    return found;
}

std::vector<ProgramClock::Timer> ProgramClock::timers() const
{
    std::map<pid_t, bool> isKnown; // One check for each process, however many of its threads wait.
    std::vector<Timer> found;
    const auto add = [&](auto &place, pid_t thread) {
        const Timer timer {place.process.load(), thread, fromPage(place.deadline.load()), place.number.load()};
        if (timer.process <= 0 || timer.at == fromPage(never))
            return;
        const auto [known, isNew] = isKnown.try_emplace(timer.process);
        if (isNew)
            known->second = usesOnlyVirtualClock(timer.process);
        pid_t ended = timer.process;
        if (known->second)
            found.push_back(timer);
        else if (!hasMapped(ended, m_inode))
            place.process.compare_exchange_strong(ended, 0); // Not checked again.
    };
    for (PageWait &wait : m_page.usedWaits())
        add(wait, wait.thread.load());
    for (std::size_t place = 0; place < m_page.timers.size(); ++place) {
        PageTimer &timer = m_page.timers[place];
        if (timer.process.load() > 0 && (timer.kind.load() != PageTimer::Descriptor || isOpen(timer)))
            add(timer, threadOf(place));
    }
    std::ranges::sort(found, {}, [](const Timer &timer) { return std::tuple(timer.at, timer.process, timer.thread); });
    return found;
}

std::optional<MonotonicTime> ProgramClock::nextTimer(pid_t process) const
{
    for (const Timer &timer : timers()) {
        if (timer.process == process)
            return timer.at;
    }
    return std::nullopt;
}

int ProgramClock::refusals() const
{
    return static_cast<int>(m_page.refusals.load());
}

} // namespace latchkey::shim
