#pragma once

#include "app/cli/exitcode.h"
#include "app/cli/whyanswer.h"

namespace latchkey::cli {

/// Reads one key on several independent servers at once, and prints how many of them vote for its holder, as a client
/// of redlock counts them. `request`: the question without an endpoint. Returns Yes if a majority has one holder, and
/// No if none has.
[[nodiscard]] ExitCode explainVotes(const WhyRequest &request, const std::vector<net::Endpoint> &servers);

} // namespace latchkey::cli
