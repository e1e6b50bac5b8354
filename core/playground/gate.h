#pragma once

#include "core/exchange/loopdriver.h"
#include "core/playground/clientprotocol.h"

namespace latchkey::playground {

/// Carries out one exchange after the other, and holds it before the commands that it was told of, for as long as it
/// takes: what is held has not been sent.
///
/// So a client can be killed, or others can act, at exactly that point between two of its commands. The time that a
/// command may take counts from when it is sent. Owned by the actor; the driver, which does the sending, is not owned.
class Gate final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(Gate)

public:
    explicit Gate(exchange::LoopDriver &driver, QObject *parent = nullptr);
    ~Gate() override;

    /// Starts the exchange, where none is under way; done is called once, with its outcome, from the event loop.
    template<typename T>
    void run(exchange::Exchange<T> exchange, std::function<void(base::Result<T>)> done)
    {
        begin(std::make_unique<TypedRun<T>>(std::move(exchange), std::move(done)));
    }

    /// Sends what is held, and from now on holds before every command of these names, in capitals; of a pipeline,
    /// before all of it, or singly before each. `WAIT` is before every pause that an exchange makes, for a busy lock or
    /// to work, and `CLOCK` before it reads its clock. None: holds nothing.
    void goOn(const GoOrder &order);

Q_SIGNALS:
    /// step: what would come next, for people.
    void held(const QString &step);

private:
    class Run
    {
    public:
        Run() = default;
        virtual ~Run();
        Q_DISABLE_COPY_MOVE(Run)
        [[nodiscard]] virtual exchange::StepperBase &stepper() = 0;
        virtual void finish() = 0;
    };

    template<typename T>
    class TypedRun final : public Run
    {
    public:
        TypedRun(exchange::Exchange<T> exchange, std::function<void(base::Result<T>)> done)
            : m_stepper(std::move(exchange))
            , m_done(std::move(done))
        {}
        [[nodiscard]] exchange::StepperBase &stepper() override { return m_stepper; }
        void finish() override { m_done(m_stepper.takeResult()); }

    private:
        exchange::Stepper<T> m_stepper;
        std::function<void(base::Result<T>)> m_done;
    };

    void begin(std::unique_ptr<Run> run);
    void proceed();
    void carryOut();
    void carryOutOne(const exchange::Batch &batch);
    void answerOne(std::size_t index, const exchange::Grant &grant);
    [[nodiscard]] std::size_t nextOf(const exchange::Batch &batch) const;
    [[nodiscard]] exchange::Step next() const;
    [[nodiscard]] bool isNamed(const exchange::Step &step) const;

    exchange::LoopDriver &m_driver; // Not owned.
    std::unique_ptr<Run> m_run;
    GoOrder m_order;
    std::vector<std::optional<exchange::Answer>> m_answers; ///< Of a pipeline that is sent singly.
    bool m_isHolding = false;
};

} // namespace latchkey::playground
