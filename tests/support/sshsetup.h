#pragma once

#include "core/foundation/process/child.h"
#include "core/redis/ssh/sshhost.h"

#include <QTemporaryDir>

namespace latchkey::test {

/// A private sshd on the loopback with its own keys, and an `ssh` that uses only the configuration of this setup.
///
/// Runs the real programs. `ssh` is a script that calls the system's ssh with the setup's configuration: ssh finds the
/// user's configuration by the password database, not by HOME. As root, the sshd runs in a mount namespace with an
/// `sshd` user in its /etc/passwd.
class SshSetup final
{
public:
    /// Starts the sshd. `settings`: additional lines of its configuration.
    explicit SshSetup(const QByteArray &settings = {});

    /// Returns the reason why the setup is not available. Empty if it is. To be called first.
    [[nodiscard]] QString obstacle() const { return m_obstacle; }

    /// Returns the folder of the setup's `ssh`, which must be the first in PATH.
    [[nodiscard]] QString programs() const { return path(QStringLiteral("bin")); }
    /// Returns PATH with that folder as the first.
    [[nodiscard]] QByteArray searchPath() const;
    [[nodiscard]] ssh::SshHost sshHost() const { return {{}, QStringLiteral("bed"), 0}; }
    [[nodiscard]] quint16 port() const { return m_port; }

    /// The client's known_hosts entry for the server: the right host key, another key, or no entry.
    enum class Known : quint8 { Right, Other, Nothing };
    /// Sets the client's known_hosts entry and its treatment of an unknown host key: a strict client refuses without
    /// asking.
    void know(Known known, bool isStrict = true) const;
    /// Returns the contents of known_hosts.
    [[nodiscard]] QByteArray knownHosts() const;
    /// Selects the client's key. The locked key has the passphrase `secret`.
    void useKey(bool isLocked) const;
    [[nodiscard]] static QString passphrase() { return QStringLiteral("secret"); }

private:
    [[nodiscard]] QString path(const QString &file) const { return m_folder.filePath(file); }
    [[nodiscard]] bool makeKey(const QString &name, const QString &passphrase = {});
    [[nodiscard]] bool start(const QString &program, const QByteArray &settings);
    void writeConfiguration(const QString &key) const;

    QTemporaryDir m_folder;
    QString m_obstacle;
    quint16 m_port = 0;
    process::Child m_server;
    mutable QString m_key = QStringLiteral("id");
    mutable bool m_isStrict = true;
};

} // namespace latchkey::test
