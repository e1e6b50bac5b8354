#pragma once

#include "core/redis/net/endpoint.h"

#include <QString>

#include <array>

namespace latchkey::connections {

/// The importance of a server. The window asks before it writes to an important one.
enum class Environment : quint8 { Unspecified, Development, Staging, Production };
/// A colour mark to recognise a server. The theme decides the actual colour.
enum class ColourMark : quint8 { None, Red, Orange, Green, Blue, Violet };

inline constexpr std::array environments {Environment::Unspecified, Environment::Development, Environment::Staging,
                                          Environment::Production};
inline constexpr std::array marks {ColourMark::None,  ColourMark::Red,  ColourMark::Orange,
                                   ColourMark::Green, ColourMark::Blue, ColourMark::Violet};

/// Returns the name in files and JSON, such as `production`; empty for an unset value.
[[nodiscard]] QString nameOf(Environment environment);
[[nodiscard]] QString nameOf(ColourMark mark);

/// A saved server with a name.
///
/// It contains the parameters of a connection and is not a connection. A value type. The endpoint's passwords are never
/// written to a file: they are in the desktop's keychain, or the program asks for them when it connects.
struct SavedConnection
{
    QString name; ///< One line, not empty; unique, ignoring case.
    net::Endpoint endpoint;
    Environment environment = Environment::Unspecified;
    QString group {}; ///< Group of related servers, as named by the user; empty without a group.
    ColourMark mark = ColourMark::None;
    bool hasSecrets = false; ///< Whether this desktop's keychain has the passwords, under the server's name.

    friend bool operator==(const SavedConnection &, const SavedConnection &) = default;
};

} // namespace latchkey::connections
