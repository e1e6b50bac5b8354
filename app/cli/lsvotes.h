#pragma once

#include "app/cli/lsorder.h"

#include <QStringList>

namespace latchkey::cli {

// The rows of `ls --locks` for several independent servers: a lock with its votes. The JSON of a row is that of a key,
// with `votes` and `servers` as in the JSON of `why`.

/// Returns the columns of CSV.
[[nodiscard]] QStringList voteColumns();

/// Returns a row for CSV: the counts of the votes as members, and a list of addresses for each vote that is not for the
/// holder.
[[nodiscard]] QJsonObject flatVotes(const QJsonObject &row);

/// Prints the rows as a table. Its columns are as wide as their widest cell. On a terminal that is too narrow, the
/// servers, the holder and the kind are cut, in this order, but not the key. `hasTitles`: whether titles are printed.
void printVotes(const std::vector<LsLine> &lines, bool hasTitles);

} // namespace latchkey::cli
