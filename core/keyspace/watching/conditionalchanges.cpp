#include "core/keyspace/watching/conditionalchanges.h"

#include "core/redis/exchange/script.h"
#include "core/redis/resp/servererror.h"

#include <QCryptographicHash>

namespace latchkey::watching {

using base::Deadline;
using base::Key;
using exchange::Answer;
using exchange::Answers;
using exchange::Batch;
using exchange::Exchange;
using exchange::Instant;
using exchange::now;
using exchange::tentatively;
using resp::Command;
using resp::Reply;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

/// A command on a key, the meaning of its reply 0, and the server's answer.
struct Change
{
    Command command;
    ChangeOutcome refused = ChangeOutcome::Gone;
    NewExpiry::Condition condition = NewExpiry::Condition::Always; ///< Condition on the expiry that the command sets.
    resp::Commands precedingCommands {};                           ///< Commands sent before it.
};

/// Returns whether the change depends on the current expiry: the new one must be later, or earlier.
bool dependsOnEnd(const Change &change, const KeySnapshot &found)
{
    const bool isCompared =
        change.condition == NewExpiry::Condition::IfLater || change.condition == NewExpiry::Condition::IfEarlier;
    return isCompared && !found.deadline.isNever();
}

/// Returns whether the condition is known to fail already. The key is watched, so its expiry stays as found.
bool isRefused(NewExpiry::Condition condition, const KeySnapshot &found)
{
    switch (condition) {
    case NewExpiry::Condition::IfNone:
        return !found.deadline.isNever();
    case NewExpiry::Condition::IfAny:
    case NewExpiry::Condition::IfLater:
        return found.deadline.isNever();
    case NewExpiry::Condition::Always:
    case NewExpiry::Condition::IfEarlier:
        break;
    }
    return false;
}

/// Returns the command to send for a key found in this state.
Command commandFor(const Change &change, const KeySnapshot &found)
{
    if (!dependsOnEnd(change, found))
        return change.command;
    const QByteArray order =
        change.condition == NewExpiry::Condition::IfLater ? QByteArrayLiteral("GT") : QByteArrayLiteral("LT");
    if (found.endsAt) { // Redis 7 or later compares on the server.
        Command command = change.command;
        command << order;
        return command;
    }
    static const exchange::Script script(QStringLiteral("expire-if"));
    const std::vector<QByteArray> &words = change.command.words();
    return script.on(found.key).with(order).with(words.front()).with(words.back()).bySource();
}

ChangeResult nothingDone(ChangeOutcome outcome)
{
    return {outcome, {}};
}

/// The expiry that the script requires: the command that reads it, and the range of its reply.
struct EndRange
{
    QByteArray ask = QByteArrayLiteral("PTTL");
    qint64 minimum = -1;
    qint64 maximum = -1; ///< Both -1: no expiry.
};

/// Returns the range for a script that runs soon after now.
EndRange endRangeOf(const KeySnapshot &snapshot, base::MonotonicTime now)
{
    if (snapshot.endsAt) {
        const qint64 end = snapshot.endsAt->time_since_epoch().count();
        return {QByteArrayLiteral("PEXPIRETIME"), end, end};
    }
    const auto left = snapshot.deadline.remaining(now);
    if (!left)
        return {};
    // The script runs later than now, by a round trip not measured yet.
    constexpr auto longestWay = 10s;
    const auto around = snapshot.deadline.uncertainty() + expiryTolerance;
    return {QByteArrayLiteral("PTTL"),
            std::max<qint64>(0, std::chrono::floor<milliseconds>(*left - around - longestWay).count()),
            std::max<qint64>(0, std::chrono::ceil<milliseconds>(*left + around).count())};
}

/// Creates the result from the reply to the command and the PTTL after it.
ChangeResult resultFrom(const KeySnapshot &before, const Change &change, const std::vector<Reply> &said,
                        const Instant &asked, const Instant &answered)
{
    for (const Reply &reply : said) {
        if (reply.isError())
            throw base::Failure(resp::serverError(reply));
    }
    if (said.size() < 2 || !said[said.size() - 2].isInteger(1))
        return nothingDone(change.refused);
    ChangeResult result {ChangeOutcome::Done, before};
    const qint64 left = said.back().toInteger();
    result.after.endsAt.reset();
    result.after.deadline =
        left < 0 ? Deadline::never() : Deadline::measured(milliseconds(left), asked.monotonic, answered.monotonic);
    if (left < -1) {
        result.after = {};
        result.after.key = before.key;
    }
    return result;
}

/// Returns whether a script can carry out the change: it takes one command, and no EVAL.
bool isForScript(const Change &change, const Command &command)
{
    return change.precedingCommands.empty() && command.name() != "EVAL";
}

/// Compares and changes atomically. `dump`: DUMP of the key when it matched the snapshot.
Exchange<Answer> executeScript(KeySnapshot snapshot, Command command, QByteArray dump)
{
    static const exchange::Script script(QStringLiteral("change-if-unchanged"));
    const Instant asked = co_await now();
    const EndRange range = endRangeOf(snapshot, asked.monotonic);
    const QByteArray sha1 = QCryptographicHash::hash(dump, QCryptographicHash::Sha1).toHex();
    const std::vector<QByteArray> &words = command.words();
    const std::vector<QByteArray> behindKey(words.begin() + 2, words.end());
    Answer answer = co_await exchange::tentatively(script.on(snapshot.key)
                                                       .with(sha1)
                                                       .with(range.ask)
                                                       .with(range.minimum)
                                                       .with(range.maximum)
                                                       .with(words.front())
                                                       .with(behindKey));
    co_return answer;
}

/// Changes the key by script on a server that is out of memory. `outOfMemory`: the server's error, thrown if a script
/// cannot do it.
Exchange<ChangeResult> changeWithoutMemory(KeySnapshot snapshot, Change change, base::Error outOfMemory)
{
    const Command command = commandFor(change, snapshot);
    const QByteArray dump = co_await dumpOf(snapshot.key);
    if (dump.isEmpty() || !isForScript(change, command))
        throw base::Failure(std::move(outOfMemory));
    const Instant asked = co_await now();
    const Answer answer = co_await executeScript(snapshot, command, dump);
    const Instant answered = co_await now();
    if (!answer)
        throw base::Failure(answer.error());
    if (answer->isInteger())
        co_return nothingDone(answer->isInteger(0) ? ChangeOutcome::Changed : ChangeOutcome::Gone);
    co_return resultFrom(snapshot, change, answer->elements(), asked, answered);
}

/// Changes the key in one round trip, if the dump and the expiry by the server's clock are known. Absent if the key
/// is unchanged and WATCH is needed.
Exchange<std::optional<ChangeResult>> tryInOneRoundTrip(KeySnapshot snapshot, Change change)
{
    const bool isExact = snapshot.isRestorable() && (snapshot.endsAt || snapshot.deadline.isNever());
    if (!isExact || isRefused(change.condition, snapshot))
        co_return std::nullopt;
    const Command command = commandFor(change, snapshot);
    if (!isForScript(change, command))
        co_return std::nullopt;
    const Instant asked = co_await now();
    const Answer answer = co_await executeScript(snapshot, command, snapshot.dump);
    const Instant answered = co_await now();
    if (!answer) {
        const base::ErrorKind kind = answer.error().kind;
        if (base::leavesOutcomeUnknown(kind) || kind == base::ErrorKind::Unreachable)
            throw base::Failure(answer.error());
        co_return std::nullopt; // Scripts may be denied; WATCH reports any other refusal.
    }
    // Equal values can have different dumps, such as a set in a larger table.
    if (answer->isInteger(0))
        co_return std::nullopt;
    if (answer->isInteger())
        co_return nothingDone(ChangeOutcome::Gone);
    ChangeResult result = resultFrom(snapshot, change, answer->elements(), asked, answered);
    co_return result;
}

/// Returns the snapshot, or the error of reading it.
Exchange<base::Result<KeySnapshot>> tryToTakeSnapshot(Key key)
{
    try {
        KeySnapshot snapshot = co_await watchAndTakeSnapshot(key);
        co_return snapshot;
    } catch (const base::Failure &failure) {
        co_return tl::unexpected(failure.error());
    }
}

Exchange<ChangeResult> changeIfUnchanged(KeySnapshot snapshot, Change change)
{
    std::optional<ChangeResult> inOneRoundTrip = co_await tryInOneRoundTrip(snapshot, change);
    if (inOneRoundTrip)
        co_return std::move(*inOneRoundTrip);
    const base::Result<KeySnapshot> found = co_await tryToTakeSnapshot(snapshot.key);
    if (!found || !found->agreesWith(snapshot) || isRefused(change.condition, *found)) {
        // Without UNWATCH the next transaction on this connection would depend on this key.
        (void)co_await tentatively(resp::unwatch()); // An error here is ignored; the earlier result counts.
        if (!found)
            throw base::Failure(found.error());
        if (!found->agreesWith(snapshot))
            co_return nothingDone(found->exists() ? ChangeOutcome::Changed : ChangeOutcome::Gone);
        co_return nothingDone(change.refused);
    }
    // Wait for the answer to MULTI: if MULTI is denied, the next command would run outside a transaction.
    const Answer begun = co_await tentatively(resp::multi());
    if (!begun) {
        (void)co_await tentatively(resp::unwatch()); // An error here is ignored; the earlier result counts.
        throw base::Failure(begun.error());
    }
    const Instant asked = co_await now();
    Batch transaction;
    for (const Command &command : change.precedingCommands)
        transaction.add(command);
    transaction.add(commandFor(change, *found)).add(resp::pttl(snapshot.key)).add(resp::exec());
    const Answers answers = co_await std::move(transaction);
    const Instant answered = co_await now();
    for (const Answer &answer : answers) {
        if (!answer && answer.error().kind == base::ErrorKind::OutOfMemory) {
            // EXEC was refused too, and has ended the WATCH.
            ChangeResult result = co_await changeWithoutMemory(*found, change, answer.error());
            co_return result;
        }
        if (!answer)
            throw base::Failure(answer.error());
    }
    if (answers.back()->isNil())
        co_return nothingDone(ChangeOutcome::Changed); // Another client has changed the key.
    co_return resultFrom(*found, change, answers.back()->elements(), asked, answered);
}

/// Reads the server's clock.
Exchange<milliseconds> serverTime()
{
    const Command ask {QByteArrayLiteral("TIME")};
    const Reply reply = co_await ask;
    if (reply.elements().size() != 2)
        throw base::Failure(
            {base::ErrorKind::Protocol, base::Text(QT_TRANSLATE_NOOP("core", "TIME returned no time"))});
    const qint64 seconds = reply.elements().front().bytes().toLongLong();
    const qint64 microseconds = reply.elements().back().bytes().toLongLong();
    co_return milliseconds(seconds * 1000 + microseconds / 1000);
}

Exchange<ChangeResult> putBack(KeySnapshot before)
{
    const Instant instant = co_await now();
    const auto left = before.deadline.remaining(instant.monotonic);
    if (left && *left <= 0ns)
        co_return nothingDone(ChangeOutcome::TooLate);
    Command restore {QByteArrayLiteral("RESTORE"), before.key.bytes()};
    if (before.endsAt)
        restore << before.endsAt->time_since_epoch().count() << before.dump << QByteArrayLiteral("ABSTTL");
    else
        restore << (left ? std::max<qint64>(1, std::chrono::floor<milliseconds>(*left).count()) : 0) << before.dump;
    const Answer answer = co_await tentatively(restore);
    if (answer) {
        ChangeResult result;
        result.outcome = ChangeOutcome::Done;
        result.after = before;
        co_return result;
    }
    const base::Error &error = answer.error();
    if (error.kind == base::ErrorKind::OtherServerError && error.message().contains(QLatin1String("BUSYKEY")))
        co_return nothingDone(ChangeOutcome::Taken);
    throw base::Failure(error);
}

} // namespace

NewExpiry NewExpiry::in(base::Lease left, Condition condition)
{
    return {Kind::In, condition, left.duration()};
}

NewExpiry NewExpiry::at(base::WallTime end, Condition condition)
{
    return {Kind::At, condition, end.time_since_epoch()};
}

NewExpiry NewExpiry::never()
{
    return {};
}

Command NewExpiry::command(const Key &key) const
{
    if (kind == Kind::Never)
        return {QByteArrayLiteral("PERSIST"), key.bytes()};
    Command command {kind == Kind::In ? QByteArrayLiteral("PEXPIRE") : QByteArrayLiteral("PEXPIREAT"), key.bytes()};
    command << time.count();
    return command;
}

Exchange<ChangeResult> deleteIfUnchanged(KeySnapshot snapshot, resp::Commands precedingCommands)
{
    Change change;
    change.command = resp::del(snapshot.key);
    change.precedingCommands = std::move(precedingCommands);
    ChangeResult result = co_await changeIfUnchanged(snapshot, change);
    co_return result;
}

Exchange<ChangeResult> expireIfUnchanged(KeySnapshot snapshot, NewExpiry end)
{
    if (end.kind == NewExpiry::Kind::At) {
        const milliseconds time = co_await serverTime();
        if (end.time <= time)
            co_return nothingDone(ChangeOutcome::TooLate);
    }
    const bool isAlready = end.kind == NewExpiry::Kind::Never && snapshot.deadline.isNever();
    Change change;
    change.command = end.command(snapshot.key);
    change.condition = end.condition;
    if (isAlready || end.condition != NewExpiry::Condition::Always)
        change.refused = ChangeOutcome::NotApplied;
    ChangeResult result = co_await changeIfUnchanged(snapshot, change);
    co_return result;
}

Exchange<ChangeResult> undo(KeySnapshot before, KeySnapshot after)
{
    if (!after.exists()) {
        ChangeResult made = co_await putBack(before);
        co_return made;
    }
    NewExpiry end = NewExpiry::never();
    const Instant instant = co_await now();
    if (const auto left = before.deadline.remaining(instant.monotonic)) {
        const auto lease = base::Lease::of(std::chrono::floor<milliseconds>(*left));
        if (!lease && *left < 1ms)
            co_return nothingDone(ChangeOutcome::TooLate);
        if (!lease && !before.endsAt)
            throw base::Failure(lease.error());
        end = before.endsAt ? NewExpiry::at(*before.endsAt) : NewExpiry::in(*lease);
    }
    ChangeResult result = co_await expireIfUnchanged(after, end);
    co_return result;
}

} // namespace latchkey::watching
