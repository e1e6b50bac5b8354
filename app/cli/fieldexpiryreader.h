#pragma once

#include "core/keyspace/watching/fieldlifetimes.h"

#include <functional>

namespace latchkey::cli {

/// A reader of the field expiries of many hashes. It reads in portions, up to a limit that keeps a listing fast. A
/// server without field expiries is asked only once. Owned by the command.
class FieldExpiryReader final
{
public:
    /// Size limit: only the first hashes are read.
    static constexpr std::size_t maxHashes = 1000;

    /// A function that runs an exchange and returns its result.
    using Driver =
        std::function<base::Result<watching::FieldLifetimesRead>(exchange::Exchange<watching::FieldLifetimesRead>)>;

    explicit FieldExpiryReader(Driver driver)
        : m_driver(std::move(driver))
    {}

    /// Returns the results for the hashes with expiring fields.
    [[nodiscard]] std::vector<watching::FieldLifetimes> read(const std::vector<base::Key> &hashes);
    /// Returns why some results are missing: the server refused, or the connection was lost. Absent if all are known.
    [[nodiscard]] std::optional<base::Error> whyNotKnown() const;
    /// Returns whether the server has refused a request for field expiries.
    [[nodiscard]] bool isRefused() const { return m_support.isRefused(); }
    /// Prints a message about the unknown field expiries of this number of hashes. `operation`: such as `ls`.
    void reportUnknown(const QString &operation, std::size_t hashes) const;

private:
    const Driver m_driver;
    watching::FieldLifetimeSupport m_support;
    std::optional<base::Error> m_error; ///< Error that ended the reads.
};

} // namespace latchkey::cli
