#pragma once

#include "core/base/error.h"
#include "core/exchange/step.h"
#include "core/resp/reply.h"

#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace latchkey::races {

/// Where a client stands in its attempt.
enum class Stage : quint8 {
    Acquiring,
    Inside, ///< It holds the lock and is free to do what it wants: a fork.
    Extending,
    Releasing,
    Writing,
    Reading,
    Recomputing, ///< It has been told to recompute a value: a fork with one way.
    Running,     ///< Of a program that has not said where it stands.
    Finished,
};

/// How a client may go on from a fork.
enum class Way : quint8 { Release, Extend, Store };

/// What others may know of a client at one moment of its attempt.
struct Situation
{
    Stage stage = Stage::Acquiring;
    bool isInside = false;      ///< From the end of acquire until release starts; also while it extends.
    bool endsInside = false;    ///< Of a program: it has ended without having said that it was outside again.
    bool canWrite = false;      ///< To the resource behind the lock, which it has not written to yet.
    bool hasFailed = false;     ///< Its acquire has come to an end without the lock.
    bool sawTornFields = false; ///< It read fields of two writes, or some of one.
    bool mustRecompute = false;
    quint32 rooms = 1;             ///< Which of the places that only one may be in it is inside of: a bit each.
    std::optional<qint64> fencing; ///< Of the lock that it holds.
    QString outcome;               ///< What the last operation that ended came to, for people: `acquired`, `busy`.

    friend bool operator==(const Situation &, const Situation &) = default;
};

/// What a client of several conversations is ready to send in one of them.
struct Offer
{
    quint8 conversation = 0; ///< Counted from 0.
    resp::Commands commands; ///< One command, or a transaction from MULTI to EXEC, which is one step.

    friend bool operator==(const Offer &, const Offer &) = default;
};

/// One client's attempt, under way: the recipe's own coroutines, fed with grants from outside.
///
/// A run is a function of what it was given. The race finder never copies one: where it needs a run at some point, it
/// makes a fresh one and feeds it the same grants.
class Run
{
public:
    Run() = default;
    virtual ~Run();
    Q_DISABLE_COPY_MOVE(Run)

    [[nodiscard]] virtual Situation situation() const = 0;
    /// The ways from here; empty unless it stands at a fork.
    [[nodiscard]] virtual std::vector<Way> ways() const = 0;
    /// Takes one of ways().
    virtual void take(Way way) = 0;
    /// What it waits for; std::monostate at a fork and at the end.
    [[nodiscard]] virtual const exchange::Step &step() const = 0;
    /// Writes to the resource behind the lock; only where situation().canWrite.
    virtual void write();
    /// At a fork, or of a client with offers(): everything that it remembers and that makes a difference to it from
    /// there. Two runs of one client that remember the same have one future, whatever they have been through. Absent:
    /// it cannot tell.
    [[nodiscard]] virtual std::optional<QByteArray> memory() const { return std::nullopt; }
    virtual void grant(exchange::Grant grant) = 0;

    /// Of a client that is answered in each of its conversations by itself: what it can send now. It has no step(),
    /// and is told by answer() or lose() instead of grant().
    [[nodiscard]] virtual std::vector<Offer> offers() const { return {}; }
    /// Of an offer that waits in the server: for how long it has.
    [[nodiscard]] virtual std::chrono::milliseconds waited(int conversation) const;
    /// The reply to what it has offered in the conversation.
    virtual void answer(int conversation, const resp::Reply &reply);
    /// What it has offered was carried out, and the conversation has ended before the reply.
    virtual void lose(int conversation, const resp::Reply &reply);
    /// Which of its conversations are open for messages that it has subscribed to, a bit each.
    [[nodiscard]] virtual quint64 listening() const { return 0; }
    /// A message comes in one of these.
    virtual void hear(int conversation, const resp::Reply &message);
    /// It sends nothing now, without being over: it is cut, or waits for a moment to come, or for a message.
    [[nodiscard]] virtual bool isStill() const { return false; }
    /// Its commands are counted, and it has sent the last of them: what it would do next is not known.
    [[nodiscard]] virtual bool isCut() const { return false; }
    /// In how long something will happen to it by itself that it waits for; absent: nothing will.
    [[nodiscard]] virtual std::optional<std::chrono::milliseconds> timer() const { return std::nullopt; }
    /// So much time goes by.
    virtual void pass(std::chrono::milliseconds time);
    /// Before all else: it has begun so long after the others' beginning.
    virtual void beginAt(std::chrono::milliseconds time);
};

/// Makes a client's run from its beginning.
using RunFactory = std::function<std::unique_ptr<Run>()>;

} // namespace latchkey::races
