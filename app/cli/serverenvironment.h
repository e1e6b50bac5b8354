#pragma once

#include "app/cli/arguments.h"
#include "core/children/launch.h"

namespace latchkey::cli {

/// What makes a latchkey-cli that a program of ours calls go to the same server as the same user: LATCHKEY_URL where
/// there is one --url, LATCHKEY_PASSWORD where there is a --password-file. The two never contradict each other: what
/// stood there before and was outranked is not handed on.
///
/// A process's environment is for its own user to read (and for root), its command line for everybody. servers: those
/// of the arguments.
[[nodiscard]] QList<children::Launch::Variable> serverEnvironment(const Arguments &arguments,
                                                                  const std::vector<resp::Endpoint> &servers);

} // namespace latchkey::cli
