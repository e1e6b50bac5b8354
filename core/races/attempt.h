#pragma once

#include "core/races/run.h"
#include "core/races/snapshot.h"

#include <vector>

namespace latchkey::races {

/// The time and the chance that one client of an exploration is given.
struct ClientConditions
{
    ClientIndex client = 0;
    /// By how much its clock is ahead of the first one's.
    std::chrono::seconds clockOffset {};
    /// Whether reading the clock is a step of its own. Only where deadlines are kept in values can anything happen
    /// between a reading and the next command that makes a difference; elsewhere the reading is granted at once.
    bool schedulesClock = false;
};

/// One command that a client is ready to send.
struct PendingRequest
{
    int index = 0; ///< Among those of its batch; 0 for a single one. Of a program: its conversation.
    int server = 0;
    resp::Commands commands;             ///< One, or a transaction from MULTI to EXEC.
    int conversation = 0;                ///< Of those that the client has with the server.
    std::chrono::milliseconds waited {}; ///< For how long it has, where it is one that waits in the server.
};

/// A run with the virtual clock and the tokens of its client: what remains for others to decide is the order of
/// commands and, where it is scheduled, the moment at which the clock is read.
///
/// The clock starts at a fixed date and ticks a second at every reading. Tokens name their client.
/// Owned by its user: the client graph on its way to a new node, and the replay on real connections.
class Attempt final
{
public:
    enum class Wait : quint8 { Commands, Clock, Rest, Fork, Nothing };

    Attempt(const RunFactory &factory, const ClientConditions &conditions);

    [[nodiscard]] Wait wait() const;
    [[nodiscard]] Situation situation() const { return m_run->situation(); }
    /// What it can send now: of a batch the first unanswered command for each server.
    [[nodiscard]] std::vector<PendingRequest> requests() const;
    [[nodiscard]] std::vector<Way> ways() const { return m_run->ways(); }

    void answer(int index, const resp::Reply &reply);
    /// The request was carried out, and the reply to it does not come. Only of a client with offers().
    void lose(int index, const resp::Reply &reply) { m_run->lose(index, reply); }
    [[nodiscard]] bool isCut() const { return m_run->isCut(); }
    /// Run::listening() and hear().
    [[nodiscard]] quint64 listening() const { return m_run->listening(); }
    void hear(int conversation, const resp::Reply &message) { m_run->hear(conversation, message); }
    /// How many answers to the batch under way it has.
    [[nodiscard]] int answered() const;
    /// passed: how far all clocks have been moved since the beginning.
    void readClock(std::chrono::seconds passed);
    void rest();
    /// Run::timer(), pass() and beginAt().
    [[nodiscard]] std::optional<std::chrono::milliseconds> timer() const { return m_run->timer(); }
    void pass(std::chrono::milliseconds time) { m_run->pass(time); }
    void beginAt(std::chrono::milliseconds time) { m_run->beginAt(time); }
    void take(Way way);
    void write();
    /// Run::memory() where it means something, and with it what its own clock and chance go by.
    [[nodiscard]] std::optional<QByteArray> memory() const;

    /// What its clock said when it read it first and last, as Unix time; zero before that.
    [[nodiscard]] std::chrono::seconds firstReading() const { return m_firstReading; }
    [[nodiscard]] std::chrono::seconds lastReading() const { return m_lastReading; }

    /// The date at which the first client's clock starts.
    [[nodiscard]] static base::WallTime startOfTime();

private:
    void settle();
    [[nodiscard]] exchange::Instant nextReading(std::chrono::seconds passed);

    const ClientConditions m_conditions;
    std::unique_ptr<Run> m_run;
    std::vector<std::optional<resp::Reply>> m_answers; ///< Of the batch under way.
    std::chrono::milliseconds m_rested {};
    std::chrono::seconds m_firstReading {};
    std::chrono::seconds m_lastReading {};
    int m_readings = 0;
    int m_draws = 0;
};

} // namespace latchkey::races
