#include "core/resp/descriptordevice.h"

#include <QElapsedTimer>
#include <QFile>

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace latchkey::resp {

using base::ErrorKind;
using base::failure;

namespace {

using ConnectedDescriptor = base::Result<int>;

QString systemText(int error)
{
    return QString::fromLocal8Bit(std::strerror(error));
}

tl::unexpected<base::Error> unreachable(const Endpoint &endpoint, const QString &why)
{
    return failure(ErrorKind::Unreachable, QStringLiteral("cannot connect to %1: %2").arg(endpoint.display(), why));
}

int millisecondsLeft(const QDeadlineTimer &deadline)
{
    return static_cast<int>(std::min<qint64>(deadline.remainingTime(), 1'000'000));
}

/// Whether one of the events (or an end, or an error) is there within msecs; -1 waits for ever.
bool isReady(int descriptor, short events, int msecs)
{
    const QDeadlineTimer deadline =
        msecs < 0 ? QDeadlineTimer(QDeadlineTimer::Forever) : QDeadlineTimer(msecs, Qt::PreciseTimer);
    pollfd waiting {descriptor, events, 0};
    int ready = 0;
    do {
        ready = ::poll(&waiting, 1, deadline.isForever() ? -1 : millisecondsLeft(deadline));
    } while (ready < 0 && errno == EINTR);
    return ready > 0;
}

/// 0 once connected, else an errno.
int connectWithin(int descriptor, const sockaddr *address, socklen_t length, const QDeadlineTimer &deadline)
{
    if (::connect(descriptor, address, length) == 0)
        return 0;
    if (errno != EINPROGRESS)
        return errno;
    if (!isReady(descriptor, POLLOUT, millisecondsLeft(deadline)))
        return ETIMEDOUT;
    int error = 0;
    socklen_t errorLength = sizeof error;
    if (::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &errorLength) < 0)
        return errno;
    return error;
}

ConnectedDescriptor connectUnix(const Endpoint &endpoint, const QDeadlineTimer &deadline)
{
    sockaddr_un address {};
    address.sun_family = AF_UNIX;
    const QByteArray path = QFile::encodeName(endpoint.path);
    if (path.size() >= static_cast<qsizetype>(sizeof address.sun_path))
        return unreachable(endpoint, systemText(ENAMETOOLONG));
    std::memcpy(address.sun_path, path.constData(), static_cast<std::size_t>(path.size()));

    const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0)
        return unreachable(endpoint, systemText(errno));
    if (const int error =
            connectWithin(descriptor, reinterpret_cast<const sockaddr *>(&address), sizeof address, deadline)) {
        ::close(descriptor);
        return unreachable(endpoint, systemText(error));
    }
    return descriptor;
}

ConnectedDescriptor connectTcp(const Endpoint &endpoint, const QDeadlineTimer &deadline)
{
    addrinfo hints {};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo *found = nullptr;
    const QByteArray port = QByteArray::number(endpoint.port);
    if (const int error = ::getaddrinfo(endpoint.host.toUtf8().constData(), port.constData(), &hints, &found))
        return unreachable(endpoint, QString::fromLocal8Bit(::gai_strerror(error)));
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, &::freeaddrinfo);

    int error = EADDRNOTAVAIL;
    for (const addrinfo *address = found; address != nullptr; address = address->ai_next) {
        const int descriptor =
            ::socket(address->ai_family, address->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, address->ai_protocol);
        if (descriptor < 0) {
            error = errno;
            continue;
        }
        error = connectWithin(descriptor, address->ai_addr, address->ai_addrlen, deadline);
        if (error == 0) {
            const int yes = 1;
            ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
            return descriptor;
        }
        ::close(descriptor);
    }
    return unreachable(endpoint, systemText(error));
}

} // namespace

base::Result<std::unique_ptr<DescriptorDevice>> DescriptorDevice::connectTo(const Endpoint &endpoint,
                                                                            QDeadlineTimer deadline)
{
    const ConnectedDescriptor descriptor = endpoint.transport == Endpoint::Transport::Unix
                                             ? connectUnix(endpoint, deadline)
                                             : connectTcp(endpoint, deadline);
    if (!descriptor)
        return failure(descriptor.error());
    return std::make_unique<DescriptorDevice>(*descriptor);
}

DescriptorDevice::DescriptorDevice(int descriptor)
    : m_descriptor(descriptor)
{
    open(QIODevice::ReadWrite | QIODevice::Unbuffered);
}

DescriptorDevice::~DescriptorDevice()
{
    ::close(m_descriptor);
}

bool DescriptorDevice::waitForReadyRead(int msecs)
{
    constexpr qint64 yieldNanoseconds = 50'000;

    QElapsedTimer elapsed;
    elapsed.start();
    do {
        if (isReady(m_descriptor, POLLIN, 0))
            return true;
        ::sched_yield();
    } while (elapsed.nsecsElapsed() < yieldNanoseconds && msecs != 0);
    return isReady(m_descriptor, POLLIN, msecs);
}

bool DescriptorDevice::waitForBytesWritten(int msecs)
{
    return isReady(m_descriptor, POLLOUT, msecs);
}

qint64 DescriptorDevice::readData(char *data, qint64 maxSize)
{
    const ssize_t count = ::recv(m_descriptor, data, static_cast<std::size_t>(maxSize), MSG_DONTWAIT);
    if (count > 0 || maxSize == 0)
        return count;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return 0;
    setErrorString(count == 0 ? QStringLiteral("the server closed the connection") : systemText(errno));
    return -1;
}

qint64 DescriptorDevice::writeData(const char *data, qint64 size)
{
    const ssize_t count = ::send(m_descriptor, data, static_cast<std::size_t>(size), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0)
        return count;
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
        return 0;
    setErrorString(systemText(errno));
    return -1;
}

} // namespace latchkey::resp
