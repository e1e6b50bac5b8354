#pragma once

namespace latchkey::base {

/// Sets the C locale with UTF-8 if the environment names no locale, C, or one that is not installed, as in a minimal
/// container. Otherwise Qt would make the same change and print a message at every start. Call this function first in
/// main(), because it changes the environment, which child processes inherit.
void ensureUtf8Locale();

} // namespace latchkey::base
