#pragma once

#include "app/cli/lsorder.h"
#include "app/cli/lsrow.h"
#include "core/inspect/voting/serverreply.h"

#include <map>

namespace latchkey::cli {

class Listing;

/// The locks of several independent servers: for each name, the reply of each server.
///
/// The servers are scanned at the same time, but not at the same moment: a lock that changes during the scans would
/// look like a disagreement. So a lock on which the servers do not agree is read again on all of them at once. This
/// also reads the keys that a scan has missed or could not recognise. Owned by the GroupListing, which scans. The
/// listings are not owned.
class GroupedLocks final
{
public:
    /// A server, and the listing of its keys.
    struct Server
    {
        QString address; ///< Display text.
        Listing *listing = nullptr;
    };

    explicit GroupedLocks(std::vector<Server> servers)
        : m_servers(std::move(servers))
    {}

    /// Adds the locks that the scan of a server has found. `server`: index.
    void add(std::size_t server, std::vector<LsRow> locks);
    /// Reads the locks again on which the servers do not agree. Runs the event loop.
    void readAgain();
    /// Returns a line for each lock that exists on some server, ordered by key. The lines have JSON, but no cells.
    [[nodiscard]] std::vector<LsLine> lines(const recognition::Dialects &dialects) const;

private:
    /// The state of a key on one server.
    struct Seen
    {
        bool isKnown = false;
        detection::KeyExamination found;
        std::vector<findings::Finding> findings;
        QString why; ///< Why it is unknown; empty until it was read again.
    };
    using Lock = std::vector<Seen>; ///< One per server.
    using Entry = std::map<QByteArray, Lock>::value_type;

    [[nodiscard]] bool isAgreed(const Lock &lock) const;
    void waitForBudget() const;
    void readTogether(const std::vector<Entry *> &entries);
    [[nodiscard]] std::vector<voting::ServerReply> repliesIn(const Lock &lock) const;
    [[nodiscard]] QJsonObject rowOf(const Entry &entry, const recognition::Dialects &dialects,
                                    base::MonotonicTime now) const;

    const std::vector<Server> m_servers;
    std::map<QByteArray, Lock> m_locks;
};

} // namespace latchkey::cli
