#include "core/foundation/base/error.h"

namespace latchkey::base {

bool leavesOutcomeUnknown(ErrorKind kind)
{
    return kind == ErrorKind::ConnectionLost || kind == ErrorKind::TimedOut || kind == ErrorKind::Protocol;
}

} // namespace latchkey::base
