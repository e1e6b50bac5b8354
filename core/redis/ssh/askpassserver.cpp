#include "core/redis/ssh/askpassserver.h"

#include "core/foundation/base/logging.h"
#include "core/redis/ssh/askpassclient.h"

#include <QFile>
#include <QLocalSocket>

namespace latchkey::ssh {

namespace {

constexpr qsizetype maxQuestionLength = 16LL * 1024;
constexpr auto questionFolderPrefix = QLatin1String("latchkey-ask-");

} // namespace

AskpassServer::AskpassServer(QString program, QObject *parent)
    : QObject(parent)
    , m_program(std::move(program))
{
    m_server.setSocketOptions(QLocalServer::UserAccessOption);
    connect(&m_server, &QLocalServer::newConnection, this, &AskpassServer::accept);
    auto folder = files::OwnedFolder::create(questionFolderPrefix);
    if (!folder) {
        qCWarning(base::lcConnection).noquote() << "ssh cannot ask in the window:" << folder.error().message();
        return;
    }
    m_folder = std::move(*folder);
    if (!m_server.listen(m_folder->filePath(QStringLiteral("ask"))))
        qCWarning(base::lcConnection).noquote() << "ssh cannot ask in the window:" << m_server.errorString();
}

AskpassServer::~AskpassServer()
{
    for (const auto &[id, socket] : m_waiting)
        socket->disconnect(this);
}

QList<process::Launch::Variable> AskpassServer::environment() const
{
    if (!m_server.isListening())
        return {};
    return {{"SSH_ASKPASS", QFile::encodeName(m_program)},
            {"SSH_ASKPASS_REQUIRE", "force"},
            {askpassVariable, QFile::encodeName(m_server.fullServerName())}};
}

void AskpassServer::accept()
{
    while (QLocalSocket *socket = m_server.nextPendingConnection()) {
        const Id id = ++m_lastId;
        m_waiting.emplace(id, socket);
        connect(socket, &QLocalSocket::readyRead, this, [this, id, socket] { read(id, *socket); });
        connect(socket, &QLocalSocket::disconnected, this, [this, id, socket] {
            socket->deleteLater();
            if (m_waiting.erase(id) > 0)
                Q_EMIT withdrawn(id);
        });
        read(id, *socket);
    }
}

void AskpassServer::read(Id id, QLocalSocket &socket)
{
    const QByteArray output = socket.peek(maxQuestionLength);
    if (!output.endsWith('\0'))
        return;
    (void)socket.readAll();
    const QString text = QString::fromLocal8Bit(output.chopped(1)).trimmed();
    Q_EMIT asked({id, text, !text.contains(QLatin1String("(yes/no"))});
}

void AskpassServer::reply(Id question, const QByteArray &bytes)
{
    const auto waiting = m_waiting.find(question);
    if (waiting == m_waiting.end())
        return;
    QLocalSocket *socket = waiting->second;
    m_waiting.erase(waiting); // Removed before the disconnection, so that the question is not reported as withdrawn.
    socket->write(bytes);
    socket->disconnectFromServer();
}

void AskpassServer::answer(Id question, const QString &answer)
{
    reply(question, '+' + answer.toLocal8Bit());
}

void AskpassServer::decline(Id question)
{
    reply(question, "-");
}

} // namespace latchkey::ssh
