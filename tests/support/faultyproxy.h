#pragma once

#include "core/redis/net/endpoint.h"
#include "tests/support/fakeserver.h"

#include <QLocalSocket>
#include <QPointer>

namespace latchkey::test {

/// A loopback proxy for a real server that holds back or loses the bytes of both directions.
///
/// Uses the event loop of its user. Connections through the proxy stay open during all faults.
class FaultyProxy final
{
public:
    /// Creates a proxy for a server, which must have a Unix socket.
    explicit FaultyProxy(const net::Endpoint &server)
        : m_path(server.path)
        , m_listener([this](QTcpSocket &client, const QByteArray &bytes) { carry(client, bytes); })
    {}

    [[nodiscard]] net::Endpoint endpoint() const { return *net::Endpoint::fromUrl(m_listener.url()); }

    /// Holds all bytes from now on until release() forwards them.
    void hold() { m_mode = Mode::Held; }
    /// Permanently discards all bytes of the connections with traffic in this state. Other connections work after
    /// release().
    void discard() { m_mode = Mode::Lost; }
    void release()
    {
        m_mode = Mode::Open;
        for (const auto &[device, bytes] : std::exchange(m_held, {})) {
            if (device)
                device->write(bytes);
        }
    }

private:
    enum class Mode : quint8 { Open, Held, Lost };

    void carry(QTcpSocket &client, const QByteArray &bytes)
    {
        auto *server = client.findChild<QLocalSocket *>();
        if (server == nullptr) {
            server = new QLocalSocket(&client);
            server->connectToServer(m_path);
            QObject::connect(server, &QIODevice::readyRead, &client,
                             [this, server, &client] { pass(client, client, server->readAll()); });
            QObject::connect(server, &QLocalSocket::disconnected, &client, &QTcpSocket::disconnectFromHost);
            QObject::connect(&client, &QTcpSocket::disconnected, server, &QLocalSocket::abort);
        }
        pass(client, *server, bytes);
    }
    void pass(QTcpSocket &client, QIODevice &to, const QByteArray &bytes)
    {
        if (m_mode == Mode::Lost)
            client.setProperty("isLost", true); // A stream with missing bytes would violate TCP.
        if (client.property("isLost").toBool())
            return;
        if (m_mode == Mode::Open)
            to.write(bytes);
        else
            m_held.emplace_back(&to, bytes);
    }

    const QString m_path;
    Mode m_mode = Mode::Open;
    std::vector<std::pair<QPointer<QIODevice>, QByteArray>> m_held;
    FakeServer m_listener;
};

} // namespace latchkey::test
