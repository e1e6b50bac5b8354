#include "core/recipes/locks/foreigntype.h"

#include "core/recipes/locks/waiting.h"

#include <algorithm>

namespace latchkey::locks {

using exchange::Answer;
using exchange::Answers;
using exchange::Batch;
using exchange::Exchange;
using resp::type;
using namespace std::chrono_literals;

bool isDenied(const Answer &answer)
{
    return !answer
        && (answer.error().kind == base::ErrorKind::PermissionDenied
            || answer.error().kind == base::ErrorKind::UnknownCommand);
}

Exchange<QByteArray> foreignType(base::Key key, QByteArray wanted, int servers)
{
    Batch types;
    if (servers > 1)
        types = Batch().within(2s);
    for (int server = 0; server < servers; ++server)
        types.add(type(key), server);
    const Answers answers = co_await std::move(types);

    for (const Answer &answer : answers) {
        if (answer && answer->bytes() != wanted && answer->bytes() != "none")
            co_return answer->bytes();
    }
    const auto isSettled = [](const Answer &answer) { return answer || isDenied(answer); };
    if (std::ranges::none_of(answers, isSettled))
        throw base::Failure(answers.front().error());
    co_return QByteArray();
}

Exchange<void> refuseForeignType(base::Key key, int servers)
{
    const QByteArray found = co_await foreignType(key, QByteArrayLiteral("string"), servers);
    if (!found.isEmpty())
        throw base::Failure(base::Error {
            base::ErrorKind::WrongType, base::Text(QT_TRANSLATE_NOOP("core", "the key holds a %1, which is not a lock"),
                                                   QString::fromUtf8(found))});
}

// NOLINTNEXTLINE(*-avoid-reference-coroutine-parameters): the header states the lifetime of the lock.
Exchange<Acquisition> acquireUnlessForeign(const Recipe &recipe, Lock &lock, base::Key key,
                                           std::chrono::milliseconds wait, std::function<bool()> givesUp)
{
    if (recipe.failedAcquireChangesKey) {
        co_await refuseForeignType(key);
    }
    const Acquisition acquisition = co_await acquireWithin(lock, wait, givesUp);
    co_return acquisition;
}

} // namespace latchkey::locks
