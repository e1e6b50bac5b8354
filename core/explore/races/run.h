#pragma once

#include "core/foundation/base/error.h"
#include "core/redis/exchange/step.h"
#include "core/redis/resp/reply.h"

#include <QString>

#include <functional>
#include <memory>
#include <optional>
#include <variant>
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

/// One client's attempt: its state, as the race finder observes it.
///
/// The state of a run depends only on what the run has received. The race finder never copies a run. To get a run at a
/// given point, the finder creates a new run and repeats everything that was received.
class Run
{
public:
    Run() = default;
    virtual ~Run();
    Q_DISABLE_COPY_MOVE(Run)

    [[nodiscard]] virtual ClientStatus clientStatus() const = 0;
    /// Returns all memory that affects the further behaviour, at a fork or for an external run. Two runs of one client
    /// with equal memory have the same future, regardless of their past. Absent: unknown.
    [[nodiscard]] virtual std::optional<QByteArray> localState() const { return std::nullopt; }
};

/// A run of a recipe: it waits for one step at a time, and receives grants.
class RecipeRun : public Run
{
public:
    /// Returns the step for which the client waits; std::monostate at a fork and at the end.
    [[nodiscard]] virtual const exchange::Step &step() const = 0;
    virtual void grant(exchange::Grant grant) = 0;
    /// Returns the operations that the client can choose now; empty unless it is at a fork.
    [[nodiscard]] virtual std::vector<Branch> branches() const { return {}; }
    /// Takes one of branches().
    virtual void take(Branch branch);
    /// Writes to the resource behind the lock. Only if clientStatus().canWrite.
    virtual void write();
};

/// A run of an external program: it has independent conversations, and receives replies, messages and time.
class ExternalRun : public Run
{
public:
    /// Returns localState() without the elapsed time: equal for two runs that wait for the same times and differ only
    /// in the time of day.
    [[nodiscard]] virtual QByteArray localStateWithoutTime() const = 0;

    /// Returns the commands that can be sent now.
    [[nodiscard]] virtual std::vector<Offer> offers() const = 0;
    /// Returns the time for which an offered blocking command has waited in the server.
    [[nodiscard]] virtual std::chrono::milliseconds waited(int conversation) const = 0;
    /// Delivers the reply to the offer of the conversation.
    virtual void answer(int conversation, const resp::Reply &reply) = 0;
    /// Reports that the server has executed the offer and that the conversation ended before the reply.
    virtual void lose(int conversation, const resp::Reply &reply) = 0;
    /// Returns the conversations that are open for messages of its subscriptions, one bit each.
    [[nodiscard]] virtual quint64 listening() const = 0;
    /// Delivers a message in one of the listening() conversations.
    virtual void receive(int conversation, const resp::Reply &message) = 0;
    /// Returns whether the client is not over but sends nothing now: the client waits for a time or a message, or has
    /// reached its command limit.
    [[nodiscard]] virtual bool isIdle() const = 0;
    /// Returns whether the client has reached its command limit, so that its next step is unknown.
    [[nodiscard]] virtual bool isAtCommandLimit() const = 0;
    /// Returns whether the client has sent its last command but has not ended yet. Its end() is then a separate move.
    [[nodiscard]] virtual bool isEnding() const = 0;
    virtual void end() = 0;
    /// Returns the time until the client continues without a reply or message; absent: never.
    [[nodiscard]] virtual std::optional<std::chrono::milliseconds> timer() const = 0;
    /// Advances the client's clock.
    virtual void advanceClock(std::chrono::milliseconds time) = 0;
    /// Sets how long after the other clients this client began. Call before all other functions.
    virtual void beginAt(std::chrono::milliseconds time) = 0;
};

/// A run of either kind.
using AnyRun = std::variant<std::unique_ptr<RecipeRun>, std::unique_ptr<ExternalRun>>;

/// A factory for runs of one client, each from the beginning.
using RunFactory = std::function<AnyRun()>;

} // namespace latchkey::races
