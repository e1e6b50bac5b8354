#include "core/programs/rounds.h"

#include <algorithm>

namespace latchkey::programs {

namespace {

/// Number of equal rounds after which the client is checked for endless repetition.
constexpr int retriesThatFold = 4;
/// The same with several conversations. The number is smaller, because interleaved steps multiply the histories.
constexpr int retriesThatFoldBeside = leastRounds;
/// Maximum number of commands in a round.
constexpr int longestRound = 6;

bool isSame(const Point &a, const Point &b)
{
    return a.event == b.event && a.offers == b.offers && a.rooms == b.rooms && a.tokens == b.tokens
        && a.timer == b.timer && a.waited == b.waited && a.listening == b.listening;
}

} // namespace

std::vector<PointId> roundBefore(const std::vector<Point> &points, const Point &point)
{
    if (point.isOver)
        return {};
    constexpr PointId start = 0;
    // The path from the start to this point, latest first, as events with the offers after them.
    std::vector<const Point *> way {&point};
    std::vector<PointId> ids {start};
    for (PointId id = point.parent; way.size() <= std::size_t(longestRound * retriesThatFold); id = points[id].parent) {
        way.push_back(&points[id]);
        ids.push_back(id);
        if (id == start)
            break;
    }
    const int retries = point.offers.size() > 1 ? retriesThatFoldBeside : retriesThatFold;
    for (std::size_t round = 1; round <= longestRound; ++round) {
        const std::size_t length = round * static_cast<std::size_t>(retries);
        if (way.size() <= length)
            return {};
        bool repeats = true;
        for (std::size_t i = 0; repeats && i + round < length; ++i)
            repeats = isSame(*way[i], *way[i + round]);
        if (!repeats)
            continue;
        std::vector<PointId> found(ids.begin() + 1, ids.begin() + static_cast<std::ptrdiff_t>(round) + 1);
        std::ranges::rotate(found, found.end() - 1); // The last point of the round equals the current point.
        std::ranges::reverse(found);
        return found;
    }
    return {};
}

} // namespace latchkey::programs
