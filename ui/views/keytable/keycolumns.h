#pragma once

#include "core/keyspace/keys/fielddeadlines.h"
#include "core/keyspace/rows/sortorder.h"
#include "core/keyspace/watching/valuereader.h"
#include "ui/views/keytable/sawtooth.h"
#include "ui/views/keytable/showntime.h"

#include <QString>

#include <array>
#include <optional>

namespace latchkey::ui::keytable {

// Unscoped, because all Qt interfaces take columns as int.
enum Column : int {
    KeyColumn,
    KindColumn,
    HolderColumn,
    TypeColumn,
    ValueColumn,
    TimeLeftColumn,
    EndColumn,
    FindingsColumn,
    ColumnCount
};

/// The icon and the text of a kind of lock. A value type.
struct KindSign
{
    QString icon; ///< Name of one of the program's icons; empty without an icon.
    QString text; ///< Meaning of the icon.
};

/// Function from the id of a kind to its sign.
using KindSigns = std::function<KindSign(const QString &kind)>;

/// The data of one key for the texts of its cells. Refers to data of the store and the view, and is valid during one
/// call only.
struct KeyRowData
{
    QByteArrayView key;
    keys::KeyType type = keys::KeyType::Unknown;
    keys::KeyState state = keys::KeyState::Live;
    base::Deadline deadline;
    const keys::RawValue *value = nullptr;        ///< Null if not read yet.
    const keys::KeyAnalysis *analysis = nullptr;  ///< Null if the key was not analysed.
    const keys::FieldDeadlines *fields = nullptr; ///< Null if no field is known to have an expiry.
    const ShownTime &time;
    const Renewals *renewals = nullptr; ///< Null if unknown, or if the caller does not need them.
    const KindSign *kindSign = nullptr; ///< Null if unknown, or if the caller does not need it.
};

/// The properties of a column of the key table. To add a column, add an enumerator above, an entry in keycolumns.cpp,
/// its position in the order of KeyColumnLayout::fit(), and, if it sorts, a rows::RankSource.
struct ColumnTraits
{
    enum class Cell : quint8 { Text, Kind, Holder, Type, Countdown, Findings };
    /// Widths in pixels. Columns without a width share the remaining width.
    struct Widths
    {
        std::optional<int> usual;
        std::optional<int> narrow; ///< Width in a table too narrow for the usual width.
    };

    QString (*title)() = nullptr;
    QString (*text)(const KeyRowData &) = nullptr;
    QString (*toolTip)(const KeyRowData &) = nullptr; ///< Complete text, as plain text. Null without a tool tip.
    const rows::RankSource *sort = &rows::byKey;
    /// Data that must be read of every key before the rows can be sorted by this column; absent if it is always known.
    std::optional<watching::ValueReader::Part> needs;
    Cell cell = Cell::Text;
    Widths widths;
    /// Subject of the column. A column about locks or findings is shown only if the table has any.
    enum class Subject : quint8 { Keys, Locks, Findings };
    Subject subject = Subject::Keys;
    /// Least table width in pixels at which the column is shown beside the columns of locks.
    int besideLocksFrom = 0;
    /// Width in pixels beside the columns of locks, in a table with locks; absent: the same as without locks.
    std::optional<int> besideLocks;
    std::optional<Widths> compact; ///< Widths in a compact table, see KeyTableView::setCompact(). Absent if the column
                                   ///< is not shown there.
    Qt::Alignment alignment = Qt::AlignLeft;
};

[[nodiscard]] const std::array<ColumnTraits, ColumnCount> &columnTraits();
/// Returns the traits of a column. `column`: column of the table.
[[nodiscard]] const ColumnTraits &traitsOf(int column);

} // namespace latchkey::ui::keytable
