#pragma once

#include "core/inspect/recognition/decoded.h"

#include <QString>

#include <vector>

namespace latchkey::recognition {

/// The confidence in a candidate. A shape that several libraries write never gives Certain.
enum class Confidence : quint8 { Low, Medium, High, Certain };

/// One piece of evidence for a candidate, as values. RecognitionTexts::evidence() converts it to a sentence.
struct Evidence
{
    enum class Kind : quint8 {
        Name,        ///< Name in the form that the library uses.
        LockWord,    ///< Lock word in the name; text: the word.
        Value,       ///< Shape of the value; text: the id of the shape.
        OwnValue,    ///< Value that no other library writes.
        Wrapped,     ///< Wrapped value; text: the id of the wrapper.
        Fresh,       ///< Recent token; time: its age.
        Companion,   ///< Existing companion key; text: the key.
        NoCompanion, ///< Absent companion key; text: the key.
        Script,      ///< Script of the library on the server; text: the SHA1.
        Subscribers, ///< Subscribers that wait for the release; text: the channel, number: the subscribers.
        Renewal,     ///< Renewed lease; number: observed renewals, time: the lease.
        SameValue,   ///< Other keys with the same value; number: how many.
        Released,    ///< Earlier tokens that were deleted before their expiry; number: how many.
        Expiry,      ///< Lease in the range that the library sets; time: its maximum.
    };

    Kind kind = Kind::Value;
    QByteArray text;
    qint64 number = 0;
    std::chrono::milliseconds time {};

    friend bool operator==(const Evidence &, const Evidence &) = default;
};

/// A dialect that may have written a key, and why. A value type.
struct Candidate
{
    QString dialect; ///< Id of the dialect, such as `redisson.RLock`.
    Confidence confidence = Confidence::Low;
    std::vector<Evidence> evidence;

    friend bool operator==(const Candidate &, const Candidate &) = default;
};

/// A read that could change the recognition.
struct ReadRequest
{
    enum class Kind : quint8 {
        Value,       ///< Value of the key, or more of it.
        Companion,   ///< Type, value and time left of this key.
        Subscribers, ///< PUBSUB NUMSUB of this channel.
        Scripts,     ///< SCRIPT EXISTS for all of Dialects::scripts(); once for a server.
    };

    Kind kind = Kind::Value;
    QByteArray subject; ///< The key or the channel.

    friend bool operator==(const ReadRequest &, const ReadRequest &) = default;
};

/// The result for a key. A value type; without candidates the key is no lock, as far as can be determined.
struct Recognition
{
    std::vector<Candidate> candidates; ///< Candidates, most likely first.
    LockContent decoded;               ///< Content of the value, decoded for the first candidate.
    std::vector<ReadRequest> requests; ///< Next reads; empty if no read would change the result.

    [[nodiscard]] bool isLock() const { return !candidates.empty(); }
    /// Returns the first candidate; requires isLock().
    [[nodiscard]] const Candidate &best() const { return candidates.front(); }

    friend bool operator==(const Recognition &, const Recognition &) = default;
};

} // namespace latchkey::recognition
