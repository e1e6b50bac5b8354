#include "core/redis/ssh/tunnel.h"

#include "core/redis/ssh/ssherrors.h"

#include <QDir>
#include <QFile>

#include <csignal>
#include <sys/un.h>

namespace latchkey::ssh {

using base::ErrorKind;
using base::failure;
using base::Result;
using process::Launch;
using namespace std::chrono_literals;

namespace {

/// The text that the remote session prints when the tunnel is open; unlikely in other output.
constexpr QByteArrayView readyMark("latchkey: the way is open");
constexpr auto pollInterval = 20ms;
constexpr int firstSignal = 128;   ///< Exit codes above this value stand for signals.
constexpr auto userTimeout = 2min; ///< Time limit for answers of the user; the default login time of sshd.
/// Limit of the kept output of ssh, in bytes. Of longer output, only the end is kept.
constexpr qsizetype maxOutputSize = 64LL * 1024;
constexpr qsizetype maxSocketPathLength = sizeof(sockaddr_un::sun_path) - 1;
/// Length of the suffix of the temporary name under which ssh creates the socket before it renames the socket.
constexpr qsizetype maxSuffixLength = 17;
constexpr auto tunnelFolderPrefix = QLatin1String("latchkey-ssh-");

/// Escapes one part of a forwarding for ssh.
QByteArray escaped(QByteArray part)
{
    return part.replace('\\', "\\\\").replace(':', "\\:").replace('%', "%%");
}

} // namespace

Tunnel::Tunnel(SshHost sshHost, Target target)
    : m_sshHost(std::move(sshHost))
    , m_target(std::move(target))
{
    m_pollTimer.setInterval(pollInterval);
    connect(&m_pollTimer, &QTimer::timeout, this, &Tunnel::listen);
    m_timeout.setSingleShot(true);
    connect(&m_timeout, &QTimer::timeout, this, [this] {
        fail({ErrorKind::Unreachable,
              base::Text(QT_TRANSLATE_NOOP("core", "ssh to %1 timed out"), m_sshHost.display())});
    });
}

Tunnel::~Tunnel() = default;

QString Tunnel::socketPath() const
{
    return m_folder ? m_folder->filePath(QStringLiteral("way")) : QString();
}

QByteArray Tunnel::forwarding() const
{
    const QByteArray near = escaped(QFile::encodeName(socketPath())) + ':';
    if (m_target.host.isEmpty())
        return near + escaped(QFile::encodeName(m_target.path));
    const QByteArray host = m_target.host.toUtf8();
    return near + (host.contains(':') ? '[' + host + ']' : host) + ':' + QByteArray::number(m_target.port);
}

QList<QByteArray> Tunnel::words() const
{
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(m_connectTimeout).count();
    QList<QByteArray> words {"ssh", "-T"};
    for (const QByteArray &option :
         {// A separate connection that ends with this process; a shared one would keep the tunnel open.
          QByteArrayLiteral("ControlMaster=no"), QByteArrayLiteral("ControlPath=none"),
          // Disables actions that the user has configured for interactive use of ssh.
          QByteArrayLiteral("RemoteCommand=none"), QByteArrayLiteral("PermitLocalCommand=no"),
          QByteArrayLiteral("ExitOnForwardFailure=no"),
          // Errors are recognised only by their messages.
          QByteArrayLiteral("LogLevel=INFO"),
          // Detects a host that has disappeared silently.
          QByteArrayLiteral("ServerAliveInterval=5"), QByteArrayLiteral("ServerAliveCountMax=3"),
          QByteArrayLiteral("StreamLocalBindUnlink=yes"), "ConnectTimeout=" + QByteArray::number(seconds)})
        words << "-o" << option;
    if (m_sshHost.port != 0)
        words << "-p" << QByteArray::number(m_sshHost.port);
    if (!m_sshHost.user.isEmpty())
        words << "-l" << m_sshHost.user.toLocal8Bit();
    if (!m_hasSession)
        words << "-N";
    words << "-L" << forwarding() << "--" << m_sshHost.host.toUtf8();
    if (m_hasSession)
        words << "echo '" + readyMark.toByteArray() + "'; exec cat";
    return words;
}

Result<void> Tunnel::start(const QList<Launch::Variable> &environment, std::chrono::milliseconds connectTimeout)
{
    m_environment = environment;
    m_connectTimeout = connectTimeout;
    if (auto made = makeFolder(); !made)
        return made;
    const auto openTimeout = connectTimeout + userTimeout;
    m_deadline = QDeadlineTimer(openTimeout);
    auto launched = launch();
    if (launched)
        m_timeout.start(openTimeout);
    return launched;
}

Result<void> Tunnel::makeFolder()
{
    Result<void> made;
    // The system also empties the first folder when the user logs out.
    for (const QString &place : {qEnvironmentVariable("XDG_RUNTIME_DIR"), QDir::tempPath(), QStringLiteral("/tmp")}) {
        if (place.isEmpty())
            continue;
        auto folder = files::OwnedFolder::create(tunnelFolderPrefix, place);
        if (!folder) {
            made = failure(std::move(folder.error()));
            continue;
        }
        m_folder = std::move(*folder);
        if (QFile::encodeName(socketPath()).size() + maxSuffixLength <= maxSocketPathLength)
            break;
    }
    return m_folder ? Result<void>() : made;
}

Result<void> Tunnel::launch()
{
    Launch launch;
    launch.words = words();
    launch.environment = m_environment;
    launch.input = Launch::Channel::Piped; // The session ends when its input is closed.
    launch.output = Launch::Channel::Piped;
    launch.errors = Launch::Errors::WithOutput;
    // ssh stays in this process group, because otherwise it could not ask at the terminal. But Ctrl-C is meant for this
    // program, which may still have to release a lock through this tunnel.
    launch.ignoredSignals = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    connect(m_ssh.get(), &process::Child::outputReceived, this, &Tunnel::listen);
    connect(m_ssh.get(), &process::Child::ended, this, &Tunnel::end);
    const auto started = m_ssh->start(launch);
    if (started)
        return {};
    if (started.error() == std::errc::no_such_file_or_directory)
        return failure(ErrorKind::Local,
                       QT_TRANSLATE_NOOP("core", "there is no ssh on this machine to reach %1 with; on Debian the "
                                                 "package openssh-client has it"),
                       m_sshHost.display());
    return failure(ErrorKind::Local, QT_TRANSLATE_NOOP("core", "cannot run ssh: %1"),
                   QString::fromStdString(started.error().message()));
}

bool Tunnel::isSocketPresent() const
{
    return QFile::exists(socketPath());
}

void Tunnel::listen()
{
    m_output += m_ssh->takeOutput();
    if (m_output.size() > maxOutputSize)
        m_output = m_output.last(maxOutputSize / 2);
    if (m_state != State::LoggingIn)
        return;
    if (!m_hasSession && isSocketPresent())
        return open();
    if (!m_hasSession || !m_output.contains(readyMark))
        return;
    // The session starts after the forwarding was set up or has failed.
    if (isSocketPresent())
        open();
    else
        failToOpen();
}

void Tunnel::open()
{
    m_timeout.stop();
    m_pollTimer.stop();
    m_output.clear();
    m_state = State::Open;
    Q_EMIT opened();
}

void Tunnel::end()
{
    // Exit code of ssh's own errors. Any other code comes from the host, which therefore permits no remote program.
    constexpr int failedItself = 255;

    if (m_state == State::Open)
        fail({ErrorKind::ConnectionLost,
              base::Text(QT_TRANSLATE_NOOP("core", "the SSH connection to %1 is lost"), m_sshHost.display())});
    else if (m_state == State::LoggingIn && m_hasSession && m_ssh->exitCode() != failedItself
             && m_ssh->exitCode() < firstSignal)
        restartWithoutSession();
    else
        failToOpen();
}

void Tunnel::restartWithoutSession()
{
    m_hasSession = false;
    m_ssh->disconnect(this);
    m_ssh.release()->deleteLater(); // Deleted later, because this slot was called by the old object.
    m_ssh = std::make_unique<process::Child>();
    m_output.clear();
    QFile::remove(socketPath());
    if (auto launched = launch(); !launched)
        return fail(std::move(launched.error()));
    m_pollTimer.start();
}

void Tunnel::failToOpen()
{
    TunnelFailure why = tunnelFailure(m_sshHost, m_output);
    m_needsUserAction = why.needsUserAction;
    fail(std::move(why.error));
}

void Tunnel::close()
{
    m_timeout.stop();
    m_pollTimer.stop();
    m_state = State::Ended;
    m_ssh->disconnect(this);
    m_ssh->kill();
    m_folder.reset();
}

void Tunnel::fail(base::Error error)
{
    if (m_state == State::Ended)
        return;
    m_timeout.stop();
    m_pollTimer.stop();
    m_state = State::Ended;
    m_error = std::move(error);
    Q_EMIT ended();
}

base::Text Tunnel::forwardingError()
{
    m_ssh->readNow(); // ssh reports the error before it closes the connection, and its output was not read since then.
    return ssh::forwardingError(m_sshHost, m_output);
}

Result<void> Tunnel::waitUntilOpen()
{
    while (m_state == State::LoggingIn && !m_deadline.hasExpired()) {
        // Without a session, ssh does not report that the tunnel is open.
        m_ssh->waitForEvent(m_hasSession ? m_deadline : QDeadlineTimer(pollInterval));
        listen();
    }
    if (m_state == State::Open)
        return {};
    if (m_state == State::LoggingIn)
        return failure(ErrorKind::Unreachable, QT_TRANSLATE_NOOP("core", "ssh to %1 timed out"), m_sshHost.display());
    return failure(m_error);
}

} // namespace latchkey::ssh
