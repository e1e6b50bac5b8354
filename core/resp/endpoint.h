#pragma once

#include "core/resp/tlsoptions.h"

#include <optional>

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
    QString user;                  ///< Empty: the server's default user.
    QString password;              ///< Empty: none.
    std::optional<TlsOptions> tls; ///< Absent: not encrypted. Of Tcp.

    /// Reads `redis://[user[:password]@]host[:port][/db]`, the same with `rediss://` for TLS, with the options
    /// `cacert`, `cert`, `key`, `sni` and `pin` behind a `?` (see TlsOptions), and
    /// `unix://[user[:password]@]/path[?db=N]`; what is special in a URL is percent-encoded. Errors (Usage) name the
    /// URL, without its password, and what is wrong with it.
    [[nodiscard]] static base::Result<Endpoint> fromUrl(const QString &url);

    /// The local server on the standard port.
    [[nodiscard]] static Endpoint local() { return {}; }
    [[nodiscard]] static Endpoint unixSocket(const QString &path);

    /// For people: the URL without the password and without the options of TLS.
    [[nodiscard]] QString display() const;
    /// The URL without the password. fromUrl() reads it back.
    [[nodiscard]] QString toUrl() const;
    /// The URL with the password, for handing the endpoint to a process of our own by way of its environment.
    [[nodiscard]] QString toUrlWithPassword() const;

    friend bool operator==(const Endpoint &, const Endpoint &) = default;
};

} // namespace latchkey::resp
