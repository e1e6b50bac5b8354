#include "tests/support/sshsetup.h"

#include "tests/support/await.h"
#include "tests/support/freeport.h"

#include <QDir>
#include <QNetworkProxy>
#include <QProcess>
#include <QStandardPaths>
#include <QTcpSocket>

#include <pwd.h>
#include <unistd.h>

namespace latchkey::test {

namespace {

/// Folder into which tests/run unpacks Debian's openssh-server. Installing the package would start a service.
const QString unpackedSsh = QStringLiteral(LATCHKEY_SOURCE_DIR "/build/openssh-server");

void writeFile(const QString &path, const QByteArray &content, QFile::Permissions permissions = {})
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
        qFatal("cannot write %s", qPrintable(path));
    if (permissions)
        file.setPermissions(permissions);
}

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QString findServer()
{
    for (const QString &place : {QStringLiteral("/usr/sbin/sshd"), unpackedSsh + QStringLiteral("/usr/sbin/sshd")}) {
        if (QFile::exists(place))
            return place;
    }
    return {};
}

/// Returns the folders of the libraries in the unpacked package.
QByteArray sshLibraries()
{
    QByteArray places;
    for (const QString &place : {QStringLiteral("/lib/"), QStringLiteral("/usr/lib/")}) {
        for (const QString &folder :
             QDir(unpackedSsh + place).entryList({QStringLiteral("*-linux-gnu*")}, QDir::Dirs | QDir::NoDotAndDotDot))
            places += (unpackedSsh + place + folder + u':').toUtf8();
    }
    return places;
}

/// Returns the sshd settings with the paths of the unpacked helper programs. From OpenSSH 9.8 on, sshd needs helpers,
/// which it searches at their installed paths.
QByteArray helpers()
{
    QByteArray lines;
    for (const auto &[setting, name] :
         {std::pair("SshdSessionPath", "sshd-session"), std::pair("SshdAuthPath", "sshd-auth")}) {
        const QString helper = unpackedSsh + QStringLiteral("/usr/lib/openssh/") + QLatin1String(name);
        if (QFile::exists(helper))
            lines += setting + QByteArray(" ") + helper.toUtf8() + '\n';
    }
    return lines;
}

QByteArray ownName()
{
    const passwd *own = ::getpwuid(::geteuid());
    return own == nullptr ? QByteArray("root") : QByteArray(own->pw_name);
}

} // namespace

SshSetup::SshSetup(const QByteArray &settings)
{
    const QString program = findServer();
    if (program.isEmpty() || QStandardPaths::findExecutable(QStringLiteral("ssh")).isEmpty())
        m_obstacle = QStringLiteral("there is no ssh or no sshd here; tests/run unpacks Debian's openssh-server");
    else if (!makeKey(QStringLiteral("host")) || !makeKey(QStringLiteral("other")) || !makeKey(QStringLiteral("id"))
             || !makeKey(QStringLiteral("locked"), passphrase()))
        m_obstacle = QStringLiteral("ssh-keygen has made no keys");
    else if (!start(program, settings))
        m_obstacle = QStringLiteral("sshd does not start here: %1").arg(QString::fromUtf8(m_server.output()));
    if (m_obstacle.isEmpty())
        know(Known::Right);
}

bool SshSetup::makeKey(const QString &name, const QString &passphrase)
{
    return QProcess::execute(QStringLiteral("ssh-keygen"),
                             {QStringLiteral("-q"), QStringLiteral("-t"), QStringLiteral("ed25519"),
                              QStringLiteral("-N"), passphrase, QStringLiteral("-f"), path(name)})
        == 0;
}

bool SshSetup::start(const QString &program, const QByteArray &settings)
{
    m_port = freePort();
    writeFile(path(QStringLiteral("authorized")),
              contentOf(path(QStringLiteral("id.pub"))) + contentOf(path(QStringLiteral("locked.pub"))));
    const bool isRoot = ::geteuid() == 0;
    const QByteArray folder = m_folder.path().toUtf8();
    writeFile(path(QStringLiteral("sshd.conf")),
              "Port " + QByteArray::number(m_port) + "\nListenAddress 127.0.0.1\nHostKey " + folder
                  + "/host\nPidFile none\nAuthorizedKeysFile " + folder
                  + "/authorized\nStrictModes no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nUsePAM "
                  + (isRoot ? "no\n" : "yes\n") + (program.startsWith(unpackedSsh) ? helpers() : QByteArray())
                  + settings + '\n');
    writeFile(path(QStringLiteral("passwd")),
              contentOf(QStringLiteral("/etc/passwd")) + "sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin\n");
    QDir().mkpath(programs());
    writeFile(programs() + QStringLiteral("/ssh"), "#!/bin/sh\nexec /usr/bin/ssh -F '" + folder + "/config' \"$@\"\n",
              QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);

    // LD_LIBRARY_PATH below lists the folders of the unpacked package first.
    const QByteArray server = "exec '" + program.toUtf8() + "' -D -e -f '" + folder + "/sshd.conf'";
    const QByteArray asRoot =
        "mount --bind '" + folder
        + "/passwd' /etc/passwd && mount -t tmpfs -o mode=755 none /run && mkdir -m 755 /run/sshd && ";
    process::Launch launch;
    if (isRoot)
        launch.words = {"unshare", "-m", "sh", "-c", asRoot + server};
    else
        launch.words = {"sh", "-c", server};
    launch.environment = {{"LD_LIBRARY_PATH", sshLibraries() + qgetenv("LD_LIBRARY_PATH")}};
    launch.input = process::Launch::Channel::Nothing;
    launch.output = process::Launch::Channel::Piped;
    launch.errors = process::Launch::Errors::WithOutput;
    launch.hasOwnGroup = true;
    if (!m_server.start(launch))
        return false;
    return waitFor([this] {
               QTcpSocket probe;
               probe.setProxy(QNetworkProxy::NoProxy);
               probe.connectToHost(QHostAddress(QHostAddress::LocalHost), m_port);
               return probe.waitForConnected(1000) || !m_server.isRunning();
           })
        && m_server.isRunning();
}

QByteArray SshSetup::searchPath() const
{
    return programs().toUtf8() + ':' + qgetenv("PATH");
}

void SshSetup::know(Known known, bool isStrict) const
{
    m_isStrict = isStrict;
    const QString key = known == Known::Right ? QStringLiteral("host.pub") : QStringLiteral("other.pub");
    const QByteArray host = "[127.0.0.1]:" + QByteArray::number(m_port) + ' ';
    writeFile(path(QStringLiteral("known_hosts")),
              known == Known::Nothing ? QByteArray() : host + contentOf(path(key)));
    writeConfiguration(m_key);
}

QByteArray SshSetup::knownHosts() const
{
    return contentOf(path(QStringLiteral("known_hosts")));
}

void SshSetup::useKey(bool isLocked) const
{
    m_key = isLocked ? QStringLiteral("locked") : QStringLiteral("id");
    writeConfiguration(m_key);
}

void SshSetup::writeConfiguration(const QString &key) const
{
    writeFile(path(QStringLiteral("config")),
              "Host bed\n  HostName 127.0.0.1\n  Port " + QByteArray::number(m_port) + "\nHost *\n  User " + ownName()
                  + "\n  IdentityFile " + path(key).toUtf8() + "\n  IdentitiesOnly yes\n  IdentityAgent none\n"
                  + "  UserKnownHostsFile " + path(QStringLiteral("known_hosts")).toUtf8()
                  + "\n  GlobalKnownHostsFile /dev/null\n  UpdateHostKeys no\n  StrictHostKeyChecking "
                  + (m_isStrict ? "yes\n" : "ask\n"));
}

} // namespace latchkey::test
