#pragma once

#include "core/inspect/detection/holderclients.h"
#include "core/inspect/findings/finding.h"
#include "core/inspect/recognition/dialects.h"
#include "core/inspect/recognition/recognition.h"
#include "core/keyspace/keys/keyanalysis.h"

namespace latchkey::detection {

/// Returns the analysis of a recognised lock for a table; empty if the key is not a lock. Findings and client are
/// added by the functions below.
[[nodiscard]] keys::KeyAnalysis analysisFrom(const recognition::Recognition &recognition,
                                             const recognition::Dialects &dialects);

/// Adds the number and the severity of the findings, except those of severity Info.
void addFindings(const std::vector<findings::Finding> &found, keys::KeyAnalysis &analysis);

/// Adds the client of the first holder. A client with several connections, or of a Unix socket, has no address.
void addClient(const std::vector<HolderClients::HolderClient> &matched, keys::KeyAnalysis &analysis);

} // namespace latchkey::detection
