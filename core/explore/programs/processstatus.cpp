#include "core/explore/programs/processstatus.h"

#include <algorithm>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <unistd.h>
#include <vector>

namespace latchkey::programs {

namespace {

QByteArray contentsOf(const QByteArray &path)
{
    const int file = ::open(path.constData(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return {};
    QByteArray contents(4096, Qt::Uninitialized);
    const ssize_t count = ::read(file, contents.data(), static_cast<std::size_t>(contents.size()));
    ::close(file);
    contents.resize(std::max<ssize_t>(count, 0));
    return contents;
}

/// A sleeping thread, with its number of voluntary context switches.
struct Sleeper
{
    QByteArray thread;
    QByteArray sleeps;

    friend bool operator==(const Sleeper &, const Sleeper &) = default;
};

QByteArray lineOf(const QByteArray &status, QByteArrayView name)
{
    const qsizetype begin = status.indexOf(name);
    return begin < 0 ? QByteArray() : status.mid(begin, status.indexOf('\n', begin) - begin);
}

/// Returns whether the process is gone or a zombie.
bool isDead(const QByteArray &status)
{
    const QByteArray state = lineOf(status, "State:");
    return state.isEmpty() || state.contains("Z (") || state.contains("X (");
}

/// Returns whether the thread computes (R) or waits for a disk (D). In every other state it waits for an event.
bool hasRunningState(const QByteArray &status)
{
    const QByteArray state = lineOf(status, "State:");
    return state.contains("R (") || state.contains("D (");
}

/// Adds every thread of the process and of its descendants. Returns false if one of them is working.
bool addSleepers(const QByteArray &process, std::vector<Sleeper> &sleepers)
{
    const QByteArray tasks = "/proc/" + process + "/task";
    const std::unique_ptr<DIR, int (*)(DIR *)> folder(::opendir(tasks.constData()), ::closedir);
    if (!folder)
        return true;
    while (const dirent *entry = ::readdir(folder.get())) {
        if (entry->d_name[0] == '.')
            continue;
        const QByteArray task = tasks + '/' + entry->d_name;
        const QByteArray status = contentsOf(task + "/status");
        if (hasRunningState(status))
            return false;
        sleepers.push_back({entry->d_name, lineOf(status, "voluntary_ctxt_switches:")});
        for (const QByteArray &child : contentsOf(task + "/children").split(' ')) {
            if (!child.isEmpty() && !addSleepers(child, sleepers))
                return false;
        }
    }
    return true;
}

/// Adds the threads of all processes of the clock too: a descendant whose parent has ended is a child of another
/// process.
bool addSleepers(const QByteArray &process, const shim::ProgramClock *clock, std::vector<Sleeper> &sleepers)
{
    if (!addSleepers(process, sleepers))
        return false;
    for (const pid_t other : clock == nullptr ? std::vector<pid_t>() : clock->registered()) {
        const QByteArray id = QByteArray::number(other);
        const bool isKnown = std::ranges::find(sleepers, id, &Sleeper::thread) != sleepers.end();
        if (!isKnown && clock->usesOnlyVirtualClock(other) && !addSleepers(id, sleepers))
            return false;
    }
    return true;
}

} // namespace

QByteArray statusLine(const QByteArray &process, QByteArrayView name)
{
    return lineOf(contentsOf("/proc/" + process + "/status"), name);
}

bool isAsleep(const QByteArray &process, const shim::ProgramClock *clock)
{
    // Threads are inspected one after the other. A thread that was asleep may be woken by the next one before that one
    // falls asleep. A thread that sleeps at both inspections without a new context switch has slept all the time. If
    // this is true of all threads, all slept at the end of the first inspection.
    std::vector<Sleeper> first;
    std::vector<Sleeper> second;
    // A process that has just died is not asleep. Its end is noticed soon.
    return addSleepers(process, clock, first) && addSleepers(process, clock, second) && first == second
        && !isDead(contentsOf("/proc/" + process + "/status"));
}

std::chrono::milliseconds computingTime(const QByteArray &process)
{
    // The name of the program is in parentheses and may contain spaces.
    const QByteArray stat = contentsOf("/proc/" + process + "/stat");
    const QByteArrayList fields = stat.mid(stat.lastIndexOf(')') + 2).split(' ');
    constexpr qsizetype first = 11; // utime, stime, cutime and cstime.
    constexpr qsizetype count = 4;
    qint64 ticks = 0;
    for (const QByteArray &field : fields.mid(first, count))
        ticks += field.toLongLong();
    return std::chrono::milliseconds(ticks * 1000 / ::sysconf(_SC_CLK_TCK));
}

bool descendantsUseOnlyVirtualClock(const QByteArray &process, const shim::ProgramClock &clock)
{
    const pid_t id = process.toInt();
    const QByteArray tasks = "/proc/" + process + "/task";
    const std::unique_ptr<DIR, int (*)(DIR *)> folder(::opendir(tasks.constData()), ::closedir);
    if (!folder || isDead(contentsOf("/proc/" + process + "/status")))
        return true;
    if (!clock.usesOnlyVirtualClock(id) || clock.hasMachineTimers(id))
        return false;
    while (const dirent *entry = ::readdir(folder.get())) {
        if (entry->d_name[0] == '.')
            continue;
        for (const QByteArray &child : contentsOf(tasks + '/' + entry->d_name + "/children").split(' ')) {
            if (!child.isEmpty() && !descendantsUseOnlyVirtualClock(child, clock))
                return false;
        }
    }
    return true;
}

} // namespace latchkey::programs
