#pragma once

#include <QLatin1String>

namespace latchkey::playground {

// Names of JSON fields that orders and operations of a client process share.
inline constexpr auto keyName = QLatin1String("key");
inline constexpr auto valueName = QLatin1String("value");
inline constexpr auto serverName = QLatin1String("server");

} // namespace latchkey::playground
