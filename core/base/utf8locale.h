#pragma once

namespace latchkey::base {

/// Gives the program the C locale with UTF-8 where the environment names none, names C, or names one that is not
/// installed, as in a bare container. Qt would switch likewise, and say so on standard error at every start.
/// To be called first in main(): it changes the environment, which child processes inherit.
void ensureUtf8Locale();

} // namespace latchkey::base
