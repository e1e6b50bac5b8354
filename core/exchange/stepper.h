#pragma once

#include "core/exchange/exchange.h"

namespace latchkey::exchange {

/// What every driver has in common: resumes an exchange until it asks for something, and takes what it is granted.
///
/// Also the third driver by itself: the holder of a Stepper sees each step before it is carried out, and decides what
/// is granted, and when. Stories advance one command per click with it; the race finder plays every order.
/// Owns the coroutine by way of Stepper<T>.
class StepperBase
{
public:
    Q_DISABLE_COPY_MOVE(StepperBase)

    /// What the exchange waits for; std::monostate once it has ended.
    [[nodiscard]] const Step &step() const { return m_progress.step; }
    [[nodiscard]] bool isFinished() const { return m_progress.leaf == nullptr; }
    /// By when the answers to step() are due; the end of time where the exchange has set none. See dueBy().
    [[nodiscard]] base::MonotonicTime deadline() const { return m_progress.deadline; }

    /// Gives what step() asked for, an alternative of Grant that fits it, and runs on to the next step or the end.
    void grant(Grant grant);

    /// The same for one command's reply.
    void grant(resp::Reply reply) { grant(Grant(answerFrom(std::move(reply)))); }

protected:
    StepperBase() = default;
    ~StepperBase() = default;

    [[nodiscard]] Progress &progress() { return m_progress; }
    /// Resumes, in a loop rather than one from the other, until a step is due or everything has ended.
    void advance();

private:
    Progress m_progress;
};

/// A StepperBase for exchanges that end in a T. Owns the coroutine.
template<typename T>
class Stepper final : public StepperBase
{
public:
    /// Runs the exchange up to its first step.
    explicit Stepper(Exchange<T> exchange)
        : m_exchange(std::move(exchange))
    {
        m_exchange.handle().promise().enter(&progress(), {});
        progress().leaf = m_exchange.handle();
        advance();
    }

    /// The outcome, once isFinished(): the value, or the error that ended it. Once only.
    [[nodiscard]] base::Result<T> takeResult()
    {
        Q_ASSERT(isFinished());
        try {
            if constexpr (std::is_void_v<T>) {
                m_exchange.handle().promise().take();
                return {};
            } else {
                return m_exchange.handle().promise().take();
            }
        } catch (const base::Failure &failure) {
            return base::failure(failure.error());
        }
    }

private:
    Exchange<T> m_exchange;
};

} // namespace latchkey::exchange
