#pragma once

#include "core/foundation/base/clock.h"
#include "core/foundation/base/random.h"
#include "core/redis/exchange/stepper.h"
#include "core/redis/net/dialer.h"
#include "core/redis/net/endpoint.h"

#include <map>
#include <memory>
#include <set>

namespace latchkey::exchange {

/// A driver that executes an exchange while the caller waits, for the command line and for tests.
///
/// It connects when a command first needs a server, and reconnects after a lost connection. Each command and each
/// connection attempt has the same timeout, shortened by the exchange's deadline (dueBy()). The servers of a batch
/// connect and reply in parallel, so several unresponsive servers take no longer than one. Owned by the code that runs
/// exchanges. It needs no event loop and must not be used where one runs.
class BlockingDriver final
{
public:
    /// servers: indexed by a command's ServerIndex. Clock and random source are not owned.
    explicit BlockingDriver(std::vector<net::Endpoint> servers,
                            std::chrono::milliseconds timeout = std::chrono::seconds(5),
                            const base::Clock &clock = base::SystemClock::instance(),
                            base::RandomSource &random = base::SystemRandom::instance());
    ~BlockingDriver();
    Q_DISABLE_COPY_MOVE(BlockingDriver)

    /// Connects to every server, so that a refusal is known before an exchange begins. Returns the first error.
    [[nodiscard]] base::Result<void> connect();

    template<typename T>
    [[nodiscard]] base::Result<T> run(Exchange<T> exchange)
    {
        Stepper<T> stepper(std::move(exchange));
        drive(stepper);
        return stepper.takeResult();
    }

    /// Returns the INFO of a server at the last connection; absent before the first.
    [[nodiscard]] const std::optional<resp::ServerInfo> &said(ServerIndex server) const
    {
        return m_said.at(static_cast<std::size_t>(server));
    }

    /// Returns the clock that the exchanges read.
    [[nodiscard]] const base::Clock &clock() const { return m_clock; }

private:
    void drive(StepperBase &stepper);
    [[nodiscard]] Grant carryOut(const Step &step, base::MonotonicTime deadline);
    [[nodiscard]] Answer ask(const Request &ask, base::MonotonicTime deadline);
    [[nodiscard]] Answers askAll(const Batch &batch, base::MonotonicTime due);
    /// Returns the timeout of a command with this deadline; zero: the deadline has passed.
    [[nodiscard]] std::chrono::milliseconds timeoutFor(base::MonotonicTime deadline) const;
    /// Connects to the disconnected servers, in parallel.
    [[nodiscard]] std::map<ServerIndex, base::Result<void>> connectTo(const std::set<ServerIndex> &servers,
                                                                      std::chrono::milliseconds timeout);
    [[nodiscard]] base::Result<void> adopt(ServerIndex server,
                                           base::Result<net::DialResult<net::BlockingConnection>> dialled);
    [[nodiscard]] bool isConnectedTo(ServerIndex server) const;
    [[nodiscard]] net::BlockingConnection &connectionTo(ServerIndex server);

    const std::vector<net::Endpoint> m_servers;
    std::vector<std::unique_ptr<net::BlockingConnection>> m_connections; ///< One per server; null until needed.
    std::vector<std::optional<resp::ServerInfo>> m_said;                 ///< One per server.
    const std::chrono::milliseconds m_timeout;
    const base::Clock &m_clock;   // Not owned.
    base::RandomSource &m_random; // Not owned.
};

} // namespace latchkey::exchange
