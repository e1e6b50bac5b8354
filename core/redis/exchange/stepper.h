#pragma once

#include "core/redis/exchange/exchange.h"

#include <functional>
#include <memory>

namespace latchkey::exchange {

/// The common part of all drivers: it resumes an exchange until the next step, and accepts the grant.
///
/// A Stepper is also a driver of its own: its owner sees each step before its execution, and decides on the grant and
/// its time. Stories use it to execute one command per click, and the race finder to try every order. Owns the
/// coroutine through Stepper<T>.
class StepperBase
{
public:
    Q_DISABLE_COPY_MOVE(StepperBase)

    /// Returns the step that the exchange waits for; std::monostate if it has ended.
    [[nodiscard]] const Step &step() const { return m_state.step; }
    [[nodiscard]] bool isFinished() const { return m_state.leaf == nullptr; }
    /// Returns the deadline of step(); the maximum time if the exchange has none. See dueBy().
    [[nodiscard]] base::MonotonicTime deadline() const { return m_state.deadline; }

    /// Passes the grant for step() and resumes the exchange until the next step or the end. The alternative of Grant
    /// must fit the step.
    void grant(Grant grant);

    /// Grants one command's reply.
    void grant(resp::Reply reply) { grant(Grant(answerFrom(std::move(reply)))); }

protected:
    StepperBase() = default;
    ~StepperBase() = default;

    [[nodiscard]] ExchangeState &state() { return m_state; }
    /// Resumes coroutines in a loop, not recursively, until a step is due or all have ended.
    void advance();

private:
    ExchangeState m_state;
};

/// A StepperBase for exchanges that end in a T. Owns the coroutine.
template<typename T>
class Stepper final : public StepperBase
{
public:
    /// Starts the exchange and runs it to its first step.
    explicit Stepper(Exchange<T> exchange)
        : m_exchange(std::move(exchange))
    {
        m_exchange.handle().promise().enter(&state(), {});
        state().leaf = m_exchange.handle();
        advance();
    }

    /// Returns the result after isFinished(): the value, or the error that ended the exchange. To be called once.
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

/// An exchange with a result of any type, and the receiver of the result. Owned by the driver that executes it.
class RunningExchange final
{
public:
    /// Runs the exchange to its first step.
    template<typename T>
    RunningExchange(Exchange<T> exchange, std::function<void(base::Result<T>)> done)
    {
        const auto stepper = std::make_shared<Stepper<T>>(std::move(exchange));
        m_stepper = stepper;
        m_finish = [stepper, done = std::move(done)] { done(stepper->takeResult()); };
    }

    [[nodiscard]] StepperBase &stepper() const { return *m_stepper; }
    /// Passes the result to its receiver. To be called once, after StepperBase::isFinished().
    void finish() const { m_finish(); }

private:
    std::shared_ptr<StepperBase> m_stepper;
    std::function<void()> m_finish;
};

} // namespace latchkey::exchange
