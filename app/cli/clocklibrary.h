#pragma once

#include <QString>

namespace latchkey::cli {

/// The library by which others' programs go by our clock (shim::ProgramClock), which lies beside this one. Empty where it
/// is not there: it is written for one kind of processor; and where its path cannot be given to LD_PRELOAD.
[[nodiscard]] QString clockLibrary();

} // namespace latchkey::cli
