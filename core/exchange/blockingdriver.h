#pragma once

#include "core/base/clock.h"
#include "core/base/random.h"
#include "core/exchange/stepper.h"
#include "core/resp/blockingconnection.h"
#include "core/resp/endpoint.h"

#include <memory>

namespace latchkey::exchange {

/// Carries an exchange out while the caller waits: for the command line and for tests.
///
/// Connects when a command first needs a server, and again after a connection has ended. Each command has the same
/// deadline; those of a batch wait for their servers side by side.
/// Owned by whoever runs exchanges; needs no event loop and must not be used where one runs.
class BlockingDriver final
{
public:
    /// servers: what a command's ServerIndex counts. Clock and random source are not owned.
    explicit BlockingDriver(std::vector<resp::Endpoint> servers,
                            std::chrono::milliseconds timeout = std::chrono::seconds(5),
                            const base::Clock &clock = base::SystemClock::instance(),
                            base::RandomSource &random = base::SystemRandom::instance());
    ~BlockingDriver();
    Q_DISABLE_COPY_MOVE(BlockingDriver)

    /// Connects to every server, so that a refusal is known before an exchange begins. The first error.
    [[nodiscard]] base::Result<void> connect();

    template<typename T>
    [[nodiscard]] base::Result<T> run(Exchange<T> exchange)
    {
        Stepper<T> stepper(std::move(exchange));
        drive(stepper);
        return stepper.takeResult();
    }

    /// The clock that its exchanges read.
    [[nodiscard]] const base::Clock &clock() const { return m_clock; }

private:
    using ConnectionResult = base::Result<resp::BlockingConnection *>;

    void drive(StepperBase &stepper);
    [[nodiscard]] Grant carryOut(const Step &step);
    [[nodiscard]] Answer ask(const Ask &ask);
    [[nodiscard]] Answers askAll(const Batch &batch);
    [[nodiscard]] ConnectionResult connectionTo(ServerIndex server);

    const std::vector<resp::Endpoint> m_servers;
    std::vector<std::unique_ptr<resp::BlockingConnection>> m_connections; ///< One per server; null before it is needed.
    const std::chrono::milliseconds m_timeout;
    const base::Clock &m_clock;   // Not owned.
    base::RandomSource &m_random; // Not owned.
};

} // namespace latchkey::exchange
