#pragma once

#include "core/programs/point.h"

namespace latchkey::programs {

/// How often a client has done the same in vain, at least, once roundBefore() finds it.
constexpr int leastRounds = 2;

/// Where the last rounds of commands and replies were all the same: the points of one round, of which the last is the
/// one that it comes round to. Else empty. points: all that there are, the first of them the start.
/// point: one more, which has no number yet.
[[nodiscard]] std::vector<PointId> roundBefore(const std::vector<Point> &points, const Point &point);

} // namespace latchkey::programs
