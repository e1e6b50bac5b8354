#pragma once

#include "core/inspect/findings/finding.h"
#include "core/inspect/recognition/dialects.h"
#include "core/redis/exchange/exchange.h"

// The findings for a lock from a single read, for code that does not watch. Findings that need the history of the lock
// or its clients are missing.

namespace latchkey::detection {

/// Requests a server's settings; denied settings are absent. Fails without a reply.
[[nodiscard]] exchange::Exchange<findings::ServerProperties> readServerProperties();

/// Returns the findings, the most severe first; empty if the key is not a lock.
[[nodiscard]] std::vector<findings::Finding> snapshotFindings(const recognition::Recognition &recognition,
                                                              const recognition::KeySample &sample,
                                                              const recognition::Dialects &dialects,
                                                              const findings::ServerProperties &server);

} // namespace latchkey::detection
