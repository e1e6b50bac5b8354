#pragma once

#include "core/foundation/base/deadline.h"
#include "core/keyspace/keys/knownkeys.h"

#include <QByteArray>
#include <QList>

#include <functional>
#include <optional>
#include <vector>

namespace latchkey::rows {

/// The content of a row below a hash: a field that expires. The last row may be a summary of the fields that are not
/// listed. A value type.
struct FieldRow
{
    QByteArray name;
    base::Deadline deadline = base::Deadline::never();
    std::chrono::milliseconds span {0}; ///< Length of a full bar: the time left when the row appeared.
    bool isRest = false;                ///< Whether this is the summary and not a field.
    qint64 moreEnding = 0;              ///< For the summary: number of fields that end later than the listed ones.
    qint64 unreadCount = 0;             ///< For the summary: number of fields with an unknown end.

    /// Returns whether both rows are for the same field. The end of the field may differ.
    [[nodiscard]] bool isSameField(const FieldRow &other) const { return isRest == other.isRest && name == other.name; }
    friend bool operator==(const FieldRow &, const FieldRow &) = default;
};

/// The opened keys, and the positions of their fields' rows in a table.
///
/// The base rows are the table's rows without the fields: keys, and groups if there are any. The cost depends only on
/// the opened keys: a row is found by a search among them. The listed fields change only when the key's row is reported
/// as changed, so that every inserted or removed row is announced. A value type; owned by GroupedRows.
class ExpandedKeys final
{
public:
    struct Open
    {
        keys::KeyId id;
        QByteArray key; ///< The key, because an ID may be reused for another key.
        QList<FieldRow> fields;
        int listRow = -1; ///< -1: not a row, because the filter excludes it.
        int base = -1;    ///< -1: not a row, or folded away.
        int row = -1;     ///< Its own row in the table; -1 as for `base`.

        [[nodiscard]] bool isShown() const { return base >= 0; }
        [[nodiscard]] int fieldCount() const { return static_cast<int>(fields.size()); }
    };
    struct RowContent
    {
        int base = -1;
        const Open *open = nullptr; ///< Set for the row of a field.
        int field = -1;             ///< Index of the field.
    };

    /// Returns the rows below a key, ordered by the ends of the fields; empty if no field is known to end. `before`:
    /// the former rows; a field keeps its span if its end has not moved later.
    [[nodiscard]] static QList<FieldRow> rowsOf(const keys::KnownKeys &known, keys::KeyId id,
                                                const QList<FieldRow> &before = {});

    [[nodiscard]] bool isEmpty() const { return m_open.empty(); }
    [[nodiscard]] const std::vector<Open> &all() const { return m_open; }
    [[nodiscard]] std::vector<Open> &all() { return m_open; }
    [[nodiscard]] const Open *find(keys::KeyId id) const;
    /// Returns the number of rows of all shown fields.
    [[nodiscard]] int fieldCount() const;
    /// Returns the number of rows needed for the fields of keys that are not shown.
    [[nodiscard]] int hiddenCount(const keys::KnownKeys &known) const;

    void open(const keys::KnownKeys &known, keys::KeyId id);
    void close(keys::KeyId id);
    /// Updates the positions after a change of the base rows. `listRowOf`: -1 if a key is not a row; `baseOf`: base row
    /// of a list row, -1 if it is folded away.
    void updateRows(const keys::KnownKeys &known, const std::function<int(keys::KeyId)> &listRowOf,
                    const std::function<int(int)> &baseOf);
    /// Updates the positions after rows of fields have been added or removed.
    void countRows();

    [[nodiscard]] int rowOf(int base) const;
    [[nodiscard]] RowContent at(int row) const;

private:
    std::vector<Open> m_open; ///< In the order of their rows; keys that are not shown come first.
};

} // namespace latchkey::rows
