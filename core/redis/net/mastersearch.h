#pragma once

#include "core/redis/net/sentinelanswer.h"

#include <chrono>
#include <optional>
#include <vector>

namespace latchkey::net {

/// The search for the primary of an endpoint with sentinels: which process to connect to next, and why none was found.
///
/// The sentinels are asked in order until one names a server that accepts the login and says that it is a primary. A
/// server that was tried is not tried again. The code that connects reports each result; this class performs no I/O.
class MasterSearch final
{
public:
    explicit MasterSearch(const Endpoint &endpoint);

    /// Returns the server at an address that is known otherwise, to be tried before the sentinels are asked.
    [[nodiscard]] Endpoint tryFirst(const HostPort &known);

    /// Returns the sentinel to ask now; absent: all were asked, and error() says why none led to the primary.
    [[nodiscard]] std::optional<Endpoint> nextSentinel();
    /// Takes the answer of that sentinel. Returns the server to connect to; absent: ask the next sentinel.
    [[nodiscard]] std::optional<Endpoint> take(const base::Result<PrimaryAddress> &answer);
    /// Takes why that server is not the primary.
    void serverFailed(const base::Error &error);

    /// Returns the share of the time left that the next connection may take, so that those after it can be tried.
    [[nodiscard]] std::chrono::milliseconds shareOf(std::chrono::milliseconds left) const;
    [[nodiscard]] const QString &master() const { return m_endpoint.sentinels->master; }
    [[nodiscard]] base::Error error() const;

private:
    [[nodiscard]] bool doSentinelsDisagree() const;

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
    std::vector<base::Error> m_refusals;      ///< Why sentinels named no server.
    std::optional<base::Error> m_serverError; ///< Why the last server is not the primary.
};

/// Returns the error of a server that says in its reply to ROLE that it is not a primary; absent: it is one, or does
/// not say it. Managed services may refuse ROLE.
[[nodiscard]] std::optional<base::Error> notPrimary(const Endpoint &server, const resp::Reply &role);

} // namespace latchkey::net
