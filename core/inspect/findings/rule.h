#pragma once

#include "core/inspect/findings/finding.h"

#include <vector>

namespace latchkey::findings {

/// A rule that checks the evidence about one lock for one kind of problem. To add a kind, add it to FindingKind, its id
/// to finding.cpp, its sentences to findingtexts.cpp, and its rule to one of these groups.
using Rule = std::optional<Finding> (*)(const LockEvidence &);

/// The groups of rules, one file each.
[[nodiscard]] std::vector<Rule> keyRules();     ///< Rules about the key, its companions and its dialect.
[[nodiscard]] std::vector<Rule> historyRules(); ///< Rules about history and traces.
[[nodiscard]] std::vector<Rule> serverRules();  ///< Rules about the server's settings.

} // namespace latchkey::findings
