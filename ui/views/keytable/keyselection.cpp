#include "ui/views/keytable/keyselection.h"

#include "ui/views/keytable/keytablemodel.h"

#include <QItemSelectionModel>

#include <algorithm>

namespace latchkey::ui::keytable {

KeySelection::KeySelection(const QItemSelectionModel &selection, const KeyTableModel &model)
    : m_selection(selection)
    , m_model(model)
{}

/// Calls `takes` for the selected rows from top to bottom, until it returns false.
void KeySelection::forRows(const std::function<bool(int row)> &takes) const
{
    QItemSelection ranges = m_selection.selection();
    std::ranges::sort(ranges,
                      [](const QItemSelectionRange &x, const QItemSelectionRange &y) { return x.top() < y.top(); });
    for (const QItemSelectionRange &range : ranges) {
        for (int row = range.top(); row <= range.bottom(); ++row) {
            if (!takes(row))
                return;
        }
    }
}

std::vector<keys::KeyId> KeySelection::keys(std::size_t maximum) const
{
    std::vector<keys::KeyId> ids;
    if (maximum == 0)
        return ids;
    forRows([&](int row) {
        // The rows of a key and its fields are adjacent.
        if (const auto id = m_model.idAt(row); id && (ids.empty() || ids.back() != *id))
            ids.push_back(*id);
        return ids.size() < maximum;
    });
    return ids;
}

QByteArrayList KeySelection::names(std::size_t maximum) const
{
    QByteArrayList names;
    forRows([&](int row) {
        const rows::GroupedRows::Item item = m_model.grouped().itemAt(row);
        if (item.field && !item.field->isRest)
            names += item.field->name;
        else if (item.id && !item.field)
            names += m_model.rows().known().table.key(*item.id).toByteArray();
        return static_cast<std::size_t>(names.size()) < maximum;
    });
    return names;
}

int KeySelection::count() const
{
    int count = 0;
    for (const QItemSelectionRange &range : m_selection.selection())
        count += range.height();
    const rows::GroupedRows &grouped = m_model.grouped();
    if (const auto &groups = grouped.groups()) {
        for (const rows::RowGroups::Group &group : groups->groups())
            count -= m_selection.isRowSelected(grouped.rowOf({std::nullopt, group.prefix, std::nullopt})) ? 1 : 0;
    }
    // Rows of fields count only once per key, and only if the row of the key is not selected.
    for (const rows::ExpandedKeys::Open &open : grouped.expanded().all()) {
        int fields = 0;
        for (int row = open.row + 1; open.isShown() && row <= open.row + open.fieldCount(); ++row)
            fields += m_selection.isRowSelected(row) ? 1 : 0;
        count -= fields > 0 && !m_selection.isRowSelected(open.row) ? fields - 1 : fields;
    }
    return count;
}

} // namespace latchkey::ui::keytable
