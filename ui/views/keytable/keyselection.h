#pragma once

#include "core/keyspace/keys/keytable.h"

#include <QByteArrayList>

#include <functional>
#include <vector>

class QItemSelectionModel;

namespace latchkey::ui::keytable {

class KeyTableModel;

/// The selected rows of a table of keys, as keys. A row of a field counts as its key, and the row of a group as none.
///
/// It works on ranges, because a million rows may be selected. Made for each query. Selection and model are not owned.
class KeySelection final
{
public:
    KeySelection(const QItemSelectionModel &selection, const KeyTableModel &model);

    /// Returns the keys of the selected rows, from top to bottom, at most `maximum`.
    [[nodiscard]] std::vector<keys::KeyId> keys(std::size_t maximum) const;
    /// Returns the names of the selected rows, from top to bottom: keys, and fields for rows of fields.
    [[nodiscard]] QByteArrayList names(std::size_t maximum) const;
    [[nodiscard]] int count() const;

private:
    void forRows(const std::function<bool(int row)> &takes) const;

    const QItemSelectionModel &m_selection;
    const KeyTableModel &m_model;
};

} // namespace latchkey::ui::keytable
