#pragma once

#include "core/keys/knownkeys.h"

namespace latchkey::rows {

/// What sorting needs to know of a key at hand: a number whose order is the order of the rows wherever it can tell them
/// apart. It fits beside the id, so that sorting a million rows seldom has to look at a key.
using Rank = quint64;

/// What rows can be sorted by: where their ranks come from. A column of a table brings one; a new column is a new
/// source, and nothing else has to know of it. Constants, told apart by their address.
struct RankSource
{
    Rank (*rank)(const keys::KnownKeys &known, keys::KeyId id) = nullptr;
    /// Tells apart what has the same rank: below, above or equal to zero. Null where the rank says all.
    int (*compare)(const keys::KnownKeys &known, keys::KeyId a, keys::KeyId b) = nullptr;
    /// Keys, which break all ties, go down with the column: they are, or begin, what it is sorted by.
    bool keysGoDownToo = false;
};

extern const RankSource byKey;
extern const RankSource byType;
extern const RankSource byValue; ///< A string's bytes, a collection's first element; what has not been read comes last.
extern const RankSource byTimeLeft;
extern const RankSource byKind;     ///< What has been worked out; none comes last.
extern const RankSource byHolder;   ///< Likewise.
extern const RankSource byFindings; ///< Likewise, most first.

/// Whether keys whose names begin alike stand together, and how far they are alike.
enum class Grouping : quint8 {
    None,
    FirstColon, ///< `lock:` of `lock:order:7`
    LastColon,  ///< `lock:order:` of it
};

/// The part of a name that it shares with its like, up to the colon and with it. Empty for a name without a colon, and
/// where nothing is grouped.
[[nodiscard]] QByteArrayView groupOf(QByteArrayView key, Grouping grouping);

/// A source and a direction.
struct SortOrder
{
    const RankSource *source = &byTimeLeft; // Not owned: a constant.
    bool isDescending = false;
    Grouping grouping = Grouping::None; ///< By groupOf() first, from a to z whatever the direction.

    [[nodiscard]] bool isGrouped() const { return grouping != Grouping::None; }

    friend bool operator==(const SortOrder &, const SortOrder &) = default;
};

/// Compares rows under one order. Keys break ties, so no two rows are equal.
/// Looks at what is known, which it does not own.
class RowComparer final
{
public:
    RowComparer(const keys::KnownKeys &known, SortOrder order)
        : m_known(&known)
        , m_order(order)
    {}

    [[nodiscard]] const SortOrder &order() const { return m_order; }
    [[nodiscard]] Rank rank(keys::KeyId id) const { return m_order.isGrouped() ? groupRank(id) : ownRank(id); }
    [[nodiscard]] bool isLess(Rank rankA, keys::KeyId a, Rank rankB, keys::KeyId b) const
    {
        return rankA != rankB ? rankA < rankB : isLessInTie(a, b);
    }

private:
    [[nodiscard]] Rank ownRank(keys::KeyId id) const
    {
        const Rank rank = m_order.source->rank(*m_known, id);
        return m_order.isDescending ? ~rank : rank;
    }
    [[nodiscard]] Rank groupRank(keys::KeyId id) const;
    [[nodiscard]] bool isLessInTie(keys::KeyId a, keys::KeyId b) const;

    const keys::KnownKeys *m_known; // Not owned.
    SortOrder m_order;
};

} // namespace latchkey::rows
