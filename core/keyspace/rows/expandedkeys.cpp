#include "core/keyspace/rows/expandedkeys.h"

#include <algorithm>

namespace latchkey::rows {

using keys::KeyId;
using keys::KnownKeys;
using std::chrono::milliseconds;

namespace {

/// An end that has moved by more than this belongs to a new TTL.
constexpr milliseconds newEnd {500};

milliseconds spanOf(const keys::FieldDeadlines::Field &field, const QList<FieldRow> &before,
                    base::MonotonicTime sampled)
{
    const auto old =
        std::ranges::find_if(before, [&field](const FieldRow &row) { return !row.isRest && row.name == field.name; });
    if (old != before.end() && field.deadline.at() <= old->deadline.at() + newEnd)
        return old->span;
    return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(field.deadline.at() - sampled));
}

} // namespace

QList<FieldRow> ExpandedKeys::rowsOf(const KnownKeys &known, KeyId id, const QList<FieldRow> &before)
{
    const keys::FieldDeadlines *ends = known.fieldEndsOf(id);
    QList<FieldRow> rows;
    if (ends == nullptr)
        return rows;
    rows.reserve(ends->first.size() + 1);
    for (const keys::FieldDeadlines::Field &field : ends->first)
        rows.push_back({field.name, field.deadline, spanOf(field, before, known.table.sampled(id)), false, 0, 0});
    if (ends->moreEnding() > 0 || ends->unreadCount() > 0)
        rows.push_back({{}, base::Deadline::never(), milliseconds(0), true, ends->moreEnding(), ends->unreadCount()});
    return rows;
}

const ExpandedKeys::Open *ExpandedKeys::find(KeyId id) const
{
    const auto found = std::ranges::find(m_open, id, &Open::id);
    return found == m_open.end() ? nullptr : &*found;
}

int ExpandedKeys::fieldCount() const
{
    int count = 0;
    for (const Open &open : m_open)
        count += open.isShown() ? open.fieldCount() : 0;
    return count;
}

int ExpandedKeys::hiddenCount(const KnownKeys &known) const
{
    qsizetype count = 0;
    for (const Open &open : m_open)
        count += open.isShown() ? 0 : rowsOf(known, open.id).size();
    return static_cast<int>(count);
}

void ExpandedKeys::open(const KnownKeys &known, KeyId id)
{
    m_open.push_back({id, known.table.key(id).toByteArray(), {}, -1, -1, -1});
}

void ExpandedKeys::close(KeyId id)
{
    std::erase_if(m_open, [id](const Open &open) { return open.id == id; });
    countRows();
}

void ExpandedKeys::updateRows(const KnownKeys &known, const std::function<int(KeyId)> &listRowOf,
                              const std::function<int(int)> &baseOf)
{
    std::erase_if(m_open, [&](Open &open) {
        const bool isTheSame = open.id.value < known.table.idLimit() && known.table.isUsed(open.id)
                            && known.table.key(open.id) == open.key;
        open.listRow = isTheSame ? listRowOf(open.id) : -1;
        const bool wasShown = open.isShown();
        open.base = open.listRow < 0 ? -1 : baseOf(open.listRow);
        if (!wasShown && open.isShown())
            open.fields = rowsOf(known, open.id, open.fields);
        // A gone key keeps the rows of its fields until its own row is removed: they are announced together.
        return open.listRow < 0 && !(isTheSame && known.isLive(open.id));
    });
    std::ranges::sort(m_open, {}, &Open::base);
    countRows();
}

void ExpandedKeys::countRows()
{
    int fields = 0;
    for (Open &open : m_open) {
        open.row = open.isShown() ? open.base + fields : -1;
        fields += open.isShown() ? open.fieldCount() : 0;
    }
}

int ExpandedKeys::rowOf(int base) const
{
    if (base < 0 || m_open.empty())
        return base;
    const auto behind = std::ranges::lower_bound(m_open, base, {}, &Open::base);
    if (behind == m_open.begin() || !(behind - 1)->isShown())
        return base;
    const Open &open = *(behind - 1);
    return open.row + open.fieldCount() + base - open.base;
}

ExpandedKeys::RowContent ExpandedKeys::at(int row) const
{
    const auto behind = std::ranges::upper_bound(m_open, row, {}, &Open::row);
    if (behind == m_open.begin() || !(behind - 1)->isShown())
        return {row, nullptr, -1};
    const Open &open = *(behind - 1);
    const int below = row - open.row;
    if (below > 0 && below <= open.fieldCount())
        return {open.base, &open, below - 1};
    return {below == 0 ? open.base : open.base + below - open.fieldCount(), nullptr, -1};
}

} // namespace latchkey::rows
