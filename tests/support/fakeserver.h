#pragma once

#include <QByteArray>
#include <QTcpServer>
#include <QTcpSocket>

#include <functional>

namespace latchkey::test {

/// A listener on the loopback whose behaviour the test defines: not a Redis server, or a failing one. Runs on the event
/// loop.
class FakeServer final
{
public:
    /// Callback for a new client, without bytes, and then for each portion of bytes that the network delivers.
    using Behaviour = std::function<void(QTcpSocket &client, const QByteArray &bytes)>;

    explicit FakeServer(Behaviour conduct);

    [[nodiscard]] QString url() const;

    /// Accepts clients as Redis does, and closes the connection at the first command after that. Appends that command's
    /// bytes to `asked` unless it is null.
    [[nodiscard]] static Behaviour closesOnCommand(QByteArray *asked = nullptr);
    /// Replies with `answer` to any input and closes the connection.
    [[nodiscard]] static Behaviour says(const QByteArray &answer);
    /// Closes the connection before it reads anything.
    [[nodiscard]] static Behaviour closesOnConnect();

private:
    const Behaviour m_conduct;
    QTcpServer m_server;
};

} // namespace latchkey::test
