#pragma once

#include "core/base/clock.h"
#include "core/base/random.h"
#include "core/exchange/stepper.h"
#include "core/exchange/transcript.h"

#include <QObject>

#include <functional>
#include <map>
#include <memory>

namespace latchkey::resp {
class Connection;
class Session;
} // namespace latchkey::resp

namespace latchkey::exchange {

/// Carries exchanges out on the event loop, any number at a time, over the connections of sessions.
///
/// Exchanges that run side by side share a connection and its pipeline; a recipe that needs one for itself (WATCH) must
/// run in a driver of its own. A command that is late ends the connection for all of them; that is the driver's timeout
/// or the exchange's own deadline (dueBy()), whichever comes first. A session that is not connected answers with its
/// last error, at once. Owned by the code that starts exchanges; destroying it cancels them all. Sessions, clock and
/// random source are not owned.
class LoopDriver final : public QObject
{
    Q_OBJECT
    Q_DISABLE_COPY_MOVE(LoopDriver)

public:
    using RunId = quint64;

    /// servers: what a command's ServerIndex counts.
    LoopDriver(std::vector<resp::Session *> servers, const base::Clock &clock, base::RandomSource &random,
               QObject *parent = nullptr);
    ~LoopDriver() override;

    /// Starts the exchange; done is called once, with its outcome, from the event loop and never from within run().
    template<typename T>
    RunId run(Exchange<T> exchange, std::function<void(base::Result<T>)> done)
    {
        return begin(std::make_unique<TypedRun<T>>(std::move(exchange), std::move(done)));
    }

    /// Destroys the exchange where it stands; its done is not called. Commands that are under way stay so. Nothing
    /// happens if it has ended.
    void cancel(RunId run);

    [[nodiscard]] std::size_t running() const { return m_runs.size(); }

    /// timeout: of each command from then on; 5 s unless set.
    void setTimeout(std::chrono::milliseconds timeout) { m_timeout = timeout; }
    void setListener(TranscriptListener listener) { m_listener = std::move(listener); }

private:
    class Run
    {
    public:
        Run() = default;
        virtual ~Run();
        Q_DISABLE_COPY_MOVE(Run)
        [[nodiscard]] virtual StepperBase &stepper() = 0;
        virtual void finish() = 0;

        /// What the present step needs beside the sessions: for each new connection a dialer, then the connection.
        std::map<ServerIndex, std::unique_ptr<QObject>> extras;
        Answers answers;         ///< Of a batch that is under way.
        std::size_t missing = 0; ///< Servers that have not answered it.
    };

    template<typename T>
    class TypedRun final : public Run
    {
    public:
        TypedRun(Exchange<T> exchange, std::function<void(base::Result<T>)> done)
            : m_stepper(std::move(exchange))
            , m_done(std::move(done))
        {}
        [[nodiscard]] StepperBase &stepper() override { return m_stepper; }
        void finish() override { m_done(m_stepper.takeResult()); }

    private:
        Stepper<T> m_stepper;
        std::function<void(base::Result<T>)> m_done;
    };

    [[nodiscard]] RunId begin(std::unique_ptr<Run> run);
    void proceed(RunId id);
    void grant(RunId id, Grant grant);
    [[nodiscard]] Run *find(RunId id) const;

    void carryOut(RunId id, const Request &ask);
    void carryOut(RunId id, const Batch &batch);
    void rest(RunId id, std::chrono::milliseconds duration);
    /// How long a command of this run may take; zero: it is too late for it.
    [[nodiscard]] std::chrono::milliseconds timeoutFor(Run &run) const;
    /// Sends to the server, over its session or over a connection of their own; done gets one answer per command, also
    /// where there is no connection.
    void send(RunId id, std::vector<Request> asks, std::chrono::milliseconds timeout,
              std::function<void(Answers)> done);
    void sendAnew(RunId id, std::vector<Request> asks, std::chrono::milliseconds timeout,
                  std::function<void(Answers)> done);
    void sendOver(resp::Connection &connection, std::vector<Request> asks, std::chrono::milliseconds timeout,
                  std::function<void(Answers)> done);
    /// The same answer to each of them, from the event loop.
    void answerAll(std::size_t count, const Answer &answer, std::function<void(Answers)> done);

    const std::vector<resp::Session *> m_servers; // Not owned.
    const base::Clock &m_clock;                   // Not owned.
    base::RandomSource &m_random;                 // Not owned.
    std::chrono::milliseconds m_timeout;
    TranscriptListener m_listener;
    std::map<RunId, std::unique_ptr<Run>> m_runs;
    RunId m_lastId = 0;
};

} // namespace latchkey::exchange
