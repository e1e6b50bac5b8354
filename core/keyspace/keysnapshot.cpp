#include "core/keyspace/keysnapshot.h"

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

namespace {

constexpr ReadSize snapshotSize {64 * 1024, 16};

/// A value that takes up more of the server's memory is not read whole.
constexpr qint64 mostBytes = 16LL * 1024 * 1024;

/// What was said of the value; absent where it changes its type meanwhile.
std::optional<keys::RawValue> valueOf(KeyType type, const Answers &answers)
{
    resp::Replies replies;
    for (const exchange::Answer &answer : answers) {
        if (!answer)
            throw base::Failure(answer.error());
        replies.push_back(*answer);
    }
    return valueFrom(type, replies, snapshotSize);
}

} // namespace

bool KeySnapshot::isWhole() const
{
    return !digest.isEmpty() || value.isWholeString();
}

bool KeySnapshot::agreesWith(const KeySnapshot &other) const
{
    if (key != other.key || type != other.type || value != other.value || digest != other.digest)
        return false;
    if (endsAt && other.endsAt)
        return *endsAt == *other.endsAt;
    const Deadline widened(deadline.at(), deadline.uncertainty() + clockSlack);
    return deadline.isNever() ? other.deadline.isNever() : widened.agreesWith(other.deadline);
}

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

Exchange<KeySnapshot> takeSnapshot(Key key)
{
    KeySnapshot snapshot;
    snapshot.key = key;
    const Reply typeName = co_await resp::type(key);
    snapshot.type = keys::keyTypeFrom(typeName.bytes());
    if (!snapshot.exists())
        co_return snapshot;

    const Command whenByItsClock {QByteArrayLiteral("PEXPIRETIME"), key.bytes()};
    const Instant before = co_await now();
    const Answers ends = co_await Batch().add(resp::pttl(key)).add(whenByItsClock);
    const Instant after = co_await now();
    const exchange::Answer &left = ends.front();
    if (!left)
        throw base::Failure(left.error());
    if (!left->isInteger() || left->toInteger() < -1) {
        snapshot.type = KeyType::Unknown;
        co_return snapshot;
    }
    if (left->toInteger() >= 0) {
        snapshot.deadline = Deadline::measured(milliseconds(left->toInteger()), before.monotonic, after.monotonic);
        const exchange::Answer &end = ends.back(); // An error from a server before Redis 7.
        if (end && end->isInteger() && end->toInteger() > 0)
            snapshot.endsAt = base::WallTime(milliseconds(end->toInteger()));
    }

    Batch reading;
    for (const Command &command : valueCommands(key, snapshot.type, snapshotSize))
        reading.add(command);
    if (reading.requests().empty())
        co_return snapshot;
    const Answers answers = co_await std::move(reading);
    if (auto value = valueOf(snapshot.type, answers))
        snapshot.value = std::move(*value);
    const QByteArray dump = co_await dumpOf(key);
    if (!snapshot.value.isWholeString() && !dump.isEmpty())
        snapshot.digest = QCryptographicHash::hash(dump, QCryptographicHash::Sha256);
    if (dump.size() <= KeySnapshot::mostKept)
        snapshot.dump = dump;
    co_return snapshot;
}

} // namespace latchkey::keyspace
