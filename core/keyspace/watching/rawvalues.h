#pragma once

#include "core/keyspace/keys/rawvalue.h"
#include "core/redis/resp/command.h"
#include "core/redis/resp/reply.h"

#include <optional>
#include <span>

namespace latchkey::watching {

/// The maximum part of a value that is read.
struct ReadSize
{
    int bytes = 256;  ///< Bytes of a string.
    int elements = 8; ///< Elements of a collection; 0: only their number.
};

/// Returns the type from a reply to TYPE. For an error Refused, or Unknown if the same request may succeed later.
[[nodiscard]] keys::KeyType keyTypeFrom(const resp::Reply &reply);

/// Returns whether a value of this type has elements of which some are read.
[[nodiscard]] bool isCollection(keys::KeyType type);

/// Returns the command for the number of elements of a collection.
[[nodiscard]] resp::Command lengthCommand(const base::Key &key, keys::KeyType type);

/// Returns the commands that read a value of this type, or its beginning. The first is TYPE, which detects a changed
/// type. TYPE is the only command for a type that is unknown or not readable.
[[nodiscard]] resp::Commands valueCommands(const base::Key &key, keys::KeyType type, const ReadSize &size = {});

/// Builds the value from the replies to these commands, one each. Absent if the key is gone, has another type, or is
/// not readable.
[[nodiscard]] std::optional<keys::RawValue> valueFrom(keys::KeyType type, std::span<const resp::Reply> replies,
                                                      const ReadSize &size = {});

} // namespace latchkey::watching
