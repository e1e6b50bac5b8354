#include "core/explore/programs/listener.h"

#include <QFile>

#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace latchkey::programs {

using base::ErrorKind;
using base::failure;
using base::Result;

namespace {

constexpr int backlog = 64;

tl::unexpected<base::Error> lastError()
{
    return failure(ErrorKind::Local, QT_TRANSLATE_NOOP("core", "no port can be opened for the program: %1"),
                   QString::fromLocal8Bit(std::strerror(errno)));
}

} // namespace

Listener::~Listener()
{
    if (m_descriptor < 0)
        return;
    ::close(m_descriptor);
    if (!m_file.isEmpty())
        ::unlink(m_file.constData());
}

Result<Listener> Listener::onPort()
{
    Listener listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_in address {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto *anyAddress = reinterpret_cast<sockaddr *>(&address);
    if (listener.m_descriptor < 0 || ::bind(listener.m_descriptor, anyAddress, size) != 0
        || ::listen(listener.m_descriptor, backlog) != 0
        || ::getsockname(listener.m_descriptor, anyAddress, &size) != 0)
        return lastError();
    listener.m_port = ntohs(address.sin_port);
    return listener;
}

Result<Listener> Listener::onFile(const QString &path)
{
    const QByteArray name = QFile::encodeName(path);
    sockaddr_un address {};
    address.sun_family = AF_UNIX;
    if (name.size() >= static_cast<qsizetype>(sizeof address.sun_path))
        return failure(ErrorKind::Local, QT_TRANSLATE_NOOP("core", "%1 is too long a path for a socket"), path);
    std::memcpy(address.sun_path, name.constData(), static_cast<std::size_t>(name.size()));
    Listener listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (listener.m_descriptor < 0
        || ::bind(listener.m_descriptor, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0)
        return lastError();
    listener.m_file = name;
    if (::listen(listener.m_descriptor, backlog) != 0)
        return lastError();
    return listener;
}

} // namespace latchkey::programs
