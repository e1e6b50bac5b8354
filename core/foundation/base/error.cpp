#include "core/foundation/base/error.h"

namespace latchkey::base {

bool leavesOutcomeUnknown(ErrorKind kind)
{
    return kind == ErrorKind::ConnectionLost || kind == ErrorKind::TimedOut || kind == ErrorKind::Protocol;
}

bool isPasswordRefused(ErrorKind kind)
{
    return kind == ErrorKind::AuthenticationRequired || kind == ErrorKind::WrongPassword
        || kind == ErrorKind::SentinelAuthentication || kind == ErrorKind::ProxyAuthentication;
}

} // namespace latchkey::base
