#pragma once

#include "core/foundation/base/error.h"

#include <optional>

namespace latchkey::net {
struct Endpoint;
}

namespace latchkey::budget {

/// A limit of the commands that watching may send: a share of the server's core, or a number of commands per second.
///
/// A share needs a server that reports the time of its commands (INFO commandstats). For any other server, a share
/// counts as a number of commands per second: 10 µs for each command. A value type.
class CommandLimit final
{
public:
    /// Creates a limit of a share: 0.01 for 1 % of the server's core. The share is clamped to 0.0001 … 1.
    [[nodiscard]] static CommandLimit ofShare(double share);
    /// Creates a limit of commands per second, clamped to 1 … 1000000.
    [[nodiscard]] static CommandLimit ofRate(int perSecond);
    /// Reads `1%`, `0.5%` or `500/s`. Error (Usage) names the text.
    [[nodiscard]] static base::Result<CommandLimit> parse(const QString &text);

    /// Creates a limit of a share, given as the equivalent number of commands per second: 1000 for 1 %.
    [[nodiscard]] static CommandLimit ofShareAt(int perSecond);
    /// Returns the default limit while watching.
    [[nodiscard]] static CommandLimit ofWatching() { return ofShare(0.01); }
    /// Returns the default limit of the first scan of a server that is not on this machine or is marked as production.
    [[nodiscard]] static CommandLimit ofFirstScan() { return ofShare(0.05); }

    /// Returns the share; absent for a limit of commands per second.
    [[nodiscard]] const std::optional<double> &share() const { return m_share; }
    /// Returns the commands per second; for a share, those for a server that does not report the time of its commands.
    [[nodiscard]] int perSecond() const { return m_perSecond; }

    friend bool operator==(const CommandLimit &, const CommandLimit &) = default;

private:
    CommandLimit(std::optional<double> share, int perSecond)
        : m_share(share)
        , m_perSecond(perSecond)
    {}

    std::optional<double> m_share;
    int m_perSecond;
};

/// Returns the limit of a first scan unless the user sets another one; absent: no limit. A server on this machine has
/// none, unless it is marked as production.
[[nodiscard]] std::optional<CommandLimit> defaultFirstScanLimit(const net::Endpoint &server, bool isProduction);

} // namespace latchkey::budget
