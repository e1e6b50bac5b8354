#pragma once

#include <QString>

#include <array>

namespace latchkey::cli {

/// The cells of a row of ls: type, time left, kind, count, waiting, fencing, findings, holder, key.
using LsCells = std::array<QString, 9>;

/// The widths of all columns except the last; negative for left alignment.
using LsWidths = std::array<int, 8>;

/// Returns the widths for a terminal. Kind and holder share the width that the other columns leave. From 80 columns on,
/// a key of 8 columns fits; from 120 on, a UUID as holder. `terminalColumns`: 0 without a terminal; no cell is cut
/// then.
[[nodiscard]] LsWidths lsWidthsFor(int terminalColumns);

/// Formats a row. Widths are terminal columns, not bytes, because a holder may use any script. `isCut`: whether wide
/// cells are cut with an ellipsis.
[[nodiscard]] QString lsLine(const LsCells &cells, const LsWidths &widths, bool isCut);

/// Prints a row with the widths for the terminal at standard output.
void printLsRow(const LsCells &cells);

/// Prints the titles of the columns. The caller omits them if standard output is no terminal.
void printLsTitles();

} // namespace latchkey::cli
