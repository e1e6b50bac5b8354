#include "core/inspect/recognition/shapes.h"
#include "core/inspect/recognition/templates.h"
#include "core/inspect/recognition/text.h"

#include <QJsonDocument>
#include <QJsonObject>

namespace latchkey::recognition {

using keys::KeyType;
using keys::RawValue;

namespace {

/// Reads `<uuid of the JVM's client>:<number of the thread>`, with a dash in the oldest versions.
std::optional<Holder> holderFrom(QByteArrayView field, char separator = ':')
{
    if (field.size() < 38 || field.size() > 56 || !isUuid(field.first(36)) || field[36] != separator
        || !isDigits(field.sliced(37)))
        return std::nullopt;
    Holder holder;
    holder.bytes = field.toByteArray();
    holder.client = field.first(36).toByteArray();
    holder.thread = field.sliced(37).toByteArray();
    return holder;
}

std::optional<qint64> countFrom(QByteArrayView text)
{
    const auto count = wholeNumber(text);
    return count && *count > 0 ? count : std::nullopt;
}

/// Reads the queue of a fair lock, with the times from which a waiter counts as dead.
void readQueue(LockContent &decoded, const KeySample &sample)
{
    const QByteArray tagged = taggedName(sample.key);
    const Companion queue = sample.companions.value("redisson_lock_queue:" + tagged);
    const RawValue timeouts = sample.companions.value("redisson_lock_timeout:" + tagged).value;
    QHash<QByteArray, QByteArray> ends;
    for (qsizetype i = 0; i + 1 < timeouts.parts.size(); i += 2)
        ends[timeouts.parts[i]] = timeouts.parts[i + 1];
    if (queue.value.type == KeyType::List) {
        for (const QByteArray &waiter : queue.value.parts)
            decoded.waiters.push_back({waiter, unixTime(ends.value(waiter))});
        decoded.isPartial = decoded.isPartial || queue.value.elementsRead() < queue.value.size;
    }
}

/// Reads a hash with one field, whose value is the hold count of its thread. More fields mean more holders than the
/// lock admits.
std::optional<LockContent> hold(const ShapeInput &reading)
{
    const RawValue &value = reading.value();
    LockContent decoded;
    for (qsizetype i = 0; i + 1 < value.parts.size(); i += 2) {
        auto holder = holderFrom(value.parts[i]);
        const auto count = countFrom(value.parts[i + 1]);
        if (!holder || !count)
            return std::nullopt;
        holder->count = *count;
        decoded.holders.push_back(std::move(*holder));
    }
    if (decoded.holders.empty())
        return std::nullopt;
    decoded.holderCount = decoded.holdCount();
    decoded.isPartial = value.elementsRead() < value.size;
    decoded.isOverfull = decoded.holders.size() > 1;
    const Companion number = reading.sample.companions.value(redissonFencingCounter(reading.sample.key));
    if (number.exists)
        decoded.fencing = wholeNumber(number.value.bytes());
    readQueue(decoded, reading.sample);
    return decoded;
}

/// Reads a read-write lock: `mode` is read or write. The other fields are readers and a writer; in old versions the
/// field does not distinguish them.
std::optional<LockContent> readWrite(const ShapeInput &reading)
{
    constexpr QByteArrayView suffix(":write");
    const RawValue &value = reading.value();
    const qsizetype modeAt = value.parts.indexOf("mode");
    if (modeAt < 0 || modeAt % 2 != 0 || modeAt + 1 >= value.parts.size())
        return std::nullopt;
    const QByteArray &mode = value.parts[modeAt + 1];
    if (mode != "read" && mode != "write")
        return std::nullopt;
    LockContent decoded;
    decoded.isPartial = value.elementsRead() < value.size;
    for (qsizetype i = 0; i + 1 < value.parts.size(); i += 2) {
        if (i == modeAt)
            continue;
        const bool isWriter = value.parts[i].endsWith(suffix);
        auto holder = holderFrom(isWriter ? value.parts[i].chopped(suffix.size()) : value.parts[i]);
        const auto count = countFrom(value.parts[i + 1]);
        if (!holder || !count)
            return std::nullopt;
        holder->bytes = value.parts[i];
        holder->count = *count;
        const bool isLoneOldWriter = mode == "write" && value.size == 2;
        holder->access = isWriter || isLoneOldWriter ? Holder::Access::Write : Holder::Access::Read;
        decoded.holders.push_back(std::move(*holder));
    }
    decoded.holderCount = decoded.holdCount();
    return decoded.holders.empty() ? std::nullopt : std::optional(decoded);
}

/// Reads `<hash of a name>` = holder, with `…:expire_time` and `…:lock_count` beside it.
std::optional<LockContent> multi(const ShapeInput &reading)
{
    const RawValue &value = reading.value();
    QHash<QByteArray, QByteArray> fields;
    for (qsizetype i = 0; i + 1 < value.parts.size(); i += 2)
        fields[value.parts[i]] = value.parts[i + 1];
    LockContent decoded;
    decoded.isPartial = value.elementsRead() < value.size;
    for (auto it = fields.cbegin(); it != fields.cend(); ++it) {
        auto holder = holderFrom(it.value());
        if (!holder)
            continue;
        const QByteArray about = it.key() + ':' + it.value() + ':';
        if (!fields.contains(about + "expire_time") && !fields.contains(about + "lock_count"))
            continue;
        holder->until = unixTime(fields.value(about + "expire_time"));
        holder->count = countFrom(fields.value(about + "lock_count")).value_or(1);
        decoded.holders.push_back(std::move(*holder));
    }
    std::ranges::sort(decoded.holders, {}, &Holder::bytes);
    decoded.holderCount = decoded.holdCount();
    return decoded.holders.empty() ? std::nullopt : std::optional(decoded);
}

/// Reads the form of version 2.1: `{"o":"<uuid>-<thread>","c":2}`.
std::optional<LockContent> json(const ShapeInput &reading)
{
    if (reading.text.bytes.size() > 128 || !reading.text.bytes.startsWith('{'))
        return std::nullopt;
    const QJsonObject object = QJsonDocument::fromJson(reading.text.bytes).object();
    auto holder = holderFrom(object.value(QLatin1String("o")).toString().toLatin1(), '-');
    const qint64 count = object.value(QLatin1String("c")).toInteger();
    if (!holder || object.size() != 2 || count <= 0)
        return std::nullopt;
    holder->count = count;
    LockContent decoded;
    decoded.holders.push_back(std::move(*holder));
    decoded.holderCount = count;
    return decoded;
}

/// Reads permits by their ID of 16 bytes, with their ends. The key of the semaphore has the number of free permits.
std::optional<LockContent> permits(const ShapeInput &reading)
{
    const RawValue &value = reading.value();
    const QByteArrayView key = reading.sample.key;
    constexpr QByteArrayView suffix(":timeout");
    if (!key.endsWith(suffix))
        return std::nullopt;
    LockContent decoded;
    for (qsizetype i = 0; i + 1 < value.parts.size(); i += 2) {
        if (value.parts[i].size() != 16)
            return std::nullopt;
        Holder holder;
        holder.bytes = value.parts[i];
        holder.until = unixTime(value.parts[i + 1]); // Absent for permits without an end.
        decoded.holders.push_back(std::move(holder));
    }
    decoded.holderCount = value.size;
    decoded.isPartial = value.elementsRead() < value.size;
    QByteArrayView name = key.chopped(suffix.size());
    if (name.startsWith('{') && name.endsWith('}'))
        name = name.sliced(1).chopped(1);
    const Companion counter = reading.sample.companions.value(name.toByteArray());
    if (counter.exists)
        decoded.free = wholeNumber(counter.value.bytes());
    return decoded.holders.empty() ? std::nullopt : std::optional(decoded);
}

} // namespace

std::vector<Shape> redissonShapes()
{
    return {
        {"redisson-hold", KeyType::Hash, &hold},
        {"redisson-read-write", KeyType::Hash, &readWrite},
        {"redisson-multi", KeyType::Hash, &multi},
        {"redisson-json", KeyType::String, &json},
        {"redisson-permits", KeyType::SortedSet, &permits},
    };
}

} // namespace latchkey::recognition
