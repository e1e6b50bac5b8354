#pragma once

#include "core/redis/net/sentinelanswer.h"

#include <chrono>
#include <optional>
#include <vector>

namespace latchkey::net {

/// The state of a search for the primary of an endpoint with sentinels: the process to connect to next, or the reason
/// why no primary was found.
///
/// The sentinels are asked in order until one names a server that accepts the login and reports that it is a primary. A
/// server is tried only once. The code that connects reports each result; this class performs no I/O.
class PrimarySearch final
{
public:
    explicit PrimarySearch(const Endpoint &endpoint);

    /// Returns the server at an address known from another source, to be tried before the sentinels are asked.
    [[nodiscard]] Endpoint tryFirst(const HostPort &known);

    /// Returns the sentinel to ask now. Absent if all were asked; error() then gives the reason of the failure.
    [[nodiscard]] std::optional<Endpoint> nextSentinel();
    /// Processes the answer of that sentinel. Returns the server to connect to. Absent if the next sentinel must be
    /// asked.
    [[nodiscard]] std::optional<Endpoint> take(const base::Result<PrimaryAddress> &answer);
    /// Records why that server is not the primary.
    void serverFailed(const base::Error &error);

    /// Returns the share of the remaining time for the next connection, so that later ones can be tried too.
    [[nodiscard]] std::chrono::milliseconds shareOf(std::chrono::milliseconds left) const;
    [[nodiscard]] const QString &master() const { return m_endpoint.sentinels->master; }
    [[nodiscard]] base::Error error() const;

private:
    [[nodiscard]] bool areSentinelsDivided() const;

    /// A sentinel's answer.
    struct Named
    {
        QString sentinel;
        HostPort at;
    };

    const Endpoint m_endpoint;
    const std::vector<Endpoint> m_sentinels;
    std::size_t m_asked = 0;
    std::vector<Named> m_named;
    std::vector<HostPort> m_tried;
    std::vector<base::Error> m_refusals;      ///< Reasons why sentinels named no server.
    std::optional<base::Error> m_serverError; ///< Reason why the last server is not the primary.
};

/// Returns the error of a server whose reply to ROLE shows that it is not a primary. Absent if it is a primary, or if
/// its role is unknown. Managed services may refuse ROLE.
[[nodiscard]] std::optional<base::Error> notPrimary(const Endpoint &server, const resp::Reply &role);

} // namespace latchkey::net
