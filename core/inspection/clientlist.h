#pragma once

#include <QByteArray>

#include <chrono>
#include <vector>

namespace latchkey::inspection {

/// A connection of a server, as its CLIENT LIST tells of it. A value type; what a client says of itself may be
/// anything.
struct Client
{
    qint64 id = 0;
    QByteArray address; ///< `127.0.0.1:52314`, `[::1]:52314`, `/path/to.sock:0`
    QByteArray name;
    QByteArray library; ///< From Redis 7.2 on, where the library says it.
    QByteArray libraryVersion;
    std::chrono::seconds age {};  ///< Since it connected.
    std::chrono::seconds idle {}; ///< Since its last command.
    QByteArray command;           ///< Its last one.

    friend bool operator==(const Client &, const Client &) = default;
};

/// An answer to CLIENT LIST. A value type.
struct ClientList
{
    std::vector<Client> clients;
    bool isComplete = true; ///< Every line could be read: who is not there is not connected.

    /// Never fails: a line that cannot be read is left out. A name ends where the field behind it begins, so that one
    /// that looks like other fields makes up none of them.
    [[nodiscard]] static ClientList fromReply(const QByteArray &reply);
};

} // namespace latchkey::inspection
