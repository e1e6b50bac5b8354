#pragma once

#include "core/base/error.h"

#include <QString>

#include <utility>

namespace latchkey::programs {

/// A socket that one process connects to; closed with this object, and its file is removed. Never blocks.
class Listener final
{
public:
    /// On a port of 127.0.0.1 of the system's choice. Error (Local): the system refuses it.
    [[nodiscard]] static base::Result<Listener> onPort();
    /// On a Unix socket, at a path where nothing is. Errors as onPort().
    [[nodiscard]] static base::Result<Listener> onFile(const QString &path);
    /// One that somebody else has opened, on that port.
    explicit Listener(int descriptor, quint16 port = 0, QByteArray file = {})
        : m_descriptor(descriptor)
        , m_port(port)
        , m_file(std::move(file))
    {}
    Listener(Listener &&other) noexcept
        : m_descriptor(std::exchange(other.m_descriptor, -1))
        , m_port(other.m_port)
        , m_file(std::exchange(other.m_file, {}))
    {}
    Listener &operator=(Listener &&) = delete;
    Listener(const Listener &) = delete;
    Listener &operator=(const Listener &) = delete;
    ~Listener();

    [[nodiscard]] int descriptor() const { return m_descriptor; }
    [[nodiscard]] quint16 port() const { return m_port; } ///< 0: it has none.

private:
    int m_descriptor;
    quint16 m_port;
    QByteArray m_file; ///< Empty: it has none.
};

} // namespace latchkey::programs
