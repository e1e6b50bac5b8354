#include "core/locks/foreigntype.h"

namespace latchkey::locks {

using exchange::Exchange;
using resp::Reply;
using resp::type;

Exchange<void> refuseForeignType(base::Key key)
{
    const Reply reply = co_await type(key);
    const QByteArray found = reply.bytes();
    if (found != "string" && found != "none")
        throw base::Failure(
            base::Error {base::ErrorKind::WrongType,
                         QStringLiteral("the key holds a %1, which is not a lock").arg(QString::fromUtf8(found))});
}

} // namespace latchkey::locks
