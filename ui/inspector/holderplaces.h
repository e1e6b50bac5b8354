#pragma once

#include "core/keys/rawvalue.h"
#include "core/recognition/lockpattern.h"

#include <QString>

#include <vector>

namespace latchkey::ui::inspector {

/// One way to say where in a value the holder stands, in words. A value type.
struct HolderPlace
{
    QString text;
    recognition::LockPattern::Where where = recognition::LockPattern::Where::Shape;
    QByteArray shape;      ///< Of Where::Shape; else the user names a field.
    QByteArrayList fields; ///< That the value has, for the user to choose from.
};

/// What can be said of keys that hold such a value: only what is so of this value, the most telling first. Without a
/// value: all that can be said of that type.
[[nodiscard]] std::vector<HolderPlace> holderPlaces(keys::KeyType type, const keys::RawValue *value);

} // namespace latchkey::ui::inspector
