#pragma once

#include "core/findings/finding.h"

#include <vector>

namespace latchkey::findings {

/// Looks at a case for one kind of danger.
using Rule = std::optional<Finding> (*)(const Case &);

/// The families, a file each.
[[nodiscard]] std::vector<Rule> keyRules();    ///< What the key, its companions and its dialect say.
[[nodiscard]] std::vector<Rule> habitRules();  ///< What has happened over time, or was traced.
[[nodiscard]] std::vector<Rule> serverRules(); ///< What the server is set up for.

} // namespace latchkey::findings
