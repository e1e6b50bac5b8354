#pragma once

#include "core/base/clock.h"
#include "core/base/random.h"
#include "core/exchange/stepper.h"
#include "core/resp/dialer.h"
#include "core/resp/endpoint.h"

#include <map>
#include <memory>
#include <set>

namespace latchkey::exchange {

/// Carries an exchange out while the caller waits: for the command line and for tests.
///
/// Connects when a command first needs a server, and again after a connection has ended. Each command has the same
/// time, less where the exchange has a deadline of its own (dueBy()), and so has connecting; those of a batch connect
/// and wait for their servers side by side, so any number of servers that do not answer costs what one of them does.
/// Owned by the code that runs exchanges; needs no event loop and must not be used where one runs.
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

    /// What a server has said about itself when it was last connected to; nothing before it has been.
    [[nodiscard]] const std::optional<resp::ServerInfo> &said(ServerIndex server) const
    {
        return m_said.at(static_cast<std::size_t>(server));
    }

    /// The clock that its exchanges read.
    [[nodiscard]] const base::Clock &clock() const { return m_clock; }

private:
    void drive(StepperBase &stepper);
    [[nodiscard]] Grant carryOut(const Step &step, base::MonotonicTime deadline);
    [[nodiscard]] Answer ask(const Request &ask, base::MonotonicTime deadline);
    [[nodiscard]] Answers askAll(const Batch &batch, base::MonotonicTime due);
    /// How long a command may take that is due by then; zero: it is too late for it.
    [[nodiscard]] std::chrono::milliseconds timeoutFor(base::MonotonicTime deadline) const;
    /// Connects to those that are not connected, side by side.
    [[nodiscard]] std::map<ServerIndex, base::Result<void>> connectTo(const std::set<ServerIndex> &servers,
                                                                      std::chrono::milliseconds timeout);
    [[nodiscard]] base::Result<void> adopt(ServerIndex server,
                                           base::Result<resp::Dialled<resp::BlockingConnection>> dialled);
    [[nodiscard]] bool isConnectedTo(ServerIndex server) const;
    [[nodiscard]] resp::BlockingConnection &connectionTo(ServerIndex server);

    const std::vector<resp::Endpoint> m_servers;
    std::vector<std::unique_ptr<resp::BlockingConnection>> m_connections; ///< One per server; null before it is needed.
    std::vector<std::optional<resp::ServerInfo>> m_said;                  ///< One per server.
    const std::chrono::milliseconds m_timeout;
    const base::Clock &m_clock;   // Not owned.
    base::RandomSource &m_random; // Not owned.
};

} // namespace latchkey::exchange
