#pragma once

#include <QtGlobal>

#include <algorithm>

namespace latchkey::test {

/// Whether this is a build with sanitizers.
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

/// Whether tests run with their full load: so many lives, keys and clients. A build with sanitizers computes several
/// times as slowly and runs with a part of it, unless LATCHKEY_FULL_LOAD=1 asks for all.
[[nodiscard]] inline bool hasFullLoad()
{
    return !isSanitized() || qEnvironmentVariableIntValue("LATCHKEY_FULL_LOAD") > 0;
}

/// That many with the full load, else a fifth of them, and at least one.
[[nodiscard]] inline int load(int full)
{
    return hasFullLoad() ? full : std::max(1, full / 5);
}

} // namespace latchkey::test
