#pragma once

#include "core/foundation/base/error.h"

#include <QString>

#include <utility>

namespace latchkey::programs {

/// A listening socket for one process. The destructor closes the socket and removes its file. Never blocks. Owned by
/// the CommandProxy of the process.
class Listener final
{
public:
    /// Listens on a free port of 127.0.0.1. Error (Local): the system refuses it.
    [[nodiscard]] static base::Result<Listener> onPort();
    /// Listens on a Unix socket, at a path where no file exists. Errors as onPort().
    [[nodiscard]] static base::Result<Listener> onFile(const QString &path);
    /// Takes ownership of a socket that is already open.
    explicit Listener(int descriptor, quint16 port = 0, QByteArray file = {})
        : m_descriptor(descriptor)
        , m_port(port)
        , m_file(std::move(file))
    {}
    /// Sets the index of the server that the socket represents, from 0.
    void setServer(quint8 server) { m_server = server; }
    Listener(Listener &&other) noexcept
        : m_descriptor(std::exchange(other.m_descriptor, -1))
        , m_port(other.m_port)
        , m_server(other.m_server)
        , m_file(std::exchange(other.m_file, {}))
    {}
    Listener &operator=(Listener &&) = delete;
    Listener(const Listener &) = delete;
    Listener &operator=(const Listener &) = delete;
    ~Listener();

    [[nodiscard]] int descriptor() const { return m_descriptor; }
    [[nodiscard]] quint16 port() const { return m_port; } ///< 0: no port.
    [[nodiscard]] quint8 server() const { return m_server; }

private:
    int m_descriptor;
    quint16 m_port;
    quint8 m_server = 0;
    QByteArray m_file; ///< Empty: no file.
};

} // namespace latchkey::programs
