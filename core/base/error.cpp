#include "core/base/error.h"

namespace latchkey::base {

bool isTransient(ErrorKind kind)
{
    switch (kind) {
    case ErrorKind::Loading:
    case ErrorKind::Busy:
    case ErrorKind::MasterDown:
    case ErrorKind::ClusterDown:
    case ErrorKind::TryAgain:
    case ErrorKind::TooManyClients:
        return true;
    case ErrorKind::Usage:
    case ErrorKind::Local:
    case ErrorKind::Unreachable:
    case ErrorKind::ConnectionLost:
    case ErrorKind::TimedOut:
    case ErrorKind::Protocol:
    case ErrorKind::AuthenticationRequired:
    case ErrorKind::WrongPassword:
    case ErrorKind::PermissionDenied:
    case ErrorKind::ProtectedMode:
    case ErrorKind::WrongType:
    case ErrorKind::ReadOnly:
    case ErrorKind::OutOfMemory:
    case ErrorKind::Misconfigured:
    case ErrorKind::NoReplicas:
    case ErrorKind::TransactionAborted:
    case ErrorKind::NoScript:
    case ErrorKind::ClusterRedirect:
    case ErrorKind::CrossSlot:
    case ErrorKind::UnknownCommand:
    case ErrorKind::OtherServerError:
        return false;
    }
    return false;
}

bool leavesOutcomeUnknown(ErrorKind kind)
{
    return kind == ErrorKind::ConnectionLost || kind == ErrorKind::TimedOut || kind == ErrorKind::Protocol;
}

} // namespace latchkey::base
