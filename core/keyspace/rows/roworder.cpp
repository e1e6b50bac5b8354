#include "core/keyspace/rows/roworder.h"

#include <algorithm>
#include <ranges>

namespace latchkey::rows {

using keys::KeyId;

namespace {

auto lessBy(const RowComparer &comparer)
{
    return [&comparer](const RowOrder::Entry &a, const RowOrder::Entry &b) {
        return comparer.isLess(a.rank(), a.id(), b.rank(), b.id());
    };
}

/// Removes these rows (ascending, numbered from `first`) from the entries.
void take(RowOrder::Entries &entries, std::span<const int> rows, int first)
{
    if (rows.empty())
        return;
    auto nextRow = rows.begin();
    auto write = static_cast<std::size_t>(rows.front() - first);
    for (std::size_t read = write; read < entries.size(); ++read) {
        if (nextRow != rows.end() && static_cast<std::size_t>(*nextRow - first) == read)
            ++nextRow;
        else
            entries[write++] = entries[read];
    }
    entries.resize(write);
}

void remove(RowOrder::Entries &entries, int first, int end)
{
    if (first < end)
        entries.erase(entries.begin() + first, entries.begin() + end);
}

} // namespace

int RowOrder::insertionRowFor(KeyId id, const RowComparer &comparer) const
{
    const Entry wanted(comparer.rank(id), id);
    return static_cast<int>(std::ranges::lower_bound(m_sorted, wanted, lessBy(comparer)) - m_sorted.begin());
}

int RowOrder::find(KeyId id, const RowComparer &comparer) const
{
    if (const int row = insertionRowFor(id, comparer); row < sortedSize() && idAt(row) == id)
        return row;
    const auto found = std::ranges::find(m_tail, id, &Entry::id);
    return found == m_tail.end() ? -1 : sortedSize() + static_cast<int>(found - m_tail.begin());
}

void RowOrder::replace(Entries sorted)
{
    m_sorted = std::move(sorted);
    m_tail = Entries(); // Assigning a new object frees the memory; {} would only clear it.
}

void RowOrder::clear()
{
    replace({});
}

/// Grows the sorted rows by an eighth instead of doubling, because they are a large part of the cost of a key.
void RowOrder::makeRoomFor(std::size_t sortedSize)
{
    if (sortedSize > m_sorted.capacity())
        m_sorted.reserve(std::max<std::size_t>(sortedSize, m_sorted.capacity() + m_sorted.capacity() / 8));
}

void RowOrder::append(std::span<const Entry> entries)
{
    m_tail.insert(m_tail.end(), entries.begin(), entries.end());
}

void RowOrder::insert(int before, const Entry &entry)
{
    Q_ASSERT(tailSize() == 0);
    makeRoomFor(m_sorted.size() + 1);
    m_sorted.insert(m_sorted.begin() + before, entry);
}

void RowOrder::remove(int first, int count)
{
    const int sorted = sortedSize();
    const int end = first + count;
    rows::remove(m_tail, std::max(first - sorted, 0), end - sorted);
    rows::remove(m_sorted, first, std::min(end, sorted));
}

void RowOrder::moveToTail(std::span<const int> rows, std::span<const Entry> entries)
{
    Q_ASSERT(rows.size() == entries.size());
    const int sorted = sortedSize();
    const auto inSorted = static_cast<std::size_t>(std::ranges::lower_bound(rows, sorted) - rows.begin());
    take(m_tail, rows.subspan(inSorted), sorted);
    take(m_sorted, rows.first(inSorted), 0);
    append(entries);
}

void RowOrder::truncate(int size)
{
    remove(size, this->size() - size);
    if (m_tail.empty())
        m_tail = Entries();
}

void RowOrder::mergeTail(const RowComparer &comparer, int except)
{
    const auto less = lessBy(comparer);
    const std::span<Entry> merged(m_tail.begin(), m_tail.end() - except);
    std::ranges::sort(merged, less);
    // Starts at the back: each entry of the tail moves to its place, and all larger sorted entries move as one block.
    const std::ptrdiff_t before = sortedSize();
    makeRoomFor(m_sorted.size() + merged.size());
    m_sorted.resize(m_sorted.size() + merged.size());
    auto sortedEnd = m_sorted.begin() + before;
    auto write = m_sorted.end();
    for (const Entry &entry : merged | std::views::reverse) {
        const auto position = std::lower_bound(m_sorted.begin(), sortedEnd, entry, less);
        write = std::move_backward(position, sortedEnd, write);
        *--write = entry;
        sortedEnd = position;
    }
    if (except == 0)
        m_tail = Entries();
    else
        m_tail.erase(m_tail.begin(), m_tail.end() - except);
}

} // namespace latchkey::rows
