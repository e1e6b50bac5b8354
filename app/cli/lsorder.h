#pragma once

#include "app/cli/arguments.h"
#include "app/cli/lscolumns.h"

#include <QJsonObject>

#include <optional>
#include <vector>

namespace latchkey::cli {

/// A line of `ls`: a row in the form of its printers.
struct LsLine
{
    QJsonObject json;
    LsCells cells;     ///< Empty cells if no table is printed.
    QString server {}; ///< Address, if it is one of several servers; otherwise empty.
};

/// The order of the rows of `ls`: a column, upwards or downwards. A value.
///
/// Rows without a value, such as keys without an expiry, are last upwards and first downwards. Equal rows are ordered
/// by key.
class LsOrder final
{
public:
    /// Reads --sort and --reverse; absent without --sort. Error (Usage): an unknown column.
    [[nodiscard]] static base::Result<std::optional<LsOrder>> from(const Arguments &arguments);
    [[nodiscard]] static QList<QCommandLineOption> options();

    /// Sorts lines that are ordered by key.
    void sort(std::vector<LsLine> &lines) const;

private:
    /// Member of the JSON of a row; null: the order by key.
    const char *m_member = nullptr;
    bool m_isDownwards = false;
};

} // namespace latchkey::cli
