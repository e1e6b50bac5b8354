#pragma once

#include "core/resp/endpoint.h"

#include <QString>

#include <array>

namespace latchkey::servers {

/// How much depends on a server, by which the window asks before it writes there.
enum class Environment : quint8 { Unsaid, Development, Staging, Production };
/// A mark to know a server by; which colour that is on screen is the theme's affair.
enum class Mark : quint8 { None, Red, Orange, Green, Blue, Violet };

inline constexpr std::array environments {Environment::Unsaid, Environment::Development, Environment::Staging,
                                          Environment::Production};
inline constexpr std::array marks {Mark::None, Mark::Red, Mark::Orange, Mark::Green, Mark::Blue, Mark::Violet};

/// As files and JSON have it: `production`; empty where nothing is said.
[[nodiscard]] QString nameOf(Environment environment);
[[nodiscard]] QString nameOf(Mark mark);

/// A server that somebody has given a name.
///
/// It is how to get there, not the connection. A value type. The endpoint's passwords are never written down: they are
/// in the desktop's keychain, or whoever connects asks for them.
struct KeptServer
{
    QString name; ///< One line, not empty; no two have the same, whatever their capitals.
    resp::Endpoint endpoint;
    Environment environment = Environment::Unsaid;
    QString group {}; ///< Servers that belong together, in the user's words; empty: to none.
    Mark mark = Mark::None;
    bool hasSecrets = false; ///< The keychain of this desktop has its passwords, under its name.

    friend bool operator==(const KeptServer &, const KeptServer &) = default;
};

} // namespace latchkey::servers
