#pragma once

#include "core/keys/keystore.h"
#include "core/keyspace/observation.h"

#include <functional>
#include <optional>

namespace latchkey::inspection {

/// Keeps a key store up to date with what is observed.
///
/// The first of a fan-out's listeners: those behind it find in the store what they are told of.
/// Owned beside the store, which is not owned.
class KeyFeed final : public keyspace::ObservationListener
{
public:
    /// eager: called where what has been observed is not to wait for the next regular commit: an event, an end, or very
    /// much.
    explicit KeyFeed(keys::KeyStore &store, std::function<void()> eager = {});
    /// Called with the time at which a flush was heard of, and with that at which no key was there any more.
    using Flushed = std::function<void(base::MonotonicTime heard, base::MonotonicTime seen)>;
    void setFlushed(Flushed flushed) { m_flushed = std::move(flushed); }
    /// Called with the number of known keys that went at once, where a flush was heard of or they were many.
    void setEmptied(std::function<void(qint64 keys)> emptied) { m_emptied = std::move(emptied); }

    void observed(const keyspace::Observations &observations) override;
    void emptied(keyspace::NodeIndex node, base::MonotonicTime asked, base::MonotonicTime answered) override;
    void flushAnnounced(keyspace::NodeIndex node, base::MonotonicTime heard) override;

private:
    void tell(const keyspace::Observation &observation);

    keys::KeyStore &m_store; // Not owned.
    std::function<void()> m_eager;
    Flushed m_flushed;
    std::function<void(qint64 keys)> m_emptied;
    std::optional<base::MonotonicTime> m_flushHeard; ///< And it is not known yet of which database.
};

} // namespace latchkey::inspection
