#pragma once

#include "core/base/clock.h"

#include <QtGlobal>

#include <algorithm>
#include <array>
#include <atomic>

// What the hammer's workers and the test that drives them share. See tst_hammer.cpp.

namespace latchkey::test {

/// A clock that runs faster than the machine's, the same for all who share its beginning: where leases are whole
/// seconds, hours of them pass in minutes. Only for clients that keep time among themselves; a server knows nothing
/// of it.
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

/// What one worker says about itself. Zero bytes are a seat that nobody has.
struct Seat
{
    /// Inside, and until when by its own validity; zero: outside. Set behind a successful acquire and cleared before
    /// the first command of the release, so its reader has its owner inside at that moment.
    std::atomic<qint64> validUntil;
    std::atomic<bool> believesToHold; ///< Between the end of acquire and that of release.
    std::atomic<bool> condemned;      ///< About to be killed, or dead already: not inside any more.
};

/// Something that lock holders write to. It takes any write, or it looks at fencing numbers.
///
/// In one word, so that a writer that is killed cannot leave it half changed: the largest number that was taken, and
/// when the latest acquire began among those whose holders have written (in microseconds of the run, from 1).
class Resource final
{
public:
    struct Hold
    {
        quint32 number;       ///< The fencing number; zero without.
        quint32 acquireBegan; ///< Before its first command was sent.
        quint32 acquired;     ///< Behind its last reply.
    };
    enum class Outcome : quint8 { Taken, TakenStale, Refused };

    /// Stale is a write behind one by a holder that began to acquire when this one had the lock already. That is
    /// decided by the times of the acquisitions alone, so it also finds numbers that do not grow.
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

/// The witness outside the lock: memory that all processes of a run share. Zero bytes are its beginning, but for the
/// constants, which the test sets before it starts a worker.
struct Witness
{
    static constexpr std::size_t workers = 16;

    base::MonotonicTime begin;
    base::WallTime wallBegin;
    int clockSpeed;
    std::chrono::milliseconds lease; ///< By that clock.
    quint64 seed;

    /// Until then (by the machine's clock) nobody begins to acquire, so that a lease can end which every attempt would
    /// make longer.
    std::atomic<qint64> lullUntil;

    std::array<Seat, workers> seats;
    Resource trusting; ///< Takes whatever a holder writes.
    Resource fenced;   ///< Looks at the numbers, where there are any.

    std::atomic<qint64> attempts;     ///< That have ended.
    std::atomic<qint64> failures;     ///< Of these, and of releases: neither won nor lost.
    std::atomic<qint64> acquisitions; ///< Won.
    std::atomic<qint64> overruns;     ///< Of these: validity was over before the release.
    std::atomic<qint64> overlaps;     ///< Somebody came in who met another inside, both valid at that moment.
    std::atomic<qint64> robberies;    ///< A holder inside its validity had its lock no longer, without a release.
    std::atomic<qint64> staleTrusting;
    std::atomic<qint64> staleFenced;
    std::atomic<qint64> refused;

    [[nodiscard]] FastClock clock() const { return {begin, wallBegin, clockSpeed}; }
};
static_assert(std::atomic<qint64>::is_always_lock_free && std::atomic<quint64>::is_always_lock_free
                  && std::atomic<bool>::is_always_lock_free,
              "what processes share must not have a lock of its own");

} // namespace latchkey::test
