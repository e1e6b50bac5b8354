#pragma once

#include "core/leases/keyarena.h"
#include "core/leases/lease.h"

#include <QHash>

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace latchkey::leases {

/// Keys and what is known of each, found by key or by number: the store's memory, made for millions.
///
/// A key costs a record of 32 bytes, its own bytes in the arena, and a place in an index that is split into many small
/// tables, so that no insertion ever waits for a large one to grow. There is room for 134 million.
/// Owned by the LeaseStore. It knows no rows and no order, and announces nothing.
class LeaseTable final
{
public:
    /// epoch: about now. Times at which keys were sampled are kept as hundredths of a second since then, for 497 days.
    explicit LeaseTable(base::MonotonicTime epoch);

    [[nodiscard]] qsizetype size() const { return m_size; }
    [[nodiscard]] std::optional<LeaseId> find(QByteArrayView wanted) const;
    /// Asks the processor for the part of the index where the key is or will be.
    void prefetch(QByteArrayView key) const;
    /// key: not in the table yet.
    LeaseId insert(QByteArrayView key) { return findOrInsert(key).first; }
    /// The key's id, and whether it is new.
    std::pair<LeaseId, bool> findOrInsert(QByteArrayView key);
    void erase(LeaseId id);
    void clear();

    // Of ids that are in the table:
    [[nodiscard]] QByteArrayView key(LeaseId id) const;
    [[nodiscard]] base::Deadline deadline(LeaseId id) const;
    void setDeadline(LeaseId id, const base::Deadline &deadline);
    [[nodiscard]] KeyType type(LeaseId id) const { return record(id).type; }
    void setType(LeaseId id, KeyType type) { record(id).type = type; }
    [[nodiscard]] LeaseState state(LeaseId id) const { return record(id).state; }
    void setState(LeaseId id, LeaseState state) { record(id).state = state; }
    [[nodiscard]] base::MonotonicTime sampled(LeaseId id) const;
    void setSampled(LeaseId id, base::MonotonicTime time);
    [[nodiscard]] std::chrono::milliseconds span(LeaseId id) const
    {
        return std::chrono::milliseconds(record(id).spanMilliseconds);
    }
    void setSpan(LeaseId id, std::chrono::milliseconds span);
    /// A mark of the user's, for finding what a scan did not meet.
    [[nodiscard]] quint8 mark(LeaseId id) const { return record(id).mark; }
    void setMark(LeaseId id, quint8 mark) { record(id).mark = mark & markMask; }
    static constexpr quint8 markMask = 3;

    /// In the table, but not shown to anybody yet: another mark of the user's.
    [[nodiscard]] bool isPending(LeaseId id) const { return record(id).pending; }
    void setPending(LeaseId id, bool pending) { record(id).pending = pending; }

    [[nodiscard]] Lease lease(LeaseId id) const;

    /// Every id below this may be in use: for walking the table a part at a time.
    [[nodiscard]] quint32 idLimit() const { return m_idLimit; }
    [[nodiscard]] bool isUsed(LeaseId id) const { return record(id).used; }

    /// What the table has allocated, keys included.
    [[nodiscard]] std::size_t bytesAllocated() const;

private:
    struct Record
    {
        qint64 deadline = 0; ///< Nanoseconds on the monotonic clock; of a free record, the next free one.
        KeyArena::Slot key = 0;
        quint32 hash = 0;
        quint32 uncertaintyMicroseconds = 0;
        quint32 sampledCentiseconds = 0;
        quint32 spanMilliseconds = 0;
        quint16 keyLength = 0; ///< 0xFFFF: the key is too long for the arena and stands in m_longKeys.
        KeyType type = KeyType::Unknown;
        LeaseState state : 2 = LeaseState::Live;
        quint8 mark : 2 = 0;
        bool used : 1 = false;
        bool pending : 1 = false;
    };
    static_assert(sizeof(Record) == 32);

    static constexpr quint32 recordsPerBlock = 4096;
    static constexpr std::size_t shardCount = 256;
    static constexpr quint16 longKey = 0xFFFF;
    static constexpr quint32 noId = 0xFFFFFFFF;
    using Block = std::array<Record, recordsPerBlock>;

    /// A place in the index: 0 where it is empty, else an id plus one, with the five highest bits of the key's hash
    /// above it. These tell nearly all keys apart that meet in the index, without a look at their records, which are
    /// far away in memory.
    using Place = quint32;
    static constexpr int idBits = 27;
    static constexpr Place idMask = (Place(1) << idBits) - 1;
    [[nodiscard]] static Place placeFor(LeaseId id, quint32 hash) { return (hash & ~idMask) | (id.value + 1); }
    [[nodiscard]] static LeaseId idIn(Place place) { return LeaseId {(place & idMask) - 1}; }

    /// Open addressing with linear probing.
    struct Shard
    {
        std::vector<Place> places;
        quint32 used = 0;
    };

    [[nodiscard]] Record &record(LeaseId id)
    {
        return (*m_blocks[id.value / recordsPerBlock])[id.value % recordsPerBlock];
    }
    [[nodiscard]] const Record &record(LeaseId id) const
    {
        return (*m_blocks[id.value / recordsPerBlock])[id.value % recordsPerBlock];
    }
    [[nodiscard]] static quint32 hashOf(QByteArrayView key);
    [[nodiscard]] std::optional<LeaseId> find(QByteArrayView wanted, quint32 hash) const;
    [[nodiscard]] Shard &shardOf(quint32 hash) { return m_shards[hash % shardCount]; }
    [[nodiscard]] const Shard &shardOf(quint32 hash) const { return m_shards[hash % shardCount]; }
    [[nodiscard]] static std::size_t homeOf(quint32 hash, const Shard &shard)
    {
        return (hash / shardCount) & (shard.places.size() - 1);
    }
    [[nodiscard]] LeaseId takeRecord();
    void grow(Shard &shard) const;
    void addToIndex(LeaseId id);
    void removeFromIndex(LeaseId id);

    const base::MonotonicTime m_epoch;
    KeyArena m_arena;
    QHash<quint32, QByteArray> m_longKeys; ///< By id.
    std::vector<std::unique_ptr<Block>> m_blocks;
    std::array<Shard, shardCount> m_shards;
    quint32 m_idLimit = 0;
    quint32 m_firstFree = noId;
    qsizetype m_size = 0;
};

} // namespace latchkey::leases
