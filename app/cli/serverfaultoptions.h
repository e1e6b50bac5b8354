#pragma once

#include "app/cli/arguments.h"
#include "core/explore/races/rules.h"

#include <QCommandLineOption>
#include <QJsonObject>

// The options of `explore` for faults of servers.

namespace latchkey::cli {

[[nodiscard]] QList<QCommandLineOption> serverFaultOptions();

/// Returns the limits from the options. Error: Usage.
[[nodiscard]] base::Result<races::ServerFaultLimits> serverFaultsFrom(const Arguments &arguments);

/// Checks that no option or promise about faults of servers is given with a program. Error: Usage.
[[nodiscard]] base::Result<void> checkServerFaultsOfProgram(const Arguments &arguments);

[[nodiscard]] QJsonObject toJson(const races::ServerFaultLimits &limits);

} // namespace latchkey::cli
