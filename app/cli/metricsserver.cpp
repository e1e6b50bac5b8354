#include "app/cli/metricsserver.h"
#include "app/help/commandline.h"

#include <QTcpSocket>
#include <QTimer>
#include <QUrl>

namespace latchkey::cli {

using base::ErrorKind;
using help::CommandLine;
using namespace std::chrono_literals;

namespace {

constexpr qint64 longestRequest = 16LL * 1024;
constexpr int mostConnections = 50;
constexpr auto patience = 5s;

QByteArray response(const char *status, const QByteArray &type, const QByteArray &body, bool hasBody)
{
    QByteArray text = QByteArrayLiteral("HTTP/1.1 ") + status + "\r\nContent-Type: " + type
                    + "\r\nContent-Length: " + QByteArray::number(body.size()) + "\r\nConnection: close\r\n\r\n";
    return hasBody ? text + body : text;
}

} // namespace

base::Result<MetricsPlace> MetricsPlace::parse(const QString &text)
{
    MetricsPlace place;
    const qsizetype colon = text.lastIndexOf(u':');
    QString address = text.first(std::max<qsizetype>(colon, 0));
    if (address.startsWith(u'[') && address.endsWith(u']'))
        address = address.sliced(1, address.size() - 2);
    else if (address.contains(u':'))
        return base::failure(ErrorKind::Usage, CommandLine::tr("\"%1\": an IPv6 address stands in brackets").arg(text));
    bool isNumber = false;
    const uint port = text.sliced(colon + 1).toUInt(&isNumber);
    if (!isNumber || port > 65'535)
        return base::failure(ErrorKind::Usage,
                             CommandLine::tr("\"%1\" has no port; write it like 9121 or 127.0.0.1:9121").arg(text));
    place.port = static_cast<quint16>(port);
    if (address == u"localhost" || colon <= 0)
        return place;
    // As it is written: QHostAddress reads `1` as an address as well.
    if (!place.address.setAddress(address) || (!address.contains(u':') && address.count(u'.') != 3))
        return base::failure(ErrorKind::Usage,
                             CommandLine::tr("\"%1\" is no IP address; write it like 127.0.0.1:9121").arg(address));
    return place;
}

MetricsServer::MetricsServer(std::function<QByteArray()> page, QObject *parent)
    : QObject(parent)
    , m_page(std::move(page))
{
    connect(&m_server, &QTcpServer::newConnection, this, &MetricsServer::accept);
}

MetricsServer::~MetricsServer() = default;

base::Result<void> MetricsServer::listen(const MetricsPlace &place)
{
    if (m_server.listen(place.address, place.port))
        return {};
    return base::failure(ErrorKind::Local, CommandLine::tr("cannot serve metrics at %1 port %2: %3")
                                               .arg(place.address.toString())
                                               .arg(place.port)
                                               .arg(m_server.errorString()));
}

QString MetricsServer::url() const
{
    QUrl url;
    url.setScheme(QStringLiteral("http"));
    url.setHost(m_server.serverAddress().toString());
    url.setPort(m_server.serverPort());
    url.setPath(QStringLiteral("/metrics"));
    return url.toString();
}

void MetricsServer::accept()
{
    while (QTcpSocket *socket = m_server.nextPendingConnection()) {
        if (m_open >= mostConnections) {
            socket->abort();
            socket->deleteLater();
            continue;
        }
        ++m_open;
        connect(socket, &QTcpSocket::readyRead, this, [this, socket] { read(*socket); });
        connect(socket, &QTcpSocket::disconnected, socket, &QObject::deleteLater);
        connect(socket, &QObject::destroyed, this, [this] { --m_open; });
        QTimer::singleShot(patience, socket, [socket] {
            socket->abort();
            socket->deleteLater();
        });
    }
}

void MetricsServer::read(QTcpSocket &socket)
{
    const QByteArray sent = socket.peek(longestRequest);
    if (!sent.contains("\r\n\r\n") && sent.size() < longestRequest)
        return;
    socket.readAll();
    disconnect(&socket, &QTcpSocket::readyRead, this, nullptr);
    socket.write(answerTo(sent));
    socket.disconnectFromHost(); // When it has been written.
}

QByteArray MetricsServer::answerTo(const QByteArray &request) const
{
    const QByteArray plain = QByteArrayLiteral("text/plain; charset=utf-8");
    const QList<QByteArray> words = request.first(std::max<qsizetype>(request.indexOf("\r\n"), 0)).split(' ');
    if (words.size() != 3 || !words[2].startsWith("HTTP/1."))
        return response("400 Bad Request", plain, "This is no HTTP request.\n", true);
    const bool isHead = words[0] == "HEAD";
    if (words[0] != "GET" && !isHead)
        return response("405 Method Not Allowed", plain, "Only GET is served here.\n", true);
    if (words[1].split('?').front() != "/metrics")
        return response("404 Not Found", plain, "There is only /metrics here.\n", !isHead);
    return response("200 OK", QByteArrayLiteral("text/plain; version=0.0.4; charset=utf-8"), m_page(), !isHead);
}

} // namespace latchkey::cli
