#pragma once

#include "core/keyspace/events/observation.h"

#include <optional>

namespace latchkey::events {

/// The way in which a key has ended, as far as known.
enum class Ending : quint8 {
    None,    ///< The key has not ended.
    Expired, ///< The expiry passed, and the key existed until that time.
    Deleted, ///< Deleted by a command, a release included: the server reported it, or it was our own command.
    Evicted, ///< Removed by the server to free memory.
    Flushed, ///< Removed together with all keys of its database.
    Removed, ///< Gone before its expiry, cause not reported: usually released or deleted.
    Lost,    ///< A failover: the new primary does not know the key, and its expiry had not passed.
    Unknown, ///< The observations fit several of these, such as expired and released just before.
};

/// A change of a key, derived from the observations before and after it. A value.
struct KeyEvent
{
    enum class Type : quint8 {
        Appeared,   ///< The key did not exist before.
        Renewed,    ///< Same value, later expiry: the holder is alive.
        HandedOver, ///< Another value; the key existed without interruption.
        Replaced,   ///< Another value; how the former one ended was not seen.
        Changed,    ///< Other elements, or an expiry change that is not a renewal.
        FirstRead,  ///< First read of the value. KeyEvent::before is absent.
        Ended,      ///< The key does not exist any more; see ending.
    };

    QByteArray key;
    NodeIndex node = 0;
    Type type = Type::Changed;
    Ending ending = Ending::None;           ///< Only for Ended.
    std::optional<base::Deadline> deadline; ///< Expiry after the change; for Ended the last known one. Absent: unknown.
    bool isDeadlineStale = false;           ///< For Ended: the expiry may have changed since `deadline` was read.
    base::MonotonicTime notBefore;          ///< Start of the interval that contains the change.
    base::MonotonicTime notAfter;           ///< End of that interval.
    Source source = Source::Poll;           ///< Kind of request that revealed the change.
    bool isInferred = false;                ///< Derived from answers about other keys, or the value was not read.
    bool mayBeOwnRead = false;              ///< For Ended: our own read may have triggered the removal.
    bool isAtFailover = false;              ///< The new primary has another state of the key, or does not have the
                                            ///< key.
    /// Time at which the first notification was received that may report the change. Absent: no notification reports
    /// it, or not all notifications since notBefore were received.
    std::optional<base::MonotonicTime> firstNotification {};
    std::optional<keys::RawValue> before {}; ///< Value before, if it was read.
    std::optional<keys::RawValue> after {};  ///< Value after, if it was read.

    /// Returns the time from the deadline to the observation of an expiry, never negative. The key may have ended at
    /// any time since notBefore, so this is the longest possible delay of its end. The uncertainty of the deadline is
    /// not included. Absent for other endings, and if the deadline is not known. Also absent if the end was observed
    /// before the deadline, because the expiry must have been another one.
    [[nodiscard]] std::optional<std::chrono::nanoseconds> late() const
    {
        const bool isKnown = ending == Ending::Expired && deadline && !deadline->isNever() && !isDeadlineStale;
        if (!isKnown || notAfter < deadline->at() - deadline->uncertainty())
            return std::nullopt;
        return std::max(notAfter - deadline->at(), std::chrono::nanoseconds(0));
    }

    friend bool operator==(const KeyEvent &, const KeyEvent &) = default;
};

using KeyEvents = std::vector<KeyEvent>;

} // namespace latchkey::events
