#pragma once

#include "core/foundation/base/clock.h"

#include <QtGlobal>

#include <algorithm>
#include <array>
#include <atomic>

// The data that the hammer's workers and their test share. See tst_hammer.cpp.

namespace latchkey::test {

/// A clock that runs faster than the machine's. It is the same for all users with an equal start. With leases in whole
/// seconds, hours pass in minutes. Only for clients that keep time among themselves; the server is not affected.
class FastClock final : public base::Clock
{
public:
    FastClock(base::MonotonicTime begin, base::WallTime wallBegin, int speed)
        : m_begin(begin)
        , m_wallBegin(wallBegin)
        , m_speed(speed)
    {}

    [[nodiscard]] base::MonotonicTime now() const override { return m_begin + passed(); }
    [[nodiscard]] base::WallTime wallNow() const override
    {
        return m_wallBegin + std::chrono::floor<std::chrono::milliseconds>(passed());
    }

private:
    [[nodiscard]] std::chrono::nanoseconds passed() const
    {
        return (base::SystemClock::instance().now() - m_begin) * m_speed;
    }

    const base::MonotonicTime m_begin;
    const base::WallTime m_wallBegin;
    const int m_speed;
};

/// The state of one worker in shared memory. All zero: the slot is free.
struct WorkerState
{
    /// End of the validity of the current hold; zero without a hold. Set after a successful acquire and cleared before
    /// the first command of the release, so that a reader can rely on it.
    std::atomic<qint64> validUntil;
    std::atomic<bool> believesToHold; ///< Set from the end of acquire to the end of release.
    std::atomic<bool> isToBeKilled;   ///< Set before the worker is killed; a dead worker does not hold the lock.
};

/// A resource that lock holders write to. It accepts every write, or checks fencing numbers.
///
/// Its state is one word, so that a killed writer cannot leave a partial change. The word has the largest accepted
/// number, and the latest start of an acquire among the holders that have written (in microseconds of the run, from 1).
class Resource final
{
public:
    struct Hold
    {
        quint32 number;       ///< Fencing number; zero without one.
        quint32 acquireBegan; ///< Time before the first command.
        quint32 acquired;     ///< Time after the last reply.
    };
    enum class Outcome : quint8 { Taken, TakenStale, Refused };

    /// Writes to the resource. A write is stale if a holder that began to acquire after this holder had the lock has
    /// written before. The check uses only the times of the acquisitions, so it also finds numbers that do not
    /// increase.
    Outcome write(const Hold &hold, bool looksAtNumbers)
    {
        quint64 old = m_state.load();
        for (;;) {
            const auto number = static_cast<quint32>(old >> 32);
            const auto latest = static_cast<quint32>(old);
            if (looksAtNumbers && hold.number < number)
                return Outcome::Refused;
            const quint64 next =
                quint64(std::max(number, hold.number)) << 32 | quint64(std::max(latest, hold.acquireBegan));
            if (m_state.compare_exchange_weak(old, next))
                return latest > hold.acquired ? Outcome::TakenStale : Outcome::Taken;
        }
    }

private:
    std::atomic<quint64> m_state;
};

/// The memory that all processes of a run share, independent of the lock. Zero bytes are its initial state, except for
/// the constants, which the test sets before it starts a worker.
struct SharedState
{
    static constexpr std::size_t workers = 16;

    base::MonotonicTime begin;
    base::WallTime wallBegin;
    int clockSpeed;
    std::chrono::milliseconds lease; ///< In the time of that clock.
    quint64 seed;

    /// Time of the machine's clock until which no worker may start to acquire. So a lease can end that every attempt
    /// would extend.
    std::atomic<qint64> pausedUntil;

    std::array<WorkerState, workers> workerStates;
    Resource trusting; ///< Accepts every write.
    Resource fenced;   ///< Checks fencing numbers, if there are any.

    std::atomic<qint64> attempts;     ///< Number of finished attempts.
    std::atomic<qint64> failures;     ///< Number of failed attempts and releases: neither won nor lost.
    std::atomic<qint64> acquisitions; ///< Number of acquired locks.
    std::atomic<qint64> overruns;     ///< Number of holds with a validity that was over before the release.
    std::atomic<qint64> overlaps;     ///< Number of holders that met another holder, both valid at that moment.
    std::atomic<qint64> lostHolds;    ///< Number of holders that lost a valid lock without a release.
    std::atomic<qint64> staleTrusting;
    std::atomic<qint64> staleFenced;
    std::atomic<qint64> refused;

    [[nodiscard]] FastClock clock() const { return {begin, wallBegin, clockSpeed}; }
};
static_assert(std::atomic<qint64>::is_always_lock_free && std::atomic<quint64>::is_always_lock_free
                  && std::atomic<bool>::is_always_lock_free,
              "what processes share must not have a lock of its own");

} // namespace latchkey::test
