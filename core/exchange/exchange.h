#pragma once

#include "core/exchange/script.h"
#include "core/exchange/step.h"

#include <algorithm>
#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace latchkey::exchange {

template<typename T>
class Exchange;

/// An exchange within an exchange, with a time by which its commands are due.
template<typename T>
struct Due
{
    base::MonotonicTime deadline;
    Exchange<T> exchange;
};

/// `co_await dueBy(validUntil, lock.extend(token, lease))`: what the inner exchange asks of servers is answered by
/// then, or fails as a command does that has waited too long (TimedOut; Unreachable where it was too late to send it).
/// Of nested deadlines the earliest counts. Pauses are not cut short: an exchange knows how long it rests.
template<typename T>
[[nodiscard]] Due<T> dueBy(base::MonotonicTime deadline, Exchange<T> exchange)
{
    return Due<T> {deadline, std::move(exchange)};
}

/// A command whose failure the recipe wants to see as a value: `co_await tentatively(...)` gives an Answer.
struct Tentative
{
    Request ask;
};
[[nodiscard]] inline Tentative tentatively(Request ask)
{
    return Tentative {std::move(ask)};
}
[[nodiscard]] inline Tentative tentatively(resp::Command command)
{
    return Tentative {Request(std::move(command))};
}

/// What the clocks say: `const Instant before = co_await now();`
[[nodiscard]] inline ReadClock now()
{
    return {};
}

/// A token nobody has had before: `const OwnerToken token = co_await freshToken();`
[[nodiscard]] inline DrawToken freshToken()
{
    return {};
}

/// Where a tree of nested exchanges stands: which coroutine is to go on, what it waits for, what it was granted.
///
/// Shared by an exchange and those that it awaits, so that a driver sees one sequence of steps however deep they nest.
/// Owned by the Stepper that drives the outermost one.
struct Progress
{
    std::coroutine_handle<> leaf; ///< The innermost one that has not ended; null once all have.
    Step step;
    Grant grant;
    base::MonotonicTime deadline = base::MonotonicTime::max(); ///< By when the step's commands are due; see dueBy().
};

namespace detail {

/// The awaiters put a step into the progress, and on resumption take the grant out. None of them resumes anybody:
/// the Stepper does, in a loop, so that a million sub-exchanges use no stack.
class StepAwaiter
{
public:
    [[nodiscard]] bool await_ready() const noexcept { return false; }

    void await_suspend(std::coroutine_handle<> handle)
    {
        m_progress->leaf = handle;
        m_progress->step = std::move(m_step);
    }

protected:
    StepAwaiter(Progress *progress, Step step)
        : m_progress(progress)
        , m_step(std::move(step))
    {}

    template<typename G>
    [[nodiscard]] G takeGrant()
    {
        return std::get<G>(std::exchange(m_progress->grant, Grant()));
    }

private:
    Progress *m_progress; // Not owned.
    Step m_step;
};

class ReplyAwaiter final : public StepAwaiter
{
public:
    ReplyAwaiter(Progress *progress, Request ask)
        : StepAwaiter(progress, std::move(ask))
    {}
    [[nodiscard]] resp::Reply await_resume()
    {
        auto answer = takeGrant<Answer>();
        if (!answer)
            throw base::Failure(std::move(answer.error()));
        return std::move(*answer);
    }
};

/// Hands the grant on as it is.
template<typename G>
class GrantAwaiter final : public StepAwaiter
{
public:
    GrantAwaiter(Progress *progress, Step step)
        : StepAwaiter(progress, std::move(step))
    {}
    [[nodiscard]] G await_resume() { return takeGrant<G>(); }
};

class PauseAwaiter final : public StepAwaiter
{
public:
    PauseAwaiter(Progress *progress, Pause pause)
        : StepAwaiter(progress, pause)
    {}
    void await_resume() { (void)takeGrant<Rested>(); }
};

template<typename T>
class ExchangeAwaiter;

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
            promise.m_progress->leaf = promise.m_continuation;
        }
        void await_resume() const noexcept {}
    };

    [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
    [[nodiscard]] FinalAwaiter final_suspend() const noexcept { return {}; }
    void unhandled_exception() { m_exception = std::current_exception(); }

    [[nodiscard]] ReplyAwaiter await_transform(resp::Command command)
    {
        return {m_progress, Request(std::move(command))};
    }
    [[nodiscard]] ReplyAwaiter await_transform(Request ask) { return {m_progress, std::move(ask)}; }
    [[nodiscard]] GrantAwaiter<Answer> await_transform(Tentative tentative)
    {
        return {m_progress, std::move(tentative.ask)};
    }
    [[nodiscard]] GrantAwaiter<Answers> await_transform(Batch batch) { return {m_progress, std::move(batch)}; }
    [[nodiscard]] GrantAwaiter<Instant> await_transform(ReadClock step) { return {m_progress, step}; }
    [[nodiscard]] GrantAwaiter<base::OwnerToken> await_transform(DrawToken step) { return {m_progress, step}; }
    [[nodiscard]] PauseAwaiter await_transform(Pause step) { return {m_progress, step}; }
    [[nodiscard]] ExchangeAwaiter<resp::Reply> await_transform(ScriptCall evaluation);
    template<typename U>
    [[nodiscard]] ExchangeAwaiter<U> await_transform(Exchange<U> exchange);
    template<typename U>
    [[nodiscard]] ExchangeAwaiter<U> await_transform(Due<U> due);

    void enter(Progress *progress, std::coroutine_handle<> continuation)
    {
        m_progress = progress;
        m_continuation = continuation;
    }

protected:
    void rethrow() const
    {
        if (m_exception)
            std::rethrow_exception(m_exception);
    }

private:
    Progress *m_progress = nullptr; // Not owned.
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
    /// The value once the coroutine has ended; throws what ended it otherwise.
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

/// A conversation with servers that has not been had yet: a coroutine without I/O.
///
/// It co_awaits steps (commands, batches, the clock, a pause, a fresh token, other exchanges) and a driver carries them
/// out, so the same code serves the command line, the window, and a race finder that grants every order there is. A
/// command that fails ends the exchange with its typed error unless it was awaited tentatively.
/// Move-only, and owns the coroutine: destroying it at any point cancels it cleanly. It does not start by itself, and
/// is driven once: BlockingDriver, LoopDriver, Stepper.
///
/// One writing rule for everything that awaits, which tst_coawait keeps: a co_await stands alone in its statement, and
/// nothing in braces stands in the awaited expression. GCC 12 miscompiles much else, mostly as silent double frees.
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

    /// For drivers and awaiters; it stays the exchange's own.
    [[nodiscard]] Handle handle() const { return m_handle; }

private:
    friend promise_type;
    explicit Exchange(Handle handle)
        : m_handle(handle)
    {}

    Handle m_handle;
};

namespace detail {

template<typename T>
class ExchangeAwaiter final
{
public:
    ExchangeAwaiter(Progress *progress, Exchange<T> exchange, base::MonotonicTime deadline = base::MonotonicTime::max())
        : m_progress(progress)
        , m_exchange(std::move(exchange))
        , m_outerDeadline(progress->deadline)
        , m_deadline(std::min(deadline, progress->deadline))
    {}

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> awaiting)
    {
        m_exchange.handle().promise().enter(m_progress, awaiting);
        m_progress->leaf = m_exchange.handle();
        m_progress->deadline = m_deadline;
    }
    T await_resume()
    {
        m_progress->deadline = m_outerDeadline; // First: what follows may throw.
        return m_exchange.handle().promise().take();
    }

private:
    Progress *m_progress; // Not owned.
    Exchange<T> m_exchange;
    base::MonotonicTime m_outerDeadline;
    base::MonotonicTime m_deadline;
};

template<typename U>
ExchangeAwaiter<U> PromiseBase::await_transform(Exchange<U> exchange)
{
    return {m_progress, std::move(exchange)};
}

template<typename U>
ExchangeAwaiter<U> PromiseBase::await_transform(Due<U> due)
{
    return {m_progress, std::move(due.exchange), due.deadline};
}

inline ExchangeAwaiter<resp::Reply> PromiseBase::await_transform(ScriptCall evaluation)
{
    return {m_progress, evaluate(std::move(evaluation))};
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
