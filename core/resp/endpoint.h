#pragma once

#include "core/base/error.h"

#include <QByteArray>
#include <QString>

namespace latchkey::resp {

/// Where a server is and as whom to go there: a URL, taken apart.
///
/// A value type. It holds the password, so it is never printed as a whole: display() is what people, titles and
/// settings get.
struct Endpoint
{
    enum class Transport : quint8 { Tcp, Unix };

    Transport transport = Transport::Tcp;
    QString host = QStringLiteral("127.0.0.1"); ///< Name or address; of Tcp.
    quint16 port = 6379;                        ///< Of Tcp.
    QString path;                               ///< Of Unix: the socket's file.
    int database = 0;
    QString user;     ///< Empty: the server's default user.
    QString password; ///< Empty: none.

    /// Reads `redis://[user[:password]@]host[:port][/db]` and `unix://[user[:password]@]/path[?db=N]`; what is special
    /// in a URL is percent-encoded in user and password. `rediss://` (TLS) is understood and refused: not built yet.
    /// Errors (Usage) name the URL, without its password, and what is wrong with it.
    [[nodiscard]] static base::Result<Endpoint> fromUrl(const QString &url);

    /// The local server on the standard port.
    [[nodiscard]] static Endpoint local() { return {}; }
    [[nodiscard]] static Endpoint unixSocket(const QString &path);

    /// The URL without the password. fromUrl() reads it back.
    [[nodiscard]] QString display() const;
    /// The URL with the password, for handing the endpoint to a process of our own by way of its environment.
    [[nodiscard]] QString toUrlWithPassword() const;

    friend bool operator==(const Endpoint &, const Endpoint &) = default;
};

} // namespace latchkey::resp
