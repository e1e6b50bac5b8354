#pragma once

#include "core/recognition/decoded.h"

#include <QString>

#include <vector>

namespace latchkey::recognition {

/// How sure it is that a key is what a candidate says. A shape that several libraries write is never certain.
enum class Confidence : quint8 { Low, Medium, High, Certain };

/// One thing that speaks for a candidate, as values; textOf() in words.h makes a sentence of it.
struct Evidence
{
    enum class Kind : quint8 {
        Name,        ///< The key is named as this library names its own.
        LockWord,    ///< A word for a lock stands in the name; text: the word.
        Value,       ///< What it holds; text: the id of the shape.
        OwnValue,    ///< It holds what nobody else writes so.
        Wrapped,     ///< The value came in a wrapper; text: its id.
        Fresh,       ///< Its token was made a short time ago; time: how long.
        Companion,   ///< A key stands beside it; text: the key.
        NoCompanion, ///< A key does not; text: the key.
        Script,      ///< The server knows a script of the library's; text: the SHA1.
        Subscribers, ///< Somebody waits for its release; text: the channel, number: how many.
        Renewal,     ///< Its lease is renewed; number: how often it was seen, time: the lease.
        SameValue,   ///< Other keys hold the same; number: how many.
        Expiry,      ///< Its lease is one that the library gives; time: at most so long.
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
    QString dialect; ///< Its id, such as `redisson.RLock`.
    Confidence confidence = Confidence::Low;
    std::vector<Evidence> evidence;

    friend bool operator==(const Candidate &, const Candidate &) = default;
};

/// Something that is not known yet, and whose answer would change what is recognised.
struct Question
{
    enum class Kind : quint8 {
        Value,       ///< Read the key itself, or more of it.
        Companion,   ///< Read this key: its type, its value, what is left.
        Subscribers, ///< PUBSUB NUMSUB and SHARDNUMSUB of this channel.
        Scripts,     ///< SCRIPT EXISTS for all of Dialects::scripts(); once for a server.
    };

    Kind kind = Kind::Value;
    QByteArray subject; ///< The key or the channel.

    friend bool operator==(const Question &, const Question &) = default;
};

/// What is recognised of a key. A value type; without candidates the key is no lock, as far as can be told.
struct Recognition
{
    std::vector<Candidate> candidates; ///< The most likely first.
    Decoded decoded;                   ///< What the value says, read as the first candidate would have written it.
    std::vector<Question> questions;   ///< What to read next; empty: nothing would change it.

    [[nodiscard]] bool isLock() const { return !candidates.empty(); }
    /// The first one; only where there is one.
    [[nodiscard]] const Candidate &best() const { return candidates.front(); }

    friend bool operator==(const Recognition &, const Recognition &) = default;
};

} // namespace latchkey::recognition
