#pragma once

#include "core/keyspace/observation.h"

#include <optional>

namespace latchkey::keyspace {

/// How a key has ended, as far as that is known.
enum class Ending : quint8 {
    None,    ///< It has not.
    Expired, ///< Its time was over, and it was there until then.
    Deleted, ///< By a command: the server has said so, or it was our own. A release is one too.
    Evicted, ///< The server needed the memory.
    Flushed, ///< With everything else in its database.
    Removed, ///< Gone before its time, and nobody has said how: released or deleted, most of the time.
    Unknown, ///< What was seen fits more than one of these: expired, or released just before, say.
};

/// Something that has happened to a key, worked out from what was observed of it before and after. A value.
struct Happening
{
    enum class What : quint8 {
        Appeared,   ///< It was not there before.
        Renewed,    ///< The same value, and a later end: its holder lives.
        HandedOver, ///< Another value in its place, and it was there all the time.
        Replaced,   ///< Another value in its place; how the one before ended was not seen.
        Changed,    ///< Other elements, or an end that is no renewal.
        Learnt,     ///< Absent: what it holds has been read for the first time.
        Ended,      ///< It is not there any more; ending says how.
    };

    QByteArray key;
    NodeIndex node = 0;
    What what = What::Changed;
    Ending ending = Ending::None;            ///< Of Ended.
    std::optional<base::Deadline> deadline;  ///< Its end from then on; of Ended: the last one known. Absent: unknown.
    base::MonotonicTime notBefore;           ///< It has happened at some time from here …
    base::MonotonicTime notAfter;            ///< … to here.
    Source source = Source::Poll;            ///< What has shown it.
    bool isInferred = false;                 ///< Worked out from other keys' answers, or the value was not read.
    bool mayBeOurRead = false;               ///< Of Ended: the server may have removed it only because we asked.
    std::optional<keys::RawValue> before {}; ///< What it held, where that was read.
    std::optional<keys::RawValue> after {};  ///< What it holds from then on, likewise.

    /// Of an end by expiry: how long after its deadline that was seen, not negative. How far off the deadline may be
    /// is the deadline's uncertainty.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> late() const
    {
        if (ending != Ending::Expired || !deadline || deadline->isNever())
            return std::nullopt;
        return std::max(notAfter - deadline->at(), std::chrono::nanoseconds(0));
    }

    friend bool operator==(const Happening &, const Happening &) = default;
};

using Happenings = std::vector<Happening>;

} // namespace latchkey::keyspace
