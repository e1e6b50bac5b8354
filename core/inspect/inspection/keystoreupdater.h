#pragma once

#include "core/keyspace/events/observation.h"
#include "core/keyspace/keys/keystore.h"

#include <QHash>

#include <functional>
#include <optional>

namespace latchkey::inspection {

/// A listener that keeps a key store up to date with the observations.
///
/// Changes by this program, notifications of the server and reads use different connections. The reply to a read can
/// therefore arrive after the report of a later end, and must not restore the key.
///
/// It is the first listener of an observation dispatcher, so that later listeners find the observed keys in the store.
/// Owned by the owner of the store; the store is not owned.
class KeyStoreUpdater final : public events::ObservationListener
{
public:
    /// Creates the updater. `requestCommit` is called if observations should not wait for the next regular commit: for an
    /// event, for an end, or for very many observations.
    explicit KeyStoreUpdater(keys::KeyStore &store, std::function<void()> requestCommit = {});
    /// A function that is called with the time at which the flush event arrived, and the time at which the database was
    /// found empty.
    using Flushed = std::function<void(base::MonotonicTime received, base::MonotonicTime seen)>;
    void setFlushed(Flushed flushed) { m_flushed = std::move(flushed); }
    /// Sets a function that is called with the number of known keys that were removed at once. It is called after a
    /// flush event, or if there were many keys.
    void setEmptied(std::function<void(qint64 keys)> emptied) { m_emptied = std::move(emptied); }

    void observed(const events::Observations &observations) override;
    void emptied(events::NodeIndex node, base::MonotonicTime asked, base::MonotonicTime answered) override;
    void flushAnnounced(events::NodeIndex node, base::MonotonicTime received, events::FlushKind kind) override;

private:
    void apply(const events::Observation &observation);
    void noteFlush(base::MonotonicTime from, base::MonotonicTime to);
    void rememberEnd(const events::Observation &gone);
    [[nodiscard]] bool isOutdated(const events::Observation &exists) const;

    keys::KeyStore &m_store; // Not owned.
    std::function<void()> m_requestCommit;
    Flushed m_flushed;
    std::function<void(qint64 keys)> m_emptied;
    std::optional<base::MonotonicTime> m_flushReceived; ///< Time of a flush event. Its database is unknown.
    /// Times of the request and of the reply that found the database empty without a flush event.
    std::optional<std::pair<base::MonotonicTime, base::MonotonicTime>> m_foundEmpty;
    /// Recent ends that were reported by another connection than that of the reads: the time of the report by key. A
    /// read that was sent before that time may have seen the key before its end.
    QHash<QByteArray, base::MonotonicTime> m_ends;
    base::MonotonicTime m_lastEnd = base::MonotonicTime::min(); ///< Latest of these times.
    qsizetype m_tidyAt;                                         ///< Number of ends above which the old ones are
                                                                ///< removed.
};

} // namespace latchkey::inspection
