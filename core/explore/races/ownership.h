#pragma once

#include "core/explore/races/externalprogram.h"
#include "core/explore/races/rules.h"
#include "core/explore/races/state.h"

#include <map>

namespace latchkey::races {

/// The parts of a key that can each be a lock: the fields of a hash with their values, the members of a set, or the
/// members of a sorted set with their scores.
using KeyParts = std::map<QByteArray, QByteArray>;

/// An effect on one server, of a program's command or of an expiry.
struct KeyChange
{
    int server = 0;
    const Snapshot &before; ///< Keys of the server before the command.
    const Snapshot &after;
    ClientIndex client = noClient;  ///< `noClient` for an expiry.
    std::vector<QByteArray> set {}; ///< Keys that the command has set without a visible change.
    resp::Commands commands {};     ///< Commands of the client.
    /// Parts before and after the command of each key with parts whose value it has changed.
    std::map<QByteArray, std::pair<KeyParts, KeyParts>> parts {};
};

/// Returns whether keys of this type, as TYPE names it, have parts that can each be a lock.
[[nodiscard]] bool hasParts(const QByteArray &type);

/// Updates the owners of the keys and their parts, and adds the effect on other clients' locks to `lock`. A client owns
/// a lock while it has the key on enough servers; see ExternalProgram::majorityOf(). An increment of a counter that no
/// client alone holds as a lock affects no lock: it may be a statistic of failed attempts.
void updateOwners(ServersState &serversState, const ExternalProgram &program, const KeyChange &change,
                  LockChange &lock);

/// Returns the keys of other clients that are equal before and after a command of the client. Only an experiment shows
/// whether the command has set such a key.
[[nodiscard]] std::vector<QByteArray> unchangedKeysOfOtherClients(const ServersState &serversState,
                                                                  const KeyChange &change);

/// Records that the client is inside. The keys that this client was the last to write, except counters, become its
/// lock.
void claim(ServersState &serversState, const ExternalProgram &program, ClientIndex client);
/// Records that a time has passed that is longer than any lease that a client may have stored in a value or a score.
/// Such leases have ended: a client that replaces one afterwards violates no lock. `clients`: clients under way, one
/// bit each. These clients may have stored earlier times, and hold no lock from now on.
void endStoredLeases(ServersState &serversState, quint8 clients);
/// Records that the client has left its critical section.
void releaseOwnership(ServersState &serversState, ClientIndex client);

/// Returns another client's lock that the client has ended or changed between the two states; absent: none.
[[nodiscard]] std::optional<Ownership> violatedLock(const ServersState &before, const ServersState &after,
                                                    const ExternalProgram &program, ClientIndex client);

} // namespace latchkey::races
