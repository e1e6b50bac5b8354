#pragma once

#include "core/foundation/base/bytes.h"
#include "core/foundation/base/clock.h"
#include "core/foundation/base/error.h"
#include "core/redis/resp/command.h"
#include "core/redis/resp/reply.h"

#include <chrono>
#include <variant>
#include <vector>

// The steps that an exchange may request, and the grants that a driver may return. A grant is the result of a step. A
// recipe has no other input, so it is a function of its grants.

namespace latchkey::exchange {

/// Index of a server of an exchange: 0 if there is only one.
using ServerIndex = int;

/// One command for one server. Grant: an Answer.
class Request final
{
public:
    explicit Request(resp::Command command, ServerIndex server = 0)
        : m_command(std::move(command))
        , m_server(server)
    {}

    /// Selects a server other than the first.
    [[nodiscard]] Request &&to(ServerIndex server) &&
    {
        m_server = server;
        return std::move(*this);
    }
    /// Sends the command over a new connection, if the current one may have failed.
    [[nodiscard]] Request &&onNewConnection() &&
    {
        m_onNewConnection = true;
        return std::move(*this);
    }

    [[nodiscard]] const resp::Command &command() const { return m_command; }
    [[nodiscard]] ServerIndex server() const { return m_server; }
    [[nodiscard]] bool wantsNewConnection() const { return m_onNewConnection; }

    friend bool operator==(const Request &, const Request &) = default;

private:
    resp::Command m_command;
    ServerIndex m_server;
    bool m_onNewConnection = false;
};

/// Several commands at once: a pipeline for commands with the same server, in parallel for different servers. Grant:
/// one Answer each, in order. It is not a transaction: other clients' commands may be interleaved.
class Batch final
{
public:
    [[nodiscard]] Batch &&add(resp::Command command, ServerIndex server = 0) &&
    {
        m_requests.emplace_back(std::move(command), server);
        return std::move(*this);
    }
    Batch &add(resp::Command command, ServerIndex server = 0) &
    {
        m_requests.emplace_back(std::move(command), server);
        return *this;
    }
    Batch &add(Request request) &
    {
        m_requests.push_back(std::move(request));
        return *this;
    }
    /// Sets a timeout for each server; the driver's timeout applies if it is shorter. An unreachable server then does
    /// not delay a decision of the others.
    [[nodiscard]] Batch &&within(std::chrono::milliseconds timeout) &&
    {
        m_timeout = timeout;
        return std::move(*this);
    }

    [[nodiscard]] const std::vector<Request> &requests() const { return m_requests; }
    /// Returns the timeout of within(); the maximum if it was not called.
    [[nodiscard]] std::chrono::milliseconds timeout() const { return m_timeout; }

    friend bool operator==(const Batch &, const Batch &) = default;

private:
    std::vector<Request> m_requests;
    std::chrono::milliseconds m_timeout = std::chrono::milliseconds::max();
};

/// A reading of the clocks. Grant: an Instant.
struct ReadClock
{
    friend bool operator==(const ReadClock &, const ReadClock &) = default;
};

/// A pause. Grant: PauseDone.
struct Pause
{
    std::chrono::milliseconds duration;

    friend bool operator==(const Pause &, const Pause &) = default;
};

/// A new, unique token. Grant: an OwnerToken.
struct DrawToken
{
    friend bool operator==(const DrawToken &, const DrawToken &) = default;
};

/// A step; std::monostate: the exchange has ended.
using Step = std::variant<std::monostate, Request, Batch, ReadClock, Pause, DrawToken>;

/// A successful reply, or the cause of its absence: the server's error reply, or the connection's failure.
using Answer = base::Result<resp::Reply>;
using Answers = std::vector<Answer>;

/// A reading of both clocks at the same time.
struct Instant
{
    base::MonotonicTime monotonic; ///< Used for validity and waiting.
    base::WallTime wall;           ///< Used by recipes that write dates into keys.

    friend bool operator==(const Instant &, const Instant &) = default;
};

/// The grant of a completed pause.
struct PauseDone
{
    friend bool operator==(const PauseDone &, const PauseDone &) = default;
};

/// The result of a step, of the type that the step names; std::monostate: none yet.
using Grant = std::variant<std::monostate, Answer, Answers, Instant, PauseDone, base::OwnerToken>;

/// Converts a reply into an answer. An error reply becomes a typed error.
[[nodiscard]] Answer answerFrom(resp::Reply reply);

/// Returns the time for a command with this timeout and deadline: whole milliseconds, zero if less than one is left.
[[nodiscard]] std::chrono::milliseconds timeoutWithin(std::chrono::milliseconds timeout, base::MonotonicTime deadline,
                                                      base::MonotonicTime now);

/// Returns the answer to a command that was not sent because its deadline had passed (Unreachable: nothing has
/// changed).
[[nodiscard]] Answer deadlinePassed();

/// Formats a step on one line, for transcripts and failed tests.
[[nodiscard]] QString toText(const Step &step);

} // namespace latchkey::exchange
