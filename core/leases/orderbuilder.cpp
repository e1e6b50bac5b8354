#include "core/leases/orderbuilder.h"

#include <algorithm>

namespace latchkey::leases {

namespace {

// Small enough that one portion takes well under a millisecond even where every comparison has to look at keys.
constexpr std::size_t runLength = 1024;
constexpr std::size_t mergePortion = 4096;
constexpr quint32 collectPortion = 4096;

} // namespace

OrderBuilder::OrderBuilder(const LeaseTable &table, const RowComparer &comparer, LeaseFilter filter)
    : m_table(table)
    , m_comparer(comparer)
    , m_filter(std::move(filter))
    , m_keepsTheSet(false)
{}

OrderBuilder::OrderBuilder(const LeaseTable &table, const RowComparer &comparer, const RowOrder &rows)
    : m_table(table)
    , m_comparer(comparer)
    , m_keepsTheSet(true)
    , m_phase(Phase::SortRuns)
    , m_entries(rows.entries())
    , m_sortedUpTo(static_cast<std::size_t>(rows.sortedSize()))
{
    if (m_sortedUpTo > 0)
        m_ends.push_back(m_sortedUpTo);
}

bool OrderBuilder::step(QDeadlineTimer deadline)
{
    while (m_phase != Phase::Done) {
        switch (m_phase) {
        case Phase::Collect:
            collect();
            break;
        case Phase::SortRuns:
            sortRun();
            break;
        case Phase::Merge:
            mergeSome();
            break;
        case Phase::Done:
            break;
        }
        if (deadline.hasExpired())
            break;
    }
    return m_phase == Phase::Done;
}

void OrderBuilder::collect()
{
    const quint32 end = std::min(m_table.idLimit(), m_nextId + collectPortion);
    for (; m_nextId < end; ++m_nextId) {
        const LeaseId id {m_nextId};
        if (m_table.isUsed(id) && !m_table.isPending(id) && m_filter.matches(m_table, id))
            m_entries.emplace_back(m_comparer.rank(id), id);
    }
    if (m_nextId == m_table.idLimit())
        m_phase = Phase::SortRuns;
}

void OrderBuilder::sortRun()
{
    if (m_sortedUpTo < m_entries.size()) {
        const std::size_t end = std::min(m_entries.size(), m_sortedUpTo + runLength);
        const auto begin = m_entries.begin();
        std::sort(begin + static_cast<std::ptrdiff_t>(m_sortedUpTo), begin + static_cast<std::ptrdiff_t>(end),
                  [this](const RowOrder::Entry &a, const RowOrder::Entry &b) {
                      return m_comparer.isLess(a.rank(), a.id(), b.rank(), b.id());
                  });
        m_ends.push_back(end);
        m_sortedUpTo = end;
    }
    if (m_sortedUpTo == m_entries.size())
        beginPass();
}

void OrderBuilder::beginPass()
{
    if (m_ends.size() <= 1) {
        m_phase = Phase::Done;
        return;
    }
    m_phase = Phase::Merge;
    // A long first run, which was sorted to begin with, is left alone until the others have become one: merging it
    // with a short neighbour in every pass would copy it every time.
    const bool sparesFirst = m_ends.size() > 2 && m_ends.front() > m_entries.size() / 2;
    m_run = sparesFirst ? 1 : 0;
    m_base = sparesFirst ? m_ends.front() : 0;
    m_left = m_base;
    m_right = m_ends[m_run];
    m_newEnds.assign(m_ends.begin(), m_ends.begin() + static_cast<std::ptrdiff_t>(m_run));
    m_merged.clear();
    m_merged.reserve(m_entries.size() - m_base);
}

void OrderBuilder::mergeSome()
{
    const std::size_t leftEnd = m_ends[m_run];
    const std::size_t rightEnd = m_run + 1 < m_ends.size() ? m_ends[m_run + 1] : leftEnd;
    for (std::size_t portion = mergePortion; portion > 0 && (m_left < leftEnd || m_right < rightEnd); --portion) {
        const bool takesRight = m_left == leftEnd
                             || (m_right < rightEnd
                                 && m_comparer.isLess(m_entries[m_right].rank(), m_entries[m_right].id(),
                                                      m_entries[m_left].rank(), m_entries[m_left].id()));
        m_merged.push_back(m_entries[takesRight ? m_right++ : m_left++]);
    }
    if (m_left < leftEnd || m_right < rightEnd)
        return;

    m_newEnds.push_back(rightEnd);
    m_run += 2;
    if (m_run < m_ends.size()) {
        m_left = rightEnd;
        m_right = m_ends[m_run];
        return;
    }
    if (m_base == 0)
        std::swap(m_entries, m_merged);
    else
        std::ranges::copy(m_merged, m_entries.begin() + static_cast<std::ptrdiff_t>(m_base));
    std::swap(m_ends, m_newEnds);
    beginPass();
}

} // namespace latchkey::leases
