#pragma once

#include "core/base/lease.h"
#include "core/keyspace/keysnapshot.h"

// Acts that take effect only if a key still is what somebody was shown, and their undoing.

namespace latchkey::keyspace {

/// When a key is to end: a value.
struct NewEnd
{
    enum class Kind : quint8 {
        In,    ///< So long after the server is told.
        At,    ///< At this time of the server's clock.
        Never, ///< Not at all.
    };
    enum class Only : quint8 {
        Always,
        IfNone,    ///< It has no end.
        IfAny,     ///< It has one.
        IfLater,   ///< Than the end that it has; no end is the latest.
        IfEarlier, ///< Likewise.
    };

    [[nodiscard]] static NewEnd in(base::Lease left, Only only = Only::Always);
    [[nodiscard]] static NewEnd at(base::WallTime end, Only only = Only::Always);
    [[nodiscard]] static NewEnd never();

    /// PEXPIRE, PEXPIREAT or PERSIST, whatever the end that it has.
    [[nodiscard]] resp::Command command(const base::Key &key) const;

    Kind kind = Kind::Never;
    Only only = Only::Always;
    std::chrono::milliseconds time {}; ///< What is left, or since 1970.

    friend bool operator==(const NewEnd &, const NewEnd &) = default;
};

/// What became of an act on one key. Of all but the first: nothing was changed.
enum class ActOutcome : quint8 {
    Done,
    Changed,    ///< It is not what the snapshot shows.
    Gone,       ///< There is no such key any more.
    NotApplied, ///< It has that end already, or its end is not to be moved that way.
    Taken,      ///< What was to be put back is there again: somebody else has made it.
    TooLate,    ///< The end that it was to have has passed.
};

/// What has become of an act, and of the key.
struct Acted
{
    ActOutcome outcome = ActOutcome::Gone;
    KeySnapshot after; ///< What the key is where something was done: what an undoing goes by.
};

/// Each of these compares and changes one and the same state of the key: by a script, in one round trip, where the
/// snapshot has the whole value and the end by the server's clock; else, or where scripts are denied, by WATCH. For
/// that it needs a connection that nobody else sends over, on which it leaves no WATCH behind. A server that is out of
/// memory takes no transaction: there it is a script again.

/// Deletes the key if it still is what the snapshot shows. Done, Changed, Gone. beside: what is carried out just
/// before, in the same transaction; where the server is out of memory and there is something beside it, it fails.
[[nodiscard]] exchange::Exchange<Acted> deleteIfUnchanged(KeySnapshot snapshot, resp::Commands beside = {});

/// Gives the key another end, or none, if it still is what the snapshot shows. Any outcome but Taken; an end that has
/// passed by the server's clock is TooLate, and never deletes the key.
[[nodiscard]] exchange::Exchange<Acted> expireIfUnchanged(KeySnapshot snapshot, NewEnd end);

/// Undoes one of the above, before and after which the key was this. What was deleted is made anew (RESTORE) with the
/// end that it had, unless there is such a key by now: needs before.isKept(). What has another end is given its old one
/// if nobody has changed it since. Never NotApplied.
[[nodiscard]] exchange::Exchange<Acted> undo(KeySnapshot before, KeySnapshot after);

} // namespace latchkey::keyspace
