#pragma once

#include "core/foundation/base/error.h"
#include "core/redis/net/hostport.h"

#include <optional>
#include <vector>

namespace latchkey::net {

/// A map of announced addresses: for servers that announce an inner address, behind NAT or in containers, the outer
/// address at which this machine reaches them.
///
/// The nodes of a cluster and the servers that sentinels name are looked up in it; the address of the URL is not. An
/// entry with a port precedes one for the whole host. There are no patterns. A value type, part of an Endpoint.
class AddressMap final
{
public:
    /// Reads `inner=outer[,inner=outer…]`. Both sides are `host` or `host:port`, with brackets around an IPv6 address.
    /// An inner address without a port stands for all ports of the host, and an outer one keeps the port. Error
    /// (Usage): names the entry and its problem.
    [[nodiscard]] static base::Result<AddressMap> fromText(const QString &text);

    [[nodiscard]] bool isEmpty() const { return m_entries.empty(); }
    /// Returns the address to connect to: the outer one, or the announced one if the map does not contain it.
    [[nodiscard]] HostPort reached(const HostPort &announced) const;
    /// Returns an announced address that the map replaces by this one. Absent if there is none.
    [[nodiscard]] std::optional<HostPort> announcedFor(const HostPort &reached) const;
    /// Returns the text that fromText() reads; empty for an empty map.
    [[nodiscard]] QString toText() const;
    /// Returns the entries as texts, each `inner` and `outer`.
    [[nodiscard]] std::vector<std::pair<QString, QString>> entries() const;

    friend bool operator==(const AddressMap &, const AddressMap &) = default;

private:
    struct Entry
    {
        HostPort inner; ///< Port 0: all ports.
        HostPort outer; ///< Port 0: the port stays.

        friend bool operator==(const Entry &, const Entry &) = default;
    };

    [[nodiscard]] static base::Result<Entry> entryFrom(const QString &text);

    std::vector<Entry> m_entries;
};

} // namespace latchkey::net
