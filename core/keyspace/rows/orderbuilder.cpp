#include "core/keyspace/rows/orderbuilder.h"

#include <algorithm>

namespace latchkey::rows {

using keys::KeyId;
using keys::KnownKeys;

namespace {

// Small enough that one portion takes well under a millisecond, even if every comparison has to read the keys.
constexpr std::size_t runLength = 1024;
constexpr std::size_t mergePortion = 4096;
constexpr quint32 collectPortion = 4096;

} // namespace

OrderBuilder::OrderBuilder(const KnownKeys &known, const RowComparer &comparer, RowFilter filter)
    : m_known(known)
    , m_comparer(comparer)
    , m_filter(std::move(filter))
{}

OrderBuilder::OrderBuilder(const KnownKeys &known, const RowComparer &comparer, const RowOrder &rows)
    : m_known(known)
    , m_rows(&rows)
    , m_comparer(comparer)
    , m_phase(Phase::SortRuns)
{
    m_entries.reserve(rows.tail().size());
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
    const quint32 end = std::min(m_known.table.idLimit(), m_nextId + collectPortion);
    for (; m_nextId < end; ++m_nextId) {
        const KeyId id {m_nextId};
        if (m_known.table.isUsed(id) && !m_known.table.isPending(id) && m_filter.matches(m_known, id))
            m_entries.emplace_back(m_comparer.rank(id), id);
    }
    if (m_nextId == m_known.table.idLimit())
        m_phase = Phase::SortRuns;
}

void OrderBuilder::sortRun()
{
    const std::size_t size = m_rows == nullptr ? m_entries.size() : m_rows->tail().size();
    if (m_sortedUpTo < size) {
        const std::size_t end = std::min(size, m_sortedUpTo + runLength);
        const auto first = static_cast<std::ptrdiff_t>(m_sortedUpTo);
        if (m_rows != nullptr) {
            const auto tail = m_rows->tail().begin();
            m_entries.insert(m_entries.end(), tail + first, tail + static_cast<std::ptrdiff_t>(end));
        }
        std::sort(m_entries.begin() + first, m_entries.begin() + static_cast<std::ptrdiff_t>(end),
                  [this](const RowOrder::Entry &a, const RowOrder::Entry &b) {
                      return m_comparer.isLess(a.rank(), a.id(), b.rank(), b.id());
                  });
        m_ends.push_back(end);
        m_sortedUpTo = end;
    }
    if (m_sortedUpTo == size)
        beginPass();
}

void OrderBuilder::beginPass()
{
    m_phase = Phase::Merge;
    m_merged.clear();
    m_newEnds.clear();
    if (m_ends.size() > 1) {
        m_merged.reserve(m_entries.size());
        m_run = 0;
        beginPair();
    } else if (m_rows != nullptr && !m_isLastPass) {
        // The sorted rows are many and the tail is short, so the sorted rows are read only once, here.
        m_isLastPass = true;
        m_merged.reserve(m_rows->sorted().size() + m_entries.size());
        m_left = m_rows->sorted();
        m_right = m_entries;
    } else {
        m_phase = Phase::Done;
    }
}

void OrderBuilder::beginPair()
{
    const auto run = [this](std::size_t index) {
        if (index >= m_ends.size())
            return Run();
        const std::size_t begin = index == 0 ? 0 : m_ends[index - 1];
        return Run(m_entries).subspan(begin, m_ends[index] - begin);
    };
    m_left = run(m_run);
    m_right = run(m_run + 1);
    m_run += 2;
}

void OrderBuilder::mergeSome()
{
    for (std::size_t portion = mergePortion; portion > 0 && !(m_left.empty() && m_right.empty()); --portion) {
        const bool takesRight = m_left.empty()
                             || (!m_right.empty()
                                 && m_comparer.isLess(m_right.front().rank(), m_right.front().id(),
                                                      m_left.front().rank(), m_left.front().id()));
        Run &run = takesRight ? m_right : m_left;
        m_merged.push_back(run.front());
        run = run.subspan(1);
    }
    if (!m_left.empty() || !m_right.empty())
        return;

    m_newEnds.push_back(m_merged.size());
    if (!m_isLastPass && m_run < m_ends.size()) {
        beginPair();
        return;
    }
    std::swap(m_entries, m_merged);
    std::swap(m_ends, m_newEnds);
    beginPass();
}

} // namespace latchkey::rows
