#include "core/keyspace/guardeddelete.h"

#include "core/keyspace/valuepreviews.h"

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

constexpr PreviewSize snapshotSize {64 * 1024, 4};

/// A value that takes up more of the server's memory is not read whole.
constexpr qint64 mostBytes = 16LL * 1024 * 1024;

bool isAllOf(const keys::ValuePreview &preview)
{
    return preview.isText && preview.size <= preview.text.size();
}

/// A digest of the whole value in the server's own form, whatever its type; empty where it is too large, or where the
/// server is too old for the question or does not allow it.
Exchange<QByteArray> digestOf(Key key)
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
    co_return QCryptographicHash::hash(dump->bytes(), QCryptographicHash::Sha256);
}

} // namespace

bool KeySnapshot::isWhole() const
{
    return !digest.isEmpty() || (type == KeyType::String && isAllOf(value));
}

bool KeySnapshot::agreesWith(const KeySnapshot &other) const
{
    // Two clocks that run at slightly different speeds move an end by less than this in a day of looking.
    constexpr auto slack = 20ms;
    const Deadline widened(deadline.at(), deadline.uncertainty() + slack);
    return key == other.key && type == other.type && value == other.value && digest == other.digest
        && (deadline.isNever() ? other.deadline.isNever() : widened.agreesWith(other.deadline));
}

Exchange<KeySnapshot> takeSnapshot(Key key)
{
    KeySnapshot snapshot;
    snapshot.key = key;
    const Reply typeName = co_await resp::type(key);
    snapshot.type = keyTypeFrom(typeName.bytes());
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
    for (const Command &command : previewCommands(key, snapshot.type, snapshotSize))
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
    if (auto value = previewFrom(snapshot.type, replies))
        snapshot.value = std::move(*value);
    if (!snapshot.isWhole())
        snapshot.digest = co_await digestOf(key);
    co_return snapshot;
}

Exchange<DeleteOutcome> deleteIfUnchanged(KeySnapshot snapshot)
{
    const Command watch {QByteArrayLiteral("WATCH"), snapshot.key.bytes()};
    const Command unwatch {QByteArrayLiteral("UNWATCH")};
    const Command multi {QByteArrayLiteral("MULTI")};
    const Command exec {QByteArrayLiteral("EXEC")};

    (void)co_await watch;
    const KeySnapshot found = co_await takeSnapshot(snapshot.key);
    if (!found.agreesWith(snapshot)) {
        (void)co_await unwatch;
        co_return found.exists() ? DeleteOutcome::Changed : DeleteOutcome::Gone;
    }
    const Answers answers = co_await Batch().add(multi).add(resp::del(snapshot.key)).add(exec);
    for (const exchange::Answer &answer : answers) {
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
