#pragma once

#include "core/playground/playground/clientprotocol.h"
#include "core/redis/exchange/loopdriver.h"

namespace latchkey::playground {

/// A driver with breakpoints: it pauses an exchange before selected commands, without a time limit.
///
/// A client can thus be killed exactly between two of its commands, and other clients can send commands in between. The
/// timeout of a command starts when it is sent. Owned by the PlaygroundClient. The driver, which sends the commands, is
/// not owned.
class BreakpointDriver final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(BreakpointDriver)

public:
    explicit BreakpointDriver(exchange::LoopDriver &driver, QObject *parent = nullptr);
    ~BreakpointDriver() override;

    /// Starts an exchange; none may be running. `done` is called once with its result, from the event loop.
    template<typename T>
    void run(exchange::Exchange<T> exchange, std::function<void(base::Result<T>)> done)
    {
        begin(exchange::RunningExchange(std::move(exchange), std::move(done)));
    }

    /// Sends the command at which the exchange is paused, if any. From now on, pauses the exchange before every command
    /// with a name in ResumeOrder::before, in capitals. A pipeline is paused as a whole, or before each command with
    /// ResumeOrder::sendsOneByOne. `WAIT` means every pause of an exchange, for a busy lock or for work. `CLOCK` means
    /// a reading of the clock. With an empty list, the exchange is never paused.
    void resume(const ResumeOrder &order);

Q_SIGNALS:
    /// Emitted when the exchange is paused. `step`: the next command, for users.
    void paused(const QString &step);

private:
    void begin(exchange::RunningExchange exchange);
    void proceed();
    void execute();
    void carryOutOne(const exchange::Batch &batch);
    void answerOne(std::size_t index, const exchange::Grant &grant);
    [[nodiscard]] std::size_t nextOf(const exchange::Batch &batch) const;
    [[nodiscard]] exchange::Step next() const;
    [[nodiscard]] bool isNamed(const exchange::Step &step) const;

    exchange::LoopDriver &m_driver;                      // Not owned.
    std::optional<exchange::RunningExchange> m_exchange; ///< Absent: no exchange is running.
    ResumeOrder m_order;
    std::vector<std::optional<exchange::Answer>> m_answers; ///< Replies of a pipeline that is sent command by command.
    bool m_isHolding = false;
};

} // namespace latchkey::playground
