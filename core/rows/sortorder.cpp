#include "core/rows/sortorder.h"

#include <QtEndian>

#include <cstring>

namespace latchkey::rows {

using keys::KeyId;
using keys::KeyTable;

namespace {

/// The first bytes as a number that sorts as they do; shorter texts are filled up with zeros.
Rank rankOf(QByteArrayView bytes)
{
    char first[sizeof(Rank)] = {};
    if (!bytes.isEmpty())
        std::memcpy(first, bytes.data(), std::min<std::size_t>(sizeof first, static_cast<std::size_t>(bytes.size())));
    return qFromBigEndian<Rank>(first);
}

int compare(QByteArrayView a, QByteArrayView b)
{
    const qsizetype common = std::min(a.size(), b.size());
    const int order = common == 0 ? 0 : std::memcmp(a.data(), b.data(), static_cast<std::size_t>(common));
    return order != 0 ? order : a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0;
}

} // namespace

RowComparer::RowComparer(const KeyTable &table, const ValuePreviews &values, SortOrder order)
    : m_table(&table)
    , m_values(&values)
    , m_order(order)
{}

Rank RowComparer::rank(KeyId id) const
{
    const Rank rank = ascendingRank(id);
    return m_order.isDescending ? ~rank : rank;
}

Rank RowComparer::ascendingRank(KeyId id) const
{
    constexpr Rank last = ~Rank(0);
    switch (m_order.column) {
    case SortColumn::Key:
        return rankOf(m_table->key(id));
    case SortColumn::Type:
        // The type in front of the first seven bytes of the key.
        return (static_cast<Rank>(m_table->type(id)) << 56) | (rankOf(m_table->key(id)) >> 8);
    case SortColumn::Value: {
        const auto value = m_values->constFind(id);
        return value == m_values->cend() ? last : rankOf(value->text);
    }
    case SortColumn::TimeLeft:
        // Monotonic time is not negative.
        return static_cast<Rank>(m_table->deadline(id).at().time_since_epoch().count());
    }
    Q_UNREACHABLE();
}

bool RowComparer::isLessInTie(KeyId a, KeyId b) const
{
    if (m_order.column == SortColumn::Value) {
        const auto valueA = m_values->constFind(a);
        const auto valueB = m_values->constFind(b);
        if (valueA != m_values->cend() && valueB != m_values->cend()) {
            if (const int order = compare(valueA->text, valueB->text); order != 0)
                return m_order.isDescending ? order > 0 : order < 0;
        }
    }
    const int order = compare(m_table->key(a), m_table->key(b));
    // Keys go down with the column only where they are, or begin, what is sorted by.
    const bool keysDescend =
        m_order.isDescending && (m_order.column == SortColumn::Key || m_order.column == SortColumn::Type);
    return keysDescend ? order > 0 : order < 0;
}

} // namespace latchkey::rows
