#pragma once

#include "core/explore/programs/solorun.h"

namespace latchkey::programs {

/// Returns an error if an option of the program names a command or a key that a client alone never sends. Such an
/// option is usually mistyped. Checks Program::entering, Program::leaving and Program::resource. `alone`: the run of
/// the client, which must have ended or repeat itself forever. Absent: no error. Program::leaving may be unused if the
/// client has not entered, or sends nothing after its entry.
[[nodiscard]] std::optional<base::Text> unusedOption(const Program &program, const SoloRun &alone);

} // namespace latchkey::programs
