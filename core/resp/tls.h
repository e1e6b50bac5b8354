#pragma once

#include "core/resp/tlsoptions.h"

#include <QDateTime>
#include <QObject>
#include <QSslConfiguration>
#include <QSslError>

#include <optional>

class QSslSocket;

namespace latchkey::resp {

/// What a socket is set up with. Error (Usage): a file that cannot be read, or does not hold what it should.
[[nodiscard]] base::Result<QSslConfiguration> sslConfiguration(const TlsOptions &options);

/// A certificate that has not been trusted, for the person who is to decide about it. A value type.
struct SeenCertificate
{
    QByteArray fingerprint; ///< SHA-256, as TlsOptions::pin.
    QString subject;        ///< A name that people know it by.
    QString issuer;         ///< Likewise.
    QStringList names;      ///< The hosts that it is for.
    QDateTime from;         ///< Of its validity, UTC.
    QDateTime until;
    base::Text why;       ///< Why it is not trusted.
    bool isOther = false; ///< Another was pinned: somebody may be in between.
};

/// Looks on while a socket shakes hands, and says in a sentence why it came to nothing.
///
/// It also is who compares a pinned certificate, twice: before anything is sent, and once the line is encrypted, for a
/// certificate of a trusted CA raises no error. Owned by whoever makes the connection; the socket is not owned, and
/// must be there when it is asked. It works with and without an event loop.
class TlsWitness final
{
public:
    TlsWitness(QSslSocket &socket, TlsOptions options);
    Q_DISABLE_COPY_MOVE(TlsWitness)

    /// Once the socket is encrypted: whether it is with whom it should be.
    [[nodiscard]] bool isTrusted() const { return m_distrust.isEmpty(); }
    /// Why the server is not trusted, or why it does not take us; empty where TLS has nothing against it. That a client
    /// has no certificate a server may say only after the handshake.
    [[nodiscard]] base::Text problem() const;
    /// The certificate, where it is why the server is not trusted.
    [[nodiscard]] const std::optional<SeenCertificate> &refused() const { return m_refused; }

private:
    void look(const QList<QSslError> &errors);
    void compare();
    void refuse(base::Text why, bool isOther);

    QSslSocket &m_socket; // Not owned.
    QObject m_listener;   ///< What it hears it hears no longer than it lives.
    const TlsOptions m_options;
    base::Text m_distrust; ///< Why we do not take the server.
    base::Text m_alert;    ///< Why it does not take us.
    std::optional<SeenCertificate> m_refused;
};

} // namespace latchkey::resp
