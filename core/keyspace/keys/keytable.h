#pragma once

#include "core/keyspace/keys/key.h"
#include "core/keyspace/keys/keyarena.h"

#include <QHash>

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace latchkey::keys {

/// A table of keys and their known data, found by key or by ID. The table holds the data of the store, for up to
/// millions of keys.
///
/// A key costs a record of 32 bytes, its own bytes in the arena, and an entry in an index. The index is split into many
/// small tables, so that no insertion waits for a large one to grow. The capacity is 134 million keys. A part of
/// KnownKeys. It knows no rows and no order, and emits no signals.
class KeyTable final
{
public:
    /// Resolution of sampled().
    static constexpr std::chrono::milliseconds sampledResolution {10};

    /// `epoch`: the present. Sampling times are stored as hundredths of a second since an hour before it, for up to 497
    /// days.
    explicit KeyTable(base::MonotonicTime epoch);

    [[nodiscard]] qsizetype size() const { return m_size; }
    [[nodiscard]] std::optional<KeyId> find(QByteArrayView wanted) const;
    /// Prefetches the part of the index that belongs to the key.
    void prefetch(QByteArrayView key) const;
    /// Inserts a key that is not in the table yet.
    KeyId insert(QByteArrayView key) { return findOrInsert(key).first; }
    /// Returns the key's ID, and whether it is new.
    std::pair<KeyId, bool> findOrInsert(QByteArrayView key);
    void erase(KeyId id);
    void clear();

    // Only for IDs that are in the table:
    [[nodiscard]] QByteArrayView key(KeyId id) const;
    [[nodiscard]] base::Deadline deadline(KeyId id) const;
    void setDeadline(KeyId id, const base::Deadline &deadline);
    [[nodiscard]] KeyType type(KeyId id) const { return record(id).type; }
    void setType(KeyId id, KeyType type) { record(id).type = type; }
    [[nodiscard]] KeyState state(KeyId id) const { return record(id).state; }
    void setState(KeyId id, KeyState state) { record(id).state = state; }
    [[nodiscard]] base::MonotonicTime sampled(KeyId id) const;
    void setSampled(KeyId id, base::MonotonicTime time);
    [[nodiscard]] std::chrono::milliseconds span(KeyId id) const
    {
        return std::chrono::milliseconds(record(id).spanMilliseconds);
    }
    void setSpan(KeyId id, std::chrono::milliseconds span);
    /// Returns whether the span is about the full TTL, and not only the part of it that was left at the first
    /// observation.
    [[nodiscard]] bool isStartSeen(KeyId id) const { return record(id).startSeen; }
    void setStartSeen(KeyId id, bool isWhole) { record(id).startSeen = isWhole; }

    /// Returns whether the key is in the table but not shown yet. The mark is for the user of the table.
    [[nodiscard]] bool isPending(KeyId id) const { return record(id).pending; }
    void setPending(KeyId id, bool pending) { record(id).pending = pending; }

    [[nodiscard]] KeyRecord at(KeyId id) const;

    /// Returns an exclusive upper bound of the used IDs, to iterate over the table in parts.
    [[nodiscard]] quint32 idLimit() const { return m_idLimit; }
    [[nodiscard]] bool isUsed(KeyId id) const { return record(id).used; }

    /// Returns the bytes that the table has allocated, including the keys.
    [[nodiscard]] std::size_t bytesAllocated() const;

private:
    struct Record
    {
        qint64 deadline = 0; ///< Nanoseconds on the monotonic clock; in a free record, the next free one.
        KeyArena::Slot key = 0;
        quint32 hash = 0;
        quint32 uncertaintyMicroseconds = 0;
        quint32 sampledCentiseconds = 0;
        quint32 spanMilliseconds = 0;
        quint16 keyLength = 0; ///< 0xFFFF: too long for the arena, kept in m_longKeys.
        KeyType type = KeyType::Unknown;
        KeyState state : 2 = KeyState::Live;
        bool used : 1 = false;
        bool pending : 1 = false;
        bool startSeen : 1 = false;
    };
    static_assert(sizeof(Record) == 32);

    static constexpr quint32 recordsPerBlock = 4096;
    static constexpr std::size_t shardCount = 256;
    static constexpr quint16 longKey = 0xFFFF;
    static constexpr quint32 noId = 0xFFFFFFFF;
    using Block = std::array<Record, recordsPerBlock>;

    /// An entry of the index; 0 if empty. Otherwise the low bits are an ID plus one, and the bits above are the five
    /// highest bits of the key's hash. The hash bits distinguish nearly all keys that collide in the index without
    /// reading their records, which are far away in memory.
    using IndexEntry = quint32;
    static constexpr int idBits = 27;
    static constexpr IndexEntry idMask = (IndexEntry(1) << idBits) - 1;
    [[nodiscard]] static IndexEntry entryFor(KeyId id, quint32 hash) { return (hash & ~idMask) | (id.value + 1); }
    [[nodiscard]] static KeyId idIn(IndexEntry entry) { return KeyId {(entry & idMask) - 1}; }

    /// A hash table with open addressing and linear probing.
    struct Shard
    {
        std::vector<IndexEntry> entries;
        quint32 used = 0;
    };

    [[nodiscard]] Record &record(KeyId id)
    {
        return (*m_blocks[id.value / recordsPerBlock])[id.value % recordsPerBlock];
    }
    [[nodiscard]] const Record &record(KeyId id) const
    {
        return (*m_blocks[id.value / recordsPerBlock])[id.value % recordsPerBlock];
    }
    [[nodiscard]] static quint32 hashOf(QByteArrayView key);
    [[nodiscard]] std::optional<KeyId> find(QByteArrayView wanted, quint32 hash) const;
    [[nodiscard]] Shard &shardOf(quint32 hash) { return m_shards[hash % shardCount]; }
    [[nodiscard]] const Shard &shardOf(quint32 hash) const { return m_shards[hash % shardCount]; }
    [[nodiscard]] static std::size_t homeOf(quint32 hash, const Shard &shard)
    {
        return (hash / shardCount) & (shard.entries.size() - 1);
    }
    [[nodiscard]] KeyId takeRecord();
    void grow(Shard &shard) const;
    void addToIndex(KeyId id);
    void removeFromIndex(KeyId id);

    const base::MonotonicTime m_epoch;
    KeyArena m_arena;
    QHash<quint32, QByteArray> m_longKeys; ///< Keys by ID.
    std::vector<std::unique_ptr<Block>> m_blocks;
    std::array<Shard, shardCount> m_shards;
    quint32 m_idLimit = 0;
    quint32 m_firstFree = noId;
    qsizetype m_size = 0;
};

} // namespace latchkey::keys
