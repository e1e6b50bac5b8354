#pragma once

#include "core/redis/net/endpoint.h"
#include "tests/support/testserver.h"

#include <QTemporaryDir>

namespace latchkey::test {

/// A private CA, certificates with each kind of defect, and real servers that present them.
///
/// The program openssl creates the certificates for each test program.
class TlsSetup final
{
public:
    TlsSetup();

    /// Returns the reason why the setup is not available. Empty if it is. To be called first.
    [[nodiscard]] QString obstacle() const { return m_obstacle; }

    /// Returns the path of a PEM file. Names: `ca`, `server` (for localhost and 127.0.0.1), `other-host`, `expired`,
    /// `future`, `self-signed`, `client`, `foreign-ca`, `foreign` (signed by that CA), `locked` (a key with a
    /// passphrase).
    [[nodiscard]] QString certificate(const QString &name) const { return path(name + QStringLiteral(".crt")); }
    [[nodiscard]] QString key(const QString &name) const { return path(name + QStringLiteral(".key")); }
    [[nodiscard]] QByteArray fingerprint(const QString &name) const;

    /// Enables TLS on a server with that certificate. `wantsClients`: whether the server requires client certificates.
    /// Returns the TLS port.
    [[nodiscard]] quint16 encrypt(TestServer &server, const QString &name, bool wantsClients = false) const;
    /// Returns the endpoint of the server at this port, with the CA as a trusted CA.
    [[nodiscard]] net::Endpoint endpoint(quint16 port) const;

private:
    [[nodiscard]] QString path(const QString &file) const { return m_folder.filePath(file); }
    [[nodiscard]] bool make();
    [[nodiscard]] bool openssl(const QStringList &arguments);
    [[nodiscard]] bool sign(const QString &name, const QString &host, const QString &from, const QString &to,
                            const QString &ca = QStringLiteral("ca"));

    QTemporaryDir m_folder;
    QString m_obstacle;
};

} // namespace latchkey::test
