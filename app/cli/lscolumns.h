#pragma once

#include <QString>

#include <array>

namespace latchkey::cli {

/// What stands in a row of ls: type, time left, kind, count, waiting, fencing, findings, holder, key.
using LsCells = std::array<QString, 9>;

/// A row, in columns by what a terminal makes of the texts, not by bytes: a holder may be written in any script.
void printLsRow(const LsCells &cells);

/// What the columns are, for people: what reads a pipe wants nothing but rows.
void printLsTitles();

} // namespace latchkey::cli
