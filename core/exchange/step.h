#pragma once

#include "core/base/bytes.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/resp/command.h"
#include "core/resp/reply.h"

#include <chrono>
#include <variant>
#include <vector>

// What an exchange may ask of its driver, and what the driver may grant. Everything a recipe learns about the world
// comes through here, which is what makes it a function of what it was given.

namespace latchkey::exchange {

/// Which of an exchange's servers a command is for: 0 where there is only one.
using ServerIndex = int;

/// One command for one server. Granted: an Answer.
class Request final
{
public:
    explicit Request(resp::Command command, ServerIndex server = 0)
        : m_command(std::move(command))
        , m_server(server)
    {}

    /// For another server than the first.
    [[nodiscard]] Request &&to(ServerIndex server) &&
    {
        m_server = server;
        return std::move(*this);
    }
    /// Not over the connection used so far, which may be the problem, but over one made for this command.
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

/// Several commands under way at once: a pipeline for those that share a server, in parallel for those that do not.
/// Granted: one Answer each, in order. Not a transaction: other clients' commands may come between.
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
    Batch &add(Request ask) &
    {
        m_requests.push_back(std::move(ask));
        return *this;
    }
    /// How long each server has to answer, if that is to be less than what the driver grants: where several are asked,
    /// one that is down must not hold up what the others have decided.
    [[nodiscard]] Batch &&within(std::chrono::milliseconds patience) &&
    {
        m_patience = patience;
        return std::move(*this);
    }

    [[nodiscard]] const std::vector<Request> &requests() const { return m_requests; }
    /// Of each server; the driver's own where it is shorter.
    [[nodiscard]] std::chrono::milliseconds patience() const { return m_patience; }

    friend bool operator==(const Batch &, const Batch &) = default;

private:
    std::vector<Request> m_requests;
    std::chrono::milliseconds m_patience = std::chrono::milliseconds::max();
};

/// What the clocks say. Granted: an Instant.
struct ReadClock
{
    friend bool operator==(const ReadClock &, const ReadClock &) = default;
};

/// To do nothing for a while. Granted: Rested.
struct Pause
{
    std::chrono::milliseconds duration;

    friend bool operator==(const Pause &, const Pause &) = default;
};

/// A token nobody has had before. Granted: an OwnerToken.
struct DrawToken
{
    friend bool operator==(const DrawToken &, const DrawToken &) = default;
};

/// std::monostate: the exchange asks for nothing, because it has ended.
using Step = std::variant<std::monostate, Request, Batch, ReadClock, Pause, DrawToken>;

/// A reply that is not an error, or why there is none: the server's own error reply, or what became of the connection.
using Answer = base::Result<resp::Reply>;
using Answers = std::vector<Answer>;

/// Both clocks, read at once.
struct Instant
{
    base::MonotonicTime monotonic; ///< For validity and waiting.
    base::WallTime wall;           ///< For recipes that write dates into keys.

    friend bool operator==(const Instant &, const Instant &) = default;
};

/// The grant of a pause: it is over.
struct Rested
{
    friend bool operator==(const Rested &, const Rested &) = default;
};

using Grant = std::variant<std::monostate, Answer, Answers, Instant, Rested, base::OwnerToken>;

/// The reply as an exchange sees it: an error reply becomes a typed error.
[[nodiscard]] Answer answerFrom(resp::Reply reply);

/// How long a command may take that has timeout, and is due by deadline: whole milliseconds, zero where not one is
/// left.
[[nodiscard]] std::chrono::milliseconds timeoutWithin(std::chrono::milliseconds timeout, base::MonotonicTime deadline,
                                                      base::MonotonicTime now);

/// The answer to a command that was not sent because it was due already. (Unreachable: nothing has changed.)
[[nodiscard]] Answer tooLateToSend();

/// A step on one line, for transcripts and failed tests.
[[nodiscard]] QString toText(const Step &step);

} // namespace latchkey::exchange
