#include "core/redis/net/descriptordevice.h"

#include "core/foundation/base/duration.h"
#include "core/redis/net/connectionsetup.h"

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

namespace latchkey::net {

using base::ErrorKind;
using base::failure;

namespace {

QString systemText(int error)
{
    return QString::fromLocal8Bit(std::strerror(error));
}

/// Returns whether one of the events (or an end, or an error) occurs within msecs; -1: no limit.
bool isReady(int descriptor, short events, int msecs)
{
    const QDeadlineTimer deadline =
        msecs < 0 ? QDeadlineTimer(QDeadlineTimer::Forever) : QDeadlineTimer(msecs, Qt::PreciseTimer);
    pollfd waiting {descriptor, events, 0};
    int ready = 0;
    do {
        ready = ::poll(&waiting, 1, base::millisecondsLeft(deadline));
    } while (ready < 0 && errno == EINTR);
    return ready > 0;
}

} // namespace

/// A destination address for the system calls.
struct PendingDevice::Address
{
    sockaddr_storage bytes {};
    socklen_t length = 0;
};

PendingDevice::PendingDevice(Endpoint endpoint)
    : m_endpoint(std::move(endpoint))
{
    if (m_endpoint.transport == Endpoint::Transport::Unix) {
        const QByteArray path = QFile::encodeName(m_endpoint.path);
        sockaddr_un address {};
        address.sun_family = AF_UNIX;
        if (path.size() >= static_cast<qsizetype>(sizeof address.sun_path)) {
            m_failure = systemText(ENAMETOOLONG);
            return;
        }
        std::memcpy(address.sun_path, path.constData(), static_cast<std::size_t>(path.size()));
        std::memcpy(&m_untried.emplace_back().bytes, &address, sizeof address);
        m_untried.back().length = sizeof address;
    } else {
        addrinfo hints {};
        hints.ai_family = AF_UNSPEC;
        hints.ai_socktype = SOCK_STREAM;
        addrinfo *found = nullptr;
        const QByteArray port = QByteArray::number(m_endpoint.port);
        if (const int error = ::getaddrinfo(m_endpoint.host.toUtf8().constData(), port.constData(), &hints, &found)) {
            m_failure = QString::fromLocal8Bit(::gai_strerror(error));
            return;
        }
        const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, &::freeaddrinfo);
        for (const addrinfo *address = found; address != nullptr; address = address->ai_next) {
            std::memcpy(&m_untried.emplace_back().bytes, address->ai_addr, address->ai_addrlen);
            m_untried.back().length = address->ai_addrlen;
        }
    }
    begin();
}

PendingDevice::PendingDevice(PendingDevice &&other) noexcept
    : m_endpoint(std::move(other.m_endpoint))
    , m_untried(std::move(other.m_untried))
    , m_descriptor(std::exchange(other.m_descriptor, -1))
    , m_isUnderWay(other.m_isUnderWay)
    , m_failure(std::move(other.m_failure))
{}

PendingDevice::~PendingDevice()
{
    closeDescriptor();
}

void PendingDevice::closeDescriptor()
{
    if (m_descriptor >= 0)
        ::close(std::exchange(m_descriptor, -1));
}

/// Tries the next addresses until one is connected or pending, or none is left.
void PendingDevice::begin()
{
    while (!m_untried.empty()) {
        const Address address = m_untried.front();
        m_untried.erase(m_untried.begin());
        m_descriptor = ::socket(address.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (m_descriptor < 0) {
            m_failure = systemText(errno);
            continue;
        }
        m_isUnderWay = false;
        if (::connect(m_descriptor, reinterpret_cast<const sockaddr *>(&address.bytes), address.length) == 0)
            return;
        m_isUnderWay = errno == EINPROGRESS;
        if (m_isUnderWay)
            return;
        m_failure = systemText(errno);
        closeDescriptor();
    }
}

base::Result<std::unique_ptr<DescriptorDevice>> PendingDevice::finish(QDeadlineTimer deadline)
{
    while (m_descriptor >= 0 && m_isUnderWay) {
        int error = ETIMEDOUT;
        socklen_t length = sizeof error;
        if (isReady(m_descriptor, POLLOUT, base::millisecondsLeft(deadline))
            && ::getsockopt(m_descriptor, SOL_SOCKET, SO_ERROR, &error, &length) < 0)
            error = errno;
        if (error == 0)
            break;
        m_failure = systemText(error);
        closeDescriptor();
        begin();
    }
    if (m_descriptor < 0)
        return failure(ErrorKind::Unreachable, unreachable(m_endpoint, m_failure));
    if (m_endpoint.transport == Endpoint::Transport::Tcp) {
        const int yes = 1;
        ::setsockopt(m_descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    }
    return std::make_unique<DescriptorDevice>(std::exchange(m_descriptor, -1));
}

base::Result<std::unique_ptr<DescriptorDevice>> DescriptorDevice::connectTo(const Endpoint &endpoint,
                                                                            QDeadlineTimer deadline)
{
    return PendingDevice(endpoint).finish(deadline);
}

DescriptorDevice::DescriptorDevice(int descriptor)
    : m_descriptor(descriptor)
{
    open(QIODevice::ReadWrite | QIODevice::Unbuffered);
}

DescriptorDevice::~DescriptorDevice()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

int DescriptorDevice::takeDescriptor()
{
    return std::exchange(m_descriptor, -1);
}

bool DescriptorDevice::waitForReadyRead(int msecs)
{
    constexpr qint64 yieldNanoseconds = 50'000;

    QElapsedTimer elapsed;
    elapsed.start();
    do {
        ::sched_yield(); // Yields first, because the last read has just found no data.
        if (isReady(m_descriptor, POLLIN, 0))
            return true;
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
    // The error text is set at once, as by Qt's devices.
    setErrorString(count == 0 ? base::Text(QT_TRANSLATE_NOOP("core", "the server closed the connection")).toString()
                              : systemText(errno));
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

} // namespace latchkey::net
