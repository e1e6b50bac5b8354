#pragma once

#include "core/inspect/findings/finding.h"

#include <vector>

namespace latchkey::findings {

/// Checks a case for one kind of problem.
using Rule = std::optional<Finding> (*)(const LockEvidence &);

/// The groups of rules, one file each.
[[nodiscard]] std::vector<Rule> keyRules();    ///< Rules about the key, its companions and its dialect.
[[nodiscard]] std::vector<Rule> habitRules();  ///< Rules about history and traces.
[[nodiscard]] std::vector<Rule> serverRules(); ///< Rules about the server's settings.

} // namespace latchkey::findings
