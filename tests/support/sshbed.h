#pragma once

#include "core/children/child.h"
#include "core/ssh/hop.h"

#include <QTemporaryDir>

namespace latchkey::test {

/// An sshd of our own on the loopback, with keys of its own, and an `ssh` that knows nothing but this bed.
///
/// The real programs: `ssh` is a script that calls the system's with the bed's configuration, since that reads a user's
/// own by the password database, not by HOME. As root the sshd runs in a mount namespace, where there is a user for it.
class SshBed final
{
public:
    /// settings: further lines of sshd's configuration.
    explicit SshBed(const QByteArray &settings = {});

    /// Why there is none; empty where there is one. Ask before anything else.
    [[nodiscard]] QString obstacle() const { return m_obstacle; }

    /// The folder whose `ssh` is to be found first in PATH.
    [[nodiscard]] QString programs() const { return path(QStringLiteral("bin")); }
    /// PATH with that folder.
    [[nodiscard]] QByteArray searchPath() const;
    [[nodiscard]] ssh::Hop hop() const { return {{}, QStringLiteral("bed"), 0}; }
    [[nodiscard]] quint16 port() const { return m_port; }

    enum class Known : quint8 { Right, Other, Nothing };
    /// What the client knows of the host's key, and how it takes what it does not know: strictly, it does not ask.
    void know(Known known, bool isStrict = true) const;
    /// What known_hosts holds.
    [[nodiscard]] QByteArray knownHosts() const;
    /// The key's passphrase is `secret` where it is locked.
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
    children::Child m_server;
    mutable QString m_key = QStringLiteral("id");
    mutable bool m_isStrict = true;
};

} // namespace latchkey::test
