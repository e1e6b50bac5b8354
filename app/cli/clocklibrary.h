#pragma once

#include <QString>

namespace latchkey::cli {

/// Returns the path of the library that puts other programs under a virtual clock (shim::ProgramClock). It is beside
/// this program in a build, and in ../lib/latchkey/preload of an installation. Empty if the library does not exist,
/// because it supports one processor architecture only, or if its path cannot be used in LD_PRELOAD.
[[nodiscard]] QString clockLibrary();

} // namespace latchkey::cli
