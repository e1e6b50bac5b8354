#pragma once

#include "core/base/deadline.h"
#include "core/keys/knownkeys.h"

#include <QByteArray>
#include <QList>

#include <functional>
#include <optional>
#include <vector>

namespace latchkey::rows {

/// What stands in a row below a hash: a field that ends by itself, or, in the last one, what is not listed.
/// A value type.
struct FieldRow
{
    QByteArray name;
    base::Deadline deadline = base::Deadline::never();
    std::chrono::milliseconds span {0}; ///< What a full bar stands for: what the field had left when its row came.
    bool isRest = false;                ///< The last one, which is no field.
    qint64 moreEnding = 0;              ///< Of the rest: fields that end, later than those that are listed.
    qint64 unasked = 0;                 ///< Of the rest: fields of which nobody knows whether they end.

    /// The same field, whatever is known of it.
    [[nodiscard]] bool standsFor(const FieldRow &other) const { return isRest == other.isRest && name == other.name; }
    friend bool operator==(const FieldRow &, const FieldRow &) = default;
};

/// The keys that are opened, and where the rows of their fields stand among those of a table.
///
/// What would be the table's rows without them are its base rows: keys, and groups where there are some. Only what is
/// opened costs anything: a row is found by a search among the opened keys. What is listed is kept until the key's row
/// is told to have changed, so that rows come and go only when they are announced.
/// A value; owned by GroupedRows.
class OpenKeys final
{
public:
    struct Open
    {
        keys::KeyId id;
        QByteArray key; ///< An id may become another key's.
        QList<FieldRow> fields;
        int listRow = -1; ///< -1: it is no row, for the filter leaves it out.
        int base = -1;    ///< -1: it is no row, or folded away.
        int row = -1;     ///< Its own in the table, likewise.

        [[nodiscard]] bool isShown() const { return base >= 0; }
        [[nodiscard]] int fieldCount() const { return static_cast<int>(fields.size()); }
    };
    struct Place
    {
        int base = -1;
        const Open *open = nullptr; ///< Where it is a field's row.
        int field = -1;             ///< Which of its.
    };

    /// The rows below a key, in the order of the fields' ends; none where no field is known to end.
    [[nodiscard]] static QList<FieldRow> rowsOf(const keys::KnownKeys &known, keys::KeyId id,
                                                const QList<FieldRow> &before = {});

    [[nodiscard]] bool isEmpty() const { return m_open.empty(); }
    [[nodiscard]] const std::vector<Open> &all() const { return m_open; }
    [[nodiscard]] std::vector<Open> &all() { return m_open; }
    [[nodiscard]] const Open *find(keys::KeyId id) const;
    /// How many rows the fields have.
    [[nodiscard]] int fieldCount() const;
    /// How many rows it would take to show the fields of those that are not shown.
    [[nodiscard]] int hiddenCount(const keys::KnownKeys &known) const;

    void open(const keys::KnownKeys &known, keys::KeyId id);
    void close(keys::KeyId id);
    /// Base rows have changed. listRowOf: -1 where it is none; baseOf: of a list's row, -1 where it is folded away.
    void place(const keys::KnownKeys &known, const std::function<int(keys::KeyId)> &listRowOf,
               const std::function<int(int)> &baseOf);
    /// Some fields' rows have come or gone.
    void countRows();

    [[nodiscard]] int rowOf(int base) const;
    [[nodiscard]] Place at(int row) const;

private:
    std::vector<Open> m_open; ///< In the order of their rows; those that are not shown in front.
};

} // namespace latchkey::rows
