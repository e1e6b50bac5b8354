#pragma once

#include <QCommandLineOption>
#include <QList>

// The options of `explore`, except those for faults of servers.

namespace latchkey::cli {

/// Returns the options of a search; not permitted with --play.
[[nodiscard]] QList<QCommandLineOption> recipeOptions();

/// Returns the options that are for programs only.
[[nodiscard]] QList<QCommandLineOption> programOptions();

} // namespace latchkey::cli
