#include "core/foundation/base/standarddescriptors.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <initializer_list>
#include <unistd.h>

namespace latchkey::base {

void occupyStandardDescriptors()
{
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF)
            continue;
        // All lower descriptors are in use, so the new one gets exactly this number.
        const int wrongWay = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (::open("/dev/null", wrongWay) != descriptor) // NOLINT(*-vararg): that is how it is declared.
            std::abort();                                // No output is available for an error message.
    }
}

} // namespace latchkey::base
