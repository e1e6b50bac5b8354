#include "core/inspect/recognition/shapes.h"

#include <algorithm>

namespace latchkey::recognition {

std::vector<Shape> allShapes()
{
    std::vector<Shape> all;
    for (const auto &family : {tokenShapes(), ownerShapes(), redissonShapes(), memberShapes()})
        all.insert(all.end(), family.begin(), family.end());
    return all;
}

const Shape *shapeNamed(QByteArrayView id)
{
    static const std::vector<Shape> all = allShapes();
    const auto found = std::ranges::find_if(all, [&](const Shape &shape) { return id == shape.id; });
    return found == all.end() ? nullptr : &*found;
}

} // namespace latchkey::recognition
