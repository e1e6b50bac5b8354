#pragma once

#include "app/cli/colours.h"

#include <QString>

#include <array>

namespace latchkey::cli {

/// The cells of a row of ls: type, time left, kind, count, waiting, fencing, findings, holder, key.
using LsCells = std::array<QString, 9>;

/// The widths of all columns except the last; negative for left alignment. 0: the column is left out.
using LsWidths = std::array<int, 8>;

/// The colours of the cells.
using LsColours = std::array<Colour, 9>;

/// Returns the widths for a terminal. Kind and holder share the width that the other columns leave. A key of 8 columns
/// fits; from 120 columns on also a UUID as holder. A terminal of less than 78 columns shows fewer columns.
/// `terminalColumns`: 0 without a terminal; no cell is cut then.
[[nodiscard]] LsWidths lsWidthsFor(int terminalColumns);

/// Formats a row. Widths are terminal columns, not bytes, because a holder may use any script. `isCut`: whether wide
/// cells are cut with an ellipsis.
[[nodiscard]] QString lsLine(const LsCells &cells, const LsWidths &widths, bool isCut, const LsColours &colours = {});

/// The first cell of a row of one of several databases or servers: its number or address, and the width of the column,
/// negative for left alignment. Empty for a single one.
struct LsOrigin
{
    QString text;
    int width = 0;
};

/// Prints a row with the widths and colours for the terminal at standard output. COLUMNS takes precedence over the
/// width of the terminal.
void printLsRow(const LsCells &cells, const LsOrigin &origin = {});

/// Prints the titles of the columns. The caller omits them if standard output is no terminal.
void printLsTitles(const LsOrigin &origin = {});

/// Returns the width limit of the lines: that of the terminal at standard output, or an exported COLUMNS. A shell does
/// not export COLUMNS unless the user does. 0: no limit.
[[nodiscard]] int terminalWidth();

/// Returns the text, cut to this number of terminal columns, with an ellipsis at the cut.
[[nodiscard]] QString cutTo(const QString &text, qsizetype columns);

/// Returns whether standard output is a terminal.
[[nodiscard]] bool isTerminal();

} // namespace latchkey::cli
