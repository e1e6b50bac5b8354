#pragma once

#include "core/resp/endpoint.h"
#include "tests/support/testserver.h"

#include <QTemporaryDir>

namespace latchkey::test {

/// A CA of our own, certificates of every kind that there is trouble with, and real servers that show them.
///
/// Made by the program openssl, anew for each test program.
class TlsBed final
{
public:
    TlsBed();

    /// Why there is none; empty where there is one. Ask before anything else.
    [[nodiscard]] QString obstacle() const { return m_obstacle; }

    /// Files in PEM: `ca`, `server` (for localhost and 127.0.0.1), `other-host`, `expired`, `future`, `self-signed`,
    /// `client`, `foreign-ca`, `foreign` (of that CA), `locked` (a key with a passphrase).
    [[nodiscard]] QString certificate(const QString &name) const { return path(name + QStringLiteral(".crt")); }
    [[nodiscard]] QString key(const QString &name) const { return path(name + QStringLiteral(".key")); }
    [[nodiscard]] QByteArray fingerprint(const QString &name) const;

    /// Lets a server speak TLS too, with that certificate; gives the port.
    [[nodiscard]] quint16 encrypt(TestServer &server, const QString &name, bool wantsClients = false) const;
    /// Whom it is asked for, where the CA is trusted.
    [[nodiscard]] resp::Endpoint endpoint(quint16 port) const;

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
