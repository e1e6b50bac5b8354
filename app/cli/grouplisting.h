#pragma once

#include "app/cli/listing.h"
#include "app/cli/serveridentity.h"

#include <memory>

namespace latchkey::cli {

/// A listing of the keys of several independent servers, which are scanned at the same time.
///
/// The keys of each server are printed with its address. If only locks are requested, each lock is one row with the
/// votes of the servers for its holder. A server that cannot be read delays the others by no more than its timeout.
/// Owned by the command; the printer is not owned.
class GroupListing final : public QObject
{
public:
    /// A server, and the options of its listing.
    struct Server
    {
        net::Endpoint endpoint;
        Listing::Options options;
    };

    GroupListing(const std::vector<Server> &servers, LsPrinter &printer);

    /// Scans, and prints the keys. Called outside of the event loop, which it runs while it waits for the servers.
    [[nodiscard]] ExitCode list();

private:
    [[nodiscard]] ScanProgress::Counts progress() const;
    /// Waits until each listing has gathered a part, or has ended.
    void gather();
    /// Calls this for each part of each server, in the order of the servers, and gathers the next parts.
    void forEachPart(const std::function<void(std::size_t)> &take);
    void listKeys();
    void listLocks();
    void findDependent();
    [[nodiscard]] ServerIdentity compareUndescribed() const;

    std::vector<net::Endpoint> m_endpoints;
    const std::optional<LsOrder> m_order;
    const bool m_onlyLocks;
    const std::chrono::milliseconds m_timeout; ///< Timeout of each request.
    LsPrinter &m_printer;                      // Not owned.
    std::vector<std::unique_ptr<Listing>> m_listings;
    ScanProgress m_progress;
    std::optional<base::Error> m_dependent; ///< Why the servers are not independent. Absent: they are.
};

} // namespace latchkey::cli
