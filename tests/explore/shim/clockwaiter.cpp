// Waits for three seconds in the given way, and prints how the wait ended and how long it took. No other event ends the
// wait. A helper of tst_timedwaits.

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <shared_mutex>
#include <string>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

#include <linux/futex.h>

using namespace std::chrono_literals;

namespace {

timespec in3Seconds(clockid_t clock)
{
    timespec time {};
    clock_gettime(clock, &time);
    time.tv_sec += 3;
    return time;
}

const char *name(int result)
{
    return result == 0 ? "over" : std::strerror(errno);
}

/// Each function returns how the wait ended.
const std::map<std::string, std::function<std::string()>> ways {
    {"sleep_for",
     [] {
         std::this_thread::sleep_for(3s);
         return "over";
     }},
    {"sleep_until",
     [] {
         std::this_thread::sleep_until(std::chrono::system_clock::now() + 3s);
         return "over";
     }},
    {"sleep", [] { return name(static_cast<int>(::sleep(3))); }},
    {"usleep", [] { return name(::usleep(3'000'000)); }},
    {"condition",
     [] {
         std::mutex mutex;
         std::condition_variable condition;
         std::unique_lock lock(mutex);
         return condition.wait_for(lock, 3s) == std::cv_status::timeout ? "over" : "woken";
     }},
    {"condition_by_date",
     [] {
         pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
         pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
         pthread_mutex_lock(&mutex);
         const timespec until = in3Seconds(CLOCK_REALTIME);
         errno = pthread_cond_timedwait(&condition, &mutex, &until);
         return name(errno);
     }},
    {"future",
     [] {
         std::promise<int> never;
         return never.get_future().wait_for(3s) == std::future_status::timeout ? "over" : "?";
     }},
    {"timed_mutex",
     [] {
         std::timed_mutex mutex;
         mutex.lock();
         bool hasIt = true;
         std::thread([&] { hasIt = mutex.try_lock_for(3s); }).join();
         return hasIt ? "locked" : "over";
     }},
    {"semaphore",
     [] {
         sem_t semaphore;
         sem_init(&semaphore, 0, 0);
         const timespec until = in3Seconds(CLOCK_REALTIME);
         return name(sem_timedwait(&semaphore, &until));
     }},
    {"futex",
     [] {
         std::atomic<int> word {7};
         const timespec time {3, 0};
         return name(static_cast<int>(::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 7, &time, nullptr, 0)));
     }},
    {"futex_until",
     [] {
         std::atomic<int> word {7};
         const timespec until = in3Seconds(CLOCK_MONOTONIC);
         return name(static_cast<int>(
             ::syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 7, &until, nullptr, FUTEX_BITSET_MATCH_ANY)));
     }},
    {"poll", [] { return name(::poll(nullptr, 0, 3000)); }},
    {"ppoll",
     [] {
         const timespec time {3, 0};
         return name(::ppoll(nullptr, 0, &time, nullptr));
     }},
    {"select",
     [] {
         timeval time {3, 0};
         return name(::select(0, nullptr, nullptr, nullptr, &time));
     }},
    {"pselect",
     [] {
         const timespec time {3, 0};
         return name(::pselect(0, nullptr, nullptr, nullptr, &time, nullptr));
     }},
    {"epoll_wait",
     [] {
         epoll_event event {};
         return name(::epoll_wait(::epoll_create1(0), &event, 1, 3000));
     }},
    {"sigtimedwait",
     [] {
         sigset_t awaited {};
         sigemptyset(&awaited);
         sigaddset(&awaited, SIGUSR1);
         const timespec time {3, 0};
         return ::sigtimedwait(&awaited, nullptr, &time) == -1 && errno == EAGAIN ? "over" : "signalled";
     }},
    {"epoll_pwait2",
     [] {
         epoll_event event {};
         const timespec time {3, 0};
         return name(::epoll_pwait2(::epoll_create1(0), &event, 1, &time, nullptr));
     }},
};

void say(const std::string &line)
{
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
}

/// Waits that only a signal handler ends.
void waitForSignal()
{
    struct sigaction action {};
    action.sa_handler = [](int) {};
    action.sa_flags = SA_RESTART; // Not effective for a sleep.
    sigaction(SIGUSR1, &action, nullptr);
    say("ready");
    const timespec time {3, 0};
    timespec left {};
    const int slept = ::nanosleep(&time, &left);
    say(std::string(name(slept)) + " " + std::to_string(left.tv_sec));
    say(name(::poll(nullptr, 0, 3000)));
}

/// Cancels threads that wait for a condition, sleep or poll, and checks that they end.
void cancel()
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    static std::atomic<int> inside;
    const auto unlock = [](void *) { pthread_mutex_unlock(&mutex); };
    static const auto unlocking = static_cast<void (*)(void *)>(unlock);
    const std::array<void *(*)(void *), 3> bodies {
        [](void *) -> void * {
            pthread_mutex_lock(&mutex);
            pthread_cleanup_push(unlocking, nullptr);
            ++inside;
            for (;;)
                pthread_cond_wait(&condition, &mutex);
            pthread_cleanup_pop(1);
            return nullptr;
        },
        [](void *) -> void * {
            ++inside;
            ::sleep(3);
            return nullptr;
        },
        [](void *) -> void * {
            ++inside;
            ::poll(nullptr, 0, 3000);
            return nullptr;
        },
    };
    for (const auto body : bodies) {
        pthread_t thread {};
        const int before = inside;
        pthread_create(&thread, nullptr, body, nullptr);
        while (inside == before)
            std::this_thread::yield();
        pthread_cancel(thread);
        void *result = nullptr;
        pthread_join(thread, &result);
        say(result == PTHREAD_CANCELED ? "cancelled" : "returned");
    }
    say(pthread_mutex_trylock(&mutex) == 0 ? "free" : "locked");
}

/// Waits on the machine's clock and measures the time with /proc, which no virtual clock affects.
void waitByMachine()
{
    const auto uptime = [] {
        double seconds = 0;
        std::ifstream("/proc/uptime") >> seconds;
        return seconds;
    };
    std::shared_timed_mutex mutex;
    mutex.lock();
    const double before = uptime();
    std::thread([&] { say(mutex.try_lock_shared_for(300ms) ? "locked" : "over"); }).join();
    say(uptime() - before > 0.25 ? "in time" : "at once");
}

/// Lets two threads pass a number back and forth, each with a timeout that never ends.
void handOver()
{
    std::mutex mutex;
    std::condition_variable condition;
    int turn = 0;
    const auto play = [&](int parity) {
        for (int i = 0; i < 20'000; ++i) {
            std::unique_lock lock(mutex);
            while (turn % 2 != parity) {
                if (condition.wait_for(lock, 3s) == std::cv_status::timeout)
                    return say("timed out");
            }
            ++turn;
            condition.notify_all();
        }
    };
    std::thread other(play, 1);
    play(0);
    other.join();
    say(std::to_string(turn));
}

} // namespace

int main(int argc, char *argv[])
{
    (void)::syscall(SYS_alarm, 120U); // Ends the program even if the test fails. Not a timer of the clock.
    const std::string way = argc > 1 ? argv[1] : "";
    if (way == "signal")
        return waitForSignal(), 0;
    if (way == "cancel")
        return cancel(), 0;
    if (way == "machine")
        return waitByMachine(), 0;
    if (way == "hand over")
        return handOver(), 0;
    if (way == "list") {
        for (const auto &each : ways)
            say(each.first);
        return 0;
    }
    const auto before = std::chrono::steady_clock::now();
    const std::string ending = ways.at(way)();
    const auto took = std::chrono::steady_clock::now() - before;
    say(ending + ' ' + std::to_string(std::chrono::round<std::chrono::milliseconds>(took).count()));
    return 0;
}
