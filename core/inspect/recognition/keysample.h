#pragma once

#include "core/inspect/recognition/ttlhistory.h"
#include "core/keyspace/keys/rawvalue.h"

#include <QSet>

namespace latchkey::recognition {

/// A companion key as it was read. A value type.
struct Companion
{
    bool exists = false;
    keys::RawValue value; ///< Value; type Unknown if only the existence was requested.
    std::optional<std::chrono::milliseconds> left;

    friend bool operator==(const Companion &, const Companion &) = default;
};

/// All data read from one key, at one time. A value type. The code that reads the key fills in the sample, and adds the
/// data that Recognition::requests names.
struct KeySample
{
    QByteArray key;
    keys::KeyType type = keys::KeyType::Unknown;
    std::optional<keys::RawValue> value;           ///< Absent: not read yet.
    bool isExpiryKnown = false;                    ///< PTTL was answered.
    std::optional<std::chrono::milliseconds> left; ///< Time left; absent: no expiry.
    std::chrono::milliseconds existedFor {};       ///< Minimum age of the key; zero if unknown.
    bool endsWithFields = false;             ///< Whether the key is a hash without an expiry whose fields all expire.
    TtlHistory ttlHistory;                   ///< TTL samples; see TtlHistory.
    QHash<QByteArray, Companion> companions; ///< Companions that were requested, absent ones included.
    int releases = 0;                        ///< Number of earlier releases: tokens deleted before their expiry.
    std::optional<QByteArrayList> sameValue; ///< Other keys with the same value; absent: not searched.
    base::WallTime now;                      ///< The server's time if it was requested, otherwise the local time.
};

/// The known properties of the key's server. A value type.
struct ServerContext
{
    std::optional<QSet<QByteArray>> scripts; ///< Scripts of Dialects::scripts() on the server; absent if not requested
                                             ///< yet.
    QHash<QByteArray, qint64> subscribers;   ///< Subscribers by channel, from PUBSUB NUMSUB.
    bool areChannelsComplete = false;        ///< A channel absent from `subscribers` has none.
};

} // namespace latchkey::recognition
