#pragma once

#include "core/recognition/decoded.h"
#include "core/recognition/sighting.h"
#include "core/recognition/unwrap.h"

#include <optional>
#include <vector>

namespace latchkey::recognition {

/// What a shape is given: the sighting, and of a whole string the text without its wrapper.
struct Reading
{
    const Sighting &sighting;
    Unwrapped text;

    [[nodiscard]] const keys::RawValue &value() const { return *sighting.value; }
};

/// A form that values have, under an id that the dialects' files use: whether a value has it, and what it says then.
///
/// Shapes are what data cannot say: they check and decode. One that reads companions decodes more once they are there,
/// but has the shape without them. A value type; all of them are known at compile time.
struct Shape
{
    using Read = std::optional<Decoded> (*)(const Reading &);

    const char *id = nullptr;
    keys::KeyType type = keys::KeyType::String;
    Read read = nullptr; ///< Absent: the value does not have this shape. The value was read, and is of that type.
};

/// Nothing where no shape has that name.
[[nodiscard]] const Shape *shapeNamed(QByteArrayView id);
[[nodiscard]] std::vector<Shape> allShapes();

/// The families, a file each.
[[nodiscard]] std::vector<Shape> tokenShapes();    ///< Strings that name nobody: tokens, times, constants, numbers.
[[nodiscard]] std::vector<Shape> ownerShapes();    ///< What says in clear who has the lock.
[[nodiscard]] std::vector<Shape> redissonShapes(); ///< Redisson's hashes and sorted sets.
[[nodiscard]] std::vector<Shape> memberShapes();   ///< Collections whose elements are holders.

} // namespace latchkey::recognition
