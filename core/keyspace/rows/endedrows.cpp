#include "core/keyspace/rows/endedrows.h"

#include <algorithm>

namespace latchkey::rows {

using keys::EndedKey;
using keys::EndSource;
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
        std::erase_if(m_endedRows, [&](const EndedKey &ended) { return ended.key == key; });
        EndedKey ended {key.toByteArray(), table.state(id), table.deadline(id), {}, table.sampled(id)};
        if (const auto lastSeen = m_rows.store().unseenEndSince(id)) {
            ended.lastSeen = *lastSeen;
            ended.source = EndSource::Unseen;
        } else if (wasFlushed(ended)) {
            ended.source = EndSource::Flushed;
        } else if (m_rows.store().isEndInferred(id)) {
            ended.source = EndSource::Inferred;
        }
        m_endedRows.push_front(std::move(ended));
    }
    if (m_endedRows.size() > maxRows)
        m_endedRows.resize(maxRows);
}

void EndedRows::flushed(base::MonotonicTime received, base::MonotonicTime seen)
{
    m_flush = {received, seen};
    for (EndedKey &ended : m_endedRows)
        ended.source = wasFlushed(ended) ? EndSource::Flushed : ended.source;
}

bool EndedRows::wasFlushed(const EndedKey &ended) const
{
    // The time of the row is rounded down.
    return m_flush && ended.state == KeyState::Removed && ended.source != EndSource::Unseen
        && ended.goneAt + keys::KeyTable::sampledResolution > m_flush->received && ended.goneAt <= m_flush->seen;
}

std::vector<EndedKey> EndedRows::since(base::MonotonicTime time) const
{
    std::vector<EndedKey> found;
    for (const EndedKey &ended : m_endedRows) {
        const auto id = m_rows.known().table.find(ended.key);
        const bool isBack = id && m_rows.known().table.state(*id) == KeyState::Live;
        if (ended.goneAt >= time && !isBack)
            found.push_back(ended);
    }
    return found;
}

} // namespace latchkey::rows
