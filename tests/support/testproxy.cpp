#include "tests/support/testproxy.h"

#include <QNetworkProxy>
#include <QTcpServer>
#include <QTcpSocket>

namespace latchkey::test {

namespace {

using Kind = net::Proxy::Kind;

struct Rules
{
    Kind kind;
    QString password;
    bool isClosed;
};

/// One client of the proxy. The client first names its target, then bytes pass in both directions.
class Relay final : public QObject
{
public:
    Relay(QTcpSocket *client, const Rules &rules, std::atomic<int> &relayed)
        : QObject(client)
        , m_client(*client)
        , m_rules(rules)
        , m_relayed(relayed)
    {
        m_target.setProxy(QNetworkProxy::NoProxy);
        connect(client, &QTcpSocket::readyRead, this, [this] { read(); });
        connect(client, &QTcpSocket::disconnected, client, &QObject::deleteLater);
        connect(&m_target, &QTcpSocket::connected, this, [this] {
            ++m_relayed;
            m_isRelaying = true;
            m_client.write(m_rules.kind == Kind::Socks5 ? socksReply(0) : QByteArray("HTTP/1.1 200 OK\r\n\r\n"));
            read();
        });
        connect(&m_target, &QTcpSocket::readyRead, this, [this] { m_client.write(m_target.readAll()); });
        connect(&m_target, &QTcpSocket::disconnected, this, [this] { m_client.disconnectFromHost(); });
        connect(&m_target, &QTcpSocket::errorOccurred, this, [this] {
            if (!m_isRelaying)
                refuse(5, "503 Service Unavailable");
        });
    }
    /// Disconnects first, so that no slot receives signals of the target's destruction. The relay is destroyed with its
    /// client.
    ~Relay() override { m_target.disconnect(this); }

private:
    static QByteArray socksReply(char code)
    {
        return QByteArray("\x05", 1) + code + QByteArray("\0\x01\0\0\0\0\0\0", 8);
    }

    void refuse(char socks, const QByteArray &http)
    {
        m_client.write(m_rules.kind == Kind::Socks5 ? socksReply(socks)
                                                    : "HTTP/1.1 " + http + "\r\nContent-Length: 0\r\n\r\n");
        m_client.disconnectFromHost();
    }

    void read()
    {
        if (m_isRelaying) {
            m_target.write(m_client.readAll());
            return;
        }
        m_said += m_client.readAll();
        if (m_rules.kind == Kind::Socks5)
            readSocks();
        else
            readHttp();
    }

    void goTo(const QString &host, quint16 port)
    {
        if (m_rules.isClosed)
            refuse(2, "403 Forbidden");
        else
            m_target.connectToHost(host, port);
    }

    /// Reads the SOCKS5 messages of RFC 1928 and RFC 1929.
    void readSocks()
    {
        const auto size = [this](qsizetype at) { return static_cast<qsizetype>(static_cast<uchar>(m_said.at(at))); };
        if (m_step == 0 && m_said.size() >= 2 && m_said.size() >= 2 + size(1)) {
            const char wanted = m_rules.password.isEmpty() ? 0 : 2;
            const bool isOffered = m_said.mid(2, size(1)).contains(wanted);
            m_said.remove(0, 2 + size(1));
            m_client.write(QByteArray("\x05", 1) + (isOffered ? wanted : '\xff'));
            m_step = wanted == 0 ? 2 : 1;
        }
        if (m_step == 1 && m_said.size() >= 2 && m_said.size() > 2 + size(1)
            && m_said.size() >= 3 + size(1) + size(2 + size(1))) {
            const bool isRight = QString::fromUtf8(m_said.mid(3 + size(1))) == m_rules.password;
            m_said.clear();
            m_client.write(QByteArray("\x01", 1) + (isRight ? '\0' : '\x01'));
            if (!isRight)
                return m_client.disconnectFromHost();
            m_step = 2;
        }
        if (m_step != 2 || m_said.size() < 10)
            return;
        const bool isName = m_said.at(3) == 3;
        const qsizetype begin = isName ? 5 : 4;
        const qsizetype length = isName ? size(4) : 4;
        if (m_said.size() < begin + length + 2)
            return;
        QString host = QString::fromUtf8(m_said.mid(begin, length));
        if (!isName)
            host = QStringLiteral("%1.%2.%3.%4").arg(size(4)).arg(size(5)).arg(size(6)).arg(size(7));
        const auto port = static_cast<quint16>(size(begin + length) * 256 + size(begin + length + 1));
        m_step = 3;
        m_said.clear();
        goTo(host, port);
    }

    void readHttp()
    {
        if (!m_said.contains("\r\n\r\n"))
            return;
        const QByteArray request = std::exchange(m_said, {});
        const QByteArray secret = "Basic " + ("user:" + m_rules.password.toUtf8()).toBase64();
        if (!m_rules.password.isEmpty() && !request.contains(secret)) {
            m_client.write("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"bed\"\r\n"
                           "Content-Length: 0\r\n\r\n");
            return;
        }
        const QByteArray place = request.split(' ').value(1);
        const qsizetype colon = place.lastIndexOf(':');
        goTo(QString::fromUtf8(place.first(colon)), place.sliced(colon + 1).toUShort());
    }

    QTcpSocket &m_client; // The parent.
    const Rules m_rules;
    std::atomic<int> &m_relayed;
    QTcpSocket m_target;
    QByteArray m_said;
    int m_step = 0; ///< Step of SOCKS: methods, password, request, done.
    bool m_isRelaying = false;
};

} // namespace

TestProxy::TestProxy(Kind kind, const QString &password, bool isClosed)
{
    auto *server = new QTcpServer; // Destroyed with the thread.
    server->setProxy(QNetworkProxy::NoProxy);
    if (!server->listen(QHostAddress::LocalHost))
        qFatal("no port is free");
    m_proxy = {kind, QStringLiteral("127.0.0.1"), server->serverPort(),
               password.isEmpty() ? QString() : QStringLiteral("user"), password};
    QObject::connect(server, &QTcpServer::newConnection, server,
                     [this, server, rules = Rules {kind, password, isClosed}] {
                         while (QTcpSocket *client = server->nextPendingConnection())
                             new Relay(client, rules, m_relayed); // Owned by the client.
                     });
    server->moveToThread(&m_thread);
    QObject::connect(&m_thread, &QThread::finished, server, &QObject::deleteLater);
    m_thread.start();
}

TestProxy::~TestProxy()
{
    m_thread.quit();
    m_thread.wait();
}

} // namespace latchkey::test
