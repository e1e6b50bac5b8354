#pragma once

#include <QByteArray>
#include <QtGlobal>

class QIODevice;

namespace latchkey::net {

/// A duplicate of the descriptor of a Qt socket, which keeps received data readable after Qt has closed the socket.
///
/// Qt closes a socket at once when a write fails, and discards received data that was not read. Such data are the last
/// messages of a dead server, or the error of a server at its client limit. Owned by the Connection of the socket. It
/// is not a device: it neither waits nor writes, and the peer sees the end of the connection only after its
/// destruction.
class SocketDuplicate final
{
    Q_DISABLE_COPY_MOVE(SocketDuplicate)

public:
    /// Duplicates the descriptor of an open socket. Has no effect for other devices, behind a proxy (the descriptor is
    /// not that of the socket), or if no descriptor is free.
    explicit SocketDuplicate(const QIODevice &device);
    ~SocketDuplicate();

    /// Returns whether data has arrived that was not read.
    [[nodiscard]] bool hasArrived() const;
    /// Reads the received data that was not read. Does not wait. Empty for TLS, because only the socket can decrypt.
    [[nodiscard]] QByteArray readArrived() const;
    /// Closes the duplicate.
    void close();

private:
    bool m_isEncrypted;
    int m_descriptor;
};

} // namespace latchkey::net
