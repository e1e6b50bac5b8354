#include "core/explore/shim/preload/forkserver.h"
#include "core/explore/shim/preload/kernel.h"
#include "core/explore/shim/preload/next.h"
#include "core/explore/shim/preload/processstate.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

// Replacements of the functions with addresses of servers. A forked process has the addresses of another process in its
// environment; its connections go to its own.

using namespace latchkey::shim::preload;
using latchkey::shim::Page;
using latchkey::shim::PageRedirections;

namespace {

/// A socket address that can be changed.
union Address {
    sockaddr any;
    sockaddr_in four;
    sockaddr_in6 six;
    sockaddr_un file;
};

const PageRedirections *redirections()
{
    const ProcessState *const here = processState();
    return here != nullptr && here->page->redirections.ports.front().shown != 0 ? &here->page->redirections : nullptr;
}

/// Returns the port of a loopback address of IPv4, also in the form of IPv6; null: another address.
in_port_t *loopbackPort(Address &address, socklen_t size)
{
    if (address.any.sa_family == AF_INET && size >= sizeof address.four)
        return address.four.sin_addr.s_addr == htonl(INADDR_LOOPBACK) ? &address.four.sin_port : nullptr;
    if (address.any.sa_family != AF_INET6 || size < sizeof address.six)
        return nullptr;
    const in_addr_t loopback = htonl(INADDR_LOOPBACK);
    const auto &bytes = address.six.sin6_addr;
    const bool isLoopback =
        IN6_IS_ADDR_V4MAPPED(&bytes) && std::memcmp(bytes.s6_addr + 12, &loopback, sizeof loopback) == 0;
    return isLoopback ? &address.six.sin6_port : nullptr;
}

/// Replaces the path of a Unix socket. Returns the new size of the address; 0: another path.
socklen_t replacePath(Address &address, socklen_t size, const char *from, const char *to)
{
    constexpr auto begin = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path));
    if (address.any.sa_family != AF_UNIX || size <= begin || *from == '\0'
        || std::strncmp(address.file.sun_path, from, size - begin) != 0)
        return 0;
    const std::size_t length = ::strnlen(to, sizeof address.file.sun_path - 1);
    std::memcpy(address.file.sun_path, to, length);
    address.file.sun_path[length] = '\0';
    return begin + static_cast<socklen_t>(length) + 1;
}

/// Replaces the address that the process sees by its own. Returns the size of the address.
socklen_t toReal(const PageRedirections &table, Address &address, socklen_t size)
{
    if (in_port_t *const port = loopbackPort(address, size)) {
        for (const auto &entry : table.ports) {
            if (entry.shown != 0 && *port == htons(entry.shown)) {
                *port = htons(entry.real);
                break;
            }
        }
        return size;
    }
    const socklen_t replaced = replacePath(address, size, table.path.shown.data(), table.path.real.data());
    return replaced != 0 ? replaced : size;
}

/// The reverse of toReal().
socklen_t toShown(const PageRedirections &table, Address &address, socklen_t size)
{
    if (in_port_t *const port = loopbackPort(address, size)) {
        for (const auto &entry : table.ports) {
            if (entry.shown != 0 && *port == htons(entry.real)) {
                *port = htons(entry.shown);
                break;
            }
        }
        return size;
    }
    const socklen_t replaced = replacePath(address, size, table.path.real.data(), table.path.shown.data());
    return replaced != 0 ? replaced : size;
}

/// Makes the system call connect() as a cancellation point, as the C library does.
long connectTo(int descriptor, const sockaddr *address, socklen_t size)
{
    static Next<int(int, const sockaddr *, socklen_t)> next("connect");
    return next(descriptor, address, size);
}

} // namespace

extern "C" {

int socket(int domain, int type, int protocol) noexcept
{
    constexpr int kinds = 0xf; // The rest of the type are flags.
    if ((domain == AF_INET || domain == AF_INET6 || domain == AF_UNIX) && (type & kinds) == SOCK_STREAM)
        serveForks();
    return kernel::asResult(kernel::call(SYS_socket, domain, type, protocol));
}

int connect(int descriptor, const sockaddr *address, socklen_t size)
{
    const PageRedirections *const table = redirections();
    Address copy {};
    if (table == nullptr || address == nullptr || size > sizeof copy || size < sizeof address->sa_family)
        return static_cast<int>(connectTo(descriptor, address, size));
    std::memcpy(&copy, address, size);
    size = toReal(*table, copy, size);
    return static_cast<int>(connectTo(descriptor, &copy.any, size));
}

int getpeername(int descriptor, sockaddr *address, socklen_t *size) noexcept
{
    const PageRedirections *const table = redirections();
    if (table == nullptr || address == nullptr || size == nullptr)
        return kernel::asResult(kernel::call(SYS_getpeername, descriptor, address, size));
    Address copy {};
    socklen_t full = sizeof copy;
    if (const long result = kernel::call(SYS_getpeername, descriptor, &copy, &full); result < 0)
        return kernel::asResult(result);
    full = toShown(*table, copy, std::min<socklen_t>(full, sizeof copy));
    std::memcpy(address, &copy, std::min(full, *size));
    *size = full;
    return 0;
}

} // extern "C"
