#pragma once

#include "core/keys/fieldends.h"
#include "core/keyspace/valuereader.h"
#include "core/rows/sortorder.h"
#include "ui/keytable/sawtooth.h"
#include "ui/keytable/showntime.h"

#include <QString>

#include <array>
#include <optional>

namespace latchkey::ui::keytable {

// Unscoped: columns are ints to every Qt interface that takes them.
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

/// What stands for a kind of lock. A value type.
struct KindSign
{
    QString icon; ///< Its name among the program's; empty: none.
    QString text; ///< What it means.
};

/// Of a kind by its id.
using KindSigns = std::function<KindSign(const QString &kind)>;

/// What is known of one key, as it is known: what the words of its cells are made from.
/// Looks at what the store and the view own; for the length of a call.
struct KeyFacts
{
    QByteArrayView key;
    keys::KeyType type = keys::KeyType::Unknown;
    keys::KeyState state = keys::KeyState::Live;
    base::Deadline deadline;
    const keys::RawValue *value = nullptr;   ///< Null: not read yet.
    const keys::Facts *facts = nullptr;      ///< Null: nothing has been worked out.
    const keys::FieldEnds *fields = nullptr; ///< Null: no field is known to have a lifetime of its own.
    const ShownTime &time;
    const Renewals *renewals = nullptr; ///< Null: none that are known; asked for where they are told.
    const KindSign *kindSign = nullptr; ///< Likewise.
};

/// Everything that makes a column a column of the key table. To add one: a name above, an entry in keycolumns.cpp.
struct ColumnTraits
{
    enum class Cell : quint8 { Text, Kind, Holder, Type, Countdown, Findings };
    /// Pixels; without a width of its own a column shares what the others leave.
    struct Widths
    {
        std::optional<int> usual;
        std::optional<int> narrow; ///< Where the table has no room for the usual one.
    };

    QString (*title)() = nullptr;
    QString (*text)(const KeyFacts &) = nullptr;
    QString (*toolTip)(const KeyFacts &) = nullptr; ///< In full, as plain text. Null: none.
    const rows::RankSource *sort = &rows::byKey;
    /// What has to be read of every key before the rows can be in this order; absent: it is known anyway.
    std::optional<keyspace::ValueReader::What> needs;
    Cell cell = Cell::Text;
    Widths widths;
    /// Only in a table that has what it tells of: what has nothing to say takes no room.
    enum class Subject : quint8 { Keys, Locks, Findings };
    Subject subject = Subject::Keys;
    /// Beside the columns of locks, only in a table of so many pixels.
    int besideLocksFrom = 0;
    std::optional<Widths> compact; ///< In a narrow place, see KeyTableView::setCompact(). Absent: not shown there.
    Qt::Alignment alignment = Qt::AlignLeft;
};

[[nodiscard]] const std::array<ColumnTraits, ColumnCount> &columnTraits();
/// column: of the table.
[[nodiscard]] const ColumnTraits &traitsOf(int column);

} // namespace latchkey::ui::keytable
