#include "core/keyspace/guardeddelete.h"

#include "core/exchange/script.h"
#include "core/keyspace/rawvalues.h"

#include <QCryptographicHash>

namespace latchkey::keyspace {

using base::Deadline;
using base::Key;
using exchange::Answers;
using exchange::Batch;
using exchange::Exchange;
using exchange::Instant;
using exchange::now;
using keys::KeyType;
using resp::Command;
using resp::Reply;
using std::chrono::milliseconds;
using namespace std::chrono_literals;

namespace {

constexpr ReadSize snapshotSize {64 * 1024, 16};

/// Two clocks that run at slightly different speeds move an end by less than this in a day of looking.
constexpr auto slack = 20ms;

/// A value that takes up more of the server's memory is not read whole.
constexpr qint64 mostBytes = 16LL * 1024 * 1024;

/// What DUMP says: the whole value in the server's own form, whatever its type; empty where it is too large, or where
/// the server is too old for the question or does not allow it.
Exchange<QByteArray> dumpOf(Key key)
{
    const Command howLarge {QByteArrayLiteral("MEMORY"), QByteArrayLiteral("USAGE"), key.bytes()};
    const Answers sized = co_await Batch().add(howLarge);
    const exchange::Answer &size = sized.front();
    if (!size || !size->isInteger() || size->toInteger() > mostBytes)
        co_return QByteArray();
    const Command asDump {QByteArrayLiteral("DUMP"), key.bytes()};
    const Answers dumped = co_await Batch().add(asDump);
    const exchange::Answer &dump = dumped.front();
    if (!dump && dump.error().kind != base::ErrorKind::PermissionDenied)
        throw base::Failure(dump.error());
    if (!dump || !dump->isBulk())
        co_return QByteArray();
    co_return dump->bytes();
}

/// What the key may have left when the script runs, soon after now.
std::pair<qint64, qint64> leftWithin(const Deadline &deadline, base::MonotonicTime now)
{
    const auto left = deadline.remaining(now);
    if (!left)
        return {-1, -1};
    // The script runs later than now, by a round trip that nobody has measured yet.
    constexpr auto longestWay = 10s;
    const auto around = deadline.uncertainty() + slack;
    return {std::max<qint64>(0, std::chrono::floor<milliseconds>(*left - around - longestWay).count()),
            std::max<qint64>(0, std::chrono::ceil<milliseconds>(*left + around).count())};
}

/// By a script, for a server that is out of memory. outOfMemory: what it said, where this is no way either.
Exchange<DeleteOutcome> deleteByScript(KeySnapshot snapshot, base::Error outOfMemory)
{
    static const exchange::Script script(QStringLiteral("delete-if-same"));
    const QByteArray dump = co_await dumpOf(snapshot.key);
    if (dump.isEmpty())
        throw base::Failure(std::move(outOfMemory));
    const Instant instant = co_await now();
    const auto [least, most] = leftWithin(snapshot.deadline, instant.monotonic);
    const QByteArray sha1 = QCryptographicHash::hash(dump, QCryptographicHash::Sha1).toHex();
    const Reply reply = co_await evaluate(script.on(snapshot.key).with(sha1).with(least).with(most));
    if (reply.isInteger(1))
        co_return DeleteOutcome::Deleted;
    co_return reply.isInteger(0) ? DeleteOutcome::Changed : DeleteOutcome::Gone;
}

/// What a look brought, or why there was none.
Exchange<base::Result<KeySnapshot>> tryToTakeSnapshot(Key key)
{
    try {
        KeySnapshot snapshot = co_await takeSnapshot(key);
        co_return snapshot;
    } catch (const base::Failure &failure) {
        co_return tl::unexpected(failure.error());
    }
}

} // namespace

bool KeySnapshot::isWhole() const
{
    return !digest.isEmpty() || value.isWholeString();
}

bool KeySnapshot::agreesWith(const KeySnapshot &other) const
{
    const Deadline widened(deadline.at(), deadline.uncertainty() + slack);
    return key == other.key && type == other.type && value == other.value && digest == other.digest
        && (deadline.isNever() ? other.deadline.isNever() : widened.agreesWith(other.deadline));
}

Exchange<KeySnapshot> takeSnapshot(Key key)
{
    KeySnapshot snapshot;
    snapshot.key = key;
    const Reply typeName = co_await resp::type(key);
    snapshot.type = keys::keyTypeFrom(typeName.bytes());
    if (!snapshot.exists())
        co_return snapshot;

    const Instant before = co_await now();
    const Reply left = co_await resp::pttl(key);
    const Instant after = co_await now();
    if (!left.isInteger() || left.toInteger() < -1) {
        snapshot.type = KeyType::Unknown;
        co_return snapshot;
    }
    if (left.toInteger() >= 0)
        snapshot.deadline = Deadline::measured(milliseconds(left.toInteger()), before.monotonic, after.monotonic);

    Batch reading;
    for (const Command &command : valueCommands(key, snapshot.type, snapshotSize))
        reading.add(command);
    if (reading.requests().empty())
        co_return snapshot;
    const Answers answers = co_await std::move(reading);
    resp::Replies replies;
    for (const exchange::Answer &answer : answers) {
        if (!answer)
            throw base::Failure(answer.error());
        replies.push_back(*answer);
    }
    if (auto value = valueFrom(snapshot.type, replies, snapshotSize))
        snapshot.value = std::move(*value);
    if (!snapshot.isWhole()) {
        const QByteArray dump = co_await dumpOf(key);
        if (!dump.isEmpty())
            snapshot.digest = QCryptographicHash::hash(dump, QCryptographicHash::Sha256);
    }
    co_return snapshot;
}

Exchange<DeleteOutcome> deleteIfUnchanged(KeySnapshot snapshot)
{
    const Command watch {QByteArrayLiteral("WATCH"), snapshot.key.bytes()};
    const Command unwatch {QByteArrayLiteral("UNWATCH")};
    const Command multi {QByteArrayLiteral("MULTI")};
    const Command exec {QByteArrayLiteral("EXEC")};

    (void)co_await watch;
    const base::Result<KeySnapshot> found = co_await tryToTakeSnapshot(snapshot.key);
    if (!found || !found->agreesWith(snapshot)) {
        // Else the next transaction on this connection would answer for this key.
        (void)co_await unwatch;
        if (!found)
            throw base::Failure(found.error());
        co_return found->exists() ? DeleteOutcome::Changed : DeleteOutcome::Gone;
    }
    const Answers answers = co_await Batch().add(multi).add(resp::del(snapshot.key)).add(exec);
    for (const exchange::Answer &answer : answers) {
        if (!answer && answer.error().kind == base::ErrorKind::OutOfMemory) {
            // EXEC has been refused with it, and the WATCH has gone with EXEC.
            const DeleteOutcome outcome = co_await deleteByScript(*found, answer.error());
            co_return outcome;
        }
        if (!answer)
            throw base::Failure(answer.error());
    }
    const Reply &executed = *answers.back();
    if (executed.isNil())
        co_return DeleteOutcome::Changed; // Somebody was faster.
    const bool deleted = executed.isArray() && !executed.elements().empty() && executed.elements().front().isInteger(1);
    co_return deleted ? DeleteOutcome::Deleted : DeleteOutcome::Gone;
}

} // namespace latchkey::keyspace
