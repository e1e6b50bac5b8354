#include "core/explore/programs/networknamespace.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace latchkey::programs {

using base::Error;
using base::ErrorKind;
using base::failure;
using base::Result;

namespace {

/// One for IPv4, and one for IPv6 if the system supports it.
constexpr std::size_t maxListeners = 2;
constexpr std::size_t roomForListeners = CMSG_SPACE(maxListeners * sizeof(int));

/// Returns an ID map that maps only the given ID, to itself.
QByteArray mapOf(unsigned int id)
{
    return QByteArray::number(id) + ' ' + QByteArray::number(id) + " 1";
}

// The functions below run between fork and exec.

bool writeTo(const char *path, const QByteArray &text)
{
    const int file = ::open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    const bool isWritten = ::write(file, text.constData(), static_cast<std::size_t>(text.size())) == text.size();
    const int error = errno;
    ::close(file);
    errno = error;
    return isWritten;
}

bool bringUpLoopback()
{
    const int any = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ifreq request {};
    std::memcpy(request.ifr_name, "lo", sizeof "lo");
    if (any < 0 || ::ioctl(any, SIOCGIFFLAGS, &request) != 0)
        return false;
    request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
    return ::ioctl(any, SIOCSIFFLAGS, &request) == 0;
}

/// Opens a listening socket. Returns its descriptor, or -1 with errno.
int listenAt(const sockaddr *address, socklen_t size)
{
    constexpr int backlog = 64;
    const int listener = ::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0)
        return -1;
    const int alone = 1;
    if (address->sa_family == AF_INET6)
        ::setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &alone, sizeof alone);
    return ::bind(listener, address, size) == 0 && ::listen(listener, backlog) == 0 ? listener : -1;
}

} // namespace

NetworkNamespace::NetworkNamespace(quint16 port, int ours, int theirs)
    : m_port(port)
    , m_userMap(mapOf(::geteuid()))
    , m_groupMap(mapOf(::getegid()))
    , m_parentSocket(ours)
    , m_childSocket(theirs)
{}

NetworkNamespace::~NetworkNamespace()
{
    ::close(m_parentSocket);
    ::close(m_childSocket);
}

Result<std::unique_ptr<NetworkNamespace>> NetworkNamespace::prepare(quint16 port)
{
    std::array<int, 2> ends {};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0)
        return failure(ErrorKind::Local, QT_TRANSLATE_NOOP("core", "no port can be opened for the program: %1"),
                       QString::fromLocal8Bit(std::strerror(errno)));
    return std::unique_ptr<NetworkNamespace>(new NetworkNamespace(port, ends[0], ends[1]));
}

bool NetworkNamespace::enter() const
{
    if (unshareNamespaces() && sendListeners())
        return true;
    const int error = errno;
    ::send(m_childSocket, "-", 1, MSG_NOSIGNAL); // Makes refusal() report this failure.
    errno = error;
    return false;
}

bool NetworkNamespace::unshareNamespaces() const
{
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
        return false;
    // Linux refuses gid_map unless setgroups was denied before. Old kernels have no setgroups file and do not require
    // it.
    if (!writeTo("/proc/self/setgroups", "deny") && errno != ENOENT)
        return false;
    return writeTo("/proc/self/uid_map", m_userMap) && writeTo("/proc/self/gid_map", m_groupMap) && bringUpLoopback();
}

bool NetworkNamespace::sendListeners() const
{
    sockaddr_in address {};
    address.sin_family = AF_INET;
    address.sin_port = htons(m_port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockaddr_in6 longAddress {};
    longAddress.sin6_family = AF_INET6;
    longAddress.sin6_port = htons(m_port);
    longAddress.sin6_addr = IN6ADDR_LOOPBACK_INIT;
    const int first = listenAt(reinterpret_cast<const sockaddr *>(&address), sizeof address);
    if (first < 0)
        return false;
    const int second = listenAt(reinterpret_cast<const sockaddr *>(&longAddress), sizeof longAddress);

    const std::array<int, maxListeners> listeners {first, second};
    const std::size_t size = (second < 0 ? 1 : 2) * sizeof(int);
    alignas(cmsghdr) std::array<char, roomForListeners> room {};
    char byte = '+';
    iovec text {&byte, 1};
    msghdr message {};
    message.msg_iov = &text;
    message.msg_iovlen = 1;
    message.msg_control = room.data();
    message.msg_controllen = CMSG_SPACE(size);
    cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(size);
    std::memcpy(CMSG_DATA(header), listeners.data(), size);
    return ::sendmsg(m_childSocket, &message, MSG_NOSIGNAL) == 1;
}

Result<std::vector<Listener>> NetworkNamespace::listeners() const
{
    alignas(cmsghdr) std::array<char, roomForListeners> room {};
    char byte = 0;
    iovec text {&byte, 1};
    msghdr message {};
    message.msg_iov = &text;
    message.msg_iovlen = 1;
    message.msg_control = room.data();
    message.msg_controllen = room.size();
    std::vector<Listener> listeners;
    if (::recvmsg(m_parentSocket, &message, MSG_CMSG_CLOEXEC) == 1) {
        if (const cmsghdr *header = CMSG_FIRSTHDR(&message);
            header != nullptr && header->cmsg_type == SCM_RIGHTS && header->cmsg_len > CMSG_LEN(0)) {
            std::array<int, maxListeners> descriptors {};
            const std::size_t size = header->cmsg_len - CMSG_LEN(0);
            std::memcpy(descriptors.data(), CMSG_DATA(header), size);
            for (std::size_t i = 0; i < size / sizeof(int); ++i)
                listeners.emplace_back(descriptors[i], m_port);
        }
    }
    // If too many files are open, the message arrives without the descriptors.
    if (listeners.empty())
        return failure(ErrorKind::Local, QT_TRANSLATE_NOOP("core", "no port can be opened for the program: %1"),
                       QString::fromLocal8Bit(std::strerror(EMFILE)));
    return listeners;
}

std::optional<Error> NetworkNamespace::refusal(std::error_code error) const
{
    char byte = 0;
    if (::recv(m_parentSocket, &byte, 1, MSG_DONTWAIT) != 1 || byte != '-')
        return std::nullopt;
    return Error(ErrorKind::Local,
                 base::Text(QT_TRANSLATE_NOOP(
                                "core", "it cannot have a network of its own, as --fixed-port needs (%1): let the "
                                        "system allow user namespaces (user.max_user_namespaces above 0, "
                                        "kernel.unprivileged_userns_clone=1, "
                                        "kernel.apparmor_restrict_unprivileged_userns=0; in a container a profile with "
                                        "unshare), or let it read REDIS_URL and leave --fixed-port out"),
                            QString::fromStdString(error.message())));
}

} // namespace latchkey::programs
