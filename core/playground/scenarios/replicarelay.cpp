#include "core/playground/scenarios/replicarelay.h"

#include "core/redis/resp/codec.h"

#include <QLocalSocket>
#include <QNetworkProxy>
#include <QTcpServer>
#include <QTcpSocket>

namespace latchkey::scenarios {

namespace {

QByteArray encoded(const resp::Command &command)
{
    QByteArray wire;
    resp::encode(command, wire);
    return wire;
}

/// A connection of a replica, and after the password the one with the primary. Deletes itself when either ends.
class RelayedConnection final : public QObject
{
public:
    RelayedConnection(QTcpSocket *replica, QString primary, QByteArray login, QObject *parent)
        : QObject(parent)
        , m_replica(replica)
        , m_primaryPath(std::move(primary))
        , m_login(std::move(login))
    {
        m_replica->setParent(this);
        connect(m_replica, &QTcpSocket::readyRead, this, &RelayedConnection::forward);
        connect(m_replica, &QTcpSocket::disconnected, this, &QObject::deleteLater);
        connect(&m_primary, &QLocalSocket::connected, this, &RelayedConnection::forward);
        connect(&m_primary, &QLocalSocket::readyRead, this, [this] { m_replica->write(m_primary.readAll()); });
        connect(&m_primary, &QLocalSocket::disconnected, this, &QObject::deleteLater);
        connect(&m_primary, &QLocalSocket::errorOccurred, this, &QObject::deleteLater);
    }

private:
    void forward()
    {
        m_unread += m_replica->readAll();
        if (m_primary.state() == QLocalSocket::ConnectedState) {
            m_primary.write(std::exchange(m_unread, {}));
            return;
        }
        if (m_primary.state() != QLocalSocket::UnconnectedState)
            return;
        static const QByteArray ping = encoded({"PING"});
        if (m_unread.startsWith(ping)) { // A replica awaits this reply before it logs in.
            m_unread.remove(0, ping.size());
            m_replica->write("+PONG\r\n");
        }
        if (m_unread.startsWith(m_login))
            m_primary.connectToServer(m_primaryPath);
        else if (!m_login.startsWith(m_unread) && !ping.startsWith(m_unread))
            m_replica->abort();
    }

    QTcpSocket *m_replica; // Owned as a child.
    const QString m_primaryPath;
    const QByteArray m_login;
    QByteArray m_unread;
    QLocalSocket m_primary;
};

} // namespace

ReplicaRelay::ReplicaRelay(QString primary, const QByteArray &user, const QByteArray &password, QObject *parent)
    : QObject(parent)
    , m_primary(std::move(primary))
    , m_login(encoded({"AUTH", user, password}))
{}

ReplicaRelay::~ReplicaRelay() = default;

base::Result<void> ReplicaRelay::listen()
{
    m_server = std::make_unique<QTcpServer>();
    m_server->setProxy(QNetworkProxy::NoProxy); // Qt may otherwise use a proxy of the desktop.
    connect(m_server.get(), &QTcpServer::newConnection, this, [this] {
        while (QTcpSocket *replica = m_server->nextPendingConnection())
            accept(replica);
    });
    if (!m_server->listen(QHostAddress::LocalHost))
        return base::failure(base::ErrorKind::Local,
                             QT_TRANSLATE_NOOP("core", "cannot listen for a replica on the loopback address: %1"),
                             m_server->errorString());
    return {};
}

quint16 ReplicaRelay::port() const
{
    return m_server ? m_server->serverPort() : 0;
}

void ReplicaRelay::cutOff()
{
    m_server.reset(); // The connections are its children.
}

void ReplicaRelay::accept(QTcpSocket *replica)
{
    new RelayedConnection(replica, m_primary, m_login, m_server.get()); // Deletes itself.
}

} // namespace latchkey::scenarios
