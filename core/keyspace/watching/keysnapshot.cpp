#include "core/keyspace/watching/keysnapshot.h"

#include "core/keyspace/watching/rawvalues.h"

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
using keys::KeyType;
using resp::Command;
using resp::Reply;

namespace {

constexpr ReadSize snapshotSize {64 * 1024, 16};

/// Maximum server memory of a value that is read whole, in bytes.
constexpr qint64 maxBytes = 16LL * 1024 * 1024;

const Reply &granted(const Answer &answer)
{
    if (!answer)
        throw base::Failure(answer.error());
    return *answer;
}

Command howLarge(const Key &key)
{
    return {QByteArrayLiteral("MEMORY"), QByteArrayLiteral("USAGE"), key.bytes()};
}

Command asDump(const Key &key)
{
    return {QByteArrayLiteral("DUMP"), key.bytes()};
}

/// Returns whether the value is read whole, from the reply to MEMORY USAGE.
bool isReadWhole(const Answer &size)
{
    return size && size->isInteger() && size->toInteger() <= maxBytes;
}

QByteArray dumpFrom(const Answer &dump)
{
    if (!dump && dump.error().kind != base::ErrorKind::PermissionDenied)
        throw base::Failure(dump.error());
    return dump && dump->isBulk() ? dump->bytes() : QByteArray();
}

/// Reads the expiry, also by the server's clock, which is an error before Redis 7. Returns false if the key does not
/// exist.
bool readEnds(KeySnapshot &snapshot, const Answer &left, const Answer &end, const Instant &before, const Instant &after)
{
    const qint64 milliseconds = granted(left).isInteger() ? left->toInteger() : -2;
    if (milliseconds < -1)
        return false;
    if (milliseconds >= 0) {
        snapshot.deadline =
            Deadline::measured(std::chrono::milliseconds(milliseconds), before.monotonic, after.monotonic);
        if (end && end->isInteger() && end->toInteger() > 0)
            snapshot.endsAt = base::WallTime(std::chrono::milliseconds(end->toInteger()));
    }
    return true;
}

/// Reads the type and then the value, in two round trips. `first`: commands sent before.
Exchange<KeySnapshot> readSnapshot(Key key, Batch first)
{
    KeySnapshot snapshot;
    snapshot.key = key;
    const std::size_t at = first.requests().size();
    const Command whenByItsClock {QByteArrayLiteral("PEXPIRETIME"), key.bytes()};
    first.add(resp::type(key)).add(resp::pttl(key)).add(whenByItsClock).add(howLarge(key));
    const Instant before = co_await now();
    const Answers answers = co_await std::move(first);
    const Instant after = co_await now();
    for (std::size_t i = 0; i < at; ++i)
        (void)granted(answers[i]);
    snapshot.type = keys::keyTypeFrom(granted(answers[at]).bytes());
    if (!snapshot.exists())
        co_return snapshot;
    if (!readEnds(snapshot, answers[at + 1], answers[at + 2], before, after)) {
        snapshot.type = KeyType::Unknown;
        co_return snapshot;
    }

    const auto wanted = valueCommands(key, snapshot.type, snapshotSize);
    if (wanted.empty())
        co_return snapshot;
    Batch reading;
    for (const Command &command : wanted)
        reading.add(command);
    const bool isWhole = isReadWhole(answers[at + 3]);
    if (isWhole)
        reading.add(asDump(key));
    const Answers read = co_await std::move(reading);
    resp::Replies replies;
    for (std::size_t i = 0; i < wanted.size(); ++i)
        replies.push_back(granted(read[i]));
    if (auto value = valueFrom(snapshot.type, replies, snapshotSize))
        snapshot.value = std::move(*value); // Otherwise the key has another type meanwhile.
    const QByteArray dump = isWhole ? dumpFrom(read.back()) : QByteArray();
    if (!snapshot.value.isWholeString() && !dump.isEmpty())
        snapshot.digest = QCryptographicHash::hash(dump, QCryptographicHash::Sha256);
    if (dump.size() <= KeySnapshot::maxDumpBytes)
        snapshot.dump = dump;
    co_return snapshot;
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
    const Deadline widened(deadline.at(), deadline.uncertainty() + expiryTolerance);
    return deadline.isNever() ? other.deadline.isNever() : widened.agreesWith(other.deadline);
}

Exchange<QByteArray> dumpOf(Key key)
{
    const Answers sized = co_await Batch().add(howLarge(key));
    if (!isReadWhole(sized.front()))
        co_return QByteArray();
    const Answers dumped = co_await Batch().add(asDump(key));
    co_return dumpFrom(dumped.front());
}

Exchange<KeySnapshot> takeSnapshot(Key key)
{
    KeySnapshot snapshot = co_await readSnapshot(key, Batch());
    co_return snapshot;
}

Exchange<KeySnapshot> watchAndTakeSnapshot(Key key)
{
    Batch watching;
    watching.add(resp::watch(key));
    KeySnapshot snapshot = co_await readSnapshot(key, std::move(watching));
    co_return snapshot;
}

} // namespace latchkey::watching
