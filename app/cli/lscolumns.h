#pragma once

#include <QString>

#include <array>

namespace latchkey::cli {

/// What stands in a row of ls: type, time left, kind, count, waiting, fencing, findings, holder, key.
using LsCells = std::array<QString, 9>;

/// Widths of all columns but the last; negative: aligned to the left.
using LsWidths = std::array<int, 8>;

/// Widths for a terminal of so many columns, of which kind and holder share what the others leave; from 80 on a key of
/// 8 columns fits, and from 120 on a UUID as the holder. 0: no terminal, where nothing is cut.
[[nodiscard]] LsWidths lsWidthsFor(int terminalColumns);

/// A row, in columns by what a terminal makes of the texts, not by bytes: a holder may be written in any script.
/// isCut: texts that are wider than their column end in an ellipsis.
[[nodiscard]] QString lsLine(const LsCells &cells, const LsWidths &widths, bool isCut);

/// Prints the row, in the widths for the terminal behind standard output.
void printLsRow(const LsCells &cells);

/// What the columns are, for people: what reads a pipe wants nothing but rows.
void printLsTitles();

} // namespace latchkey::cli
