#pragma once

#include "core/resp/proxy.h"
#include "core/resp/tlsoptions.h"
#include "core/ssh/hop.h"

#include <optional>

namespace latchkey::resp {

/// Where a server is, which way and as whom to go there: a URL, taken apart.
///
/// A value type. It holds passwords, so it is never printed as a whole: display() is what people, titles and settings
/// get.
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
    /// Absent: straight there. Else host, port and path are what the machine there takes them for.
    std::optional<ssh::Hop> ssh;
    std::optional<Proxy> proxy; ///< Absent: none, whatever the environment says. Of Tcp, and not beside ssh.

    /// Reads `redis://[user[:password]@]host[:port][/db]`, the same with `rediss://` for TLS, with the options
    /// `cacert`, `cert`, `key`, `sni` and `pin` behind a `?` (see TlsOptions), and
    /// `unix://[user[:password]@]/path[?db=N]`. All of them have the option `ssh` (see ssh::Hop), those with a host
    /// also `proxy` (see Proxy). What is special in a URL is percent-encoded. Errors (Usage) name the URL, without its
    /// password, and what is wrong with it.
    [[nodiscard]] static base::Result<Endpoint> fromUrl(const QString &url);

    /// The local server on the standard port.
    [[nodiscard]] static Endpoint local() { return {}; }
    [[nodiscard]] static Endpoint unixSocket(const QString &path);

    /// Where ssh or a proxy is to lead.
    [[nodiscard]] ssh::Target target() const;

    /// For people: the URL without passwords and without the options of TLS. The way belongs to it: behind another host
    /// the same address is another server.
    [[nodiscard]] QString display() const;
    /// The URL without passwords. fromUrl() reads it back.
    [[nodiscard]] QString toUrl() const;
    /// The URL with the passwords, for handing the endpoint to a process of our own by way of its environment.
    [[nodiscard]] QString toUrlWithPassword() const;

    friend bool operator==(const Endpoint &, const Endpoint &) = default;
};

} // namespace latchkey::resp
