#pragma once

#include "core/keys/rawvalue.h"
#include "core/resp/command.h"
#include "core/resp/reply.h"

#include <optional>
#include <span>

namespace latchkey::keyspace {

/// How much of a value is read.
struct ReadSize
{
    int bytes = 256;  ///< Of a string.
    int elements = 8; ///< Of a collection; 0: only how many there are.
};

/// Whether it is of elements of which some are read.
[[nodiscard]] bool isCollection(keys::KeyType type);

/// How many elements a collection has.
[[nodiscard]] resp::Command lengthCommand(const base::Key &key, keys::KeyType type);

/// The commands that read a value of this type, or the beginning of it. The first is TYPE, which tells whether it still
/// is of that type, and is all there is for a type that is unknown or cannot be read.
[[nodiscard]] resp::Commands valueCommands(const base::Key &key, keys::KeyType type, const ReadSize &size = {});

/// The value from the replies to these commands, one each; nothing where the key is gone, holds another type by now, or
/// cannot be read.
[[nodiscard]] std::optional<keys::RawValue> valueFrom(keys::KeyType type, std::span<const resp::Reply> replies,
                                                      const ReadSize &size = {});

} // namespace latchkey::keyspace
