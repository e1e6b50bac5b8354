#pragma once

#include "core/redis/exchange/exchange.h"
#include "core/redis/net/endpoint.h"
#include "core/redis/resp/replicationinfo.h"

#include <QString>

#include <chrono>
#include <optional>

namespace latchkey::cli {

/// Returns a sentence about a replica whose link to its primary is down, because its keys may be out of date. Absent
/// for any other server.
[[nodiscard]] std::optional<QString> brokenLinkText(const resp::ReplicationInfo &replication);

/// Reads the state of the link, and returns such a sentence. Absent also if the server refuses INFO.
[[nodiscard]] exchange::Exchange<std::optional<QString>> readBrokenLink();

/// Reads the state of the link over a connection of its own, and prints such a sentence to standard error. `command`:
/// operation, for messages.
void printBrokenLink(const QString &command, const net::Endpoint &server, std::chrono::milliseconds timeout);

} // namespace latchkey::cli
