#include "core/keyspace/keys/keytable.h"

#include <functional>
#include <limits>
#include <string_view>

namespace latchkey::keys {

using base::Deadline;
using base::MonotonicTime;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

namespace {

using Centiseconds = std::chrono::duration<qint64, std::centi>;

quint32 saturated(qint64 value)
{
    return static_cast<quint32>(std::clamp<qint64>(value, 0, std::numeric_limits<quint32>::max()));
}

} // namespace

KeyTable::KeyTable(MonotonicTime epoch)
    // Slightly earlier, so that observations just before the construction have a valid time too.
    : m_epoch(epoch - std::chrono::hours(1))
{}

quint32 KeyTable::hashOf(QByteArrayView key)
{
    // Cheaper than qHashBits(), which is SipHash without a seed.
    return static_cast<quint32>(
        std::hash<std::string_view>()(std::string_view(key.data(), static_cast<std::size_t>(key.size()))));
}

std::optional<KeyId> KeyTable::find(QByteArrayView wanted) const
{
    return find(wanted, hashOf(wanted));
}

std::optional<KeyId> KeyTable::find(QByteArrayView wanted, quint32 hash) const
{
    const Shard &shard = shardOf(hash);
    if (shard.entries.empty())
        return std::nullopt;
    const std::size_t mask = shard.entries.size() - 1;
    for (std::size_t at = homeOf(hash, shard); shard.entries[at] != 0; at = (at + 1) & mask) {
        const IndexEntry entry = shard.entries[at];
        if (((entry ^ hash) & ~idMask) != 0)
            continue;
        const KeyId id = idIn(entry);
        if (record(id).hash == hash && key(id) == wanted)
            return id;
    }
    return std::nullopt;
}

void KeyTable::prefetch(QByteArrayView key) const
{
    const quint32 hash = hashOf(key);
    const Shard &shard = shardOf(hash);
    if (!shard.entries.empty())
        __builtin_prefetch(&shard.entries[homeOf(hash, shard)]);
}

KeyId KeyTable::takeRecord()
{
    if (m_firstFree != noId) {
        const KeyId id {m_firstFree};
        m_firstFree = static_cast<quint32>(record(id).deadline);
        return id;
    }
    if (m_idLimit == m_blocks.size() * recordsPerBlock)
        m_blocks.push_back(std::make_unique<Block>());
    return KeyId {m_idLimit++};
}

std::pair<KeyId, bool> KeyTable::findOrInsert(QByteArrayView newKey)
{
    const quint32 hash = hashOf(newKey);
    if (const auto known = find(newKey, hash))
        return {*known, false};
    const KeyId id = takeRecord();
    Record &fresh = record(id);
    fresh = Record();
    fresh.used = true;
    fresh.deadline = Deadline::never().at().time_since_epoch().count();
    fresh.hash = hash;
    if (newKey.size() >= longKey) {
        fresh.keyLength = longKey;
        m_longKeys.insert(id.value, newKey.toByteArray());
    } else {
        fresh.keyLength = static_cast<quint16>(newKey.size());
        fresh.key = m_arena.store(newKey);
    }
    addToIndex(id);
    ++m_size;
    return {id, true};
}

void KeyTable::erase(KeyId id)
{
    removeFromIndex(id);
    Record &old = record(id);
    if (old.keyLength == longKey)
        m_longKeys.remove(id.value);
    else
        m_arena.release(old.key, old.keyLength);
    old = Record();
    old.deadline = m_firstFree;
    m_firstFree = id.value;
    --m_size;
}

void KeyTable::clear()
{
    m_arena = {};
    m_longKeys = {};
    m_blocks.clear();
    m_shards = {};
    m_idLimit = 0;
    m_firstFree = noId;
    m_size = 0;
}

void KeyTable::grow(Shard &shard) const
{
    const auto larger = std::max<std::size_t>(8, shard.entries.size() * 2);
    const std::vector<IndexEntry> old = std::exchange(shard.entries, std::vector<IndexEntry>(larger));
    const std::size_t mask = larger - 1;
    for (const IndexEntry entry : old) {
        if (entry == 0)
            continue;
        std::size_t at = homeOf(record(idIn(entry)).hash, shard);
        while (shard.entries[at] != 0)
            at = (at + 1) & mask;
        shard.entries[at] = entry;
    }
}

void KeyTable::addToIndex(KeyId id)
{
    Q_ASSERT(id.value < idMask);
    const quint32 hash = record(id).hash;
    Shard &shard = shardOf(hash);
    // At most three quarters full.
    if ((shard.used + 1) * 4 > shard.entries.size() * 3)
        grow(shard);
    const std::size_t mask = shard.entries.size() - 1;
    std::size_t at = homeOf(hash, shard);
    while (shard.entries[at] != 0)
        at = (at + 1) & mask;
    shard.entries[at] = entryFor(id, hash);
    ++shard.used;
}

void KeyTable::removeFromIndex(KeyId id)
{
    const quint32 hash = record(id).hash;
    Shard &shard = shardOf(hash);
    const std::size_t mask = shard.entries.size() - 1;
    const IndexEntry wanted = entryFor(id, hash);
    std::size_t hole = homeOf(hash, shard);
    while (shard.entries[hole] != wanted)
        hole = (hole + 1) & mask;
    // Backward-shift deletion: moves the entries up that are behind the hole only because its slot was in use. No
    // deletion markers are needed then.
    for (std::size_t at = (hole + 1) & mask; shard.entries[at] != 0; at = (at + 1) & mask) {
        const std::size_t home = homeOf(record(idIn(shard.entries[at])).hash, shard);
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            shard.entries[hole] = shard.entries[at];
            hole = at;
        }
    }
    shard.entries[hole] = 0;
    --shard.used;
}

QByteArrayView KeyTable::key(KeyId id) const
{
    const Record &r = record(id);
    if (r.keyLength == longKey)
        return *m_longKeys.constFind(id.value);
    return m_arena.view(r.key, r.keyLength);
}

Deadline KeyTable::deadline(KeyId id) const
{
    const Record &r = record(id);
    return {MonotonicTime(nanoseconds(r.deadline)), microseconds(r.uncertaintyMicroseconds)};
}

void KeyTable::setDeadline(KeyId id, const Deadline &deadline)
{
    Record &r = record(id);
    r.deadline = deadline.at().time_since_epoch().count();
    r.uncertaintyMicroseconds = saturated(std::chrono::ceil<microseconds>(deadline.uncertainty()).count());
}

MonotonicTime KeyTable::sampled(KeyId id) const
{
    return m_epoch + Centiseconds(record(id).sampledCentiseconds);
}

void KeyTable::setSampled(KeyId id, MonotonicTime time)
{
    record(id).sampledCentiseconds = saturated(std::chrono::floor<Centiseconds>(time - m_epoch).count());
}

void KeyTable::setSpan(KeyId id, milliseconds span)
{
    record(id).spanMilliseconds = saturated(span.count());
}

KeyRecord KeyTable::at(KeyId id) const
{
    return {
        base::Key(key(id).toByteArray()), type(id), state(id), deadline(id), span(id), sampled(id), isStartSeen(id)};
}

std::size_t KeyTable::bytesAllocated() const
{
    std::size_t bytes = m_arena.bytesAllocated() + m_blocks.size() * sizeof(Block);
    for (const Shard &shard : m_shards)
        bytes += shard.entries.capacity() * sizeof(IndexEntry);
    return bytes;
}

} // namespace latchkey::keys
