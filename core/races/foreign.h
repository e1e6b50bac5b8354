#pragma once

#include "core/base/error.h"
#include "core/races/schedule.h"
#include "core/races/snapshot.h"
#include "core/resp/reply.h"

#include <QDeadlineTimer>

#include <span>

namespace latchkey::races {

class Rule;
class Testbed;
class Transitions;

/// How many faults of each kind one schedule may have.
struct FaultLimits
{
    int crashes = 1;
    int passes = 1; ///< Times at which time goes on to the next end of a lifetime.
    int losses = 0; ///< Replies that are lost on their way to a client.
    int waits = 3;  ///< Times at which time goes on, less far than that, to the next moment for which a client waits.
    /// Times at which another's turn comes although a client could go on; absent: as many as there are. Most races need
    /// one or two, and far fewer schedules have no more (Musuvathi and Qadeer, "Iterative context bounding", 2007).
    std::optional<int> preemptions {};
};

/// What a step did with the resource that the clients share.
struct Touch
{
    bool reads = false;
    bool writes = false;
    bool overwrites = false; ///< It writes what was decided before, rather than changing what is there.
};

/// A process that has ended otherwise than with 0.
struct FailedEnd
{
    int exitCode = 0;
    QString words; ///< The last that the first of them printed.
};

/// What an exploration asks for where its clients are programs that nobody here has written.
///
/// A recipe's client is a coroutine, which can be asked anything; of a program only its commands are seen. What that
/// makes different is here and nowhere else: the search, the story and the narration are one for both kinds of client.
/// Made by core/programs; shared by the Subject and whoever has made it.
class Foreign
{
public:
    Foreign() = default;
    virtual ~Foreign();
    Q_DISABLE_COPY_MOVE(Foreign)

    [[nodiscard]] virtual FaultLimits limits() const = 0;
    /// Runs it for the first time, up to its first command. Before all else. Error: it cannot be explored.
    [[nodiscard]] virtual base::Result<void> open() = 0;
    /// Whether the clients' time is ours: then moves of time are moves of theirs too.
    [[nodiscard]] virtual bool isClockControlled() const = 0;
    /// The library by which it is, for the server as well; see shim::ProgramClock.
    [[nodiscard]] virtual QString clockLibrary() const = 0;
    /// Runs one client by itself, which shows what can be asked of the program, until the deadline; whether that is
    /// done. Error: it cannot be explored.
    [[nodiscard]] virtual base::Result<bool> prepare(Testbed &testbed, QDeadlineTimer deadline) = 0;
    /// Whether the promise means something for it; known once it is prepared.
    [[nodiscard]] virtual bool applies(const QString &promise) const = 0;
    /// The promises that are tried, in the order in which they are answered.
    [[nodiscard]] virtual std::span<const Rule *const> rules() const = 0;
    /// Why the program cannot be explored any further; absent: it can.
    [[nodiscard]] virtual std::optional<base::Error> trouble() const = 0;
    /// Although it is ours: whether a client has come to go by another clock as well.
    [[nodiscard]] virtual bool hasOtherClocks() const = 0;
    /// Whether a client has waited for a moment to come that its clock shows.
    [[nodiscard]] virtual bool hasWaited() const = 0;
    /// Whether they send times, so that it makes a difference when a client that has sent nothing has begun.
    [[nodiscard]] virtual bool sendsTimes() const = 0;
    /// Whether there is trouble() because somebody wants it to stop.
    [[nodiscard]] virtual bool wasStopped() const = 0;
    /// After trouble(): whether that is over if everything is explored from the beginning again, which it then is to
    /// be.
    [[nodiscard]] virtual bool startsOver() = 0;
    /// Whether a client was taken no further because it had sent as many commands as it may.
    [[nodiscard]] virtual bool wasCut() const = 0;
    /// How often a client had done the same in vain, at least, when it was taken to do so for ever; absent: none was.
    [[nodiscard]] virtual std::optional<int> endlessRetries() const = 0;
    /// Ends of clients that were no success, each kind once.
    [[nodiscard]] virtual std::vector<FailedEnd> failedEnds() const = 0;
    /// How many processes have been started so far.
    [[nodiscard]] virtual qint64 starts() const = 0;
    /// before, after: all keys.
    [[nodiscard]] virtual Touch touch(const resp::Commands &commands, const resp::Reply &reply, const Snapshot &before,
                                      const Snapshot &after) const = 0;
    /// Whether the key belongs to what the program keeps in order, such as a lock, and not to its data.
    [[nodiscard]] virtual bool isBookkeeping(const QByteArray &key) const = 0;
    /// Runs the schedule with a fresh process for each client. Error (Protocol): one of them sends anything else than
    /// the search has worked out.
    [[nodiscard]] virtual base::Result<void> rehearse(Transitions &transitions, const Schedule &schedule) = 0;
};

} // namespace latchkey::races
