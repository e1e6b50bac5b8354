#include "core/recipes/caches/foreigntype.h"

#include "core/recipes/locks/foreigntype.h"

namespace latchkey::caches {

using exchange::Answer;
using exchange::Exchange;
using exchange::tentatively;
using resp::type;

Exchange<void> refuseForeignType(base::Key key, bool holdsFields)
{
    const Answer answer = co_await tentatively(type(key));
    if (locks::isDenied(answer))
        co_return;
    if (!answer)
        throw base::Failure(answer.error());
    const QByteArray wanted = holdsFields ? QByteArrayLiteral("hash") : QByteArrayLiteral("string");
    const QByteArray &found = answer->bytes();
    if (found != wanted && found != "none")
        throw base::Failure(
            base::Error {base::ErrorKind::WrongType,
                         base::Text(QT_TRANSLATE_NOOP("core", "the key holds a %1, and the recipe writes a %2"),
                                    QString::fromUtf8(found), QString::fromLatin1(wanted))});
}

} // namespace latchkey::caches
