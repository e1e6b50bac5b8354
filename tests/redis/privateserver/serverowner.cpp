// Starts a private server, prints its address and process ID, and waits to be killed. A helper of tst_privateserver.

#include "core/redis/privateserver/privateserver.h"

#include <QCoreApplication>

#include <cstdio>
#include <unistd.h>

int main(int argc, char *argv[])
{
    const QCoreApplication application(argc, argv);
    ::alarm(120); // This process ends, whatever happens to the test.
    latchkey::privateserver::PrivateServer server;
    if (const auto started = server.startAndWait(); !started) {
        std::fprintf(stderr, "%s\n", qPrintable(started.error().message()));
        return 1;
    }
    std::printf("%lld %s\n", server.processId(), qPrintable(server.folder()));
    std::fflush(stdout);
    ::pause();
    return 0;
}
