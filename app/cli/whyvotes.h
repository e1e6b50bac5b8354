#pragma once

#include "app/cli/exitcode.h"
#include "app/cli/whyanswer.h"

namespace latchkey::cli {

/// Reads one key on several independent servers in parallel, and prints the number of votes for its holder. The votes
/// are counted as by a client of redlock; see voting::LockVotes. `request`: the request without an endpoint. Returns
/// Yes if a majority has one holder, and No if none has.
[[nodiscard]] ExitCode explainVotes(const WhyRequest &request, const std::vector<net::Endpoint> &servers);

} // namespace latchkey::cli
