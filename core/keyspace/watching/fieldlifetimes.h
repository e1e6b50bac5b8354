#pragma once

#include "core/keyspace/keys/fielddeadlines.h"
#include "core/redis/exchange/exchange.h"

#include <optional>
#include <vector>

namespace latchkey::watching {

/// The support of a server for lifetimes of hash fields. A value type.
///
/// HPTTL exists from Redis 7.4 and Valkey 9.0 on. Managed services may lack the command in any version, so support is
/// detected by a request. The result is valid for one connection.
struct FieldLifetimeSupport
{
    enum class State : quint8 {
        Unknown, ///< Not asked yet.
        Supported,
        NotSupported, ///< The server does not know the command.
        Denied,       ///< The server's ACL does not permit it.
    };

    State state = State::Unknown;
    std::optional<base::Error> refusal; ///< The server's error, if it refuses the command.

    [[nodiscard]] bool isRefused() const { return state == State::NotSupported || state == State::Denied; }
};

/// The field lifetimes of one hash.
struct FieldLifetimes
{
    base::Key key;
    keys::FieldDeadlines ends;
    bool isKnown = false; ///< False: the key is no hash any more, or must not be read.
    base::MonotonicTime asked;
    base::MonotonicTime answered;
};

/// The field lifetimes of several hashes, read together.
struct FieldLifetimesRead
{
    FieldLifetimeSupport support;
    std::vector<FieldLifetimes> hashes; ///< In the order of the request; empty if the server refuses HPTTL.
    int commands = 0;                   ///< Number of commands sent.
};

/// The number of fields to read from each hash.
struct FieldRequest
{
    static constexpr int defaultFields = 500;

    int fields = defaultFields; ///< Approximate maximum; fewer if the fields are large.
};

/// Reads the lifetimes of hash fields, for all hashes in the same round trips: the size, the field names and HPTTL for
/// these names. A large hash is read partly: the fields that HSCAN returns first.
///
/// Reads only names and lifetimes. `support`: the result of earlier requests. If it is unknown, one harmless HPTTL is
/// sent first, and nothing else if the server refuses it. Throws if an answer does not arrive, or if the server refuses
/// the first HPTTL only temporarily.
[[nodiscard]] exchange::Exchange<FieldLifetimesRead> readFieldLifetimes(std::vector<base::Key> keys,
                                                                        FieldRequest request,
                                                                        FieldLifetimeSupport support);

/// Estimates how many of `size` elements take about `bytes` bytes, from the MEMORY USAGE of the whole key; at least 1.
/// Absent if the server does not report the memory.
[[nodiscard]] std::optional<qint64> elementsWithin(qint64 bytes, const exchange::Answer &memory, qint64 size);

} // namespace latchkey::watching
