#pragma once

#include "core/exchange/exchange.h"
#include "core/keys/fieldends.h"

#include <optional>
#include <vector>

namespace latchkey::keyspace {

/// Whether a server tells how long the fields of a hash live. A value type.
///
/// HPTTL came with Redis 7.4 and Valkey 9.0; whether a server has it, and lets this user ask, is found by asking, as
/// managed services have commands of their own choice. What has been found is true of one connection.
struct FieldLifetimeSupport
{
    enum class State : quint8 {
        Unknown, ///< Nobody has asked yet.
        Has,
        HasNot, ///< The server does not know the command.
        Denied, ///< The server's ACL does not permit it.
    };

    State state = State::Unknown;
    std::optional<base::Error> refusal; ///< In the server's words, where it is refused.

    [[nodiscard]] bool isRefused() const { return state == State::HasNot || state == State::Denied; }
};

/// What was asked of one hash.
struct FieldLifetimes
{
    base::Key key;
    keys::FieldEnds ends;
    bool isKnown = false; ///< Else it is no hash any more, or may not be read.
    base::MonotonicTime asked;
    base::MonotonicTime answered;
};

/// What was asked of several at once.
struct FieldLifetimesRead
{
    FieldLifetimeSupport support;
    std::vector<FieldLifetimes> hashes; ///< In the order of the wish; empty where the server refuses.
    int commands = 0;                   ///< That were sent for it.
};

/// How much is asked of each hash.
struct FieldWish
{
    static constexpr int usualFields = 500;

    int fields = usualFields; ///< At most, about; fewer where the fields are large.
};

/// Asks hashes for the lifetimes of their fields, all of them in the same round trips: how large they are, the names of
/// the fields, and what HPTTL says of these. Of a large hash the fields are asked that HSCAN gives first.
///
/// Reads nothing but names and lifetimes. support: what has been found before; where it is not known, one harmless
/// HPTTL comes first and nothing else is asked where that is refused.
[[nodiscard]] exchange::Exchange<FieldLifetimesRead> readFieldLifetimes(std::vector<base::Key> keys, FieldWish wish,
                                                                        FieldLifetimeSupport support);

/// How many of so many elements take about that many bytes, by what MEMORY USAGE says of all of them; at least 1.
/// Absent where the server does not tell.
[[nodiscard]] std::optional<qint64> elementsWithin(qint64 bytes, const exchange::Answer &memory, qint64 size);

} // namespace latchkey::keyspace
