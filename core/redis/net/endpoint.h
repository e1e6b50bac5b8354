#pragma once

#include "core/redis/net/addressmap.h"
#include "core/redis/net/proxy.h"
#include "core/redis/net/sentinelgroup.h"
#include "core/redis/net/tlsoptions.h"
#include "core/redis/ssh/sshhost.h"

#include <optional>

namespace latchkey::net {

/// Whether the address of an endpoint was announced by a cluster or a sentinel from another host, so that it may be an
/// inner address that this machine cannot reach. Not part of the identity of an endpoint: all values are equal.
struct AddressSource
{
    bool isAnnounced = false;

    friend bool operator==(const AddressSource &, const AddressSource &) { return true; }
};

/// The address of a server, the route to it and the user: a parsed URL.
///
/// A value type. It holds passwords, so it is never printed as a whole; users, titles and settings get display().
struct Endpoint
{
    enum class Transport : quint8 { Tcp, Unix };

    Transport transport = Transport::Tcp;
    QString host = QStringLiteral("127.0.0.1"); ///< Name or address; for Tcp.
    quint16 port = 6379;                        ///< For Tcp.
    QString path;                               ///< Path of the socket; for Unix.
    int database = 0;
    QString user;                  ///< Empty: the server's default user.
    QString password;              ///< Empty: none.
    std::optional<TlsOptions> tls; ///< Absent: not encrypted. For Tcp.
    /// Absent for a direct connection. Otherwise host, port and path are as seen from the SSH host.
    std::optional<ssh::SshHost> ssh;
    /// Absent: host and port are those of the server itself. Otherwise they are those of its first sentinel, and the
    /// sentinels are asked for the server's address at each connection attempt. For Tcp.
    std::optional<SentinelGroup> sentinels;
    std::optional<Proxy> proxy; ///< Absent for no proxy, regardless of the environment. For Tcp, not together with ssh.
    AddressMap addresses; ///< Where the announced addresses of cluster nodes and of sentinels' servers are reached.
    AddressSource source;

    /// Reads `redis://[user[:password]@]host[:port][/db]` and `unix://[user[:password]@]/path[?db=N]`. `rediss://`
    /// stands for TLS, with the options `cacert`, `cert`, `key`, `sni` and `pin` after a `?` (see TlsOptions). All
    /// forms have the option `ssh` (see ssh::SshHost) and `map` (see AddressMap), those with a host also `proxy`
    /// (see Proxy). Sentinels are read by splitSentinelUrl(), with the options `sentinel-user` and `sentinel-password`.
    /// Special characters of a URL are percent-encoded. Errors (Usage) name the URL, without its password, and its
    /// problem.
    [[nodiscard]] static base::Result<Endpoint> fromUrl(const QString &url);

    /// Returns the local server on the standard port.
    [[nodiscard]] static Endpoint local() { return {}; }
    [[nodiscard]] static Endpoint unixSocket(const QString &path);

    /// Returns the endpoint of a server that this one announces, with the same user, TLS, SSH and proxy. Its address is
    /// that of the address map, or the announced one.
    [[nodiscard]] Endpoint announcing(const HostPort &announced) const;
    /// Returns the address that ssh or a proxy has to connect to.
    [[nodiscard]] ssh::Target target() const;
    /// Returns whether the URL names this machine: a socket, a loopback address or `localhost`, without SSH or proxy.
    /// The server behind sentinels, or behind a tunnel that another program has opened, may be anywhere.
    [[nodiscard]] bool isOnThisMachine() const;

    /// Returns the URL for users, without passwords, TLS options and address map. It contains the route, because the
    /// same address behind another host is another server.
    [[nodiscard]] QString display() const;
    /// Returns the URL without passwords. fromUrl() reads it back.
    [[nodiscard]] QString toUrl() const;
    /// Returns the URL with the passwords, to pass the endpoint to another process of this program in its environment.
    [[nodiscard]] QString toUrlWithPassword() const;

    friend bool operator==(const Endpoint &, const Endpoint &) = default;
};

} // namespace latchkey::net
