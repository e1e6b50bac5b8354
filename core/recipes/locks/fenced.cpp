#include "core/recipes/locks/fenced.h"

#include "core/foundation/base/hashtag.h"
#include "core/recipes/locks/attempt.h"
#include "core/recipes/locks/token.h"

namespace latchkey::locks {

using base::ErrorKind;
using base::Lease;
using base::OwnerToken;
using exchange::Answer;
using exchange::Exchange;
using exchange::Instant;
using exchange::now;
using exchange::Script;
using resp::Reply;

namespace {

const Script &fencedAcquire()
{
    static const Script script(QStringLiteral("fenced-acquire"));
    return script;
}

/// Returns whether the error concerns the counter. Of the two keys, only the counter can be invalid: another type, not
/// a number, or the largest number.
bool isAboutCounter(const base::Error &error)
{
    return error.kind == ErrorKind::WrongType
        || (error.kind == ErrorKind::OtherServerError
            && (error.message().contains(QLatin1String("not an integer"))
                || error.message().contains(QLatin1String("overflow"))));
}

} // namespace

Recipe FencedLock::recipe()
{
    Recipe entry = TokenLock::recipe();
    entry.id = QStringLiteral("fenced");
    entry.title = base::Text(QT_TRANSLATE_NOOP("core", "Lock with fencing numbers"));
    entry.summary = base::Text(
        QT_TRANSLATE_NOOP("core", "Each acquisition gets a larger number; a resource that refuses a smaller one than "
                                  "it has seen is safe from a holder that slept past its lease."));
    entry.promises.push_back(Promise::Fenced);
    entry.commands = QStringLiteral("EVALSHA EVAL EXISTS INCR SET GET DEL PEXPIRE").split(u' ');
    entry.make = [](const LockOptions &options) -> std::unique_ptr<Lock> {
        return std::make_unique<FencedLock>(options.key, *options.lease, options.token, options.form);
    };
    return entry;
}

FencedLock::FencedLock(base::Key key, Lease lease, std::optional<OwnerToken> password, CompareForm form)
    : m_hold(std::move(key), lease, std::move(password), form)
{}

base::Key FencedLock::counterKey(const base::Key &lock)
{
    return base::Key(base::withHashTag(lock.bytes()) + ":fence");
}

Exchange<Acquisition> FencedLock::acquire() &
{
    const base::Key counter = counterKey(m_hold.key());
    const OwnerToken token = co_await m_hold.tokenForAttempt();
    const Instant before = co_await now();
    Answer answer = co_await tentatively(
        fencedAcquire().on(m_hold.key()).on(counter).with(token).with(m_hold.lease().duration().count()));
    if (!answer && isAboutCounter(answer.error()))
        answer = base::failure(answer.error().during(
            base::Text(QT_TRANSLATE_NOOP("core", "the counter \"%1\""), base::printable(counter.bytes(), 100))));

    const Reply number = co_await m_hold.replyTo(answer, token);
    if (!number.isInteger())
        co_return Acquisition::busy();
    Acquisition acquired = co_await m_hold.won(token, before.monotonic);
    acquired.fencing = FencingToken {number.toInteger()};
    co_return acquired;
}

Exchange<ReleaseOutcome> FencedLock::release(OwnerToken token) &
{
    return m_hold.compareAndDelete(std::move(token));
}

Exchange<Extension> FencedLock::extend(OwnerToken token, Lease lease) &
{
    return m_hold.compareAndExtend(std::move(token), lease);
}

} // namespace latchkey::locks
