#pragma once

#include "core/exchange/exchange.h"
#include "core/findings/finding.h"
#include "core/recognition/dialects.h"

// What is wrong with a lock by one look at it, for those who do not watch: no history, and no client that has left.

namespace latchkey::inspection {

/// Asks what a server is set up for; what it does not tell is absent. Never fails but with the connection.
[[nodiscard]] exchange::Exchange<findings::ServerFacts> askServerFacts();

/// The gravest first; nothing of what is no lock.
[[nodiscard]] std::vector<findings::Finding> findingsAtOneLook(const recognition::Recognition &recognition,
                                                               const recognition::Sighting &sighting,
                                                               const recognition::Dialects &dialects,
                                                               const findings::ServerFacts &server);

} // namespace latchkey::inspection
