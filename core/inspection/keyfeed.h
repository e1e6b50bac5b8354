#pragma once

#include "core/keys/keystore.h"
#include "core/keyspace/observation.h"

#include <functional>

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

    void observed(const keyspace::Observations &observations) override;
    void emptied(keyspace::NodeIndex node, base::MonotonicTime asked, base::MonotonicTime answered) override;

private:
    void tell(const keyspace::Observation &observation);

    keys::KeyStore &m_store; // Not owned.
    std::function<void()> m_eager;
};

} // namespace latchkey::inspection
