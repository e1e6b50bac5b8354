#pragma once

#include <QtGlobal>

#include <algorithm>

namespace latchkey::test {

/// Returns whether this is a build with sanitizers.
[[nodiscard]] constexpr bool isSanitized()
{
#if defined(__SANITIZE_ADDRESS__)
    return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    return true;
#else
    return false;
#endif
#else
    return false;
#endif
}

/// Returns whether tests run with their full load: the full number of rounds, keys and clients. A build with sanitizers
/// is several times slower and runs with a part of the load, unless LATCHKEY_FULL_LOAD=1.
[[nodiscard]] inline bool hasFullLoad()
{
    return !isSanitized() || qEnvironmentVariableIntValue("LATCHKEY_FULL_LOAD") > 0;
}

/// Returns the given number with the full load, otherwise a fifth of it, and at least one.
[[nodiscard]] inline int load(int full)
{
    return hasFullLoad() ? full : std::max(1, full / 5);
}

} // namespace latchkey::test
