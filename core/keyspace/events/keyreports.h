#pragma once

#include "core/keyspace/events/keyevent.h"

namespace latchkey::events {

/// A reading of one key: the information in one reply of the server. It was true at some moment between request and
/// reply.
struct KeyReading
{
    bool exists = false;
    std::optional<base::Deadline> deadline; ///< Absent: not requested.
    std::optional<keys::RawValue> value;    ///< Absent: not read.
    base::MonotonicTime asked;              ///< Time of the request.
    base::MonotonicTime answered;           ///< Time of the reply.
    Source source = Source::Poll;
    bool isInferred = false; ///< See Observation::isInferred.
};

/// A notification of the server that one key, or all keys, have changed. Notifications arrive in the order of the
/// changes.
struct Notification
{
    enum class Kind : quint8 {
        End,   ///< The key is gone; see ending.
        Write, ///< The key may hold another value, of any type.
        Touch, ///< The expiry or the elements have changed.
        Flush, ///< All keys of a database were removed, or exchanged with another database; see flushKind.
        Any,   ///< A change without a name.
    };
    Kind kind = Kind::Any;
    Ending ending = Ending::None;
    base::MonotonicTime received;         ///< End of the interval that contains the change.
    base::MonotonicTime notBefore;        ///< Start of that interval.
    FlushKind flushKind = FlushKind::Any; ///< Only for Flush.
    bool mayCreate = false;               ///< Whether the command also creates a missing key.
};

} // namespace latchkey::events
