#pragma once

#include "core/inspect/voting/serverreply.h"

#include <QJsonArray>
#include <QJsonObject>

#include <vector>

namespace latchkey::cli {

/// Returns the counts of the votes: `{votes, servers, quorum, majority, valid_ms}`.
[[nodiscard]] QJsonObject countsJson(const voting::LockVotes &votes, base::MonotonicTime now);
/// Returns the vote of each server: `[{server, vote, pttl_ms, holder, why}]`.
[[nodiscard]] QJsonArray serversJson(const voting::LockVotes &votes, const std::vector<voting::ServerReply> &replies,
                                     base::MonotonicTime now);

} // namespace latchkey::cli
