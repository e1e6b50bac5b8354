#pragma once

#include "core/foundation/base/error.h"
#include "core/redis/exchange/step.h"
#include "core/redis/resp/reply.h"

#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace latchkey::races {

/// Progress of a client in its attempt.
enum class Stage : quint8 {
    Acquiring,
    Inside, ///< Holds the lock and can choose its next operation: a fork.
    Extending,
    Releasing,
    Writing,
    Reading,
    Recomputing, ///< Must recompute a value: a fork with one branch.
    Running,     ///< A program that has not ended; its progress is unknown.
    Finished,
};

/// An operation that a client can choose at a fork.
enum class Branch : quint8 { Release, Extend, Store };

/// State of a client that others can observe at one moment of its attempt.
struct ClientStatus
{
    Stage stage = Stage::Acquiring;
    bool isInside = false;      ///< From the end of acquire until release starts; also during extend.
    bool endsInside = false;    ///< Whether a program ended without a report that it is outside again.
    bool canWrite = false;      ///< Whether the client may write to the resource behind the lock; once only.
    bool hasFailed = false;     ///< Whether the acquire ended without the lock, or the program with an error.
    bool sawTornFields = false; ///< Whether a read returned fields of two writes, or only some fields of one.
    bool mustRecompute = false;
    quint32 criticalSections = 1;  ///< Critical sections of the client, one bit each; always 1 for a recipe.
    std::optional<qint64> fencing; ///< Fencing token of the held lock.
    base::Text outcome;            ///< Outcome of the last finished operation, for users: `acquired`, `busy`.

    friend bool operator==(const ClientStatus &, const ClientStatus &) = default;
};

/// Commands that a program is ready to send in one of its conversations (connections).
struct Offer
{
    quint8 conversation = 0; ///< Number of the conversation, from 0, different for all servers.
    resp::Commands commands; ///< One command, or a transaction from MULTI to EXEC, which is one step.
    quint8 server = 0;       ///< Server of the conversation, from 0.

    friend bool operator==(const Offer &, const Offer &) = default;
};

/// The interface of one client's attempt. A recipe's client uses step() and grant(). A program uses offers(), answer(),
/// lose(), receive() and advanceClock().
///
/// The state of a run depends only on what the run has received. The race finder never copies a run. To get a run at
/// some point, the finder creates a new one and repeats everything that was received.
class Run
{
public:
    Run() = default;
    virtual ~Run();
    Q_DISABLE_COPY_MOVE(Run)

    [[nodiscard]] virtual ClientStatus clientStatus() const = 0;
    /// Returns the operations that the client can choose now; empty unless it is at a fork.
    [[nodiscard]] virtual std::vector<Branch> branches() const = 0;
    /// Takes one of branches().
    virtual void take(Branch branch) = 0;
    /// Returns the step for which the client waits; std::monostate at a fork and at the end.
    [[nodiscard]] virtual const exchange::Step &step() const = 0;
    /// Writes to the resource behind the lock. Only if clientStatus().canWrite.
    virtual void write();
    /// Returns all memory that affects the further behaviour, at a fork or for a client with offers(). Two runs of
    /// one client with equal memory have the same future, regardless of their past. Absent: unknown.
    [[nodiscard]] virtual std::optional<QByteArray> memory() const { return std::nullopt; }
    /// Returns memory() without the elapsed time: equal for two runs that wait for the same times and differ only in
    /// the time of day. Absent: the client reads its clock in steps of its own.
    [[nodiscard]] virtual std::optional<QByteArray> memoryWithoutTime() const { return std::nullopt; }
    virtual void grant(exchange::Grant grant) = 0;

    /// Returns the commands that can be sent now, for a client with independent conversations. Such a client has no
    /// step(), and receives answer() or lose() instead of grant().
    [[nodiscard]] virtual std::vector<Offer> offers() const { return {}; }
    /// Returns the time for which an offered blocking command has waited in the server.
    [[nodiscard]] virtual std::chrono::milliseconds waited(int conversation) const;
    /// Delivers the reply to the offer of the conversation.
    virtual void answer(int conversation, const resp::Reply &reply);
    /// Reports that the server has executed the offer and that the conversation ended before the reply.
    virtual void lose(int conversation, const resp::Reply &reply);
    /// Returns the conversations that are open for messages of its subscriptions, one bit each.
    [[nodiscard]] virtual quint64 listening() const { return 0; }
    /// Delivers a message in one of the listening() conversations.
    virtual void receive(int conversation, const resp::Reply &message);
    /// Returns whether the client is not over but sends nothing now: the client waits for a time or a message, or has
    /// reached its command limit.
    [[nodiscard]] virtual bool isIdle() const { return false; }
    /// Returns whether the client has reached its command limit, so that its next step is unknown.
    [[nodiscard]] virtual bool isAtCommandLimit() const { return false; }
    /// Returns whether the client has sent its last command and has yet to end. Its end() is then a move of its own.
    [[nodiscard]] virtual bool isEnding() const { return false; }
    virtual void end() {}
    /// Returns the time until the client continues without a reply or message; absent: never.
    [[nodiscard]] virtual std::optional<std::chrono::milliseconds> timer() const { return std::nullopt; }
    /// Advances the client's clock.
    virtual void advanceClock(std::chrono::milliseconds time);
    /// Sets how long after the other clients this client began. Call before all other functions.
    virtual void beginAt(std::chrono::milliseconds time);
};

/// A factory for runs of one client, each from the beginning.
using RunFactory = std::function<std::unique_ptr<Run>()>;

} // namespace latchkey::races
