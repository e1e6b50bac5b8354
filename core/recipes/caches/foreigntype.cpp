#include "core/recipes/caches/foreigntype.h"

#include "core/recipes/locks/foreigntype.h"

namespace latchkey::caches {

using exchange::Exchange;

Exchange<void> refuseForeignType(base::Key key, bool holdsFields)
{
    const QByteArray wanted = holdsFields ? QByteArrayLiteral("hash") : QByteArrayLiteral("string");
    const QByteArray found = co_await locks::foreignType(key, wanted);
    if (!found.isEmpty())
        throw base::Failure(
            base::Error {base::ErrorKind::WrongType,
                         base::Text(QT_TRANSLATE_NOOP("core", "the key holds a %1, and the recipe writes a %2"),
                                    QString::fromUtf8(found), QString::fromLatin1(wanted))});
}

} // namespace latchkey::caches
