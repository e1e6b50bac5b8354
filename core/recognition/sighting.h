#pragma once

#include "core/keys/rawvalue.h"
#include "core/recognition/rhythm.h"

#include <QSet>

namespace latchkey::recognition {

/// A key beside the one in question, as it was read. A value type.
struct Companion
{
    bool exists = false;
    keys::RawValue value; ///< Its type is Unknown where only the existence was asked.
    std::optional<std::chrono::milliseconds> left;

    friend bool operator==(const Companion &, const Companion &) = default;
};

/// All that was read of one key, at one time. A value type: who reads fills it in as far as it has read, and reads on
/// as Recognition::questions says.
struct Sighting
{
    QByteArray key;
    keys::KeyType type = keys::KeyType::Unknown;
    std::optional<keys::RawValue> value;           ///< Absent: not read yet.
    bool isExpiryKnown = false;                    ///< PTTL was asked.
    std::optional<std::chrono::milliseconds> left; ///< Its answer; absent: the key does not expire.
    bool endsWithFields = false;                   ///< A hash that does not expire, and of which every field does.
    Rhythm rhythm;                                 ///< How that has moved.
    QHash<QByteArray, Companion> companions;       ///< Those that were asked for, also the ones that are not there.
    std::optional<QByteArrayList> sameValue;       ///< Other keys with the same value; absent: nobody has looked.
    base::WallTime now;                            ///< The server's time if it was asked, else ours.
};

/// What is known of the server that a key is on. A value type.
struct Surroundings
{
    std::optional<QSet<QByteArray>> scripts; ///< Of Dialects::scripts(), those it knows; absent: not asked yet.
    QHash<QByteArray, qint64> subscribers;   ///< By channel, as PUBSUB NUMSUB answered.
    bool areChannelsComplete = false;        ///< A channel that is not among them has no subscribers.
};

} // namespace latchkey::recognition
