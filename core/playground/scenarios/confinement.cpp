#include "core/playground/scenarios/confinement.h"

#include <sys/resource.h>

namespace latchkey::scenarios {

base::Result<void> confineMemory(qint64 processId)
{
    constexpr rlim_t maximum = rlim_t(maxMegabytes) << 20;
    const rlimit memory {maximum, maximum};
    if (::prlimit(static_cast<pid_t>(processId), RLIMIT_DATA, &memory, nullptr) != 0)
        return base::failure(base::ErrorKind::Local,
                             QT_TRANSLATE_NOOP("core", "the memory of a server cannot be limited: %1"),
                             qt_error_string());
    return {};
}

resp::Command confiningCommand()
{
    return {"ACL", "SETUSER", "default", "-@admin", "-migrate"};
}

} // namespace latchkey::scenarios
