#include "core/inspect/recognition/shapes.h"
#include "core/inspect/recognition/text.h"

#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace latchkey::recognition {

using keys::KeyType;
using keys::RawValue;

namespace {

constexpr qsizetype maxOwnerLength = 256;

LockContent heldBy(Holder holder)
{
    LockContent decoded;
    decoded.holders.push_back(std::move(holder));
    decoded.holderCount = 1;
    return decoded;
}

bool isHost(QByteArrayView text)
{
    return !text.isEmpty() && text.size() <= 253 && isAlphanumeric(text.first(1))
        && std::ranges::all_of(text, [](char c) { return c == '.' || c == '-' || isAlphanumeric({&c, 1}); });
}

/// Reads a process ID. Linux permits up to 4194304.
std::optional<qint64> pidFrom(QByteArrayView text)
{
    const auto number = text.size() <= 7 ? wholeNumber(text) : std::nullopt;
    return number && *number > 0 ? number : std::nullopt;
}

/// Reads `worker-7@hostA`, or `4711@hostA` (the name of a JVM).
std::optional<Holder> atHost(QByteArrayView text)
{
    const qsizetype at = text.lastIndexOf('@');
    if (at <= 0 || !isHost(text.sliced(at + 1)))
        return std::nullopt;
    Holder holder;
    holder.host = text.sliced(at + 1).toByteArray();
    holder.pid = pidFrom(text.first(at));
    if (!holder.pid)
        holder.client = text.first(at).toByteArray();
    return holder;
}

/// Reads `hostA:4711`, `hostA:4711:12`, `hostA/4711`, `hostA#4711-5f3c`: a host, a process, and anything after them.
std::optional<Holder> hostAndPid(QByteArrayView text)
{
    constexpr QByteArrayView separators(":/#|_ ");
    const auto found = std::ranges::find_if(text, [&](char c) { return separators.contains(c); });
    const qsizetype at = found - text.begin();
    if (at == text.size() || !isHost(text.first(at)) || isDigits(text.first(at)))
        return std::nullopt;
    qsizetype end = at + 1;
    while (end < text.size() && isDigits(text.sliced(end, 1)))
        ++end;
    const auto pid = pidFrom(text.sliced(at + 1, end - at - 1));
    if (!pid || (end < text.size() && !QByteArrayView(":/#|_-. ").contains(text[end])))
        return std::nullopt;
    Holder holder;
    holder.host = text.first(at).toByteArray();
    holder.pid = pid;
    if (end + 1 < text.size())
        holder.thread = text.sliced(end + 1).toByteArray();
    return holder;
}

/// Reads `hostA:0b5c…` with a UUID or another long token.
std::optional<Holder> hostAndToken(QByteArrayView text)
{
    const qsizetype colon = text.indexOf(':');
    if (colon <= 0 || !isHost(text.first(colon)))
        return std::nullopt;
    const QByteArrayView token = text.sliced(colon + 1);
    if (!isUuid(token) && (token.size() < 12 || !isLowerHex(token)))
        return std::nullopt;
    Holder holder;
    holder.host = text.first(colon).toByteArray();
    holder.client = token.toByteArray();
    return holder;
}

/// Reads `<uuid>:12`: an instance and its thread.
std::optional<Holder> instanceAndThread(QByteArrayView text)
{
    if (text.size() < 38 || !isUuid(text.first(36)) || !QByteArrayView(":-_/").contains(text[36])
        || !isDigits(text.sliced(37)))
        return std::nullopt;
    Holder holder;
    holder.client = text.first(36).toByteArray();
    holder.thread = text.sliced(37).toByteArray();
    return holder;
}

std::optional<LockContent> owner(const ShapeInput &reading)
{
    const QByteArray &text = reading.text.bytes;
    if (text.size() > maxOwnerLength || !isPrintableText(text))
        return std::nullopt;
    std::optional<Holder> holder;
    for (const auto &read : {&instanceAndThread, &atHost, &hostAndPid, &hostAndToken}) {
        holder = read(text);
        if (holder)
            break;
    }
    if (!holder)
        return std::nullopt;
    holder->bytes = text;
    return heldBy(std::move(*holder));
}

/// Reads `worker-7`, `node1.example`, `4711`: a possible owner name without further parts.
std::optional<LockContent> ownerName(const ShapeInput &reading)
{
    const QByteArray &text = reading.text.bytes;
    if (text.size() < 2 || text.size() > 64 || !isHost(text))
        return std::nullopt;
    Holder holder;
    holder.bytes = text;
    if (isDigits(text)) {
        holder.pid = pidFrom(text);
        return holder.pid ? std::optional(heldBy(std::move(holder))) : std::nullopt;
    }
    const bool isMoreThanAWord =
        std::ranges::any_of(text, [](char c) { return (c >= '0' && c <= '9') || c == '.' || c == '-'; })
        && std::ranges::any_of(text.first(1), [](char c) { return c > '9'; });
    return isMoreThanAWord ? std::optional(heldBy(std::move(holder))) : std::nullopt;
}

// -- Owner fields of a JSON object or of a hash --

/// Returns the name in a common form: `lockedBy`, `locked_by` and `LOCKED-BY` are one name.
QByteArray plainName(const QByteArray &name)
{
    QByteArray plain;
    for (const char c : name.toLower()) {
        if (isAlphanumeric({&c, 1}))
            plain += c;
    }
    return plain;
}

using Fields = QHash<QByteArray, QByteArray>;

QByteArray firstOf(const Fields &fields, std::initializer_list<const char *> names)
{
    for (const char *name : names) {
        if (const auto found = fields.constFind(name); found != fields.cend())
            return *found;
    }
    return {};
}

std::optional<base::WallTime> timeFrom(const QByteArray &text)
{
    const auto unix = unixTime(text);
    return unix ? unix : isoTime(text);
}

std::optional<LockContent> ownerFrom(const Fields &fields)
{
    Holder holder;
    holder.bytes = firstOf(fields, {"owner", "holder", "lockedby", "ownerid", "holderid", "worker", "token", "client",
                                    "clientid", "instance", "instanceid", "nodeid", "node"});
    holder.host = firstOf(fields, {"host", "hostname", "machine", "machinename", "server", "ip"});
    holder.pid = pidFrom(firstOf(fields, {"pid", "processid", "process"}));
    holder.thread = firstOf(fields, {"thread", "threadid", "goroutine"});
    if (holder.bytes.isEmpty() && holder.host.isEmpty() && !holder.pid)
        return std::nullopt;
    holder.connection = wholeNumber(firstOf(fields, {"connectionid", "redisclientid", "clientid"}));
    holder.since = timeFrom(
        firstOf(fields, {"acquired", "acquiredat", "lockedat", "since", "created", "createdat", "time", "timestamp"}));
    holder.until = timeFrom(firstOf(fields, {"expires", "expiresat", "expiry", "until", "deadline", "validuntil"}));
    if (const auto count = wholeNumber(firstOf(fields, {"count", "holds", "reentrancy", "level"})); count && *count > 0)
        holder.count = *count;
    const auto fence = wholeNumber(firstOf(fields, {"fence", "fencingtoken", "fencing", "epoch", "generation"}));
    if (holder.bytes.isEmpty())
        holder.bytes = holder.host + (holder.pid ? ':' + QByteArray::number(*holder.pid) : QByteArray());
    LockContent decoded = heldBy(std::move(holder));
    decoded.fencing = fence;
    return decoded;
}

std::optional<LockContent> ownerJson(const ShapeInput &reading)
{
    const QByteArray &text = reading.text.bytes;
    if (text.size() > 4096 || !text.startsWith('{'))
        return std::nullopt;
    const QJsonDocument document = QJsonDocument::fromJson(text);
    if (!document.isObject())
        return std::nullopt;
    Fields fields;
    const QJsonObject object = document.object();
    for (auto it = object.begin(); it != object.end(); ++it) {
        if (it->isString())
            fields[plainName(it.key().toUtf8())] = it->toString().toUtf8();
        else if (it->isDouble())
            fields[plainName(it.key().toUtf8())] = QByteArray::number(it->toInteger());
    }
    return ownerFrom(fields);
}

std::optional<LockContent> ownerFields(const ShapeInput &reading)
{
    constexpr qsizetype maximum = 32; // A value with more fields is treated as data.
    const RawValue &value = reading.value();
    if (value.elementsRead() > maximum || value.elementsRead() < value.size)
        return std::nullopt;
    Fields fields;
    for (qsizetype i = 0; i + 1 < value.parts.size(); i += 2)
        fields[plainName(value.parts[i])] = value.parts[i + 1];
    return ownerFrom(fields);
}

// -- Libraries that need code --

/// Reads `<machine>_<pid>_<32 hexadecimal digits>`.
std::optional<Holder> medallionId(QByteArrayView text)
{
    const qsizetype id = text.lastIndexOf('_');
    const qsizetype pid = id > 0 ? text.first(id).lastIndexOf('_') : -1;
    if (pid <= 0 || text.size() - id != 33 || !isLowerHex(text.sliced(id + 1)))
        return std::nullopt;
    Holder holder;
    holder.bytes = text.toByteArray();
    holder.host = text.first(pid).toByteArray();
    holder.pid = text.sliced(pid + 1, id - pid - 1).size() <= 10 ? wholeNumber(text.sliced(pid + 1, id - pid - 1))
                                                                 : std::nullopt;
    holder.client = text.sliced(id + 1).toByteArray();
    return holder.pid ? std::optional(holder) : std::nullopt;
}

std::optional<LockContent> medallion(const ShapeInput &reading)
{
    constexpr QByteArrayView waiting("_WRITERWAITING");
    const QByteArray &text = reading.text.bytes;
    if (text.size() > maxOwnerLength)
        return std::nullopt;
    const bool isWaiting = text.endsWith(waiting);
    auto holder = medallionId(isWaiting ? text.first(text.size() - waiting.size()) : text);
    if (!holder)
        return std::nullopt;
    holder->access = reading.sample.key.endsWith(".writer") ? Holder::Access::Write : Holder::Access::Exclusive;
    if (!isWaiting)
        return heldBy(std::move(*holder));
    LockContent decoded;
    decoded.waiters.push_back({holder->bytes, {}});
    return decoded;
}

template<KeyType type>
std::optional<LockContent> medallionMembers(const ShapeInput &reading)
{
    const RawValue &value = reading.value();
    LockContent decoded;
    for (qsizetype i = 0; i < value.parts.size(); i += value.partsPerElement()) {
        auto holder = medallionId(value.parts[i]);
        if (!holder)
            return std::nullopt;
        if (type == KeyType::SortedSet)
            holder->until = unixTime(value.parts[i + 1]);
        else
            holder->access = Holder::Access::Read;
        decoded.holders.push_back(std::move(*holder));
    }
    decoded.holderCount = value.size;
    decoded.isPartial = value.elementsRead() < value.size;
    return decoded.holders.empty() ? std::nullopt : std::optional(decoded);
}

/// Reads `<uuid of the worker>:<number>`. The number counts the worker's tokens and is no thread ID. The job's hash
/// counts the attempts, which serve as the fencing number.
std::optional<LockContent> bullmqToken(const ShapeInput &reading)
{
    const QByteArray &text = reading.text.bytes;
    if (text.size() > 60 || !isUuid(text.first(std::min<qsizetype>(36, text.size())), 4))
        return std::nullopt;
    auto holder = instanceAndThread(text);
    if (!holder || text[36] != ':')
        return std::nullopt;
    holder->bytes = text;
    holder->thread.clear();
    LockContent decoded = heldBy(std::move(*holder));
    constexpr QByteArrayView suffix(":lock");
    if (!reading.sample.key.endsWith(suffix))
        return decoded;
    const Companion job = reading.sample.companions.value(reading.sample.key.chopped(suffix.size()));
    for (qsizetype i = 0; i + 1 < job.value.parts.size(); i += 2) {
        if (job.value.parts[i] == "ats")
            decoded.fencing = wholeNumber(job.value.parts[i + 1]);
        else if (job.value.parts[i] == "pb")
            decoded.holders.front().client = job.value.parts[i + 1];
        else if (job.value.parts[i] == "processedOn")
            decoded.holders.front().since = unixTime(job.value.parts[i + 1]);
    }
    return decoded;
}

/// Reads a hash that describes a running process, in JSON under `info`.
std::optional<LockContent> sidekiqProcess(const ShapeInput &reading)
{
    const RawValue &value = reading.value();
    Holder holder;
    holder.bytes = reading.sample.key;
    for (qsizetype i = 0; i + 1 < value.parts.size(); i += 2) {
        if (value.parts[i] != "info")
            continue;
        const QJsonObject info = QJsonDocument::fromJson(value.parts[i + 1]).object();
        holder.host = info.value(QLatin1String("hostname")).toString().toUtf8();
        if (const qint64 pid = info.value(QLatin1String("pid")).toInteger(); pid > 0)
            holder.pid = pid;
    }
    return holder.host.isEmpty() || !holder.pid ? std::nullopt : std::optional(heldBy(std::move(holder)));
}

} // namespace

std::vector<Shape> ownerShapes()
{
    return {
        {"owner", KeyType::String, &owner},
        {"owner-name", KeyType::String, &ownerName},
        {"owner-json", KeyType::String, &ownerJson},
        {"owner-fields", KeyType::Hash, &ownerFields},
        {"medallion", KeyType::String, &medallion},
        {"medallion-readers", KeyType::Set, &medallionMembers<KeyType::Set>},
        {"medallion-permits", KeyType::SortedSet, &medallionMembers<KeyType::SortedSet>},
        {"bullmq-token", KeyType::String, &bullmqToken},
        {"sidekiq-process", KeyType::Hash, &sidekiqProcess},
    };
}

} // namespace latchkey::recognition
