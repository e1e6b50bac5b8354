#pragma once

#include "app/cli/arguments.h"
#include "core/keyspace/watching/watcher.h"
#include "core/redis/net/session.h"

namespace latchkey::cli {

/// The timeouts, and the limits of the commands that a command line may send to a server: those of --limit, or the
/// defaults.
struct Limits
{
    budget::CommandLimit watching = budget::CommandLimit::ofWatching();
    std::optional<budget::CommandLimit> firstScan; ///< Absent: no limit.
    std::chrono::milliseconds timeout {};          ///< Timeout of connecting, and of a PING.

    /// Reads --limit. Without it, the first scan is limited only if the server is on another machine or saved as a
    /// production server. Error: Usage, with the name of the option.
    [[nodiscard]] static base::Result<Limits> from(const Arguments &arguments, const net::Endpoint &server);

    void applyTo(watching::Watcher &watcher) const;
    /// Sets the timeouts of a session that is not started yet.
    void applyTo(net::Session &session) const;
};

[[nodiscard]] QCommandLineOption limitOption(const QString &description);

} // namespace latchkey::cli
