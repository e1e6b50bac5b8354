#include "core/keyspace/rows/sortorder.h"

#include <QtEndian>

#include <cstring>

namespace latchkey::rows {

using keys::KeyAnalysis;
using keys::KeyId;
using keys::KnownKeys;
using keys::RawValue;

namespace {

constexpr Rank last = ~Rank(0);

/// Returns the first bytes as a number that sorts like them; shorter texts are padded with zeros.
Rank rankOf(QByteArrayView bytes)
{
    char first[sizeof(Rank)] = {};
    if (!bytes.isEmpty())
        std::memcpy(first, bytes.data(), std::min<std::size_t>(sizeof first, static_cast<std::size_t>(bytes.size())));
    return qFromBigEndian<Rank>(first);
}

int compareBytes(QByteArrayView a, QByteArrayView b)
{
    const qsizetype common = std::min(a.size(), b.size());
    const int order = common == 0 ? 0 : std::memcmp(a.data(), b.data(), static_cast<std::size_t>(common));
    return order != 0 ? order : a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0;
}

/// Returns the part of a value that is compared.
QByteArrayView firstOf(const RawValue &value)
{
    return value.parts.isEmpty() ? QByteArrayView() : QByteArrayView(value.parts.front());
}

Rank rankByValue(const KnownKeys &known, KeyId id)
{
    const RawValue *value = known.value(id);
    return value == nullptr ? last : rankOf(firstOf(*value));
}

int compareValues(const KnownKeys &known, KeyId a, KeyId b)
{
    const RawValue *valueA = known.value(a);
    const RawValue *valueB = known.value(b);
    return valueA != nullptr && valueB != nullptr ? compareBytes(firstOf(*valueA), firstOf(*valueB)) : 0;
}

Rank rankByText(const KeyAnalysis *analysis, QByteArrayView text)
{
    return analysis == nullptr || text.isEmpty() ? last : rankOf(text);
}

Rank rankByKind(const KnownKeys &known, KeyId id)
{
    const KeyAnalysis *analysis = known.analysisOf(id);
    return rankByText(analysis, analysis == nullptr ? QByteArray() : analysis->kind.toUtf8());
}

Rank rankByHolder(const KnownKeys &known, KeyId id)
{
    const KeyAnalysis *analysis = known.analysisOf(id);
    return rankByText(analysis, analysis == nullptr ? QByteArray() : analysis->holder);
}

int compareAnalyses(const KnownKeys &known, KeyId a, KeyId b)
{
    const KeyAnalysis *analysisA = known.analysisOf(a);
    const KeyAnalysis *analysisB = known.analysisOf(b);
    if (analysisA == nullptr || analysisB == nullptr)
        return 0;
    const int kinds = analysisA->kind.compare(analysisB->kind);
    return kinds != 0 ? kinds : compareBytes(analysisA->holder, analysisB->holder);
}

} // namespace

const RankSource byKey {[](const KnownKeys &known, KeyId id) { return rankOf(known.table.key(id)); }, nullptr, true};

const RankSource byType {[](const KnownKeys &known, KeyId id) {
                             // The type, followed by the first seven bytes of the key.
                             return (static_cast<Rank>(known.table.type(id)) << 56)
                                  | (rankOf(known.table.key(id)) >> 8);
                         },
                         nullptr, true};

const RankSource byValue {rankByValue, compareValues, false};

const RankSource byTimeLeft {[](const KnownKeys &known, KeyId id) {
                                 // Monotonic time is not negative.
                                 return static_cast<Rank>(known.table.deadline(id).at().time_since_epoch().count());
                             },
                             nullptr, false};

const RankSource byKind {rankByKind, compareAnalyses, false};

const RankSource byHolder {rankByHolder, compareAnalyses, false};

const RankSource byFindings {
    [](const KnownKeys &known, KeyId id) {
        const KeyAnalysis *analysis = known.analysisOf(id);
        if (analysis == nullptr)
            return last;
        constexpr int countBits = 32; // The severity takes precedence over the number.
        return last - ((static_cast<Rank>(analysis->severity) << countBits) | static_cast<Rank>(analysis->findings));
    },
    nullptr, false};

QByteArrayView groupOf(QByteArrayView key, Grouping grouping)
{
    switch (grouping) {
    case Grouping::None:
        return {};
    case Grouping::FirstColon:
        return key.first(key.indexOf(':') + 1);
    case Grouping::LastColon:
        return key.first(key.lastIndexOf(':') + 1);
    }
    Q_UNREACHABLE();
}

Rank RowComparer::groupRank(KeyId id) const
{
    return rankOf(groupOf(m_known->table.key(id), m_order.grouping));
}

bool RowComparer::isLessInTie(KeyId a, KeyId b) const
{
    if (m_order.isGrouped()) {
        const QByteArrayView groupA = groupOf(m_known->table.key(a), m_order.grouping);
        const QByteArrayView groupB = groupOf(m_known->table.key(b), m_order.grouping);
        if (const int order = compareBytes(groupA, groupB); order != 0)
            return order < 0;
        const Rank rankA = ownRank(a);
        const Rank rankB = ownRank(b);
        if (rankA != rankB)
            return rankA < rankB;
    }
    const RankSource &source = *m_order.source;
    if (source.compare != nullptr) {
        if (const int order = source.compare(*m_known, a, b); order != 0)
            return m_order.isDescending ? order > 0 : order < 0;
    }
    const int order = compareBytes(m_known->table.key(a), m_known->table.key(b));
    return m_order.isDescending && source.reversesTies ? order > 0 : order < 0;
}

} // namespace latchkey::rows
