#include "tests/support/fakeserver.h"

namespace latchkey::test {

FakeServer::FakeServer(Behaviour conduct)
    : m_conduct(std::move(conduct))
{
    if (!m_server.listen(QHostAddress::LocalHost))
        qFatal("no port can be had");
    QObject::connect(&m_server, &QTcpServer::newConnection, &m_server, [this] {
        QTcpSocket *client = m_server.nextPendingConnection();
        QObject::connect(client, &QIODevice::readyRead, client,
                         [this, client] { m_conduct(*client, client->readAll()); });
        m_conduct(*client, {});
    });
}

QString FakeServer::url() const
{
    return QStringLiteral("redis://127.0.0.1:%1").arg(m_server.serverPort());
}

FakeServer::Behaviour FakeServer::closesOnCommand(QByteArray *asked)
{
    return [asked](QTcpSocket &client, const QByteArray &bytes) {
        if (bytes.contains("SETNAME")) {
            client.write("+OK\r\n$0\r\n\r\n");
            return;
        }
        if (bytes.isEmpty())
            return;
        if (asked != nullptr)
            *asked += bytes;
        client.abort();
    };
}

FakeServer::Behaviour FakeServer::says(const QByteArray &answer)
{
    return [answer](QTcpSocket &client, const QByteArray &bytes) {
        if (bytes.isEmpty())
            return;
        client.write(answer);
        client.disconnectFromHost();
    };
}

FakeServer::Behaviour FakeServer::closesOnConnect()
{
    return [](QTcpSocket &client, const QByteArray &) { client.abort(); };
}

} // namespace latchkey::test
