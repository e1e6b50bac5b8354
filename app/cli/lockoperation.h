#pragma once

#include "app/cli/attemptrecorder.h"
#include "app/cli/exitcode.h"
#include "app/cli/recipeoperation.h"
#include "core/recipes/locks/catalogue.h"
#include "core/redis/exchange/blockingdriver.h"

namespace latchkey::cli {

/// The operation of a lock command: recipe, key, servers and driver.
struct LockOperation : RecipeOperation<locks::Recipe>
{
    std::optional<base::OwnerToken> token; ///< Token given by the user.
    bool isAcquire = false; ///< Whether the operation acquires the lock; false for a lock that is already held.
    std::vector<net::Endpoint> servers;
    std::optional<base::Lease> lease; ///< Lease of the acquisition; absent for a lock without expiry.
    locks::LockOptions options;       ///< Options with which the lock was made.
    std::unique_ptr<locks::Lock> lock;
    std::unique_ptr<AttemptRecorder> attemptRecorder = std::make_unique<AttemptRecorder>();
    std::unique_ptr<exchange::BlockingDriver> driver; ///< Uses attemptRecorder as clock and random source.
};

/// Prepares a command on a lock that is already held. `verb`: name of the command. Error: Usage.
[[nodiscard]] base::Result<LockOperation> prepareForHeld(const Arguments &arguments, const char *verb);
/// Prepares a command that acquires a lock, with the options of acquireOptions(). `verb`: name of the command.
/// Error: Usage.
[[nodiscard]] base::Result<LockOperation> prepareForAcquire(const Arguments &arguments, const char *verb);

/// Makes the lock compare its token by a single command, if all connected servers have the same one; see
/// locks::CompareForm.
void preferSingleCommand(LockOperation &operation);
/// Connects and calls preferSingleCommand(), for a lock that is already held. Does not connect to several servers,
/// because some may be down. Errors: those of connecting.
[[nodiscard]] base::Result<void> connectAndPreferSingleCommand(LockOperation &operation);

/// Returns an error if two of several servers are not independent, as far as they reply within a short time: their
/// votes would be counted twice. No lock command was sent then. Prints a line if that could not be found out, because
/// servers refuse INFO and a subscription; the lock is acquired nevertheless.
[[nodiscard]] base::Result<void> refuseDependentServers(LockOperation &operation);

/// Returns the options of an acquisition: lease, unit, value, token, wait.
[[nodiscard]] QList<QCommandLineOption> acquireOptions(const QString &lease);
/// Returns --wait, zero by default. Error: Usage.
[[nodiscard]] base::Result<std::chrono::milliseconds> waitFrom(const Arguments &arguments);

/// Returns the lock that an attempt may have acquired although it ended with this error. Absent if that is impossible.
/// A fencing number is unknown, because it was in the lost reply.
[[nodiscard]] std::optional<locks::Acquisition> possibleAcquisition(const LockOperation &operation,
                                                                    const base::Error &error);

/// Prints why a busy lock may be free: see locks::Acquisition::undecided. Returns the exit code.
[[nodiscard]] ExitCode printUndecided(const LockOperation &operation, const base::Error &undecided);

/// Prints the error, and how to clean up a lock that may have been acquired. Returns the exit code.
[[nodiscard]] ExitCode printError(const LockOperation &operation, const base::Error &error);

} // namespace latchkey::cli
