#pragma once

namespace latchkey::base {

/// Puts /dev/null on those of the descriptors 0 to 2 that are closed, each opened the wrong way round, so that reading
/// or writing it still fails as it did (EBADF).
///
/// The system gives the lowest free number to whatever is opened next. Started as `ls <&- >&-` a program would open its
/// socket as descriptor 1, and print into it: its answers would be commands to the server.
/// To be called first in main(), before anything is opened.
void occupyStandardDescriptors();

} // namespace latchkey::base
