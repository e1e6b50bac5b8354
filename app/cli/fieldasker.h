#pragma once

#include "core/exchange/blockingdriver.h"
#include "core/keyspace/fieldlifetimes.h"

namespace latchkey::cli {

/// Asks many hashes when their fields end: a portion at a time, and no more of them than a listing can wait for.
/// A server that has no lifetimes of fields is asked for that once. The driver is not owned.
class FieldAsker final
{
public:
    /// Of more hashes the first ones are asked.
    static constexpr std::size_t mostHashes = 1000;

    explicit FieldAsker(exchange::BlockingDriver &driver)
        : m_driver(driver)
    {}

    /// What is known of those whose fields end.
    [[nodiscard]] std::vector<keyspace::FieldLifetimes> ask(const std::vector<base::Key> &hashes);
    /// Why it is not known of all: the server denied it, or was lost.
    [[nodiscard]] std::optional<base::Error> whyNotKnown() const;
    /// Whether the server tells, as far as it was asked.
    [[nodiscard]] bool isRefused() const { return m_support.isRefused(); }

private:
    exchange::BlockingDriver &m_driver; // Not owned.
    keyspace::FieldLifetimeSupport m_support;
    std::optional<base::Error> m_error; ///< That ended the asking.
};

} // namespace latchkey::cli
