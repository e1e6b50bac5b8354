#pragma once

#include "core/keyspace/keys/keystore.h"
#include "core/playground/playground/clientpool.h"
#include "ui/kit/widgets/pill.h"

#include <QString>

namespace latchkey::ui::playground {

/// The servers of a lock that is decided by majority.
struct Votes
{
    int servers = 1;
    int holding = 0;  ///< Servers that hold the lock with the same value; see majorityStateOf().
    int silent = 0;   ///< Servers that do not reply and may hold the lock.
    int refusing = 0; ///< Servers that reply with an error and may hold the lock.

    /// Returns the number of servers that may hold the lock unseen.
    [[nodiscard]] int unknown() const { return silent + refusing; }

    [[nodiscard]] int majority() const { return servers / 2 + 1; }
};

/// The server's state of the key that a client uses.
struct KeyServerState
{
    bool isKnown = false; ///< Whether the server was queried.
    bool exists = false;
    base::Deadline deadline = base::Deadline::never();
    QByteArray value;          ///< Empty if not read yet.
    QString holder;            ///< Name of the client that owns the token in the value; empty if there is none.
    bool isHolderAlive = true; ///< False if the holder is dead and cannot release the lock.
    bool isUnobserved = false; ///< Whether the server cannot be read, so that the state may be out of date.
    std::optional<base::Error> refusal {};      ///< Error reply of the server while `isUnobserved`; absent: no reply.
    std::optional<base::Error> valueRefusal {}; ///< Error reply to the read of the value; absent: the value was read.
    std::optional<Votes> votes {};              ///< Votes of several servers; absent for a single server.
};

/// The texts of a client's card: belief, state of the server, and whether the two agree.
struct BeliefView
{
    QString state; ///< One or two words for the pill of the card.
    widgets::Pill::Tone stateTone = widgets::Pill::Tone::Neutral;
    QString belief;
    QString truth;
    /// Remaining shares of the lease, from 0 to 1, as the client believes and as the server reports. Absent without a
    /// lease.
    std::optional<double> beliefShare;
    std::optional<double> truthShare;
    bool isPastLease = false;                                     ///< Whether the client still believes that it holds
                                                                  ///< a lock after its lease.
    widgets::Pill::Tone truthTone = widgets::Pill::Tone::Neutral; ///< Good: belief and server agree. Critical: the
                                                                  ///< client is wrong.

    [[nodiscard]] bool isConflict() const { return truthTone == widgets::Pill::Tone::Critical; }
};

/// Maximum age of the server's state. A hold that is younger than the state's age may be missing from it, so the
/// difference is not a conflict.
inline constexpr std::chrono::milliseconds maxReadAge {1500};

/// Returns the texts about a client's state, its hold and the server's state at this time.
[[nodiscard]] BeliefView describe(const latchkey::playground::ClientProcess &client, const KeyServerState &serverState,
                                  base::MonotonicTime now);

/// Returns a sentence about a client's report. Empty for reports without a message, such as a renewal, which the belief
/// shows. `recipe`: recipe of the current acquire order.
[[nodiscard]] QString reportText(const latchkey::playground::ClientReport &report, const QString &recipe);

/// Returns the state of a key in the store, and the holder of the lock.
[[nodiscard]] KeyServerState serverStateOf(const keys::KeyStore &store, const base::Key &key,
                                           const latchkey::playground::ClientPool &clientPool);

} // namespace latchkey::ui::playground
