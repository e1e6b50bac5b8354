#pragma once

#include "core/explore/races/schedule.h"
#include "core/explore/races/snapshot.h"
#include "core/explore/races/writedetector.h"
#include "core/explore/schedules/faultlimits.h"
#include "core/foundation/base/error.h"
#include "core/redis/resp/reply.h"

#include <QDeadlineTimer>

#include <span>

namespace latchkey::races {

class Rule;
class EffectCache;
class Transitions;

/// The use of the shared resource by one step.
struct ResourceAccess
{
    bool reads = false;
    bool writes = false;
    bool overwrites = false; ///< Whether the written value does not depend on the current value.
    /// Whether the reply contains the overwritten value, as with GETSET. Such a write loses an update only if it also
    /// depends on an earlier read.
    bool returnsOverwritten = false;
    bool readsProperty = false; ///< Whether the reads do not return the value, only its existence or length.
    bool readsAbsence = false;  ///< Whether such a read shows that there is no value: nothing is left to read.
    /// Whether the overwriting value depends on an earlier read of another value and not on the last read.
    bool ignoresLastRead = false;
};

/// A process that ended with an exit code other than 0.
struct FailedEnd
{
    int exitCode = 0;
    QString words; ///< Last output of the first process with this exit code.
};

/// A key that the program writes before it enters a critical section, and whether it counts as a lock.
struct LockKey
{
    enum class Reason : quint8 {
        Named,    ///< The user has named the lock.
        HasToken, ///< The value contains the client's token.
        Released, ///< The client deletes the key after it has left.
        Only,     ///< No other key is a lock.
        Data,     ///< Not a lock: it contains no token and is never deleted.
        Unread,   ///< Not a lock: it contains a token, but the client enters for any content.
        Kept,     ///< Not a lock: a list or set with a token that the client keeps when it releases another key.
        NotNamed, ///< Not a lock: the user has named another.
        Popped,   ///< Not a lock: the client removes an element before it enters, and no key shows who has it.
        Moved,    ///< Not a lock: the client has moved the removed element to this key.
    };
    QByteArray key;
    Reason reason = Reason::Only;
    int servers = 1;             ///< Number of servers on which a client alone has the key when it enters.
    bool isRefilled = false;     ///< Popped: whether the client adds an element again after it has entered.
    bool isChangedLater = false; ///< Whether a client alone changes the key after it has entered.
    bool isLeftBehind = false;   ///< Whether a client alone leaves the key behind at its end.

    [[nodiscard]] bool isLock() const { return reason < Reason::Data; }
};

/// Returns the identifier of the reason, such as `has-token`.
[[nodiscard]] QString lockReasonId(LockKey::Reason reason);

/// The interface between an exploration and clients that are external programs.
///
/// A recipe's client is a coroutine and shows its full state; a program shows only its commands. This interface answers
/// the questions of the search about a program. Code that differs for programs tests Subject::program. Implemented by
/// core/explore/programs; shared by the Subject and its creator.
class ExternalProgram
{
public:
    ExternalProgram() = default;
    virtual ~ExternalProgram();
    Q_DISABLE_COPY_MOVE(ExternalProgram)

    [[nodiscard]] virtual schedules::FaultLimits limits() const = 0;
    /// Runs the program for the first time, up to its first command. Call before all other functions. Error: the
    /// program cannot be explored.
    [[nodiscard]] virtual base::Result<void> open() = 0;
    /// Returns whether the clients use a virtual clock. If so, moves of time also advance the clients.
    [[nodiscard]] virtual bool isClockControlled() const = 0;
    /// Returns the path of the preloaded clock library, for the clients and the server; see shim::ProgramClock.
    [[nodiscard]] virtual QString clockLibrary() const = 0;
    /// Runs one client alone to find out which promises apply. Works until the deadline; returns whether it is done.
    /// Error: the program cannot be explored.
    [[nodiscard]] virtual base::Result<bool> prepare(EffectCache &effectCache, QDeadlineTimer deadline) = 0;
    /// Returns whether the promise applies to the program. Valid after prepare().
    [[nodiscard]] virtual bool applies(const QString &promise) const = 0;
    /// Returns why the promise does not apply, if it lacks neither a named resource nor marks of critical sections;
    /// otherwise empty. Valid after prepare().
    [[nodiscard]] virtual base::Text notApplicableReason(const QString &promise) const = 0;
    /// Returns the rules to check, in the order in which they are answered.
    [[nodiscard]] virtual std::span<const Rule *const> rules() const = 0;
    /// Returns the reason why the program cannot be explored any further; absent: no problem.
    [[nodiscard]] virtual std::optional<base::Error> error() const = 0;
    /// Returns whether a client also uses another clock, although its clock is virtual.
    [[nodiscard]] virtual bool hasOtherClocks() const = 0;
    /// Returns whether a client has waited for a point in time of its virtual clock.
    [[nodiscard]] virtual bool hasWaited() const = 0;
    /// Returns whether the clients send times. If so, the start time of a client that has sent nothing is significant.
    [[nodiscard]] virtual bool sendsTimes() const = 0;
    /// Returns the critical sections that the next client would enter alone, one bit each. Valid after prepare().
    [[nodiscard]] virtual quint32 nextClientSections() const = 0;
    /// Returns whether error() is present because the exploration was cancelled.
    [[nodiscard]] virtual bool wasStopped() const = 0;
    /// Discards all observed behaviour, if that may remove the cause of an error: from then on, each client is observed
    /// separately, or each process is started anew instead of forked. Returns whether this was done. If true, the
    /// caller must explore everything again from the beginning.
    [[nodiscard]] virtual bool restartAfterError() = 0;
    /// Returns whether a client was stopped because it had reached its command limit.
    [[nodiscard]] virtual bool hasReachedCommandLimit() const = 0;
    /// Returns whether a client repeats commands without sleeping until a time of its clock. Time does not advance in
    /// such a loop, so the later behaviour of the client is not explored.
    [[nodiscard]] virtual bool hasBusyWait() const = 0;
    /// Returns the number of retries after which a client continued that had been treated as retrying forever; absent:
    /// no such client.
    [[nodiscard]] virtual std::optional<int> lateRetries() const = 0;
    /// Returns whether a part of the behaviour of some client is unknown.
    [[nodiscard]] bool isPartlyObserved() const { return hasReachedCommandLimit() || hasBusyWait() || lateRetries(); }
    /// Returns the smallest number of repetitions after which a client was treated as retrying forever; absent: no such
    /// client.
    [[nodiscard]] virtual std::optional<int> livelockRepetitions() const = 0;
    /// Returns a command that a client alone repeats forever without any fault; empty: the client ends, or waits in the
    /// server.
    [[nodiscard]] virtual QString soloLivelockCommand() const = 0;
    /// Returns whether a client alone ends. Valid after prepare().
    [[nodiscard]] virtual bool endsAlone() const = 0;
    /// Returns whether a client has ended in any schedule. If not, a promise about the state after all clients have
    /// ended holds without having been tested.
    [[nodiscard]] virtual bool hasEndedClient() const = 0;
    /// Returns the failed ends of clients, one for each exit code.
    [[nodiscard]] virtual std::vector<FailedEnd> failedEnds() const = 0;
    /// Returns the number of processes started so far.
    [[nodiscard]] virtual qint64 starts() const = 0;
    /// Classifies how the commands use the shared resource. `before`, `after`: all keys. `influence`: on the resource.
    [[nodiscard]] virtual ResourceAccess accessBy(const resp::Commands &commands, const resp::Reply &reply,
                                                  const Snapshot &before, const Snapshot &after,
                                                  const KeyInfluence &influence) const = 0;
    /// Returns whether the key is coordination state of the program, such as a lock, and not the resource.
    [[nodiscard]] virtual bool isAuxiliary(const QByteArray &key) const = 0;
    /// Returns whether the key is a lock of a client that is inside and wrote it before. False for a counter that
    /// belongs to a lock.
    [[nodiscard]] virtual bool mayBeLock(const QByteArray &key) const = 0;
    /// Returns whether a client alone holds the key as a lock, or the user has named the key as a lock.
    [[nodiscard]] virtual bool isHeldAlone(const QByteArray &key) const = 0;
    /// Returns the number of servers on which a client must have the key in order to hold the lock. 1 unless a client
    /// alone has the key on several servers.
    [[nodiscard]] virtual int majorityOf(const QByteArray &key) const = 0;
    /// Returns the keys that a client alone holds when it enters, sorted. If none of them is certainly a lock, also
    /// those with the reasons Popped and Moved.
    [[nodiscard]] virtual std::vector<LockKey> lockKeys() const = 0;
    /// Runs the schedule with a new process for each client. Error (Protocol): a process sends something else than the
    /// search expected.
    [[nodiscard]] virtual base::Result<void> validate(Transitions &transitions, const Schedule &schedule) = 0;
};

} // namespace latchkey::races
