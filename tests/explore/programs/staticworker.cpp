// A lock that gets its lease by a second command, as a statically linked program: no library can be preloaded into it.
// A helper of tst_programengines.

#include <arpa/inet.h>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace {

/// Sends the command and returns the first byte after the reply's type. These replies arrive in one piece.
char ask(int server, const std::string &words)
{
    const std::string line = words + "\r\n";
    char reply[64] {};
    if (::write(server, line.data(), line.size()) < 0 || ::read(server, reply, sizeof reply) <= 0)
        std::exit(2);
    return reply[1];
}

} // namespace

int main()
{
    const char *port = std::getenv("REDIS_PORT");
    if (port == nullptr)
        return 1;
    const int server = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<in_port_t>(std::atoi(port)));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(server, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0)
        return 1;
    if (ask(server, "*3\r\n$5\r\nSETNX\r\n$4\r\nlock\r\n$1\r\n1") == '1') {
        (void)ask(server, "*3\r\n$6\r\nEXPIRE\r\n$4\r\nlock\r\n$2\r\n10");
        (void)ask(server, "*2\r\n$3\r\nDEL\r\n$4\r\nlock");
    }
    ::close(server);
    return 0;
}
