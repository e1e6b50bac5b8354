#include "core/server/tiedprocess.h"

#include <csignal>
#include <sys/prctl.h>
#include <unistd.h>

namespace latchkey::server {

void tieToThisProcess(QProcess &process)
{
    // Between fork and exec: only calls that are safe after a fork.
    process.setChildProcessModifier([parent = ::getpid()] {
        // Ctrl-C is for this program, which may still have a use for the other.
        ::setpgid(0, 0);
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        // The parent may have died before the request was in place.
        if (::getppid() != parent)
            ::_exit(1);
    });
}

} // namespace latchkey::server
