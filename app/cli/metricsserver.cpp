#include "app/cli/metricsserver.h"
#include "app/help/commandline.h"

#include <QTcpSocket>
#include <QTimer>
#include <QUrl>

#include <algorithm>

namespace latchkey::cli {

using base::ErrorKind;
using help::CommandLine;
using namespace std::chrono_literals;

namespace {

constexpr qint64 maxRequestLength = 16LL * 1024;
constexpr std::size_t maxConnections = 50;
constexpr auto requestTimeout = 5s;

QByteArray response(const char *status, const QByteArray &type, const QByteArray &body, bool hasBody)
{
    QByteArray text = QByteArrayLiteral("HTTP/1.1 ") + status + "\r\nContent-Type: " + type
                    + "\r\nContent-Length: " + QByteArray::number(body.size()) + "\r\nConnection: close\r\n\r\n";
    return hasBody ? text + body : text;
}

/// Returns the value of a header of the request. Empty if there is none.
QByteArray headerOf(const QByteArray &request, QByteArrayView name)
{
    for (const QByteArray &line : request.split('\n')) {
        const qsizetype colon = line.indexOf(':');
        if (colon > 0 && line.first(colon).toLower() == name)
            return line.sliced(colon + 1).trimmed();
    }
    return {};
}

} // namespace

base::Result<MetricsAddress> MetricsAddress::parse(const QString &text)
{
    MetricsAddress metricsAddress;
    const qsizetype colon = text.lastIndexOf(u':');
    QString address = text.first(std::max<qsizetype>(colon, 0));
    if (address.startsWith(u'[') && address.endsWith(u']'))
        address = address.sliced(1, address.size() - 2);
    else if (address.contains(u':'))
        return base::failure(ErrorKind::Usage, CommandLine::tr("\"%1\": an IPv6 address stands in brackets").arg(text));
    const QString digits = text.sliced(colon + 1);
    const bool isNumber =
        !digits.isEmpty() && std::ranges::all_of(digits, [](QChar c) { return c >= u'0' && c <= u'9'; });
    if (!isNumber)
        return base::failure(ErrorKind::Usage,
                             CommandLine::tr("\"%1\" has no port; write it like 9121 or 127.0.0.1:9121").arg(text));
    bool isInRange = false;
    const uint port = digits.toUInt(&isInRange);
    if (!isInRange || port > 65'535)
        return base::failure(ErrorKind::Usage, CommandLine::tr("the port %1 is larger than 65535").arg(digits));
    metricsAddress.port = static_cast<quint16>(port);
    if (address == u"localhost" || colon <= 0)
        return metricsAddress;
    // The format is checked, because QHostAddress also accepts `1`.
    if (!metricsAddress.address.setAddress(address) || (!address.contains(u':') && address.count(u'.') != 3))
        return base::failure(ErrorKind::Usage,
                             CommandLine::tr("\"%1\" is no IP address; write it like 127.0.0.1:9121").arg(address));
    return metricsAddress;
}

MetricsServer::MetricsServer(std::function<QByteArray()> page, QObject *parent)
    : QObject(parent)
    , m_page(std::move(page))
{
    connect(&m_server, &QTcpServer::newConnection, this, &MetricsServer::accept);
}

MetricsServer::~MetricsServer() = default;

base::Result<void> MetricsServer::listen(const MetricsAddress &metricsAddress)
{
    if (m_server.listen(metricsAddress.address, metricsAddress.port))
        return {};
    return base::failure(ErrorKind::Local, CommandLine::tr("cannot serve metrics at %1 port %2: %3")
                                               .arg(metricsAddress.address.toString())
                                               .arg(metricsAddress.port)
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
        m_open.push_back(socket);
        // The oldest connection is closed, so that idle connections cannot lock out a scraper.
        if (m_open.size() > maxConnections) {
            QTcpSocket *oldest = m_open.front();
            m_open.erase(m_open.begin());
            oldest->abort();
            oldest->deleteLater();
        }
        connect(socket, &QTcpSocket::readyRead, this, [this, socket] { read(*socket); });
        connect(socket, &QTcpSocket::disconnected, socket, &QObject::deleteLater);
        connect(socket, &QObject::destroyed, this, [this, socket] { std::erase(m_open, socket); });
        QTimer::singleShot(requestTimeout, socket, [socket] {
            socket->abort();
            socket->deleteLater();
        });
    }
}

void MetricsServer::read(QTcpSocket &socket)
{
    const QByteArray sent = socket.peek(maxRequestLength);
    if (!sent.contains("\r\n\r\n") && sent.size() < maxRequestLength)
        return;
    socket.readAll();
    disconnect(&socket, &QTcpSocket::readyRead, this, nullptr);
    socket.write(answerTo(sent));
    socket.disconnectFromHost(); // Takes effect after the data has been written.
}

/// Returns whether the Host header is acceptable. A web page in a local browser could resolve its own name to this
/// server (DNS rebinding) and read the metrics. Such a request has the name in its Host header; an IP address cannot be
/// rebound. The check applies to a loopback address only.
bool MetricsServer::isHostAllowed(const QByteArray &request) const
{
    const QByteArray host = headerOf(request, "host");
    if (host.isEmpty() || !m_server.serverAddress().isLoopback())
        return true; // HTTP/1.0, which browsers do not use; or a server for other machines, under any name.
    const QString name = QUrl(QStringLiteral("http://") + QString::fromLatin1(host)).host();
    return QHostAddress(name).protocol() != QAbstractSocket::UnknownNetworkLayerProtocol || name == u"localhost";
}

QByteArray MetricsServer::answerTo(const QByteArray &request) const
{
    const QByteArray plain = QByteArrayLiteral("text/plain; charset=utf-8");
    const QList<QByteArray> words = request.first(std::max<qsizetype>(request.indexOf("\r\n"), 0)).split(' ');
    if (words.size() != 3 || !words[2].startsWith("HTTP/1."))
        return response("400 Bad Request", plain, "This is no HTTP request.\n", true);
    if (!isHostAllowed(request))
        return response("421 Misdirected Request", plain, "The Host header names another server.\n", true);
    const bool isHead = words[0] == "HEAD";
    if (words[0] != "GET" && !isHead)
        return response("405 Method Not Allowed", plain, "Only GET is served here.\n", true);
    if (words[1].split('?').front() != "/metrics")
        return response("404 Not Found", plain, "There is only /metrics here.\n", !isHead);
    return response("200 OK", QByteArrayLiteral("text/plain; version=0.0.4; charset=utf-8"), m_page(), !isHead);
}

} // namespace latchkey::cli
