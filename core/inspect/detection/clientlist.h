#pragma once

#include <QByteArray>

#include <chrono>
#include <vector>

namespace latchkey::detection {

/// A connection of a server, as its CLIENT LIST shows it. A value type. A client chooses its own name and library name,
/// so they may be wrong.
struct ConnectedClient
{
    qint64 id = 0;
    QByteArray address; ///< `127.0.0.1:52314`, `[::1]:52314`, `/path/to.sock:0`
    QByteArray name;
    QByteArray library; ///< Set from Redis 7.2 on, if the client library sends it.
    QByteArray libraryVersion;
    std::chrono::seconds age {};  ///< Time since the client connected.
    std::chrono::seconds idle {}; ///< Time since the last command of the client.
    QByteArray command;           ///< Last command of the client.

    friend bool operator==(const ConnectedClient &, const ConnectedClient &) = default;
};

/// A reply to CLIENT LIST. A value type.
struct ClientList
{
    std::vector<ConnectedClient> clients;
    bool isComplete = true; ///< True if every line was readable: a client that is missing here is not connected.

    /// Parses a reply. Never fails: an unreadable line is left out. A name ends where the next field begins, so a name
    /// that looks like other fields cannot forge them.
    [[nodiscard]] static ClientList fromReply(const QByteArray &reply);
};

} // namespace latchkey::detection
