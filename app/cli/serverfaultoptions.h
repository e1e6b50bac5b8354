#pragma once

#include "app/cli/arguments.h"
#include "core/explore/races/rules.h"

#include <QCommandLineOption>
#include <QJsonObject>

// The options of `explore` for faults of servers.

namespace latchkey::cli {

[[nodiscard]] QList<QCommandLineOption> serverFaultOptions();

/// Returns the limits from the options. Error (Usage): a limit whose promise is not named, so that it would have no
/// effect.
[[nodiscard]] base::Result<races::ServerFaultLimits> serverFaultsFrom(const Arguments &arguments);

/// Returns the limits for a program. Error (Usage): an option that is only for recipes.
[[nodiscard]] base::Result<races::ServerFaultLimits> serverFaultsOfProgramFrom(const Arguments &arguments);

[[nodiscard]] QJsonObject toJson(const races::ServerFaultLimits &limits);

} // namespace latchkey::cli
