#pragma once

#include "core/redis/net/tlsoptions.h"

#include <QDateTime>
#include <QObject>
#include <QSslConfiguration>
#include <QSslError>

#include <optional>

class QSslSocket;

namespace latchkey::net {

/// Returns the configuration of a socket. Error (Usage): a file cannot be read or has the wrong content.
[[nodiscard]] base::Result<QSslConfiguration> sslConfiguration(const TlsOptions &options);

/// An untrusted certificate, to be shown to the user for a decision. A value type.
struct UntrustedCertificate
{
    QByteArray fingerprint; ///< SHA-256, as TlsOptions::pin.
    QString subject;        ///< Readable name of the subject.
    QString issuer;         ///< Readable name of the issuer.
    QStringList names;      ///< Hosts that the certificate is valid for.
    QDateTime from;         ///< Start of the validity, UTC.
    QDateTime until;        ///< End of the validity, UTC.
    base::Text why;         ///< Reason why it is not trusted.
    bool isOther = false;   ///< Whether another certificate was pinned: possibly a man-in-the-middle attack.
};

/// A verifier of the server's certificate during the TLS handshake of a socket. It reports the reason of a failure as a
/// sentence.
///
/// A pinned certificate is compared twice: when Qt reports certificate errors, and once the connection is encrypted.
/// The second comparison is needed because a certificate of a trusted CA raises no error. Owned by the code that
/// connects; the socket is not owned and must exist when this object is used. It works with and without an event loop.
class TlsVerifier final
{
public:
    TlsVerifier(QSslSocket &socket, TlsOptions options);
    Q_DISABLE_COPY_MOVE(TlsVerifier)

    /// Returns whether the encrypted connection is to the right server. To be called once the socket is encrypted.
    [[nodiscard]] bool isTrusted() const { return m_distrust.isEmpty(); }
    /// Returns why the server is not trusted or refuses this client; empty if TLS has no problem. A server may report a
    /// missing client certificate only after the handshake.
    [[nodiscard]] base::Text problem() const;
    /// Returns the certificate, if it is the reason why the server is not trusted.
    [[nodiscard]] const std::optional<UntrustedCertificate> &refused() const { return m_refused; }

private:
    void checkErrors(const QList<QSslError> &errors);
    void compare();
    void refuse(base::Text why, bool isOther);

    QSslSocket &m_socket; // Not owned.
    QObject m_listener;   ///< Context of the connections: they end with this object.
    const TlsOptions m_options;
    base::Text m_distrust; ///< Reason why the server is not trusted.
    base::Text m_alert;    ///< Reason why the server refuses this client.
    std::optional<UntrustedCertificate> m_refused;
};

} // namespace latchkey::net
