#include "core/redis/privateserver/privateserver.h"

#include "core/foundation/base/logging.h"
#include "core/redis/net/descriptordevice.h"

#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>
#include <QThread>

#include <csignal>

namespace latchkey::privateserver {

using base::ErrorKind;
using base::failure;
using base::Result;
using namespace std::chrono_literals;

namespace {

constexpr auto startTimeout = 10s;
constexpr auto probeInterval = 5ms;
constexpr auto folderPrefix = QLatin1String("latchkey-server-");
constexpr auto serverName = QLatin1String("redis-server");

} // namespace

PrivateServer::PrivateServer(QObject *parent)
    : QObject(parent)
{
    m_probeTimer.setInterval(probeInterval);
    m_probeTimer.setTimerType(Qt::PreciseTimer);
    connect(&m_probeTimer, &QTimer::timeout, this, &PrivateServer::probe);
}

PrivateServer::~PrivateServer()
{
    if (!m_process)
        return;
    m_process->disconnect(this);
    m_process->kill(); // There is no data to save.
}

void PrivateServer::crash()
{
    Q_ASSERT(m_ready);
    m_isToEnd = true;
    m_process->signal(SIGKILL);
}

void PrivateServer::suspend()
{
    Q_ASSERT(m_ready);
    m_isFrozen = true;
    m_process->signal(SIGSTOP);
}

void PrivateServer::resume()
{
    Q_ASSERT(m_ready);
    m_isFrozen = false;
    m_process->signal(SIGCONT);
}

void PrivateServer::hasEnded()
{
    m_isFrozen = false;
    if (std::exchange(m_isToEnd, false)) {
        m_ready = false;
        m_isKilled = true;
        Q_EMIT killed();
    } else if (m_ready) {
        m_ready = false;
        Q_EMIT ended({ErrorKind::Local, base::Text(QT_TRANSLATE_NOOP("core", "the private server has ended"))});
    } else if (m_probeTimer.isActive()) {
        fail(startFailure(base::Text(QT_TRANSLATE_NOOP("core", "it ended at once"))));
    }
}

Result<QString> PrivateServer::findProgram()
{
    if (QString given = qEnvironmentVariable("LATCHKEY_REDIS_SERVER"); !given.isEmpty()) {
        if (QFileInfo(given).isExecutable())
            return given;
        return failure(ErrorKind::Local,
                       QT_TRANSLATE_NOOP("core", "LATCHKEY_REDIS_SERVER names \"%1\", which is not a program"), given);
    }
    for (const auto name : {serverName, QLatin1String("valkey-server"), QLatin1String("redis-check-rdb")}) {
        if (QString found = QStandardPaths::findExecutable(name); !found.isEmpty())
            return found;
    }
    return failure(ErrorKind::Local,
                   QT_TRANSLATE_NOOP(
                       "core", "there is no redis-server on this machine; on Debian the package redis-tools has one"));
}

void PrivateServer::start(const QStringList &extraArguments)
{
    if (auto launched = launch(extraArguments); !launched) {
        QMetaObject::invokeMethod(this, [this, error = launched.error()] { fail(error); }, Qt::QueuedConnection);
        return;
    }
    m_startDeadline = QDeadlineTimer(startTimeout);
    m_probeTimer.start();
}

Result<void> PrivateServer::startAndWait(const QStringList &extraArguments)
{
    if (auto launched = launch(extraArguments); !launched)
        return launched;
    m_startDeadline = QDeadlineTimer(startTimeout);
    while (!answers()) {
        m_process->check();
        if (!m_process->isRunning())
            return failure(startFailure(base::Text(QT_TRANSLATE_NOOP("core", "it ended at once"))));
        if (m_startDeadline.hasExpired())
            return failure(startFailure(base::Text(QT_TRANSLATE_NOOP("core", "it does not answer"))));
        QThread::usleep(static_cast<unsigned long>(std::chrono::microseconds(probeInterval).count()));
    }
    m_ready = true;
    return {};
}

Result<void> PrivateServer::makePlace(const QString &program)
{
    auto folder = files::OwnedFolder::create(folderPrefix);
    if (!folder)
        return failure(std::move(folder.error()));
    m_folder = std::move(*folder);

    // The program checks the name under which it is called. With this name it runs as the server, whatever its file
    // name.
    const QString called = m_folder->filePath(serverName);
    if (!QFile::link(program, called))
        return failure(ErrorKind::Local, QT_TRANSLATE_NOOP("core", "cannot make a link in %1"), m_folder->path());
    // Parsed from a URL, because the parser rejects a path that is too long for a socket.
    const auto endpoint = net::Endpoint::fromUrl(
        net::Endpoint::unixSocket(m_folder->filePath(QStringLiteral("redis.sock"))).toUrlWithPassword());
    if (!endpoint)
        return failure(endpoint.error());
    m_endpoint = *endpoint;
    return {};
}

Result<void> PrivateServer::launch(const QStringList &extraArguments)
{
    const auto program = findProgram();
    if (!program)
        return failure(program.error());
    if (!m_folder) { // The folder stays the same on a restart, so that clients find the server.
        if (auto made = makePlace(*program); !made)
            return made;
    }
    m_isKilled = false;
    if (m_process)
        m_process.release()->deleteLater(); // This slot may have been called by the old process object.
    // The log is read so that the pipe does not fill up, and kept in case the server does not start.
    m_process = std::make_unique<process::Child>();
    connect(m_process.get(), &process::Child::outputReceived, this, &PrivateServer::readLog);
    connect(m_process.get(), &process::Child::ended, this, &PrivateServer::hasEnded);

    QStringList arguments {
        QStringLiteral("--port"),           QStringLiteral("0"),   QStringLiteral("--unixsocket"), m_endpoint.path,
        QStringLiteral("--unixsocketperm"), QStringLiteral("700"), QStringLiteral("--save"),       QString(),
        QStringLiteral("--appendonly"),     QStringLiteral("no"),  QStringLiteral("--dir"),        m_folder->path(),
        QStringLiteral("--daemonize"),      QStringLiteral("no"),
    };
    arguments += extraArguments;
    process::Launch launch;
    launch.words = process::Launch::wordsFrom(m_folder->filePath(serverName), arguments);
    launch.input = process::Launch::Channel::Nothing;
    launch.output = process::Launch::Channel::Piped;
    launch.errors = process::Launch::Errors::WithOutput;
    launch.hasOwnGroup = true; // Ctrl-C is meant for this program, which may still need the server.
    // Redis 8 exits at once if its environment names a locale that is not installed.
    launch.environment += process::Launch::Variable {"LC_ALL", "C"};
    if (m_amend)
        m_amend(launch);
    if (const auto started = m_process->start(launch); !started)
        return failure(ErrorKind::Local, QT_TRANSLATE_NOOP("core", "cannot start a private server: cannot run %1 (%2)"),
                       *program, QString::fromStdString(started.error().message()));
    return {};
}

bool PrivateServer::answers() const
{
    return net::DescriptorDevice::connectTo(m_endpoint, QDeadlineTimer(100ms)).has_value();
}

void PrivateServer::probe()
{
    if (answers()) {
        m_probeTimer.stop();
        m_ready = true;
        Q_EMIT ready();
    } else if (m_startDeadline.hasExpired()) {
        fail(startFailure(base::Text(QT_TRANSLATE_NOOP("core", "it does not answer"))));
    }
}

void PrivateServer::readLog()
{
    constexpr qsizetype kept = 4096;
    m_log = (m_log + m_process->takeOutput()).right(kept);
}

base::Error PrivateServer::startFailure(const base::Text &reason) const
{
    const QString lastOutput = QString::fromLocal8Bit(m_log).trimmed().section(u'\n', -1);
    return {ErrorKind::Local,
            lastOutput.isEmpty()
                ? base::Text(QT_TRANSLATE_NOOP("core", "cannot start a private server: %1"), reason)
                : base::Text(QT_TRANSLATE_NOOP("core", "cannot start a private server: %1 (%2)"), reason, lastOutput)};
}

void PrivateServer::fail(const base::Error &error)
{
    m_probeTimer.stop();
    qCWarning(base::lcServer).noquote() << error.message();
    Q_EMIT failed(error);
}

} // namespace latchkey::privateserver
