#pragma once

#include "core/inspect/recognition/lockpattern.h"
#include "core/keyspace/keys/rawvalue.h"

#include <QString>

#include <vector>

namespace latchkey::ui::inspector {

/// One possible location of the holder within a value, with its text. A value type.
struct HolderLocation
{
    QString text;
    recognition::LockPattern::Where where = recognition::LockPattern::Where::Shape;
    QByteArray shape;      ///< Shape id, only for Where::Shape. For the other locations the user names a field.
    QByteArrayList fields; ///< Fields of the value that the user can choose from.
};

/// Returns the possible locations of the holder in a value, the most specific first. Only locations that fit `value`
/// are returned. If `value` is null, all locations for the type are returned.
[[nodiscard]] std::vector<HolderLocation> holderLocations(keys::KeyType type, const keys::RawValue *value);

} // namespace latchkey::ui::inspector
