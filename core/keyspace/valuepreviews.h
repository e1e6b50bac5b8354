#pragma once

#include "core/keys/key.h"
#include "core/resp/command.h"
#include "core/resp/reply.h"

#include <span>

namespace latchkey::keyspace {

/// How much of a value is read.
struct PreviewSize
{
    int bytes = 128;  ///< Of a string.
    int elements = 4; ///< Of a collection.
};

/// The commands that read a preview of a value of this type. The first is TYPE, which tells whether it still is of that
/// type, and is all there is for a type that is unknown or has no preview.
[[nodiscard]] resp::Commands previewCommands(const base::Key &key, keys::KeyType type, const PreviewSize &size = {});

/// The preview from the replies to these commands, one each; nothing where the key is gone, holds another type by now,
/// or has no preview.
[[nodiscard]] std::optional<keys::ValuePreview> previewFrom(keys::KeyType type, std::span<const resp::Reply> replies);

/// What TYPE answers, as a type; Unknown where there is no key.
[[nodiscard]] keys::KeyType keyTypeFrom(const QByteArray &name);

/// What TYPE would answer.
[[nodiscard]] QString keyTypeName(keys::KeyType type);

} // namespace latchkey::keyspace
