#include "core/keyspace/rows/endedrows.h"

#include <algorithm>

namespace latchkey::rows {

using keys::KeyState;

namespace {

/// Maximum number of examined rows, because a million rows may be removed together.
constexpr int maxExamined = 500;

} // namespace

EndedRows::EndedRows(const RowList &rows, QObject *parent)
    : QObject(parent)
    , m_rows(rows)
{
    connect(&rows, &RowList::rowsAboutToBeRemoved, this, &EndedRows::recordRemoved);
}

void EndedRows::recordRemoved(int first, int last)
{
    const keys::KeyTable &table = m_rows.known().table;
    for (int row = std::max(first, last - maxExamined + 1); row <= last; ++row) {
        const keys::KeyId id = m_rows.idAt(row);
        if (table.state(id) == KeyState::Live || m_rows.store().isHidden(id))
            continue;
        const QByteArrayView key = table.key(id);
        std::erase_if(m_endedRows, [&](const EndedRow &ended) { return ended.key == key; });
        m_endedRows.push_front({key.toByteArray(), table.state(id), table.sampled(id), m_rows.store().isEndInferred(id),
                                false, m_rows.store().unseenEndSince(id)});
        m_endedRows.front().isFlushed = wasFlushed(m_endedRows.front());
    }
    if (m_endedRows.size() > maxRows)
        m_endedRows.resize(maxRows);
}

void EndedRows::flushed(base::MonotonicTime received, base::MonotonicTime seen)
{
    m_flush = {received, seen};
    for (EndedRow &ended : m_endedRows)
        ended.isFlushed = ended.isFlushed || wasFlushed(ended);
}

bool EndedRows::wasFlushed(const EndedRow &ended) const
{
    // The time of the row is rounded down.
    return m_flush && ended.state == KeyState::Removed
        && ended.since + keys::KeyTable::sampledResolution > m_flush->received && ended.since <= m_flush->seen;
}

std::vector<EndedRow> EndedRows::since(base::MonotonicTime time) const
{
    std::vector<EndedRow> found;
    for (const EndedRow &ended : m_endedRows) {
        const auto id = m_rows.known().table.find(ended.key);
        const bool isBack = id && m_rows.known().table.state(*id) == KeyState::Live;
        if (ended.since >= time && !isBack)
            found.push_back(ended);
    }
    return found;
}

} // namespace latchkey::rows
