#pragma once

#include "app/cli/arguments.h"
#include "app/cli/attemptwitness.h"
#include "app/cli/exitcode.h"
#include "core/exchange/blockingdriver.h"
#include "core/locks/catalogue.h"

namespace latchkey::cli {

/// What the commands that work on a lock have in common: a recipe applied to a key, and the way to its server.
struct LockOperation
{
    const locks::Recipe *recipe = nullptr; // Not owned: the catalogue's.
    base::Key key;
    std::optional<base::OwnerToken> token; ///< Given by the user.
    bool isAcquire = false;                ///< Rather than for a lock that is held already.
    std::vector<resp::Endpoint> servers;
    std::optional<base::Lease> lease; ///< That the lock is to be acquired for; nothing where it does not expire.
    locks::LockOptions options;       ///< What the lock has been made with.
    std::unique_ptr<locks::Lock> lock;
    std::unique_ptr<AttemptWitness> witness = std::make_unique<AttemptWitness>();
    std::unique_ptr<exchange::BlockingDriver> driver; ///< Reads the witness.
    QString name;                                     ///< `acquire token "k"`, for messages.
};

/// For a command that works on a lock which is held already. verb: the command's name. Error: Usage.
[[nodiscard]] base::Result<LockOperation> prepareForHeld(const Arguments &arguments, const char *verb);
/// The same for one that acquires it, with the options of acquireOptions().
[[nodiscard]] base::Result<LockOperation> prepareForAcquire(const Arguments &arguments, const char *verb);

/// Error WrongType where what stands under the key is no lock of this program's; see locks::refuseForeignType().
[[nodiscard]] base::Result<void> refuseForeignType(const LockOperation &operation);

/// From here on the lock compares its token by a single command, where all servers that have been connected to say that
/// they have one; see locks::CompareForm.
void preferSingleCommand(LockOperation &operation);
/// The same for a lock that is held already, before anything has been asked: connects, unless there are several
/// servers, of which some may be down. The error is that of connecting.
[[nodiscard]] base::Result<void> connectAndPreferSingleCommand(LockOperation &operation);

/// How the lock is to be acquired: lease, unit, value, token, wait.
[[nodiscard]] QList<QCommandLineOption> acquireOptions();
/// --wait, zero unless given. Error: Usage.
[[nodiscard]] base::Result<std::chrono::milliseconds> waitFrom(const Arguments &arguments);

/// The lock as it is if an attempt that ended with this error has won all the same; nothing where it cannot have. Of
/// the recipes that hand out a fencing number that number is not known: it was in the answer.
[[nodiscard]] std::optional<locks::Acquisition> possibleAcquisition(const LockOperation &operation,
                                                                    const base::Error &error);

/// Says what went wrong, and what is there to be cleaned up if it went right unnoticed; the exit code that goes with
/// it.
[[nodiscard]] ExitCode complain(const LockOperation &operation, const base::Error &error);

} // namespace latchkey::cli
