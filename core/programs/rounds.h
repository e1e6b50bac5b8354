#pragma once

#include "core/programs/point.h"

namespace latchkey::programs {

/// Minimum number of equal rounds found by roundBefore().
constexpr int leastRounds = 2;

/// Detects equal consecutive rounds of commands and replies. Returns the points of one round; the last of them equals
/// `point`. Empty: no repetition. points: all known points, the start first. point: a new point without a number.
[[nodiscard]] std::vector<PointId> roundBefore(const std::vector<Point> &points, const Point &point);

} // namespace latchkey::programs
