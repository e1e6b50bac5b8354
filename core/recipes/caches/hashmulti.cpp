#include "core/recipes/caches/hashmulti.h"

#include "core/foundation/base/duration.h"
#include "core/redis/resp/servererror.h"

namespace latchkey::caches {

using base::Error;
using base::ErrorKind;
using base::Failure;
using exchange::Answer;
using exchange::Answers;
using exchange::Batch;
using exchange::Exchange;
using resp::exec;
using resp::hgetall;
using resp::multi;
using resp::pexpire;
using resp::Reply;

namespace {

/// The replies to the four commands.
struct Transaction
{
    const Answer &multi;
    const Answer &hset;    ///< Confirmation that HSET was queued.
    const Answer &pexpire; ///< Confirmation that PEXPIRE was queued.
    const Answer &exec;    ///< Results of HSET and PEXPIRE.
};

/// Throws the error that prevented the transaction. EXEC only reports that a command was invalid; the command's own
/// reply has the cause.
[[noreturn]] void throwTransactionError(const Transaction &transaction)
{
    if (!transaction.multi && !base::leavesOutcomeUnknown(transaction.multi.error().kind)) {
        // Without MULTI, the commands after it were not part of a transaction.
        const base::Text effect =
            !transaction.hset ? base::Text(QT_TRANSLATE_NOOP("core", "the server refused the transaction"))
            : !transaction.pexpire
                ? base::Text(QT_TRANSLATE_NOOP(
                      "core", "the server refused the transaction, and the fields were written without a lifetime"))
                : base::Text(QT_TRANSLATE_NOOP("core", "the server refused the transaction, and the fields and their "
                                                       "lifetime were written one after the other"));
        throw Failure(transaction.multi.error().during(effect));
    }
    if (!transaction.exec && transaction.exec.error().kind == ErrorKind::TransactionAborted) {
        for (const Answer *queued : {&transaction.hset, &transaction.pexpire}) {
            if (!*queued)
                throw Failure(queued->error());
        }
    }
    if (!transaction.exec)
        throw Failure(transaction.exec.error());
    throw Failure(Error {ErrorKind::TransactionAborted,
                         base::Text(QT_TRANSLATE_NOOP("core", "the server discarded the transaction"))});
}

/// Throws an error that states the remaining effect. A failing command inside EXEC does not undo the other one.
[[noreturn]] void throwPartialWrite(const Reply &hset, const Reply &pexpire, base::Lease lifetime)
{
    const Error error = resp::serverError(hset.isError() ? hset : pexpire);
    if (!hset.isError())
        throw Failure(error.during(
            base::Text(QT_TRANSLATE_NOOP("core", "the fields were written and are left without a lifetime"))));
    if (pexpire.isInteger(1))
        throw Failure(error.during(base::Text(
            QT_TRANSLATE_NOOP("core", "nothing was written, but what the key holds has been given a lifetime of %1"),
            base::formatDuration(lifetime.duration()))));
    throw Failure(error);
}

WriteOutcome outcomeOf(const Transaction &transaction, base::Lease lifetime)
{
    if (!transaction.exec || transaction.exec->elements().size() != 2)
        throwTransactionError(transaction);
    const Reply &hset = transaction.exec->elements().front();
    const Reply &pexpire = transaction.exec->elements().back();
    if (hset.isError() || pexpire.isError())
        throwPartialWrite(hset, pexpire, lifetime);
    return pexpire.isInteger(1) ? WriteOutcome::Written : WriteOutcome::Gone;
}

} // namespace

Recipe HashMultiCache::recipe()
{
    Recipe entry;
    entry.id = QStringLiteral("hash-multi");
    entry.title = base::Text(QT_TRANSLATE_NOOP("core", "Hash with its lifetime, as a transaction"));
    entry.summary = base::Text(QT_TRANSLATE_NOOP(
        "core", "MULTI, HSET, PEXPIRE, EXEC: all or nothing, even if a client dies between the commands."));
    entry.flaw = base::Text(QT_TRANSLATE_NOOP("core", "EXEC does not stop at a command of the wrong type: PEXPIRE then "
                                                      "changes the lifetime of another client's key."));
    entry.promises = {Promise::NoImmortalData, Promise::NoImmortalKey, Promise::NoTornRead};
    entry.holdsFields = true;
    entry.commands = QStringLiteral("MULTI HSET PEXPIRE EXEC HGETALL PTTL").split(u' ');
    entry.make = [](const CacheOptions &options) -> std::unique_ptr<Cache> {
        return std::make_unique<HashMultiCache>(options.key, *options.lifetime);
    };
    return entry;
}

HashMultiCache::HashMultiCache(base::Key key, base::Lease lifetime)
    : m_key(std::move(key))
    , m_lifetime(lifetime)
{}

Exchange<WriteOutcome> HashMultiCache::write(Content content) &
{
    if (fieldsIn(content).empty())
        co_return WriteOutcome::Nothing;
    Batch transaction;
    transaction.add(multi());
    transaction.add(hsetOf(m_key, content.fields()));
    transaction.add(pexpire(m_key, m_lifetime));
    transaction.add(exec());
    const Answers answers = co_await std::move(transaction);
    co_return outcomeOf({answers.at(0), answers.at(1), answers.at(2), answers.at(3)}, m_lifetime);
}

Exchange<Found> HashMultiCache::read() &
{
    const Reply reply = co_await hgetall(m_key);
    co_return foundFields(reply);
}

} // namespace latchkey::caches
