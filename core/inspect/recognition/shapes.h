#pragma once

#include "core/inspect/recognition/decoded.h"
#include "core/inspect/recognition/keysample.h"
#include "core/inspect/recognition/unwrap.h"

#include <optional>
#include <vector>

namespace latchkey::recognition {

/// The input of a shape: the sample, and for a whole string its text without wrapper.
struct ShapeInput
{
    const KeySample &sample;
    UnwrappedValue text;

    [[nodiscard]] const keys::RawValue &value() const { return *sample.value; }
};

/// A form of values, with the id that the dialect files use. It checks a value and decodes it.
///
/// Shapes are code, for formats that a dialect file cannot describe. A shape that reads companions decodes more when
/// they were read, but matches without them. A value type; all shapes are compiled in.
struct Shape
{
    using Read = std::optional<LockContent> (*)(const ShapeInput &);

    const char *id = nullptr;
    keys::KeyType type = keys::KeyType::String;
    Read read = nullptr; ///< Decoder; its result is absent if the value does not match. The value must have been read
                         ///< and be of that type.
};

/// Returns the shape with this id; null if there is none.
[[nodiscard]] const Shape *shapeNamed(QByteArrayView id);
[[nodiscard]] std::vector<Shape> allShapes();

/// Returns whether a string looks random, as a lock's token does: the shape `token`.
[[nodiscard]] bool isRandomToken(QByteArrayView text);

/// The families of shapes, one file each.
[[nodiscard]] std::vector<Shape> tokenShapes();    ///< Strings without an owner: tokens, times, constants, numbers.
[[nodiscard]] std::vector<Shape> ownerShapes();    ///< Values with a readable owner.
[[nodiscard]] std::vector<Shape> redissonShapes(); ///< Redisson's hashes and sorted sets.
[[nodiscard]] std::vector<Shape> memberShapes();   ///< Collections of holders.

} // namespace latchkey::recognition
