#pragma once

#include <QByteArray>
#include <QTcpServer>
#include <QTcpSocket>

#include <functional>

namespace latchkey::test {

/// A listener on the loopback that does with what it reads as the test wants: a server that is none, or one that fails.
/// On the event loop.
class StrangeServer final
{
public:
    /// Called with nothing for a client that has just connected, then with what comes from it, however the network has
    /// cut that.
    using Conduct = std::function<void(QTcpSocket &client, const QByteArray &bytes)>;

    explicit StrangeServer(Conduct conduct);

    [[nodiscard]] QString url() const;

    /// Lets its clients in as Redis does, and hangs up on the first that they ask then, which it appends to asked,
    /// where that is not null.
    [[nodiscard]] static Conduct hangsUpWhenAsked(QByteArray *asked = nullptr);
    /// Says this to whatever it hears, and hangs up.
    [[nodiscard]] static Conduct says(const QByteArray &answer);
    /// Hangs up before it has heard a word.
    [[nodiscard]] static Conduct hangsUpAtOnce();

private:
    const Conduct m_conduct;
    QTcpServer m_server;
};

} // namespace latchkey::test
