#pragma once

#include "core/redis/exchange/script.h"
#include "core/redis/exchange/step.h"

#include <algorithm>
#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace latchkey::exchange {

template<typename T>
class Exchange;

/// An exchange within an exchange, with a deadline for its commands.
template<typename T>
struct WithDeadline
{
    base::MonotonicTime deadline;
    Exchange<T> exchange;
};

/// Limits the time of an inner exchange: `co_await dueBy(validUntil, lock.extend(token, lease))`. A command without a
/// reply at the deadline fails with TimedOut. A command that cannot be sent before the deadline fails with Unreachable.
/// The earliest of nested deadlines applies. Pauses are not shortened: an exchange decides how long it pauses.
template<typename T>
[[nodiscard]] WithDeadline<T> dueBy(base::MonotonicTime deadline, Exchange<T> exchange)
{
    return WithDeadline<T> {deadline, std::move(exchange)};
}

/// A command whose failure does not end the exchange: `co_await tentatively(...)` returns an Answer.
struct Tentative
{
    Request request;
};
[[nodiscard]] inline Tentative tentatively(Request request)
{
    return Tentative {std::move(request)};
}
[[nodiscard]] inline Tentative tentatively(resp::Command command)
{
    return Tentative {Request(std::move(command))};
}

/// Returns a step that reads the clocks: `const Instant before = co_await now();`
[[nodiscard]] inline ReadClock now()
{
    return {};
}

/// Returns a step that draws a new, unique token: `const OwnerToken token = co_await freshToken();`
[[nodiscard]] inline DrawToken freshToken()
{
    return {};
}

/// The state of a tree of nested exchanges: the coroutine to resume, the step that it waits for, and the grant.
///
/// An exchange shares it with the exchanges that it awaits, so that a driver sees one sequence of steps at any depth.
/// Owned by the Stepper that drives the outermost exchange.
struct ExchangeState
{
    std::coroutine_handle<> leaf; ///< Innermost unfinished coroutine; null when all have ended.
    Step step;
    Grant grant;
    base::MonotonicTime deadline = base::MonotonicTime::max(); ///< Deadline of the step's commands; see dueBy().
};

namespace detail {

/// An awaiter of a step. It stores the step in the ExchangeState, and takes the grant on resumption. Only the Stepper
/// resumes coroutines, in a loop, so a million nested exchanges use no stack.
class StepAwaiter
{
public:
    [[nodiscard]] bool await_ready() const noexcept { return false; }

    void await_suspend(std::coroutine_handle<> handle)
    {
        m_state->leaf = handle;
        m_state->step = std::move(m_step);
    }

protected:
    StepAwaiter(ExchangeState *state, Step step)
        : m_state(state)
        , m_step(std::move(step))
    {}

    template<typename G>
    [[nodiscard]] G takeGrant()
    {
        return std::get<G>(std::exchange(m_state->grant, Grant()));
    }

private:
    ExchangeState *m_state; // Not owned.
    Step m_step;
};

/// An awaiter of one command. It returns the reply, or throws the failure.
class ReplyAwaiter final : public StepAwaiter
{
public:
    ReplyAwaiter(ExchangeState *state, Request request)
        : StepAwaiter(state, std::move(request))
    {}
    [[nodiscard]] resp::Reply await_resume()
    {
        auto answer = takeGrant<Answer>();
        if (!answer)
            throw base::Failure(std::move(answer.error()));
        return std::move(*answer);
    }
};

/// An awaiter that returns the grant unchanged.
template<typename G>
class GrantAwaiter final : public StepAwaiter
{
public:
    GrantAwaiter(ExchangeState *state, Step step)
        : StepAwaiter(state, std::move(step))
    {}
    [[nodiscard]] G await_resume() { return takeGrant<G>(); }
};

/// An awaiter of a pause.
class PauseAwaiter final : public StepAwaiter
{
public:
    PauseAwaiter(ExchangeState *state, Pause pause)
        : StepAwaiter(state, pause)
    {}
    void await_resume() { (void)takeGrant<PauseDone>(); }
};

template<typename T>
class ExchangeAwaiter;

/// The common part of all promise types of exchanges: it converts awaited values into awaiters. At the end of the
/// coroutine, the awaiting coroutine becomes the one to resume.
class PromiseBase
{
public:
    struct FinalAwaiter
    {
        [[nodiscard]] bool await_ready() const noexcept { return false; }
        template<typename Promise>
        void await_suspend(std::coroutine_handle<Promise> ended) const noexcept
        {
            const PromiseBase &promise = ended.promise();
            promise.m_state->leaf = promise.m_continuation;
        }
        void await_resume() const noexcept {}
    };

    [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
    [[nodiscard]] FinalAwaiter final_suspend() const noexcept { return {}; }
    void unhandled_exception() { m_exception = std::current_exception(); }

    [[nodiscard]] ReplyAwaiter await_transform(resp::Command command) { return {m_state, Request(std::move(command))}; }
    [[nodiscard]] ReplyAwaiter await_transform(Request request) { return {m_state, std::move(request)}; }
    [[nodiscard]] GrantAwaiter<Answer> await_transform(Tentative tentative)
    {
        return {m_state, std::move(tentative.request)};
    }
    [[nodiscard]] GrantAwaiter<Answers> await_transform(Batch batch) { return {m_state, std::move(batch)}; }
    [[nodiscard]] GrantAwaiter<Instant> await_transform(ReadClock step) { return {m_state, step}; }
    [[nodiscard]] GrantAwaiter<base::OwnerToken> await_transform(DrawToken step) { return {m_state, step}; }
    [[nodiscard]] PauseAwaiter await_transform(Pause step) { return {m_state, step}; }
    [[nodiscard]] ExchangeAwaiter<resp::Reply> await_transform(ScriptCall evaluation);
    template<typename U>
    [[nodiscard]] ExchangeAwaiter<U> await_transform(Exchange<U> exchange);
    template<typename U>
    [[nodiscard]] ExchangeAwaiter<U> await_transform(WithDeadline<U> due);

    void enter(ExchangeState *state, std::coroutine_handle<> continuation)
    {
        m_state = state;
        m_continuation = continuation;
    }

protected:
    void rethrow() const
    {
        if (m_exception)
            std::rethrow_exception(m_exception);
    }

private:
    ExchangeState *m_state = nullptr; // Not owned.
    std::coroutine_handle<> m_continuation;
    std::exception_ptr m_exception;
};

template<typename T>
class Promise final : public PromiseBase
{
public:
    [[nodiscard]] Exchange<T> get_return_object();
    template<typename Value>
    void return_value(Value &&value)
    {
        m_value.emplace(std::forward<Value>(value));
    }
    /// Returns the value of a finished coroutine, or throws the failure that ended it.
    [[nodiscard]] T take()
    {
        rethrow();
        return std::move(*m_value);
    }

private:
    std::optional<T> m_value;
};

template<>
class Promise<void> final : public PromiseBase
{
public:
    [[nodiscard]] Exchange<void> get_return_object();
    void return_void() const noexcept {}
    void take() const { rethrow(); }
};

} // namespace detail

/// A conversation with servers that has not started yet: a coroutine without I/O.
///
/// It co_awaits steps (commands, batches, the clock, a pause, a fresh token, other exchanges), and a driver executes
/// them. So the same code serves the command line, the window, and a race finder that tries every order. A failed
/// command ends the exchange with its typed error, unless it was awaited tentatively. The class is move-only and owns
/// the coroutine; its destruction cancels the coroutine at any point. An exchange does not start automatically. A
/// BlockingDriver, a LoopDriver or a Stepper drives it once.
///
/// Rule for all awaiting code, which tst_coawait checks: a co_await is alone in its statement, and the awaited
/// expression contains no braces. GCC 12 miscompiles many other forms, mostly as silent double frees.
template<typename T>
class [[nodiscard]] Exchange final
{
public:
    using promise_type = detail::Promise<T>;
    using Handle = std::coroutine_handle<promise_type>;

    Exchange(Exchange &&other) noexcept
        : m_handle(std::exchange(other.m_handle, {}))
    {}
    Exchange &operator=(Exchange &&other) noexcept
    {
        std::swap(m_handle, other.m_handle);
        return *this;
    }
    Exchange(const Exchange &) = delete;
    Exchange &operator=(const Exchange &) = delete;
    ~Exchange()
    {
        if (m_handle)
            m_handle.destroy();
    }

    /// Returns the handle, for drivers and awaiters. The exchange keeps its ownership.
    [[nodiscard]] Handle handle() const { return m_handle; }

private:
    friend promise_type;
    explicit Exchange(Handle handle)
        : m_handle(handle)
    {}

    Handle m_handle;
};

namespace detail {

/// An awaiter of an inner exchange. It lowers the deadline while the inner exchange runs.
template<typename T>
class ExchangeAwaiter final
{
public:
    ExchangeAwaiter(ExchangeState *state, Exchange<T> exchange,
                    base::MonotonicTime deadline = base::MonotonicTime::max())
        : m_state(state)
        , m_exchange(std::move(exchange))
        , m_outerDeadline(state->deadline)
        , m_deadline(std::min(deadline, state->deadline))
    {}

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> awaiting)
    {
        m_exchange.handle().promise().enter(m_state, awaiting);
        m_state->leaf = m_exchange.handle();
        m_state->deadline = m_deadline;
    }
    T await_resume()
    {
        m_state->deadline = m_outerDeadline; // Before take(), which may throw.
        return m_exchange.handle().promise().take();
    }

private:
    ExchangeState *m_state; // Not owned.
    Exchange<T> m_exchange;
    base::MonotonicTime m_outerDeadline;
    base::MonotonicTime m_deadline;
};

template<typename U>
ExchangeAwaiter<U> PromiseBase::await_transform(Exchange<U> exchange)
{
    return {m_state, std::move(exchange)};
}

template<typename U>
ExchangeAwaiter<U> PromiseBase::await_transform(WithDeadline<U> due)
{
    return {m_state, std::move(due.exchange), due.deadline};
}

inline ExchangeAwaiter<resp::Reply> PromiseBase::await_transform(ScriptCall evaluation)
{
    return {m_state, evaluate(std::move(evaluation))};
}

template<typename T>
Exchange<T> Promise<T>::get_return_object()
{
    return Exchange<T>(Exchange<T>::Handle::from_promise(*this));
}

inline Exchange<void> Promise<void>::get_return_object()
{
    return Exchange<void>(Exchange<void>::Handle::from_promise(*this));
}

} // namespace detail

} // namespace latchkey::exchange
