#pragma once

#include "core/keys/keytable.h"

#include <QHash>

namespace latchkey::rows {

/// By what the rows are sorted.
enum class SortColumn : quint8 { Key, Type, Value, TimeLeft };

/// A column and a direction.
struct SortOrder
{
    SortColumn column = SortColumn::TimeLeft;
    bool isDescending = false;

    friend bool operator==(const SortOrder &, const SortOrder &) = default;
};

/// What sorting needs to know of a key at hand: a number whose order is the order of the rows wherever it can tell them
/// apart. It fits beside the id, so that sorting a million rows seldom has to look at a key.
using Rank = quint64;

using ValuePreviews = QHash<keys::KeyId, keys::ValuePreview>;

/// Compares rows under one order. Keys break ties, so no two rows are equal.
/// Looks at a table and previews that it does not own.
class RowComparer final
{
public:
    RowComparer(const keys::KeyTable &table, const ValuePreviews &values, SortOrder order);

    [[nodiscard]] const SortOrder &order() const { return m_order; }
    [[nodiscard]] Rank rank(keys::KeyId id) const;
    [[nodiscard]] bool isLess(Rank rankA, keys::KeyId a, Rank rankB, keys::KeyId b) const
    {
        return rankA != rankB ? rankA < rankB : isLessInTie(a, b);
    }

private:
    [[nodiscard]] Rank ascendingRank(keys::KeyId id) const;
    [[nodiscard]] bool isLessInTie(keys::KeyId a, keys::KeyId b) const;

    const keys::KeyTable *m_table; // Not owned.
    const ValuePreviews *m_values; // Not owned.
    SortOrder m_order;
};

} // namespace latchkey::rows
