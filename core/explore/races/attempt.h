#pragma once

#include "core/explore/races/run.h"
#include "core/explore/races/snapshot.h"

#include <vector>

namespace latchkey::races {

/// Clock and randomness of one client in an exploration.
struct ClientConditions
{
    ClientIndex client = 0;
    /// Time by which this client's clock is ahead of the clock of client 0.
    std::chrono::seconds clockOffset {};
    /// Whether the answer to a command may be a connection error.
    bool answersFail = false;
    /// Whether reading the clock is a separate move. This is needed only if deadlines are stored in values: then an
    /// event between a reading and the next command can change the result. Otherwise a reading is granted immediately.
    bool schedulesClock = false;
};

/// One command that a client is ready to send.
struct PendingRequest
{
    int index = 0; ///< Index in its batch; 0 for a single request; the conversation if the client is a program.
    int server = 0;
    resp::Commands commands;             ///< One command, or a transaction from MULTI to EXEC.
    int conversation = 0;                ///< Number of the conversation between this client and the server.
    std::chrono::milliseconds waited {}; ///< Time for which a blocking command has waited in the server.
};

/// A run with the virtual clock and the tokens of its client.
///
/// The attempt draws tokens and, unless readings are scheduled, reads the clock automatically. The caller decides the
/// order of events and the branch at each fork. A recipe's clock starts at a fixed date. It advances by one second at
/// every reading, by the duration of every pause, and as the caller advances all clocks. Tokens contain the name of
/// their client. Owned by its user: the client graph while it computes a new node, and the replay on real connections.
class Attempt final
{
public:
    /// Event for which the client waits. Commands: a reply, a message or time. Rest: the end of a pause, or of a
    /// program that has entered with its last command. Fork: the choice of one of branches(). Nothing: the attempt is
    /// over.
    enum class Wait : quint8 { Commands, Clock, Rest, Fork, Nothing };

    Attempt(const RunFactory &factory, const ClientConditions &conditions);

    [[nodiscard]] Wait wait() const;
    [[nodiscard]] ClientStatus clientStatus() const { return run().clientStatus(); }
    /// Returns the requests that can be sent now; for a batch, the first unanswered request for each server.
    [[nodiscard]] std::vector<PendingRequest> requests() const;
    [[nodiscard]] std::vector<Branch> branches() const;

    /// Delivers the reply to one of requests().
    void answer(int index, const resp::Reply &reply);
    /// Reports that the request has failed with a connection error. Only for a recipe.
    void fail(int index, base::ErrorKind kind);
    /// Reports that the server has executed the request but the reply is lost. Only for a program; see
    /// ExternalRun::offers().
    void lose(int index, const resp::Reply &reply) { m_external->lose(index, reply); }
    /// Forwards to ExternalRun; a recipe has no command limit and does not listen.
    [[nodiscard]] bool isAtCommandLimit() const { return m_external != nullptr && m_external->isAtCommandLimit(); }
    [[nodiscard]] quint64 listening() const { return m_external != nullptr ? m_external->listening() : 0; }
    void receive(int conversation, const resp::Reply &message) { m_external->receive(conversation, message); }
    /// Returns the number of answers received for the current batch.
    [[nodiscard]] int answered() const;
    /// Grants a clock reading. `passed`: time by which all clocks have been advanced since the start.
    void readClock(std::chrono::seconds passed);
    /// Ends the current pause, or the program.
    void rest();
    /// Forwards to ExternalRun; a recipe has no timer.
    [[nodiscard]] std::optional<std::chrono::milliseconds> timer() const;
    void advanceClock(std::chrono::milliseconds time) { m_external->advanceClock(time); }
    void beginAt(std::chrono::milliseconds time) { m_external->beginAt(time); }
    /// Takes one of branches().
    void take(Branch branch);
    /// Writes to the resource behind the lock; see RecipeRun::write().
    void write();
    /// Returns Run::localState() with the state of the virtual clock and the number of tokens drawn. Absent if the
    /// client is neither at a fork nor a program, or if Run::localState() is absent.
    [[nodiscard]] std::optional<QByteArray> localState() const;
    /// Returns ExternalRun::localStateWithoutTime(). Absent for a recipe.
    [[nodiscard]] std::optional<QByteArray> localStateWithoutTime() const;

    /// Returns the first and the last clock reading as Unix time; zero before the first reading.
    [[nodiscard]] std::chrono::seconds firstReading() const { return m_firstReading; }
    [[nodiscard]] std::chrono::seconds lastReading() const { return m_lastReading; }

    /// Returns the start date of the clock of client 0.
    [[nodiscard]] static base::WallTime startOfTime();

private:
    [[nodiscard]] const Run &run() const;
    void settle();
    void deliver(int index, exchange::Answer answer);
    [[nodiscard]] exchange::Instant nextReading(std::chrono::seconds passed);

    const ClientConditions m_conditions;
    AnyRun m_run;
    RecipeRun *const m_recipe = nullptr;                    ///< The run if it is that of a recipe; otherwise null.
    ExternalRun *const m_external = nullptr;                ///< The run if it is that of a program; otherwise null.
    std::vector<std::optional<exchange::Answer>> m_answers; ///< Answers to the current batch.
    std::chrono::milliseconds m_rested {};
    std::chrono::seconds m_firstReading {};
    std::chrono::seconds m_lastReading {};
    int m_readings = 0;
    int m_draws = 0;
};

} // namespace latchkey::races
