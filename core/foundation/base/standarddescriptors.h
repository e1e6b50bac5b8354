#pragma once

namespace latchkey::base {

/// Opens /dev/null on each closed descriptor of 0 to 2. Standard input is opened for writing and the outputs for
/// reading, so that their use still fails as before (EBADF).
///
/// The system gives the lowest free number to the next file that is opened. Without this, a program started as `ls <&-
/// >&-` would open its socket as descriptor 1 and print into it: its output would be commands to the server. To be
/// called first in main(), before anything is opened.
void occupyStandardDescriptors();

} // namespace latchkey::base
