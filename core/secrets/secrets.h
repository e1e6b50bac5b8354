#pragma once

#include "core/resp/endpoint.h"

#include <QByteArray>
#include <QString>

namespace latchkey::secrets {

/// What is secret about a server that is kept by name.
///
/// A value type. It is never printed, logged or written into a file: it is either in the desktop's keychain, as
/// toBytes() has it, or in nothing but memory. How ssh logs in is not part of it: ssh asks for that itself.
struct Secrets
{
    QString password;      ///< The server's; empty: none.
    QString proxyPassword; ///< Of the proxy on the way; empty: none.

    [[nodiscard]] bool isEmpty() const { return password.isEmpty() && proxyPassword.isEmpty(); }

    /// Those that an endpoint carries.
    [[nodiscard]] static Secrets of(const resp::Endpoint &endpoint);
    /// The endpoint with these where it has none: what it has goes first.
    [[nodiscard]] resp::Endpoint filledIn(resp::Endpoint endpoint) const;
    /// These, and where there are none, the other ones.
    [[nodiscard]] Secrets orElse(const Secrets &other) const;

    /// As the keychain has it: JSON. What is no object of JSON is read as the server's password alone: a person may
    /// have written it there.
    [[nodiscard]] QByteArray toBytes() const;
    [[nodiscard]] static Secrets fromBytes(const QByteArray &bytes);

    friend bool operator==(const Secrets &, const Secrets &) = default;
};

/// Whether there may be a secret that the endpoint does without: a password, or that of its proxy's user.
[[nodiscard]] bool lacksSecrets(const resp::Endpoint &endpoint);

} // namespace latchkey::secrets
