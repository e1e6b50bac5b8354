#pragma once

#include "core/redis/exchange/stepper.h"
#include "core/redis/net/dialer.h"
#include "tests/support/manualclock.h"
#include "tests/support/scriptedrandom.h"

#include <memory>

namespace latchkey::test {

/// A client that executes its exchange on a real server one command at a time, so that a test can act between any two
/// commands.
///
/// The commands of a batch are also sent one at a time, because other clients may act between them. Pauses end at once;
/// otherwise the clock advances only when the test advances it. Destroying a client before its end simulates a crash:
/// the server sees its connection close.
template<typename T>
class SteppedClient final
{
public:
    /// Creates a client. `clock`: shared with other clients; without it the client has its own clock, which only its
    /// pauses advance.
    SteppedClient(const net::Endpoint &endpoint, exchange::Exchange<T> exchange, base::RandomSource &random)
        : SteppedClient(endpoint, std::move(exchange), random, nullptr)
    {}
    SteppedClient(const net::Endpoint &endpoint, exchange::Exchange<T> exchange, ManualClock &clock,
                  base::RandomSource &random = base::SystemRandom::instance())
        : SteppedClient(endpoint, std::move(exchange), random, &clock)
    {}
    Q_DISABLE_COPY_MOVE(SteppedClient)

    [[nodiscard]] bool isFinished() const { return m_stepper.isFinished(); }

    /// Returns the next step as text, such as `SET k v`; in a batch, the next command.
    [[nodiscard]] QString next() const
    {
        const auto *batch = std::get_if<exchange::Batch>(&m_stepper.step());
        return batch == nullptr ? exchange::toText(m_stepper.step())
                                : exchange::toText(batch->requests().at(m_answers.size()));
    }

    /// Executes the next step. Returns true if more steps follow.
    bool step()
    {
        const exchange::Step &step = m_stepper.step();
        if (const auto *ask = std::get_if<exchange::Request>(&step)) {
            m_stepper.grant(exchange::Grant(execute(*ask)));
        } else if (const auto *batch = std::get_if<exchange::Batch>(&step)) {
            m_answers.push_back(execute(batch->requests().at(m_answers.size())));
            if (m_answers.size() == batch->requests().size())
                m_stepper.grant(exchange::Grant(std::exchange(m_answers, {})));
        } else if (const auto *pause = std::get_if<exchange::Pause>(&step)) {
            clock().advance(pause->duration);
            m_stepper.grant(exchange::Grant(exchange::PauseDone {}));
        } else if (std::holds_alternative<exchange::DrawToken>(step)) {
            m_stepper.grant(exchange::Grant(m_random.freshToken()));
        } else {
            m_stepper.grant(exchange::Grant(exchange::Instant {clock().now(), clock().wallNow()}));
        }
        return !m_stepper.isFinished();
    }

    /// Steps until the text of the next step starts with `text`. Returns false if the exchange ends first.
    bool stepUntil(QLatin1String text)
    {
        while (!isFinished() && !next().startsWith(text))
            step();
        return !isFinished();
    }

    /// Executes all remaining steps and returns the result.
    [[nodiscard]] base::Result<T> finish()
    {
        while (!isFinished())
            step();
        return m_stepper.takeResult();
    }

    [[nodiscard]] ManualClock &clock() { return m_sharedClock == nullptr ? m_ownClock : *m_sharedClock; }

private:
    SteppedClient(const net::Endpoint &endpoint, exchange::Exchange<T> exchange, base::RandomSource &random,
                  ManualClock *clock)
        : m_endpoint(endpoint)
        , m_random(random)
        , m_sharedClock(clock)
        , m_stepper(std::move(exchange))
    {
        dial();
    }

    void dial()
    {
        auto dialled = net::dialBlocking(m_endpoint, std::chrono::seconds(30));
        if (!dialled)
            qFatal("%s", qPrintable(dialled.error().message()));
        m_connection = std::move(dialled->connection);
    }

    [[nodiscard]] exchange::Answer execute(const exchange::Request &request)
    {
        if (request.wantsNewConnection())
            dial();
        auto reply = m_connection->execute(request.command(), std::chrono::seconds(30));
        if (!reply)
            return base::failure(std::move(reply.error()));
        return exchange::answerFrom(std::move(*reply));
    }

    const net::Endpoint m_endpoint;
    base::RandomSource &m_random; // Not owned.
    ManualClock m_ownClock;
    ManualClock *const m_sharedClock; // Not owned; may be null.
    std::unique_ptr<net::BlockingConnection> m_connection;
    exchange::Answers m_answers; ///< Answers so far to the current batch.
    exchange::Stepper<T> m_stepper;
};

} // namespace latchkey::test
