#include "core/recipes/locks/lock.h"

namespace latchkey::locks {

Lock::~Lock() = default;

exchange::Exchange<Extension> Lock::extend(base::OwnerToken, base::Lease) &
{
    throw base::Failure(base::Error {base::ErrorKind::Usage,
                                     base::Text(QT_TRANSLATE_NOOP("core", "this recipe cannot extend a lock"))});
    co_return Extension {};
}

} // namespace latchkey::locks
