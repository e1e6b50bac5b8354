#pragma once

#include "core/keyspace/keys/knownkeys.h"

namespace latchkey::rows {

/// The sort rank of a row: rows with different ranks are ordered by it, others by RankSource::compare. It fits beside
/// the ID, so that sorting a million rows seldom has to read a key.
using Rank = quint64;

/// A criterion for sorting rows: the source of their ranks. Each column of a table provides one; no other code needs to
/// know it. Constants, compared by address.
struct RankSource
{
    Rank (*rank)(const keys::KnownKeys &known, keys::KeyId id) = nullptr;
    /// Compares two keys of equal rank; the result is below, above or equal to zero. Null if the rank decides
    /// everything.
    int (*compare)(const keys::KnownKeys &known, keys::KeyId a, keys::KeyId b) = nullptr;
    /// True if descending order also reverses the comparison of keys, which breaks ties. True for a source that ranks
    /// by the key or by its beginning.
    bool reversesTies = false;
};

extern const RankSource byKey;
extern const RankSource byType;
extern const RankSource byValue; ///< A string's bytes or a collection's first element; unread values last.
extern const RankSource byTimeLeft;
extern const RankSource byKind;     ///< Kind of lock; keys without one last.
extern const RankSource byHolder;   ///< Holder; keys without one last.
extern const RankSource byFindings; ///< Number of findings, the most first.

/// The grouping of keys by a common prefix, and the length of that prefix.
enum class Grouping : quint8 {
    None,
    FirstColon, ///< `lock:` of `lock:order:7`
    LastColon,  ///< `lock:order:` of `lock:order:7`
};

/// Returns the prefix of a key up to and including the colon. Empty for a key without a colon, and without grouping.
[[nodiscard]] QByteArrayView groupOf(QByteArrayView key, Grouping grouping);

/// An order of rows: a source of ranks, a direction and a grouping.
struct SortOrder
{
    const RankSource *source = &byTimeLeft; // Not owned: a constant.
    bool isDescending = false;
    Grouping grouping = Grouping::None; ///< Groups come first, by groupOf(), always ascending.

    [[nodiscard]] bool isGrouped() const { return grouping != Grouping::None; }

    friend bool operator==(const SortOrder &, const SortOrder &) = default;
};

/// A comparison of rows under one order. Keys break ties, so no two rows are equal. It reads the known keys, which are
/// not owned.
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
