#include "core/caches/foreigntype.h"

namespace latchkey::caches {

using exchange::Exchange;
using resp::Reply;
using resp::type;

Exchange<void> refuseForeignType(base::Key key, bool holdsFields)
{
    const Reply reply = co_await type(key);
    const QByteArray wanted = holdsFields ? QByteArrayLiteral("hash") : QByteArrayLiteral("string");
    const QByteArray &found = reply.bytes();
    if (found != wanted && found != "none")
        throw base::Failure(
            base::Error {base::ErrorKind::WrongType, QStringLiteral("the key holds a %1, and the recipe writes a %2")
                                                         .arg(QString::fromUtf8(found), QString::fromLatin1(wanted))});
}

} // namespace latchkey::caches
