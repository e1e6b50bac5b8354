#pragma once

#include "core/redis/net/endpoint.h"

#include <QByteArray>
#include <QString>

namespace latchkey::connections {

/// The secrets of a saved server.
///
/// A value type. It is never printed, logged or written to a file. It exists only in memory or, as toBytes() formats
/// it, in the desktop's keychain. The login of ssh is not part of it, because ssh asks for that itself.
struct Secrets
{
    QString password;            ///< Password of the server; empty: none.
    QString proxyPassword;       ///< Password of the proxy; empty: none.
    QString sentinelPassword {}; ///< Password at the sentinels; empty: none.

    [[nodiscard]] bool isEmpty() const
    {
        return password.isEmpty() && proxyPassword.isEmpty() && sentinelPassword.isEmpty();
    }

    /// Returns the secrets of an endpoint.
    [[nodiscard]] static Secrets of(const net::Endpoint &endpoint);
    /// Returns the endpoint with its missing secrets filled in from these.
    [[nodiscard]] net::Endpoint filledIn(net::Endpoint endpoint) const;
    /// Returns these secrets, with empty ones replaced by those of `other`.
    [[nodiscard]] Secrets withDefaults(const Secrets &other) const;

    /// Returns the content of a keychain entry, which is JSON.
    [[nodiscard]] QByteArray toBytes() const;
    /// Reads a keychain entry. An entry that is not a JSON object is the server's password alone, because a user may
    /// have written the entry.
    [[nodiscard]] static Secrets fromBytes(const QByteArray &bytes);

    friend bool operator==(const Secrets &, const Secrets &) = default;
};

/// Returns whether the endpoint may lack a secret: its password, or that of its proxy's user or of its sentinels.
[[nodiscard]] bool lacksSecrets(const net::Endpoint &endpoint);

} // namespace latchkey::connections
