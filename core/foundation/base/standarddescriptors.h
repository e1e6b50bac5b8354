#pragma once

namespace latchkey::base {

/// Opens /dev/null on each closed descriptor of 0 to 2. Standard input is opened for writing and the outputs for
/// reading, so that their use still fails as before (EBADF).
///
/// The system assigns the lowest free number to the next opened file. Without this function, a program that is started
/// with `>&-` would open its socket as descriptor 1, and send its output to the server as commands. Call this function
/// first in main(), before any file is opened.
void occupyStandardDescriptors();

} // namespace latchkey::base
