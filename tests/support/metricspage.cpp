#include "tests/support/metricspage.h"

#include "tests/support/await.h"

#include <QRegularExpression>
#include <QTcpSocket>

namespace latchkey::test {

quint16 metricsPort(const QByteArray &errors)
{
    static const QRegularExpression place(QStringLiteral("http://127\\.0\\.0\\.1:(\\d+)/metrics"));
    return place.match(QString::fromUtf8(errors)).captured(1).toUShort();
}

QByteArray httpResponse(quint16 port, const QByteArray &request)
{
    QTcpSocket socket;
    socket.connectToHost(QStringLiteral("127.0.0.1"), port);
    QByteArray response;
    QObject::connect(&socket, &QTcpSocket::connected, &socket, [&] { socket.write(request); });
    QObject::connect(&socket, &QTcpSocket::readyRead, &socket, [&] { response += socket.readAll(); });
    (void)waitFor([&] { return socket.state() == QAbstractSocket::UnconnectedState; });
    return response;
}

} // namespace latchkey::test
