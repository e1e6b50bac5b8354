#pragma once

#include "core/foundation/base/error.h"

#include <QString>

namespace latchkey::net {

/// A proxy that the user has named for one server: a parsed URL. A value type.
///
/// It holds a password, so it is never printed as a whole; users, titles and settings get display(). The proxy resolves
/// host names.
struct Proxy
{
    enum class Kind : quint8 { Socks5, Http };

    Kind kind = Kind::Socks5;
    QString host;
    quint16 port = 0;
    QString user;     ///< Empty: none.
    QString password; ///< Empty: none.

    /// Reads `socks5://[user[:password]@]host:port`, or the same with `http://`, which uses CONNECT. Error (Usage),
    /// without the password.
    [[nodiscard]] static base::Result<Proxy> fromUrl(const QString &url);

    /// Returns the URL without the password.
    [[nodiscard]] QString display() const;
    [[nodiscard]] QString toUrlWithPassword() const;

    friend bool operator==(const Proxy &, const Proxy &) = default;
};

/// Returns the URL as typed, with "(hidden)" instead of a user name and password. Also for invalid URLs, which may
/// contain a password too.
[[nodiscard]] QString withoutSecret(const QString &url);

} // namespace latchkey::net
