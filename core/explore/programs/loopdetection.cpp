#include "core/explore/programs/loopdetection.h"

#include <algorithm>

namespace latchkey::programs {

namespace {

/// Number of equal rounds after which the client is checked for endless repetition.
constexpr int retriesThatFold = 4;
/// The same with several conversations. The number is smaller, because interleaved steps multiply the histories.
constexpr int retriesThatFoldBeside = minRepetitions;
/// Maximum number of commands in a round.
constexpr int maxRoundLength = 6;

bool isSame(const TreeNode &a, const TreeNode &b)
{
    return a.event == b.event && a.offers == b.offers && a.criticalSections == b.criticalSections
        && a.tokens == b.tokens && a.timer == b.timer && a.waited == b.waited && a.listening == b.listening;
}

} // namespace

std::vector<TreeNodeId> roundBefore(const std::vector<TreeNode> &nodes, const TreeNode &node)
{
    if (node.isOver)
        return {};
    constexpr TreeNodeId start = 0;
    // The path from the start to this node, latest first, as events with the offers after them.
    std::vector<const TreeNode *> path {&node};
    std::vector<TreeNodeId> ids {start};
    for (TreeNodeId id = node.parent; path.size() <= std::size_t(maxRoundLength * retriesThatFold);
         id = nodes[id].parent) {
        path.push_back(&nodes[id]);
        ids.push_back(id);
        if (id == start)
            break;
    }
    const int retries = node.offers.size() > 1 ? retriesThatFoldBeside : retriesThatFold;
    for (std::size_t round = 1; round <= maxRoundLength; ++round) {
        const std::size_t length = round * static_cast<std::size_t>(retries);
        if (path.size() <= length)
            return {};
        bool repeats = true;
        for (std::size_t i = 0; repeats && i + round < length; ++i)
            repeats = isSame(*path[i], *path[i + round]);
        if (!repeats)
            continue;
        std::vector<TreeNodeId> found(ids.begin() + 1, ids.begin() + static_cast<std::ptrdiff_t>(round) + 1);
        std::ranges::rotate(found, found.end() - 1); // The last node of the round equals the current node.
        std::ranges::reverse(found);
        return found;
    }
    return {};
}

} // namespace latchkey::programs
