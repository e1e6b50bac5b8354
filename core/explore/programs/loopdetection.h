#pragma once

#include "core/explore/programs/treenode.h"

namespace latchkey::programs {

/// Minimum number of equal rounds found by roundBefore().
constexpr int minRepetitions = 2;

/// Detects equal consecutive rounds of commands and replies. Returns the nodes of one round; the last of them equals
/// `node`. Empty: no repetition. `nodes`: all known nodes, the start first. `node`: a new node, not yet among them.
[[nodiscard]] std::vector<TreeNodeId> roundBefore(const std::vector<TreeNode> &nodes, const TreeNode &node);

} // namespace latchkey::programs
