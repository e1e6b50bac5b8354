#include "core/redis/ssh/askpassclient.h"

#include <QByteArray>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace latchkey::ssh {

namespace {

/// Returns a connected socket; -1 if there is no listener.
int connectToWindow()
{
    const QByteArray path = qgetenv(askpassVariable);
    sockaddr_un address {};
    address.sun_family = AF_UNIX;
    if (path.size() >= static_cast<qsizetype>(sizeof address.sun_path))
        return -1;
    std::memcpy(address.sun_path, path.constData(), static_cast<std::size_t>(path.size()));
    const int window = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(window, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0)
        return window;
    ::close(window);
    return -1;
}

} // namespace

bool isAskpassProcess()
{
    return qEnvironmentVariableIsSet(askpassVariable);
}

int runAskpass(int argc, char **argv)
{
    // A question must disappear from the screen when ssh no longer waits for it.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // SIGTERM is ignored, as in ssh.
    // With this hint, the text is not a question but a request to touch a security key.
    if (argc < 2 || qgetenv("SSH_ASKPASS_PROMPT") == "none")
        return 1;
    const int window = connectToWindow();
    const std::size_t size = std::strlen(argv[1]) + 1; // The window recognises the end by the NUL byte.
    if (window < 0 || ::send(window, argv[1], size, MSG_NOSIGNAL) != static_cast<ssize_t>(size))
        return 1;
    QByteArray answer;
    std::array<char, 1024> buffer; // NOLINT(cppcoreguidelines-pro-type-member-init): filled by recv().
    for (ssize_t count = 0; (count = ::recv(window, buffer.data(), buffer.size(), 0)) > 0;)
        answer.append(buffer.data(), count);
    ::close(window);
    if (!answer.startsWith('+'))
        return 1;
    std::printf("%s\n", answer.constData() + 1);
    return 0;
}

} // namespace latchkey::ssh
