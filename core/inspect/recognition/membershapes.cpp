#include "core/inspect/recognition/shapes.h"
#include "core/inspect/recognition/text.h"

#include <algorithm>

namespace latchkey::recognition {

using base::WallTime;
using keys::KeyType;
using keys::RawValue;
using namespace std::chrono_literals;

namespace {

/// Reads a holder from each element. Absent if one element is no holder. `read`: function (first part, second part,
/// now) → Holder.
template<typename Read>
std::optional<LockContent> fromMembers(const ShapeInput &reading, Read read)
{
    const RawValue &value = reading.value();
    const int width = value.partsPerElement();
    LockContent decoded;
    for (qsizetype i = 0; i + width <= value.parts.size(); i += width) {
        std::optional<Holder> holder = read(value.parts[i], value.parts[i + width - 1]);
        if (!holder)
            return std::nullopt;
        decoded.holders.push_back(std::move(*holder));
    }
    decoded.holderCount = value.size;
    decoded.isPartial = value.elementsRead() < value.size;
    return decoded.holders.empty() ? std::nullopt : std::optional(std::move(decoded));
}

Holder named(const QByteArray &bytes)
{
    Holder holder;
    holder.bytes = bytes;
    return holder;
}

std::optional<LockContent> elements(const ShapeInput &reading)
{
    return fromMembers(
        reading, [](const QByteArray &element, const QByteArray &) -> std::optional<Holder> { return named(element); });
}

/// Returns a score as the start or end of a hold: a time near the current time.
std::optional<WallTime> recent(const QByteArray &score, WallTime now)
{
    const auto time = unixTime(score);
    return time && *time > now - 24h && *time < now + 24h * 30 ? time : std::nullopt;
}

std::optional<LockContent> timedMembers(const ShapeInput &reading)
{
    const WallTime now = reading.sample.now;
    return fromMembers(reading, [now](const QByteArray &member, const QByteArray &score) -> std::optional<Holder> {
        const auto time = recent(score, now);
        if (!time)
            return std::nullopt;
        Holder holder = named(member);
        (*time > now ? holder.until : holder.since) = time;
        return holder;
    });
}

std::optional<LockContent> timedFields(const ShapeInput &reading)
{
    return fromMembers(reading, [](const QByteArray &field, const QByteArray &value) -> std::optional<Holder> {
        const auto time = unixTime(value);
        if (!time)
            return std::nullopt;
        Holder holder = named(field);
        holder.since = time;
        return holder;
    });
}

/// Reads holders of 32 bytes in base64, with their ends; a single one with `__write__` is exclusive.
std::optional<LockContent> symfony(const ShapeInput &reading)
{
    constexpr QByteArrayView lastDigits("AEIMQUYcgkosw048");
    constexpr QByteArrayView exclusive("__write__");
    const RawValue &value = reading.value();
    const bool isExclusive = value.parts.contains(exclusive.toByteArray());
    auto decoded =
        fromMembers(reading, [&](const QByteArray &member, const QByteArray &score) -> std::optional<Holder> {
            Holder holder = named(member);
            holder.access = isExclusive ? Holder::Access::Write : Holder::Access::Read;
            holder.until = unixTime(score);
            if (member == exclusive)
                return holder;
            const bool isBase64 = std::ranges::all_of(member.first(std::min<qsizetype>(43, member.size())), [](char c) {
                return c == '+' || c == '/' || isAlphanumeric({&c, 1});
            });
            if (member.size() != 44 || !member.endsWith('=') || !isBase64 || !lastDigits.contains(member[42]))
                return std::nullopt;
            return holder;
        });
    if (!decoded)
        return std::nullopt;
    std::erase_if(decoded->holders, [&](const Holder &holder) { return holder.bytes == exclusive; });
    decoded->holderCount -= isExclusive ? 1 : 0;
    return decoded->holders.empty() ? std::nullopt : decoded;
}

bool isJobId(QByteArrayView text)
{
    return text.size() == 24 && isLowerHex(text);
}

/// Reads job ids with their start times; the waiters are in two lists beside the key.
std::optional<LockContent> sidekiqLocked(const ShapeInput &reading)
{
    auto decoded = fromMembers(reading, [](const QByteArray &job, const QByteArray &time) -> std::optional<Holder> {
        Holder holder = named(job);
        holder.since = unixTime(time);
        return isJobId(job) && holder.since ? std::optional(holder) : std::nullopt;
    });
    if (!decoded)
        return std::nullopt;
    constexpr QByteArrayView suffix(":LOCKED");
    if (!reading.sample.key.endsWith(suffix))
        return decoded;
    const QByteArray base = reading.sample.key.chopped(suffix.size());
    for (const char *list : {":PRIMED", ":QUEUED"}) {
        const RawValue waiting = reading.sample.companions.value(base + list).value;
        for (const QByteArray &job : waiting.type == KeyType::List ? waiting.parts : QByteArrayList()) {
            const bool isHolding =
                std::ranges::any_of(decoded->holders, [&](const Holder &holder) { return holder.bytes == job; });
            if (isJobId(job) && !isHolding) // "1" is only a signal and no job.
                decoded->waiters.push_back({job, {}});
        }
    }
    return decoded;
}

std::optional<LockContent> sidekiqLocked9(const ShapeInput &reading)
{
    return fromMembers(reading, [](const QByteArray &job, const QByteArray &about) -> std::optional<Holder> {
        return isJobId(job) && !unixTime(about) ? std::optional(named(job)) : std::nullopt;
    });
}

} // namespace

std::vector<Shape> memberShapes()
{
    return {
        {"elements", KeyType::List, &elements},
        {"timed-members", KeyType::SortedSet, &timedMembers},
        {"timed-fields", KeyType::Hash, &timedFields},
        {"symfony-members", KeyType::SortedSet, &symfony},
        {"sidekiq-locked", KeyType::Hash, &sidekiqLocked},
        {"sidekiq-locked-9", KeyType::Hash, &sidekiqLocked9},
    };
}

} // namespace latchkey::recognition
