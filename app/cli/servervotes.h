#pragma once

#include "core/inspect/detection/keyexamination.h"
#include "core/inspect/detection/lockvotes.h"
#include "core/redis/net/endpoint.h"
#include "core/redis/resp/serverinfo.h"

#include <QJsonArray>
#include <QJsonObject>

#include <optional>
#include <vector>

namespace latchkey::cli {

/// The reply of one of several independent servers about one key. A value type.
struct ServerReply
{
    QString server;                                   ///< Address, as a display text.
    const detection::KeyExamination *found = nullptr; ///< Null: the server did not reply. Not owned.
    QString why {};                                   ///< Why it did not.
};

/// One of several servers, and the data with which it describes itself; empty if it does not.
struct DescribedServer
{
    net::Endpoint endpoint;
    resp::ServerInfo info {};
};

/// Returns an error if two of the servers are not independent, so that their votes would be counted twice: one server
/// under two addresses, or a node of a cluster.
[[nodiscard]] std::optional<base::Error> whyDependent(const std::vector<DescribedServer> &servers);

/// Returns the bytes of all holders that the key names; empty if it names none.
[[nodiscard]] QByteArray holderIn(const detection::KeyExamination &found);
/// Returns the value of a key that names no holder.
[[nodiscard]] QByteArray valueIn(const detection::KeyExamination &found);
[[nodiscard]] detection::LockVotes votesIn(const std::vector<ServerReply> &replies);

/// Returns whether the votes are a majority, as a text.
[[nodiscard]] QString majorityText(const detection::LockVotes &votes);
/// Returns the counts of the votes: `{votes, servers, quorum, majority, valid_ms}`.
[[nodiscard]] QJsonObject countsJson(const detection::LockVotes &votes, base::MonotonicTime now);
/// Returns the vote of each server: `[{server, vote, pttl_ms, holder, why}]`.
[[nodiscard]] QJsonArray serversJson(const detection::LockVotes &votes, const std::vector<ServerReply> &replies,
                                     base::MonotonicTime now);

} // namespace latchkey::cli
