#include "core/leases/roworder.h"

#include <algorithm>
#include <ranges>

namespace latchkey::leases {

namespace {

auto lessBy(const RowComparer &comparer)
{
    return [&comparer](const RowOrder::Entry &a, const RowOrder::Entry &b) {
        return comparer.isLess(a.rank(), a.id(), b.rank(), b.id());
    };
}

} // namespace

int RowOrder::placeFor(LeaseId id, const RowComparer &comparer) const
{
    const Entry wanted(comparer.rank(id), id);
    const auto sortedEnd = m_entries.begin() + m_sorted;
    return static_cast<int>(std::lower_bound(m_entries.begin(), sortedEnd, wanted, lessBy(comparer))
                            - m_entries.begin());
}

int RowOrder::find(LeaseId id, const RowComparer &comparer) const
{
    if (const int row = placeFor(id, comparer); row < m_sorted && idAt(row) == id)
        return row;
    const auto found = std::find_if(m_entries.begin() + m_sorted, m_entries.end(),
                                    [id](const Entry &entry) { return entry.id() == id; });
    return found == m_entries.end() ? -1 : static_cast<int>(found - m_entries.begin());
}

void RowOrder::replace(Entries sorted)
{
    m_entries = std::move(sorted);
    m_sorted = size();
}

void RowOrder::clear()
{
    m_entries = {};
    m_sorted = 0;
}

/// Grows by an eighth, not to double: this is a large part of what a key costs.
void RowOrder::makeRoomFor(std::size_t size)
{
    if (size > m_entries.capacity())
        m_entries.reserve(std::max<std::size_t>(size, m_entries.capacity() + m_entries.capacity() / 8));
}

void RowOrder::append(const Entry &entry)
{
    makeRoomFor(m_entries.size() + 1);
    m_entries.push_back(entry);
}

void RowOrder::insert(int before, const Entry &entry)
{
    Q_ASSERT(tailSize() == 0);
    makeRoomFor(m_entries.size() + 1);
    m_entries.insert(m_entries.begin() + before, entry);
    ++m_sorted;
}

void RowOrder::remove(int first, int count)
{
    m_entries.erase(m_entries.begin() + first, m_entries.begin() + first + count);
    m_sorted -= std::clamp(m_sorted - first, 0, count);
}

void RowOrder::moveToTail(std::span<const int> rows, std::span<const Entry> entries)
{
    Q_ASSERT(rows.size() == entries.size());
    if (rows.empty())
        return;
    const int sortedBefore = m_sorted;
    auto nextRow = rows.begin();
    auto write = static_cast<std::size_t>(rows.front());
    for (std::size_t read = write; read < m_entries.size(); ++read) {
        if (nextRow != rows.end() && static_cast<std::size_t>(*nextRow) == read) {
            if (*nextRow < sortedBefore)
                --m_sorted;
            ++nextRow;
            continue;
        }
        m_entries[write++] = m_entries[read];
    }
    std::ranges::copy(entries, m_entries.begin() + static_cast<std::ptrdiff_t>(write));
}

void RowOrder::truncate(int size)
{
    m_entries.resize(static_cast<std::size_t>(size));
    m_sorted = std::min(m_sorted, size);
}

void RowOrder::mergeTail(const RowComparer &comparer, int except)
{
    const auto less = lessBy(comparer);
    const auto middle = m_entries.begin() + m_sorted;
    const auto end = m_entries.end() - except;
    std::sort(middle, end, less);
    // From the back, each of the tail's entries goes to its place and what is larger moves over in one piece.
    const Entries tail(middle, end);
    auto sortedEnd = middle;
    auto write = end;
    for (const Entry &entry : tail | std::views::reverse) {
        const auto place = std::lower_bound(m_entries.begin(), sortedEnd, entry, less);
        write = std::move_backward(place, sortedEnd, write);
        *--write = entry;
        sortedEnd = place;
    }
    m_sorted = size() - except;
}

} // namespace latchkey::leases
