#pragma once

#include "core/base/error.h"

#include <QString>

namespace latchkey::resp {

/// A proxy that the user has named for one server: a URL, taken apart. A value type.
///
/// It holds a password, so it is never printed as a whole: display() is what people, titles and settings get. Names are
/// for the proxy to resolve.
struct Proxy
{
    enum class Kind : quint8 { Socks5, Http };

    Kind kind = Kind::Socks5;
    QString host;
    quint16 port = 0;
    QString user;     ///< Empty: none.
    QString password; ///< Empty: none.

    /// Reads `socks5://[user[:password]@]host:port` and the same with `http://`, which is asked by CONNECT. Error
    /// (Usage), without the password.
    [[nodiscard]] static base::Result<Proxy> fromUrl(const QString &url);

    /// The URL without the password.
    [[nodiscard]] QString display() const;
    [[nodiscard]] QString toUrlWithPassword() const;

    friend bool operator==(const Proxy &, const Proxy &) = default;
};

/// The URL as typed, with "(hidden)" in the place of a user name and password. Also for texts that are no valid URL,
/// which can contain a password all the same.
[[nodiscard]] QString withoutSecret(const QString &url);

} // namespace latchkey::resp
