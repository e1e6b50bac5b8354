#pragma once

#include "core/foundation/base/lease.h"
#include "core/keyspace/watching/keysnapshot.h"

// Changes that take effect only if the key is still in the displayed state, and their undo.

namespace latchkey::watching {

/// A new expiry for a key. A value.
struct NewExpiry
{
    /// The kind of the new expiry.
    enum class Kind : quint8 {
        In,    ///< This long after the server receives the command.
        At,    ///< At this time of the server's clock.
        Never, ///< No expiry.
    };
    /// The condition on the current expiry under which the new expiry is set.
    enum class Condition : quint8 {
        Always,
        IfNone,    ///< The key has no expiry.
        IfAny,     ///< The key has an expiry.
        IfLater,   ///< The new expiry is later than the current one; no expiry is the latest.
        IfEarlier, ///< The new expiry is earlier than the current one; no expiry is the latest.
    };

    [[nodiscard]] static NewExpiry in(base::Lease left, Condition condition = Condition::Always);
    [[nodiscard]] static NewExpiry at(base::WallTime end, Condition condition = Condition::Always);
    [[nodiscard]] static NewExpiry never();

    /// Returns PEXPIRE, PEXPIREAT or PERSIST, without regard to the current expiry.
    [[nodiscard]] resp::Command command(const base::Key &key) const;

    Kind kind = Kind::Never;
    Condition condition = Condition::Always;
    std::chrono::milliseconds time {}; ///< Time left (In), or time since 1970 (At).

    friend bool operator==(const NewExpiry &, const NewExpiry &) = default;
};

/// The outcome of a change of one key. Every outcome except Done means that the key is unchanged.
enum class ChangeOutcome : quint8 {
    Done,
    Changed,    ///< The key differs from the snapshot.
    Gone,       ///< The key does not exist any more.
    NotApplied, ///< The key has no expiry to remove, or the `Condition` is not met.
    Taken,      ///< The key to restore exists again: another client has created it.
    TooLate,    ///< The expiry to set has passed.
};

/// The outcome of a change, and the key after it.
struct ChangeResult
{
    ChangeOutcome outcome = ChangeOutcome::Gone;
    KeySnapshot after; ///< The key after a successful change; undo() needs it.
};

/// Each of these functions compares and changes the key atomically. A script does so in one round trip, if the snapshot
/// has a dump and an exact expiry: one by the server's clock, or none. Otherwise, or if scripts are denied, the
/// function uses WATCH. WATCH needs a connection that no other code uses, and no WATCH is left there. A server out of
/// memory refuses transactions, and executes the script instead.

/// Deletes the key if it is still as in the snapshot. Outcomes: Done, Changed, Gone. `precedingCommands`: commands that
/// are carried out just before, in the same transaction. With such commands, the exchange fails if the server is out of
/// memory.
[[nodiscard]] exchange::Exchange<ChangeResult> deleteIfUnchanged(KeySnapshot snapshot,
                                                                 resp::Commands precedingCommands = {});

/// Sets or removes the expiry of the key if it is still as in the snapshot. Outcomes: all except Taken. An expiry that
/// has passed by the server's clock gives TooLate, and never deletes the key.
[[nodiscard]] exchange::Exchange<ChangeResult> expireIfUnchanged(KeySnapshot snapshot, NewExpiry end);

/// Undoes one of these changes. `before` and `after`: the key before and after the change. A deleted key is restored
/// (RESTORE) with its former expiry, unless the key exists again; this needs before.isRestorable(). A changed expiry is
/// set back if no other client has changed the key since. Never NotApplied.
[[nodiscard]] exchange::Exchange<ChangeResult> undo(KeySnapshot before, KeySnapshot after);

} // namespace latchkey::watching
