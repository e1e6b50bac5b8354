#pragma once

#include "core/keyspace/rows/sortorder.h"

#include <span>
#include <vector>

namespace latchkey::rows {

/// The rows: IDs in order, each with its rank.
///
/// New rows are appended to a tail, which is merged into the sorted part from time to time. Single insertions into a
/// large order would take hundreds of times as long. The tail is a separate array, so that a few new rows do not move
/// the sorted rows, which may be a million. Owned by the RowList. It emits no signals; the list does, around each
/// change.
class RowOrder final
{
public:
    /// A row: twelve bytes, aligned to four.
    class Entry
    {
    public:
        Entry() = default;
        Entry(Rank rank, keys::KeyId id)
            : m_high(static_cast<quint32>(rank >> 32))
            , m_low(static_cast<quint32>(rank))
            , m_id(id)
        {}
        [[nodiscard]] Rank rank() const { return (static_cast<Rank>(m_high) << 32) | m_low; }
        [[nodiscard]] keys::KeyId id() const { return m_id; }

    private:
        quint32 m_high = 0;
        quint32 m_low = 0;
        keys::KeyId m_id;
    };
    static_assert(sizeof(Entry) == 12);
    using Entries = std::vector<Entry>;

    [[nodiscard]] int size() const { return sortedSize() + tailSize(); }
    [[nodiscard]] int sortedSize() const { return static_cast<int>(m_sorted.size()); }
    [[nodiscard]] int tailSize() const { return static_cast<int>(m_tail.size()); }
    [[nodiscard]] const Entry &at(int row) const
    {
        const auto index = static_cast<std::size_t>(row);
        return index < m_sorted.size() ? m_sorted[index] : m_tail[index - m_sorted.size()];
    }
    [[nodiscard]] keys::KeyId idAt(int row) const { return at(row).id(); }
    [[nodiscard]] const Entries &sorted() const { return m_sorted; }
    [[nodiscard]] const Entries &tail() const { return m_tail; }

    /// Returns the row of an ID with an unchanged rank; -1 if it is not among the rows.
    [[nodiscard]] int find(keys::KeyId id, const RowComparer &comparer) const;
    /// Returns the row of the sorted part before which an ID belongs.
    [[nodiscard]] int insertionRowFor(keys::KeyId id, const RowComparer &comparer) const;

    void replace(Entries sorted);
    void clear();
    void append(std::span<const Entry> entries);
    /// Inserts an entry into the sorted part. The tail must be empty. `before`: a result of insertionRowFor().
    void insert(int before, const Entry &entry);
    void remove(int first, int count);
    /// Removes these rows (ascending) from their positions and appends the entries to the tail, unsorted.
    void moveToTail(std::span<const int> rows, std::span<const Entry> entries);
    void truncate(int size);
    /// Sorts the tail, except its last `except` entries, and merges it into the sorted part at once.
    void mergeTail(const RowComparer &comparer, int except = 0);

    [[nodiscard]] std::size_t bytesAllocated() const
    {
        return (m_sorted.capacity() + m_tail.capacity()) * sizeof(Entry);
    }

private:
    void makeRoomFor(std::size_t sortedSize);

    Entries m_sorted;
    Entries m_tail;
};

} // namespace latchkey::rows
